// Loops and branches: bounds, carried values, parking a program between any two steps.
#include "interpreter/engine.h"
#include "interpreter/program.h"
#include "tests/support/ir_text.h"
#include "tests/unit/interpreter/ir_run.h"

#include <gtest/gtest.h>

#include <limits>

namespace tilery {
namespace {

using testing::iota;
using testing::IrRun;
using testing::summary;

constexpr CheckLevel kLevels[] = {CheckLevel::None, CheckLevel::Fast, CheckLevel::Tracked};

/// Counts iterations and sums the induction variable, in 64 bits.
std::string counting_loop(std::string_view type) {
  std::string text = R"(
func @f(%o: *i64, %lower: T, %upper: T, %step: T) {
  %zero = constant 0 : i64
  %one = constant 1 : i64
  %n, %s = for %lower, %upper, %step, %zero, %zero : i64, i64 {
  body(%i: T, %a: i64, %b: i64):
    %a1 = add %a, %one : i64
    %wide = cast %i : i64
    %b1 = add %b, %wide : i64
    yield %a1, %b1
  }
  store %o, %n
  %two = addptr %o, %one : *i64
  store %two, %s
}
)";
  if (type == "i64") {
    const std::string cast = "%wide = cast %i : i64";
    text.replace(text.find(cast), cast.size(), "%wide = add %i, %zero : i64");
  }
  for (std::size_t at = text.find('T'); at != std::string::npos; at = text.find('T')) {
    text.replace(at, 1, type);
  }
  return text;
}

std::vector<std::int64_t> count_loop(std::string_view type, std::int64_t lower, std::int64_t upper,
                                     std::int64_t step) {
  std::vector<std::int64_t> o(2, -1);
  IrRun run(counting_loop(type));
  run.array(o).int64(lower).int64(upper).int64(step);
  EXPECT_EQ(summary(run.run(1)), "");
  return o;
}

using Counts = std::vector<std::int64_t>;

TEST(Control, LoopsCountUpAndDown) {
  EXPECT_EQ(count_loop("i32", 0, 5, 1), (Counts{5, 10}));
  EXPECT_EQ(count_loop("i32", 1, 8, 3), (Counts{3, 1 + 4 + 7}));
  EXPECT_EQ(count_loop("i32", 5, 0, -2), (Counts{3, 5 + 3 + 1}));
  EXPECT_EQ(count_loop("i32", 3, 3, 1), (Counts{0, 0}));
  EXPECT_EQ(count_loop("i32", 4, 3, 1), (Counts{0, 0}));
  EXPECT_EQ(count_loop("i32", 3, 4, -1), (Counts{0, 0}));
}

TEST(Control, BoundsAtTheEdgeOfTheType) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int32_t>::max();
  constexpr std::int64_t kMin = std::numeric_limits<std::int32_t>::min();
  EXPECT_EQ(count_loop("i32", kMax - 3, kMax, 2), (Counts{2, (kMax - 3) + (kMax - 1)}));
  EXPECT_EQ(count_loop("i32", kMin, kMax, kMax), (Counts{3, kMin + (kMin + kMax) + (kMax - 1)}));
  EXPECT_EQ(count_loop("i32", kMin + 1, kMin, -1), (Counts{1, kMin + 1}));
  EXPECT_EQ(count_loop("u32", 0xFFFFFFFD, 0xFFFFFFFF, 1), (Counts{2, 0xFFFFFFFD + 0xFFFFFFFELL}));
  constexpr std::int64_t kMax64 = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(count_loop("i64", kMax64 - 1, kMax64, 1), (Counts{1, kMax64 - 1}));
  EXPECT_EQ(count_loop("i64", -kMax64, kMax64, kMax64), (Counts{2, -kMax64}));
}

TEST(Control, ZeroStepIsReported) {
  std::vector<std::int64_t> o(2, -1);
  IrRun run(counting_loop("i32"));
  run.array(o).int32(0).int32(4).int32(0);
  EXPECT_EQ(summary(run.run(1)),
            "bad-loop: the step of this loop is 0 (zero), so that it would never end "
            "(program 0, count 1)\n");
  EXPECT_EQ(o, (Counts{-1, -1}));
}

// for i in range(10): if i == 3: break
TEST(Control, ExitFlagEndsTheLoop) {
  std::vector<std::int32_t> o(1);
  for (const CheckLevel level : kLevels) {
    IrRun run(R"(
func @f(%o: *i32, %n: i32, %already: i1) {
  %zero = constant 0 : i32
  %one = constant 1 : i32
  %three = constant 3 : i32
  %e, %c = for %zero, %n, %one, %already, %zero has_exit=true : i1, i32 {
  body(%i: i32, %x: i1, %a: i32):
    %a1 = add %a, %one : i32
    %stop = eq %i, %three : i1
    yield %stop, %a1
  }
  store %o, %c
}
)");
    run.array(o).int32(10).bits(0);
    run.run(1, level);
    EXPECT_EQ(o[0], 4);
  }
}

// Tiles that trade places: a, b = b, a + b.
TEST(Control, CarriedTilesMayTradePlaces) {
  std::vector<std::int32_t> o(8);
  for (const CheckLevel level : kLevels) {
    IrRun run(R"(
func @f(%o: *i32, %n: i32) {
  %zero = constant 0 : i32
  %one = constant 1 : i32
  %i = arange start=0 end=4 : i32[4]
  %ones = constant 1 : i32[4]
  %sq = mul %i, %i : i32[4]
  %x, %y = for %zero, %n, %one, %sq, %ones : i32[4], i32[4] {
  body(%k: i32, %a: i32[4], %b: i32[4]):
    %c = add %a, %b : i32[4]
    yield %b, %c
  }
  %0 = splat %o : *i32[4]
  %p = addptr %0, %i : *i32[4]
  store %p, %x
  %four = constant 4 : i32[4]
  %q = addptr %p, %four : *i32[4]
  store %q, %y
}
)");
    run.array(o).int32(3);
    EXPECT_EQ(summary(run.run(1, level)), "");
    // (s, 1) → (1, s+1) → (s+1, s+2) → (s+2, 2s+3)
    EXPECT_EQ(o, (std::vector<std::int32_t>{2, 3, 6, 11, 3, 5, 11, 21}));
  }
}

TEST(Control, CarriedPointersStayAffine) {
  std::vector<std::int32_t> x = iota<std::int32_t>(12);
  std::vector<std::int32_t> o(4);
  for (const CheckLevel level : kLevels) {
    IrRun run(R"(
func @f(%x: *i32, %o: *i32, %n: i32) {
  %zero = constant 0 : i32
  %four = constant 4 : i32
  %fours = constant 4 : i32[4]
  %zeros = constant 0 : i32[4]
  %i = arange start=0 end=4 : i32[4]
  %0 = splat %x : *i32[4]
  %p0 = addptr %0, %i : *i32[4]
  %p1, %sum = for %zero, %n, %four, %p0, %zeros : *i32[4], i32[4] {
  body(%k: i32, %p: *i32[4], %a: i32[4]):
    %v = load %p : i32[4]
    %a1 = add %a, %v : i32[4]
    %next = addptr %p, %fours : *i32[4]
    yield %next, %a1
  }
  %1 = splat %o : *i32[4]
  %q = addptr %1, %i : *i32[4]
  store %q, %sum
}
)");
    EXPECT_EQ(run.kind("p"), "affine");
    run.array(x).array(o).int32(12);
    EXPECT_EQ(summary(run.run(1, level)), "");
    EXPECT_EQ(o, (std::vector<std::int32_t>{12, 15, 18, 21}));
  }
}

// while n > 1: n, c = (n / 2 if even else 3n + 1), c + 1
TEST(Control, WhileWithABranchInside) {
  std::vector<std::int32_t> o(1);
  for (const CheckLevel level : kLevels) {
    IrRun run(R"(
func @f(%o: *i32, %start: i32) {
  %zero = constant 0 : i32
  %one = constant 1 : i32
  %two = constant 2 : i32
  %three = constant 3 : i32
  %n, %c = while %start, %zero : i32, i32 {
  cond(%m: i32, %k: i32):
    %go = gt %m, %one : i1
    condition %go, %m, %k
  body(%m1: i32, %k1: i32):
    %rest = rem %m1, %two : i32
    %odd = ne %rest, %zero : i1
    %next = if %odd : i32 {
    then:
      %t = mul %m1, %three : i32
      %u = add %t, %one : i32
      yield %u
    else:
      %h = idiv %m1, %two : i32
      yield %h
    }
    %k2 = add %k1, %one : i32
    yield %next, %k2
  }
  store %o, %c
}
)");
    run.array(o).int32(27);
    EXPECT_EQ(summary(run.run(1, level)), "");
    EXPECT_EQ(o[0], 111);
  }
}

TEST(Control, BranchResultsOfDifferentKinds) {
  std::vector<std::int32_t> o(4);
  for (const std::int32_t c : {0, 1}) {
    IrRun run(R"(
func @f(%o: *i32, %c: i1) {
  %i = arange start=0 end=4 : i32[4]
  %nine = constant 9 : i32[4]
  %r = if %c : i32[4] {
  then:
    yield %i
  else:
    yield %nine
  }
  %0 = splat %o : *i32[4]
  %p = addptr %0, %i : *i32[4]
  store %p, %r
}
)");
    EXPECT_EQ(run.kind("r"), "affine");
    run.array(o).bits(static_cast<std::uint64_t>(c));
    EXPECT_EQ(summary(run.run(1)), "");
    EXPECT_EQ(o, c != 0 ? (std::vector<std::int32_t>{0, 1, 2, 3})
                        : (std::vector<std::int32_t>{9, 9, 9, 9}));
  }
}

constexpr std::string_view kDoublingLoop = R"(
func @f(%x: *f32, %o: *f32, %n: i32) {
  %zero = constant 0 : i32
  %one = constant 1 : i32
  %i = arange start=0 end=4 : i32[4]
  %0 = splat %x : *f32[4]
  %p = addptr %0, %i : *f32[4]
  %v0 = load %p : f32[4]
  %two = constant 2.0 : f32[4]
  %r = for %zero, %n, %one, %v0 : f32[4] {
  body(%k: i32, %v: f32[4]):
    %w = mul %v, %two : f32[4]
    yield %w
  }
  %1 = splat %o : *f32[4]
  %q = addptr %1, %i : *f32[4]
  store %q, %r
}
)";

// Two programs take turns, a few steps at a time, each on its own runner.
TEST(Control, ProgramsCanBeParkedAnywhere) {
  const InterpreterProgram program(testing::read_ir(kDoublingLoop));
  for (const CheckLevel level : kLevels) {
    for (const std::uint64_t steps : {1, 2, 3, 7}) {
      std::vector<float> x{1, 2, 3, 4};
      std::vector<float> o(8);
      const interpreter::MemoryMap memory({{"x", x.data(), 16, Scalar::F32, nullptr, false},
                                           {"o", o.data(), 32, Scalar::F32, nullptr, false}});
      const interpreter::LineIndex lines(program.function, nullptr);
      const interpreter::Launch launch{&program.function, &memory, {2, 1, 1}, &lines};
      const InterpreterArgument input{true, 0, 0, 0};
      const InterpreterArgument first[] = {input, {true, 0, 1, 0}, {false, 3, -1, 0}};
      const InterpreterArgument second[] = {input, {true, 0, 1, 16}, {false, 10, -1, 0}};
      interpreter::ProgramRunner a(program, launch, first, level);
      interpreter::ProgramRunner b(program, launch, second, level);
      interpreter::FindingLog log;
      std::string printed;
      a.start({0, 0, 0}, 0, log, printed);
      b.start({1, 0, 0}, 1, log, printed);
      bool a_ended = false;
      bool b_ended = false;
      int turns = 0;
      while (!a_ended || !b_ended) {
        a_ended = a_ended || a.run(steps);
        b_ended = b_ended || b.run(steps);
        ++turns;
      }
      EXPECT_GT(turns, 3);
      EXPECT_EQ(o, (std::vector<float>{8, 16, 24, 32, 1024, 2048, 3072, 4096}));
    }
  }
}

// The event comes in the loop's 128th iteration: the program goes on in Tracked from there.
TEST(Control, EventInTheMiddleOfALoop) {
  std::vector<float> x{1, 0, -1, 0.5};
  std::vector<float> o(4);
  IrRun run(kDoublingLoop);
  run.array(x).array(o).int32(130);
  EXPECT_EQ(summary(run.run(1)),
            "numeric-warning: overflow encountered in multiply (program 0, lane 0, count 3)\n");
  constexpr float kInf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(o, (std::vector<float>{kInf, 0, -kInf, kInf}));
}

TEST(Control, TimeoutEndsAnEndlessLoop) {
  std::vector<std::int32_t> o(1);
  IrRun run(R"(
func @f(%o: *i32, %t: i1) {
  while {
  cond():
    condition %t
  body():
  }
}
)");
  run.array(o).bits(1);
  RunOptions options = IrRun::one_program();
  options.timeout = std::chrono::milliseconds(30);
  const RunReport report = run.run(options);
  EXPECT_FALSE(report.completed);
  EXPECT_EQ(summary(report),
            "timeout: time is up: this program was still running (program 0, count 1)\n");
}

TEST(Control, EmptyGridRunsNothing) {
  std::vector<float> x(4);
  std::vector<float> o(4);
  IrRun run(kDoublingLoop);
  RunOptions options = IrRun::one_program();
  options.grid = {3, 0, 1};
  const RunReport report = run.array(x).array(o).int32(1).run(options);
  EXPECT_TRUE(report.completed);
  EXPECT_EQ(report.programs_run, 0);
}

}  // namespace
}  // namespace tilery
