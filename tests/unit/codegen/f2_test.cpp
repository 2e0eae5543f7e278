// Spans of bit vectors, against all subsets of what was inserted.
#include "codegen/layout/f2.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

namespace tilery::codegen {
namespace {

std::uint32_t sum_of(const std::vector<std::uint32_t>& vectors, std::uint64_t members) {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    sum ^= (members >> i & 1) != 0 ? vectors[i] : 0;
  }
  return sum;
}

TEST(F2Span, SolvesForExactlyTheSumsOfItsVectors) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::uint32_t> vectors(random() % 7);
    F2Span span;
    std::uint64_t dependent = 0;
    std::set<std::uint32_t> sums = {0};
    for (std::size_t i = 0; i < vectors.size(); ++i) {
      vectors[i] = random() % 64;
      const bool is_new = sums.count(vectors[i]) == 0;
      EXPECT_EQ(span.insert(vectors[i]), is_new);
      dependent |= static_cast<std::uint64_t>(!is_new) << i;
      for (const std::uint32_t sum : std::set<std::uint32_t>(sums)) {
        sums.insert(sum ^ vectors[i]);
      }
    }
    EXPECT_EQ(sums.size(), std::size_t{1} << span.dimension());
    for (std::uint32_t vector = 0; vector < 64; ++vector) {
      const auto members = span.solve(vector);
      ASSERT_EQ(members.has_value(), sums.count(vector) == 1);
      EXPECT_EQ(span.contains(vector), members.has_value());
      if (members) {
        EXPECT_EQ(sum_of(vectors, *members), vector);
        EXPECT_EQ(*members & dependent, 0U);
      }
    }
  }
}

TEST(F2Span, RemaindersAgreeModuloTheSpan) {
  F2Span span;
  span.insert(0b1010);
  span.insert(0b0110);
  for (std::uint32_t a = 0; a < 16; ++a) {
    for (std::uint32_t b = 0; b < 16; ++b) {
      EXPECT_EQ(span.remainder(a) == span.remainder(b), span.contains(a ^ b));
    }
  }
}

TEST(F2Span, TakesTheHighestBit) {
  F2Span span;
  EXPECT_TRUE(span.insert(0x80000001U));
  EXPECT_TRUE(span.insert(0x80000000U));
  EXPECT_EQ(span.solve(1), 0b11U);
}

}  // namespace
}  // namespace tilery::codegen
