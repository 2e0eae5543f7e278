#include "frontend/sema/promotion.h"

#include <cfloat>
#include <cmath>

namespace tilery::sema {
namespace {

bool either_is(Scalar lhs, Scalar rhs, Scalar wanted) {
  return lhs == wanted || rhs == wanted;
}

bool is_half(Scalar scalar) {
  return scalar == Scalar::F16 || scalar == Scalar::BF16;
}

std::optional<Scalar> integer_literal(BigInt value) {
  for (const Scalar scalar : {Scalar::I32, Scalar::U32, Scalar::I64, Scalar::U64}) {
    if (value >= min_value(scalar) && value <= max_value(scalar)) {
      return scalar;
    }
  }
  return std::nullopt;
}

Scalar float_literal(double value) {
  const double magnitude = std::fabs(value);
  const bool fits =
      value == 0.0 || !std::isfinite(value) ||
      (magnitude >= static_cast<double>(FLT_MIN) && magnitude <= static_cast<double>(FLT_MAX));
  return fits ? Scalar::F32 : Scalar::F64;
}

/// Two operands of which at least one is a float, neither weak.
Promotion promote_floats(Scalar lhs, Scalar rhs, Division division) {
  const auto half_result = [&](Scalar half) {
    return Promotion{division == Division::Yes ? Scalar::F32 : half, PromotionError::None};
  };
  if (either_is(lhs, rhs, Scalar::F64)) {
    return {Scalar::F64, PromotionError::None};
  }
  if (either_is(lhs, rhs, Scalar::F32)) {
    return {Scalar::F32, PromotionError::None};
  }
  if (either_is(lhs, rhs, Scalar::F16)) {
    return half_result(Scalar::F16);
  }
  if (lhs == Scalar::BF16 && rhs == Scalar::BF16) {
    return half_result(Scalar::BF16);
  }
  if (either_is(lhs, rhs, Scalar::BF16)) {
    return {Scalar::F32, PromotionError::None};
  }
  if (is_fp8(lhs) && is_fp8(rhs)) {
    return {lhs == rhs ? lhs : Scalar::F16, PromotionError::None};
  }
  return {lhs, PromotionError::Fp8WithInteger};
}

}  // namespace

NumberKind number_kind(Scalar scalar) {
  if (is_float(scalar)) {
    return NumberKind::Float;
  }
  return scalar == Scalar::I1 ? NumberKind::Bool : NumberKind::Int;
}

std::optional<Scalar> literal_scalar(const Value& value) {
  if (value.is<bool>()) {
    return Scalar::I1;
  }
  if (const auto* integer = value.as<BigInt>()) {
    return integer_literal(*integer);
  }
  if (const auto* number = value.as<double>()) {
    return float_literal(*number);
  }
  return std::nullopt;
}

Promotion promote(PromotionOperand lhs, PromotionOperand rhs, Division division) {
  if (lhs.is_weak != rhs.is_weak) {
    const Scalar weak = lhs.is_weak ? lhs.scalar : rhs.scalar;
    const Scalar strong = lhs.is_weak ? rhs.scalar : lhs.scalar;
    if (number_kind(weak) <= number_kind(strong)) {
      const bool widens = division == Division::Yes && is_half(strong);
      return {widens ? Scalar::F32 : strong, PromotionError::None};
    }
  }
  if (is_float(lhs.scalar) || is_float(rhs.scalar)) {
    return promote_floats(lhs.scalar, rhs.scalar, division);
  }
  if (division == Division::Yes && is_signed_integer(lhs.scalar) != is_signed_integer(rhs.scalar)) {
    return {lhs.scalar, PromotionError::MixedSignedness};
  }
  return {promote_integers(lhs.scalar, rhs.scalar), PromotionError::None};
}

Scalar promote_integers(Scalar lhs, Scalar rhs) {
  const int lhs_bits = bit_width(lhs);
  const int rhs_bits = bit_width(rhs);
  if (is_signed_integer(lhs) == is_signed_integer(rhs)) {
    return lhs_bits > rhs_bits ? lhs : rhs;
  }
  if (is_signed_integer(lhs)) {
    return rhs_bits >= lhs_bits ? rhs : lhs;
  }
  return lhs_bits >= rhs_bits ? lhs : rhs;
}

BigInt min_value(Scalar scalar) {
  return is_signed_integer(scalar) ? -(BigInt{1} << (bit_width(scalar) - 1)) : BigInt{0};
}

BigInt max_value(Scalar scalar) {
  const int bits = bit_width(scalar) - (is_signed_integer(scalar) ? 1 : 0);
  return (BigInt{1} << bits) - 1;
}

}  // namespace tilery::sema
