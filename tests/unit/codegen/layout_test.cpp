// What each layout holds, exhaustively on small sizes: against the formula of blocked layouts, the
// fragment tables of the PTX ISA (sections "Matrix Fragments for mma.m16n8k…"), and counting.
#include "codegen/layout/layout.h"

#include "tests/unit/codegen/layout_cases.h"

#include <gtest/gtest.h>

#include <bit>
#include <set>

namespace tilery::codegen {
namespace {

std::int64_t number_of(const Shape& shape, const Coordinates& coordinates) {
  std::int64_t number = 0;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    number = number * shape[axis] + coordinates[axis];
  }
  return number;
}

/// Every element is held, as often as the copy bits say, and exactly once by their owners.
void expect_complete(const Layout& layout) {
  const auto elements = static_cast<std::size_t>(layout.shape().numel());
  std::vector<int> holders(elements);
  std::vector<int> owners(elements);
  for_threads(layout, [&](int lane, int warp) {
    const bool owns = (static_cast<std::uint32_t>(lane) & layout.copy_bits(Place::Lane)) == 0 &&
                      (static_cast<std::uint32_t>(warp) & layout.copy_bits(Place::Warp)) == 0;
    std::set<std::int64_t> mine;
    for (int reg = 0; reg < layout.registers(); ++reg) {
      const std::int64_t element = layout.element_number(reg, lane, warp);
      ASSERT_TRUE(element >= 0 && element < layout.shape().numel());
      ASSERT_EQ(element, number_of(layout.shape(), layout.element(reg, lane, warp)));
      ASSERT_TRUE(mine.insert(element).second) << "held twice by a thread";
      ++holders[element];
      owners[element] += owns ? 1 : 0;
    }
  });
  const int copies = 1 << (std::popcount(layout.copy_bits(Place::Lane)) +
                           std::popcount(layout.copy_bits(Place::Warp)));
  EXPECT_EQ(layout.has_copies(), copies != 1);
  for (std::size_t element = 0; element < elements; ++element) {
    ASSERT_EQ(holders[element], copies) << element;
    ASSERT_EQ(owners[element], 1) << element;
  }
}

TEST(Layout, HoldsEveryElement) {
  for (const Layout& layout : all_layouts()) {
    SCOPED_TRACE(describe(layout));
    expect_complete(layout);
    if (HasFatalFailure()) {
      return;
    }
  }
}

TEST(Layout, FindsRegistersOfThreadZero) {
  for (const Layout& layout : all_layouts()) {
    std::map<std::int64_t, int> expected;
    for (int reg = 0; reg < layout.registers(); ++reg) {
      expected[layout.register_element(reg)] = reg;
    }
    for (std::int64_t element = 0; element < layout.shape().numel(); ++element) {
      const auto found = layout.register_of(element);
      const auto at = expected.find(element);
      ASSERT_EQ(found.has_value(), at != expected.end()) << describe(layout);
      if (found) {
        ASSERT_EQ(*found, at->second) << describe(layout);
      }
    }
  }
}

/// True if groups of `run` registers of every thread are runs along the axis that start at
/// multiples of `run`.
bool has_runs(const Layout& layout, int axis, int run) {
  bool result = layout.registers() % run == 0;
  for_threads(layout, [&](int lane, int warp) {
    for (int reg = 0; result && reg < layout.registers(); ++reg) {
      Coordinates expected = layout.element(reg / run * run, lane, warp);
      result = expected[axis] % run == 0;
      expected[axis] += reg % run;
      result = result && layout.element(reg, lane, warp) == expected;
    }
  });
  return result;
}

TEST(Layout, ContiguousRegistersAreTheLongestRuns) {
  for (const Layout& layout : all_layouts()) {
    for (int axis = 0; axis < layout.shape().rank(); ++axis) {
      const int run = layout.contiguous_registers(axis);
      ASSERT_TRUE(has_runs(layout, axis, run)) << describe(layout) << " axis " << axis;
      // Beyond the base tile runs are not looked for.
      if (2 * run <= 1 << layout.base_bits(axis)) {
        ASSERT_FALSE(has_runs(layout, axis, 2 * run)) << describe(layout) << " axis " << axis;
      }
    }
  }
}

// ---- blocked layouts ----

/// The parameters of a blocked layout along one axis, over the power of two in its extent.
struct BlockedAxis {
  int per_thread = 1;
  int lanes = 1;
  int warps = 1;
  int extent = 1;

  /// index = ((warp · lanes + lane) · per_thread + r) + rep · (per_thread · lanes · warps)
  [[nodiscard]] int index(int warp, int lane, int r, int rep) const {
    return (warp * lanes + lane) * per_thread + r + rep * per_thread * lanes * warps;
  }

  [[nodiscard]] int reps() const { return extent / (per_thread * lanes * warps); }
};

/// Takes the lowest digit of base `base` off a number.
int digit(int& number, int base) {
  const int result = number % base;
  number /= base;
  return result;
}

/// The element in a register of a thread by the textbook formula; digits in `order`, innermost
/// first, and after them the odd factors of the extents, row-major.
Coordinates blocked_element(const Shape& shape, const std::vector<int>& order, int per_thread,
                            int num_warps, int reg, int lane, int warp) {
  std::vector<BlockedAxis> axes(shape.rank());
  int lanes_left = kWarpSize;
  int warps_left = num_warps;
  for (const int axis : order) {
    BlockedAxis& here = axes[axis];
    while (shape[axis] % (2 * here.extent) == 0) {
      here.extent *= 2;
    }
    here.per_thread = axis == order.front() ? std::min(per_thread, here.extent) : 1;
    here.lanes = std::min(lanes_left, here.extent / here.per_thread);
    here.warps = std::min(warps_left, here.extent / here.per_thread / here.lanes);
    lanes_left /= here.lanes;
    warps_left /= here.warps;
  }
  std::vector<int> r(shape.rank());
  for (const int axis : order) {
    r[axis] = digit(reg, axes[axis].per_thread);
  }
  Coordinates result{};
  for (const int axis : order) {
    const int rep = digit(reg, axes[axis].reps());
    const int warp_here = digit(warp, axes[axis].warps);
    const int lane_here = digit(lane, axes[axis].lanes);
    result[axis] = axes[axis].index(warp_here, lane_here, r[axis], rep);
  }
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    const int times = static_cast<int>(shape[axis]) / axes[axis].extent;
    result[axis] += digit(reg, times) * axes[axis].extent;
  }
  return result;
}

TEST(Layout, BlockedFollowsTheFormula) {
  for (const Shape& shape : small_shapes()) {
    for (const std::vector<int>& order : orders_of(shape.rank())) {
      for (const int per_thread : {1, 2, 4, 16}) {
        for (const int warps : {1, 4, 32}) {
          const Layout layout = blocked_layout(shape, order, per_thread, warps);
          for_threads(layout, [&](int lane, int warp) {
            for (int reg = 0; reg < layout.registers(); ++reg) {
              ASSERT_EQ(layout.element(reg, lane, warp),
                        blocked_element(shape, order, per_thread, warps, reg, lane, warp))
                  << describe(layout) << " " << reg << " " << lane << " " << warp;
            }
          });
        }
      }
    }
  }
}

TEST(Layout, BlockedExampleOfTheHeader) {
  const std::vector<int> order = {1, 0};
  EXPECT_EQ(blocked_layout({8, 64}, order, 4, 2).str(),
            "reg[(0,1) (0,2) (4,0)] lane[(0,4) (0,8) (0,16) (0,32) (1,0)] warp[(2,0)]");
}

TEST(Layout, RepeatsAreShown) {
  const std::vector<int> order = {1, 0};
  EXPECT_EQ(blocked_layout({3, 96}, order, 1, 1).str(),
            "reg[] lane[(0,1) (0,2) (0,4) (0,8) (0,16)] warp[] x(3,3)");
}

TEST(Layout, ScalarIsEverywhere) {
  const Layout layout = scalar_layout(4);
  EXPECT_EQ(layout.registers(), 1);
  EXPECT_EQ(layout.threads(), 128);
  EXPECT_EQ(layout.copy_bits(Place::Lane), 31U);
  EXPECT_EQ(layout.copy_bits(Place::Warp), 3U);
  EXPECT_EQ(Layout(), scalar_layout(1));
}

TEST(Layout, CopiesAreLookedForInTheOuterPlacesFirst) {
  // The element is chosen by lane 0; warp and block repeat it.
  const Layout layout({2}, {{{}, {1, 0, 0, 0, 0}, {1}, {1, 0}}});
  EXPECT_EQ(layout.copy_bits(Place::Lane), 0b11110U);
  EXPECT_EQ(layout.copy_bits(Place::Warp), 1U);
  EXPECT_EQ(layout.copy_bits(Place::Block), 0b11U);
  EXPECT_EQ(layout.element(0, 1, 1, 1)[0], 1);
}

TEST(LayoutDeath, RefusesWhatIsNoLayout) {
  EXPECT_DEATH(Layout({2}, {{{}, {0, 0, 0, 0, 0}, {}, {}}}), "no thread holds");
  EXPECT_DEATH(Layout({2}, {{{1}, {0, 0, 0, 0}, {}, {}}}), "32 lanes");
  EXPECT_DEATH(Layout({2}, {{{1, 1}, {0, 0, 0, 0, 0}, {}, {}}}), "twice");
  EXPECT_DEATH(Layout({2}, {{{1, 2}, {0, 0, 0, 0, 0}, {}, {}}}), "outside");
}

// ---- mma fragments: PTX ISA, with g = lane / 4 and t = lane % 4 ----

struct Fragment {
  Shape tile;
  int registers;
  /// (row, column) of register i.
  Coordinates (*element)(int i, int g, int t);
};

Coordinates at(int row, int column) {
  return {row, column};
}

void expect_fragment(const Layout& layout, const Fragment& fragment) {
  ASSERT_EQ(layout.registers(), fragment.registers);
  for (int lane = 0; lane < kWarpSize; ++lane) {
    for (int i = 0; i < fragment.registers; ++i) {
      EXPECT_EQ(layout.element(i, lane, 0), fragment.element(i, lane / 4, lane % 4))
          << "register " << i << " of lane " << lane;
    }
  }
}

const Fragment kAccumulator = {
    {16, 8}, 4, [](int i, int g, int t) { return at(i < 2 ? g : g + 8, t * 2 + (i & 1)); }};
const Fragment kA16 = {{16, 16}, 8, [](int i, int g, int t) {
                         return at(i < 2 || (i >= 4 && i < 6) ? g : g + 8,
                                   t * 2 + (i & 1) + (i < 4 ? 0 : 8));
                       }};
const Fragment kB16 = {
    {16, 8}, 4, [](int i, int g, int t) { return at(t * 2 + (i & 1) + (i < 2 ? 0 : 8), g); }};
const Fragment kA8 = {{16, 32}, 16, [](int i, int g, int t) {
                        return at(i < 4 || (i >= 8 && i < 12) ? g : g + 8,
                                  t * 4 + (i & 3) + (i < 8 ? 0 : 16));
                      }};
const Fragment kB8 = {
    {32, 8}, 8, [](int i, int g, int t) { return at(t * 4 + (i & 3) + (i < 4 ? 0 : 16), g); }};
const Fragment kA32 = {{16, 8}, 4, [](int i, int g, int t) {
                         return at(i == 0 || i == 2 ? g : g + 8, i < 2 ? t : t + 4);
                       }};
const Fragment kB32 = {{8, 8}, 2, [](int i, int g, int t) { return at(i == 0 ? t : t + 4, g); }};

TEST(MmaLayout, OneInstructionFollowsThePtxTables) {
  expect_fragment(mma_accumulator_layout(kAccumulator.tile, 1, 1), kAccumulator);
  expect_fragment(mma_a_layout(kA16.tile, 16, 1, 1), kA16);
  expect_fragment(mma_b_layout(kB16.tile, 16, 1, 1), kB16);
  expect_fragment(mma_a_layout(kA8.tile, 8, 1, 1), kA8);
  expect_fragment(mma_b_layout(kB8.tile, 8, 1, 1), kB8);
  expect_fragment(mma_a_layout(kA32.tile, 32, 1, 1), kA32);
  expect_fragment(mma_b_layout(kB32.tile, 32, 1, 1), kB32);
}

/// Every group of an instruction's registers is one fragment, moved by whole tiles, in every warp.
void expect_tiled(const Layout& layout, const Fragment& fragment) {
  const int rows = layout.shape().rank() - 2;
  for_threads(layout, [&](int lane, int warp) {
    for (int reg = 0; reg < layout.registers(); ++reg) {
      const int i = reg % fragment.registers;
      const Coordinates first = layout.element(reg - i, 0, warp);
      const Coordinates here = layout.element(reg, lane, warp);
      const Coordinates inside = fragment.element(i, lane / 4, lane % 4);
      for (int axis = 0; axis < layout.shape().rank(); ++axis) {
        if (axis < rows) {
          ASSERT_EQ(here[axis], first[axis]);
        } else {
          ASSERT_EQ(first[axis] % fragment.tile[axis - rows], 0) << describe(layout);
          ASSERT_EQ(here[axis], first[axis] + inside[axis - rows]) << describe(layout);
        }
      }
    }
  });
}

TEST(MmaLayout, LargerTilesAreWholeInstructions) {
  for (const auto& [warps_m, warps_n] : {std::pair{1, 1}, {4, 1}, {2, 4}}) {
    expect_tiled(mma_accumulator_layout({64, 96}, warps_m, warps_n), kAccumulator);
    expect_tiled(mma_accumulator_layout({2, 48, 64}, warps_m, warps_n), kAccumulator);
    expect_tiled(mma_a_layout({64, 96}, 16, warps_m, warps_n), kA16);
    expect_tiled(mma_a_layout({64, 96}, 8, warps_m, warps_n), kA8);
    expect_tiled(mma_a_layout({64, 24}, 32, warps_m, warps_n), kA32);
    expect_tiled(mma_b_layout({96, 64}, 16, warps_m, warps_n), kB16);
    expect_tiled(mma_b_layout({64, 96}, 8, warps_m, warps_n), kB8);
    expect_tiled(mma_b_layout({3, 8, 24}, 32, warps_m, warps_n), kB32);
  }
}

/// What a warp holds along one axis.
std::set<int> held(const Layout& layout, int warp, int axis) {
  std::set<int> result;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    for (int reg = 0; reg < layout.registers(); ++reg) {
      result.insert(layout.element(reg, lane, warp)[axis]);
    }
  }
  return result;
}

TEST(MmaLayout, WarpsHoldTheOperandsOfTheirAccumulators) {
  for (const auto& [warps_m, warps_n] : {std::pair{1, 1}, {4, 1}, {2, 4}, {1, 8}}) {
    const Layout acc = mma_accumulator_layout({64, 96}, warps_m, warps_n);
    const Layout a = mma_a_layout({64, 32}, 16, warps_m, warps_n);
    const Layout b = mma_b_layout({32, 96}, 16, warps_m, warps_n);
    for (int warp = 0; warp < acc.warps(); ++warp) {
      EXPECT_EQ(held(a, warp, 0), held(acc, warp, 0));
      EXPECT_EQ(held(b, warp, 1), held(acc, warp, 1));
      EXPECT_EQ(held(a, warp, 1).size(), 32U);
      EXPECT_EQ(held(b, warp, 0).size(), 32U);
    }
  }
}

TEST(MmaLayout, AnAccumulatorIsAnOperandOfTheNextDot) {
  // P = softmax(S) in flash attention: no data moves.
  const Layout acc = mma_accumulator_layout({64, 128}, 4, 1);
  const auto map = register_map(acc, mma_a_layout({64, 128}, 16, 4, 1));
  ASSERT_TRUE(map.has_value());
  for (std::size_t i = 0; i < map->size(); ++i) {
    EXPECT_EQ((*map)[i], static_cast<int>(i));
  }
}

/// A smaller tile is a fragment with its coordinates cut off at the extents: lanes beyond hold
/// copies; of registers, those that would hold the same element twice are missing.
void expect_cut(const Layout& layout, const Fragment& fragment) {
  const Shape& tile = layout.shape();
  for_threads(layout, [&](int lane, int warp) {
    std::vector<std::array<int, 2>> expected;
    for (int i = 0; i < fragment.registers; ++i) {
      const Coordinates whole = fragment.element(i, 0, 0);
      if (whole[0] < tile[0] && whole[1] < tile[1]) {
        const Coordinates here = fragment.element(i, lane / 4, lane % 4);
        expected.push_back(
            {static_cast<int>(here[0] % tile[0]), static_cast<int>(here[1] % tile[1])});
      }
    }
    ASSERT_EQ(layout.registers(), static_cast<int>(expected.size())) << describe(layout);
    for (int reg = 0; reg < layout.registers(); ++reg) {
      const Coordinates at = layout.element(reg, lane, warp);
      const auto& wanted = expected[static_cast<std::size_t>(reg)];
      ASSERT_EQ(at[0], wanted[0]) << describe(layout) << " lane " << lane << " register " << reg;
      ASSERT_EQ(at[1], wanted[1]) << describe(layout) << " lane " << lane << " register " << reg;
    }
  });
}

TEST(MmaLayout, SmallerTilesAreFragmentsWithCopies) {
  for (int rows = 1; rows <= 16; rows *= 2) {
    for (int columns = 1; columns <= 8; columns *= 2) {
      for (const int warps : {1, 4}) {
        expect_cut(mma_accumulator_layout({rows, columns}, 1, warps), kAccumulator);
      }
    }
    for (int k = 1; k <= 32; k *= 2) {
      expect_cut(mma_a_layout({rows, k}, 8, 1, 2), kA8);
      expect_cut(mma_a_layout({rows, std::min(k, 16)}, 16, 2, 1), kA16);
      expect_cut(mma_a_layout({rows, std::min(k, 8)}, 32, 1, 1), kA32);
    }
  }
  for (int columns = 1; columns <= 8; columns *= 2) {
    for (int k = 1; k <= 32; k *= 2) {
      expect_cut(mma_b_layout({k, columns}, 8, 1, 1), kB8);
      expect_cut(mma_b_layout({std::min(k, 16), columns}, 16, 1, 2), kB16);
      expect_cut(mma_b_layout({std::min(k, 8), columns}, 32, 2, 1), kB32);
    }
  }
}

TEST(MmaLayout, EveryCopyIsOfWhatTheAccumulatorHasToo) {
  // Lanes that hold copies of rows of a do so of the same rows of the accumulator, and so for b's
  // columns: the instruction then makes the same results of them.
  for (int rows = 1; rows <= 16; rows *= 2) {
    const Layout acc = mma_accumulator_layout({rows, 8}, 1, 1);
    const Layout a = mma_a_layout({rows, 16}, 16, 1, 1);
    for (int lane = 0; lane < kWarpSize; ++lane) {
      EXPECT_EQ(acc.element(0, lane, 0)[0], a.element(0, lane, 0)[0]);
    }
  }
}

}  // namespace
}  // namespace tilery::codegen
