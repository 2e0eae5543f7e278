// Comparing arrays.
#pragma once

#include "tilery/buffer.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tilery::tools {

/// Floats are equal if they are the same value, both NaN, or |got - want| <= atol + rtol * |want|.
struct Tolerance {
  double rtol = 0;
  double atol = 0;
  bool signed_zero = false;    ///< +0 and -0 differ
  bool needs_written = false;  ///< an element of `got` that was never written differs
};

/// The element with the largest of some difference.
struct LargestDifference {
  std::int64_t index = 0;
  double value = 0;
};

/// The first element that differs, how many do, and by how much.
struct Mismatch {
  std::int64_t index = 0;
  std::string got;  ///< empty if the element was never written
  std::string want;
  /// How many values of the type lie between the two; nothing for NaN, infinities and integers.
  std::optional<std::uint64_t> ulps;
  std::int64_t count = 0;
  std::int64_t numel = 0;
  std::int64_t unwritten = 0;  ///< how many of those were never written, if that counts
  /// Of the elements that differ, as far as both numbers are finite: |got - want|, and that over
  /// |want| where it is not 0.
  std::optional<LargestDifference> absolute;
  std::optional<LargestDifference> relative;
};

/// Compares with a buffer of as many elements, whose type may be another one of the same kind (a
/// float64 reference for a float32 array): its numbers are rounded to `got`'s type first. Integers
/// compare exactly.
[[nodiscard]] std::optional<Mismatch> compare(const Buffer& got, const Buffer& want,
                                              const Tolerance& tolerance);

/// True if both are floats or both are integers.
[[nodiscard]] bool are_comparable(DType a, DType b);

/// The index on each axis of the element that is number `index` in row-major order.
[[nodiscard]] std::vector<std::int64_t> place_of(std::int64_t index, const Extents& shape);

/// "element 3 [1, 0] is 2.5, expected 2.0 (1234 ulps); 2 of 6 elements differ; largest differences:
/// absolute 0.5 at element 3 [1, 0], relative 0.25 at element 3 [1, 0]".
[[nodiscard]] std::string mismatch_text(const Mismatch& mismatch, const Extents& shape);

}  // namespace tilery::tools
