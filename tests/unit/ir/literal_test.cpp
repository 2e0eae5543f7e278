#include "ir/literal.h"

#include <gtest/gtest.h>

#include <random>

namespace tilery {
namespace {

TEST(Literal, IsTheShortestNumberOfItsType) {
  EXPECT_EQ(literal_text(Scalar::F32, 0x3FC00000), "1.5");
  EXPECT_EQ(literal_text(Scalar::F32, 0x3DCCCCCD), "0.1");
  EXPECT_EQ(literal_text(Scalar::F32, 0x3F800000), "1.0");
  EXPECT_EQ(literal_text(Scalar::F32, 0x80000000), "-0.0");
  EXPECT_EQ(literal_text(Scalar::F64, 0x3FB999999999999A), "0.1");
  EXPECT_EQ(literal_text(Scalar::F16, 0x3C00), "1.0");
  EXPECT_EQ(literal_text(Scalar::BF16, 0x4049), "3.140625");
  EXPECT_EQ(literal_text(Scalar::I32, 0xFFFFFFF9), "-7");
  EXPECT_EQ(literal_text(Scalar::U32, 0xFFFFFFF9), "4294967289");
  EXPECT_EQ(literal_text(Scalar::U64, ~std::uint64_t{0}), "18446744073709551615");
  EXPECT_EQ(literal_text(Scalar::I1, 1), "true");
  EXPECT_EQ(literal_text(Scalar::I1, 0), "false");
}

TEST(Literal, NamesInfinitiesAndThePlainNan) {
  EXPECT_EQ(literal_text(Scalar::F32, 0x7F800000), "inf");
  EXPECT_EQ(literal_text(Scalar::F32, 0xFF800000), "-inf");
  EXPECT_EQ(literal_text(Scalar::F32, 0x7FC00000), "nan");
  EXPECT_EQ(literal_text(Scalar::F16, 0x7C00), "inf");
}

TEST(Literal, FallsBackToBits) {
  EXPECT_EQ(literal_text(Scalar::F32, 0x7FC00001), "0x7fc00001");
  EXPECT_EQ(literal_text(Scalar::F32, 0xFFC00000), "0xffc00000");
  EXPECT_EQ(literal_text(Scalar::F16, 0x7E01), "0x7e01");
  // Conversion saturates, so "inf" would read as the largest finite number.
  EXPECT_EQ(literal_text(Scalar::F8E5, 0x7C), "0x7c");
  EXPECT_EQ(literal_text(ElementType(Scalar::F32, 1), 4096), "0x1000");
  // More bits than the type has must not be hidden from whoever looks for the fault.
  EXPECT_EQ(literal_text(Scalar::I8, 0x100), "0x100");
}

TEST(Literal, ReadsWhatItWrites) {
  std::mt19937_64 random(11);
  for (int i = 0; i < kScalarCount; ++i) {
    const auto scalar = static_cast<Scalar>(i);
    const std::uint64_t mask = ~std::uint64_t{0} >> (64 - bit_width(scalar));
    for (int n = 0; n < 5000; ++n) {
      const std::uint64_t bits = random() & mask;
      ASSERT_EQ(parse_literal(scalar, literal_text(scalar, bits)), bits)
          << ir_name(scalar) << " " << bits;
    }
  }
}

TEST(Literal, RefusesWhatDoesNotFit) {
  EXPECT_EQ(parse_literal(Scalar::I8, "128"), std::nullopt);
  EXPECT_EQ(parse_literal(Scalar::I8, "-129"), std::nullopt);
  EXPECT_EQ(parse_literal(Scalar::U8, "-1"), std::nullopt);
  EXPECT_EQ(parse_literal(Scalar::U8, "256"), std::nullopt);
  EXPECT_EQ(parse_literal(Scalar::I1, "1"), std::nullopt);
  EXPECT_EQ(parse_literal(Scalar::I32, "1.5"), std::nullopt);
  EXPECT_EQ(parse_literal(Scalar::F32, "one"), std::nullopt);
  EXPECT_EQ(parse_literal(Scalar::F32, "infinity"), std::nullopt);
  EXPECT_EQ(parse_literal(Scalar::F32, "1.5f"), std::nullopt);
  EXPECT_EQ(parse_literal(Scalar::F32, ""), std::nullopt);
  EXPECT_EQ(parse_literal(Scalar::F16, "0x12345"), std::nullopt);
  EXPECT_EQ(parse_literal(Scalar::F16, "0x"), std::nullopt);
  EXPECT_EQ(parse_literal(ElementType(Scalar::F32, 1), "0"), std::nullopt);
}

TEST(Literal, TakesOtherSpellingsOfNumbers) {
  EXPECT_EQ(parse_literal(Scalar::F32, "1"), 0x3F800000U);
  EXPECT_EQ(parse_literal(Scalar::F32, "1e0"), 0x3F800000U);
  EXPECT_EQ(parse_literal(Scalar::I32, "0xffffffff"), 0xFFFFFFFFU);
}

}  // namespace
}  // namespace tilery
