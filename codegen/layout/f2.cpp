#include "codegen/layout/f2.h"

#include "ir/support/check.h"

#include <bit>

namespace tilery::codegen {

bool F2Span::insert(std::uint32_t vector) {
  TILERY_CHECK(inserted_ < 64, "too many vectors");
  std::uint64_t sources = std::uint64_t{1} << inserted_++;
  while (vector != 0) {
    Row& row = rows_[std::bit_width(vector) - 1];
    if (row.vector == 0) {
      row = {vector, sources};
      ++dimension_;
      return true;
    }
    vector ^= row.vector;
    sources ^= row.sources;
  }
  return false;
}

std::uint32_t F2Span::remainder(std::uint32_t vector) const {
  for (std::uint32_t left = vector; left != 0;) {
    const std::uint32_t top = std::bit_floor(left);
    const Row& row = rows_[std::bit_width(left) - 1];
    vector ^= row.vector;
    left = (left ^ row.vector) & (top - 1);
  }
  return vector;
}

std::optional<std::uint64_t> F2Span::solve(std::uint32_t vector) const {
  std::uint64_t sources = 0;
  while (vector != 0) {
    const Row& row = rows_[std::bit_width(vector) - 1];
    if (row.vector == 0) {
      return std::nullopt;
    }
    vector ^= row.vector;
    sources ^= row.sources;
  }
  return sources;
}

std::vector<std::uint32_t> common_basis(std::span<const std::uint32_t> a,
                                        std::span<const std::uint32_t> b) {
  F2Span span;
  for (const std::uint32_t vector : a) {
    span.insert(vector);
  }
  // Where a vector of b is the sum of some of a and some earlier ones of b, the part of a is in
  // both.
  F2Span found;
  std::vector<std::uint32_t> result;
  const std::uint64_t of_a = (std::uint64_t{1} << a.size()) - 1;
  for (const std::uint32_t vector : b) {
    if (const auto members = span.solve(vector)) {
      const std::uint32_t common = sum_of(a, *members & of_a);
      if (found.insert(common)) {
        result.push_back(common);
      }
    }
    span.insert(vector);
  }
  return result;
}

std::uint32_t sum_of(std::span<const std::uint32_t> vectors, std::uint64_t members) {
  std::uint32_t sum = 0;
  for (; members != 0; members &= members - 1) {
    sum ^= vectors[static_cast<std::size_t>(std::countr_zero(members))];
  }
  return sum;
}

}  // namespace tilery::codegen
