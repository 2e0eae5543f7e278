#include "ir/analysis/linear_sum.h"

#include <algorithm>

namespace tilery {
namespace {

std::int64_t wrapping_add(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

std::int64_t wrapping_mul(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

/// The product of two terms' values, if it has at most two.
std::optional<std::array<ValueId, 2>> product(const LinearTerm& a, const LinearTerm& b) {
  if (a.values[1] || b.values[1]) {
    return std::nullopt;
  }
  return std::array<ValueId, 2>{std::min(a.values[0], b.values[0]),
                                std::max(a.values[0], b.values[0])};
}

}  // namespace

std::optional<ValueId> LinearSum::single_value() const {
  const bool single =
      constant_ == 0 && terms_.size() == 1 && terms_[0].factor == 1 && !terms_[0].values[1];
  return single ? std::optional(terms_[0].values[0]) : std::nullopt;
}

void LinearSum::add_term(const LinearTerm& term) {
  const auto at = std::ranges::lower_bound(terms_, term.values, {}, &LinearTerm::values);
  if (at == terms_.end() || at->values != term.values) {
    if (term.factor != 0) {
      terms_.insert(at, term);
    }
    return;
  }
  at->factor = wrapping_add(at->factor, term.factor);
  if (at->factor == 0) {
    terms_.erase(at);
  }
}

LinearSum LinearSum::plus(const LinearSum& other) const {
  LinearSum sum = *this;
  sum.constant_ = wrapping_add(constant_, other.constant_);
  for (const LinearTerm& term : other.terms_) {
    sum.add_term(term);
  }
  return sum;
}

LinearSum LinearSum::times(std::int64_t factor) const {
  LinearSum scaled(wrapping_mul(constant_, factor));
  for (const LinearTerm& term : terms_) {
    scaled.add_term({wrapping_mul(term.factor, factor), term.values});
  }
  return scaled;
}

std::optional<LinearSum> LinearSum::times(const LinearSum& other) const {
  LinearSum result = times(other.constant_);
  for (const LinearTerm& b : other.terms_) {
    result.add_term({wrapping_mul(b.factor, constant_), b.values});
    for (const LinearTerm& a : terms_) {
      const auto values = product(a, b);
      if (!values) {
        return std::nullopt;
      }
      result.add_term({wrapping_mul(a.factor, b.factor), *values});
    }
  }
  return result;
}

}  // namespace tilery
