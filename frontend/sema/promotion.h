// Which element type two operands meet in (semantics 1.3 and 1.4).
//
// A *weak* scalar is a number that is still a Python object: it takes the other operand's type as
// long as its kind (bool < int < float) is not above the other's. Everything else, scalar tensors
// included, is strong.
#pragma once

#include "frontend/sema/value.h"

#include <optional>

namespace tilery::sema {

enum class NumberKind : std::uint8_t { Bool, Int, Float };

[[nodiscard]] NumberKind number_kind(Scalar scalar);

/// The type that a Python number has on its own: int1; int32, uint32, int64, uint64 by range; fp32
/// if it is 0, not finite or within the normal fp32 range, else fp64. Nothing for integers beyond
/// 64 bits and for values that are no number.
[[nodiscard]] std::optional<Scalar> literal_scalar(const Value& value);

/// What promotion needs to know of an operand.
struct PromotionOperand {
  Scalar scalar = Scalar::I32;
  bool is_weak = false;
};

/// `/`, `//` and `%` differ from the rest: 16-bit floats compute in fp32, and integers must agree
/// in signedness.
enum class Division : std::uint8_t { No, Yes };

enum class PromotionError : std::uint8_t { None, MixedSignedness, Fp8WithInteger };

struct Promotion {
  Scalar scalar = Scalar::I32;
  PromotionError error = PromotionError::None;
};

/// The common type of two operands; `scalar` is unspecified if there is an error.
[[nodiscard]] Promotion promote(PromotionOperand lhs, PromotionOperand rhs, Division division);
/// C's rule for two integer types: the wider of equal signedness; else the unsigned one if it is at
/// least as wide.
[[nodiscard]] Scalar promote_integers(Scalar lhs, Scalar rhs);

/// Smallest and largest value of an integer type.
[[nodiscard]] BigInt min_value(Scalar scalar);
[[nodiscard]] BigInt max_value(Scalar scalar);

}  // namespace tilery::sema
