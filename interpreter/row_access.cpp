#include "interpreter/row_access.h"

namespace tilery::interpreter {
namespace {

bool is_packed(const RowPiece& piece, std::size_t width) {
  return piece.stride == static_cast<std::int64_t>(width);
}

Operand from_lane(const Operand& operand, std::size_t lane, std::size_t width) {
  if (operand.data == nullptr || operand.is_splat) {
    return operand;
  }
  return {static_cast<const std::byte*>(operand.data) + lane * width, false};
}

/// Calls `visit(first, count)` for the bytes of the piece's active lanes, as for_each_run does.
template <class Visit>
bool for_each_run_of(const RowPiece& piece, const std::uint8_t* mask, std::size_t width,
                     const Visit& visit) {
  if (mask == nullptr && is_packed(piece, width)) {
    return visit(static_cast<std::size_t>(piece.offset), piece.count * width);
  }
  return for_each_run(
      mask == nullptr ? nullptr : mask + piece.first, piece.count, width,
      [&](std::size_t i) { return piece.offset + static_cast<std::int64_t>(i) * piece.stride; },
      visit);
}

}  // namespace

void merge_axes(Shape& shape, Affine& pointer) {
  while (shape.rank() > 1) {
    const int last = shape.rank() - 1;
    if (pointer.stride[last - 1] != pointer.stride[last] * shape[last]) {
      return;
    }
    const std::int64_t extent = shape[last - 1] * shape[last];
    pointer.stride[last - 1] = pointer.stride[last];
    shape.erase(last);
    shape.set(last - 1, extent);
  }
}

void write_other(const AccessStep& access, const Operand& other, std::byte* out, std::size_t first,
                 std::size_t count) {
  if (count == 0) {
    return;
  }
  std::byte* const target = out + first * access.width;
  if (other.data == nullptr) {
    std::memset(target, 0, count * access.width);
  } else if (other.is_splat) {
    kernels().memory(access.width).fill(target, other.data, count);
  } else {
    std::memcpy(target, static_cast<const std::byte*>(other.data) + first * access.width,
                count * access.width);
  }
}

void load_piece(const AccessStep& access, const RowPiece& piece, const std::uint8_t* mask,
                const Operand& other, std::byte* out) {
  std::byte* const target = out + piece.first * access.width;
  const MemoryKernels& memory = kernels().memory(access.width);
  if (mask != nullptr) {
    memory.load_strided(target, piece.data, piece.stride, mask + piece.first,
                        from_lane(other, piece.first, access.width), piece.count);
  } else if (is_packed(piece, access.width)) {
    std::memcpy(target, piece.data, piece.count * access.width);
  } else if (piece.stride == 0) {
    memory.fill(target, piece.data, piece.count);
  } else {
    memory.load_strided(target, piece.data, piece.stride, nullptr, {}, piece.count);
  }
}

bool is_defined(const RowPiece& piece, const std::uint8_t* mask, std::size_t width) {
  if (piece.defined == nullptr) {
    return true;
  }
  Definedness::Access defined(*piece.defined);
  return for_each_run_of(piece, mask, width, [&](std::size_t first, std::size_t count) {
    return defined.is_marked(first, count);
  });
}

void store_piece(const AccessStep& access, const RowPiece& piece, const std::uint8_t* mask,
                 const Operand& value) {
  const MemoryKernels& memory = kernels().memory(access.width);
  const Operand from = from_lane(value, piece.first, access.width);
  if (mask == nullptr && is_packed(piece, access.width)) {
    if (value.is_splat) {
      memory.fill(piece.data, from.data, piece.count);
    } else {
      std::memcpy(piece.data, from.data, piece.count * access.width);
    }
  } else {
    memory.store_strided(piece.data, piece.stride, mask == nullptr ? nullptr : mask + piece.first,
                         from, piece.count);
  }
  if (piece.defined != nullptr) {
    Definedness::Access defined(*piece.defined);
    for_each_run_of(piece, mask, access.width, [&](std::size_t first, std::size_t count) {
      defined.mark(first, count);
      return true;
    });
  }
}

}  // namespace tilery::interpreter
