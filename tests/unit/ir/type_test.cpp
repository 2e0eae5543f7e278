#include "ir/type.h"

#include <gtest/gtest.h>

#include <limits>

namespace tilery {
namespace {

TEST(Type, SpellsNumbersPointersAndShapes) {
  EXPECT_EQ(Type(Scalar::F32).str(), "f32");
  EXPECT_EQ(Type(Scalar::F32, {64, 32}).str(), "f32[64, 32]");
  EXPECT_EQ(Type(ElementType(Scalar::BF16, 1), {8}).str(), "*bf16[8]");
  EXPECT_EQ(ElementType(Scalar::I8, 1, true).str(), "*const i8");
  EXPECT_EQ(ElementType(Scalar::I8, 2, true).str(), "*const *i8");
}

TEST(Type, ReadsWhatItSpells) {
  for (int i = 0; i < kScalarCount; ++i) {
    for (const int depth : {0, 1, 2}) {
      for (const bool is_const : {false, true}) {
        const Type type(ElementType(static_cast<Scalar>(i), depth, is_const && depth > 0), {3, 1});
        Type read;
        ASSERT_TRUE(parse_type(type.str(), read)) << type.str();
        EXPECT_EQ(read, type);
      }
    }
  }
}

TEST(Type, RefusesWhatIsNoType) {
  for (const char* text :
       {"", "f", "f33", "*", "f32[", "f32[]", "f32[0]", "f32[-1]", "f32[4", "f32[4]]", "f32[4,]",
        "f32[4] ", " f32", "* f32", "const f32", "**const f32", "f32[3000000000]",
        "f32[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]", "*********f32"}) {
    Type type(Scalar::I8);
    EXPECT_FALSE(parse_type(text, type)) << text;
    EXPECT_EQ(type, Type(Scalar::I8)) << "a failed read must not change its target";
  }
}

TEST(Type, PointersLeadToTheirPointee) {
  const ElementType pointer(Scalar::F16, 2, true);
  EXPECT_EQ(pointer.pointee(), ElementType(Scalar::F16, 1));
  EXPECT_EQ(pointer.pointee().pointee(), ElementType(Scalar::F16));
  EXPECT_EQ(ElementType(Scalar::F16).pointer_to(), ElementType(Scalar::F16, 1));
  EXPECT_EQ(pointer.byte_size(), 8);
}

TEST(Type, KnowsWidths) {
  EXPECT_EQ(bit_width(Scalar::I1), 1);
  EXPECT_EQ(byte_size(Scalar::I1), 1);
  EXPECT_EQ(byte_size(Scalar::F8E5), 1);
  EXPECT_EQ(byte_size(Scalar::BF16), 2);
  EXPECT_EQ(byte_size(Scalar::U64), 8);
}

TEST(Type, ClassesFollowTheLanguage) {
  // int1 counts as unsigned in all signedness tests of the language.
  EXPECT_TRUE(is_unsigned_integer(Scalar::I1));
  EXPECT_TRUE(is_signed_integer(Scalar::I64));
  EXPECT_FALSE(is_signed_integer(Scalar::F32));
  EXPECT_TRUE(is_fp8(Scalar::F8E4B15));
  EXPECT_FALSE(is_fp8(Scalar::I8));
  EXPECT_FALSE(is_fp8(Scalar::F16));
  EXPECT_EQ(language_name(Scalar::F8E4NV), "fp8e4nv");
  EXPECT_EQ(language_name(Scalar::U16), "uint16");
}

TEST(Shape, InsertsAndErasesAxes) {
  Shape shape{4, 8};
  shape.insert(1, 1);
  EXPECT_EQ(shape, (Shape{4, 1, 8}));
  shape.insert(3, 2);
  EXPECT_EQ(shape, (Shape{4, 1, 8, 2}));
  shape.erase(0);
  EXPECT_EQ(shape, (Shape{1, 8, 2}));
  EXPECT_EQ(shape.numel(), 16);
}

TEST(Shape, EqualShapesIgnoreWhatWasErased) {
  Shape shape{4, 8};
  shape.erase(1);
  EXPECT_EQ(shape, (Shape{4}));
}

TEST(Shape, CountsSaturate) {
  Shape shape;
  for (int i = 0; i < Shape::kMaxRank; ++i) {
    shape.push_back(1 << 30);
  }
  EXPECT_EQ(shape.numel(), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(Shape().numel(), 1);
}

TEST(ShapeDeathTest, HasALimitedRank) {
  Shape shape;
  for (int i = 0; i < Shape::kMaxRank; ++i) {
    shape.push_back(1);
  }
  EXPECT_DEATH(shape.push_back(1), "too many axes");
}

}  // namespace
}  // namespace tilery
