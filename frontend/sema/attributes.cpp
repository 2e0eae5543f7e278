// `x.name`: of tensors, dtypes, tuples and modules.
#include "frontend/sema/builtins.h"
#include "frontend/sema/tensor_ops.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numbers>

namespace tilery::sema {
namespace {

constexpr std::string_view kLanguage = "triton.language";

Value tuple_of(const Shape& shape) {
  TupleValue tuple;
  for (const std::int64_t extent : shape) {
    tuple.elements.push_back(Value{BigInt{extent}});
  }
  return Value{std::move(tuple)};
}

/// "it has a, b and c", or the command that lists them where they are many.
std::string attribute_list(std::span<const std::string_view> names) {
  constexpr std::size_t kMost = 24;
  return names.size() > kMost ? "`tilery ops` lists what there is"
                              : fmt::format("it has `{}`", fmt::join(names, "`, `"));
}

MaybeValue report_no_attribute(Sema& sema, const std::string& what, std::string_view name,
                               SourceRange name_range,
                               std::span<const std::string_view> candidates) {
  const std::string closest = closest_name(name, candidates);
  sema.report(DiagId::NoAttribute, name_range, what, name)
      .helped(closest.empty() ? attribute_list(candidates)
                              : fmt::format("did you mean `{}`?", closest));
  return {};
}

std::vector<std::string_view> method_names() {
  std::vector<std::string_view> names;
  for (const Builtin& builtin : all_builtins()) {
    if (builtin.is_method) {
      names.push_back(builtin.name);
    }
  }
  return names;
}

MaybeValue bound_method(const Builtin* builtin, const Value& self) {
  return Value{BuiltinRef{builtin, std::make_shared<const Value>(self)}};
}

/// `x.T` swaps the two axes of a matrix.
MaybeValue transposed(Sema& sema, const Tensor& x, SourceRange range) {
  if (x.type.shape.rank() != 2) {
    sema.report(DiagId::TransposeRank, range, ".T", "a block of 2 axes", type_text(x.type))
        .helped("`tl.trans(x)` swaps the last two axes, `tl.permute` any");
    return {};
  }
  sema.set_range(range);
  return Value{make(sema, Op::Trans, {x}, {{"order", std::vector<std::int64_t>{1, 0}}})};
}

MaybeValue tensor_attribute(Sema& sema, const Tensor& x, std::string_view name, SourceRange range,
                            SourceRange name_range) {
  if (name == "shape") {
    return tuple_of(x.type.shape);
  }
  if (name == "dtype") {
    return Value{TypeObject{Type(x.type.element)}};
  }
  if (name == "type") {
    return Value{TypeObject{x.type}};
  }
  if (name == "numel") {
    return Value{BigInt{x.type.numel()}};
  }
  if (name == "T") {
    return transposed(sema, x, range);
  }
  if (const Builtin* method = find_method(name)) {
    return bound_method(method, Value{x});
  }
  std::vector<std::string_view> names = method_names();
  names.insert(names.end(), {"shape", "dtype", "type", "numel", "T"});
  return report_no_attribute(sema, type_text(x.type), name, name_range, names);
}

int element_bits(const ElementType& element) {
  return element.is_pointer() ? 64 : bit_width(element.scalar);
}

/// Attributes of a dtype that are plain values; nothing for other names.
MaybeValue dtype_value(const Type& type, std::string_view name) {
  const ElementType& element = type.element;
  if (name == "primitive_bitwidth" || (name == "int_bitwidth" && !element.is_pointer())) {
    return Value{BigInt{element_bits(element)}};
  }
  if (name == "itemsize") {
    return Value{BigInt{element.byte_size()}};
  }
  if (name == "scalar") {
    return Value{TypeObject{Type(element)}};
  }
  if (name == "name") {
    return Value{type_text(type)};
  }
  if (name == "element_ty" && !type.is_scalar()) {
    return Value{TypeObject{Type(element)}};
  }
  if (name == "element_ty" && element.is_pointer()) {
    return Value{TypeObject{Type(element.pointee())}};
  }
  if (name == "shape" && !type.is_scalar()) {
    return tuple_of(type.shape);
  }
  if (name == "numel" && !type.is_scalar()) {
    return Value{BigInt{type.numel()}};
  }
  return {};
}

MaybeValue dtype_attribute(Sema& sema, const Type& type, std::string_view name,
                           SourceRange name_range) {
  if (MaybeValue value = dtype_value(type, name)) {
    return value;
  }
  if (const Builtin* method = find_builtin("triton.language.dtype", name)) {
    return bound_method(method, Value{TypeObject{type}});
  }
  if (name == "element_ty") {
    sema.report(DiagId::NoAttribute, name_range, "the type " + type_text(type), name)
        .helped("only pointer types have one; this type is `x.dtype` itself");
    return {};
  }
  std::vector<std::string_view> names = builtin_names("triton.language.dtype");
  names.insert(names.end(), {"primitive_bitwidth", "itemsize", "element_ty", "scalar"});
  return report_no_attribute(sema, "the type " + type_text(type), name, name_range, names);
}

MaybeValue tuple_attribute(Sema& sema, const TupleValue& tuple, std::string_view name,
                           SourceRange name_range) {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < tuple.field_names.size(); ++i) {
    if (tuple.field_names[i] == name) {
      return tuple.elements[i];
    }
    names.push_back(tuple.field_names[i]);
  }
  const std::string what = tuple.type_name.empty() ? "a tuple" : "the tuple " + tuple.type_name;
  return report_no_attribute(sema, what, name, name_range, names);
}

/// Names of a module that stand for themselves: classes for `isinstance` and annotations, and
/// enumerators.
struct NamedEnum {
  std::string_view module;
  std::string_view name;
};

constexpr auto kEnums = std::to_array<NamedEnum>({
    {"triton.language", "tensor"},
    {"triton.language", "const"},
    {"triton.language", "dtype"},
    {"triton.language", "tuple"},
    {"triton.language.PropagateNan", "NONE"},
    {"triton.language.PropagateNan", "ALL"},
});

/// Modules that can be reached by attributes, PropagateNan as one of them.
constexpr auto kModulePaths = std::to_array<std::string_view>({
    "triton.language",
    "triton.language.core",
    "triton.language.standard",
    "triton.language.math",
    "triton.language.random",
    "triton.language.libdevice",
    "triton.language.extra",
    "triton.language.extra.libdevice",
    "triton.language.extra.cuda",
    "triton.language.extra.cuda.libdevice",
    "triton.language.extra.hip",
    "triton.language.extra.hip.libdevice",
    "triton.language.target_info",
    "triton.language.PropagateNan",
});

MaybeValue math_constant(std::string_view name) {
  if (name == "pi") {
    return Value{std::numbers::pi};
  }
  if (name == "tau") {
    return Value{2 * std::numbers::pi};
  }
  if (name == "e") {
    return Value{std::numbers::e};
  }
  if (name == "inf") {
    return Value{std::numeric_limits<double>::infinity()};
  }
  if (name == "nan") {
    return Value{std::numeric_limits<double>::quiet_NaN()};
  }
  return {};
}

MaybeValue language_name_of(std::string_view module, std::string_view name) {
  const bool is_language = module == kLanguage || module == "triton.language.core";
  for (int i = 0; i < kScalarCount && is_language; ++i) {
    const auto scalar = static_cast<Scalar>(i);
    if (dtype_name(scalar) == name) {
      return Value{TypeObject{Type(scalar)}};
    }
  }
  for (const NamedEnum& entry : kEnums) {
    if (entry.name == name &&
        (entry.module == module || (is_language && entry.module == kLanguage))) {
      const bool is_nan_policy = entry.module != kLanguage;
      return Value{EnumValue{(is_nan_policy ? "PropagateNan." : "") + std::string(name)}};
    }
  }
  return {};
}

std::vector<std::string_view> names_of_module(std::string_view module) {
  std::vector<std::string_view> names = builtin_names(module);
  if (module == kLanguage || module == "triton.language.core") {
    for (int i = 0; i < kScalarCount; ++i) {
      names.push_back(dtype_name(static_cast<Scalar>(i)));
    }
  }
  return names;
}

}  // namespace

bool has_attribute(const Value& object, std::string_view name) {
  constexpr std::array<std::string_view, 5> kOfTensors{"shape", "dtype", "type", "numel", "T"};
  if (object.is<Tensor>()) {
    return find_method(name) != nullptr || std::ranges::find(kOfTensors, name) != kOfTensors.end();
  }
  if (const auto* type = object.as<TypeObject>()) {
    return dtype_value(type->type, name).has_value() ||
           find_builtin("triton.language.dtype", name) != nullptr;
  }
  if (const auto* tuple = object.as<TupleValue>()) {
    return std::ranges::find(tuple->field_names, name) != tuple->field_names.end();
  }
  const auto* module = object.as<ModuleRef>();
  return module != nullptr && (find_builtin(module->path, name) != nullptr ||
                               language_name_of(module->path, name).has_value());
}

/// A function that the language has under another name: `tl.tanh` is `tl.math.tanh`. Empty if there
/// is none.
std::string other_module_help(const ModuleRef& module, std::string_view name) {
  if (!module.path.starts_with(kLanguage)) {
    return {};
  }
  const Builtin* builtin = find_builtin("triton.language", name);
  builtin = builtin == nullptr ? find_builtin("triton.language.math", name) : builtin;
  if (builtin == nullptr) {
    return {};
  }
  const std::string known = display_name(*builtin);
  if (builtin->fn != nullptr) {
    return fmt::format("did you mean `{}`?", known);
  }
  return fmt::format("`{}` is not supported yet{}{}", known, builtin->instead.empty() ? "" : ": ",
                     builtin->instead);
}

MaybeValue module_attribute(Sema& sema, const ModuleRef& module, std::string_view name,
                            SourceRange range) {
  if (MaybeValue value = language_name_of(module.path, name)) {
    return value;
  }
  const std::string path = fmt::format("{}.{}", module.path, name);
  for (const std::string_view known : kModulePaths) {
    if (known == path ||
        (path == "triton.language.core.PropagateNan" && known == "triton.language.PropagateNan")) {
      return Value{ModuleRef{std::string(known), nullptr}};
    }
  }
  if (module.path == "math") {
    if (MaybeValue value = math_constant(name)) {
      return value;
    }
  }
  if (std::string help = other_module_help(module, name); !help.empty()) {
    sema.report(DiagId::NoAttribute, range, describe(Value{module}), name).helped(std::move(help));
    return {};
  }
  return report_no_attribute(sema, describe(Value{module}), name, range,
                             names_of_module(module.path));
}

MaybeValue attribute(Sema& sema, const Value& object, std::string_view name, SourceRange range,
                     SourceRange name_range) {
  if (const auto* tensor = object.as<Tensor>()) {
    return tensor_attribute(sema, *tensor, name, range, name_range);
  }
  if (const auto* type = object.as<TypeObject>()) {
    return dtype_attribute(sema, type->type, name, name_range);
  }
  if (const auto* module = object.as<ModuleRef>()) {
    if (const Builtin* builtin = find_builtin(module->path, name)) {
      return Value{BuiltinRef{builtin, nullptr}};
    }
    return module_attribute(sema, *module, name, name_range);
  }
  // A compile-time value is its own `.value`.
  if (name == "value" && object.is_compile_time()) {
    return object;
  }
  if (const auto* tuple = object.as<TupleValue>()) {
    return tuple_attribute(sema, *tuple, name, name_range);
  }
  // Methods of numbers are an extension: Triton has them on tensors only.
  const Builtin* method = object.is_number() ? find_method(name) : nullptr;
  if (method != nullptr && !sema.options().strict) {
    return bound_method(method, object);
  }
  Diagnostic& diagnostic = sema.report(DiagId::NoAttribute, name_range, describe(object), name);
  if (method != nullptr) {
    diagnostic.helped(
        "it is a compile-time number, not a tensor: make one with "
        "`tl.full((), value, dtype)`");
  } else {
    diagnostic.helped("tensors, dtypes, tuples with field names and modules have attributes");
    explain_nothing(diagnostic, object);
  }
  return {};
}

}  // namespace tilery::sema
