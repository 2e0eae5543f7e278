// The sentences are shown to users, so they are compared whole.
#include "ir/infer.h"

#include "ir/builder.h"
#include "ir/infer_rules.h"

#include <gtest/gtest.h>

namespace tilery {
namespace {

const Type kF32x8(Scalar::F32, {8});
const Type kF32x4(Scalar::F32, {4});
const Type kI32x8(Scalar::I32, {8});
const Type kI1x8(Scalar::I1, {8});
const Type kPtrx8(ElementType(Scalar::F32, 1), {8});

/// Defaults of the row's attributes, with some given.
std::vector<Attr> attrs_of(Op op, std::vector<std::pair<std::string_view, Attr>> given) {
  std::vector<Attr> attrs;
  for (const AttrPattern& pattern : op_def(op).attr_patterns()) {
    attrs.push_back(pattern.has_default ? default_attr(pattern) : Attr(std::int64_t{0}));
  }
  for (auto& [name, value] : given) {
    attrs[static_cast<std::size_t>(attr_index(op, name))] = value;
  }
  return attrs;
}

Inference infer(Op op, const OperandTypes& operands,
                std::vector<std::pair<std::string_view, Attr>> attrs = {},
                std::vector<Type> given = {}) {
  static const Function kEmpty;
  return infer_results(kEmpty, op, operands, attrs_of(op, std::move(attrs)), {}, given);
}

/// The result type, or the error.
std::string outcome(const Inference& inference) {
  if (!inference.ok()) {
    return inference.error;
  }
  std::string text;
  for (const Type& type : inference.results) {
    text += (text.empty() ? "" : ", ") + type.str();
  }
  return text;
}

// ---- the matcher ----

TEST(Infer, LettersCarryTypeAndShape) {
  EXPECT_EQ(outcome(infer(Op::Add, {{kF32x8}, {kF32x8}})), "f32[8]");
  EXPECT_EQ(outcome(infer(Op::Lt, {{kI32x8}, {kI32x8}})), "i1[8]");
  EXPECT_EQ(outcome(infer(Op::Select, {{kI1x8}, {kPtrx8}, {kPtrx8}})), "*f32[8]");
  EXPECT_EQ(outcome(infer(Op::AddPtr, {{kPtrx8}, {kI32x8}})), "*f32[8]");
}

TEST(Infer, PointersGiveTheirPointee) {
  EXPECT_EQ(outcome(infer(Op::Load, {{kPtrx8}})), "f32[8]");
  EXPECT_EQ(outcome(infer(Op::Load, {{Type(ElementType(Scalar::I8, 2))}})), "*i8");
  EXPECT_EQ(outcome(infer(Op::Load, {{Type(ElementType(Scalar::I8, 1, true))}})), "i8");
}

TEST(Infer, OptionalOperandsMayBeAbsent) {
  EXPECT_EQ(outcome(infer(Op::Load, {{kPtrx8}, {kI1x8}, {kF32x8}})), "f32[8]");
  EXPECT_EQ(outcome(infer(Op::Load, {{kPtrx8}, {}, {}})), "f32[8]");
}

TEST(InferErrors, ElementTypes) {
  EXPECT_EQ(
      outcome(infer(Op::Add, {{kF32x8}, {kI32x8}})),
      "`rhs` of `add` is `i32[8]`, but `lhs` is `f32[8]`: `rhs` must have element type `f32`");
  EXPECT_EQ(
      outcome(infer(Op::Store, {{Type(ElementType(Scalar::F16, 1), {8})}, {kF32x8}})),
      "`value` of `store` is `f32[8]`, but `ptr` is `*f16[8]`: `value` must have element type "
      "`f16`");
}

TEST(InferErrors, Shapes) {
  EXPECT_EQ(outcome(infer(Op::Add, {{kF32x8}, {kF32x4}})),
            "`rhs` of `add` is `f32[4]`, but `lhs` is `f32[8]`: `rhs` must have shape `[8]`");
  EXPECT_EQ(outcome(infer(Op::Splat, {{kF32x8}}, {}, {kF32x8})),
            "`x` of `splat` is `f32[8]`; it must be a scalar");
  EXPECT_EQ(outcome(infer(Op::Add, {{Type(Scalar::F32, {4, 8})}, {kF32x8}})),
            "`rhs` of `add` is `f32[8]`, but `lhs` is `f32[4, 8]`: `rhs` must have shape `[4, 8]`");
}

TEST(InferErrors, Classes) {
  EXPECT_EQ(outcome(infer(Op::Exp, {{kI32x8}})),
            "`x` of `exp` is `i32[8]`; it must be a float (`f16`, `bf16`, `f32` or `f64`)");
  EXPECT_EQ(outcome(infer(Op::And, {{kF32x8}, {kF32x8}})),
            "`lhs` of `and` is `f32[8]`; it must be an integer");
  EXPECT_EQ(outcome(infer(Op::Neg, {{kPtrx8}})),
            "`x` of `neg` is `*f32[8]`; it must be a number, not a pointer");
  EXPECT_EQ(outcome(infer(Op::AddPtr, {{kF32x8}, {kI32x8}})),
            "`ptr` of `addptr` is `f32[8]`; it must be a pointer");
  EXPECT_EQ(outcome(infer(Op::Load, {{kF32x8}})),
            "`ptr` of `load` is `f32[8]`; it must be a pointer");
  EXPECT_EQ(outcome(infer(Op::Load, {{kPtrx8}, {kI32x8}})),
            "`mask` of `load` is `i32[8]`; it must be `i1`");
  EXPECT_EQ(outcome(infer(Op::UMulHi, {{kF32x8}, {kF32x8}})),
            "`lhs` of `umulhi` is `f32[8]`; it must be one of `i32`, `i64`, `u32`, `u64`");
}

TEST(InferErrors, NumberOfOperands) {
  EXPECT_EQ(outcome(infer(Op::Add, {{kF32x8}})), "`rhs` of `add` is missing");
  EXPECT_EQ(outcome(infer(Op::Neg, {{kF32x8, kF32x8}})), "`x` of `neg` is one value, got 2");
  EXPECT_EQ(outcome(infer(Op::Neg, {{kF32x8}, {kF32x8}})), "`neg` takes 1 operand, got 2");
}

TEST(InferErrors, NothingIsWrittenThroughConstPointers) {
  const Type pointer(ElementType(Scalar::F32, 1, true));
  EXPECT_EQ(outcome(infer(Op::Store, {{pointer}, {Scalar::F32}})),
            "`ptr` of `store` is `*const f32`, a pointer to constants: nothing can be written "
            "through it");
}

TEST(InferErrors, AttributesMustFitTheRow) {
  const Function empty;
  EXPECT_EQ(infer_results(empty, Op::ProgramId, {}, {}, {}, {}).error,
            "`program_id` has 1 attributes, got 0");
  const std::vector<Attr> wrong = {Attr(true)};
  EXPECT_EQ(infer_results(empty, Op::ProgramId, {}, wrong, {}, {}).error,
            "attribute `axis` of `program_id` has the wrong kind");
  EXPECT_EQ(outcome(infer(Op::Cast, {{kF32x8}}, {{"rounding", std::int64_t{2}}}, {kI32x8})),
            "attribute `rounding` of `cast` has the wrong kind");
  EXPECT_EQ(outcome(infer(Op::If, {{Type(Scalar::I1)}})), "`if` has 2 regions, got 0");
}

TEST(InferErrors, GivenResultsMustAgree) {
  EXPECT_EQ(outcome(infer(Op::Add, {{kF32x8}, {kF32x8}}, {}, {kF32x4})),
            "`add` gives (f32[8]) here, not (f32[4])");
  EXPECT_EQ(outcome(infer(Op::Reshape, {{kF32x8}})), "the result type of `reshape` must be given");
  EXPECT_EQ(
      outcome(infer(Op::Splat, {{Type(Scalar::F32)}}, {}, {kI32x8})),
      "the result of `splat` is `i32[8]`, but `x` is `f32`: the result must have element type "
      "`f32`");
}

// ---- infer_<id> ----

TEST(InferRules, ProgramIdHasThreeAxes) {
  EXPECT_EQ(outcome(infer(Op::ProgramId, {}, {{"axis", std::int64_t{2}}})), "i32");
  EXPECT_EQ(outcome(infer(Op::NumPrograms, {}, {{"axis", std::int64_t{3}}})),
            "axis 3 of `num_programs` is not 0, 1 or 2");
}

TEST(InferRules, ConstantBitsFitTheType) {
  EXPECT_EQ(outcome(infer(Op::Constant, {}, {{"value", Bits{0xFF}}}, {Scalar::I8})), "i8");
  EXPECT_EQ(outcome(infer(Op::Constant, {}, {{"value", Bits{0x100}}}, {Scalar::I8})),
            "`value` of `constant` has bits that `i8` does not");
  EXPECT_EQ(outcome(infer(Op::Constant, {}, {{"value", Bits{2}}}, {Scalar::I1})),
            "`value` of `constant` has bits that `i1` does not");
}

Inference arange(std::int64_t start, std::int64_t end) {
  return infer(Op::Arange, {}, {{"start", start}, {"end", end}});
}

TEST(InferRules, ArangeCountsItsElements) {
  EXPECT_EQ(outcome(arange(3, 7)), "i32[4]");
  EXPECT_EQ(outcome(arange(-4, 2)), "i32[6]");
  EXPECT_EQ(outcome(arange(4, 4)),
            "`arange` from 4 to 4: the end must be greater, and both within 32 bits");
  EXPECT_FALSE(arange(0, (std::int64_t{1} << 31) + 1).ok());
  EXPECT_FALSE(arange(INT64_MIN, INT64_MAX).ok());
  EXPECT_EQ(outcome(arange(-(std::int64_t{1} << 31), std::int64_t{1} << 31)),
            "`arange` from -2147483648 to 2147483648 has too many elements");
}

TEST(InferRules, BroadcastGrowsAxesOfExtentOne) {
  const Type column(Scalar::F32, {4, 1});
  EXPECT_EQ(outcome(infer(Op::Broadcast, {{column}}, {}, {Type(Scalar::F32, {4, 8})})),
            "f32[4, 8]");
  EXPECT_EQ(
      outcome(infer(Op::Broadcast, {{kF32x8}}, {}, {Type(Scalar::F32, {4, 8})})),
      "`x` of `broadcast` is `f32[8]`, the result `f32[4, 8]`: both must have the same number "
      "of axes, and each extent must stay or grow from 1");
  EXPECT_FALSE(infer(Op::Broadcast, {{kF32x8}}, {}, {kF32x4}).ok());
}

TEST(InferRules, ExpandDimsInsertsAnAxis) {
  EXPECT_EQ(outcome(infer(Op::ExpandDims, {{kF32x8}}, {{"axis", std::int64_t{0}}})), "f32[1, 8]");
  EXPECT_EQ(outcome(infer(Op::ExpandDims, {{kF32x8}}, {{"axis", std::int64_t{1}}})), "f32[8, 1]");
  EXPECT_EQ(outcome(infer(Op::ExpandDims, {{kF32x8}}, {{"axis", std::int64_t{2}}})),
            "axis 2 of `expand_dims` is not between 0 and 1");
  Type full(Scalar::F32);
  for (int i = 0; i < Shape::kMaxRank; ++i) {
    full.shape.push_back(1);
  }
  EXPECT_EQ(outcome(infer(Op::ExpandDims, {{full}}, {{"axis", std::int64_t{0}}})),
            "`x` of `expand_dims` has 16 axes already, the most there can be");
}

TEST(InferRules, ReshapeKeepsTheCount) {
  EXPECT_EQ(outcome(infer(Op::Reshape, {{kF32x8}}, {}, {Type(Scalar::F32, {2, 4})})), "f32[2, 4]");
  EXPECT_EQ(outcome(infer(Op::Reshape, {{kF32x8}}, {}, {kF32x4})),
            "`x` of `reshape` has shape `[8]` and 8 elements, the result `[4]` and 4: the number "
            "must stay");
}

Inference trans(std::vector<std::int64_t> order) {
  return infer(Op::Trans, {{Type(Scalar::F32, {2, 3, 5})}}, {{"order", std::move(order)}});
}

TEST(InferRules, TransPermutes) {
  EXPECT_EQ(outcome(trans({2, 0, 1})), "f32[5, 2, 3]");
  EXPECT_EQ(outcome(trans({0, 1})),
            "`order` of `trans`, [0, 1], is not a permutation of the 3 axes of `f32[2, 3, 5]`");
  EXPECT_FALSE(trans({0, 1, 1}).ok());
  EXPECT_FALSE(trans({0, 1, 3}).ok());
  EXPECT_FALSE(trans({0, 1, -1}).ok());
}

TEST(InferRules, CastConvertsNumbers) {
  EXPECT_EQ(outcome(infer(Op::Cast, {{kF32x8}}, {}, {kI32x8})), "i32[8]");
  EXPECT_EQ(outcome(infer(Op::Cast, {{kI32x8}}, {}, {kPtrx8})),
            "`cast` of `i32` to `*f32`: pointers are reinterpreted by `bitcast`");
  EXPECT_EQ(outcome(infer(Op::Cast, {{kF32x8}}, {{"rounding", std::int64_t{1}}}, {kI32x8})),
            "`cast` of `f32` to `i32` with a rounding mode: only a conversion to a narrower float "
            "rounds");
  EXPECT_TRUE(
      infer(Op::Cast, {{kF32x8}}, {{"rounding", std::int64_t{1}}}, {Type(Scalar::F16, {8})}).ok());
  EXPECT_FALSE(infer(Op::Cast, {{kF32x8}}, {}, {Type(Scalar::I32, {4})}).ok());
}

std::string bitcast(ElementType from, ElementType to) {
  return outcome(infer(Op::Bitcast, {{Type(from)}}, {}, {Type(to)}));
}

TEST(InferRules, BitcastKeepsTheWidth) {
  const ElementType pointer(Scalar::F32, 1);
  EXPECT_EQ(bitcast(Scalar::F32, Scalar::U32), "u32");
  EXPECT_EQ(bitcast(pointer, Scalar::I64), "i64");
  EXPECT_EQ(bitcast(Scalar::U64, pointer), "*f32");
  EXPECT_EQ(bitcast(pointer, ElementType(Scalar::I8, 2)), "**i8");
  EXPECT_EQ(bitcast(Scalar::F32, Scalar::I64),
            "`bitcast` of `f32` to `i64`: they are 32 and 64 bits wide");
  EXPECT_EQ(bitcast(Scalar::I1, Scalar::I8),
            "`bitcast` of `i1` to `i8`: they are 1 and 8 bits wide");
  EXPECT_EQ(bitcast(Scalar::F64, pointer),
            "`bitcast` of `f64` to `*f32`: a pointer is reinterpreted as a pointer or a 64-bit "
            "integer");
}

Inference dot(const Type& a, const Type& b, const Type& acc) {
  return infer(Op::Dot, {{a}, {b}, {acc}});
}

TEST(InferRules, DotMatchesItsExtents) {
  EXPECT_EQ(outcome(dot({Scalar::F16, {16, 64}}, {Scalar::F16, {64, 32}}, {Scalar::F32, {16, 32}})),
            "f32[16, 32]");
  EXPECT_EQ(
      outcome(dot({Scalar::F16, {3, 4, 5}}, {Scalar::F16, {3, 5, 6}}, {Scalar::F32, {3, 4, 6}})),
      "f32[3, 4, 6]");
  EXPECT_EQ(outcome(dot({Scalar::F16, {16, 64}}, {Scalar::F16, {32, 16}}, {Scalar::F32, {16, 16}})),
            "`b` of `dot` is `f16[32, 16]`, but `a` is `f16[16, 64]`: axis 0 of `b` must have the "
            "extent of axis 1 of `a`, 64");
  EXPECT_EQ(
      outcome(dot({Scalar::F16, {2, 4, 4}}, {Scalar::F16, {3, 4, 4}}, {Scalar::F32, {2, 4, 4}})),
      "`b` of `dot` is `f16[3, 4, 4]`, but `a` is `f16[2, 4, 4]`: `b` must begin with extents "
      "`[2]`");
  EXPECT_EQ(outcome(dot(kF32x8, kF32x8, kF32x8)),
            "`a` of `dot` is `f32[8]`; it must have at least 2 axes");
  EXPECT_EQ(outcome(dot({Scalar::I8, {4, 4}}, {Scalar::I8, {4, 4}}, {Scalar::F32, {4, 4}})),
            "`dot` of `i8` tiles into `f32`: it multiplies floats into floats and integers into "
            "integers");
}

// ---- ops with regions, through the builder ------------------------------------------------------

class RegionTest : public ::testing::Test {
 protected:
  RegionTest() : function_(make_function("f", {})), builder_(function_) {
    builder_.set_region(function_.body);
  }

  /// A region with these arguments that yields the given ones of them.
  RegionId region(const std::vector<Type>& args, const std::vector<std::size_t>& yielded) {
    const RegionId id = builder_.make_region(args);
    Builder inner(function_);
    inner.set_region(id);
    std::vector<ValueId> values;
    for (const std::size_t i : yielded) {
      values.push_back(function_.region(id).args[i]);
    }
    inner.yield(values);
    return id;
  }

  std::string outcome_of(Op op, const OperandTypes& operands,
                         std::vector<std::pair<std::string_view, Attr>> attrs,
                         std::vector<RegionId> regions) {
    return outcome(
        infer_results(function_, op, operands, attrs_of(op, std::move(attrs)), regions, {}));
  }

  Function function_;
  Builder builder_;
  const Type f32_{Scalar::F32};
  const Type i32_{Scalar::I32};
};

TEST_F(RegionTest, ReduceDropsTheAxisOfEachMember) {
  const std::vector<Type> pair = {f32_, i32_, f32_, i32_};
  EXPECT_EQ(outcome_of(Op::Reduce, {{{Scalar::F32, {4, 8}}, {Scalar::I32, {4, 8}}}},
                       {{"axis", std::int64_t{1}}}, {region(pair, {0, 1})}),
            "f32[4], i32[4]");
}

TEST_F(RegionTest, ReduceChecksItsRegion) {
  const std::vector<std::pair<std::string_view, Attr>> axis = {{"axis", std::int64_t{0}}};
  EXPECT_EQ(outcome_of(Op::Reduce, {{kF32x8}}, axis, {region({f32_}, {0})}),
            "region `combine` of `reduce` has arguments (f32); they must be (f32, f32)");
  EXPECT_EQ(outcome_of(Op::Reduce, {{kF32x8}}, axis, {region({f32_, f32_}, {0, 1})}),
            "region `combine` of `reduce` yields (f32, f32); it must yield (f32)");
  EXPECT_EQ(
      outcome_of(Op::Reduce, {{kF32x8, kI32x8}}, axis, {region({f32_, f32_, i32_, i32_}, {0, 2})}),
      "region `combine` of `reduce` has arguments (f32, f32, i32, i32); they must be (f32, "
      "i32, f32, i32)");
}

TEST_F(RegionTest, FoldsCheckTheirOperands) {
  const RegionId add = region({f32_, f32_}, {0});
  EXPECT_EQ(outcome_of(Op::Reduce, {{kF32x8}}, {{"axis", std::int64_t{1}}}, {add}),
            "axis 1 of `reduce` is not an axis of `f32[8]`");
  EXPECT_EQ(outcome_of(Op::Scan, {{kF32x8}}, {{"axis", std::int64_t{-1}}}, {add}),
            "axis -1 of `scan` is not an axis of `f32[8]`");
  EXPECT_EQ(outcome_of(Op::Reduce, {{f32_}}, {}, {add}),
            "`reduce` of a scalar, `f32`, has no axis to go along");
  EXPECT_EQ(outcome_of(Op::Reduce, {{}}, {}, {add}), "`reduce` needs at least one operand");
  EXPECT_EQ(outcome_of(Op::Scan, {{kF32x8, kF32x4}}, {}, {add}),
            "operands of `scan` are `f32[8]` and `f32[4]`: their shapes must be the same");
  EXPECT_EQ(outcome_of(Op::Scan, {{kF32x8}}, {}, {add}), "f32[8]");
}

TEST_F(RegionTest, LoopsCarryTheirTypes) {
  const RegionId body = region({i32_, kF32x8, f32_}, {1, 2});
  EXPECT_EQ(outcome_of(Op::For, {{i32_}, {i32_}, {i32_}, {kF32x8, f32_}}, {}, {body}),
            "f32[8], f32");
  EXPECT_EQ(
      outcome_of(Op::For, {{i32_}, {Scalar::I64}, {i32_}}, {}, {region({i32_}, {})}),
      "`upper` of `for` is `i64`, but `lower` is `i32`: `upper` must have element type `i32`");
  EXPECT_EQ(outcome_of(Op::For, {{i32_}, {i32_}, {i32_}, {f32_}}, {}, {region({i32_, f32_}, {0})}),
            "region `body` of `for` yields (i32); it must yield (f32)");
  EXPECT_EQ(outcome_of(Op::For, {{i32_}, {i32_}, {i32_}, {f32_}}, {{"has_exit", true}},
                       {region({i32_, f32_}, {1})}),
            "the first carried value of a `for` with `has_exit` must be an `i1`");
}

TEST_F(RegionTest, BranchesAgree) {
  Builder inner(function_);
  const ValueId x = builder_.constant_int(i32_, 1);
  const ValueId y = builder_.constant_float(f32_, 1);
  const auto yields = [&](std::vector<ValueId> values) {
    const RegionId id = builder_.make_region({});
    inner.set_region(id);
    inner.yield(std::move(values));
    return id;
  };
  const Type i1(Scalar::I1);
  EXPECT_EQ(outcome_of(Op::If, {{i1}}, {}, {yields({x, y}), yields({x, y})}), "i32, f32");
  EXPECT_EQ(outcome_of(Op::If, {{i1}}, {}, {yields({x}), yields({y})}),
            "region `else` of `if` yields (f32); it must yield (i32)");
  EXPECT_EQ(outcome_of(Op::If, {{i1}}, {}, {yields({}), yields({})}), "");
}

/// True if the letters of the operands say what the pattern stands for.
bool is_fixed_by_operands(const OpDef& def, const ValuePattern& result) {
  bool element = result.element_letter == '\0';
  bool prefix = result.variadic_letter == '\0';
  // No row computes a single extent from operands that do not have it.
  bool extents = result.extent_count == 0;
  for (const ValuePattern& operand : def.operand_patterns()) {
    element = element || operand.element_letter == result.element_letter;
    prefix = prefix || operand.variadic_letter == result.variadic_letter;
    extents = extents || operand.extent_count == result.extent_count;
  }
  return element && prefix && extents;
}

TEST(InferRules, ThereIsOneWhereverOperandsDoNotFixAResult) {
  for (const OpDef& def : all_ops()) {
    for (const ValuePattern& result : def.result_patterns()) {
      const InferRule* rule = infer_rule_of(def.op);
      const bool has_result_rule = rule != nullptr && rule->kind != InferRuleKind::Checks;
      EXPECT_TRUE(is_fixed_by_operands(def, result) || has_result_rule ||
                  def.parts.region_count > 0)
          << def.id;
    }
  }
}

TEST(Infer, SaysWhichOpsNeedTheirResultType) {
  for (const Op op : {Op::Constant, Op::Splat, Op::Broadcast, Op::Reshape, Op::Cast, Op::Bitcast}) {
    EXPECT_TRUE(needs_result_type(op)) << op_def(op).id;
  }
  for (const Op op : {Op::Add, Op::Arange, Op::Reduce, Op::Trans, Op::If, Op::Store}) {
    EXPECT_FALSE(needs_result_type(op)) << op_def(op).id;
  }
}

}  // namespace
}  // namespace tilery
