// Linear accesses row by row: which lanes of each row are inside the box, and moving them.
#pragma once

#include "interpreter/access.h"

#include <utility>

namespace tilery::interpreter {

/// One piece of a row of a linear access: `count` lanes from `first` on.
struct RowPiece {
  std::byte* data = nullptr;
  Definedness* defined = nullptr;  ///< of the buffer
  std::int64_t offset = 0;         ///< of the first lane, in the buffer
  std::int64_t stride = 0;         ///< bytes between neighbours
  std::size_t first = 0;           ///< lane in the tile
  std::size_t count = 0;
};

/// Merges axes whose rows follow each other in memory, so that rows become long.
void merge_axes(Shape& shape, Affine& pointer);

/// Calls `visit(piece, before, after)` for each row: the lanes inside the box, and how many lanes
/// of the row lie before and after it.
template <class Visit>
class PieceWalk {
 public:
  PieceWalk(ProgramState& state, const LinearAccess& linear, const Box& box, Visit&& visit)
      : memory_(*state.launch->memory), linear_(linear), box_(box), visit_(visit) {}

  void walk(const Shape& shape) {
    if (shape.rank() <= 1) {
      const std::size_t length = row_length(shape);
      const bool is_scalar = shape.is_scalar();
      piece_.stride = is_scalar ? 0 : linear_.pointer.stride[0];
      return emit(linear_.origin, 0, length, is_scalar ? 0 : static_cast<std::size_t>(box_.low[0]),
                  is_scalar ? 1 : static_cast<std::size_t>(box_.high[0]));
    }
    if (box_.is_full(shape)) {
      Shape merged = shape;
      Affine pointer = linear_.pointer;
      merge_axes(merged, pointer);
      return walk_rows(merged, pointer, Box::full(merged));
    }
    walk_rows(shape, linear_.pointer, box_);
  }

 private:
  void walk_rows(const Shape& shape, const Affine& pointer, const Box& box) {
    const int last = shape.rank() - 1;
    piece_.stride = pointer.stride[last];
    for_each_row(shape, [&](const auto& index, std::size_t row) {
      bool is_inside = true;
      Place place = linear_.origin;
      for (int axis = 0; axis < last; ++axis) {
        is_inside = is_inside && index[axis] >= box.low[axis] && index[axis] < box.high[axis];
        place.offset += pointer.stride[axis] * index[axis];
      }
      emit(place, row, row_length(shape), is_inside ? static_cast<std::size_t>(box.low[last]) : 0,
           is_inside ? static_cast<std::size_t>(box.high[last]) : 0);
    });
  }

  void emit(Place place, std::size_t row, std::size_t length, std::size_t low, std::size_t high) {
    piece_.first = row * length + low;
    piece_.count = high - low;
    if (piece_.count != 0) {
      place.offset += static_cast<std::int64_t>(low) * piece_.stride;
      piece_.data = memory_.data(place);
      piece_.defined = memory_.defined(place);
      piece_.offset = place.offset;
    }
    visit_(piece_, low, length - high);
  }

  const MemoryMap& memory_;
  const LinearAccess& linear_;
  const Box& box_;
  Visit& visit_;
  RowPiece piece_;
};

template <class Visit>
void for_each_piece(ProgramState& state, const LinearAccess& linear, const Shape& shape,
                    const Box& box, Visit&& visit) {
  PieceWalk<Visit>(state, linear, box, std::forward<Visit>(visit)).walk(shape);
}

/// Lanes that a load leaves out get `other`, or zero.
void write_other(const AccessStep& access, const Operand& other, std::byte* out, std::size_t first,
                 std::size_t count);

/// Loads the lanes of a piece; `mask` holds a byte a lane of the tile, or is nullptr.
void load_piece(const AccessStep& access, const RowPiece& piece, const std::uint8_t* mask,
                const Operand& other, std::byte* out);
/// True if all memory that load_piece would read was written.
[[nodiscard]] bool is_defined(const RowPiece& piece, const std::uint8_t* mask, std::size_t width);

/// Stores the lanes of a piece, and marks the memory as written.
void store_piece(const AccessStep& access, const RowPiece& piece, const std::uint8_t* mask,
                 const Operand& value);

}  // namespace tilery::interpreter
