// Affine forms and range masks, by the forms that the index arithmetic has on paper.
#include "ir/analysis/affine.h"

#include "ir/builder.h"
#include "ir/reader.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

namespace tilery {
namespace {

/// A function, its forms, and its values by their names.
class Subject {
 public:
  explicit Subject(const std::string& text) {
    SourceMap sources;
    const FileId file = sources.add("t.ir", 1, text);
    Diagnostics diagnostics;
    auto read = read_function(sources, file, diagnostics);
    for (const Diagnostic& diagnostic : diagnostics.all()) {
      ADD_FAILURE() << render(diagnostic, sources);
    }
    function = read ? std::move(*read) : make_function("empty", {});
    affine = find_affine(function);
    for (std::size_t i = 0; i < function.values.size(); ++i) {
      names[function.values[i].name] = ValueId(i);
    }
  }

  /// "x + 4 + 1·i + n·j", with "?" behind it if it is not exact; "none" without a form.
  std::string form(const std::string& name) const {
    const AffineForm* form = affine.form(names.at(name));
    if (form == nullptr) {
      return "none";
    }
    std::string text = form->pointer ? function.value(form->pointer).name + " + " : "";
    text += sum(form->base);
    for (std::size_t i = 0; i < form->strides.size(); ++i) {
      if (!form->strides[i].is_zero()) {
        text += fmt::format(" + ({})·{}", sum(form->strides[i]), "ijkl"[i]);
      }
    }
    return text + (form->exact ? "" : "?");
  }

  /// "0: base + (stride) lt" a condition, joined by " and ".
  std::string mask(const std::string& name) const {
    const MaskForm* mask = affine.mask(names.at(name));
    if (mask == nullptr) {
      return "none";
    }
    std::string text;
    for (const MaskCondition& condition : mask->conditions) {
      text += text.empty() ? "" : " and ";
      text += fmt::format("{}: {} + ({}) {} 0{}", condition.axis, sum(condition.base),
                          sum(condition.stride), op_def(condition.relation).id,
                          condition.exact ? "" : "?");
    }
    return text.empty() ? "all" : text;
  }

  Function function;
  Affine affine;
  std::map<std::string, ValueId> names;

 private:
  std::string sum(const LinearSum& s) const {
    std::string text;
    for (const LinearTerm& term : s.terms()) {
      text += text.empty() ? "" : " + ";
      text += term.factor == 1 ? "" : fmt::format("{}*", term.factor);
      text += function.value(term.values[0]).name;
      text += term.values[1] ? "*" + function.value(term.values[1]).name : "";
    }
    if (text.empty() || s.constant() != 0) {
      text += fmt::format("{}{}", text.empty() ? "" : " + ", s.constant());
    }
    return text;
  }
};

TEST(Affine, PointersAndMasksOfARow) {
  const Subject s(R"(func @row(%x: *f32, %n: i32, %base: i32) {
  %cols = arange start=2 end=66 : i32[64]
  %b = splat %base : i32[64]
  %offs = add %b, %cols : i32[64]
  %p = splat %x : *f32[64]
  %q = addptr %p, %offs : *f32[64]
  %r = addptr %p, %cols : *f32[64]
  %limit = splat %n : i32[64]
  %m = lt %offs, %limit : i1[64]
  %m2 = lt %cols, %limit : i1[64]
})");
  EXPECT_EQ(s.form("offs"), "base + 2 + (1)·i");
  // base + cols may leave i32, so the extension to 64 bits stands on a condition; cols alone
  // cannot.
  EXPECT_EQ(s.form("q"), "x + base + 2 + (1)·i?");
  EXPECT_EQ(s.form("r"), "x + 2 + (1)·i");
  EXPECT_EQ(s.mask("m"), "0: -1*n + base + 2 + (1) lt 0?");
  EXPECT_EQ(s.mask("m2"), "0: -1*n + 2 + (1) lt 0");
}

// 64-bit offsets need no extension; the forms hold modulo 2^64, as addresses do.
TEST(Affine, WideOffsetsAreExact) {
  const Subject s(R"(func @wide(%x: *f32, %base: i64) {
  %cols = arange start=0 end=64 : i32[64]
  %w = cast %cols : i64[64]
  %b = splat %base : i64[64]
  %offs = add %b, %w : i64[64]
  %p = splat %x : *f32[64]
  %q = addptr %p, %offs : *f32[64]
})");
  EXPECT_EQ(s.form("q"), "x + base + (1)·i");
}

TEST(Affine, StridesOfAMatrix) {
  const Subject s(R"(func @matrix(%x: *f32, %rows: i32, %cols: i32, %stride: i32) {
  %i = arange start=0 end=8 : i32[8]
  %j = arange start=0 end=16 : i32[16]
  %i2 = expand_dims %i axis=1 : i32[8, 1]
  %j2 = expand_dims %j axis=0 : i32[1, 16]
  %s = splat %stride : i32[8, 1]
  %is = mul %i2, %s : i32[8, 1]
  %ib = broadcast %is : i32[8, 16]
  %jb = broadcast %j2 : i32[8, 16]
  %offs = add %ib, %jb : i32[8, 16]
  %t = trans %offs order=[1, 0] : i32[16, 8]
  %r = splat %rows : i32[8, 1]
  %c = splat %cols : i32[1, 16]
  %mi = lt %i2, %r : i1[8, 1]
  %mj = ge %c, %j2 : i1[1, 16]
  %mib = broadcast %mi : i1[8, 16]
  %mjb = broadcast %mj : i1[8, 16]
  %m = and %mib, %mjb : i1[8, 16]
  %both = lt %offs, %offs : i1[8, 16]
  %w = cast %offs : i64[8, 16]
})");
  EXPECT_EQ(s.form("offs"), "0 + (stride)·i + (1)·j");
  EXPECT_EQ(s.form("t"), "0 + (1)·i + (stride)·j");
  EXPECT_EQ(s.form("w"), "0 + (stride)·i + (1)·j?");
  EXPECT_EQ(s.mask("m"), "0: -1*rows + (1) lt 0 and 1: cols + (-1) ge 0");
  EXPECT_EQ(s.mask("both"), "-1: 0 + (0) lt 0?");
}

TEST(Affine, ShapesAndArithmetic) {
  const Subject s(R"(func @shapes(%k: i32) {
  %a = arange start=0 end=24 : i32[24]
  %b = reshape %a : i32[2, 3, 4]
  %c = reshape %a : i32[1, 24]
  %d = trans %b order=[2, 0, 1] : i32[4, 2, 3]
  %e = reshape %d : i32[24]
  %three = constant 3 : i32[24]
  %f = shl %a, %three : i32[24]
  %g = neg %f : i32[24]
  %kk = splat %k : i32[24]
  %h = mul %kk, %g : i32[24]
  %l = mul %h, %kk : i32[24]
  %m = mul %l, %kk : i32[24]
  %o = mul %a, %a : i32[24]
  %p = idiv %a, %three : i32[24]
  %q = idiv %kk, %three : i32[24]
  %hint = multiple_of %f values=[8] : i32[24]
})");
  EXPECT_EQ(s.form("b"), "0 + (12)·i + (4)·j + (1)·k");
  EXPECT_EQ(s.form("c"), "0 + (1)·j");
  EXPECT_EQ(s.form("d"), "0 + (1)·i + (12)·j + (4)·k");
  EXPECT_EQ(s.form("e"), "none");
  EXPECT_EQ(s.form("f"), "0 + (8)·i");
  EXPECT_EQ(s.form("h"), "0 + (-8*k)·i");
  EXPECT_EQ(s.form("l"), "0 + (-8*k*k)·i");
  EXPECT_EQ(s.form("m"), "none");
  EXPECT_EQ(s.form("o"), "none");
  EXPECT_EQ(s.form("p"), "none");
  EXPECT_EQ(s.form("q"), "q");
  EXPECT_EQ(s.form("hint"), "0 + (8)·i");
}

TEST(Affine, CarriedPointersKeepTheirStrides) {
  const Subject s(R"(func @loop(%x: *f32, %n: i32, %step: i32) {
  %zero = constant 0 : i32
  %one = constant 1 : i32
  %cols = arange start=0 end=64 : i32[64]
  %p = splat %x : *f32[64]
  %start = addptr %p, %cols : *f32[64]
  %bump = splat %step : i32[64]
  %last, %scaled = for %zero, %n, %one, %start, %cols : *f32[64], i32[64] {
  body(%i: i32, %ptrs: *f32[64], %c: i32[64]):
    %next = addptr %ptrs, %bump : *f32[64]
    %twice = add %c, %c : i32[64]
    %more = addptr %next, %cols : *f32[64]
    yield %next, %twice
  }
})");
  EXPECT_EQ(s.form("ptrs"), "ptrs + 0 + (1)·i");
  EXPECT_EQ(s.form("next"), "ptrs + step + (1)·i");
  EXPECT_EQ(s.form("more"), "ptrs + step + (2)·i");
  EXPECT_EQ(s.form("last"), "last + 0 + (1)·i");
  // Doubled in each iteration: no fixed stride, and nothing that stands on it has one.
  EXPECT_EQ(s.form("c"), "none");
  EXPECT_EQ(s.form("twice"), "none");
  EXPECT_EQ(s.form("scaled"), "none");
}

TEST(Affine, WhileAndIf) {
  const Subject s(R"(func @flow(%x: *f32, %n: i32, %go: i1) {
  %zero = constant 0 : i32
  %cols = arange start=0 end=64 : i32[64]
  %p = splat %x : *f32[64]
  %start = addptr %p, %cols : *f32[64]
  %k, %last = while %n, %start : i32, *f32[64] {
  cond(%a: i32, %ptrs: *f32[64]):
    %more = gt %a, %zero : i1
    condition %more, %a, %ptrs
  body(%b: i32, %inner: *f32[64]):
    %one = constant 1 : i32
    %less = sub %b, %one : i32
    %bump = splat %b : i32[64]
    %next = addptr %inner, %bump : *f32[64]
    yield %less, %next
  }
  %picked, %mixed = if %go : *f32[64], *f32[64] {
  then:
    yield %last, %last
  else:
    yield %start, %p
  }
})");
  EXPECT_EQ(s.form("ptrs"), "ptrs + 0 + (1)·i");
  EXPECT_EQ(s.form("next"), "inner + b + (1)·i");
  EXPECT_EQ(s.form("last"), "last + 0 + (1)·i");
  EXPECT_EQ(s.form("picked"), "picked + 0 + (1)·i");
  EXPECT_EQ(s.form("mixed"), "none");
}

// A stride that only the loop knows does not leave it.
TEST(Affine, StridesOfTheLoopStayInIt) {
  const Subject s(R"(func @flow(%n: i32, %start: i32[8]) {
  %zero = constant 0 : i32
  %cols = arange start=0 end=8 : i32[8]
  %k, %last = while %n, %start : i32, i32[8] {
  cond(%a: i32, %tile: i32[8]):
    %more = gt %a, %zero : i1
    %by = splat %a : i32[8]
    %scaled = mul %cols, %by : i32[8]
    condition %more, %a, %scaled
  body(%b: i32, %inner: i32[8]):
    %one = constant 1 : i32
    %less = sub %b, %one : i32
    yield %less, %start
  }
})");
  EXPECT_EQ(s.form("scaled"), "0 + (a)·i");
  EXPECT_EQ(s.form("inner"), "none");
  EXPECT_EQ(s.form("last"), "none");
}

TEST(Affine, InexactFormsStayInexactThroughLoops) {
  const Subject s(R"(func @loop(%x: *f32, %n: i32, %base: i32) {
  %zero = constant 0 : i32
  %one = constant 1 : i32
  %cols = arange start=0 end=64 : i32[64]
  %p = splat %x : *f32[64]
  %start = addptr %p, %cols : *f32[64]
  %last = for %zero, %n, %one, %start : *f32[64] {
  body(%i: i32, %ptrs: *f32[64]):
    %b = splat %base : i32[64]
    %k = splat %i : i32[64]
    %offs = add %b, %k : i32[64]
    %next = addptr %ptrs, %offs : *f32[64]
    yield %next
  }
})");
  EXPECT_EQ(s.form("start"), "x + 0 + (1)·i");
  EXPECT_EQ(s.form("next"), "ptrs + base + i + (1)·i?");
  EXPECT_EQ(s.form("ptrs"), "ptrs + 0 + (1)·i?");
  EXPECT_EQ(s.form("last"), "last + 0 + (1)·i?");
}

TEST(Affine, MasksThatAreNoRanges) {
  const Subject s(R"(func @masks(%x: i32[64], %n: i32, %f: f32[64], %go: i1) {
  %cols = arange start=0 end=64 : i32[64]
  %limit = splat %n : i32[64]
  %a = lt %x, %limit : i1[64]
  %b = lt %cols, %limit : i1[64]
  %c = or %b, %b : i1[64]
  %d = lt %f, %f : i1[64]
  %e = splat %go : i1[64]
  %g = and %b, %e : i1[64]
  %on = constant true : i1[64]
  %h = and %on, %b : i1[64]
})");
  EXPECT_EQ(s.mask("a"), "none");
  EXPECT_EQ(s.mask("c"), "none");
  EXPECT_EQ(s.mask("d"), "none");
  EXPECT_EQ(s.mask("g"), "0: -1*n + (1) lt 0 and -1: go + (0) ne 0");
  EXPECT_EQ(s.mask("on"), "all");
  EXPECT_EQ(s.mask("h"), s.mask("b"));
}

// Widening: constants that fit, and values of a type that fits, cannot have wrapped.
TEST(Affine, NarrowOperands) {
  const Subject s(R"(func @narrow(%n: i32, %u: u32) {
  %a = arange start=0 end=64 : i32[64]
  %k = splat %n : i32[64]
  %b = cast %a : i64[64]
  %c = cast %k : i64[64]
  %d = add %a, %k : i32[64]
  %e = cast %d : i64[64]
  %f = cast %k : u32[64]
  %g = cast %f : i64[64]
  %h = cast %e : i32[64]
  %big = constant 100000000 : i32[64]
  %i = mul %a, %big : i32[64]
  %j = cast %i : i64[64]
})");
  EXPECT_EQ(s.form("b"), "0 + (1)·i");
  EXPECT_EQ(s.form("c"), "n");
  EXPECT_EQ(s.form("e"), "n + (1)·i?");
  // -1 as u32 is 2^32 - 1, which the form `n` is not.
  EXPECT_EQ(s.form("g"), "n?");
  // 63 · 10^8 is past 2^31.
  EXPECT_EQ(s.form("j"), "0 + (100000000)·i?");
  const Inst& widening = s.function.inst(s.function.value(s.names.at("e")).def);
  EXPECT_EQ(narrow_operands(s.function, widening), std::vector<ValueId>{s.names.at("d")});
  const Inst& narrowing = s.function.inst(s.function.value(s.names.at("h")).def);
  EXPECT_TRUE(narrow_operands(s.function, narrowing).empty());
}

}  // namespace
}  // namespace tilery
