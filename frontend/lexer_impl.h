// The lexer's state; private to lexer.cpp (lines, brackets, names, operators) and
// lexer_literals.cpp (numbers, strings, f-strings).
#pragma once

#include "frontend/lexer.h"

#include <string_view>
#include <vector>

namespace tilery::lexer {

/// A `(`, `[`, `{` or the `{` of an f-string field that is open.
struct OpenBracket {
  char open = '(';
  bool is_field = false;
  std::uint32_t offset = 0;
  /// Lambdas that enclose the current place within this bracket, and how many of them still wait
  /// for their `:`. They nest the grammar's rules as brackets do.
  std::uint32_t lambdas = 0;
  std::uint32_t waiting_lambdas = 0;
};

/// One level of indentation, measured with tabs to multiples of 8 and with tabs as one column. Two
/// lines that compare differently under the two measures mix tabs and spaces in a way that nobody
/// can read.
struct Indentation {
  std::uint32_t column = 0;
  std::uint32_t tab_is_one = 0;
  /// A column that a mistaken line of this block had; further lines there raise no further error.
  std::uint32_t tolerated = 0xFFFFFFFF;
};

/// What ends a string: one or three of a character.
struct Quote {
  char mark = '"';
  bool triple = false;

  [[nodiscard]] std::uint32_t length() const { return triple ? 3 : 1; }
};

class Lexer {
 public:
  Lexer(const SourceMap& sources, FileId file, Diagnostics& diagnostics);
  TokenList run();

 private:
  // lexer.cpp
  void lex_line();
  bool skip_blank_line();
  void finish_line();
  void forget_brackets_of_line();
  bool next_line_continues() const;
  void indent_to(Indentation here);
  void dedent_to(Indentation here);
  void lex_token();
  void lex_word();
  void lex_operator();
  void lex_bad_character();
  void open_bracket(TokenKind kind, bool is_field);
  void close_bracket(TokenKind kind, char close);
  void pop_bracket();
  OpenBracket& level();
  void track_lambda(TokenKind kind);
  void skip_space();
  void join_line();
  bool statement_begins_inside_brackets() const;
  void report_open_bracket();
  bool nesting_allowed();

  // lexer_literals.cpp
  void lex_number();
  void lex_radix_number(std::uint32_t begin, std::string_view digits, std::string_view radix);
  void lex_decimal_number(std::uint32_t begin);
  void skip_digits(std::string_view digits);
  void finish_number(std::uint32_t begin, TokenKind kind);
  void lex_prefixed_string(std::uint32_t begin, std::string_view prefix);
  void lex_string(std::uint32_t begin, TokenKind kind);
  void lex_f_string(std::uint32_t begin, bool raw);
  bool lex_field(Quote quote);
  bool lex_field_suffix(Quote quote);
  void lex_format(Quote quote);
  bool field_equals_is_debug() const;
  void skip_escape();
  void skip_named_escape(Quote quote);
  void skip_quoted_in_format();
  Quote open_quote();
  [[nodiscard]] bool at_quote(Quote quote) const;
  [[nodiscard]] bool quote_follows_in_line(Quote quote) const;
  void report_open_field(std::uint32_t begin);
  void unterminated(std::uint32_t begin, bool triple);
  void break_line(std::uint32_t begin);

  // small helpers
  [[nodiscard]] char peek(std::uint32_t ahead = 0) const {
    return pos_ + ahead < text_.size() ? text_[pos_ + ahead] : '\0';
  }

  [[nodiscard]] bool at_end() const { return pos_ >= text_.size(); }

  [[nodiscard]] bool at_newline() const { return peek() == '\n' || peek() == '\r'; }

  void skip_newline();
  void skip_comment();

  void push(TokenKind kind, std::uint32_t begin) { list_.tokens.push_back({kind, begin, pos_}); }

  [[nodiscard]] SourceRange range(std::uint32_t begin, std::uint32_t end) const {
    return {file_, begin, end};
  }

  template <class... Args>
  Diagnostic& report(DiagId id, SourceRange where, const Args&... args) {
    if (diagnostics_.error_count() >= kMaxErrors) {
      give_up();
    }
    return diagnostics_.report(id, where, args...);
  }

  /// A report whose place the grammar must not accept.
  template <class... Args>
  Diagnostic& error(DiagId id, std::uint32_t begin, std::uint32_t end, const Args&... args) {
    push(TokenKind::Error, begin);
    return report(id, range(begin, end), args...);
  }

  void give_up();

  const SourceMap& sources_;
  FileId file_;
  std::string_view text_;
  Diagnostics& diagnostics_;
  TokenList list_;
  std::uint32_t pos_ = 0;
  std::vector<Indentation> indents_;
  std::vector<OpenBracket> brackets_;
  /// Counts the lambdas outside all brackets.
  OpenBracket base_;
  std::uint32_t open_lambdas_ = 0;
  /// The rest of this physical line cannot be understood: a string in it, that began at the second
  /// member or after it, does not end.
  bool line_is_broken_ = false;
  std::uint32_t broken_from_ = 0;
  bool gave_up_ = false;
};

}  // namespace tilery::lexer
