// Tokens: the rows of tokens.def as an enum, and how messages name them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tilery {

/// One enumerator a row of tokens.def.
enum class TokenKind : std::uint8_t {
#define TILERY_TOKEN(id, group, spelling) id,
#include "frontend/tokens.def"
};

/// `begin` and `end` are byte offsets in the file. Layout tokens are empty ranges: a Newline lies
/// right after the last token of its line, Indent and Dedent right before the first token of the
/// next one.
struct Token {
  TokenKind kind = TokenKind::Error;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

/// The spelling of keywords and operators ("if", "+="), a description of the others ("a name").
[[nodiscard]] std::string_view token_spelling(TokenKind kind);
/// How a message names the kind: "`+=`", "a name".
[[nodiscard]] std::string token_description(TokenKind kind);
[[nodiscard]] bool is_keyword(TokenKind kind);
/// Newline, Indent, Dedent and EndOfFile: what stands between lines.
[[nodiscard]] bool is_layout(TokenKind kind);
/// The keyword that a word is, or Name.
[[nodiscard]] TokenKind word_kind(std::string_view word);

}  // namespace tilery
