#include "ir/operands.h"

#include "ir/attributes.h"
#include "ir/builder.h"
#include "ir/input_precision.h"

#include <gtest/gtest.h>

namespace tilery {
namespace {

// The rows of ops.def, written out once more.
TEST(Operands, AreFoundByTheirNamesInTheRow) {
  EXPECT_EQ(operand_group<"ptr">(Op::Load), 0);
  EXPECT_EQ(operand_group<"mask">(Op::Load), 1);
  EXPECT_EQ(operand_group<"other">(Op::Load), 2);
  EXPECT_EQ(operand_group<"ptr">(Op::Store), 0);
  EXPECT_EQ(operand_group<"value">(Op::Store), 1);
  EXPECT_EQ(operand_group<"mask">(Op::Store), 2);
  EXPECT_EQ(operand_group<"acc">(Op::Dot), 2);
  EXPECT_EQ(operand_group<"init">(Op::For), 3);
  EXPECT_EQ(operand_group<"init">(Op::While), 0);
  EXPECT_EQ(operand_group<"values">(Op::Yield), 0);
  EXPECT_EQ(operand_group<"values">(Op::Condition), 1);
}

TEST(InputPrecision, IsInTheOrderOfTheRow) {
  const std::string_view names =
      op_def(Op::Dot).attr_patterns()[attr_index(Op::Dot, "precision")].enumerators;
  const auto position = [&](std::string_view name) {
    return static_cast<InputPrecision>(enumerator_index(names, name));
  };
  EXPECT_EQ(position("tf32"), InputPrecision::Tf32);
  EXPECT_EQ(position("ieee"), InputPrecision::Ieee);
  EXPECT_EQ(position("tf32x3"), InputPrecision::Tf32x3);
  EXPECT_EQ(position("bf16x3"), InputPrecision::Bf16x3);
  EXPECT_EQ(position("bf16x6"), InputPrecision::Bf16x6);
}

/// Every row at once: what the search for a name finds is what the reader of signatures says.
template <OperandName kName>
void expect_as_in_signatures() {
  for (const OpDef& def : all_ops()) {
    int expected = -1;
    for (std::size_t i = 0; i < def.operand_patterns().size(); ++i) {
      if (def.operand_patterns()[i].name == kName.view()) {
        expected = static_cast<int>(i);
      }
    }
    EXPECT_EQ(detail::kOperandGroups<kName>[static_cast<std::size_t>(def.op)], expected)
        << def.id << " " << kName.view();
  }
}

TEST(Operands, AgreeWithTheSignatures) {
  expect_as_in_signatures<"x">();
  expect_as_in_signatures<"lhs">();
  expect_as_in_signatures<"rhs">();
  expect_as_in_signatures<"ptr">();
  expect_as_in_signatures<"offset">();
  expect_as_in_signatures<"mask">();
  expect_as_in_signatures<"condition">();
  expect_as_in_signatures<"a">();
  expect_as_in_signatures<"b">();
  expect_as_in_signatures<"acc">();
  expect_as_in_signatures<"tile">();
  expect_as_in_signatures<"slot">();
  expect_as_in_signatures<"init">();
  expect_as_in_signatures<"values">();
  // A region and an attribute are no operands.
  expect_as_in_signatures<"combine">();
  expect_as_in_signatures<"axis">();
}

template <OperandName kName>
void expect_attribute_as_in_signatures() {
  for (const OpDef& def : all_ops()) {
    int expected = -1;
    for (std::size_t i = 0; i < def.attr_patterns().size(); ++i) {
      if (def.attr_patterns()[i].name == kName.view()) {
        expected = static_cast<int>(i);
      }
    }
    EXPECT_EQ(detail::kAttrPositions<kName>[static_cast<std::size_t>(def.op)], expected)
        << def.id << " " << kName.view();
  }
}

TEST(Attributes, AgreeWithTheSignatures) {
  expect_attribute_as_in_signatures<"axis">();
  expect_attribute_as_in_signatures<"order">();
  expect_attribute_as_in_signatures<"value">();
  expect_attribute_as_in_signatures<"start">();
  expect_attribute_as_in_signatures<"end">();
  expect_attribute_as_in_signatures<"rounding">();
  expect_attribute_as_in_signatures<"precision">();
  expect_attribute_as_in_signatures<"cache">();
  expect_attribute_as_in_signatures<"eviction">();
  expect_attribute_as_in_signatures<"volatile">();
  expect_attribute_as_in_signatures<"reverse">();
  expect_attribute_as_in_signatures<"has_exit">();
  expect_attribute_as_in_signatures<"stages">();
  expect_attribute_as_in_signatures<"disable_licm">();
  expect_attribute_as_in_signatures<"pending">();
  expect_attribute_as_in_signatures<"values">();
  // An operand is no attribute.
  expect_attribute_as_in_signatures<"mask">();
}

TEST(Attributes, ThatAreNumbersOfEnumerators) {
  const auto word = [](Op op, std::string_view name, int index) {
    return enumerator_name(op_def(op).attr_patterns()[attr_index(op, name)].enumerators, index);
  };
  EXPECT_EQ(word(Op::Cast, "rounding", 1), "rtz");
  EXPECT_EQ(op_def(Op::Cast).attr_patterns()[0].default_text, "rtne");
}

TEST(Operands, OfAnInstruction) {
  Function function = make_function("k", {{"p", Type(ElementType(Scalar::F32, 1)), {}, {}}});
  const ValueId p = function.region(function.body).args[0];
  Builder builder(function);
  builder.set_region(function.body);
  const InstId load_id = builder.create(Op::Load, {{{p}, {}, {}}, {}, {}, {}});
  const InstId store_id =
      builder.create(Op::Store, {{{p}, {function.inst(load_id).result()}, {}}, {}, {}, {}});
  const Inst& load = function.inst(load_id);
  const Inst& store = function.inst(store_id);
  EXPECT_EQ(operand<"ptr">(load), p);
  EXPECT_EQ(operand<"value">(store), load.result());
  EXPECT_FALSE(operand<"mask">(store));
  EXPECT_FALSE(operand<"other">(load));
}

TEST(AttributesDeathTest, AnOpWithoutTheAttribute) {
  EXPECT_DEATH((void)attr_position<"axis">(Op::Store), "an attribute that the op does not have");
}

TEST(OperandsDeathTest, AnOpWithoutTheOperand) {
  EXPECT_DEATH((void)operand_group<"other">(Op::Store), "an operand that the op does not have");
}

}  // namespace
}  // namespace tilery
