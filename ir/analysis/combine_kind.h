// What the combine region of a `reduce` or `scan` computes, if it is one of the well-known folds.
#pragma once

#include "ir/function.h"

#include <cstdint>

namespace tilery {

/// Folds that executors have fast loops for. `ArgMax`/`ArgMin` take (value, index) pairs; `…Left`
/// keeps the smallest index among equals, the other form any. All of them let NaN lose, as the
/// language's max and argmax do; MaxNan/MinNan propagate it.
enum class CombineKind : std::uint8_t {
  Other,
  Add,
  Mul,
  Max,
  Min,
  MaxNan,
  MinNan,
  And,
  Or,
  Xor,
  ArgMaxLeft,
  ArgMinLeft,
  ArgMaxAny,
  ArgMinAny,
};

/// Recognises a region by its structure (not by who built it).
[[nodiscard]] CombineKind combine_kind(const Function& function, RegionId combine);

/// Builds the combine region of a fold for values of these element types (one, or value and index)
/// and returns it detached. The standard library's reductions are built with it, and combine_kind
/// recognises what it builds.
[[nodiscard]] RegionId build_combine(Function& function, CombineKind kind,
                                     std::span<const Type> element_types, LocId loc);

}  // namespace tilery
