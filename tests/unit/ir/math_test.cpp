// The templates of ir/math on single numbers, against the C library in a wider type.
// bench/math_exhaustive does the same over all fp32 inputs.
#include "ir/math/convert.h"
#include "ir/math/erf.h"
#include "ir/math/exp.h"
#include "ir/math/log.h"
#include "ir/math/remainder.h"
#include "ir/math/rsqrt.h"
#include "ir/math/scalar_value.h"
#include "ir/math/trig.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace tilery::math {
namespace {

using F32 = ScalarValue<float>;
using F64 = ScalarValue<double>;

/// One function in both precisions, with its bound in units of the last place.
struct MathFunction {
  const char* name;
  F32 (*fp32)(F32);
  F64 (*fp64)(F64);
  double (*reference)(double);
  long double (*wide_reference)(long double);
  double bound;
};

double reference_rsqrt(double x) {
  return 1.0 / std::sqrt(x);
}

long double wide_rsqrt(long double x) {
  return 1.0L / std::sqrt(x);
}

const MathFunction kFunctions[] = {
    {"exp", exp<F32>, exp<F64>, std::exp, std::exp, 1.0},
    {"exp2", exp2<F32>, exp2<F64>, std::exp2, std::exp2, 1.0},
    {"log", log<F32>, log<F64>, std::log, std::log, 1.0},
    {"log2", log2<F32>, log2<F64>, std::log2, std::log2, 1.0},
    {"rsqrt", rsqrt<F32>, rsqrt<F64>, reference_rsqrt, wide_rsqrt, 1.0},
    {"sin", sin<F32>, sin<F64>, std::sin, std::sin, 1.5},
    {"cos", cos<F32>, cos<F64>, std::cos, std::cos, 1.5},
    {"erf", erf<F32>, erf<F64>, std::erf, std::erf, 1.5},
};
constexpr double kFp64Bound = 2.0;

/// The distance of `result` from `exact` in units of the last place of T. A wrong infinity, NaN or
/// sign of zero is infinitely far away.
template <class T, class Wide>
double ulps_between(T result, Wide exact) {
  using Limits = std::numeric_limits<T>;
  if (std::isnan(exact) || std::isnan(result)) {
    return std::isnan(exact) == std::isnan(result) ? 0.0 : INFINITY;
  }
  if (exact == 0 || std::isinf(exact)) {
    const bool is_same =
        static_cast<Wide>(result) == exact && std::signbit(result) == std::signbit(exact);
    return is_same ? 0.0 : INFINITY;
  }
  int exponent = 0;
  std::frexp(exact, &exponent);
  const int lowest = Limits::min_exponent - Limits::digits;
  const int unit = std::max(exponent - Limits::digits, lowest);
  // Infinity is measured as the number that would follow the largest.
  const Wide end = std::ldexp(Wide(1), Limits::max_exponent);
  const Wide value = std::isinf(result) ? std::copysign(end, exact) : static_cast<Wide>(result);
  const Wide target = std::fabs(exact) > end ? std::copysign(end, exact) : exact;
  return static_cast<double>(std::fabs(value - target) / std::ldexp(Wide(1), unit));
}

class MathFunctionTest : public ::testing::TestWithParam<MathFunction> {
 protected:
  void try_fp32(float x) {
    const float result = GetParam().fp32(F32{x}).value;
    note(ulps_between(result, GetParam().reference(x)), x);
  }

  void try_fp64(double x) {
    const double result = GetParam().fp64(F64{x}).value;
    note(ulps_between(result, GetParam().wide_reference(x)), x);
  }

  void note(double ulps, double x) {
    if (ulps > worst_) {
      worst_ = ulps;
      worst_input_ = x;
    }
  }

  double worst_ = 0;
  double worst_input_ = 0;
};

TEST_P(MathFunctionTest, Fp32IsWithinItsBoundOnADenseSample) {
  for (std::uint64_t pattern = 0; pattern < (std::uint64_t{1} << 32); pattern += 4099) {
    try_fp32(std::bit_cast<float>(static_cast<std::uint32_t>(pattern)));
  }
  EXPECT_LE(worst_, GetParam().bound) << "at " << worst_input_;
}

TEST_P(MathFunctionTest, Fp32IsWithinItsBoundWhereThingsChange) {
  const double half_pi = std::acos(0.0);
  std::vector<double> centres = {0.0,       1.0,        -1.0,     2.0 / 3,  4.0 / 3, 88.72284,
                                 -87.33655, -103.97208, 128.0,    -126.0,   -149.5,  3.9375,
                                 131072,    0.5,        0x1p-126, 0x1p-149, 0x1p127};
  for (int k = 1; k < 64; ++k) {
    centres.push_back(k * half_pi);
    centres.push_back(std::round(k * 1e6) * half_pi);
  }
  for (const double centre : centres) {
    const std::uint32_t around = std::bit_cast<std::uint32_t>(static_cast<float>(centre));
    for (std::uint32_t i = 0; i < 512; ++i) {
      try_fp32(std::bit_cast<float>(around + i - 256));
    }
  }
  EXPECT_LE(worst_, GetParam().bound) << "at " << worst_input_;
}

TEST_P(MathFunctionTest, Fp64IsWithinItsBoundOnEveryScale) {
  std::mt19937_64 generator(1);
  for (int i = 0; i < 100000; ++i) {
    try_fp64(std::bit_cast<double>(generator()));
  }
  EXPECT_LE(worst_, kFp64Bound) << "at " << worst_input_;
}

TEST_P(MathFunctionTest, Fp64IsWithinItsBoundWhereItMatters) {
  std::mt19937_64 generator(2);
  for (const double width : {1.0, 7.0, 100.0, 745.0, 1100.0}) {
    std::uniform_real_distribution<double> distribution(-width, width);
    for (int i = 0; i < 20000; ++i) {
      try_fp64(distribution(generator));
    }
  }
  std::uniform_real_distribution<double> near_one(0.6, 1.5);
  for (int i = 0; i < 50000; ++i) {
    try_fp64(near_one(generator));
  }
  for (int k = 1; k < 20000; ++k) {
    try_fp64(k * std::acos(0.0));
  }
  EXPECT_LE(worst_, kFp64Bound) << "at " << worst_input_;
}

INSTANTIATE_TEST_SUITE_P(Functions, MathFunctionTest, ::testing::ValuesIn(kFunctions),
                         [](const auto& function) { return std::string(function.param.name); });

template <class T>
class MathLimitTest : public ::testing::Test {
 protected:
  static constexpr T kInf = std::numeric_limits<T>::infinity();
  static constexpr T kNan = std::numeric_limits<T>::quiet_NaN();

  static bool is_negative_zero(ScalarValue<T> x) { return x.value == 0 && std::signbit(x.value); }
};

using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(MathLimitTest, Precisions);

TYPED_TEST(MathLimitTest, InfinitiesZerosAndNan) {
  using V = ScalarValue<TypeParam>;
  const V inf{this->kInf};
  const V minus_inf{-this->kInf};
  const V zero{0};
  const V minus_zero{TypeParam(-0.0)};
  EXPECT_EQ(exp(inf).value, this->kInf);
  EXPECT_EQ(exp(minus_inf).value, 0);
  EXPECT_EQ(exp(zero).value, 1);
  EXPECT_EQ(log(zero).value, -this->kInf);
  EXPECT_EQ(log(minus_zero).value, -this->kInf);
  EXPECT_EQ(log(inf).value, this->kInf);
  EXPECT_TRUE(std::isnan(log(V{-1}).value));
  EXPECT_TRUE(std::isnan(log2(minus_inf).value));
  EXPECT_TRUE(std::isnan(sin(inf).value));
  EXPECT_TRUE(std::isnan(cos(minus_inf).value));
  EXPECT_TRUE(this->is_negative_zero(sin(minus_zero)));
  EXPECT_FALSE(this->is_negative_zero(sin(zero)));
  EXPECT_TRUE(this->is_negative_zero(erf(minus_zero)));
  EXPECT_EQ(erf(inf).value, 1);
  EXPECT_EQ(erf(minus_inf).value, -1);
  EXPECT_EQ(rsqrt(zero).value, this->kInf);
  EXPECT_EQ(rsqrt(minus_zero).value, -this->kInf);
  EXPECT_EQ(rsqrt(inf).value, 0);
  EXPECT_TRUE(std::isnan(rsqrt(V{-1}).value));
  for (const V result :
       {exp(V{this->kNan}), exp2(V{this->kNan}), log(V{this->kNan}), log2(V{this->kNan}),
        sin(V{this->kNan}), cos(V{this->kNan}), erf(V{this->kNan}), rsqrt(V{this->kNan})}) {
    EXPECT_TRUE(std::isnan(result.value));
  }
}

TYPED_TEST(MathLimitTest, PowersOfTwoAreExact) {
  using V = ScalarValue<TypeParam>;
  using Limits = std::numeric_limits<TypeParam>;
  for (int k = Limits::min_exponent - Limits::digits; k < Limits::max_exponent; ++k) {
    const TypeParam power = std::ldexp(TypeParam(1), k);
    ASSERT_EQ(exp2(V{static_cast<TypeParam>(k)}).value, power);
    ASSERT_EQ(log2(V{power}).value, k);
  }
}

TEST(MathTest, SubnormalExponentialsOfTheChapter) {
  // exp(-101) = 1.3664e-44 is 9.75 units of the least number, so 10 of them; divided by 1 + exp(-1)
  // it is 7: the softmax of [100, 101, 50, 0] in its last place.
  const float smallest = std::numeric_limits<float>::denorm_min();
  const float e = exp(F32{-101.0F}).value;
  EXPECT_EQ(e, 10 * smallest);
  const float sum = exp(F32{-1.0F}).value + 1.0F;
  EXPECT_EQ(e / sum, 9.809089e-45F);
}

template <class T>
void expect_exact_remainders() {
  std::mt19937_64 generator(3);
  std::vector<T> values = {T(0),
                           T(-0.0),
                           T(1),
                           T(-1),
                           T(3),
                           T(5.5),
                           std::numeric_limits<T>::infinity(),
                           -std::numeric_limits<T>::infinity(),
                           std::numeric_limits<T>::quiet_NaN(),
                           std::numeric_limits<T>::max(),
                           std::numeric_limits<T>::denorm_min(),
                           std::numeric_limits<T>::min()};
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  for (int i = 0; i < 200; ++i) {
    values.push_back(std::bit_cast<T>(static_cast<Bits>(generator())));
    values.push_back(static_cast<T>(static_cast<int>(generator() % 2000) - 1000) / 8);
  }
  for (const T x : values) {
    for (const T y : values) {
      const T result = remainder(ScalarValue<T>{x}, ScalarValue<T>{y}).value;
      const T want = std::fmod(x, y);
      const bool is_same = result == want && std::signbit(result) == std::signbit(want);
      ASSERT_TRUE(is_same || (std::isnan(result) && std::isnan(want)))
          << x << " % " << y << " gave " << result << ", not " << want;
    }
  }
}

TEST(MathTest, RemaindersAreExact) {
  expect_exact_remainders<float>();
  expect_exact_remainders<double>();
}

constexpr FloatFormat kF16 = float_format(Scalar::F16);
constexpr FloatFormat kBF16 = float_format(Scalar::BF16);
constexpr FloatFormat kF8E5 = float_format(Scalar::F8E5);
constexpr FloatFormat kF8E4NV = float_format(Scalar::F8E4NV);
constexpr FloatFormat kF8E4B15 = float_format(Scalar::F8E4B15);
constexpr FloatFormat kF8E4B8 = float_format(Scalar::F8E4B8);
constexpr FloatFormat kF8E5B16 = float_format(Scalar::F8E5B16);

TEST(ConvertTest, EncodesWellKnownNumbers) {
  EXPECT_EQ(encode(1.0, kF16), 0x3C00U);
  EXPECT_EQ(encode(65504.0, kF16), 0x7BFFU);
  EXPECT_EQ(encode(65520.0, kF16), 0x7C00U);
  EXPECT_EQ(encode(-0.0, kF16), 0x8000U);
  EXPECT_EQ(encode(0x1p-25, kF16), 0U);  // half the least number, to even
  EXPECT_EQ(encode(0x1.8p-25, kF16), 1U);
  EXPECT_EQ(encode(1.0, kBF16), 0x3F80U);
  EXPECT_EQ(encode(448.0, kF8E4NV), 0x7EU);
  EXPECT_EQ(encode(1e9, kF8E4NV), 0x7EU);
  EXPECT_EQ(encode(-INFINITY, kF8E5), 0xFBU);
  EXPECT_EQ(encode(-0.0, kF8E4B8), 0U);
  EXPECT_EQ(encode(NAN, kF8E5B16), 0x80U);
  EXPECT_EQ(encode(1e9, kF16, Rounding::ToZero), 0x7BFFU);
  EXPECT_EQ(encode_unsigned(~std::uint64_t{0}, kBF16), 0x5F80U);  // 2^64
  EXPECT_EQ(encode_signed(-1, kF16), 0xBC00U);
}

TEST(ConvertTest, DecodingAndEncodingAgreeOnEveryCode) {
  for (const FloatFormat& format : {kF16, kBF16, kF8E5, kF8E4NV, kF8E4B15, kF8E4B8, kF8E5B16}) {
    for (std::uint32_t code = 0; code < (1U << format.width()); ++code) {
      const float value = decode(code, format);
      const bool is_clamped = (code & ((1U << (format.width() - 1)) - 1)) > format.max_code;
      if (!std::isnan(value) && !is_clamped) {
        ASSERT_EQ(encode(value, format), code) << format.width() << ' ' << format.bias;
      }
    }
  }
}

TEST(ConvertTest, SaturatesToIntegers) {
  EXPECT_EQ(saturate_to<std::int32_t>(3e9F), 2147483647);
  EXPECT_EQ(saturate_to<std::int32_t>(-3e9F), -2147483647 - 1);
  EXPECT_EQ(saturate_to<std::int8_t>(-128.9), -128);
  EXPECT_EQ(saturate_to<std::uint8_t>(255.9F), 255);
  EXPECT_EQ(saturate_to<std::uint64_t>(-0.5), 0U);
  EXPECT_EQ(saturate_to<std::int64_t>(std::nan("")), 0);
}

}  // namespace
}  // namespace tilery::math
