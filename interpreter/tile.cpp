#include "interpreter/tile.h"

#include "interpreter/kernels.h"
#include "ir/support/check.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace tilery::interpreter {
namespace {

/// One row of an affine tile of 1- or 2-byte elements.
template <class T>
void narrow_row(T* out, std::int64_t first, std::int64_t step, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    out[i] = static_cast<T>(first + static_cast<std::int64_t>(i) * step);
  }
}

void affine_row(std::byte* out, std::size_t width, std::int64_t first, std::int64_t step,
                std::size_t n) {
  const Kernels& set = kernels();
  switch (width) {
    case 1:
      return narrow_row(reinterpret_cast<std::uint8_t*>(out), first, step, n);
    case 2:
      return narrow_row(reinterpret_cast<std::uint16_t*>(out), first, step, n);
    case 4:
      return set.iota_i32(reinterpret_cast<std::int32_t*>(out), static_cast<std::int32_t>(first),
                          static_cast<std::int32_t>(step), n);
    case 8:
      return set.iota_i64(reinterpret_cast<std::int64_t*>(out), first, step, n);
  }
  TILERY_CHECK(false, "an element has 1, 2, 4 or 8 bytes");
}

}  // namespace

std::string_view slot_kind_name(SlotKind kind) {
  switch (kind) {
    case SlotKind::Splat:
      return "splat";
    case SlotKind::Affine:
      return "affine";
    case SlotKind::Range:
      return "range";
    case SlotKind::Dense:
      return "dense";
  }
  return {};
}

Box Box::full(const Shape& shape) {
  Box box;
  std::fill_n(box.low.begin(), shape.rank(), 0);
  std::copy(shape.begin(), shape.end(), box.high.begin());
  return box;
}

bool Box::is_full(const Shape& shape) const {
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (low[axis] != 0 || high[axis] != shape[axis]) {
      return false;
    }
  }
  return true;
}

bool Box::is_empty(int rank) const {
  for (int axis = 0; axis < rank; ++axis) {
    if (low[axis] >= high[axis]) {
      return true;
    }
  }
  return false;
}

Box intersection(const Box& a, const Box& b, int rank) {
  Box box;
  for (int axis = 0; axis < rank; ++axis) {
    box.low[axis] = std::max(a.low[axis], b.low[axis]);
    box.high[axis] = std::max(box.low[axis], std::min(a.high[axis], b.high[axis]));
  }
  return box;
}

ValueRange value_range(const Affine& affine, const Box& box, int rank) {
  ValueRange range{affine.base, affine.base};
  for (int axis = 0; axis < rank; ++axis) {
    const std::int64_t first = affine.stride[axis] * box.low[axis];
    const std::int64_t last = affine.stride[axis] * (box.high[axis] - 1);
    range.low += std::min(first, last);
    range.high += std::max(first, last);
  }
  return range;
}

ValueRange type_range(Scalar scalar) {
  const int bits = bit_width(scalar);
  if (is_signed_integer(scalar)) {
    const std::int64_t high = std::numeric_limits<std::int64_t>::max() >> (64 - bits);
    return {-high - 1, high};
  }
  return {0, (std::int64_t{1} << bits) - 1};
}

bool fits(const Affine& affine, const Shape& shape, const ValueRange& allowed) {
  std::int64_t low = affine.base;
  std::int64_t high = affine.base;
  bool overflows = false;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    std::int64_t reach = 0;
    overflows |= __builtin_mul_overflow(affine.stride[axis], shape[axis] - 1, &reach);
    std::int64_t& end = reach < 0 ? low : high;
    overflows |= __builtin_add_overflow(end, reach, &end);
  }
  return !overflows && low >= allowed.low && high <= allowed.high;
}

void spell_out(const Affine& affine, const Shape& shape, std::size_t width, std::byte* out) {
  const std::size_t length = row_length(shape);
  const std::int64_t step = shape.rank() == 0 ? 0 : affine.stride[shape.rank() - 1];
  for_each_row(shape, [&](const auto& index, std::size_t row) {
    std::int64_t first = affine.base;
    for (int axis = 0; axis + 1 < shape.rank(); ++axis) {
      first += affine.stride[axis] * index[axis];
    }
    affine_row(out + row * length * width, width, first, step, length);
  });
}

void spell_out(const Box& box, const Shape& shape, std::byte* out) {
  const std::size_t length = row_length(shape);
  const int last = shape.rank() - 1;
  const auto low = static_cast<std::size_t>(box.low[last]);
  const auto count = static_cast<std::size_t>(box.high[last]) - low;
  for_each_row(shape, [&](const auto& index, std::size_t row) {
    bool inside = true;
    for (int axis = 0; axis < last; ++axis) {
      inside = inside && index[axis] >= box.low[axis] && index[axis] < box.high[axis];
    }
    std::byte* const bytes = out + row * length;
    std::memset(bytes, 0, length);
    if (inside) {
      std::memset(bytes + low, 1, count);
    }
  });
}

}  // namespace tilery::interpreter
