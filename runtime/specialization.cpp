#include "runtime/specialization.h"

#include "ir/passes/pipeline.h"
#include "runtime/gpu_kernels.h"
#include "runtime/messages.h"

#include <bit>
#include <cstring>
#include <utility>

namespace tilery {

namespace {

/// Appends values to a key so that different sequences of values give different bytes: every text
/// and list carries its length, every alternative its number.
class KeyWriter {
 public:
  explicit KeyWriter(std::string& key) : key_(key) {}

  void number(std::uint64_t v) {
    char bytes[sizeof v];
    std::memcpy(bytes, &v, sizeof v);
    key_.append(bytes, sizeof v);
  }

  void text(std::string_view v) {
    number(v.size());
    key_.append(v);
  }

  void element(const ElementType& e) {
    number(static_cast<std::uint64_t>(e.scalar) | std::uint64_t{e.pointer_depth} << 8 |
           std::uint64_t{e.is_const} << 16);
  }

  void type(const Type& t) {
    element(t.element);
    number(static_cast<std::uint64_t>(t.shape.rank()));
    for (const std::int32_t extent : t.shape) {
      number(static_cast<std::uint64_t>(extent));
    }
  }

  void texts(const std::vector<std::string>& list) {
    number(list.size());
    for (const std::string& entry : list) {
      text(entry);
    }
  }

  void value(const HostValue& v) {
    number(v.data.index());
    std::visit([&](const auto& data) { alternative(data); }, v.data);
  }

  void facts(const ParamFacts& f) {
    const auto& [divisible_by_16, equals_1] = f;
    number(static_cast<std::uint64_t>(divisible_by_16) | static_cast<std::uint64_t>(equals_1) << 1);
  }

  void spec(const ArgumentSpec& s) {
    number(static_cast<std::uint64_t>(s.kind));
    switch (s.kind) {
      case ArgumentSpec::Kind::Runtime:
        type(s.type);
        facts(s.facts);
        break;
      case ArgumentSpec::Kind::Constexpr:
        value(s.value);
        break;
      case ArgumentSpec::Kind::Tuple:
        text(s.type_name);
        texts(s.field_names);
        number(s.elements.size());
        for (const ArgumentSpec& e : s.elements) {
          spec(e);
        }
        break;
    }
  }

 private:
  void alternative(HostNone) {}

  void alternative(bool v) { number(static_cast<std::uint64_t>(v)); }

  void alternative(std::int64_t v) { number(static_cast<std::uint64_t>(v)); }

  void alternative(std::uint64_t v) { number(v); }

  // By bits: -0.0 and 0.0 are different constants, and NaN must find itself.
  void alternative(double v) { number(std::bit_cast<std::uint64_t>(v)); }

  void alternative(const std::string& v) { text(v); }

  void alternative(const ElementType& v) { element(v); }

  void alternative(const HostFunction& v) { text(v.name); }

  void alternative(const HostValue::Tuple& v) {
    text(v.type_name);
    texts(v.field_names);
    number(v.elements.size());
    for (const HostValue& e : v.elements) {
      value(e);
    }
  }

  std::string& key_;
};

std::shared_ptr<SpecializationSlot> slot_of(Library::Impl& library, const std::string& key) {
  const std::scoped_lock lock(library.mutex);
  std::shared_ptr<SpecializationSlot>& slot = library.specializations[key];
  if (slot == nullptr) {
    slot = std::make_shared<SpecializationSlot>();
  }
  return slot;
}

/// Drops the place of what could not be made. Threads that wait on it try on their own; what they
/// make then is theirs alone.
void forget_slot(Library::Impl& library, const std::string& key,
                 const std::shared_ptr<SpecializationSlot>& slot) {
  const std::scoped_lock lock(library.mutex);
  const auto found = library.specializations.find(key);
  if (found != library.specializations.end() && found->second == slot) {
    library.specializations.erase(found);
  }
}

}  // namespace

std::string specialization_key(std::string_view kernel, const std::vector<ArgumentSpec>& specs,
                               const SpecializeOptions& options) {
  // By name, so that an option that is added does not compile before it is in the key.
  const auto& [strict, debug, fuse_fma, input_precision, num_warps] = options;
  std::string key;
  key.reserve(128);
  KeyWriter writer(key);
  writer.text(kernel);
  writer.number(static_cast<std::uint64_t>(strict) | static_cast<std::uint64_t>(debug) << 1 |
                static_cast<std::uint64_t>(fuse_fma) << 2 |
                static_cast<std::uint64_t>(num_warps) << 8);
  writer.text(input_precision);
  for (const ArgumentSpec& spec : specs) {
    writer.spec(spec);
  }
  return key;
}

Specialization::Specialization(Specialized specialized, std::vector<Message> warnings)
    : specialized_(std::move(specialized)),
      warnings_(std::move(warnings)),
      gpu_kernels_(std::make_unique<GpuKernels>()) {}

Specialization::~Specialization() = default;

const InterpreterProgram& Specialization::interpreter_program() const {
  std::call_once(program_made_, [this] { program_ = make_program(specialized_.function); });
  return *program_;
}

SpecializeOptions specialize_options(const LaunchOptions& options, Device::Kind executor) {
  SpecializeOptions result;
  result.strict = options.strict;
  // Interpret mode always checks device_assert.
  result.debug = options.debug || executor == Device::Kind::Interpreter;
  result.fuse_fma = options.enable_fp_fusion;
  result.num_warps = options.num_warps.value_or(result.num_warps);
  return result;
}

std::optional<Specialized> specialize_call(const Kernel::Impl& kernel, const BoundCall& call,
                                           Device::Kind executor, const AfterPass& after_pass,
                                           Diagnostics& diagnostics) {
  const Library::Impl& library = *kernel.library;
  const SpecializeOptions options = specialize_options(call.options, executor);
  std::optional<Specialized> specialized =
      specialize(library.unit, library.sources, kernel.info.name, call.specs, options, diagnostics,
                 /*optimise=*/false);
  if (specialized) {
    if (after_pass) {
      after_pass("sema", specialized->function);
    }
    run_pipeline(specialized->function, {options.fuse_fma, after_pass});
  }
  return specialized;
}

SpecializationResult find_or_specialize(const Kernel::Impl& kernel, const BoundCall& call,
                                        Device::Kind executor) {
  Library::Impl& library = *kernel.library;
  const std::string key =
      specialization_key(kernel.info.name, call.specs, specialize_options(call.options, executor));
  const std::shared_ptr<SpecializationSlot> slot = slot_of(library, key);
  const std::scoped_lock making(slot->mutex);
  SpecializationResult result;
  if (slot->made == nullptr) {
    std::optional<Specialized> specialized =
        specialize_call(kernel, call, executor, {}, result.diagnostics);
    if (!specialized) {
      forget_slot(library, key, slot);
      return result;
    }
    slot->made = std::make_shared<Specialization>(
        *std::move(specialized), messages_of(result.diagnostics, library.sources, Phase::Compile));
    ++library.specialization_count;
    result.is_new = true;
  }
  result.specialization = slot->made;
  return result;
}

}  // namespace tilery
