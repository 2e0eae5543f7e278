// Source text → tokens, with the block structure that Python writes as indentation made explicit.
//
// This is the pre-pass that feeds the grammar. It decides everything that does not need grammar:
// where logical lines end (brackets and `\` join lines), how deep each is indented (Indent and
// Dedent tokens), where strings and the fields of f-strings begin and end, which words are
// keywords. It also enforces the limits that keep the grammar's recursion small, so that the
// grammar may recurse without counting:
//
//     brackets, f-string fields and lambdas   200 open at once
//     indentation                             100 levels
//
// Shape of the output: one Newline token first (so that every token has a predecessor), then for
// each logical line [Indent | Dedent*] token+ Newline, then the Dedents that are still due and
// EndOfFile.
#pragma once

#include "ir/support/diagnostic.h"
#include "ir/support/source.h"

#include <cstdint>
#include <string_view>
#include <vector>

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

inline constexpr std::size_t kMaxFileBytes = std::size_t{16} << 20;
inline constexpr std::size_t kMaxNesting = 200;
inline constexpr std::size_t kMaxIndentation = 100;

struct TokenList {
  std::vector<Token> tokens;
  /// False if nothing can be parsed: a limit was met, or the bytes are not text. Reported already.
  bool usable = true;
  /// Whether `yield` or `await` occurs.
  bool has_yield = false;
};

/// Splits the file. Reports what is wrong and goes on where it can: each mistake leaves an Error
/// token.
[[nodiscard]] TokenList tokenize(const SourceMap& sources, FileId file, Diagnostics& diagnostics);

}  // namespace tilery
