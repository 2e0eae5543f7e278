// Assertions, printing, promises, and how many findings a report has.
#include "tests/unit/interpreter/check_kernel.h"
#include "tests/unit/interpreter/ir_run.h"

#include <gtest/gtest.h>

#include <limits>

namespace tilery {
namespace {

using testing::IrRun;
using testing::kernel;
using testing::summary;

// Conformance case C149.
TEST(Debug, AssertionShowsMessageLaneAndValue) {
  std::vector<std::int32_t> x{1, 7, 9};
  std::vector<std::int32_t> o(4, -1);
  IrRun run(R"(
func @f(%x: *i32, %o: *i32, %n: i32) {
  %i = arange start=0 end=4 : i32[4]
  %ns = splat %n : i32[4]
  %m = lt %i, %ns : i1[4]
  %xs = splat %x : *i32[4]
  %p = addptr %xs, %i : *i32[4]
  %zero = constant 0 : i32[4]
  %v = load %p, %m, %zero : i32[4]
  %eight = constant 8 : i32[4]
  %c = lt %v, %eight : i1[4]
  device_assert %c, %m message="index too large"
  %os = splat %o : *i32[4]
  %q = addptr %os, %i : *i32[4]
  store %q, %v, %m
}
)");
  const RunReport report = run.array(x).array(o).int32(3).run(1);
  EXPECT_EQ(summary(report),
            "assertion-failed: assertion failed: index too large (program 0, lane 2, count 1)\n");
  EXPECT_EQ(report.findings[0].details, (std::vector<std::string>{"9 < 8 does not hold"}));
  EXPECT_EQ(o[0], -1);
}

TEST(Debug, PrintsScalarsAndTiles) {
  std::vector<float> x{1.5F, -0.25F, 1e10F, std::numeric_limits<float>::infinity(), 0, 0, 0, 0};
  std::vector<float> o(8);
  IrRun run(kernel(R"(
  %pid = program_id axis=0 : i32
  device_print %pid prefix="pid: "
  %v = load %p : f32[8]
  %r = reshape %v : f32[2, 4]
  device_print %r prefix="r"
  device_print %m, %i prefix="two" hex=false
  device_print %i prefix="h" hex=true
)"));
  run.array(x).array(o).int32(3).run(1);
  EXPECT_EQ(run.printed(),
            "pid (0, 0, 0) pid: 0\n"
            "pid (0, 0, 0) r: [[1.5, -0.25, 10000000000.0, inf], [0.0, 0.0, 0.0, 0.0]]\n"
            "pid (0, 0, 0) two: (operand 0) [True, True, True, False, False, False, False, False]\n"
            "pid (0, 0, 0) two: (operand 1) [0, 1, 2, 3, 4, 5, 6, 7]\n"
            "pid (0, 0, 0) h: [0x00000000, 0x00000001, 0x00000002, 0x00000003, 0x00000004, "
            "0x00000005, 0x00000006, 0x00000007]\n");
}

TEST(Debug, BrokenPromises) {
  const auto found = [](std::string_view rest, int n) {
    std::vector<float> x(8);
    std::vector<float> o(8);
    IrRun run(kernel(rest));
    return summary(run.array(x).array(o).int32(n).run(1));
  };
  const std::string_view multiple = "  %k = multiple_of %n values=[16] : i32\n";
  EXPECT_EQ(found(multiple, 32), "");
  EXPECT_EQ(found(multiple, 33),
            "broken-promise: `multiple_of` promises a multiple of 16, but the first value is 33 "
            "(program 0, count 1)\n");
  const std::string_view contiguous =
      "  %k = mul %i, %ns : i32[8]\n  %h = max_contiguous %k values=[8] : i32[8]\n";
  EXPECT_EQ(found(contiguous, 1), "");
  EXPECT_EQ(found(contiguous, 3),
            "broken-promise: `max_contiguous` promises runs of 8 consecutive values along axis 0, "
            "but they differ by 3 (program 0, count 1)\n");
  const std::string_view steps =
      "  %k = mul %i, %ns : i32[8]\n  %h = multiple_of %k values=[16] : i32[8]\n";
  EXPECT_EQ(found(steps, 16), "") << "0, 16, 32 …";
  EXPECT_EQ(found(steps, 1), "") << "one run, from 0 on";
  EXPECT_EQ(found(steps, 3),
            "broken-promise: `multiple_of` promises a multiple of 16, but lane 1 is 3 "
            "(program 0, count 1)\n");
  const std::string_view assume = "  %z = constant 4 : i32\n  %c = lt %n, %z : i1\n  assume %c\n";
  EXPECT_EQ(found(assume, 3), "");
  EXPECT_EQ(found(assume, 4),
            "broken-promise: the assumed condition is false (program 0, count 1)\n");
}

TEST(Report, CapIsDecidedByTheLowestPrograms) {
  // Every program reads one element past the end, each at its own place on one line.
  const std::string_view text = R"(
func @f(%x: *f32, %y: *f32, %o: *f32) {
  %pid = program_id axis=0 : i32
  %p = addptr %x, %pid : *f32
  %v = load %p : f32
  %q = addptr %y, %pid : *f32
  %w = load %q : f32
  %s = add %v, %w : f32
  %r = addptr %o, %pid : *f32
  store %r, %s
}
)";
  std::vector<float> x(700);
  std::vector<float> y(900);
  std::vector<float> o(5000);
  const auto found = [&](int threads, int limit) {
    IrRun run(text);
    run.array(x).array(y).array(o);
    RunOptions options;
    options.threads = threads;
    options.grid = {5000, 1, 1};
    options.max_findings = limit;
    return run.run(options);
  };
  EXPECT_EQ(summary(found(1, 20)),
            "out-of-bounds: load of `x` element 700 is outside its 700 elements "
            "(program 700, count 4300)\n"
            "out-of-bounds: load of `y` element 900 is outside its 900 elements "
            "(program 900, count 4100)\n");
  EXPECT_EQ(summary(found(3, 20)), summary(found(1, 20)));
  const RunReport first = found(1, 1);
  EXPECT_FALSE(first.completed);
  EXPECT_EQ(first.findings.size(), 1U);
  EXPECT_EQ(summary(found(2, 1)), summary(first));
}

}  // namespace
}  // namespace tilery
