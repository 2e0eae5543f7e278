// Values of the host and compile-time values, and what callers learn about the kernels of a unit.
#include "frontend/sema/constexpr_ops.h"
#include "frontend/sema/specializer.h"

#include <algorithm>
#include <limits>

namespace tilery {
namespace sema {

std::string dtype_text(Scalar scalar) {
  return "tl." + std::string(dtype_name(scalar));
}

namespace {

struct FromHost {
  const Unit& unit;

  Value operator()(HostNone) const { return Value{NoneValue{}}; }

  Value operator()(bool value) const { return Value{value}; }

  Value operator()(std::int64_t value) const { return Value{BigInt{value}}; }

  Value operator()(std::uint64_t value) const { return Value{BigInt{value}}; }

  Value operator()(double value) const { return Value{value}; }

  Value operator()(const std::string& value) const { return Value{value}; }

  Value operator()(const ElementType& value) const { return Value{TypeObject{value}}; }

  Value operator()(const HostFunction& value) const {
    const std::optional<ast::StmtId> id = find_function(unit, value.name);
    if (id) {
      return Value{FunctionRef{&unit, *id, {}, nullptr}};
    }
    for (const auto& [name, imported] : unit.imports) {
      if (const std::optional<ast::StmtId> def = find_function(*imported, value.name)) {
        return Value{FunctionRef{imported.get(), *def, {}, nullptr}};
      }
    }
    return Value{NoneValue{}};
  }

  Value operator()(const HostValue::Tuple& value) const {
    TupleValue tuple{{}, value.type_name, value.field_names};
    for (const HostValue& element : value.elements) {
      tuple.elements.push_back(from_host(unit, element));
    }
    return Value{std::move(tuple)};
  }
};

std::optional<HostValue> tuple_to_host(const TupleValue& tuple) {
  HostValue::Tuple result{{}, tuple.type_name, tuple.field_names};
  for (const Value& element : tuple.elements) {
    std::optional<HostValue> part = to_host(element);
    if (!part) {
      return {};
    }
    result.elements.push_back(std::move(*part));
  }
  return HostValue{std::move(result)};
}

}  // namespace

Value from_host(const Unit& unit, const HostValue& value) {
  return std::visit(FromHost{unit}, value.data);
}

std::optional<HostValue> to_host(const Value& value) {
  if (value.is<NoneValue>()) {
    return HostValue{HostNone{}};
  }
  if (const auto* flag = value.as<bool>()) {
    return HostValue{*flag};
  }
  if (const auto* integer = value.as<BigInt>()) {
    if (*integer < std::numeric_limits<std::int64_t>::min() ||
        *integer > std::numeric_limits<std::uint64_t>::max()) {
      return {};
    }
    return *integer > std::numeric_limits<std::int64_t>::max()
               ? HostValue{static_cast<std::uint64_t>(*integer)}
               : HostValue{static_cast<std::int64_t>(*integer)};
  }
  if (const auto* real = value.as<double>()) {
    return HostValue{*real};
  }
  if (const auto* text = value.as<std::string>()) {
    return HostValue{*text};
  }
  if (const auto* type = value.as<TypeObject>()) {
    return type->type.is_scalar() ? std::optional(HostValue{type->type.element}) : std::nullopt;
  }
  if (const auto* function = value.as<FunctionRef>()) {
    const auto* def = function->unit->module.as<ast::FunctionDef>(function->def);
    const bool is_def = !function->lambda && def != nullptr;
    return is_def ? std::optional(HostValue{HostFunction{def->name}}) : std::nullopt;
  }
  const auto* tuple = value.as<TupleValue>();
  return tuple != nullptr ? tuple_to_host(*tuple) : std::nullopt;
}

namespace {

/// Signature strings of the language: "fp32", "i64", "u1", "B"; and a type's other names.
std::optional<Scalar> scalar_of_signature(std::string_view text) {
  constexpr std::pair<std::string_view, Scalar> kOthers[] = {
      {"u1", Scalar::I1},     {"B", Scalar::I1},    {"int", Scalar::I32},
      {"float", Scalar::F32}, {"bool", Scalar::I1},
  };
  for (int i = 0; i < kScalarCount; ++i) {
    const auto scalar = static_cast<Scalar>(i);
    if (text == ir_name(scalar) || text == language_name(scalar) || text == dtype_name(scalar)) {
      return scalar;
    }
  }
  const auto* found =
      std::ranges::find(kOthers, text, [](const auto& entry) { return entry.first; });
  return found != std::end(kOthers) ? std::optional(found->second) : std::nullopt;
}

std::optional<Type> type_of_signature(std::string_view text) {
  int depth = 0;
  bool is_const = false;
  while (text.starts_with('*')) {
    ++depth;
    text.remove_prefix(1);
  }
  if (depth > 0 && text.starts_with('k')) {
    is_const = true;
    text.remove_prefix(1);
  }
  if (text.starts_with("tl.")) {
    text.remove_prefix(3);
  }
  const std::optional<Scalar> scalar = scalar_of_signature(text);
  return scalar ? std::optional(Type(ElementType(*scalar, depth, is_const))) : std::nullopt;
}

/// Reads the parameters of the functions of a unit.
class KernelLister {
 public:
  KernelLister(const Unit& unit, const SourceMap& sources, Diagnostics& diagnostics)
      : unit_(unit),
        function_(make_function("", {})),
        specializer_(unit, sources, options_, diagnostics, function_) {}

  KernelInfo kernel(const ast::FunctionDef& def) {
    KernelInfo info;
    info.name = def.name;
    info.range = def.name_range;
    info.docstring = def.docstring;
    info.is_jit = !unit_.module.is_python || has_decorator(unit_.module, def, "jit");
    for (const ast::Parameter& declared : def.parameters) {
      info.parameters.push_back(parameter(declared, info.is_jit));
    }
    return info;
  }

 private:
  KernelParameter parameter(const ast::Parameter& declared, bool is_jit) {
    KernelParameter result;
    result.name = declared.name;
    result.range = declared.range;
    result.is_constexpr = specializer_.is_constexpr_annotation(unit_, declared.annotation);
    if (declared.annotation && !result.is_constexpr) {
      read_annotation(declared.annotation, result);
    }
    // Plain Python functions may have defaults that only their own program can evaluate.
    if (declared.default_value && is_jit) {
      const MaybeValue value = specializer_.evaluate_at_module_level(unit_, declared.default_value);
      result.default_value = value ? to_host(*value) : std::nullopt;
    }
    return result;
  }

  /// Annotations that name a dtype fix the type; unknown ones mean nothing, as in Python.
  void read_annotation(ast::ExprId annotation, KernelParameter& result) {
    const ast::Module& module = unit_.module;
    if (const auto* text = module.as<ast::StringLiteral>(annotation)) {
      result.annotated = type_of_signature(text->value);
    } else if (const auto* attribute = module.as<ast::Attribute>(annotation)) {
      result.is_const_pointer = attribute->name == "const";
      result.annotated = named_type(attribute->name);
    } else if (const auto* name = module.as<ast::Name>(annotation)) {
      result.is_const_pointer = name->id == "const";
      result.annotated = named_type(name->id);
    }
    if (result.annotated && result.annotated->is_pointer()) {
      result.is_const_pointer = result.annotated->element.is_const;
    }
  }

  static std::optional<Type> named_type(std::string_view name) {
    const std::optional<Scalar> scalar = scalar_of_signature(name);
    return scalar ? std::optional(Type(*scalar)) : std::nullopt;
  }

  const Unit& unit_;
  SpecializeOptions options_;
  Function function_;
  Specializer specializer_;
};

}  // namespace
}  // namespace sema

std::vector<KernelInfo> list_kernels(const Unit& unit, const SourceMap& sources,
                                     Diagnostics& diagnostics) {
  sema::KernelLister lister(unit, sources, diagnostics);
  std::vector<KernelInfo> result;
  for (const ast::StmtId id : unit.module.body) {
    if (const auto* def = unit.module.as<ast::FunctionDef>(id)) {
      result.push_back(lister.kernel(*def));
    }
  }
  return result;
}

}  // namespace tilery
