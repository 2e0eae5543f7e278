#include "runtime/specialization.h"

#include "ir/passes/pipeline.h"
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

  void spec(const ArgumentSpec& s) {
    number(static_cast<std::uint64_t>(s.kind));
    switch (s.kind) {
      case ArgumentSpec::Kind::Runtime:
        type(s.type);
        number(static_cast<std::uint64_t>(s.facts.divisible_by_16) |
               static_cast<std::uint64_t>(s.facts.equals_1) << 1);
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

}  // namespace

std::string specialization_key(std::string_view kernel, const std::vector<ArgumentSpec>& specs,
                               const SpecializeOptions& options) {
  std::string key;
  key.reserve(128);
  KeyWriter writer(key);
  writer.text(kernel);
  writer.number(static_cast<std::uint64_t>(options.strict) |
                static_cast<std::uint64_t>(options.debug) << 1 |
                static_cast<std::uint64_t>(options.fuse_fma) << 2 |
                static_cast<std::uint64_t>(options.num_warps) << 8);
  writer.text(options.input_precision);
  for (const ArgumentSpec& spec : specs) {
    writer.spec(spec);
  }
  return key;
}

SpecializeOptions specialize_options(const LaunchOptions& options) {
  SpecializeOptions result;
  result.strict = options.strict;
  // Interpret mode always checks device_assert.
  result.debug = true;
  result.fuse_fma = options.enable_fp_fusion;
  result.num_warps = options.num_warps;
  return result;
}

std::optional<Specialized> specialize_call(const Kernel::Impl& kernel, const BoundCall& call,
                                           const AfterPass& after_pass, Diagnostics& diagnostics) {
  const Library::Impl& library = *kernel.library;
  const SpecializeOptions options = specialize_options(call.options);
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

SpecializationResult find_or_specialize(const Kernel::Impl& kernel, const BoundCall& call) {
  Library::Impl& library = *kernel.library;
  const std::string key =
      specialization_key(kernel.info.name, call.specs, specialize_options(call.options));
  SpecializationResult result;
  {
    const std::scoped_lock lock(library.mutex);
    const auto found = library.specializations.find(key);
    if (found != library.specializations.end()) {
      result.specialization = found->second;
      return result;
    }
  }
  std::optional<Specialized> specialized = specialize_call(kernel, call, {}, result.diagnostics);
  if (!specialized) {
    return result;
  }
  auto made = std::make_shared<Specialization>();
  made->program = make_program(std::move(specialized->function));
  made->warnings = messages_of(result.diagnostics, library.sources, Phase::Compile);
  made->static_output = std::move(specialized->static_output);
  const std::scoped_lock lock(library.mutex);
  const auto [entry, inserted] = library.specializations.emplace(key, std::move(made));
  result.specialization = entry->second;
  result.is_new = inserted;
  return result;
}

}  // namespace tilery
