// Reductions and scans: known folds and the author's own, over lengths that are no powers of two.
#include "tests/unit/interpreter/ir_run.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>

namespace tilery {
namespace {

using testing::iota;
using testing::IrRun;
using testing::summary;

constexpr CheckLevel kLevels[] = {CheckLevel::None, CheckLevel::Fast, CheckLevel::Tracked};

using Fold = std::function<float(float, float)>;

/// The tree that ops.def declares, written down again.
float tree(std::vector<float> x, const Fold& fold) {
  std::size_t n = 1;
  while (n < x.size()) {
    n *= 2;
  }
  for (n /= 2; n != 0; n /= 2) {
    for (std::size_t i = 0; i + n < x.size(); ++i) {
      x[i] = fold(x[i], x[i + n]);
    }
    x.resize(std::min(x.size(), n));
  }
  return x[0];
}

/// Block doubling, likewise.
std::vector<float> running(std::vector<float> x, const Fold& fold) {
  for (std::size_t size = 1; size < x.size(); size *= 2) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      if ((i / size) % 2 == 1) {
        x[i] = fold(x[i / size * size - 1], x[i]);
      }
    }
  }
  return x;
}

std::vector<float> random_values(std::size_t count) {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> uniform(0.5F, 1.5F);
  std::vector<float> values(count);
  std::generate(values.begin(), values.end(), [&] { return uniform(random); });
  return values;
}

/// A fold of a [rows, columns] tile along `axis`; `body` computes %r from %a and %b.
std::string fold_kernel(std::string_view op, int rows, int columns, int axis, std::string_view body,
                        std::string_view attrs = "") {
  const std::string tile = fmt::format("[{}, {}]", rows, columns);
  const int left = axis == 0 ? columns : rows;
  const std::string result = op == "scan" ? tile : fmt::format("[{}]", left);
  const std::string store =
      op == "scan"
          ? fmt::format("  %os = splat %o : *f32{0}\n  %q = addptr %os, %off : *f32{0}\n", tile)
          : fmt::format(
                "  %ol = arange start=0 end={0} : i32[{0}]\n"
                "  %os = splat %o : *f32[{0}]\n  %q = addptr %os, %ol : *f32[{0}]\n",
                left);
  return fmt::format(R"(
func @f(%x: *f32, %o: *f32) {{
  %i = arange start=0 end={rows} : i32[{rows}]
  %j = arange start=0 end={columns} : i32[{columns}]
  %i1 = expand_dims %i axis=1 : i32[{rows}, 1]
  %j1 = expand_dims %j axis=0 : i32[1, {columns}]
  %w = constant {columns} : i32[{rows}, 1]
  %iw = mul %i1, %w : i32[{rows}, 1]
  %i2 = broadcast %iw : i32{tile}
  %j2 = broadcast %j1 : i32{tile}
  %off = add %i2, %j2 : i32{tile}
  %xs = splat %x : *f32{tile}
  %p = addptr %xs, %off : *f32{tile}
  %v = load %p : f32{tile}
  %s = {op} %v axis={axis} {attrs}: f32{result} {{
  combine(%a: f32, %b: f32):
{body}    yield %r
  }}
{store}  store %q, %s
}}
)",
                     fmt::arg("rows", rows), fmt::arg("columns", columns), fmt::arg("tile", tile),
                     fmt::arg("op", op), fmt::arg("axis", axis), fmt::arg("attrs", attrs),
                     fmt::arg("result", result), fmt::arg("body", body), fmt::arg("store", store));
}

constexpr std::string_view kAdd = "    %r = add %a, %b : f32\n";
/// a + b - a·b is associative and commutative, and no known fold.
constexpr std::string_view kProbability =
    "    %s0 = add %a, %b : f32\n    %m0 = mul %a, %b : f32\n    %r = sub %s0, %m0 : f32\n";

float probability(float a, float b) {
  return (a + b) - a * b;
}

struct Case {
  std::string_view body;
  Fold fold;
};

const Case kCases[] = {{kAdd, std::plus<float>()}, {kProbability, probability}};

std::vector<float> line(const std::vector<float>& x, int rows, int columns, int axis, int at) {
  std::vector<float> result;
  for (int k = 0; k < (axis == 0 ? rows : columns); ++k) {
    result.push_back(axis == 0 ? x[k * columns + at] : x[at * columns + k]);
  }
  return result;
}

TEST(Reduce, FollowsTheDeclaredTree) {
  for (const Case& c : kCases) {
    for (const auto& [rows, columns] : {std::pair{8, 4}, {5, 7}, {1, 13}, {33, 3}, {3, 700}}) {
      for (const int axis : {0, 1}) {
        const std::vector<float> x = random_values(static_cast<std::size_t>(rows * columns));
        const int left = axis == 0 ? columns : rows;
        std::vector<float> expected;
        for (int i = 0; i < left; ++i) {
          expected.push_back(tree(line(x, rows, columns, axis, i), c.fold));
        }
        for (const CheckLevel level : kLevels) {
          std::vector<float> in = x;
          std::vector<float> o(static_cast<std::size_t>(left));
          IrRun run(fold_kernel("reduce", rows, columns, axis, c.body));
          EXPECT_EQ(summary(run.array(in).array(o).run(1, level)), "");
          EXPECT_EQ(o, expected) << rows << "x" << columns << " axis " << axis;
        }
      }
    }
  }
}

TEST(Scan, FollowsBlockDoublingInBothDirections) {
  for (const Case& c : kCases) {
    for (const auto& [rows, columns] : {std::pair{8, 4}, {5, 7}, {1, 13}, {33, 3}, {3, 700}}) {
      for (const bool reverse : {false, true}) {
        const std::vector<float> x = random_values(static_cast<std::size_t>(rows * columns));
        std::vector<float> expected(x.size());
        for (int i = 0; i < columns; ++i) {
          std::vector<float> column = line(x, rows, columns, 0, i);
          if (reverse) {
            std::reverse(column.begin(), column.end());
          }
          column = running(column, c.fold);
          if (reverse) {
            std::reverse(column.begin(), column.end());
          }
          for (int k = 0; k < rows; ++k) {
            expected[k * columns + i] = column[k];
          }
        }
        std::vector<float> in = x;
        std::vector<float> o(x.size());
        IrRun run(fold_kernel("scan", rows, columns, 0, c.body, reverse ? "reverse=true " : ""));
        EXPECT_EQ(summary(run.array(in).array(o).run(1)), "");
        EXPECT_EQ(o, expected) << rows << "x" << columns << (reverse ? " reversed" : "");
      }
    }
  }
}

// The mean and the weight of two groups: what Welford's algorithm combines.
TEST(Reduce, SeveralOperandsAtOnce) {
  std::vector<float> x{1, 2, 3, 4, 5, 6};
  std::vector<float> o(2);
  for (const CheckLevel level : kLevels) {
    IrRun run(R"(
func @f(%x: *f32, %o: *f32) {
  %i = arange start=0 end=6 : i32[6]
  %xs = splat %x : *f32[6]
  %p = addptr %xs, %i : *f32[6]
  %v = load %p : f32[6]
  %ones = constant 1.0 : f32[6]
  %mean, %weight = reduce %v, %ones axis=0 : f32, f32 {
  combine(%m1: f32, %w1: f32, %m2: f32, %w2: f32):
    %w = add %w1, %w2 : f32
    %a = mul %m1, %w1 : f32
    %b = mul %m2, %w2 : f32
    %c = add %a, %b : f32
    %m = div %c, %w : f32
    yield %m, %w
  }
  store %o, %mean
  %one = constant 1 : i32
  %q = addptr %o, %one : *f32
  store %q, %weight
}
)");
    EXPECT_EQ(summary(run.array(x).array(o).run(1, level)), "");
    EXPECT_EQ(o, (std::vector<float>{3.5F, 6}));
  }
}

constexpr std::string_view kArgMax = R"(
func @f(%x: *f32, %k: *i32, %o: *i32, %v: *f32) {
  %i = arange start=0 end=8 : i32[8]
  %xs = splat %x : *f32[8]
  %p = addptr %xs, %i : *f32[8]
  %a = load %p : f32[8]
  %ks = splat %k : *i32[8]
  %kp = addptr %ks, %i : *i32[8]
  %loaded = load %kp : i32[8]
  %best, %at = reduce %a, INDEX axis=0 : f32, i32 {
  combine(%v1: f32, %i1: i32, %v2: f32, %i2: i32):
    %gt = gt %v1, %v2 : i1
    %eq = eq %v1, %v2 : i1
    %lt = lt %i1, %i2 : i1
    %tie = and %eq, %lt : i1
    %left = or %gt, %tie : i1
    %bv = select %left, %v1, %v2 : f32
    %bi = select %left, %i1, %i2 : i32
    yield %bv, %bi
  }
  store %o, %at
  store %v, %best
}
)";

TEST(Reduce, ArgMaxTakesTheLeastIndexAmongEquals) {
  std::vector<float> x{3, 9, 1, 9, 9, 0, 2, 9};
  // Indices that do not grow along the tile.
  std::vector<std::int32_t> k{7, 6, 5, 4, 3, 2, 1, 0};
  for (const CheckLevel level : kLevels) {
    for (const auto& [index, expected] : {std::pair{"%i", 1}, {"%loaded", 0}}) {
      std::string text(kArgMax);
      text.replace(text.find("INDEX"), 5, index);
      std::vector<std::int32_t> o(1);
      std::vector<float> v(1);
      IrRun run(text);
      EXPECT_EQ(summary(run.array(x).array(k).array(o).array(v).run(1, level)), "");
      EXPECT_EQ(o[0], expected);
      EXPECT_EQ(v[0], 9.0F);
    }
  }
}

TEST(Reduce, EventInsideAnAuthorsFold) {
  std::vector<float> x(8, 1e30F);
  std::vector<float> o(4);
  IrRun run(fold_kernel("reduce", 2, 4, 0, kProbability));
  // -1e60 overflows; the sum is fine.
  EXPECT_EQ(summary(run.array(x).array(o).run(1)),
            "numeric-warning: overflow encountered in multiply (program 0, count 4)\n");
}

}  // namespace
}  // namespace tilery
