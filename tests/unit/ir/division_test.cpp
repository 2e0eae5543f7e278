#include "ir/math/division.h"

#include "ir/math/scalar_value.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

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

TEST(Division, IsCorrectlyRoundedNextToMidpoints) {
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
          wrong += shared_quotient(x, d) == x / d ? 0 : 1;
        }
      }
    }
  }
  EXPECT_GT(count, 3000000);
  EXPECT_EQ(wrong, 0);
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

TEST(Division, KeepsTheSignOfZero) {
  EXPECT_FALSE(std::signbit(shared_quotient(0.0F, 3.0F)));
  EXPECT_TRUE(std::signbit(shared_quotient(-0.0F, 3.0F)));
}

}  // namespace
}  // namespace tilery::math
