// Plans of scans, carried out on all threads, against block doubling on the whole line.
#include "codegen/layout/scan.h"

#include "plan_run.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <initializer_list>

namespace tilery::codegen {
namespace {

/// The declared order on one line, in place.
void block_doubling(std::vector<FoldValue>& x, const Combine& combine) {
  for (std::size_t block = 1; block < x.size(); block *= 2) {
    const std::vector<FoldValue> before = x;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (i / block % 2 == 1) {
        x[i] = combine(before[i / block * block - 1], before[i]);
      }
    }
  }
}

/// The scan of every element of the shape, by row-major number.
std::vector<FoldValue> scanned(const Shape& shape, int axis, bool reverse, const Combine& combine) {
  std::int64_t inner = 1;
  for (int i = axis + 1; i < shape.rank(); ++i) {
    inner *= shape[i];
  }
  std::vector<FoldValue> all(static_cast<std::size_t>(shape.numel()));
  for (std::int64_t line = 0; line < shape.numel() / shape[axis]; ++line) {
    const auto number = [&](std::int64_t position) {
      const std::int64_t k = reverse ? shape[axis] - 1 - position : position;
      return (line / inner * shape[axis] + k) * inner + line % inner;
    };
    std::vector<FoldValue> x;
    for (std::int64_t p = 0; p < shape[axis]; ++p) {
      x.push_back(static_cast<FoldValue>(number(p)));
    }
    block_doubling(x, combine);
    for (std::int64_t p = 0; p < shape[axis]; ++p) {
      all[static_cast<std::size_t>(number(p))] = x[static_cast<std::size_t>(p)];
    }
  }
  return all;
}

void expect_correct(const Layout& layout, int axis, bool reverse) {
  SCOPED_TRACE(fmt::format("{} {} axis {}{}", layout.shape().str(), layout.str(), axis,
                           reverse ? " reversed" : ""));
  ASSERT_TRUE(can_scan(layout, axis));
  Expressions expressions;
  const Combine combine = [&](FoldValue left, FoldValue right) {
    return expressions.combine(left, right);
  };
  const std::vector<FoldValue> expected = scanned(layout.shape(), axis, reverse, combine);
  const ScanPlan plan = plan_scan(layout, axis, reverse);
  const auto leaf = [](std::int64_t number) { return static_cast<FoldValue>(number); };
  ThreadValues results = ScanRun(plan, operand_values(layout, leaf), combine).run();
  results.for_each([&](int lane, int warp, const ThreadValues::Values& own) {
    for (int reg = 0; reg < layout.registers(); ++reg) {
      const auto number = static_cast<std::size_t>(layout.element_number(reg, lane, warp));
      ASSERT_EQ(own[static_cast<std::size_t>(reg)], expected[number])
          << "register " << reg << " lane " << lane << " warp " << warp;
    }
  });
}

void expect_both_ways(const Layout& layout, int axis) {
  expect_correct(layout, axis, false);
  expect_correct(layout, axis, true);
}

Layout rows(std::initializer_list<std::int64_t> shape, int per_thread, int warps) {
  std::vector<int> order;
  for (int axis = static_cast<int>(shape.size()) - 1; axis >= 0; --axis) {
    order.push_back(axis);
  }
  return blocked_layout(Shape(shape), order, per_thread, warps);
}

TEST(ScanPlan, OneAxisOverRegistersLanesAndWarps) {
  for (const int warps : {1, 2, 8}) {
    for (const int per_thread : {1, 4}) {
      for (const std::int64_t extent : {1, 2, 16, 256, 2048}) {
        expect_both_ways(rows({extent}, per_thread, warps), 0);
      }
    }
  }
  expect_both_ways(rows({4096}, 2, 32), 0);
}

TEST(ScanPlan, ExtentsThatAreNoPowersOfTwo) {
  for (const std::int64_t extent : {3, 12, 96, 176, 1000}) {
    expect_both_ways(rows({extent}, 4, 4), 0);
    expect_both_ways(rows({extent, 6}, 2, 2), 0);
    expect_both_ways(rows({6, extent}, 2, 2), 1);
  }
}

TEST(ScanPlan, EitherAxisOfAMatrix) {
  for (const int warps : {1, 4, 8}) {
    for (const auto& [m, n] : {std::pair{32, 32}, {4, 256}, {256, 4}, {1, 128}, {48, 40}}) {
      for (const int axis : {0, 1}) {
        expect_both_ways(rows({m, n}, 4, warps), axis);
        const std::array order{0, 1};
        expect_both_ways(blocked_layout(Shape({m, n}), order, 1, warps), axis);
      }
    }
  }
}

TEST(ScanPlan, SlicesAndMmaFragments) {
  for (const int axis : {0, 1}) {
    expect_both_ways(slice_layout(rows({4, 8, 16}, 2, 4), 1), axis);
    expect_both_ways(slice_layout(rows({3, 10, 24}, 4, 8), axis), 0);
    expect_both_ways(mma_accumulator_layout(Shape({64, 64}), 2, 2), axis);
    expect_both_ways(mma_a_layout(Shape({32, 64}), 16, 2, 2), axis);
  }
}

TEST(ScanPlan, PlacesMustHoldSingleBits) {
  EXPECT_TRUE(can_scan(rows({64, 64}, 4, 4), 0));
  const Layout mixed(Shape({64}), {{{1}, {2, 4 ^ 2, 8, 16, 32}, {}, {}}});
  EXPECT_FALSE(can_scan(mixed, 0));
  // Mixed along the other axis is no harm.
  const Layout swizzled(Shape({2, 64}), {{{64}, {1, 1 ^ 2, 4, 8, 16}, {32}, {}}});
  EXPECT_TRUE(can_scan(swizzled, 0));
  EXPECT_FALSE(can_scan(swizzled, 1));
  expect_both_ways(swizzled, 0);
}

TEST(ScanPlan, OneBarrierScansTheWarps) {
  // 2048 over 4 warps, vectors of 4: 2 levels in registers, 5 in lanes, the 2 of the warps and the
  // 2 of the outer registers at once.
  const ScanPlan plan = plan_scan(rows({2048}, 4, 4), 0, false);
  ASSERT_EQ(plan.steps.size(), 8U);
  EXPECT_TRUE(std::holds_alternative<ScanInRegisters>(plan.steps[1]));
  EXPECT_TRUE(std::holds_alternative<ScanInWarp>(plan.steps[6]));
  const auto& totals = std::get<ScanTotals>(plan.steps[7]);
  EXPECT_EQ(totals.levels.size(), 4U);
  EXPECT_EQ(totals.elements, 16U);
  const std::array f32{4};
  EXPECT_EQ(scan_scratch(plan, f32), (ScratchUse{64, 64, 0}));
}

TEST(ScanPlan, LargeTilesGoInRounds) {
  // Warps hold the lowest bits of axis 0, so that every element of the 128 KiB is exchanged.
  const Layout layout = rows({128, 256}, 4, 8);
  ASSERT_EQ(layout.bases(Place::Warp).back(), 2U << 8);
  const std::array f32{4};
  const ScanPlan plan = plan_scan(layout, 0, false, 4);
  // Then the totals of 4 blocks of 32 in each of the 256 columns.
  EXPECT_EQ(scan_scratch(plan, f32).bytes, 32768U + 4 * 256 * 4);
  expect_both_ways(layout, 0);
}

}  // namespace
}  // namespace tilery::codegen
