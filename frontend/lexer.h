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

#include "frontend/token.h"
#include "ir/support/diagnostic.h"
#include "ir/support/source.h"

#include <vector>

namespace tilery {

inline constexpr std::size_t kMaxFileBytes = std::size_t{16} << 20;
inline constexpr std::size_t kMaxNesting = 200;
inline constexpr std::size_t kMaxIndentation = 100;
/// After so many errors the rest of a file is not looked at; parse() says so.
inline constexpr std::size_t kMaxErrors = 100;

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
