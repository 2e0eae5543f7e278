// Random changes to texts, for fuzzing without libFuzzer.
#pragma once

#include <cstddef>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilery {

/// Makes damaged copies: pieces of syntax put in, bytes changed, lines repeated or taken from
/// another text, words exchanged. The same seed gives the same copies.
class Damage {
 public:
  /// `texts` must outlive it and not be empty.
  Damage(const std::vector<std::string>& texts, unsigned seed) : texts_(texts), random_(seed) {}

  /// A copy of one of the texts with one to six changes.
  [[nodiscard]] std::string next();

 private:
  std::size_t below(std::size_t n) { return n == 0 ? 0 : random_() % n; }

  template <class List>
  const auto& pick(const List& list) {
    return list[below(std::size(list))];
  }

  void change(std::string& text);
  std::string lines_of(const std::string& text);
  void replace_word(std::string& text, std::size_t at);

  const std::vector<std::string>& texts_;
  std::mt19937 random_;
};

}  // namespace tilery
