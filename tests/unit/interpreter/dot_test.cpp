// dot: values, an accumulator that a loop carries, and what is found.
#include "tests/unit/interpreter/ir_run.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tilery {
namespace {

using testing::iota;
using testing::IrRun;
using testing::summary;

// acc = zeros; for k in range(n): acc = dot(a, b, acc). a is 2×3, b 3×2.
constexpr std::string_view kLoop = R"(
func @f(%a: *f32, %b: *f32, %o: *f32, %n: i32) {
  %zero = constant 0 : i32
  %one = constant 1 : i32
  %i = arange start=0 end=6 : i32[6]
  %as = splat %a : *f32[6]
  %ap = addptr %as, %i : *f32[6]
  %av = load %ap : f32[6]
  %at = reshape %av : f32[2, 3]
  %bs = splat %b : *f32[6]
  %bp = addptr %bs, %i : *f32[6]
  %bv = load %bp : f32[6]
  %bt = reshape %bv : f32[3, 2]
  %acc0 = constant 0.0 : f32[2, 2]
  %r = for %zero, %n, %one, %acc0 : f32[2, 2] {
  body(%k: i32, %acc: f32[2, 2]):
    %next = dot %at, %bt, %acc precision=ieee : f32[2, 2]
    yield %next
  }
  %flat = reshape %r : f32[4]
  %j = arange start=0 end=4 : i32[4]
  %os = splat %o : *f32[4]
  %q = addptr %os, %j : *f32[4]
  store %q, %flat
}
)";

TEST(Dot, CarriedAccumulator) {
  for (const CheckLevel level : {CheckLevel::None, CheckLevel::Fast, CheckLevel::Tracked}) {
    std::vector<float> a = iota<float>(6);
    std::vector<float> b = iota<float>(6, 1);
    std::vector<float> o(4);
    IrRun run(kLoop);
    EXPECT_EQ(summary(run.array(a).array(b).array(o).int32(3).run(1, level)), "");
    // [[0 1 2] [3 4 5]] · [[1 2] [3 4] [5 6]] = [[13 16] [40 52]], three times.
    EXPECT_EQ(o, (std::vector<float>{39, 48, 120, 156}));
  }
}

TEST(Dot, OverflowIsFoundWhereItHappens) {
  std::vector<float> a{1e20F, 0, 0, 1, 1, 1};
  std::vector<float> b{1e20F, 1, 0, 1, 0, 1};
  std::vector<float> o(4);
  IrRun run(kLoop);
  EXPECT_EQ(summary(run.array(a).array(b).array(o).int32(2).run(1)),
            "numeric-warning: overflow encountered in matmul (program 0, lane 0, count 1)\n");
  EXPECT_TRUE(std::isinf(o[0]));
  EXPECT_EQ(o[3], 6.0F);
}

TEST(Dot, InfinityThatCameInIsNoEvent) {
  std::vector<float> a{INFINITY, 0, 0, 1, 1, 1};
  std::vector<float> b{1, 1, 0, 1, 0, 1};
  std::vector<float> o(4);
  IrRun run(kLoop);
  EXPECT_EQ(summary(run.array(a).array(b).array(o).int32(2).run(1)), "");
}

}  // namespace
}  // namespace tilery
