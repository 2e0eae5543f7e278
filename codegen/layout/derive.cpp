#include "codegen/layout/layout.h"
#include "ir/support/check.h"

#include <algorithm>
#include <utility>

namespace tilery::codegen {
namespace {

/// Maps every base; of the registers only those stay that still add an element.
template <class Map>
Layout mapped_layout(const Layout& source, const Shape& shape, const Map& map) {
  Layout::Bases bases;
  F2Span registers;
  for (const std::uint32_t base : source.bases(Place::Register)) {
    const std::uint32_t mapped = map(base);
    if (registers.insert(mapped)) {
      bases[0].push_back(mapped);
    }
  }
  for (const Place place : {Place::Lane, Place::Warp, Place::Block}) {
    for (const std::uint32_t base : source.bases(place)) {
      bases[static_cast<int>(place)].push_back(map(base));
    }
  }
  return {shape, std::move(bases)};
}

/// How row-major numbers come of base indices and repeats: what one bit of the base index is worth,
/// and each repeat's factor with what one step of it is worth. Repeats that run on into each other
/// are one.
struct Numbering {
  struct Repeat {
    std::int64_t times;
    std::int64_t worth;
    friend bool operator==(const Repeat&, const Repeat&) = default;
  };

  std::vector<std::int64_t> bits;
  /// From the innermost outwards.
  std::vector<Repeat> repeats;
  friend bool operator==(const Numbering&, const Numbering&) = default;
};

Numbering numbering_of(const Shape& shape) {
  Numbering result;
  std::int64_t stride = 1;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    std::int64_t times = shape[axis];
    std::int64_t worth = stride;
    for (; times % 2 == 0; times /= 2, worth *= 2) {
      result.bits.push_back(worth);
    }
    if (!result.repeats.empty() &&
        result.repeats.back().worth * result.repeats.back().times == worth) {
      result.repeats.back().times *= times;
    } else if (times != 1) {
      result.repeats.push_back({times, worth});
    }
    stride *= shape[axis];
  }
  return result;
}

}  // namespace

Layout slice_layout(const Layout& parent, int axis) {
  Shape shape = parent.shape();
  shape.erase(axis);
  const int shift = parent.axis_shift(axis);
  const int axis_bits = parent.base_bits(axis);
  const std::uint32_t below = (1U << shift) - 1;
  return mapped_layout(parent, shape, [=](std::uint32_t base) {
    return (base & below) | (base >> axis_bits & ~below);
  });
}

Layout expand_layout(const Layout& source, int axis) {
  Shape shape = source.shape();
  shape.insert(axis, 1);
  return {shape, source.bases()};
}

Layout trans_layout(const Layout& source, std::span<const std::int64_t> order) {
  Shape shape;
  for (const std::int64_t axis : order) {
    shape.push_back(source.shape()[static_cast<int>(axis)]);
  }
  return mapped_layout(source, shape, [&](std::uint32_t base) {
    std::uint32_t result = 0;
    for (const std::int64_t axis : order) {
      const int from = static_cast<int>(axis);
      result = result << source.base_bits(from) | source.axis_part(base, from);
    }
    return result;
  });
}

std::optional<Layout> reshape_layout(const Layout& source, const Shape& shape) {
  if (numbering_of(source.shape()) != numbering_of(shape)) {
    return std::nullopt;
  }
  return Layout(shape, source.bases());
}

Layout broadcast_source_layout(const Layout& target, const Shape& from) {
  TILERY_CHECK(from.rank() == target.shape().rank(), "broadcast keeps the rank");
  return mapped_layout(target, from, [&](std::uint32_t base) {
    std::uint32_t result = 0;
    for (int axis = 0; axis < from.rank(); ++axis) {
      if (from[axis] == target.shape()[axis]) {
        result = result << target.base_bits(axis) | target.axis_part(base, axis);
      }
    }
    return result;
  });
}

std::optional<std::vector<int>> register_map(const Layout& from, const Layout& to,
                                             std::span<const int> axes) {
  const auto axis_count = static_cast<int>(axes.size());
  TILERY_CHECK(axis_count == from.shape().rank(), "one axis of the result an axis of the source");
  // What a base of `to` becomes in `from`.
  const auto project = [&](std::uint32_t base) {
    std::uint32_t result = 0;
    for (int axis = 0; axis < axis_count; ++axis) {
      if (from.shape()[axis] != 1) {
        TILERY_CHECK(from.shape()[axis] == to.shape()[axes[axis]], "extents differ");
        result |= from.base_index_of(axis, to.axis_part(base, axes[axis]));
      }
    }
    return result;
  };
  for (const Place place : {Place::Lane, Place::Warp, Place::Block}) {
    if (!std::equal(from.bases(place).begin(), from.bases(place).end(), to.bases(place).begin(),
                    to.bases(place).end(),
                    [&](std::uint32_t a, std::uint32_t b) { return a == project(b); })) {
      return std::nullopt;
    }
  }
  std::vector<int> result;
  result.reserve(to.registers());
  for (int reg = 0; reg < to.registers(); ++reg) {
    const Coordinates element = to.element(reg, 0, 0);
    std::int64_t number = 0;
    for (int axis = 0; axis < axis_count; ++axis) {
      const std::int64_t extent = from.shape()[axis];
      number = number * extent + (extent == 1 ? 0 : element[axes[axis]]);
    }
    const auto source = from.register_of(number);
    if (!source) {
      return std::nullopt;
    }
    result.push_back(*source);
  }
  return result;
}

std::optional<std::vector<int>> register_map(const Layout& from, const Layout& to) {
  TILERY_CHECK(from.shape() == to.shape(), "layouts of different shapes");
  std::vector<int> axes;
  for (int axis = 0; axis < to.shape().rank(); ++axis) {
    axes.push_back(axis);
  }
  return register_map(from, to, axes);
}

}  // namespace tilery::codegen
