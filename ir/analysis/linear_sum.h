// Sums of products of scalar values, known by name before the program runs.
#pragma once

#include "ir/function.h"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace tilery {

/// `factor · values[0] · values[1]`; a value that is none counts as 1. A value stands for its
/// element at index 0 (a scalar for itself), decoded by its own type.
struct LinearTerm {
  std::int64_t factor = 0;
  /// In ascending order, none last; never both none.
  std::array<ValueId, 2> values{};
  friend bool operator==(const LinearTerm&, const LinearTerm&) = default;
};

/// `constant + Σ terms`. Arithmetic on the constants wraps at 64 bits. Kept in a normal form (terms
/// in order of their values, none with factor 0), so that equality of sums is `==`.
class LinearSum {
 public:
  LinearSum() = default;

  explicit LinearSum(std::int64_t constant) : constant_(constant) {}

  /// The sum that is just this value.
  explicit LinearSum(ValueId value) : terms_{{1, {value, ValueId()}}} {}

  [[nodiscard]] std::int64_t constant() const { return constant_; }

  [[nodiscard]] const std::vector<LinearTerm>& terms() const { return terms_; }

  [[nodiscard]] bool is_constant() const { return terms_.empty(); }

  [[nodiscard]] bool is_zero() const { return terms_.empty() && constant_ == 0; }

  /// The value, if the sum is nothing else.
  [[nodiscard]] std::optional<ValueId> single_value() const;

  [[nodiscard]] LinearSum plus(const LinearSum& other) const;

  [[nodiscard]] LinearSum minus(const LinearSum& other) const { return plus(other.times(-1)); }

  [[nodiscard]] LinearSum times(std::int64_t factor) const;
  /// Nothing if a term would need more than two values.
  [[nodiscard]] std::optional<LinearSum> times(const LinearSum& other) const;

  friend bool operator==(const LinearSum&, const LinearSum&) = default;

 private:
  void add_term(const LinearTerm& term);

  std::int64_t constant_ = 0;
  std::vector<LinearTerm> terms_;
};

}  // namespace tilery
