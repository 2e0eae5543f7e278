// Entry points, locations and reports.
#include "frontend/sema/sema.h"

#include "frontend/sema/constexpr_ops.h"
#include "frontend/sema/specializer.h"
#include "frontend/sema/tensor_ops.h"
#include "ir/passes/contract_fma.h"
#include "ir/passes/pipeline.h"
#include "ir/support/check.h"
#include "ir/verifier.h"

#include <fmt/format.h>

#include <algorithm>

namespace tilery {
namespace sema {

// ---- places ----

void Sema::set_range(SourceRange range) {
  if (range.is_valid()) {
    builder_.set_loc(location(range));
  }
}

LocId Specializer::location(SourceRange range) {
  if (range != last_range_ || frame_->call_loc != last_call_loc_ || !last_loc_) {
    last_loc_ = builder_.add_location({range, frame_->call_loc, std::string(frame_->name)});
    last_range_ = range;
    last_call_loc_ = frame_->call_loc;
  }
  return last_loc_;
}

Diagnostic& Specializer::with_calls(Diagnostic& diagnostic) {
  // An unrolled loop, or a helper that is called often, makes the same mistake again and again.
  const auto [known, is_new] = reported_.insert(
      {diagnostic.id, diagnostic.range.file, diagnostic.range.begin, diagnostic.range.end});
  if (!is_new) {
    diagnostics_.pop_back();
    repeated_ = {};
    return repeated_;
  }
  for (const Frame* frame = frame_; frame != nullptr; frame = frame->caller) {
    // A recursion shows each of its calls once.
    const bool is_shown = std::ranges::any_of(diagnostic.calls, [&](const DiagnosticNote& call) {
      return call.range == frame->call_range;
    });
    if (frame->call_range.is_valid() && !is_shown) {
      diagnostic.calls.push_back({frame->call_range, std::string(frame->caller->name)});
    }
  }
  return diagnostic;
}

// ---- the kernel ----

Specializer::Specializer(const Unit& unit, const SourceMap& sources,
                         const SpecializeOptions& options, Diagnostics& diagnostics,
                         Function& function)
    : Sema(sources, options, diagnostics, function), unit_(unit) {
  if (function.body) {
    builder_.set_region(function.body);
  }
}

void Specializer::run_kernel(const ast::FunctionDef& def, std::vector<Value> arguments) {
  Frame frame;
  frame.unit = &unit_;
  frame.name = def.name;
  frame.is_kernel = true;
  frame_ = &frame;
  for (std::size_t i = 0; i < def.parameters.size(); ++i) {
    const ast::Parameter& parameter = def.parameters[i];
    if (arguments[i].is<Tensor>() && is_constexpr_annotation(unit_, parameter.annotation)) {
      report(DiagId::ConstexprParameter, parameter.range, parameter.name, def.name,
             describe(arguments[i]))
          .helped("give it a value instead of a type");
    }
    define_parameter(parameter, std::move(arguments[i]));
  }
  execute_block(def.body, true);
  set_range(def.name_range);
  frame_ = nullptr;
  builder_.yield({});
}

ValueId Specializer::zero(const Type& type) {
  return builder_.constant_bits(type, 0);
}

void Specializer::name_values(const Value& value, std::string_view name) {
  if (const auto* tensor = value.as<Tensor>()) {
    std::string& known = function().value(tensor->id).name;
    if (known.empty()) {
      known = name;
    }
  } else if (const auto* tuple = value.as<TupleValue>()) {
    for (const Value& element : tuple->elements) {
      name_values(element, name);
    }
  }
}

// ---- forms of values ----

bool has_tensors(const Value& value) {
  return !value.is_compile_time();
}

void flatten(const Value& value, std::vector<Tensor>& out) {
  if (const auto* tensor = value.as<Tensor>()) {
    out.push_back(*tensor);
  } else if (const auto* tuple = value.as<TupleValue>()) {
    for (const Value& element : tuple->elements) {
      flatten(element, out);
    }
  }
}

Value rebuild(const Value& like, std::span<const ValueId> ids, std::size_t& next) {
  if (const auto* tensor = like.as<Tensor>()) {
    return Value{Tensor{ids[next++], tensor->type}};
  }
  const auto* tuple = like.as<TupleValue>();
  if (tuple == nullptr) {
    return like;
  }
  TupleValue result{{}, tuple->type_name, tuple->field_names};
  for (const Value& element : tuple->elements) {
    result.elements.push_back(rebuild(element, ids, next));
  }
  return Value{std::move(result)};
}

namespace {

/// Collects the run-time parameters of the IR function from the arguments of a call.
class ParameterBuilder {
 public:
  explicit ParameterBuilder(const Unit& unit) : unit_(unit) {}

  /// The value that the parameter has in the kernel. Tensors refer to the parameter by position.
  Value add(const std::string& name, const ArgumentSpec& spec, SourceRange range) {
    switch (spec.kind) {
      case ArgumentSpec::Kind::Constexpr:
        return from_host(unit_, spec.value);
      case ArgumentSpec::Kind::Runtime:
        params_.push_back({name, spec.type, spec.facts, range});
        return Value{Tensor{ValueId(params_.size() - 1), spec.type}};
      case ArgumentSpec::Kind::Tuple:
        break;
    }
    TupleValue tuple{{}, spec.type_name, spec.field_names};
    for (std::size_t i = 0; i < spec.elements.size(); ++i) {
      const std::string part =
          i < spec.field_names.size() ? spec.field_names[i] : std::to_string(i);
      tuple.elements.push_back(add(fmt::format("{}.{}", name, part), spec.elements[i], range));
    }
    return Value{std::move(tuple)};
  }

  [[nodiscard]] std::vector<Param> take() { return std::move(params_); }

 private:
  const Unit& unit_;
  std::vector<Param> params_;
};

/// The kernel that a caller names, or nothing (reported).
const ast::FunctionDef* find_kernel(const Unit& unit, std::string_view name,
                                    Diagnostics& diagnostics) {
  const std::optional<ast::StmtId> id = find_function(unit, name);
  if (id) {
    return unit.module.as<ast::FunctionDef>(*id);
  }
  std::vector<std::string_view> names;
  for (const ast::StmtId stmt : unit.module.body) {
    if (const auto* def = unit.module.as<ast::FunctionDef>(stmt)) {
      names.push_back(def->name);
    }
  }
  Diagnostic& diagnostic = diagnostics.report(DiagId::UnknownKernel, {}, name);
  const std::string close = closest_name(name, names);
  if (!close.empty()) {
    diagnostic.helped(fmt::format("did you mean `{}`?", close));
  }
  return nullptr;
}

bool check_arguments(const ast::FunctionDef& def, const std::vector<ArgumentSpec>& arguments,
                     Diagnostics& diagnostics) {
  if (def.parameters.size() == arguments.size()) {
    return true;
  }
  diagnostics.report(DiagId::KernelArgumentCount, def.name_range, def.name, def.parameters.size(),
                     arguments.size());
  return false;
}

}  // namespace
}  // namespace sema

std::optional<Specialized> specialize(const Unit& unit, const SourceMap& sources,
                                      std::string_view kernel,
                                      const std::vector<ArgumentSpec>& arguments,
                                      const SpecializeOptions& options, Diagnostics& diagnostics,
                                      bool optimise) {
  const ast::FunctionDef* def = sema::find_kernel(unit, kernel, diagnostics);
  if (def == nullptr || !sema::check_arguments(*def, arguments, diagnostics)) {
    return {};
  }
  sema::ParameterBuilder parameters(unit);
  std::vector<sema::Value> values;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    values.push_back(
        parameters.add(def->parameters[i].name, arguments[i], def->parameters[i].range));
  }
  Specialized result{make_function(def->name, parameters.take()), {}, false};
  for (sema::Value& value : values) {
    std::vector<sema::Tensor> tensors;
    std::vector<ValueId> ids;
    sema::flatten(value, tensors);
    for (const sema::Tensor& tensor : tensors) {
      ids.push_back(result.function.region(result.function.body).args[tensor.id.index]);
    }
    std::size_t next = 0;
    value = sema::rebuild(value, ids, next);
  }
  const std::size_t errors_before = diagnostics.error_count();
  sema::Specializer specializer(unit, sources, options, diagnostics, result.function);
  specializer.run_kernel(*def, std::move(values));
  result.static_output = std::move(specializer.static_output());
  result.reads_num_warps = specializer.reads_num_warps();
  if (diagnostics.error_count() != errors_before) {
    return {};
  }
  TILERY_CHECK(!specializer.has_failed(), "a statement failed without a report");
#ifdef TILERY_CHECKED
  check_valid(result.function, "specialise");
#endif
  if (optimise) {
    run_pipeline(result.function, {options.fuse_fma, {}});
  } else if (options.fuse_fma) {
    // What is fused belongs to the kernel's meaning, not to its optimisation.
    contract_fma(result.function);
  }
  return result;
}

}  // namespace tilery
