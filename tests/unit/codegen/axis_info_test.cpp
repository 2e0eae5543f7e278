// The axis analysis, a row of its table a test, by what the elements are on paper. Facts are
// written "contiguity/divisibility/constancy", one group an axis.
#include "codegen/analysis/axis_info.h"

#include "tests/support/ir_text.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

namespace tilery::codegen {
namespace {

/// A function, its facts, and its values by their names.
class Subject {
 public:
  explicit Subject(const std::string& text) {
    function = testing::read_ir(text);
    table = find_axis_info(function);
    for (std::size_t i = 0; i < function.values.size(); ++i) {
      names[function.values[i].name] = ValueId(i);
    }
  }

  /// "16/4/1" an axis; divisibility of 0 is "inf".
  [[nodiscard]] std::string facts(const std::string& name) const {
    std::string text;
    for (const AxisFacts& axis : table.of(names.at(name)).axes) {
      const bool all = axis.divisibility >= std::int64_t{1} << 31;
      text += fmt::format("{}{}/{}/{}", text.empty() ? "" : " ", axis.contiguity,
                          all ? std::string("inf") : fmt::format("{}", axis.divisibility),
                          axis.constancy);
    }
    return text;
  }

  Function function;
  AxisTable table;
  std::map<std::string, ValueId> names;
};

TEST(AxisInfo, parameters) {
  const Subject s(
      R"(func @f(%p: *f32, %q: *f32 {div16}, %n: i32, %m: i32 {div16}, %o: i32 {eq1}, %h: *f16) {
})");
  // An address is a multiple of its element's size in any case.
  EXPECT_EQ(s.facts("p"), "1/4/1");
  EXPECT_EQ(s.facts("h"), "1/2/1");
  EXPECT_EQ(s.facts("q"), "1/16/1");
  EXPECT_EQ(s.facts("n"), "1/1/1");
  EXPECT_EQ(s.facts("m"), "1/16/1");
  EXPECT_EQ(s.facts("o"), "1/1/1");
  EXPECT_EQ(s.table.of(s.names.at("o")).constant, 1);
  EXPECT_FALSE(s.table.of(s.names.at("m")).constant);
}

TEST(AxisInfo, constants) {
  const Subject s(R"(func @f() {
  %twelve = constant 12 : i32[8]
  %zero = constant 0 : i32
  %minus = constant -4 : i64[8]
  %half = constant 0.5 : f32[8]
})");
  EXPECT_EQ(s.facts("twelve"), "1/4/8");
  EXPECT_EQ(s.facts("zero"), "1/inf/1");
  EXPECT_EQ(s.facts("minus"), "1/4/8");
  EXPECT_EQ(s.table.of(s.names.at("minus")).constant, -4);
  EXPECT_FALSE(s.table.of(s.names.at("minus")).non_negative);
  EXPECT_EQ(s.facts("half"), "1/1/8");
}

TEST(AxisInfo, arange) {
  const Subject s(R"(func @f() {
  %a = arange start=0 end=64 : i32[64]
  %b = arange start=4 end=12 : i32[8]
  %c = arange start=0 end=96 : i32[96]
  %d = arange start=3 end=8 : i32[5]
})");
  EXPECT_EQ(s.facts("a"), "64/inf/1");
  EXPECT_EQ(s.facts("b"), "8/4/1");
  // 96 = 3 · 32: the runs start at 0, 32 and 64.
  EXPECT_EQ(s.facts("c"), "32/32/1");
  EXPECT_EQ(s.facts("d"), "1/1/1");
}

TEST(AxisInfo, splat_and_shape_ops) {
  const Subject s(R"(func @f(%n: i32 {div16}) {
  %s = splat %n : i32[32]
  %a = arange start=0 end=32 : i32[32]
  %row = expand_dims %a axis=0 : i32[1, 32]
  %col = expand_dims %a axis=1 : i32[32, 1]
  %tile = broadcast %row : i32[8, 32]
  %turned = trans %tile order=[1, 0] : i32[32, 8]
  %flat = reshape %tile : i32[256]
  %halves = reshape %a : i32[2, 16]
})");
  EXPECT_EQ(s.facts("s"), "1/16/32");
  // Along the new axis every element stands alone, and they are 0, 1, 2, …
  EXPECT_EQ(s.facts("row"), "1/1/1 32/inf/1");
  EXPECT_EQ(s.facts("col"), "32/inf/1 1/1/1");
  EXPECT_EQ(s.facts("tile"), "1/1/8 32/inf/1");
  EXPECT_EQ(s.facts("turned"), "32/inf/1 1/1/8");
  EXPECT_EQ(s.facts("flat"), "32/inf/1");
  // [[0 … 15], [16 … 31]]
  EXPECT_EQ(s.facts("halves"), "1/1/1 16/16/1");
}

TEST(AxisInfo, expand_dims_keeps_the_divisor_of_equal_numbers) {
  const Subject s(R"(func @f() {
  %c = constant 24 : i32[32]
  %x = expand_dims %c axis=0 : i32[1, 32]
})");
  EXPECT_EQ(s.facts("x"), "1/8/1 1/8/32");
}

TEST(AxisInfo, add) {
  const Subject s(R"(func @f(%n: i32 {div16}, %m: i32) {
  %a = arange start=0 end=64 : i32[64]
  %ns = splat %n : i32[64]
  %ms = splat %m : i32[64]
  %aligned = add %a, %ns : i32[64]
  %shifted = add %ms, %a : i32[64]
  %twice = add %a, %a : i32[64]
  %uniform = add %ns, %ns : i32[64]
})");
  EXPECT_EQ(s.facts("aligned"), "64/16/1");
  // An unknown start: a run, aligned to nothing.
  EXPECT_EQ(s.facts("shifted"), "64/1/1");
  EXPECT_EQ(s.facts("twice"), "1/1/1");
  EXPECT_EQ(s.facts("uniform"), "1/16/64");
}

TEST(AxisInfo, pieces_of_a_run_are_aligned_to_their_length) {
  const Subject s(R"(func @f(%n: i32 {div16}) {
  %a = arange start=0 end=64 : i32[64]
  %ns = splat %n : i32[64]
  %four = constant 4 : i32[64]
  %steps = idiv %a, %four : i32[64]
  %x = add %a, %steps : i32[64]
})");
  // 0 0 0 0 1 1 1 1 …
  EXPECT_EQ(s.facts("steps"), "1/1/4");
  // 0 1 2 3 | 5 6 7 8 | 10 …: runs of 4, first elements 0, 5, 10.
  EXPECT_EQ(s.facts("x"), "4/1/1");
}

TEST(AxisInfo, subtract) {
  const Subject s(R"(func @f(%n: i32 {div16}) {
  %a = arange start=0 end=64 : i32[64]
  %ns = splat %n : i32[64]
  %run = sub %a, %ns : i32[64]
  %down = sub %ns, %a : i32[64]
  %zero = sub %a, %a : i32[64]
})");
  EXPECT_EQ(s.facts("run"), "64/16/1");
  EXPECT_EQ(s.facts("down"), "1/1/1");
  EXPECT_EQ(s.facts("zero"), "1/1/1");
}

TEST(AxisInfo, multiply) {
  const Subject s(R"(func @f(%n: i32 {div16}, %one: i32 {eq1}, %stride: i32) {
  %a = arange start=4 end=68 : i32[64]
  %ns = splat %n : i32[64]
  %two = constant 2 : i32[64]
  %ones = splat %one : i32[64]
  %strides = splat %stride : i32[64]
  %doubled = mul %a, %two : i32[64]
  %scaled = mul %a, %ns : i32[64]
  %same = mul %a, %ones : i32[64]
  %unknown = mul %a, %strides : i32[64]
  %uniform = mul %ns, %two : i32[64]
})");
  // [4, 5, 6, 7 …] · 2 is only even.
  EXPECT_EQ(s.facts("doubled"), "1/2/1");
  EXPECT_EQ(s.facts("scaled"), "1/16/1");
  EXPECT_EQ(s.facts("same"), "64/4/1");
  EXPECT_EQ(s.facts("unknown"), "1/1/1");
  EXPECT_EQ(s.facts("uniform"), "1/32/64");
}

TEST(AxisInfo, fma_of_integers) {
  const Subject s(R"(func @f(%n: i32 {div16}, %i: i32) {
  %a = arange start=0 end=64 : i32[64]
  %ns = splat %n : i32[64]
  %is = splat %i : i32[64]
  %x = fma %is, %ns, %a : i32[64]
})");
  EXPECT_EQ(s.facts("x"), "64/16/1");
}

TEST(AxisInfo, quotient_and_remainder) {
  const Subject s(R"(func @f(%n: i32 {div16}, %m: i32) {
  %a = arange start=0 end=64 : i32[64]
  %eight = constant 8 : i32[64]
  %six = constant 6 : i32[64]
  %ns = splat %n : i32[64]
  %ms = splat %m : i32[64]
  %q8 = idiv %a, %eight : i32[64]
  %r8 = rem %a, %eight : i32[64]
  %q6 = idiv %a, %six : i32[64]
  %r6 = rem %a, %six : i32[64]
  %qn = idiv %a, %ns : i32[64]
  %rn = rem %a, %ns : i32[64]
  %rm = rem %a, %ms : i32[64]
  %below = sub %a, %ns : i32[64]
  %qneg = idiv %below, %eight : i32[64]
  %rneg = rem %below, %eight : i32[64]
})");
  EXPECT_EQ(s.facts("q8"), "1/1/8");
  EXPECT_EQ(s.facts("r8"), "8/8/1");
  // 0 0 | 0 0 | 0 0 | 1 1 …  and  0 1 | 2 3 | 4 5 | 0 1 …
  EXPECT_EQ(s.facts("q6"), "1/1/2");
  EXPECT_EQ(s.facts("r6"), "2/2/1");
  EXPECT_EQ(s.facts("qn"), "1/1/16");
  EXPECT_EQ(s.facts("rn"), "16/16/1");
  EXPECT_EQ(s.facts("rm"), "1/1/1");
  // Truncation: -8/8 = -1 but -7/8 = 0, and -8 % 8 = 0 but -7 % 8 = -7.
  EXPECT_EQ(s.facts("qneg"), "1/1/1");
  EXPECT_EQ(s.facts("rneg"), "1/1/1");
}

TEST(AxisInfo, shifts_and_bits) {
  const Subject s(R"(func @f(%n: i32 {div16}) {
  %a = arange start=0 end=64 : i32[64]
  %ns = splat %n : i32[64]
  %two = constant 2 : i32[64]
  %seven = constant 7 : i32[64]
  %mask = constant -8 : i32[64]
  %left = shl %ns, %two : i32[64]
  %right = shr %a, %two : i32[64]
  %low = and %a, %seven : i32[64]
  %high = and %a, %mask : i32[64]
  %either = or %ns, %two : i32[64]
})");
  EXPECT_EQ(s.facts("left"), "1/64/64");
  EXPECT_EQ(s.facts("right"), "1/1/4");
  EXPECT_EQ(s.facts("low"), "8/8/1");
  EXPECT_EQ(s.facts("high"), "1/8/1");
  EXPECT_EQ(s.facts("either"), "1/2/64");
}

TEST(AxisInfo, selections) {
  const Subject s(R"(func @f(%n: i32 {div16}, %c: i1) {
  %a = arange start=0 end=64 : i32[64]
  %b = arange start=64 end=128 : i32[64]
  %ns = splat %n : i32[64]
  %cs = splat %c : i1[64]
  %edge = lt %a, %ns : i1[64]
  %odd = ne %a, %ns : i1[64]
  %whole = select %cs, %a, %b : i32[64]
  %pieces = select %edge, %a, %b : i32[64]
  %mixed = select %odd, %a, %b : i32[64]
  %larger = maximum %a, %b : i32[64]
  %clamped = minimum %a, %ns : i32[64]
})");
  EXPECT_EQ(s.facts("whole"), "64/64/1");
  EXPECT_EQ(s.facts("pieces"), "16/16/1");
  EXPECT_EQ(s.facts("mixed"), "1/1/1");
  EXPECT_EQ(s.facts("larger"), "64/64/1");
  EXPECT_EQ(s.facts("clamped"), "1/1/1");
}

TEST(AxisInfo, masks) {
  const Subject s(R"(func @f(%n: i32 {div16}, %m: i32) {
  %a = arange start=0 end=64 : i32[64]
  %ns = splat %n : i32[64]
  %ms = splat %m : i32[64]
  %c = constant 27 : i32[64]
  %lt = lt %a, %ns : i1[64]
  %ge = ge %a, %ns : i1[64]
  %gt = gt %ns, %a : i1[64]
  %le = le %ns, %a : i1[64]
  %odd = lt %a, %ms : i1[64]
  %le_left = le %a, %ns : i1[64]
  %gt_left = gt %a, %ns : i1[64]
  %le_constant = le %a, %c : i1[64]
  %eq = eq %a, %ns : i1[64]
  %both = and %lt, %odd : i1[64]
  %uniform = lt %ms, %ns : i1[64]
})");
  EXPECT_EQ(s.facts("lt"), "1/1/16");
  EXPECT_EQ(s.facts("ge"), "1/1/16");
  EXPECT_EQ(s.facts("gt"), "1/1/16");
  EXPECT_EQ(s.facts("le"), "1/1/16");
  EXPECT_EQ(s.facts("odd"), "1/1/1");
  // At n = 16 the piece 16 … 31 has only its first element in.
  EXPECT_EQ(s.facts("le_left"), "1/1/1");
  EXPECT_EQ(s.facts("gt_left"), "1/1/1");
  // a <= 27 is a < 28.
  EXPECT_EQ(s.facts("le_constant"), "1/1/4");
  EXPECT_EQ(s.facts("eq"), "1/1/1");
  EXPECT_EQ(s.facts("both"), "1/1/1");
  EXPECT_EQ(s.facts("uniform"), "1/1/64");
}

TEST(AxisInfo, casts) {
  const Subject s(R"(func @f(%n: i32 {div16}) {
  %a = arange start=0 end=64 : i32[64]
  %wide = cast %a : i64[64]
  %narrow = cast %a : i8[64]
  %real = cast %a : f32[64]
  %ns = splat %n : i32[64]
  %real_n = cast %ns : f32[64]
  %back = cast %real_n : i32[64]
})");
  EXPECT_EQ(s.facts("wide"), "64/inf/1");
  EXPECT_EQ(s.facts("narrow"), "64/inf/1");
  EXPECT_EQ(s.facts("real"), "1/1/1");
  EXPECT_EQ(s.facts("real_n"), "1/1/64");
  EXPECT_EQ(s.facts("back"), "1/1/64");
}

TEST(AxisInfo, hints) {
  const Subject s(R"(func @f(%m: i32, %n: i32) {
  %a = arange start=0 end=64 : i32[64]
  %ms = splat %m : i32[64]
  %ns = splat %n : i32[64]
  %offs = add %ms, %a : i32[64]
  %wrapped = rem %offs, %ns : i32[64]
  %multiple = multiple_of %wrapped values=[64] : i32[64]
  %run = max_contiguous %multiple values=[64] : i32[64]
  %equal = max_constancy %wrapped values=[4] : i32[64]
  %twelve = multiple_of %n values=[12] : i32
})");
  EXPECT_EQ(s.facts("wrapped"), "1/1/1");
  EXPECT_EQ(s.facts("run"), "64/64/1");
  EXPECT_EQ(s.facts("equal"), "1/1/4");
  EXPECT_EQ(s.facts("twelve"), "1/4/1");
}

TEST(AxisInfo, addptr_counts_bytes) {
  const Subject s(R"(func @f(%p: *f32 {div16}, %h: *f16 {div16}, %n: i32 {div16}, %m: i32) {
  %a = arange start=0 end=64 : i32[64]
  %ps = splat %p : *f32[64]
  %hs = splat %h : *f16[64]
  %ms = splat %m : i32[64]
  %offs = add %ms, %a : i32[64]
  %aligned = addptr %ps, %a : *f32[64]
  %unknown = addptr %ps, %offs : *f32[64]
  %halves = addptr %hs, %offs : *f16[64]
})");
  EXPECT_EQ(s.facts("aligned"), "64/16/1");
  EXPECT_EQ(s.facts("unknown"), "64/4/1");
  EXPECT_EQ(s.facts("halves"), "64/2/1");
}

TEST(AxisInfo, pointer_casts_keep_the_run_of_equal_sizes_only) {
  const Subject s(R"(func @f(%p: *f32 {div16}) {
  %a = arange start=0 end=64 : i32[64]
  %ps = splat %p : *f32[64]
  %ptrs = addptr %ps, %a : *f32[64]
  %same = bitcast %ptrs : *i32[64]
  %other = bitcast %ptrs : *f16[64]
  %number = bitcast %ptrs : i64[64]
})");
  EXPECT_EQ(s.facts("same"), "64/16/1");
  EXPECT_EQ(s.facts("other"), "1/4/1");
  EXPECT_EQ(s.facts("number"), "1/4/1");
}

TEST(AxisInfo, carried_pointers_keep_their_runs) {
  const Subject s(R"(func @f(%p: *f16 {div16}, %n: i32, %stride: i32) {
  %zero = constant 0 : i32
  %block = constant 64 : i32
  %a = arange start=0 end=64 : i32[64]
  %ps = splat %p : *f16[64]
  %ptrs = addptr %ps, %a : *f16[64]
  %by_block = constant 64 : i32[64]
  %by_stride = splat %stride : i32[64]
  %done, %odd_done = for %zero, %n, %block, %ptrs, %ptrs : *f16[64], *f16[64] {
  body(%k: i32, %at: *f16[64], %odd: *f16[64]):
    %next = addptr %at, %by_block : *f16[64]
    %odd_next = addptr %odd, %by_stride : *f16[64]
    yield %next, %odd_next
  }
})");
  EXPECT_EQ(s.facts("k"), "1/64/1");
  EXPECT_EQ(s.facts("at"), "64/16/1");
  EXPECT_EQ(s.facts("done"), "64/16/1");
  EXPECT_EQ(s.facts("odd"), "64/2/1");
  EXPECT_EQ(s.facts("odd_done"), "64/2/1");
}

TEST(AxisInfo, carried_values_that_depend_on_each_other_settle) {
  const Subject s(R"(func @f(%n: i32) {
  %zero = constant 0 : i32
  %one = constant 1 : i32
  %a = constant 16 : i32
  %b = constant 24 : i32
  %x, %y = for %zero, %n, %one, %a, %b : i32, i32 {
  body(%k: i32, %u: i32, %v: i32):
    %two = constant 2 : i32
    %w = add %v, %two : i32
    yield %v, %w
  }
})");
  // v is 24, 26, 28 …; u is 16, then what v was.
  EXPECT_EQ(s.facts("v"), "1/2/1");
  EXPECT_EQ(s.facts("u"), "1/2/1");
  EXPECT_FALSE(s.table.of(s.names.at("x")).constant);
  EXPECT_TRUE(s.table.of(s.names.at("x")).non_negative);
}

TEST(AxisInfo, branches_and_while_join) {
  const Subject s(R"(func @f(%c: i1, %n: i32) {
  %a = constant 16 : i32
  %b = constant 24 : i32
  %x = if %c : i32 {
  then:
    yield %a
  else:
    yield %b
  }
  %y = while %a : i32 {
  cond(%i: i32):
    %go = lt %i, %n : i1
    condition %go, %i
  body(%j: i32):
    %next = add %j, %b : i32
    yield %next
  }
})");
  EXPECT_EQ(s.facts("x"), "1/8/1");
  EXPECT_EQ(s.facts("i"), "1/8/1");
  EXPECT_EQ(s.facts("j"), "1/8/1");
  EXPECT_EQ(s.facts("y"), "1/8/1");
}

TEST(AxisInfo, loads_of_equal_addresses_are_equal) {
  const Subject s(R"(func @f(%p: *f32) {
  %a = arange start=0 end=64 : i32[64]
  %four = constant 4 : i32[64]
  %q = idiv %a, %four : i32[64]
  %ps = splat %p : *f32[64]
  %ptrs = addptr %ps, %q : *f32[64]
  %x = load %ptrs : f32[64]
})");
  EXPECT_EQ(s.facts("x"), "1/1/4");
}

}  // namespace
}  // namespace tilery::codegen
