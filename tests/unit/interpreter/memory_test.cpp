// Loads and stores: values, masks, bounds, provenance.
#include "tests/unit/interpreter/ir_run.h"

#include <gtest/gtest.h>

namespace tilery {
namespace {

using testing::iota;
using testing::IrRun;
using testing::summary;

constexpr CheckLevel kLevels[] = {CheckLevel::None, CheckLevel::Fast, CheckLevel::Tracked};

constexpr std::string_view kVectorAdd = R"(
func @add(%x: *f32, %y: *f32, %o: *f32, %n: i32) {
  %pid = program_id axis=0 : i32
  %eight = constant 8 : i32
  %start = mul %pid, %eight : i32
  %lanes = arange start=0 end=8 : i32[8]
  %0 = splat %start : i32[8]
  %offsets = add %0, %lanes : i32[8]
  %1 = splat %n : i32[8]
  %mask = lt %offsets, %1 : i1[8]
  %2 = splat %x : *f32[8]
  %xs = addptr %2, %offsets : *f32[8]
  %a = load %xs, %mask : f32[8]
  %3 = splat %y : *f32[8]
  %ys = addptr %3, %offsets : *f32[8]
  %b = load %ys, %mask : f32[8]
  %sum = add %a, %b : f32[8]
  %4 = splat %o : *f32[8]
  %os = addptr %4, %offsets : *f32[8]
  store %os, %sum, %mask
}
)";

TEST(Memory, VectorAddWithATail) {
  for (const CheckLevel level : kLevels) {
    std::vector<float> x = iota<float>(21);
    std::vector<float> y(21, 100.0F);
    std::vector<float> o(21, -1.0F);
    IrRun run(kVectorAdd);
    const RunReport report = run.array(x).array(y).array(o).int32(21).run(3, level);
    EXPECT_EQ(summary(report), "");
    EXPECT_EQ(o, iota<float>(21, 100.0F));
  }
}

TEST(Memory, AffineAddressesAndRangeMasksAreNotSpelledOut) {
  const IrRun run(kVectorAdd);
  EXPECT_EQ(run.kind("offsets"), "affine");
  EXPECT_EQ(run.kind("xs"), "affine");
  EXPECT_EQ(run.kind("mask"), "range");
  EXPECT_EQ(run.kind("a"), "dense");
  EXPECT_EQ(run.kind("start"), "splat");
}

TEST(Memory, OutOfBoundsLoadIsReportedOnceWithItsFirstLane) {
  std::vector<float> x = iota<float>(13);
  std::vector<float> y(16, 100.0F);
  std::vector<float> o(16, -1.0F);
  IrRun run(kVectorAdd);
  const RunReport report = run.array(x).array(y).array(o).int32(16).run(2);
  EXPECT_EQ(summary(report),
            "out-of-bounds: load of `x` element 13 is outside its 13 elements "
            "(program 1, lane 5, count 3)\n");
  ASSERT_TRUE(report.findings[0].access);
  EXPECT_EQ(report.findings[0].access->argument, "x");
  EXPECT_EQ(report.findings[0].access->index, 13);
  EXPECT_EQ(report.findings[0].access->size, 13);
  // Lanes that may be read are; the others give 0.
  EXPECT_EQ(o[12], 112.0F);
  EXPECT_EQ(o[13], 100.0F);
}

TEST(Memory, NothingIsWrittenOutside) {
  std::vector<float> all(24, 7.0F);
  std::vector<float> x(16, 1.0F);
  for (const CheckLevel level : kLevels) {
    IrRun run(kVectorAdd);
    run.array(x).array(x);
    // Only the first 8 of 24 elements belong to the kernel.
    std::vector<float> o(8);
    RunReport report = run.array(o).int32(16).run(2, level);
    EXPECT_EQ(report.programs_run, 2);
    EXPECT_EQ(summary(report),
              level == CheckLevel::None
                  ? ""
                  : "out-of-bounds: store to `o` element 8 is outside its 8 elements "
                    "(program 1, lane 0, count 8)\n");
    EXPECT_EQ(o, std::vector<float>(8, 2.0F));
  }
}

TEST(Memory, NegativeElementIsRecognised) {
  std::vector<float> x = iota<float>(4);
  std::vector<float> o(4);
  IrRun run(R"(
func @f(%x: *f32, %o: *f32) {
  %m = constant -1 : i32
  %p = addptr %x, %m : *f32
  %v = load %p : f32
  store %o, %v
}
)");
  EXPECT_EQ(summary(run.array(x).array(o).run(1)),
            "out-of-bounds: load of `x` element -1 is outside its 4 elements "
            "(program 0, count 1)\n");
}

TEST(Memory, AddressThatRunsIntoAnotherBufferIsCaught) {
  std::vector<float> both = iota<float>(8);
  std::vector<float> o(8);
  IrRun run(R"(
func @f(%x: *f32, %o: *f32) {
  %i = arange start=0 end=8 : i32[8]
  %0 = splat %x : *f32[8]
  %p = addptr %0, %i : *f32[8]
  %v = load %p : f32[8]
  %1 = splat %o : *f32[8]
  %q = addptr %1, %i : *f32[8]
  store %q, %v
}
)");
  std::vector<InterpreterBuffer> buffers(2);
  buffers[0] = {"x", both.data(), 16, Scalar::F32, nullptr, false};
  buffers[1] = {"o", o.data(), 32, Scalar::F32, nullptr, false};
  std::vector<InterpreterArgument> arguments(2);
  arguments[0] = {true, 0, 0, 0};
  arguments[1] = {true, 0, 1, 0};
  const RunReport report = tilery::run(run.program(), buffers, arguments, IrRun::one_program());
  EXPECT_EQ(summary(report),
            "out-of-bounds: load of `x` element 4 is outside its 4 elements "
            "(program 0, lane 4, count 4)\n");
}

TEST(Memory, NullPointer) {
  std::vector<float> o(1);
  IrRun run(R"(
func @f(%x: *f32, %o: *f32) {
  %v = load %x : f32
  store %o, %v
}
)");
  EXPECT_EQ(summary(run.null().array(o).run(1)),
            "out-of-bounds: load through a null pointer (program 0, count 1)\n");
}

// ptr = where(i < 2, x + i, y + i), then through memory and back.
TEST(Memory, PointersKeepTheirBufferThroughSelectAndMemory) {
  std::vector<float> x = iota<float>(4, 10.0F);
  std::vector<float> y = iota<float>(4, 20.0F);
  std::vector<std::uint64_t> table(4);
  std::vector<float> o(4);
  for (const CheckLevel level : kLevels) {
    IrRun run(R"(
func @f(%x: *f32, %y: *f32, %t: **f32, %o: *f32) {
  %i = arange start=0 end=4 : i32[4]
  %0 = splat %x : *f32[4]
  %xs = addptr %0, %i : *f32[4]
  %1 = splat %y : *f32[4]
  %ys = addptr %1, %i : *f32[4]
  %two = constant 2 : i32[4]
  %c = lt %i, %two : i1[4]
  %p = select %c, %xs, %ys : *f32[4]
  %2 = splat %t : **f32[4]
  %ts = addptr %2, %i : **f32[4]
  store %ts, %p
  %q = load %ts : *f32[4]
  %v = load %q : f32[4]
  %3 = splat %o : *f32[4]
  %os = addptr %3, %i : *f32[4]
  store %os, %v
}
)");
    EXPECT_EQ(summary(run.array(x).array(y).array(table).array(o).run(1, level)), "");
    EXPECT_EQ(o, (std::vector<float>{10, 11, 22, 23}));
  }
}

TEST(Memory, RealAddressesInATableAreLookedUp) {
  std::vector<float> x = iota<float>(4, 10.0F);
  std::vector<float*> table{&x[3], &x[0] - 1};
  std::vector<std::uint64_t> bits{reinterpret_cast<std::uintptr_t>(table[0]),
                                  reinterpret_cast<std::uintptr_t>(table[1])};
  std::vector<float> o(2);
  IrRun run(R"(
func @f(%x: *f32, %t: **f32, %o: *f32) {
  %i = arange start=0 end=2 : i32[2]
  %0 = splat %t : **f32[2]
  %ts = addptr %0, %i : **f32[2]
  %q = load %ts : *f32[2]
  %v = load %q : f32[2]
  %1 = splat %o : *f32[2]
  %os = addptr %1, %i : *f32[2]
  store %os, %v
}
)");
  const RunReport report = run.array(x).array(bits).array(o).run(1);
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_NE(report.findings[0].message.find("belongs to no argument"), std::string::npos);
  EXPECT_EQ(report.findings[0].lane, 1);
  EXPECT_EQ(o[0], 13.0F);
}

// A column of a matrix, backwards.
TEST(Memory, StridedAndReversedRows) {
  std::vector<float> x = iota<float>(24);
  std::vector<float> o(12, -1.0F);
  for (const CheckLevel level : kLevels) {
    IrRun run(R"(
func @f(%x: *f32, %o: *f32) {
  %r = arange start=0 end=3 : i32[3]
  %c = arange start=0 end=4 : i32[4]
  %six = constant 6 : i32[3]
  %r6 = mul %r, %six : i32[3]
  %0 = expand_dims %r6 axis=1 : i32[3, 1]
  %1 = broadcast %0 : i32[3, 4]
  %neg = neg %c : i32[4]
  %2 = expand_dims %neg axis=0 : i32[1, 4]
  %3 = broadcast %2 : i32[3, 4]
  %four = constant 4 : i32[3, 4]
  %4 = add %1, %3 : i32[3, 4]
  %5 = add %4, %four : i32[3, 4]
  %6 = splat %x : *f32[3, 4]
  %p = addptr %6, %5 : *f32[3, 4]
  %v = load %p : f32[3, 4]
  %7 = expand_dims %r axis=1 : i32[3, 1]
  %8 = broadcast %7 : i32[3, 4]
  %9 = mul %8, %four : i32[3, 4]
  %10 = expand_dims %c axis=0 : i32[1, 4]
  %11 = broadcast %10 : i32[3, 4]
  %12 = add %9, %11 : i32[3, 4]
  %13 = splat %o : *f32[3, 4]
  %q = addptr %13, %12 : *f32[3, 4]
  store %q, %v
}
)");
    EXPECT_EQ(run.kind("p"), "affine");
    EXPECT_EQ(summary(run.array(x).array(o).run(1, level)), "");
    EXPECT_EQ(o, (std::vector<float>{4, 3, 2, 1, 10, 9, 8, 7, 16, 15, 14, 13}));
  }
}

TEST(Memory, BoxMaskWithOther) {
  std::vector<float> x = iota<float>(12);
  std::vector<float> o(12, -1.0F);
  for (const CheckLevel level : kLevels) {
    IrRun run(R"(
func @f(%x: *f32, %o: *f32, %m: i32, %n: i32) {
  %r = arange start=0 end=3 : i32[3]
  %c = arange start=0 end=4 : i32[4]
  %0 = expand_dims %r axis=1 : i32[3, 1]
  %rows = broadcast %0 : i32[3, 4]
  %1 = expand_dims %c axis=0 : i32[1, 4]
  %cols = broadcast %1 : i32[3, 4]
  %four = constant 4 : i32[3, 4]
  %2 = mul %rows, %four : i32[3, 4]
  %offsets = add %2, %cols : i32[3, 4]
  %3 = splat %m : i32[3]
  %4 = lt %r, %3 : i1[3]
  %5 = expand_dims %4 axis=1 : i1[3, 1]
  %6 = broadcast %5 : i1[3, 4]
  %7 = splat %n : i32[4]
  %8 = ge %c, %7 : i1[4]
  %9 = expand_dims %8 axis=0 : i1[1, 4]
  %10 = broadcast %9 : i1[3, 4]
  %mask = and %6, %10 : i1[3, 4]
  %11 = splat %x : *f32[3, 4]
  %p = addptr %11, %offsets : *f32[3, 4]
  %other = constant 99.0 : f32[3, 4]
  %v = load %p, %mask, %other : f32[3, 4]
  %12 = splat %o : *f32[3, 4]
  %q = addptr %12, %offsets : *f32[3, 4]
  store %q, %v
}
)");
    EXPECT_EQ(run.kind("mask"), "range");
    EXPECT_EQ(summary(run.array(x).array(o).int32(2).int32(1).run(1, level)), "");
    EXPECT_EQ(o, (std::vector<float>{99, 1, 2, 3, 99, 5, 6, 7, 99, 99, 99, 99}));
  }
}

// far = i * 1000000000 wraps in lane 3; only lane 0 is active (conformance case C025).
TEST(Memory, FalseMaskProtectsAnyAddress) {
  for (const CheckLevel level : kLevels) {
    std::vector<std::int32_t> x{5};
    std::vector<std::int32_t> o(4);
    IrRun run(R"(
func @f(%x: *i32, %o: *i32) {
  %i = arange start=0 end=4 : i32[4]
  %big = constant 1000000000 : i32[4]
  %far = mul %i, %big : i32[4]
  %0 = splat %x : *i32[4]
  %p = addptr %0, %far : *i32[4]
  %one = constant 1 : i32[4]
  %m = lt %i, %one : i1[4]
  %other = constant -7 : i32[4]
  %v = load %p, %m, %other : i32[4]
  %1 = splat %o : *i32[4]
  %q = addptr %1, %i : *i32[4]
  store %q, %v
  %zero = constant 0 : i32[4]
  %none = lt %i, %zero : i1[4]
  %r = addptr %1, %far : *i32[4]
  store %r, %v, %none
}
)");
    EXPECT_EQ(run.kind("far"), "affine");
    EXPECT_EQ(summary(run.array(x).array(o).run(1, level)), "");
    EXPECT_EQ(o, (std::vector<std::int32_t>{5, -7, -7, -7}));
  }
}

TEST(Memory, ReadOnlyBuffer) {
  std::vector<float> x{1.0F};
  IrRun run(R"(
func @f(%x: *f32) {
  %v = constant 2.0 : f32
  store %x, %v
}
)");
  EXPECT_EQ(summary(run.array(x).read_only().run(1)),
            "out-of-bounds: store to `x`, which is read-only (program 0, count 1)\n");
  EXPECT_EQ(x[0], 1.0F);
}

TEST(Memory, BoolCellsHoldAnyByte) {
  std::vector<std::uint8_t> x{0, 1, 2, 255};
  std::vector<std::uint8_t> o(4, 9);
  for (const CheckLevel level : kLevels) {
    IrRun run(R"(
func @f(%x: *i1, %o: *i1) {
  %i = arange start=0 end=4 : i32[4]
  %0 = splat %x : *i1[4]
  %p = addptr %0, %i : *i1[4]
  %v = load %p : i1[4]
  %1 = splat %o : *i1[4]
  %q = addptr %1, %i : *i1[4]
  store %q, %v
}
)");
    run.array(x).array(o).run(1, level);
    EXPECT_EQ(o, (std::vector<std::uint8_t>{0, 1, 1, 1}));
  }
}

TEST(Memory, MisalignedAccess) {
  std::vector<float> x(4);
  IrRun run(R"(
func @f(%x: *f32) {
  %b = bitcast %x : *i8
  %one = constant 1 : i32
  %p = addptr %b, %one : *i8
  %q = bitcast %p : *f32
  %v = constant 2.0 : f32
  store %q, %v
}
)");
  EXPECT_EQ(summary(run.array(x).run(1)),
            "out-of-bounds: store to `x` at byte 1 is not aligned to its elements of 4 bytes "
            "(program 0, count 1)\n");
}

}  // namespace
}  // namespace tilery
