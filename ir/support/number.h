// Numbers in texts.
#pragma once

#include <charconv>
#include <concepts>
#include <optional>
#include <string_view>

namespace tilery {

/// The number that a whole text spells, without blanks or a plus sign; nothing if it is none or
/// does not fit T. Integers of base 16 have no prefix.
template <std::integral T>
[[nodiscard]] std::optional<T> parse_number(std::string_view text, int base = 10) {
  T number{};
  const char* const end = text.data() + text.size();
  // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage): `end` bounds the text
  const auto [rest, error] = std::from_chars(text.data(), end, number, base);
  return error == std::errc() && rest == end ? std::optional<T>(number) : std::nullopt;
}

/// The same for a decimal number, rounded to the nearest T.
template <std::floating_point T>
[[nodiscard]] std::optional<T> parse_number(std::string_view text) {
  T number{};
  const char* const end = text.data() + text.size();
  // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage): `end` bounds the text
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && rest == end ? std::optional<T>(number) : std::nullopt;
}

}  // namespace tilery
