#include "frontend/token.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace tilery {

namespace {

enum class Group : std::uint8_t { Structure, Value, Keyword, Operator };

struct TokenRow {
  Group group;
  std::string_view spelling;
};

constexpr std::array kTokens = {
#define TILERY_TOKEN(id, group, spelling) TokenRow{Group::group, spelling},
#include "frontend/tokens.def"
};

const TokenRow& row(TokenKind kind) {
  return kTokens[static_cast<std::size_t>(kind)];
}

constexpr auto kFirstKeyword = static_cast<std::size_t>(TokenKind::False);
constexpr auto kLastKeyword = static_cast<std::size_t>(TokenKind::Yield);

}  // namespace

std::string_view token_spelling(TokenKind kind) {
  return row(kind).spelling;
}

std::string token_description(TokenKind kind) {
  const TokenRow& r = row(kind);
  if (r.group == Group::Structure || r.group == Group::Value) {
    return std::string(r.spelling);
  }
  return fmt::format("`{}`", r.spelling);
}

bool is_keyword(TokenKind kind) {
  return row(kind).group == Group::Keyword;
}

bool is_layout(TokenKind kind) {
  return kind == TokenKind::Newline || kind == TokenKind::Indent || kind == TokenKind::Dedent ||
         kind == TokenKind::EndOfFile;
}

TokenKind word_kind(std::string_view word) {
  const auto* first = kTokens.begin() + kFirstKeyword;
  const auto* last = kTokens.begin() + kLastKeyword + 1;
  const auto* found = std::ranges::lower_bound(first, last, word, {}, &TokenRow::spelling);
  const bool is_one = found != last && found->spelling == word;
  return is_one ? static_cast<TokenKind>(found - kTokens.begin()) : TokenKind::Name;
}

}  // namespace tilery
