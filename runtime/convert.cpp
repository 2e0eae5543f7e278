#include "runtime/convert.h"

#include "ir/builder.h"

#include <fmt/format.h>

namespace tilery {

namespace {

// DType mirrors Scalar, since public headers include nothing from below.
#define TILERY_INTEGER(name, ...) static_assert(scalar_of(DType::name) == Scalar::name);
#define TILERY_FLOAT(name, ...) static_assert(scalar_of(DType::name) == Scalar::name);
#include "ir/scalars.def"

/// A float as Python's repr writes it: the shortest text that reads back, with a point.
std::string float_text(double v) {
  std::string text = fmt::format("{}", v);
  if (text.find_first_not_of("-0123456789") == std::string::npos) {
    text += ".0";
  }
  return text;
}

/// The Python number that a typed scalar holds.
HostValue number_of(const TypedScalar& scalar) {
  const Scalar type = scalar_of(scalar.dtype);
  if (is_float(type)) {
    return {decode_float(type, scalar.bits)};
  }
  const std::int64_t v = decode_int(type, scalar.bits);
  if (type == Scalar::I1) {
    return {v != 0};
  }
  if (type == Scalar::U64 && v < 0) {
    return {static_cast<std::uint64_t>(v)};
  }
  return {v};
}

std::optional<HostValue> tuple_value(const Argument::Tuple& tuple) {
  HostValue::Tuple result{{}, tuple.type_name, tuple.field_names};
  for (const Argument& element : tuple.elements) {
    std::optional<HostValue> value = host_value(element);
    if (!value) {
      return std::nullopt;
    }
    result.elements.push_back(*std::move(value));
  }
  return HostValue{std::move(result)};
}

struct ToHostValue {
  std::optional<HostValue> operator()(None) const { return HostValue{HostNone{}}; }

  std::optional<HostValue> operator()(bool v) const { return HostValue{v}; }

  std::optional<HostValue> operator()(std::int64_t v) const { return HostValue{v}; }

  std::optional<HostValue> operator()(std::uint64_t v) const {
    if (v <= static_cast<std::uint64_t>(INT64_MAX)) {
      return HostValue{static_cast<std::int64_t>(v)};
    }
    return HostValue{v};
  }

  std::optional<HostValue> operator()(double v) const { return HostValue{v}; }

  std::optional<HostValue> operator()(const std::string& v) const { return HostValue{v}; }

  std::optional<HostValue> operator()(DType v) const {
    return HostValue{ElementType(scalar_of(v))};
  }

  std::optional<HostValue> operator()(const FunctionName& v) const {
    return HostValue{HostFunction{v.name}};
  }

  std::optional<HostValue> operator()(const TypedScalar& v) const { return number_of(v); }

  std::optional<HostValue> operator()(const Pointer&) const { return std::nullopt; }

  std::optional<HostValue> operator()(const Argument::Tuple& v) const { return tuple_value(v); }
};

struct ToPythonText {
  std::string operator()(HostNone) const { return "None"; }

  std::string operator()(bool v) const { return v ? "True" : "False"; }

  std::string operator()(std::int64_t v) const { return fmt::format("{}", v); }

  std::string operator()(std::uint64_t v) const { return fmt::format("{}", v); }

  std::string operator()(double v) const { return float_text(v); }

  std::string operator()(const std::string& v) const { return fmt::format("\"{}\"", v); }

  std::string operator()(const ElementType& v) const { return "tl." + language_text(v); }

  std::string operator()(const HostFunction& v) const { return v.name; }

  std::string operator()(const HostValue::Tuple& v) const {
    std::string text;
    for (const HostValue& element : v.elements) {
      text += (text.empty() ? "" : ", ") + python_text(element);
    }
    return fmt::format("{}({}{})", v.type_name, text, v.elements.size() == 1 ? "," : "");
  }
};

struct Describe {
  std::string operator()(None) const { return "None"; }

  std::string operator()(bool v) const { return v ? "the bool True" : "the bool False"; }

  std::string operator()(std::int64_t v) const { return fmt::format("the integer {}", v); }

  std::string operator()(std::uint64_t v) const { return fmt::format("the integer {}", v); }

  std::string operator()(double v) const { return "the float " + float_text(v); }

  std::string operator()(const std::string& v) const { return fmt::format("the string \"{}\"", v); }

  std::string operator()(DType v) const { return fmt::format("the type {}", language_name(v)); }

  std::string operator()(const FunctionName& v) const { return "the function " + v.name; }

  std::string operator()(const TypedScalar& v) const {
    return fmt::format("the {} {}", language_name(v.dtype), python_text(number_of(v)));
  }

  std::string operator()(const Pointer& v) const {
    return fmt::format("{} of {}", v.buffer ? "an array" : "a null pointer",
                       language_name(v.dtype));
  }

  std::string operator()(const Argument::Tuple& v) const {
    return fmt::format("a tuple of {}", v.elements.size());
  }
};

}  // namespace

std::string language_text(const ElementType& element) {
  const std::string stars(element.pointer_depth, '*');
  return fmt::format("{}{}{}", stars, element.is_const ? "const " : "",
                     language_name(element.scalar));
}

std::optional<HostValue> host_value(const Argument& argument) {
  return std::visit(ToHostValue{}, argument.data);
}

std::string python_text(const HostValue& value) {
  return std::visit(ToPythonText{}, value.data);
}

std::string describe_argument(const Argument& argument) {
  return std::visit(Describe{}, argument.data);
}

}  // namespace tilery
