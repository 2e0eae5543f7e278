// How the values of tiles are held: the slot kinds and what can be asked of them.
//
//   splat    one element that stands for all                 scalars, constants, zeros((64, 64))
//   affine   base + Σ stride[axis] · index[axis]              pid * 64 + arange(0, 64), x_ptr +
//   offsets range    an i1 tile that is true exactly inside a box    offsets < n, and of such dense
//   every element, packed, row-major                what is loaded and computed
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

/// Wide enough for every sum and product of two 64-bit numbers.
__extension__ using Wide = __int128;

/// Integers (by value) or virtual addresses. Entries past the rank are unused; the stride of an
/// axis of extent 1 is 0.
struct Affine {
  std::int64_t base = 0;
  std::array<std::int64_t, Shape::kMaxRank> stride{};
};

/// Index ranges [low, high) per axis, 0 ≤ low ≤ high ≤ extent. A box is empty if one of them is; so
/// is the default one.
struct Box {
  std::array<std::int32_t, Shape::kMaxRank> low{};
  std::array<std::int32_t, Shape::kMaxRank> high{};

  [[nodiscard]] static Box full(const Shape& shape);
  [[nodiscard]] bool is_full(const Shape& shape) const;
  [[nodiscard]] bool is_empty(int rank) const;
};

[[nodiscard]] Box intersection(const Box& a, const Box& b, int rank);

/// The least and greatest value that an affine tile takes inside a box that is not empty.
struct ValueRange {
  Wide low = 0;
  Wide high = 0;
};

[[nodiscard]] ValueRange value_range(const Affine& affine, const Box& box, int rank);
/// The same over the whole tile.
[[nodiscard]] ValueRange value_range(const Affine& affine, const Shape& shape);

/// The least and greatest value of an integer type (of I64 for addresses).
[[nodiscard]] ValueRange type_range(Scalar scalar);

/// An affine form while it is being computed: wide enough that nothing wraps.
struct WideAffine {
  Wide base = 0;
  std::array<Wide, Shape::kMaxRank> stride{};
};

/// Narrows to `out`. False if some element of the tile leaves the type's range: then the tile is
/// not affine, since its elements wrap.
[[nodiscard]] bool narrow(const WideAffine& wide, const Shape& shape, Scalar scalar, Affine& out);

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
