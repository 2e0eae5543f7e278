#include "runtime/spelling.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace tilery {

namespace {

char lowered(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// Number of insertions, deletions and replacements between two names.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) {
    row[j] = j;
  }
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (lowered(a[i - 1]) == lowered(b[j - 1]) ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row.back();
}

}  // namespace

std::string closest_spelling(std::string_view name, std::span<const std::string> candidates) {
  // Longer names may differ in more places; hostile lengths are not worth the square of their time.
  constexpr std::size_t kLongest = 64;
  std::size_t best = name.size() / 3 + 1;
  std::string result;
  if (name.size() > kLongest) {
    return result;
  }
  for (const std::string& candidate : candidates) {
    const std::size_t distance =
        candidate.size() > kLongest ? kLongest : edit_distance(name, candidate);
    if (distance < std::min(best, candidate.size())) {
      best = distance;
      result = candidate;
    }
  }
  return result;
}

}  // namespace tilery
