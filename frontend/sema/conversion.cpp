// Making tensors of values, and `x.to(…)`.
#include "frontend/sema/constexpr_ops.h"
#include "frontend/sema/promotion.h"
#include "frontend/sema/tensor_ops.h"

#include <array>
#include <cmath>

namespace tilery::sema {
namespace {

std::string cannot_convert_help(const Value& value) {
  if (value.is<std::string>()) {
    return "keep it at compile time: `name: tl.constexpr = …`";
  }
  if (value.is<FunctionRef>() || value.is<BuiltinRef>() || value.is<ClassRef>()) {
    return "keep it at compile time: `name: tl.constexpr = …`, or call it";
  }
  if (value.is<NoneValue>()) {
    return "test it first: `if x is not None:`";
  }
  if (value.is<TupleValue>()) {
    return "use its elements one by one";
  }
  return {};
}

MaybeTensor report_no_tensor(Sema& sema, const Value& value, SourceRange range) {
  Diagnostic& diagnostic = sema.report(DiagId::CannotBecomeTensor, range, describe(value));
  diagnostic.helped(cannot_convert_help(value));
  explain_nothing(diagnostic, value);
  return {};
}

/// The integer that a number is when it goes into an integer type; floats truncate. Nothing for
/// NaN, infinities and what has more than 100 bits.
std::optional<BigInt> truncated(const Value& number) {
  if (const auto* flag = number.as<bool>()) {
    return BigInt{*flag ? 1 : 0};
  }
  if (const auto* integer = number.as<BigInt>()) {
    return *integer;
  }
  const double x = std::trunc(*number.as<double>());
  constexpr double kLargest = 0x1p100;
  return std::fabs(x) < kLargest ? std::optional(static_cast<BigInt>(x)) : std::nullopt;
}

double as_double(const Value& number) {
  if (const auto* flag = number.as<bool>()) {
    return *flag ? 1.0 : 0.0;
  }
  if (const auto* integer = number.as<BigInt>()) {
    return static_cast<double>(*integer);
  }
  return *number.as<double>();
}

MaybeTensor integer_element(Sema& sema, const Value& number, Scalar scalar, SourceRange range) {
  const std::optional<BigInt> integer = truncated(number);
  if (!integer || *integer < min_value(scalar) || *integer > max_value(scalar)) {
    sema.report(DiagId::LiteralOutOfRange, range, describe(number), language_name(scalar))
        .note(fmt::format("{} holds {} to {}", language_name(scalar), to_string(min_value(scalar)),
                          to_string(max_value(scalar))))
        .helped("use a wider type, for example `x.to(tl.int32)`");
    return {};
  }
  return int_constant(sema, scalar, *integer);
}

MaybeTensor report_cast(Sema& sema, const Tensor& x, ElementType element, SourceRange range,
                        std::string help) {
  sema.report(DiagId::CannotCast, range, type_text(x.type), type_text(element))
      .helped(std::move(help));
  return {};
}

Tensor bits_of(Sema& sema, const Tensor& x, ElementType element) {
  return tensor_of(sema, sema.builder().bitcast(x.id, element));
}

/// Pointer to pointer, to a 64-bit integer, or to a boolean (is it not null).
MaybeTensor cast_from_pointer(Sema& sema, const Tensor& x, ElementType element, SourceRange range) {
  if (element.is_pointer() || element.is(Scalar::I64) || element.is(Scalar::U64)) {
    return bits_of(sema, x, element);
  }
  if (element.is(Scalar::I1)) {
    return is_nonzero(sema, bits_of(sema, x, Scalar::I64));
  }
  return report_cast(sema, x, element, range,
                     is_float(element.scalar)
                         ? "`tl.load` reads what a pointer points to"
                         : "a pointer has 64 bits: go through `.to(tl.int64)`");
}

MaybeTensor cast_to_pointer(Sema& sema, const Tensor& x, ElementType element, SourceRange range) {
  if (!is_integer(x.type.element.scalar)) {
    return report_cast(sema, x, element, range,
                       "for the type that a pointer points to write `ptr.dtype.element_ty`");
  }
  const bool is_wide = bit_width(x.type.element.scalar) == 64;
  return bits_of(sema, is_wide ? x : convert(sema, x, Scalar::I64), element);
}

MaybeTensor bitcast(Sema& sema, const Tensor& x, ElementType element, SourceRange range) {
  const int from = bit_width(x.type.element.scalar);
  const int to = bit_width(element.scalar);
  if (from != to) {
    sema.report(DiagId::BitcastWidth, range, from, to, type_text(x.type), type_text(element))
        .helped("convert by value first, or choose a type of the same width");
    return {};
  }
  return bits_of(sema, x, element);
}

/// Whether `rounding` asks for rounding toward zero; nothing if it is misused.
std::optional<bool> rounds_toward_zero(Sema& sema, const Tensor& x, ElementType element,
                                       SourceRange range, const std::string& rounding) {
  if (rounding != "rtne" && rounding != "rtz") {
    sema.report(DiagId::RoundingMode, range,
                fmt::format("`{}` is no rounding mode: `rtne` and `rtz` are", rounding))
        .helped("`\"rtne\"` rounds to the nearest, as without the argument; `\"rtz\"` toward zero");
    return {};
  }
  const bool is_narrowing = !x.type.is_pointer() && !element.is_pointer() &&
                            is_float(x.type.element.scalar) && is_float(element.scalar) &&
                            bit_width(element.scalar) < bit_width(x.type.element.scalar);
  if (!is_narrowing) {
    sema.report(DiagId::RoundingMode, range,
                fmt::format("a rounding mode is for conversions to a narrower float, not {} to {}",
                            type_text(x.type), type_text(element)))
        .helped("leave `fp_downcast_rounding` out");
    return {};
  }
  return rounding == "rtz";
}

}  // namespace

MaybeTensor to_tensor(Sema& sema, const Value& value, SourceRange range) {
  if (const auto* tensor = value.as<Tensor>()) {
    return *tensor;
  }
  if (!value.is_number()) {
    return report_no_tensor(sema, value, range);
  }
  const std::optional<Scalar> scalar = literal_scalar(value);
  if (!scalar) {
    sema.report(DiagId::IntegerTooLarge, range, to_string(*value.as<BigInt>()))
        .helped("write it as a float, or in two halves");
    return {};
  }
  return to_element(sema, value, *scalar, range);
}

MaybeTensor to_element(Sema& sema, const Value& value, ElementType element, SourceRange range) {
  if (const auto* tensor = value.as<Tensor>()) {
    return cast(sema, *tensor, element, range);
  }
  if (!value.is_number()) {
    return report_no_tensor(sema, value, range);
  }
  if (element.is_pointer()) {
    sema.report(DiagId::CannotCast, range, describe(value), type_text(element))
        .helped(
            "pointers come from arguments; convert an address with `tl.full((), n, tl.int64)` "
            "first");
    return {};
  }
  if (is_float(element.scalar)) {
    return float_constant(sema, element, as_double(value));
  }
  if (element.is(Scalar::I1)) {
    return int_constant(sema, element, as_double(value) != 0.0 ? 1 : 0);
  }
  return integer_element(sema, value, element.scalar, range);
}

MaybeTensor cast(Sema& sema, const Tensor& x, ElementType element, SourceRange range,
                 std::optional<std::string> rounding, bool is_bitcast) {
  if (x.type.element == element) {
    return x;
  }
  bool toward_zero = false;
  if (rounding) {
    const auto rtz = rounds_toward_zero(sema, x, element, range, *rounding);
    if (!rtz) {
      return {};
    }
    toward_zero = *rtz;
  }
  if (x.type.is_pointer()) {
    return cast_from_pointer(sema, x, element, range);
  }
  if (element.is_pointer()) {
    return cast_to_pointer(sema, x, element, range);
  }
  const Scalar from = x.type.element.scalar;
  if (is_bitcast) {
    return bitcast(sema, x, element, range);
  }
  const bool is_fp8_with_int =
      (is_fp8(from) && is_integer(element.scalar)) || (is_integer(from) && is_fp8(element.scalar));
  if (is_fp8_with_int) {
    return report_cast(sema, x, element, range, "go through a float: `.to(tl.float32)` first");
  }
  return tensor_of(sema, sema.builder().cast(x.id, element, toward_zero));
}

MaybeValue decay(Sema& sema, const Value& value, SourceRange range) {
  if (const auto* tuple = value.as<TupleValue>()) {
    TupleValue result = *tuple;
    for (Value& element : result.elements) {
      MaybeValue decayed = decay(sema, element, range);
      if (!decayed) {
        return {};
      }
      element = std::move(*decayed);
    }
    return Value{std::move(result)};
  }
  if (value.is<NoneValue>() || value.is<TypeObject>() || value.is<ModuleRef>() ||
      value.is<ClassRef>()) {
    return value;
  }
  const MaybeTensor tensor = to_tensor(sema, value, range);
  return tensor ? MaybeValue(Value{*tensor}) : std::nullopt;
}

}  // namespace tilery::sema
