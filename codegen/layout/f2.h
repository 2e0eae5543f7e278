// Linear algebra over F2 on bit vectors of up to 32 bits: all that layouts need of it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tilery::codegen {

/// The span of the vectors inserted so far, in echelon form: of no two rows is the highest bit the
/// same. Remembers how each row came of the inserted vectors, so that it can also solve equations.
class F2Span {
 public:
  /// Adds a vector. False if the span had it already; it is numbered all the same (vectors are
  /// numbered from 0 in the order of insertion, at most 64 of them).
  bool insert(std::uint32_t vector);

  [[nodiscard]] bool contains(std::uint32_t vector) const { return remainder(vector) == 0; }

  /// The vector minus as much of it as the span has: the same for all vectors that differ by a
  /// member of the span, and 0 for its members.
  [[nodiscard]] std::uint32_t remainder(std::uint32_t vector) const;

  /// Numbers, as bits, of inserted vectors whose sum (XOR) is `vector`; vectors that were in the
  /// span when they came are never used. None if the span does not have it.
  [[nodiscard]] std::optional<std::uint64_t> solve(std::uint32_t vector) const;

  [[nodiscard]] int dimension() const { return dimension_; }

 private:
  struct Row {
    std::uint32_t vector = 0;
    std::uint64_t sources = 0;
  };

  /// By the highest bit; 0 where there is none.
  std::array<Row, 32> rows_{};
  int inserted_ = 0;
  int dimension_ = 0;
};

/// A basis of what two spans have in common, of vectors each; neither need be independent.
[[nodiscard]] std::vector<std::uint32_t> common_basis(std::span<const std::uint32_t> a,
                                                      std::span<const std::uint32_t> b);

/// XOR of the vectors whose bits are set in `members`.
[[nodiscard]] std::uint32_t sum_of(std::span<const std::uint32_t> vectors, std::uint64_t members);

}  // namespace tilery::codegen
