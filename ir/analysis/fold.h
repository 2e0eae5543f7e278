// Element-wise ops on known numbers: the one evaluator behind constant folding.
//
// It gives exactly what ops.def promises and both executors compute: integers wrap, `x / 0` is 0,
// floats round once, in their type. Nothing comes from the host's math library but operations that
// IEEE 754 defines (fma, sqrt, fmod); exp, log and their like are the templates of ir/math.
#pragma once

#include "ir/function.h"

#include <cstdint>
#include <optional>
#include <span>

namespace tilery {

/// A number as a `constant` holds it: bits of the type, zero-extended.
struct Number {
  Scalar type{};
  std::uint64_t bits = 0;
};

struct Folded {
  std::uint64_t bits = 0;
  /// The operation did something that a run reports: an integer left its range or was divided by
  /// zero, a float result became infinite or NaN from operands that were not. Such an instruction
  /// is kept, so that the report has its place.
  bool is_event = false;
};

/// The result of a Map op, or nothing where it is not folded: fp8 arithmetic, pointers, functions
/// of types that ir/math has no template for. `attrs` are the instruction's.
[[nodiscard]] std::optional<Folded> fold_map(Op op, std::span<const Number> operands, Scalar result,
                                             std::span<const Attr> attrs);

/// exp, log, … of a float, by the templates of ir/math; nothing for other ops and types.
[[nodiscard]] std::optional<std::uint64_t> fold_function(Op op, Number x);

}  // namespace tilery
