// What is built is recognised, users' spellings too, and near misses are not. What the arg-folds
// decide is checked by evaluating the built region on every pair of a small set of values.
#include "ir/analysis/combine_kind.h"

#include "ir/analysis/fold.h"
#include "ir/builder.h"
#include "ir/passes/canonicalise.h"
#include "ir/passes/cse.h"
#include "ir/passes/dce.h"
#include "ir/verifier.h"
#include "tests/support/ir_text.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <map>
#include <optional>

namespace tilery {
namespace {

constexpr std::array kSimple{CombineKind::Add, CombineKind::Mul,    CombineKind::Max,
                             CombineKind::Min, CombineKind::MaxNan, CombineKind::MinNan,
                             CombineKind::And, CombineKind::Or,     CombineKind::Xor};
constexpr std::array kArg{CombineKind::ArgMaxLeft, CombineKind::ArgMinLeft, CombineKind::ArgMaxAny,
                          CombineKind::ArgMinAny};

bool is_bitwise(CombineKind kind) {
  return kind == CombineKind::And || kind == CombineKind::Or || kind == CombineKind::Xor;
}

/// A function that reduces its parameters (one tile a member of the fold) with `kind`.
Function reducing(CombineKind kind, const std::vector<Type>& elements) {
  std::vector<Param> params;
  for (const Type& element : elements) {
    params.push_back({fmt::format("x{}", params.size()), element.with_shape(Shape({8})), {}, {}});
  }
  Function function = make_function("reducing", params);
  Builder builder(function);
  builder.set_region(function.body);
  const RegionId region = build_combine(function, kind, elements, LocId());
  const std::vector<ValueId> args = function.region(function.body).args;
  const InstId reduce =
      builder.create(Op::Reduce, {{args}, {{"axis", std::int64_t{0}}}, {}, {region}});
  std::vector<ValueId> results;
  for (std::uint32_t i = 0; i < function.inst(reduce).result_count; ++i) {
    results.push_back(function.inst(reduce).result(i));
  }
  builder.create(Op::DevicePrint, {{results}, {{"prefix", std::string("r")}}, {}, {}});
  builder.yield({});
  return function;
}

RegionId combine_of(const Function& function) {
  RegionId region;
  for_each_inst(function, function.body, [&](InstId id) {
    if (function.inst(id).op == Op::Reduce) {
      region = function.inst(id).regions[0];
    }
  });
  return region;
}

TEST(CombineKind, RecognisesWhatItBuilds) {
  for (const CombineKind kind : kSimple) {
    const Type element = is_bitwise(kind) ? Type(Scalar::U32) : Type(Scalar::F32);
    const Function function = reducing(kind, {element});
    EXPECT_EQ(verify(function), std::vector<std::string>());
    EXPECT_EQ(combine_kind(function, combine_of(function)), kind) << static_cast<int>(kind);
  }
  for (const CombineKind kind : kArg) {
    for (const Scalar value : {Scalar::F32, Scalar::F16, Scalar::I32, Scalar::U8}) {
      const Function function = reducing(kind, {value, Scalar::I32});
      EXPECT_EQ(verify(function), std::vector<std::string>());
      EXPECT_EQ(combine_kind(function, combine_of(function)), kind) << ir_name(value);
    }
  }
}

TEST(CombineKind, SurvivesThePasses) {
  for (const CombineKind kind : kArg) {
    for (const Scalar value : {Scalar::F32, Scalar::I64}) {
      Function function = reducing(kind, {value, Scalar::I32});
      canonicalise(function);
      cse(function);
      dce(function);
      EXPECT_EQ(combine_kind(function, combine_of(function)), kind) << ir_name(value);
    }
  }
}

CombineKind kind_of_text(const std::string& args, const std::string& body, bool pair) {
  const std::string text =
      pair ? "func @f(%x: i32[8], %y: i32[8]) {\n  %r, %s = reduce %x, %y axis=0 : i32, i32 {\n"
           : "func @f(%x: f32[8]) {\n  %r = reduce %x axis=0 : f32 {\n";
  const Function function =
      testing::read_ir(text + "  combine(" + args + "):\n" + body + "  }\n}\n");
  return combine_kind(function, combine_of(function));
}

TEST(CombineKind, OtherSpellings) {
  EXPECT_EQ(kind_of_text("%a: f32, %b: f32", "%c = add %b, %a : f32\nyield %c\n", false),
            CombineKind::Add);
  // value1 > value2 or (value1 == value2 and index1 < index2), with some sides exchanged.
  EXPECT_EQ(
      kind_of_text("%v: i32, %i: i32, %w: i32, %j: i32",
                   "%t = eq %w, %v : i1\n%l = gt %j, %i : i1\n%u = and %l, %t : i1\n"
                   "%g = lt %w, %v : i1\n%p = or %u, %g : i1\n"
                   "%a = select %p, %v, %w : i32\n%b = select %p, %i, %j : i32\nyield %a, %b\n",
                   true),
      CombineKind::ArgMaxLeft);
}

TEST(CombineKind, NearMisses) {
  const auto single = [](const std::string& body) {
    return kind_of_text("%a: f32, %b: f32", body, false);
  };
  EXPECT_EQ(single("%c = add %a, %a : f32\nyield %c\n"), CombineKind::Other);
  EXPECT_EQ(single("%c = sub %a, %b : f32\nyield %c\n"), CombineKind::Other);
  EXPECT_EQ(single("%c = add %a, %b : f32\nyield %a\n"), CombineKind::Other);
  EXPECT_EQ(single("yield %a\n"), CombineKind::Other);
  EXPECT_EQ(single("%c = add %a, %b : f32\n%d = neg %c : f32\nyield %d\n"), CombineKind::Other);
  // The later index wins ties.
  EXPECT_EQ(
      kind_of_text("%v: i32, %i: i32, %w: i32, %j: i32",
                   "%t = eq %v, %w : i1\n%l = gt %i, %j : i1\n%u = and %t, %l : i1\n"
                   "%g = gt %v, %w : i1\n%p = or %g, %u : i1\n"
                   "%a = select %p, %v, %w : i32\n%b = select %p, %i, %j : i32\nyield %a, %b\n",
                   true),
      CombineKind::Other);
  // Two sums side by side.
  EXPECT_EQ(kind_of_text("%v: i32, %i: i32, %w: i32, %j: i32",
                         "%a = add %v, %w : i32\n%b = add %i, %j : i32\nyield %a, %b\n", true),
            CombineKind::Other);
}

// ---- what the arg-folds decide ----

struct Pair {
  double value;
  std::int64_t index;
};

/// Evaluates a combine region on two (value, index) pairs with the folder.
Pair combined(const Function& function, RegionId region, const Pair& a, const Pair& b) {
  std::map<std::uint32_t, Number> numbers;
  const std::vector<ValueId> args = function.region(region).args;
  const auto value = [](double v) { return Number{Scalar::F32, encode_float(Scalar::F32, v)}; };
  const auto index = [](std::int64_t v) { return Number{Scalar::I32, encode_int(Scalar::I32, v)}; };
  numbers[args[0].index] = value(a.value);
  numbers[args[1].index] = index(a.index);
  numbers[args[2].index] = value(b.value);
  numbers[args[3].index] = index(b.index);
  for (const InstId id : function.region(region).insts) {
    const Inst& inst = function.inst(id);
    std::vector<Number> operands;
    for (const ValueId operand : inst.operands) {
      operands.push_back(numbers.at(operand.index));
    }
    if (inst.op == Op::Yield) {
      return {decode_float(Scalar::F32, operands[0].bits),
              decode_int(Scalar::I32, operands[1].bits)};
    }
    const Scalar type = function.type(inst.result()).element.scalar;
    numbers[inst.result().index] = {type, fold_map(inst.op, operands, type, inst.attrs)->bits};
  }
  return {};
}

// NaN never wins unless both are NaN; among equals (and among NaNs) the smaller index wins in the
// leftmost form.
TEST(CombineKind, ArgFoldsDecideAsTheLanguageSays) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> values{-1.0, 0.0, -0.0, 2.0, std::numeric_limits<double>::infinity(),
                                   nan};
  for (const CombineKind kind : kArg) {
    const Function function = reducing(kind, {Scalar::F32, Scalar::I32});
    const bool max = kind == CombineKind::ArgMaxLeft || kind == CombineKind::ArgMaxAny;
    const bool left = kind == CombineKind::ArgMaxLeft || kind == CombineKind::ArgMinLeft;
    for (const double x : values) {
      for (const double y : values) {
        for (const auto& [i, j] : {std::pair{0, 5}, std::pair{5, 0}}) {
          const Pair winner = combined(function, combine_of(function), {x, i}, {y, j});
          const bool x_nan = x != x;
          const bool y_nan = y != y;
          const bool x_better = (!x_nan && y_nan) || (max ? x > y : x < y);
          const bool y_better = (x_nan && !y_nan) || (max ? y > x : y < x);
          if (x_better || y_better) {
            EXPECT_EQ(winner.index, x_better ? i : j) << x << ", " << y;
          } else if (left) {
            EXPECT_EQ(winner.index, 0) << x << ", " << y;
          }
          const double value = winner.index == i ? x : y;
          EXPECT_TRUE(winner.value == value || (value != value && winner.value != winner.value));
        }
      }
    }
  }
}

}  // namespace
}  // namespace tilery
