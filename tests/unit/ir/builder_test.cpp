#include "ir/builder.h"

#include "ir/printer.h"
#include "ir/verifier.h"

#include <gtest/gtest.h>

namespace tilery {
namespace {

class BuilderTest : public ::testing::Test {
 protected:
  BuilderTest()
      : function_(make_function(
            "f", {{"p", ElementType(Scalar::F32, 1), {}, {}}, {"n", Scalar::I32, {}, {}}})),
        builder_(function_) {
    builder_.set_region(function_.body);
  }

  [[nodiscard]] ValueId arg(std::size_t i) const {
    return function_.region(function_.body).args[i];
  }

  Function function_;
  Builder builder_;
};

TEST_F(BuilderTest, ParametersAreTheBodysArguments) {
  EXPECT_EQ(function_.type(arg(0)).str(), "*f32");
  EXPECT_EQ(function_.value(arg(1)).name, "n");
  EXPECT_FALSE(function_.value(arg(1)).def);
}

TEST_F(BuilderTest, ConstantsHoldTheirBits) {
  EXPECT_EQ(function_.constant_bits(builder_.constant_float(Scalar::F16, 1.0)), 0x3C00U);
  EXPECT_EQ(function_.constant_bits(builder_.constant_int(Scalar::I8, -1)), 0xFFU);
  EXPECT_EQ(function_.constant_bits(builder_.constant_int({Scalar::F32, {8}}, 2)), 0x40000000U);
  EXPECT_EQ(function_.constant_bits(arg(1)), std::nullopt);
}

TEST_F(BuilderTest, DoesNothingWhereNothingIsToDo) {
  const std::size_t before = function_.insts.size();
  EXPECT_EQ(builder_.cast(arg(1), Scalar::I32), arg(1));
  EXPECT_EQ(builder_.bitcast(arg(1), Scalar::I32), arg(1));
  EXPECT_EQ(builder_.splat_to(arg(1), {}), arg(1));
  EXPECT_EQ(builder_.broadcast_to(arg(1), {}), arg(1));
  EXPECT_EQ(function_.insts.size(), before);
}

TEST_F(BuilderTest, BroadcastsScalarsBySplat) {
  const ValueId tile = builder_.broadcast_to(arg(1), {4, 8});
  EXPECT_EQ(function_.inst(function_.value(tile).def).op, Op::Splat);
  EXPECT_EQ(function_.type(tile).str(), "i32[4, 8]");
}

TEST_F(BuilderTest, FillsInDefaultsAndAbsentGroups) {
  const ValueId x = builder_.value(Op::Load, {{{arg(0)}}, {}, {}, {}});
  const Inst& load = function_.inst(function_.value(x).def);
  EXPECT_FALSE(load.operand(1));
  EXPECT_FALSE(load.operand(2));
  EXPECT_EQ(load.string_attr(0), "");
  EXPECT_FALSE(load.bool_attr(2));
}

TEST_F(BuilderTest, InsertsBeforeAnInstruction) {
  const ValueId sum = builder_.map(Op::Add, {arg(1), arg(1)});
  builder_.set_before(function_.value(sum).def);
  const ValueId first = builder_.constant_int(Scalar::I32, 1);
  const ValueId second = builder_.constant_int(Scalar::I32, 2);
  const std::vector<InstId>& insts = function_.region(function_.body).insts;
  ASSERT_EQ(insts.size(), 3U);
  EXPECT_EQ(insts[0], function_.value(first).def);
  EXPECT_EQ(insts[1], function_.value(second).def);
  EXPECT_EQ(insts[2], function_.value(sum).def);
}

TEST_F(BuilderTest, GivesInstructionsTheCurrentLocation) {
  const LocId loc = builder_.add_location({{0, 3, 7}, LocId(), "f"});
  builder_.set_loc(loc);
  const ValueId x = builder_.constant_int(Scalar::I32, 1);
  EXPECT_EQ(function_.range(function_.inst(function_.value(x).def).loc), (SourceRange{0, 3, 7}));
  EXPECT_FALSE(function_.range(LocId()).is_valid());
}

TEST_F(BuilderTest, ReplacesUses) {
  const ValueId one = builder_.constant_int(Scalar::I32, 1);
  const ValueId sum = builder_.map(Op::Add, {arg(1), arg(1)});
  replace_uses(function_, arg(1), one);
  const Inst& add = function_.inst(function_.value(sum).def);
  EXPECT_EQ(add.operand(0), one);
  EXPECT_EQ(add.operand(1), one);
}

TEST_F(BuilderTest, ErasesAnInstructionWithItsRegions) {
  const ValueId yes = builder_.constant_int(Scalar::I1, 1);
  std::vector<RegionId> branches;
  for (int i = 0; i < 2; ++i) {
    branches.push_back(builder_.make_region({}));
    Builder inner(function_);
    inner.set_region(branches.back());
    inner.yield({});
  }
  const InstId branch = builder_.create(Op::If, {{{yes}}, {}, {}, branches});
  erase(function_, branch);
  EXPECT_FALSE(function_.inst(branch).parent);
  EXPECT_TRUE(function_.region(branches[0]).insts.empty());
  builder_.yield({});
  EXPECT_TRUE(verify(function_).empty());
}

TEST_F(BuilderTest, InlinesARegionWithNestedOnes) {
  const std::vector<Type> types = {Type(Scalar::I32)};
  const RegionId region = builder_.make_region(types);
  Builder inner(function_);
  inner.set_region(region);
  const ValueId x = function_.region(region).args[0];
  const ValueId condition = inner.map(Op::Lt, {x, arg(1)});
  std::vector<RegionId> branches;
  for (const Op op : {Op::Add, Op::Sub}) {
    branches.push_back(builder_.make_region({}));
    Builder branch(function_);
    branch.set_region(branches.back());
    branch.yield({branch.map(op, {x, arg(1)})});
  }
  const ValueId chosen = inner.value(Op::If, {{{condition}}, {}, {}, branches});
  inner.yield({chosen, x});

  std::vector<ValueId> map(function_.values.size());
  map[x.index] = builder_.constant_int(Scalar::I32, 5);
  const std::vector<ValueId> results = inline_region(builder_, region, map);
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(results[1], map[x.index]);
  builder_.map(Op::Mul, {results[0], results[1]});
  builder_.yield({});
  EXPECT_TRUE(verify(function_).empty());
  EXPECT_EQ(print(function_),
            "func @f(%p: *f32, %n: i32) {\n"
            "  %0 = constant 5 : i32\n"
            "  %1 = lt %0, %n : i1\n"
            "  %2 = if %1 : i32 {\n"
            "  then:\n"
            "    %3 = add %0, %n : i32\n"
            "    yield %3\n"
            "  else:\n"
            "    %4 = sub %0, %n : i32\n"
            "    yield %4\n"
            "  }\n"
            "  %5 = mul %2, %0 : i32\n"
            "}\n");
}

using BuilderDeathTest = BuilderTest;

TEST_F(BuilderDeathTest, AWrongCallShowsRowAndTypes) {
  EXPECT_DEATH(builder_.map(Op::Exp, {arg(1)}), "must be a float.*exp .x: F.*given .i32");
}

TEST_F(BuilderDeathTest, AnAttributeMustExist) {
  EXPECT_DEATH(builder_.create(Op::Load, {{{arg(0)}}, {{"speed", true}}, {}, {}}),
               "an attribute that `load` does not have");
}

TEST_F(BuilderDeathTest, ARegionHasOneOwner) {
  const ValueId yes = builder_.constant_int(Scalar::I1, 1);
  const RegionId region = builder_.make_region({});
  Builder inner(function_);
  inner.set_region(region);
  inner.yield({});
  EXPECT_DEATH(builder_.create(Op::If, {{{yes}}, {}, {}, {region, region}}),
               "another instruction owns");
}

TEST_F(BuilderDeathTest, AnInstructionIsErasedOnce) {
  const ValueId x = builder_.constant_int(Scalar::I32, 1);
  erase(function_, function_.value(x).def);
  EXPECT_DEATH(erase(function_, function_.value(x).def), "erased twice");
}

}  // namespace
}  // namespace tilery
