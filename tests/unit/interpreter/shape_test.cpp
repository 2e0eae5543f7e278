// Shape operations on affine, range and dense tiles, and affine arithmetic against plain integers.
#include "tests/unit/interpreter/ir_run.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace tilery {
namespace {

using testing::iota;
using testing::IrRun;
using testing::summary;

constexpr CheckLevel kLevels[] = {CheckLevel::None, CheckLevel::Fast, CheckLevel::Tracked};

using Ints = std::vector<std::int32_t>;

/// The elements of %r, an i32 tile of `count` elements computed by `lines` from %x (loaded, dense,
/// 0 … 23) and %a (affine, 0 … 23), both i32[24].
Ints result_of(std::string_view lines, int count, std::string_view kind = "") {
  const std::string text = fmt::format(R"(
func @f(%xp: *i32, %op: *i32, %n: i32) {{
  %a = arange start=0 end=24 : i32[24]
  %0 = splat %xp : *i32[24]
  %1 = addptr %0, %a : *i32[24]
  %x = load %1 : i32[24]
{lines}  %flat = reshape %r : i32[{count}]
  %i = arange start=0 end={count} : i32[{count}]
  %2 = splat %op : *i32[{count}]
  %3 = addptr %2, %i : *i32[{count}]
  store %3, %flat
}}
)",
                                       fmt::arg("lines", lines), fmt::arg("count", count));
  Ints first;
  for (const CheckLevel level : kLevels) {
    Ints x = iota<std::int32_t>(24);
    Ints o(static_cast<std::size_t>(count), -1);
    IrRun run(text);
    if (!kind.empty()) {
      EXPECT_EQ(run.kind("r"), kind);
    }
    EXPECT_EQ(summary(run.array(x).array(o).int32(5).run(1, level)), "");
    if (first.empty()) {
      first = o;
    }
    EXPECT_EQ(o, first);
  }
  return first;
}

// Both a dense and an affine tile must give the same elements.
void expect_both(std::string_view lines, int count, const Ints& expected,
                 std::string_view affine_kind) {
  for (const bool dense : {true, false}) {
    std::string text(lines);
    for (std::size_t at = text.find('$'); at != std::string::npos; at = text.find('$')) {
      text.replace(at, 1, dense ? "%x" : "%a");
    }
    EXPECT_EQ(result_of(text, count, dense ? "dense" : affine_kind), expected);
  }
}

TEST(Shape, ReshapeAndTranspose) {
  expect_both(
      "  %m = reshape $ : i32[4, 6]\n  %r = trans %m order=[1, 0] : i32[6, 4]\n", 24,
      {0, 6, 12, 18, 1, 7, 13, 19, 2, 8, 14, 20, 3, 9, 15, 21, 4, 10, 16, 22, 5, 11, 17, 23},
      "affine");
}

TEST(Shape, PermuteThreeAxes) {
  Ints expected;
  for (int k = 0; k < 4; ++k) {
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 3; ++j) {
        expected.push_back(i * 12 + j * 4 + k);
      }
    }
  }
  expect_both("  %m = reshape $ : i32[2, 3, 4]\n  %r = trans %m order=[2, 0, 1] : i32[4, 2, 3]\n",
              24, expected, "affine");
}

TEST(Shape, MergedAxesAreSpelledOut) {
  expect_both(
      "  %m = reshape $ : i32[4, 6]\n  %t = trans %m order=[1, 0] : i32[6, 4]\n"
      "  %r = reshape %t : i32[3, 8]\n",
      24, {0, 6, 12, 18, 1, 7, 13, 19, 2, 8, 14, 20, 3, 9, 15, 21, 4, 10, 16, 22, 5, 11, 17, 23},
      "dense");
}

TEST(Shape, BroadcastRowsAndColumns) {
  Ints columns;
  Ints rows;
  for (int i = 0; i < 24; ++i) {
    for (int j = 0; j < 2; ++j) {
      columns.push_back(i);
    }
  }
  for (int j = 0; j < 2; ++j) {
    for (int i = 0; i < 24; ++i) {
      rows.push_back(i);
    }
  }
  expect_both("  %m = expand_dims $ axis=1 : i32[24, 1]\n  %r = broadcast %m : i32[24, 2]\n", 48,
              columns, "affine");
  expect_both("  %m = expand_dims $ axis=0 : i32[1, 24]\n  %r = broadcast %m : i32[2, 24]\n", 48,
              rows, "affine");
}

TEST(Shape, OneElementBecomesAScalar) {
  std::vector<std::int32_t> o(1);
  IrRun run(R"(
func @f(%o: *i32) {
  %i = arange start=7 end=8 : i32[1]
  %s = reshape %i : i32
  store %o, %s
}
)");
  EXPECT_EQ(summary(run.array(o).run(1)), "");
  EXPECT_EQ(o[0], 7);
}

TEST(Affine, ArithmeticStaysAffine) {
  const std::string lines = R"(
  %three = constant 3 : i32[24]
  %ns = splat %n : i32[24]
  %b = mul %a, %three : i32[24]
  %c = sub %b, %ns : i32[24]
  %d = neg %c : i32[24]
  %e = fma %a, %ns, %d : i32[24]
  %two = constant 2 : i32[24]
  %g = shl %e, %two : i32[24]
  %w = cast %g : i64[24]
  %r = cast %w : i32[24]
)";
  Ints expected;
  for (int i = 0; i < 24; ++i) {
    expected.push_back((i * 5 - (i * 3 - 5)) << 2);
  }
  EXPECT_EQ(result_of(lines, 24, "affine"), expected);
}

// What leaves its type's range wraps, exactly as element by element.
TEST(Affine, WrappingTilesAreComputedElementByElement) {
  const std::string lines = R"(
  %k = constant 400000000 : i32[24]
  %b = mul %a, %k : i32[24]
  %narrow = cast %b : i8[24]
  %wide = cast %narrow : i32[24]
  %u = cast %a : u8[24]
  %c20 = constant 20 : u8[24]
  %us = sub %u, %c20 : u8[24]
  %uw = cast %us : i32[24]
  %s = add %b, %wide : i32[24]
  %r = add %s, %uw : i32[24]
)";
  Ints expected;
  for (int i = 0; i < 24; ++i) {
    const auto b = static_cast<std::int32_t>(static_cast<std::uint32_t>(i) * 400000000U);
    const auto wide = static_cast<std::int32_t>(static_cast<std::int8_t>(b));
    const auto u = static_cast<std::int32_t>(static_cast<std::uint8_t>(i - 20));
    expected.push_back(static_cast<std::int32_t>(static_cast<std::uint32_t>(b) +
                                                 static_cast<std::uint32_t>(wide) +
                                                 static_cast<std::uint32_t>(u)));
  }
  EXPECT_EQ(result_of(lines, 24, "affine"), expected);
}

// Each comparison of base + stride · i with a bound, both ways round, against plain integers.
TEST(Affine, ComparisonsGiveRanges) {
  for (const int stride : {3, 1, -2, 0}) {
    for (const int bound : {-50, -4, 0, 5, 6, 23, 200}) {
      for (const std::string_view op : {"lt", "le", "gt", "ge", "eq"}) {
        for (const bool mirrored : {false, true}) {
          const std::string lines = fmt::format(
              "  %k = constant {} : i32[24]\n  %b = mul %a, %k : i32[24]\n"
              "  %c = constant {} : i32[24]\n  %m = {} {} : i1[24]\n"
              "  %one = constant 1 : i32[24]\n  %zero = constant 0 : i32[24]\n"
              "  %r = select %m, %one, %zero : i32[24]\n",
              stride, bound, op, mirrored ? "%c, %b" : "%b, %c");
          Ints expected;
          for (int i = 0; i < 24; ++i) {
            const int lhs = mirrored ? bound : stride * i;
            const int rhs = mirrored ? stride * i : bound;
            const bool holds = op == "lt"   ? lhs < rhs
                               : op == "le" ? lhs <= rhs
                               : op == "gt" ? lhs > rhs
                               : op == "ge" ? lhs >= rhs
                                            : lhs == rhs;
            expected.push_back(holds ? 1 : 0);
          }
          EXPECT_EQ(result_of(lines, 24), expected)
              << op << " stride " << stride << " bound " << bound << (mirrored ? " mirrored" : "");
        }
      }
    }
  }
}

TEST(Affine, SelectAndPointersKeepTheirForm) {
  std::vector<std::int32_t> x = iota<std::int32_t>(8);
  std::vector<std::int32_t> o(4);
  for (const std::uint64_t c : {0, 1}) {
    IrRun run(R"(
func @f(%x: *i32, %o: *i32, %c: i1) {
  %i = arange start=0 end=4 : i32[4]
  %four = constant 4 : i32[4]
  %far = add %i, %four : i32[4]
  %cs = splat %c : i1[4]
  %off = select %cs, %far, %i : i32[4]
  %xs = splat %x : *i32[4]
  %bytes = bitcast %xs : *i8[4]
  %wide = cast %off : i64[4]
  %size = constant 4 : i64[4]
  %moved = mul %wide, %size : i64[4]
  %bp = addptr %bytes, %moved : *i8[4]
  %p = bitcast %bp : *i32[4]
  %v = load %p : i32[4]
  %os = splat %o : *i32[4]
  %q = addptr %os, %i : *i32[4]
  store %q, %v
}
)");
    EXPECT_EQ(run.kind("off"), "affine");
    EXPECT_EQ(run.kind("p"), "affine");
    EXPECT_EQ(summary(run.array(x).array(o).bits(c).run(1)), "");
    EXPECT_EQ(o, iota<std::int32_t>(4, c != 0 ? 4 : 0));
  }
}

}  // namespace
}  // namespace tilery
