// Questions about UTF-8 text that the lexer asks: is it valid, what may stand in a name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tilery {

/// A code point and the number of bytes that it takes.
struct CodePoint {
  char32_t value = 0;
  std::uint32_t length = 1;
};

/// Offset of the first byte that is NUL or does not belong to valid UTF-8 (overlong forms,
/// surrogates and values above U+10FFFF are invalid); nothing if the whole text is fine.
[[nodiscard]] std::optional<std::size_t> first_bad_byte(std::string_view text);

/// The encoding that a comment in one of the first two lines declares, as Python reads it
/// (`# -*- coding: latin-1 -*-`), in lower case with `-` for `_`; empty if there is none.
[[nodiscard]] std::string declared_encoding(std::string_view text);
[[nodiscard]] bool is_latin1(std::string_view encoding);
/// A text of one byte a character in UTF-8.
[[nodiscard]] std::string latin1_to_utf8(std::string_view text);

/// The code point at the beginning of valid, non-empty UTF-8.
[[nodiscard]] CodePoint decode_utf8(std::string_view text);
void append_utf8(std::string& out, char32_t code_point);

/// ASCII letters and `_`; with digits for the second.
[[nodiscard]] bool is_name_start(char c);
[[nodiscard]] bool is_name_char(char c);
/// Whether a code point outside ASCII may stand in a name. Python goes by the Unicode tables; here
/// whatever is not known to be a space, punctuation, a symbol, a private or an unassigned area
/// counts as a letter.
[[nodiscard]] bool is_name_char(char32_t code_point);

}  // namespace tilery
