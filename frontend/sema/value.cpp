#include "frontend/sema/value.h"

#include "frontend/sema/constexpr_ops.h"

#include <fmt/format.h>

#include <algorithm>

namespace tilery::sema {
namespace {

/// "pointer<fp32>", "pointer<const fp32>", "fp32".
std::string element_text(const ElementType& element) {
  if (!element.is_pointer()) {
    return std::string(language_name(element.scalar));
  }
  return fmt::format("pointer<{}{}>", element.is_const ? "const " : "",
                     element_text(element.pointee()));
}

std::string module_text(const std::string& path) {
  constexpr std::string_view kLanguage = "triton.language";
  if (path.starts_with(kLanguage)) {
    return "tl" + path.substr(kLanguage.size());
  }
  return path;
}

std::string function_name(const FunctionRef& function) {
  if (function.unit == nullptr) {
    return "?";
  }
  const auto* def = function.unit->module.as<ast::FunctionDef>(function.def);
  return def != nullptr ? def->name : "lambda";
}

/// One description an alternative of Value.
struct Describe {
  std::string operator()(const NoneValue&) const { return "None"; }

  std::string operator()(const Tensor& tensor) const { return type_text(tensor.type); }

  std::string operator()(bool value) const { return value ? "True" : "False"; }

  std::string operator()(BigInt value) const { return "int " + to_string(value); }

  std::string operator()(double value) const { return "float " + python_str(Value{value}); }

  std::string operator()(const std::string& text) const {
    return fmt::format("the string \"{}\"", text);
  }

  std::string operator()(const TypeObject& type) const {
    return "the type " + type_text(type.type);
  }

  std::string operator()(const TupleValue& tuple) const {
    std::string text = tuple.type_name.empty() ? "tuple (" : tuple.type_name + "(";
    for (std::size_t i = 0; i < tuple.elements.size(); ++i) {
      text += (i == 0 ? "" : ", ") + describe(tuple.elements[i]);
    }
    return text + ")";
  }

  std::string operator()(const FunctionRef& function) const {
    return fmt::format("the function {}", function_name(function));
  }

  std::string operator()(const BuiltinRef& builtin) const {
    return fmt::format("the function {}", builtin.builtin->name);
  }

  std::string operator()(const ClassRef& cls) const { return "the class " + cls.type.name; }

  std::string operator()(const ModuleRef& module) const {
    return "the module " + module_text(module.path);
  }

  std::string operator()(const RangeValue&) const { return "a range"; }

  std::string operator()(const EnumValue& value) const { return "tl." + value.name; }

  std::string operator()(const EllipsisValue&) const { return "..."; }
};

}  // namespace

bool Value::is_compile_time() const {
  if (const auto* tuple = as<TupleValue>()) {
    return std::ranges::all_of(tuple->elements,
                               [](const Value& element) { return element.is_compile_time(); });
  }
  return !is<Tensor>();
}

std::string describe(const Value& value) {
  return std::visit(Describe(), value.data);
}

std::string type_text(const Type& type) {
  const std::string element = element_text(type.element);
  return type.is_scalar() ? element : element + type.shape.str();
}

}  // namespace tilery::sema
