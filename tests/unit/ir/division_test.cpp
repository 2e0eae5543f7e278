#include "ir/math/division.h"

#include "ir/math/scalar_value.h"

#include <gtest/gtest.h>

#include <bit>
#include <cfloat>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace tilery::math {
namespace {

float shared_quotient(float x, float d) {
  return quotient_by_reciprocal(ScalarValue<float>{x}, ScalarValue<float>{d},
                                ScalarValue<float>{1.0F / d})
      .value;
}

/// The D of 24 bits with X · 2^shift - M · D = rest for some X of 24 bits, if there is one: D is
/// -rest / M modulo 2^shift.
struct NearMidpoint {
  std::uint64_t x = 0;
  std::uint64_t d = 0;
};

bool find_division(std::uint64_t midpoint, std::int64_t rest, int shift, NearMidpoint& found) {
  std::uint64_t inverse = midpoint;
  for (int i = 0; i < 5; ++i) {
    inverse *= 2 - midpoint * inverse;
  }
  const std::uint64_t modulus = std::uint64_t{1} << shift;
  found.d = (static_cast<std::uint64_t>(-rest) * inverse) & (modulus - 1);
  found.x = (midpoint * found.d + static_cast<std::uint64_t>(rest)) >> shift;
  const auto has_24_bits = [](std::uint64_t n) { return n >> 23 == 1; };
  return has_24_bits(found.d) && has_24_bits(found.x) && (found.x < found.d) == (shift == 25);
}

/// `quotient(x, d)` for quotients next to every eleventh midpoint.
template <class Quotient>
void expect_right_next_to_midpoints(Quotient&& quotient) {
  int count = 0;
  int wrong = 0;
  // Midpoints of two floats have 25 bits, the last one set. 24 is for quotients from 1 on.
  for (const int shift : {24, 25}) {
    for (std::uint64_t midpoint = (1U << 24) + 1; midpoint < 1U << 25; midpoint += 22) {
      for (std::int64_t rest = -6; rest <= 6; ++rest) {
        NearMidpoint found;
        if (rest != 0 && find_division(midpoint, rest, shift, found)) {
          const auto x = static_cast<float>(found.x);
          const auto d = static_cast<float>(found.d);
          ++count;
          wrong += quotient(x, d) == x / d ? 0 : 1;
        }
      }
    }
  }
  EXPECT_GT(count, 3000000);
  EXPECT_EQ(wrong, 0);
}

TEST(Division, IsCorrectlyRoundedNextToMidpoints) {
  expect_right_next_to_midpoints(shared_quotient);
}

TEST(Division, HoldsOverItsRange) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> mantissa(1.0F, 2.0F);
  std::uniform_int_distribution<int> exponent(-100, 99);
  std::uniform_int_distribution<int> divisor_exponent(-25, 24);
  for (int i = 0; i < 1000000; ++i) {
    const float x = std::ldexp(mantissa(random), exponent(random)) * (i % 2 == 0 ? 1.0F : -1.0F);
    const float d = std::ldexp(mantissa(random), divisor_exponent(random));
    ASSERT_EQ(shared_quotient(x, d), x / d) << x << " / " << d;
  }
}

TEST(Division, HoldsAtTheEndsOfItsRange) {
  for (const float x : {kSmallestSharedDividend, kLargestSharedDividend, 0x1.fffffep-100F}) {
    for (const float d : {kSmallestSharedDivisor, kLargestSharedDivisor, 0x1.fffffep24F, 3.0F}) {
      EXPECT_EQ(shared_quotient(x, d), x / d) << x << " / " << d;
      EXPECT_EQ(shared_quotient(-x, d), -x / d) << -x << " / " << d;
    }
  }
}

// ---- any size, in fp64 ----

/// With an estimate that is off by as much as one may be.
float any_quotient(float x, float d, double error = 0x1p-18) {
  const ScalarValue<double> divisor{d};
  const ScalarValue<double> estimate{1.0 / d * (1.0 + error)};
  return static_cast<float>(
      quotient_by_raised_reciprocal(ScalarValue<double>{x}, raised_reciprocal(divisor, estimate))
          .value);
}

void expect_quotient(float x, float d) {
  for (const double error : {-0x1p-18, 0.0, 0x1p-18}) {
    const float quotient = any_quotient(x, d, error);
    if (std::isnan(x / d)) {
      EXPECT_TRUE(std::isnan(quotient)) << x << " / " << d;
    } else {
      EXPECT_EQ(quotient, x / d) << std::hexfloat << x << " / " << d;
      EXPECT_EQ(std::signbit(quotient), std::signbit(x / d)) << std::hexfloat << x << " / " << d;
    }
  }
}

TEST(DivisionInF64, IsCorrectlyRoundedNextToMidpoints) {
  expect_right_next_to_midpoints([](float x, float d) { return any_quotient(x, d); });
}

/// Subnormal quotients that lie halfway between two floats, and a step of x to either side.
TEST(DivisionInF64, RoundsSubnormalTiesToEven) {
  int count = 0;
  for (int bits = 1; bits <= 12; ++bits) {
    for (int half = 1 << (bits - 1); half < 1 << bits; half += 2 * (1 + bits / 4)) {
      const int odd = half | 1;
      for (const float d : {3.0F, 5.0F, 77.0F, 4095.0F, 0x1.8p-20F, 0x1.4p100F, 1.0F}) {
        const double exact = std::ldexp(odd, -150) * static_cast<double>(d);
        const auto x = static_cast<float>(exact);
        if (x != exact) {
          continue;
        }
        ++count;
        for (const float near : {x, std::nextafterf(x, 0.0F), std::nextafterf(x, 1.0F), -x}) {
          expect_quotient(near, d);
          expect_quotient(near, -d);
        }
      }
    }
  }
  EXPECT_GT(count, 500);
}

TEST(DivisionInF64, HoldsForAllKindsOfNumbers) {
  const float infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> kinds = {0.0F,
                                    -0.0F,
                                    1.0F,
                                    -3.0F,
                                    0x1p-149F,
                                    0x1p-126F,
                                    0x1p-127F,
                                    -0x3p-149F,
                                    0x1p127F,
                                    FLT_MAX,
                                    -FLT_MAX,
                                    infinity,
                                    -infinity,
                                    std::nanf(""),
                                    0x1.fffffep-126F,
                                    0x1.fffffcp-127F};
  for (const float x : kinds) {
    for (const float d : kinds) {
      expect_quotient(x, d);
    }
  }
}

TEST(DivisionInF64, HoldsForRandomPatterns) {
  std::mt19937 random(2);
  for (int i = 0; i < 1000000; ++i) {
    expect_quotient(std::bit_cast<float>(static_cast<std::uint32_t>(random())),
                    std::bit_cast<float>(static_cast<std::uint32_t>(random())));
  }
}

TEST(Division, KeepsTheSignOfZero) {
  EXPECT_FALSE(std::signbit(shared_quotient(0.0F, 3.0F)));
  EXPECT_TRUE(std::signbit(shared_quotient(-0.0F, 3.0F)));
}

}  // namespace
}  // namespace tilery::math
