// Expected bits were worked out by hand from the formats' definitions: sign, biased exponent,
// fraction; halfway cases go to the even fraction.
#include "ir/builder.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

namespace tilery {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct FloatCase {
  Scalar scalar;
  double value;
  std::uint64_t bits;
};

TEST(Encode, Fp16) {
  const FloatCase cases[] = {
      {Scalar::F16, 1.0, 0x3C00},
      {Scalar::F16, -2.0, 0xC000},
      {Scalar::F16, -0.0, 0x8000},
      {Scalar::F16, 0.1, 0x2E66},
      {Scalar::F16, 65504.0, 0x7BFF},
      // Halfway to 65536, whose fraction would be even.
      {Scalar::F16, 65519.99, 0x7BFF},
      {Scalar::F16, 65520.0, 0x7C00},
      {Scalar::F16, kInf, 0x7C00},
      {Scalar::F16, -kInf, 0xFC00},
      {Scalar::F16, kNan, 0x7E00},
      {Scalar::F16, std::ldexp(1.0, -24), 0x0001},
      {Scalar::F16, std::ldexp(1.0, -25), 0x0000},
      {Scalar::F16, std::ldexp(1.5, -25), 0x0001},
      {Scalar::F16, std::ldexp(1.5, -24), 0x0002},
      {Scalar::F16, 2049.0, 0x6800},
      {Scalar::F16, 2051.0, 0x6802},
  };
  for (const FloatCase& c : cases) {
    EXPECT_EQ(encode_float(c.scalar, c.value), c.bits) << c.value;
  }
}

TEST(Encode, Bf16RoundsOnce) {
  EXPECT_EQ(encode_float(Scalar::BF16, 1.0), 0x3F80U);
  EXPECT_EQ(encode_float(Scalar::BF16, 3.140625), 0x4049U);
  EXPECT_EQ(encode_float(Scalar::BF16, 1.0 + std::ldexp(1.0, -8)), 0x3F80U);
  EXPECT_EQ(encode_float(Scalar::BF16, 1.0 + std::ldexp(3.0, -8)), 0x3F82U);
  // Through fp32 the last term would be lost and the tie go down.
  EXPECT_EQ(encode_float(Scalar::BF16, 1.0 + std::ldexp(1.0, -8) + std::ldexp(1.0, -40)), 0x3F81U);
  // Through fp64 likewise.
  constexpr std::int64_t kJustAboveTie = (std::int64_t{1} << 62) + (std::int64_t{1} << 54) + 1;
  EXPECT_EQ(encode_int(Scalar::BF16, kJustAboveTie), 0x5E81U);
  EXPECT_EQ(encode_int(Scalar::BF16, kJustAboveTie - 1), 0x5E80U);
  EXPECT_EQ(encode_int(Scalar::BF16, -kJustAboveTie), 0xDE81U);
}

TEST(Encode, Fp32AndFp64AreTheMachines) {
  for (const double value :
       {0.1, -1e-45, 1e-46, 3.5e38, 3.4028235677973362e38, 16777217.0, -0.0, 1e-40, kInf, -kInf}) {
    EXPECT_EQ(encode_float(Scalar::F32, value),
              std::bit_cast<std::uint32_t>(static_cast<float>(value)))
        << value;
    EXPECT_EQ(encode_float(Scalar::F64, value), std::bit_cast<std::uint64_t>(value));
  }
  for (const std::int64_t value :
       {std::int64_t{0}, std::int64_t{-1}, std::int64_t{16777217}, (std::int64_t{1} << 54) + 1,
        std::int64_t{INT64_MAX}, std::int64_t{INT64_MIN}}) {
    EXPECT_EQ(encode_int(Scalar::F32, value),
              std::bit_cast<std::uint32_t>(static_cast<float>(value)));
    EXPECT_EQ(encode_int(Scalar::F64, value),
              std::bit_cast<std::uint64_t>(static_cast<double>(value)));
  }
}

TEST(Encode, Fp8SaturatesAndKeepsNan) {
  const FloatCase cases[] = {
      {Scalar::F8E4NV, 1.0, 0x38},
      {Scalar::F8E4NV, 448.0, 0x7E},
      {Scalar::F8E4NV, 1e9, 0x7E},
      {Scalar::F8E4NV, -kInf, 0xFE},
      {Scalar::F8E4NV, kNan, 0x7F},
      {Scalar::F8E4NV, std::ldexp(1.0, -9), 0x01},
      {Scalar::F8E4NV, std::ldexp(1.0, -10), 0x00},
      {Scalar::F8E4NV, 17.0, 0x58},
      {Scalar::F8E4NV, 19.0, 0x5A},
      {Scalar::F8E5, 1.0, 0x3C},
      {Scalar::F8E5, 57344.0, 0x7B},
      {Scalar::F8E5, 61440.0, 0x7B},
      {Scalar::F8E5, kInf, 0x7B},
      {Scalar::F8E5, kNan, 0x7E},
      {Scalar::F8E5, std::ldexp(1.0, -16), 0x01},
      {Scalar::F8E4B15, 1.0, 0x78},
      {Scalar::F8E4B15, 0.5, 0x70},
      {Scalar::F8E4B15, 1.75, 0x7E},
      {Scalar::F8E4B15, -1.9, 0xFE},
      {Scalar::F8E4B8, 1.0, 0x40},
      {Scalar::F8E4B8, 240.0, 0x7F},
      {Scalar::F8E4B8, 1000.0, 0x7F},
      {Scalar::F8E4B8, -0.0, 0x00},
      {Scalar::F8E4B8, -1e-9, 0x00},
      {Scalar::F8E4B8, kNan, 0x80},
      {Scalar::F8E5B16, 1.0, 0x40},
      {Scalar::F8E5B16, 57344.0, 0x7F},
      {Scalar::F8E5B16, kNan, 0x80},
  };
  for (const FloatCase& c : cases) {
    EXPECT_EQ(encode_float(c.scalar, c.value), c.bits) << ir_name(c.scalar) << " " << c.value;
  }
}

TEST(Decode, SmallFloatsByTheirDefinition) {
  EXPECT_EQ(decode_float(Scalar::F16, 0x3555),
            0x555 / 1024.0 * 0.25 - 0x400 / 1024.0 * 0.25 + 0.25);
  EXPECT_EQ(decode_float(Scalar::F16, 0x0001), std::ldexp(1.0, -24));
  EXPECT_EQ(decode_float(Scalar::F8E4NV, 0x7E), 448.0);
  EXPECT_EQ(decode_float(Scalar::F8E5, 0x7C), kInf);
  EXPECT_EQ(decode_float(Scalar::F8E4B15, 0x7F), 1.875);
  EXPECT_EQ(decode_float(Scalar::F8E4B8, 0x01), std::ldexp(1.0, -10));
  EXPECT_TRUE(std::isnan(decode_float(Scalar::F8E4B8, 0x80)));
  EXPECT_TRUE(std::isnan(decode_float(Scalar::F8E4NV, 0xFF)));
  EXPECT_EQ(decode_float(Scalar::BF16, 0xC040), -3.0);
}

/// Bits that conversion does not give back, by design.
bool is_lossy(Scalar scalar, std::uint64_t bits) {
  const std::uint64_t magnitude = bits & 0x7F;
  return (scalar == Scalar::F8E5 && magnitude == 0x7C) ||
         (scalar == Scalar::F8E4B15 && magnitude == 0x7F);
}

TEST(Encode, InvertsDecodeOnAllSmallFloats) {
  for (const Scalar scalar : {Scalar::F8E4NV, Scalar::F8E5, Scalar::F8E4B15, Scalar::F8E4B8,
                              Scalar::F8E5B16, Scalar::F16, Scalar::BF16}) {
    for (std::uint64_t bits = 0; bits >> bit_width(scalar) == 0; ++bits) {
      // The formats without a payload know one NaN; its sign is not kept in all of them.
      if (!is_lossy(scalar, bits)) {
        ASSERT_EQ(encode_float(scalar, decode_float(scalar, bits)), bits)
            << ir_name(scalar) << " " << bits;
      }
    }
  }
  EXPECT_EQ(encode_float(Scalar::F8E5, decode_float(Scalar::F8E5, 0x7C)), 0x7BU);
}

TEST(Encode, KeepsNanPayloadsOfFp32) {
  for (const std::uint64_t bits : {0x7FC00001U, 0x7F800001U, 0xFFFFFFFFU, 0xFFC00000U}) {
    EXPECT_EQ(encode_float(Scalar::F32, decode_float(Scalar::F32, bits)), bits);
  }
}

// The definition of rounding to nearest even, on numbers of all magnitudes: no neighbour is nearer,
// and of two equally near ones the even one is taken.
TEST(Encode, FindsTheNearest) {
  std::mt19937_64 random(7);
  for (const Scalar scalar : {Scalar::F16, Scalar::BF16, Scalar::F8E5, Scalar::F8E4NV}) {
    const double largest = scalar == Scalar::F16    ? 65504
                           : scalar == Scalar::BF16 ? 3.38e38
                           : scalar == Scalar::F8E5 ? 57344
                                                    : 448;
    for (int i = 0; i < 20000; ++i) {
      const double value = std::ldexp(1.0 + static_cast<double>(random() % 4096) / 4096,
                                      static_cast<int>(random() % 60) - 30);
      if (value >= largest) {
        continue;
      }
      const std::uint64_t bits = encode_float(scalar, value);
      const double error = std::fabs(decode_float(scalar, bits) - value);
      for (const std::uint64_t neighbour : {bits + 1, bits == 0 ? bits : bits - 1}) {
        const double other = std::fabs(decode_float(scalar, neighbour) - value);
        ASSERT_TRUE(neighbour == bits || !(other < error)) << ir_name(scalar) << " " << value;
        ASSERT_TRUE(neighbour == bits || other != error || bits % 2 == 0) << value;
      }
    }
  }
}

TEST(Encode, IntegersWrap) {
  EXPECT_EQ(encode_int(Scalar::I8, -1), 0xFFU);
  EXPECT_EQ(encode_int(Scalar::I8, 300), 44U);
  EXPECT_EQ(encode_int(Scalar::U32, -1), 0xFFFFFFFFU);
  EXPECT_EQ(encode_int(Scalar::I64, -2), 0xFFFFFFFFFFFFFFFEU);
  EXPECT_EQ(encode_int(Scalar::I1, 2), 0U);
  EXPECT_EQ(encode_int(Scalar::I1, 3), 1U);
  EXPECT_EQ(decode_int(Scalar::I8, 0x80), -128);
  EXPECT_EQ(decode_int(Scalar::U8, 0x80), 128);
  EXPECT_EQ(decode_int(Scalar::I1, 1), 1);
  EXPECT_EQ(decode_int(Scalar::I64, ~std::uint64_t{0}), -1);
}

// As a cast does: truncated, saturated, NaN to 0.
TEST(Encode, FloatsAsIntegers) {
  EXPECT_EQ(encode_float(Scalar::I32, -1.9), 0xFFFFFFFFU);
  EXPECT_EQ(encode_float(Scalar::I8, 200.0), 127U);
  EXPECT_EQ(encode_float(Scalar::I8, -200.0), 0x80U);
  EXPECT_EQ(encode_float(Scalar::U8, -3.0), 0U);
  EXPECT_EQ(encode_float(Scalar::U8, 255.9), 255U);
  EXPECT_EQ(encode_float(Scalar::I64, 1e30), 0x7FFFFFFFFFFFFFFFU);
  EXPECT_EQ(encode_float(Scalar::I64, -1e30), 0x8000000000000000U);
  EXPECT_EQ(encode_float(Scalar::U64, 1e30), 0xFFFFFFFFFFFFFFFFU);
  EXPECT_EQ(encode_float(Scalar::U64, 9223372036854775808.0), 0x8000000000000000U);
  EXPECT_EQ(encode_float(Scalar::I16, kNan), 0U);
  EXPECT_EQ(encode_float(Scalar::I1, 0.25), 1U);
  EXPECT_EQ(encode_float(Scalar::I1, kNan), 1U);
  EXPECT_EQ(encode_float(Scalar::I1, -0.0), 0U);
}

}  // namespace
}  // namespace tilery
