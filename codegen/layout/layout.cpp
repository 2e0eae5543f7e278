#include "codegen/layout/layout.h"

#include "ir/support/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

namespace tilery::codegen {
namespace {

constexpr int kMaxBaseBits = 31;
constexpr std::array<const char*, kPlaceCount> kPlaceNames = {"reg", "lane", "warp", "block"};

/// "(1,0)": a base index as coordinates.
std::string coordinates_text(const Layout& layout, std::uint32_t base_index) {
  std::string text = "(";
  for (int axis = 0; axis < layout.shape().rank(); ++axis) {
    text += fmt::format("{}{}", axis == 0 ? "" : ",", layout.axis_part(base_index, axis));
  }
  return text + ")";
}

std::string place_text(const Layout& layout, Place place) {
  std::string text = kPlaceNames[static_cast<int>(place)];
  text += "[";
  for (const std::uint32_t base : layout.bases(place)) {
    text += (text.back() == '[' ? "" : " ") + coordinates_text(layout, base);
  }
  return text + "]";
}

std::string repeats_text(const Layout& layout) {
  std::string text = " x(";
  for (int axis = 0; axis < layout.shape().rank(); ++axis) {
    text += fmt::format("{}{}", axis == 0 ? "" : ",", layout.repeat(axis));
  }
  return text + ")";
}

}  // namespace

Layout::Layout() : Layout(Shape(), Bases{{{}, std::vector<std::uint32_t>(kLaneBits), {}, {}}}) {}

Layout::Layout(const Shape& shape, Bases bases) : shape_(shape), bases_(std::move(bases)) {
  for (int axis = shape_.rank() - 1; axis >= 0; --axis) {
    TILERY_CHECK(shape_[axis] > 0, "a layout of no elements");
    axis_bits_[axis] =
        static_cast<std::uint8_t>(std::countr_zero(static_cast<std::uint64_t>(shape_[axis])));
    axis_shift_[axis] = static_cast<std::uint8_t>(total_bits_);
    total_bits_ += axis_bits_[axis];
    repeats_ *= repeat(axis);
  }
  TILERY_CHECK(total_bits_ <= kMaxBaseBits, "tile too large");
  TILERY_CHECK(bits(Place::Lane) == kLaneBits, "a warp has 32 lanes");
  F2Span all;
  for (int place = 0; place < kPlaceCount; ++place) {
    for (std::size_t bit = 0; bit < bases_[place].size(); ++bit) {
      const std::uint32_t base = bases_[place][bit];
      TILERY_CHECK(base >> total_bits_ == 0, "base outside the tile");
      if (!all.insert(base)) {
        TILERY_CHECK(place != 0, "a thread may not hold an element twice");
        copy_bits_[place] |= 1U << bit;
      }
    }
    if (place == 0) {
      register_span_ = all;
    }
  }
  TILERY_CHECK(all.dimension() == total_bits_, "elements that no thread holds");
}

std::uint32_t Layout::axis_part(std::uint32_t base_index, int axis) const {
  return (base_index >> axis_shift_[axis]) & ((1U << axis_bits_[axis]) - 1);
}

std::uint32_t Layout::base_index_of(int axis, std::uint32_t coordinate) const {
  return (coordinate & ((1U << axis_bits_[axis]) - 1)) << axis_shift_[axis];
}

std::uint32_t Layout::base_index(Place place, std::uint32_t index) const {
  const auto& bases_here = bases_[static_cast<int>(place)];
  std::uint32_t sum = 0;
  for (; index != 0; index &= index - 1) {
    sum ^= bases_here[std::countr_zero(index)];
  }
  return sum;
}

Coordinates Layout::element(int reg, int lane, int warp, int block) const {
  const int register_bits = bits(Place::Register);
  const std::uint32_t base =
      base_index(Place::Register, static_cast<std::uint32_t>(reg) & ((1U << register_bits) - 1)) ^
      base_index(Place::Lane, static_cast<std::uint32_t>(lane)) ^
      base_index(Place::Warp, static_cast<std::uint32_t>(warp)) ^
      base_index(Place::Block, static_cast<std::uint32_t>(block));
  int repeat_number = reg >> register_bits;
  Coordinates result{};
  for (int axis = shape_.rank() - 1; axis >= 0; --axis) {
    const int times = repeat_number % repeat(axis);
    repeat_number /= repeat(axis);
    result[axis] = (times << axis_bits_[axis]) + static_cast<std::int32_t>(axis_part(base, axis));
  }
  return result;
}

std::int64_t Layout::element_number(int reg, int lane, int warp, int block) const {
  const Coordinates coordinates = element(reg, lane, warp, block);
  std::int64_t number = 0;
  for (int axis = 0; axis < shape_.rank(); ++axis) {
    number = number * shape_[axis] + coordinates[axis];
  }
  return number;
}

std::optional<int> Layout::register_of(std::int64_t element) const {
  std::uint32_t base = 0;
  int repeat_number = 0;
  int repeat_stride = 1;
  for (int axis = shape_.rank() - 1; axis >= 0; --axis) {
    const auto coordinate = static_cast<std::uint32_t>(element % shape_[axis]);
    element /= shape_[axis];
    base |= base_index_of(axis, coordinate);
    repeat_number += static_cast<int>(coordinate >> axis_bits_[axis]) * repeat_stride;
    repeat_stride *= repeat(axis);
  }
  const auto in_base = register_span_.solve(base);
  if (!in_base) {
    return std::nullopt;
  }
  return (repeat_number << bits(Place::Register)) | static_cast<int>(*in_base);
}

bool Layout::has_copies() const {
  return std::any_of(copy_bits_.begin(), copy_bits_.end(), [](auto mask) { return mask != 0; });
}

int Layout::contiguous_registers(int axis) const {
  const auto registers_here = bases(Place::Register);
  int run_bits = 0;
  while (run_bits < std::min<int>(bits(Place::Register), axis_bits_[axis]) &&
         registers_here[run_bits] == base_index_of(axis, 1U << run_bits)) {
    ++run_bits;
  }
  // Whatever else touches the low bits of the axis permutes or misaligns the run.
  std::uint32_t touched = 0;
  for (int place = 0; place < kPlaceCount; ++place) {
    const std::size_t first = place == 0 ? run_bits : 0;
    for (std::size_t bit = first; bit < bases_[place].size(); ++bit) {
      touched |= axis_part(bases_[place][bit], axis);
    }
  }
  return 1 << std::min(run_bits, std::countr_zero(touched));
}

std::string Layout::str() const {
  std::string text = place_text(*this, Place::Register) + " " + place_text(*this, Place::Lane) +
                     " " + place_text(*this, Place::Warp);
  if (bits(Place::Block) != 0) {
    text += " " + place_text(*this, Place::Block);
  }
  return repeats_ == 1 ? text : text + repeats_text(*this);
}

bool operator==(const Layout& a, const Layout& b) {
  return a.shape_ == b.shape_ && a.bases_ == b.bases_;
}

}  // namespace tilery::codegen
