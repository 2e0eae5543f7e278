// Each promise of the verifier's header, broken.
#include "ir/verifier.h"

#include "ir/builder.h"
#include "tests/support/ir_text.h"

#include <gtest/gtest.h>

namespace tilery {
namespace {

/// A valid function to break. Values are found by their name.
class VerifierTest : public ::testing::Test {
 protected:
  VerifierTest() {
    function_ = testing::read_ir(
        "func @f(%p: *f32, %n: i32) {\n"
        "  %one = constant 1.0 : f32\n"
        "  %a = neg %n : i32\n"
        "  %b = add %a, %n : i32\n"
        "  %c = lt %a, %b : i1\n"
        "  %t = constant 1.0 : f32[8]\n"
        "  %i = if %c : i32 {\n"
        "  then:\n"
        "    %d = neg %b : i32\n"
        "    yield %d\n"
        "  else:\n"
        "    yield %b\n"
        "  }\n"
        "  %w = while %n : i32 {\n"
        "  cond(%k: i32):\n"
        "    %go = lt %k, %n : i1\n"
        "    condition %go, %k\n"
        "  body(%l: i32):\n"
        "    yield %l\n"
        "  }\n"
        "  %r = reduce %t axis=0 : f32 {\n"
        "  combine(%x: f32, %y: f32):\n"
        "    %s = add %x, %y : f32\n"
        "    yield %s\n"
        "  }\n"
        "  store %p, %r\n"
        "}\n");
  }

  [[nodiscard]] ValueId value(std::string_view name) const {
    return testing::find_value(function_, name);
  }

  [[nodiscard]] InstId def(std::string_view name) const { return function_.value(value(name)).def; }

  Inst& inst(std::string_view name) { return function_.inst(def(name)); }

  Region& body() { return function_.region(function_.body); }

  /// The only violation, or all of them.
  [[nodiscard]] std::string violation() const {
    std::string text;
    for (const Violation& v : find_violations(function_)) {
      text += (text.empty() ? "" : "; ") + v.text;
    }
    return text;
  }

  Function function_;
};

TEST_F(VerifierTest, AcceptsTheFunction) {
  EXPECT_EQ(violation(), "");
  EXPECT_TRUE(verify(function_).empty());
}

// ---- 1: structure ----

TEST_F(VerifierTest, BodyMustExist) {
  EXPECT_EQ(verify(Function()), std::vector<std::string>{"the function has no body"});
}

TEST_F(VerifierTest, InstructionInTwoPlaces) {
  body().insts.insert(body().insts.begin(), def("b"));
  EXPECT_EQ(violation(), fmt::format("instruction {} is in two places", def("b").index));
}

TEST_F(VerifierTest, InstructionThatDoesNotKnowItsRegion) {
  inst("d").parent = function_.body;
  EXPECT_EQ(violation(), fmt::format("instruction {} does not know its region", def("d").index));
}

TEST_F(VerifierTest, RegionThatDoesNotKnowItsOwner) {
  const RegionId region = inst("i").regions[0];
  function_.region(region).owner = def("a");
  EXPECT_EQ(violation(), fmt::format("region {} does not know its owner", region.index));
}

TEST_F(VerifierTest, RegionInTwoPlaces) {
  inst("i").regions[1] = inst("i").regions[0];
  EXPECT_EQ(violation(), fmt::format("region {} is in two places", inst("i").regions[0].index));
}

TEST_F(VerifierTest, ThingsThatDoNotExist) {
  inst("b").operands[0] = ValueId(9999);
  EXPECT_NE(violation().find("has an operand that does not exist"), std::string::npos);
  inst("b").operands[0] = ValueId();
  EXPECT_NE(violation().find("has an operand that does not exist"), std::string::npos);
}

TEST_F(VerifierTest, RegionOrInstructionThatDoesNotExist) {
  inst("i").regions[1] = RegionId(9999);
  EXPECT_NE(violation().find("has a region that does not exist"), std::string::npos);
  inst("i").regions[1] = RegionId();
  EXPECT_NE(violation().find("has a region that does not exist"), std::string::npos);
  body().insts.push_back(InstId(9999));
  EXPECT_NE(violation().find("has an instruction that does not exist"), std::string::npos);
}

TEST_F(VerifierTest, ResultThatDoesNotKnowItsPlace) {
  const InstId inst_a = def("a");
  function_.value(value("a")).def = def("b");
  EXPECT_EQ(violation(),
            fmt::format("result 0 of instruction {} does not know its place", inst_a.index));
}

TEST_F(VerifierTest, ArgumentThatDoesNotKnowItsPlace) {
  function_.value(value("n")).index = 0;
  EXPECT_EQ(violation(),
            fmt::format("argument 1 of region {} does not know its place", function_.body.index));
}

TEST_F(VerifierTest, GroupsThatDoNotAddUp) {
  inst("b").segments[1] = 2;
  EXPECT_EQ(violation(),
            fmt::format("instruction {} has 2 operands, but groups for 3", def("b").index));
}

TEST_F(VerifierTest, GroupsBeyondTheRow) {
  inst("a").segments = {0, 1};
  EXPECT_EQ(violation(),
            fmt::format("instruction {} has more operand groups than its row", def("a").index));
}

// ---- 2: definition before use ----

TEST_F(VerifierTest, UseBeforeDefinition) {
  std::swap(body().insts[1], body().insts[2]);
  EXPECT_EQ(verify(function_)[0],
            "`%b = add %a, %n : i32`: an operand is used where it is not defined");
}

TEST_F(VerifierTest, UseOfAValueOfAnInnerRegion) {
  Builder builder(function_);
  builder.set_before(body().insts.back());
  builder.map(Op::Neg, {value("d")});
  EXPECT_EQ(violation(), "an operand is used where it is not defined");
}

TEST_F(VerifierTest, UseOfTheOwnResultInARegion) {
  const RegionId then = inst("i").regions[0];
  Builder builder(function_);
  builder.set_before(function_.region(then).insts.back());
  builder.map(Op::Neg, {value("i")});
  EXPECT_EQ(violation(), "an operand is used where it is not defined");
}

TEST_F(VerifierTest, UseOfASiblingRegionsValue) {
  const RegionId other = inst("i").regions[1];
  function_.inst(function_.region(other).insts.back()).operands[0] = value("d");
  EXPECT_EQ(violation(), "an operand is used where it is not defined");
}

// ---- 3: rows ----

TEST_F(VerifierTest, OperandThatDoesNotFitTheRow) {
  inst("b").operands[1] = value("one");
  EXPECT_EQ(violation(),
            "`rhs` of `add` is `f32`, but `lhs` is `i32`: `rhs` must have element type `i32`");
}

TEST_F(VerifierTest, ResultThatDoesNotFitTheRow) {
  function_.value(value("s")).type = Scalar::F64;
  EXPECT_NE(violation().find("`add` gives (f32) here, not (f64)"), std::string::npos);
}

TEST_F(VerifierTest, MissingResult) {
  function_.inst(def("c")).result_count = 0;
  EXPECT_NE(violation().find("`lt` has 1 results here, not 0"), std::string::npos);
}

TEST_F(VerifierTest, AttributeThatDoesNotFitTheRow) {
  inst("r").attrs[0] = true;
  EXPECT_EQ(violation(), "attribute `axis` of `reduce` has the wrong kind");
}

TEST_F(VerifierTest, RuleOfTheOp) {
  inst("r").attrs[0] = std::int64_t{1};
  EXPECT_EQ(violation(), "axis 1 of `reduce` is not an axis of `f32[8]`");
}

// ---- 4: terminators ----

TEST_F(VerifierTest, BodyWithoutTerminator) {
  body().insts.pop_back();
  EXPECT_EQ(violation(), "region body of the function does not end in `yield`");
}

TEST_F(VerifierTest, EmptyRegion) {
  function_.region(inst("i").regions[1]).insts.clear();
  EXPECT_EQ(violation(), "region `else` does not end in `yield`");
}

TEST_F(VerifierTest, ConditionOnlyInCond) {
  Inst& end = function_.inst(function_.region(inst("w").regions[0]).insts.back());
  end.op = Op::Yield;
  end.segments = {0};
  end.operands.clear();
  EXPECT_EQ(violation(), "region `cond` does not end in `condition`");
}

TEST_F(VerifierTest, YieldOfOtherTypesThanCarried) {
  Inst& end = function_.inst(function_.region(inst("w").regions[1]).insts.back());
  end.operands[0] = value("one");
  EXPECT_EQ(violation(), "region `body` of `while` yields (f32); it must yield (i32)");
}

TEST_F(VerifierTest, ConditionOfOtherTypesThanCarried) {
  Inst& end = function_.inst(function_.region(inst("w").regions[0]).insts.back());
  end.operands[1] = value("one");
  EXPECT_EQ(violation(), "`condition` must pass on values of the types that `while` carries");
}

TEST_F(VerifierTest, InstructionsAfterATerminator) {
  Builder builder(function_);
  builder.set_region(function_.body);
  builder.yield({});
  EXPECT_EQ(violation(), "instructions follow a terminator");
}

TEST_F(VerifierTest, BodyThatYields) {
  Inst& end = function_.inst(body().insts.back());
  end.operands = {value("a")};
  end.segments[0] = 1;
  EXPECT_EQ(violation(), "the body yields values");
}

// ---- 5: parameters and shapes ----

TEST_F(VerifierTest, ParametersThatDifferFromTheArguments) {
  function_.params[1].type = Scalar::I64;
  EXPECT_EQ(violation(), "the parameters differ from the arguments of the body");
  function_.params.pop_back();
  EXPECT_EQ(violation(), "the parameters differ from the arguments of the body");
}

TEST_F(VerifierTest, ShapesThatAreNotAllowed) {
  Builder builder(function_);
  builder.set_before(body().insts.back());
  builder.constant_int({Scalar::I8, {1 << 20}}, 0);
  EXPECT_EQ(violation(), "");
  const ValueId big = builder.constant_int({Scalar::I8, {1 << 10, (1 << 10) + 1}}, 0);
  EXPECT_EQ(violation(), "shape `[1024, 1025]` has 1049600 elements; at most 1048576 are allowed");
  function_.value(big).type.shape = {0, 4};
  EXPECT_EQ(violation(), "shape `[0, 4]` has an extent that is not positive");
}

// ---- 6: combine regions ----

TEST_F(VerifierTest, CombineRegionThatUsesAnOutsideValue) {
  inst("s").operands[0] = value("one");
  EXPECT_EQ(violation(), "an operand is used where it is not defined");
}

TEST_F(VerifierTest, CombineRegionWithEffects) {
  Builder builder(function_);
  builder.set_before(def("s"));
  builder.create(Op::DebugBarrier, {});
  EXPECT_EQ(violation(), "`debug_barrier` in a combine region, which must be pure");
}

TEST_F(VerifierTest, CombineRegionWithTiles) {
  Builder builder(function_);
  builder.set_before(def("s"));
  builder.constant_int({Scalar::I32, {8}}, 0);
  EXPECT_EQ(violation(), "a combine region computes with scalars only");
}

TEST_F(VerifierTest, CombineRegionMayHoldConstants) {
  Builder builder(function_);
  builder.set_before(def("s"));
  inst("s").operands[0] = builder.constant_float(Scalar::F32, 2);
  EXPECT_EQ(violation(), "");
}

// ---- reports ----

TEST_F(VerifierTest, ReportsAtMostAHundred) {
  Builder builder(function_);
  builder.set_before(body().insts.back());
  for (int i = 0; i < 300; ++i) {
    builder.map(Op::Neg, {value("d")});
  }
  EXPECT_EQ(find_violations(function_).size(), 100U);
}

TEST_F(VerifierTest, IgnoresWhatIsErasedOrDetached) {
  erase(function_, def("w"));
  Builder builder(function_);
  const RegionId detached = builder.make_region({});
  builder.set_region(detached);
  builder.map(Op::Neg, {value("d")});
  EXPECT_EQ(violation(), "");
}

using VerifierDeathTest = VerifierTest;

TEST_F(VerifierDeathTest, CheckValidNamesThePass) {
  check_valid(function_, "licm");
  inst("r").attrs[0] = std::int64_t{1};
  EXPECT_DEATH(check_valid(function_, "licm"), "invalid IR after licm");
}

}  // namespace
}  // namespace tilery
