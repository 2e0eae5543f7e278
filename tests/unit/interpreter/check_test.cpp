// What is found and what is not: undefined lanes and numeric events.
#include "tests/unit/interpreter/check_kernel.h"
#include "tests/unit/interpreter/ir_run.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tilery {
namespace {

using testing::iota;
using testing::IrRun;
using testing::kernel;
using testing::summary;

constexpr float kInf = std::numeric_limits<float>::infinity();

struct Outcome {
  std::string findings;
  std::vector<float> o;
};

Outcome outcome(std::string_view rest, std::vector<float> x, int n,
                CheckLevel level = CheckLevel::Fast) {
  Outcome result;
  result.o.assign(8, -1.0F);
  IrRun run(kernel(rest));
  const RunReport report = run.array(x).array(result.o).int32(n).run(1, level);
  result.findings = summary(report);
  return result;
}

constexpr std::string_view kSum = R"(
  %s = reduce %v axis=0 : f32 {
  combine(%a: f32, %b: f32):
    %c = add %a, %b : f32
    yield %c
  }
  store %o, %s
)";

// Conformance case C023.
TEST(Undefined, MaskedOffLanesThatReachASum) {
  const auto [findings, o] =
      outcome("  %v = load %p, %m : f32[8]\n" + std::string(kSum), {1, 2, 3}, 3);
  EXPECT_EQ(findings,
            "uninitialised: lanes of `v` that the mask leaves without a value reach `sum` "
            "(program 0, lane 3, count 5)\n");
  EXPECT_EQ(o[0], 6.0F);
}

TEST(Undefined, OnlyTheFirstPlaceIsTold) {
  EXPECT_EQ(outcome("  %v = load %p, %m : f32[8]\n" + std::string(kSum) + "  store %q, %v\n",
                    {1, 2, 3}, 3)
                .findings,
            "uninitialised: lanes of `v` that the mask leaves without a value reach `sum` "
            "(program 0, lane 3, count 5)\n");
}

TEST(Undefined, NothingIsSaidIfNoLaneIsOff) {
  EXPECT_EQ(
      outcome("  %v = load %p, %m : f32[8]\n" + std::string(kSum), iota<float>(8), 8).findings, "");
}

TEST(Undefined, OtherIsAValue) {
  EXPECT_EQ(
      outcome("  %v = load %p, %m, %zero : f32[8]\n" + std::string(kSum), {1, 2, 3}, 3).findings,
      "");
}

TEST(Undefined, SelectDropsThem) {
  const std::string rest = "  %w = load %p, %m : f32[8]\n  %v = select %m, %w, %zero : f32[8]\n";
  for (const CheckLevel level : {CheckLevel::Fast, CheckLevel::Tracked}) {
    const auto [findings, o] = outcome(rest + std::string(kSum), {1, 2, 3}, 3, level);
    EXPECT_EQ(findings, "");
    EXPECT_EQ(o[0], 6.0F);
  }
}

TEST(Undefined, NarrowerMaskDropsThem) {
  const std::string_view rest = R"(
  %v = load %p, %m : f32[8]
  %twos = constant 2 : i32[8]
  %c = ge %i, %twos : i1[8]
  %both = and %m, %c : i1[8]
  store %q, %v, %both
)";
  for (const CheckLevel level : {CheckLevel::Fast, CheckLevel::Tracked}) {
    const auto [findings, o] = outcome(rest, {1, 2, 3}, 3, level);
    EXPECT_EQ(findings, "");
    EXPECT_EQ(o, (std::vector<float>{-1, -1, 3, -1, -1, -1, -1, -1}));
  }
}

// A new value in the slot of one that had undefined lanes has none itself.
TEST(Undefined, ARangeInAReusedSlot) {
  const std::string_view rest = R"(
  %v = load %p, %m : f32[8]
  %w = mul %v, %one : f32[8]
  store %q, %w, %m
  %j = arange start=0 end=8 : i32[8]
  %k = addptr %os, %j : *f32[8]
  store %k, %one
)";
  EXPECT_EQ(outcome(rest, {1, 2, 3}, 3, CheckLevel::Tracked).findings, "");
}

TEST(Undefined, AProgramIdInAReusedSlot) {
  for (const std::string_view id : {"program_id", "num_programs"}) {
    const std::string rest = R"(
  %off = constant false : i1
  %v = load %x, %off : f32
  %w = add %v, %v : f32
  %y = )" + std::string(id) + R"( axis=1 : i32
  %k = addptr %o, %y : *f32
  %s = load %x : f32
  store %k, %s
)";
    EXPECT_EQ(outcome(rest, {1, 2, 3}, 3, CheckLevel::Tracked).findings, "") << id;
  }
}

TEST(Undefined, ALoopCounterInAReusedSlot) {
  const std::string_view rest = R"(
  %off = constant false : i1
  %z = constant 0 : i32
  %u = constant 1 : i32
  %v = load %x, %off : f32
  %w = add %v, %v : f32
  for %z, %n, %u {
  body(%j: i32):
    %k = addptr %o, %j : *f32
    %s = load %x : f32
    store %k, %s
  }
)";
  EXPECT_EQ(outcome(rest, {1, 2, 3}, 3, CheckLevel::Tracked).findings, "");
}

TEST(Undefined, StoredUnderAnotherMask) {
  EXPECT_EQ(outcome("  %v = load %p, %m : f32[8]\n  store %q, %v\n", {1, 2, 3}, 3).findings,
            "uninitialised: lanes of `v` that the mask leaves without a value reach `store` "
            "(program 0, lane 3, count 5)\n");
}

TEST(Undefined, ThroughALoopUnderOneMask) {
  const std::string_view rest = R"(
  %z = constant 0 : i32
  %k = constant 1 : i32
  %r = for %z, %n, %k, %zero : f32[8] {
  body(%j: i32, %acc: f32[8]):
    %v = load %p, %m : f32[8]
    %next = add %acc, %v : f32[8]
    yield %next
  }
  store %q, %r, %m
)";
  for (const CheckLevel level : {CheckLevel::Fast, CheckLevel::Tracked}) {
    const auto [findings, o] = outcome(rest, {1, 2, 3}, 3, level);
    EXPECT_EQ(findings, "");
    EXPECT_EQ(o, (std::vector<float>{3, 6, 9, -1, -1, -1, -1, -1}));
  }
}

TEST(Undefined, AsAnAddress) {
  const std::string_view rest = R"(
  %v = load %p, %m : f32[8]
  %index = cast %v : i32[8]
  %r = addptr %xs, %index : *f32[8]
  %w = load %r : f32[8]
  store %q, %w
)";
  EXPECT_EQ(outcome(rest, {1, 2, 0}, 3).findings,
            "uninitialised: lanes of `v` that the mask leaves without a value reach an address "
            "(program 0, lane 3, count 5)\n");
}

TEST(Undefined, MemoryThatWasNeverWritten) {
  std::vector<float> x(8, 5.0F);
  const auto written = Definedness::none_of(32);
  written->mark(0, 13);
  written->mark(14, 18);
  std::vector<float> o(8);
  IrRun run(kernel("  %v = load %p : f32[8]\n  store %q, %v, %m\n"));
  run.array(x).defined(*written).array(o).int32(8);
  EXPECT_EQ(summary(run.run(1)),
            "uninitialised: `v` is read from memory of `x` that was never written, and reaches "
            "`store` (program 0, lane 3, count 1)\n");
  IrRun dropped(kernel("  %v = load %p : f32[8]\n  store %q, %v, %m\n"));
  dropped.array(x).defined(*written).array(o).int32(3);
  EXPECT_EQ(summary(dropped.run(1)), "");
}

TEST(Undefined, StoresDefineMemory) {
  std::vector<float> x(8, 5.0F);
  std::vector<float> o(8);
  const auto written = Definedness::none_of(32);
  IrRun run(kernel("  store %q, %one, %m\n  %v = load %q, %m, %zero : f32[8]\n  store %p, %v\n"));
  run.array(x).array(o).defined(*written).int32(5);
  EXPECT_EQ(summary(run.run(1)), "");
  EXPECT_EQ(x, (std::vector<float>{1, 1, 1, 1, 1, 0, 0, 0}));
  EXPECT_TRUE(written->is_marked(0, 20));
  EXPECT_FALSE(written->is_marked(20, 1));
}

// The naive softmax of the chapter: exactly two warnings.
TEST(Numeric, NaiveSoftmax) {
  const std::string_view rest = R"(
  %v0 = load %p, %m, %zero : f32[8]
  %e = exp %v0 : f32[8]
  %v = select %m, %e, %zero : f32[8]
  %s = reduce %v axis=0 : f32 {
  combine(%a: f32, %b: f32):
    %c = add %a, %b : f32
    yield %c
  }
  %ss = splat %s : f32[8]
  %y = div %v, %ss : f32[8]
  store %q, %y, %m
)";
  const auto [findings, o] = outcome(rest, {100, 101, 50, 0}, 4);
  EXPECT_EQ(findings,
            "numeric-warning: overflow encountered in exp (program 0, lane 0, count 2)\n"
            "numeric-warning: invalid value encountered in divide (program 0, lane 0, count 2)\n");
  EXPECT_TRUE(std::isnan(o[0]) && std::isnan(o[1]));
  EXPECT_EQ(o[2], 0.0F);
  EXPECT_EQ(o[3], 0.0F);
  EXPECT_EQ(o[4], -1.0F);
}

TEST(Numeric, DroppedLanesAreNoAlarm) {
  const std::string_view rest = R"(
  %v = load %p, %m, %zero : f32[8]
  %l = log %v : f32[8]
  %r = div %one, %v : f32[8]
  %sum = add %l, %r : f32[8]
  store %q, %sum, %m
)";
  EXPECT_EQ(outcome(rest, {1, 2}, 2).findings, "");
  EXPECT_EQ(outcome(rest, {1, 2}, 2, CheckLevel::Tracked).findings, "");
}

TEST(Numeric, EachKindHasItsWords) {
  const auto words = [](std::string_view op, float x) {
    const std::string rest = "  %v = load %p, %m, %one : f32[8]\n  " + std::string(op) +
                             " : f32[8]\n  store %q, %y, %m\n";
    return outcome(rest, {x}, 1).findings;
  };
  const std::string place = " (program 0, lane 0, count 1)\n";
  EXPECT_EQ(words("%y = exp2 %v", 200), "numeric-warning: overflow encountered in exp2" + place);
  EXPECT_EQ(words("%y = log %v", 0), "numeric-warning: divide by zero encountered in log" + place);
  EXPECT_EQ(words("%y = log2 %v", -1),
            "numeric-warning: invalid value encountered in log2" + place);
  EXPECT_EQ(words("%y = sqrt %v", -1),
            "numeric-warning: invalid value encountered in sqrt" + place);
  EXPECT_EQ(words("%y = mul %v, %v", 1e30F),
            "numeric-warning: overflow encountered in multiply" + place);
  EXPECT_EQ(words("%y = add %v, %v", 3e38F),
            "numeric-warning: overflow encountered in add" + place);
  EXPECT_EQ(words("%y = sub %v, %v", kInf),
            "numeric-warning: invalid value encountered in subtract" + place);
  EXPECT_EQ(words("%y = div %one, %v", 0),
            "numeric-warning: divide by zero encountered in divide" + place);
  EXPECT_EQ(words("%y = fma %v, %v, %one", 1e30F),
            "numeric-warning: overflow encountered in multiply" + place);
  EXPECT_EQ(words("%y = fma %v, %one, %v", 3e38F),
            "numeric-warning: overflow encountered in add" + place);
}

TEST(Numeric, WhatCameInIsNoEvent) {
  const std::string_view rest = R"(
  %v = load %p : f32[8]
  %e = exp %v : f32[8]
  %y = add %e, %one : f32[8]
  store %q, %y
)";
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(outcome(rest, {kInf, -kInf, nan, 0, 1, 2, 3, 4}, 8).findings, "");
}

TEST(Numeric, ComparisonsMakeDefiniteValues) {
  const std::string_view rest = R"(
  %v = load %p : f32[8]
  %e = exp %v : f32[8]
  %c = gt %e, %one : i1[8]
  %y = select %c, %one, %zero : f32[8]
  store %q, %y
)";
  const auto [findings, o] = outcome(rest, {100, 0, 0, 0, 0, 0, 0, 100}, 8);
  EXPECT_EQ(findings, "");
  EXPECT_EQ(o, (std::vector<float>{1, 0, 0, 0, 0, 0, 0, 1}));
}

TEST(Numeric, FloatToInteger) {
  std::vector<float> x{1, 3e9F, -1, 2};
  std::vector<std::int32_t> o(4);
  IrRun run(R"(
func @f(%x: *f32, %o: *i32) {
  %i = arange start=0 end=4 : i32[4]
  %xs = splat %x : *f32[4]
  %p = addptr %xs, %i : *f32[4]
  %v = load %p : f32[4]
  %c = cast %v : i32[4]
  %os = splat %o : *i32[4]
  %q = addptr %os, %i : *i32[4]
  store %q, %c
}
)");
  EXPECT_EQ(summary(run.array(x).array(o).run(1)),
            "numeric-warning: invalid value encountered in cast (program 0, lane 1, count 1)\n");
  EXPECT_EQ(o, (std::vector<std::int32_t>{1, 2147483647, -1, 2}));
}

TEST(Numeric, IntegerDivisionByZero) {
  std::vector<std::int32_t> x{7, 8, 9, 10};
  std::vector<std::int32_t> o(4);
  IrRun run(R"(
func @f(%x: *i32, %o: *i32) {
  %i = arange start=0 end=4 : i32[4]
  %xs = splat %x : *i32[4]
  %p = addptr %xs, %i : *i32[4]
  %v = load %p : i32[4]
  %d = idiv %v, %i : i32[4]
  %os = splat %o : *i32[4]
  %q = addptr %os, %i : *i32[4]
  store %q, %d
}
)");
  EXPECT_EQ(summary(run.array(x).array(o).run(1)),
            "numeric-warning: divide by zero encountered in floor_divide "
            "(program 0, lane 0, count 1)\n");
  EXPECT_EQ(o, (std::vector<std::int32_t>{0, 8, 4, 3}));
}

TEST(Numeric, OverflowingSumAndScan) {
  const std::string load = "  %v = load %p : f32[8]\n";
  const std::vector<float> big(8, 1e38F);
  EXPECT_EQ(outcome(load + std::string(kSum), big, 8).findings,
            "numeric-warning: overflow encountered in reduce (program 0, count 1)\n");
  const std::string_view scan = R"(
  %s = scan %v axis=0 : f32[8] {
  combine(%a: f32, %b: f32):
    %c = add %a, %b : f32
    yield %c
  }
  store %q, %s
)";
  // 1e38, 2e38, 3e38, inf …
  EXPECT_EQ(outcome(load + std::string(scan), big, 8).findings,
            "numeric-warning: overflow encountered in accumulate (program 0, lane 3, count 1)\n");
}

TEST(Numeric, CountedOverAllPrograms) {
  std::vector<float> x(8, 100.0F);
  std::vector<float> o(8);
  IrRun run(kernel("  %v = load %p : f32[8]\n  %e = exp %v : f32[8]\n  store %q, %e, %m\n"));
  run.array(x).array(o).int32(2);
  for (const int threads : {1, 2, 3}) {
    RunOptions options;
    options.threads = threads;
    options.grid = {50, 3, 2};
    EXPECT_EQ(summary(run.run(options)),
              "numeric-warning: overflow encountered in exp (program 0, lane 0, count 600)\n");
  }
}

}  // namespace
}  // namespace tilery
