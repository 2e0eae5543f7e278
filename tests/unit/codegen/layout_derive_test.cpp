// Layouts of results, and which register goes to which: every register of every thread compared.
#include "tests/unit/codegen/layout_cases.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>

namespace tilery::codegen {
namespace {

using Elements = std::set<std::vector<std::int32_t>>;
using Coordinate = std::vector<std::int32_t>;

Coordinate coordinate(const Layout& layout, int reg, int lane, int warp) {
  const Coordinates all = layout.element(reg, lane, warp);
  return {all.begin(), all.begin() + layout.shape().rank()};
}

/// What a thread holds, each coordinate changed by `change`.
Elements held(const Layout& layout, int lane, int warp,
              const std::function<Coordinate(Coordinate)>& change) {
  Elements result;
  for (int reg = 0; reg < layout.registers(); ++reg) {
    result.insert(change(coordinate(layout, reg, lane, warp)));
  }
  return result;
}

/// Every thread holds in `derived` what `change` makes of what it holds in `source`.
void expect_held(const Layout& source, const Layout& derived,
                 const std::function<Coordinate(Coordinate)>& change) {
  ASSERT_EQ(source.threads(), derived.threads());
  for_threads(source, [&](int lane, int warp) {
    ASSERT_EQ(held(source, lane, warp, change),
              held(derived, lane, warp, [](Coordinate c) { return c; }))
        << describe(source) << " to " << describe(derived);
  });
}

TEST(LayoutDerive, SlicesDropAnAxis) {
  for (const Layout& layout : all_layouts()) {
    for (int axis = 0; axis < layout.shape().rank(); ++axis) {
      expect_held(layout, slice_layout(layout, axis), [&](Coordinate c) {
        c.erase(c.begin() + axis);
        return c;
      });
    }
  }
}

TEST(LayoutDerive, ExpandingKeepsTheRegisters) {
  for (const Layout& layout : all_layouts()) {
    for (int axis = 0; axis <= layout.shape().rank(); ++axis) {
      const Layout expanded = expand_layout(layout, axis);
      for_threads(layout, [&](int lane, int warp) {
        for (int reg = 0; reg < layout.registers(); ++reg) {
          Coordinate expected = coordinate(layout, reg, lane, warp);
          expected.insert(expected.begin() + axis, 0);
          ASSERT_EQ(coordinate(expanded, reg, lane, warp), expected);
        }
      });
    }
  }
}

TEST(LayoutDerive, TransPermutesTheAxes) {
  for (const Layout& layout : all_layouts()) {
    std::vector<std::int64_t> order(layout.shape().rank());
    std::iota(order.begin(), order.end(), 0);
    do {
      expect_held(layout, trans_layout(layout, order), [&](const Coordinate& c) {
        Coordinate result;
        for (const std::int64_t axis : order) {
          result.push_back(c[axis]);
        }
        return result;
      });
    } while (layout.shape().rank() < 4 && std::next_permutation(order.begin(), order.end()));
  }
}

void expect_same_numbers(const Layout& a, const Layout& b) {
  for_threads(a, [&](int lane, int warp) {
    for (int reg = 0; reg < a.registers(); ++reg) {
      ASSERT_EQ(a.element_number(reg, lane, warp), b.element_number(reg, lane, warp));
    }
  });
}

TEST(LayoutDerive, ReshapeKeepsRegistersWhereNothingMoves) {
  const std::vector<std::pair<Shape, Shape>> cases = {
      {{8, 64}, {512}},      {{512}, {2, 2, 2, 64}}, {{4, 96}, {2, 2, 96}}, {{6, 4}, {3, 8}},
      {{3, 3, 8}, {9, 8}},   {{3, 4, 8}, {3, 32}},   {{1, 64}, {64}},       {{}, {1, 1}},
      {{96, 4}, {96, 2, 2}}, {{2, 6, 4}, {2, 3, 8}}, {{5, 3}, {15}}};
  for (const auto& [from, to] : cases) {
    for (const Layout& layout : blocked_layouts(from)) {
      const auto reshaped = reshape_layout(layout, to);
      ASSERT_TRUE(reshaped.has_value()) << from.str() << to.str();
      EXPECT_EQ(reshaped->shape(), to);
      expect_same_numbers(layout, *reshaped);
    }
  }
}

TEST(LayoutDerive, ReshapeRefusesWhereElementsMove) {
  // Axis 1 of [4, 6] has 2 in its base tile, so that bit 1 is worth 6; in [24] it is worth 2.
  const std::vector<std::pair<Shape, Shape>> cases = {
      {{4, 6}, {24}}, {{96, 4}, {4, 96}}, {{2, 3}, {3, 2}}};
  for (const auto& [from, to] : cases) {
    const std::vector<int> order = {1, 0};
    EXPECT_FALSE(reshape_layout(blocked_layout(from, order, 1, 1), to).has_value())
        << from.str() << to.str();
  }
}

TEST(LayoutDerive, BroadcastSourceHasNothingToMove) {
  for (const Layout& layout : all_layouts()) {
    const int rank = layout.shape().rank();
    for (std::uint32_t cut = 0; cut < 1U << rank; ++cut) {
      Shape from = layout.shape();
      for (int axis = 0; axis < rank; ++axis) {
        from.set(axis, (cut >> axis & 1) != 0 ? 1 : from[axis]);
      }
      const Layout source = broadcast_source_layout(layout, from);
      ASSERT_EQ(source.shape(), from);
      expect_held(layout, source, [&](Coordinate c) {
        for (int axis = 0; axis < rank; ++axis) {
          c[axis] = from[axis] == 1 ? 0 : c[axis];
        }
        return c;
      });
    }
  }
}

// ---- register maps ----

/// The map by brute force: for each register of `to` the register of `from` that has its element in
/// every thread, if there is one.
std::optional<std::vector<int>> reference_map(const Layout& from, const Layout& to,
                                              const std::vector<int>& axes) {
  if (from.threads() != to.threads()) {
    return std::nullopt;
  }
  std::vector<int> result;
  for (int reg = 0; reg < to.registers(); ++reg) {
    std::vector<bool> fits(from.registers(), true);
    for_threads(to, [&](int lane, int warp) {
      const Coordinates wanted = to.element(reg, lane, warp);
      for (int source = 0; source < from.registers(); ++source) {
        const Coordinates here = from.element(source, lane, warp);
        for (std::size_t axis = 0; axis < axes.size(); ++axis) {
          const int expected = from.shape()[static_cast<int>(axis)] == 1 ? 0 : wanted[axes[axis]];
          fits[source] = fits[source] && here[axis] == expected;
        }
      }
    });
    const auto found = std::find(fits.begin(), fits.end(), true);
    if (found == fits.end()) {
      return std::nullopt;
    }
    result.push_back(static_cast<int>(found - fits.begin()));
  }
  return result;
}

std::vector<Layout> some_layouts(const Shape& shape) {
  std::vector<Layout> result;
  for (const std::vector<int>& order : orders_of(shape.rank())) {
    for (const int per_thread : {1, 2, 4}) {
      for (const int warps : {1, 2}) {
        const Layout layout = blocked_layout(shape, order, per_thread, warps);
        Layout::Bases renamed = layout.bases();
        std::reverse(renamed[0].begin(), renamed[0].end());
        result.push_back(layout);
        result.emplace_back(shape, renamed);
      }
    }
  }
  return result;
}

TEST(RegisterMap, SaysWhetherAConversionOnlyRenames) {
  int renamings = 0;
  for (const Shape& shape : {Shape{}, {64}, {96}, {8, 16}, {6, 20}, {2, 3, 4}}) {
    std::vector<int> axes(shape.rank());
    std::iota(axes.begin(), axes.end(), 0);
    for (const Layout& from : some_layouts(shape)) {
      for (const Layout& to : some_layouts(shape)) {
        const auto map = register_map(from, to);
        EXPECT_EQ(map, reference_map(from, to, axes)) << describe(from) << " to " << describe(to);
        renamings += map.has_value() && from != to ? 1 : 0;
      }
    }
  }
  // Some of these pairs do differ only in the order of registers.
  EXPECT_GT(renamings, 10);
}

TEST(RegisterMap, FindsTheOperandOfABroadcast) {
  for (const Shape& shape : {Shape{8, 64}, {6, 20}, {2, 3, 4}, {4, 8, 16}}) {
    std::vector<int> axes(shape.rank());
    std::iota(axes.begin(), axes.end(), 0);
    for (const Layout& layout : some_layouts(shape)) {
      for (int axis = 0; axis < shape.rank(); ++axis) {
        Shape from = shape;
        from.set(axis, 1);
        const Layout source = broadcast_source_layout(layout, from);
        const auto map = register_map(source, layout, axes);
        EXPECT_TRUE(map.has_value());
        EXPECT_EQ(map, reference_map(source, layout, axes));
      }
    }
  }
}

TEST(RegisterMap, FindsTheOperandOfATrans) {
  const std::vector<std::int64_t> order = {2, 0, 1};
  // Source axis order[i] is result axis i.
  const std::vector<int> axes = {1, 2, 0};
  for (const Shape& shape : {Shape{2, 3, 4}, {4, 8, 16}, {6, 5, 3}}) {
    for (const Layout& source : some_layouts(shape)) {
      const Layout layout = trans_layout(source, order);
      const auto map = register_map(source, layout, axes);
      EXPECT_TRUE(map.has_value());
      EXPECT_EQ(map, reference_map(source, layout, axes));
    }
  }
}

}  // namespace
}  // namespace tilery::codegen
