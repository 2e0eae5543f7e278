// Reduce and scan as PTX: every kind of fold and element type assembles, and the instructions that
// cost are as many as the plan says, counted by hand.
#include "codegen/codegen.h"
#include "tests/support/ptxas.h"
#include "tests/unit/codegen/fold_kernels.h"
#include "tests/unit/codegen/ptx_text.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>

namespace tilery::codegen {
namespace {

std::string reduce_ptx(const Tile& tile, std::string_view type, std::string_view combine,
                       std::string_view chip = "sm_90a", int axis = 1) {
  const std::string stored = fmt::format("[{}]", axis == 1 ? tile.rows : tile.columns);
  const std::string text =
      fold("s", "reduce", "v", combine, type, stored, fmt::format("axis={}", axis));
  return ptx_of(placed(tile, kernel(tile, type, text, stored), chip));
}

std::string scan_ptx(const Tile& tile, std::string_view type, std::string_view combine,
                     std::string_view chip = "sm_90a", bool reverse = false, int axis = 1) {
  const std::string stored = fmt::format("[{}, {}]", tile.rows, tile.columns);
  const std::string text =
      fold("s", "scan", "v", combine, type, stored,
           fmt::format("axis={} reverse={}", axis, reverse ? "true" : "false"));
  return ptx_of(placed(tile, kernel(tile, type, text, stored), chip));
}

// ---- counts ----

TEST(FoldPtx, MaximumOfARowOverFourWarps) {
  // Registers, one instruction for the lanes, one value a warp, four of them read at once.
  EXPECT_EQ(exchange_counts(reduce_ptx({1, 4096, 4, 4}, "f32", "maximum")),
            (ExchangeCounts{0, 1, 1, 1, 1}));
}

TEST(FoldPtx, SumOfARowOverFourWarps) {
  // The vector of 4 goes out with one store and comes back from 4 warps with 4 loads; lanes
  // 2+1+1+1+1 shuffles, then the vector's 2.
  EXPECT_EQ(exchange_counts(reduce_ptx({1, 4096, 4, 4}, "f32", "add")),
            (ExchangeCounts{8, 1, 1, 4, 0}));
}

TEST(FoldPtx, SumOverSixteenWarps) {
  // Each of four warps takes one component: 4 stores of it, 16 loads, 5 shuffles; then one store
  // and one load of the 4 components.
  EXPECT_EQ(exchange_counts(reduce_ptx({1, 16384, 4, 16}, "f32", "add")),
            (ExchangeCounts{5, 2, 5, 17, 0}));
}

TEST(FoldPtx, OneWarpHasNoBarrier) {
  EXPECT_EQ(exchange_counts(reduce_ptx({1, 1024, 4, 1}, "f32", "add")),
            (ExchangeCounts{8, 0, 0, 0, 0}));
  EXPECT_EQ(exchange_counts(reduce_ptx({1, 1024, 4, 1}, "i32", "add")),
            (ExchangeCounts{0, 0, 0, 0, 1}));
}

TEST(FoldPtx, NarrowValuesShareShuffles) {
  // Vectors of 8 in f16: 4, 2 and 1 values in 2, 1 and 1 words, twice one, then the vector's 3
  // bits.
  EXPECT_EQ(exchange_counts(reduce_ptx({1, 1024, 8, 1}, "f16", "add")).shuffles, 2 + 1 + 1 + 2 + 3);
}

TEST(FoldPtx, WideValuesTakeTwo) {
  // Vectors of 2 in f64: 5 + 1 values.
  EXPECT_EQ(exchange_counts(reduce_ptx({1, 256, 2, 1}, "f64", "add")).shuffles, 2 * (1 + 4 + 1));
}

TEST(FoldPtx, SoftmaxOfARow) {
  const Tile tile{1, 4096, 4, 4};
  const std::string folds = fold("m", "reduce", "v", "maximum", "f32", "[1]", "axis=1") +
                            "  %me = expand_dims %m axis=1 : f32[1, 1]\n"
                            "  %mb = broadcast %me : f32[1, 4096]\n"
                            "  %d = sub %v, %mb : f32[1, 4096]\n"
                            "  %e = exp %d : f32[1, 4096]\n" +
                            fold("t", "reduce", "e", "add", "f32", "[1]", "axis=1") +
                            "  %te = expand_dims %t axis=1 : f32[1, 1]\n"
                            "  %tb = broadcast %te : f32[1, 4096]\n"
                            "  %s = div %e, %tb : f32[1, 4096]\n";
  const std::string ptx = ptx_of(placed(tile, kernel(tile, "f32", folds, "[1, 4096]"), "sm_90a"));
  EXPECT_EQ(exchange_counts(ptx), (ExchangeCounts{8, 2, 2, 5, 1}));
}

TEST(FoldPtx, ScanOfARow) {
  // 5 levels of lanes, then the totals of 16 blocks: one store for each of the 4 outer registers'
  // blocks, and a load of 4 warps' totals for each.
  EXPECT_EQ(exchange_counts(scan_ptx({1, 2048, 4, 4}, "f32", "add")),
            (ExchangeCounts{5 * 4, 1, 4, 4, 0}));
}

// ---- everything assembles ----

struct Case {
  Tile tile;
  int axis;
};

constexpr std::array kCases{
    Case{{1, 1024, 4, 4}, 1},  // over warps
    Case{{16, 64, 2, 8}, 1},   // rows in lanes and warps
    Case{{64, 16, 2, 8}, 0},   // columns, 8 warps
    Case{{3, 40, 4, 2}, 1},    // ragged
};

void expect_assembles(const std::string& ptx, std::string_view chip) {
  ASSERT_FALSE(ptx.empty());
  const testing::PtxasResult assembled = testing::assemble(ptx, chip, 0);
  if (!assembled.has_ptxas) {
    GTEST_SKIP() << "no ptxas on this machine";
  }
  EXPECT_EQ(assembled.errors, "") << ptx;
}

class FoldPtxOn : public ::testing::TestWithParam<const char*> {};

TEST_P(FoldPtxOn, EveryElementType) {
  for (const char* type : {"i8", "u8", "i16", "i32", "u32", "i64", "f16", "bf16", "f32", "f64"}) {
    SCOPED_TRACE(type);
    expect_assembles(reduce_ptx(kCases[0].tile, type, "add", GetParam()), GetParam());
    expect_assembles(reduce_ptx(kCases[0].tile, type, "maximum", GetParam()), GetParam());
    expect_assembles(scan_ptx(kCases[0].tile, type, "add", GetParam()), GetParam());
  }
}

TEST_P(FoldPtxOn, EveryShape) {
  for (const Case& one : kCases) {
    SCOPED_TRACE(fmt::format("[{}, {}] axis {}", one.tile.rows, one.tile.columns, one.axis));
    expect_assembles(reduce_ptx(one.tile, "f32", "mul", GetParam(), one.axis), GetParam());
    expect_assembles(reduce_ptx(one.tile, "i32", "minimum", GetParam(), one.axis), GetParam());
    expect_assembles(reduce_ptx(one.tile, "f32", "sub", GetParam(), one.axis), GetParam());
    expect_assembles(scan_ptx(one.tile, "f32", "sub", GetParam(), true, one.axis), GetParam());
  }
}

TEST_P(FoldPtxOn, SeveralOperands) {
  // Any pair fold: the sum of one member where the other wins.
  for (const char* op : {"reduce", "scan"}) {
    const Tile& tile = kCases[1].tile;
    const std::string shape = std::string(op) == "scan" ? "[16, 64]" : "[16]";
    const std::string folds = fmt::format(
        "  %c = cast %v : i64[16, 64]\n"
        "  %s, %n = {0} %v, %c axis=1 : f32{1}, i64{1} {{\n"
        "  combine(%a: f32, %b: i64, %c2: f32, %d: i64):\n"
        "    %g = gt %a, %c2 : i1\n    %t = add %b, %d : i64\n"
        "    %u = select %g, %a, %c2 : f32\n    yield %u, %t\n  }}\n",
        op, shape);
    expect_assembles(ptx_of(placed(tile, kernel(tile, "f32", folds, shape), GetParam())),
                     GetParam());
  }
}

INSTANTIATE_TEST_SUITE_P(Chips, FoldPtxOn, ::testing::Values("sm_80", "sm_90a"));

}  // namespace
}  // namespace tilery::codegen
