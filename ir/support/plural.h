// Numbers of things in messages.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace tilery {

/// "1 step", "2 steps", "2 passes".
[[nodiscard]] inline std::string plural(std::int64_t count, std::string_view word) {
  if (count == 1) {
    return fmt::format("1 {}", word);
  }
  return fmt::format("{} {}{}", count, word, word.ends_with('s') ? "es" : "s");
}

}  // namespace tilery
