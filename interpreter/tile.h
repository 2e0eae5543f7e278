// How the values of tiles are held: the slot kinds and what can be asked of them.
//
//     kind     what is held                                   for example
//     splat    one element that stands for all                scalars, zeros((64, 64))
//     affine   base + sum of stride[axis] * index[axis]       x_ptr + arange(0, 64)
//     range    a box: an i1 tile that is true exactly inside  arange(0, 64) < n
//     dense    every element, packed, row-major               what is loaded and computed
//
// An affine tile of a million pointers takes a few words, and one comparison of its two ends checks
// all its accesses. The kind of each value is fixed at plan time (slot_kinds.h); base, strides and
// box are run-time numbers.
#pragma once

#include "ir/type.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tilery::interpreter {

enum class SlotKind : std::uint8_t { Splat, Affine, Range, Dense };

/// "splat", "affine", "range", "dense".
[[nodiscard]] std::string_view slot_kind_name(SlotKind kind);

/// Integers (by value) or virtual addresses. No element of the tile leaves 64 bits. Entries past
/// the rank are unused and need not be set; the stride of an axis of extent 1 is 0.
struct Affine {
  std::int64_t base;
  std::array<std::int64_t, Shape::kMaxRank> stride;
};

/// Index ranges [low, high) per axis, 0 ≤ low ≤ high ≤ extent; entries past the rank are unused. A
/// box is empty if one of its ranges is; so is Box{}.
struct Box {
  std::array<std::int32_t, Shape::kMaxRank> low;
  std::array<std::int32_t, Shape::kMaxRank> high;

  [[nodiscard]] static Box full(const Shape& shape);
  [[nodiscard]] bool is_full(const Shape& shape) const;
  [[nodiscard]] bool is_empty(int rank) const;
};

[[nodiscard]] Box intersection(const Box& a, const Box& b, int rank);

/// The least and greatest of some integers.
struct ValueRange {
  std::int64_t low = 0;
  std::int64_t high = 0;
};

/// Those of an affine tile inside a box that is not empty.
[[nodiscard]] ValueRange value_range(const Affine& affine, const Box& box, int rank);

/// Those of an integer type but U64, and of addresses (as I64).
[[nodiscard]] ValueRange type_range(Scalar scalar);

/// True if every element of the tile lies in `allowed` (and the numbers in between fit 64 bits).
[[nodiscard]] bool fits(const Affine& affine, const Shape& shape, const ValueRange& allowed);

/// Writes every element, `width` bytes each (integers truncated to that), row-major.
void spell_out(const Affine& affine, const Shape& shape, std::size_t width, std::byte* out);
/// Writes one byte an element: 1 inside the box.
void spell_out(const Box& box, const Shape& shape, std::byte* out);

/// Calls `visit(index, row)` for every row of a tile: `index` holds the coordinates of all axes but
/// the last (which is the row), `row` counts rows. A scalar is one row.
template <class Visit>
void for_each_row(const Shape& shape, Visit&& visit) {
  std::array<std::int32_t, Shape::kMaxRank> index{};
  const int outer = shape.rank() - 1;
  for (std::size_t row = 0;; ++row) {
    visit(index, row);
    int axis = outer - 1;
    while (axis >= 0 && ++index[axis] == shape[axis]) {
      index[axis--] = 0;
    }
    if (axis < 0) {
      return;
    }
  }
}

/// Elements in a row: the last extent, 1 for a scalar.
[[nodiscard]] inline std::size_t row_length(const Shape& shape) {
  return shape.rank() == 0 ? 1 : static_cast<std::size_t>(shape[shape.rank() - 1]);
}

}  // namespace tilery::interpreter
