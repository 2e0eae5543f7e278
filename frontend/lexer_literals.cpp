// Numbers, strings and f-strings of the lexer.
//
// An f-string is not one token but the tokens of its pieces, so that the expressions in it are
// parsed by the one grammar there is, with the right source ranges, and nest under the same limits:
//
//     f"a{x!r:>{w}}b"   FStringStart FStringText Open Name Conversion Spec Close
//                       FStringText FStringEnd
//
// The format after `:` stays text. Quotes of the enclosing kind may occur in a field, as in
// Python 3.12.
#include "frontend/lexer_impl.h"
#include "frontend/text.h"

#include <algorithm>
#include <array>

namespace tilery::lexer {

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_one_of(char c, std::string_view set) {
  return set.find(c) != std::string_view::npos;
}

constexpr std::string_view kDecimal = "0123456789";

// `1if x` is legal, if ugly: these keywords may follow a number directly.
bool may_follow_number(std::string_view word) {
  constexpr std::array<std::string_view, 8> kWords = {"and", "else", "for", "if",
                                                      "in",  "is",   "not", "or"};
  return std::ranges::find(kWords, word) != kWords.end();
}

}  // namespace

// ---- numbers ----

void Lexer::lex_number() {
  const std::uint32_t begin = pos_;
  const char mark = peek() == '0' ? static_cast<char>(peek(1) | 0x20) : '\0';
  if (mark == 'x') {
    lex_radix_number(begin, "0123456789abcdefABCDEF", "hexadecimal");
  } else if (mark == 'o') {
    lex_radix_number(begin, "01234567", "octal");
  } else if (mark == 'b') {
    lex_radix_number(begin, "01", "binary");
  } else {
    lex_decimal_number(begin);
  }
}

void Lexer::lex_radix_number(std::uint32_t begin, std::string_view digits, std::string_view radix) {
  pos_ += 2;
  if (peek() == '_') {
    ++pos_;
  }
  const std::uint32_t first_digit = pos_;
  skip_digits(digits);
  if (is_digit(peek())) {
    const std::uint32_t bad = pos_;
    skip_digits(kDecimal);
    error(DiagId::NumberDigit, bad, bad + 1, text_[bad], radix);
    return;
  }
  if (pos_ == first_digit) {
    error(DiagId::NumberWithoutDigits, begin, pos_, text_.substr(begin, 2), radix);
    return;
  }
  finish_number(begin, TokenKind::Integer);
}

void Lexer::lex_decimal_number(std::uint32_t begin) {
  TokenKind kind = TokenKind::Integer;
  skip_digits(kDecimal);
  if (peek() == '.') {
    kind = TokenKind::Float;
    ++pos_;
    if (is_digit(peek())) {
      skip_digits(kDecimal);
    }
  }
  const bool is_signed = peek(1) == '+' || peek(1) == '-';
  if ((peek() | 0x20) == 'e' && is_digit(peek(is_signed ? 2 : 1))) {
    kind = TokenKind::Float;
    pos_ += is_signed ? 2 : 1;
    skip_digits(kDecimal);
  }
  if ((peek() | 0x20) == 'j') {
    kind = TokenKind::Imaginary;
    ++pos_;
  }
  const std::string_view spelling = text_.substr(begin, pos_ - begin);
  const bool leading_zero = kind == TokenKind::Integer && spelling.front() == '0' &&
                            spelling.find_first_not_of("0_") != std::string_view::npos;
  if (leading_zero) {
    error(DiagId::LeadingZeros, begin, pos_, spelling).helped("an octal number is written `0o17`");
    return;
  }
  finish_number(begin, kind);
}

// Digits with single underscores between them.
void Lexer::skip_digits(std::string_view digits) {
  while (!at_end() && (is_one_of(peek(), digits) ||
                       (peek() == '_' && is_one_of(peek(1), digits) && pos_ + 1 < text_.size()))) {
    ++pos_;
  }
}

void Lexer::finish_number(std::uint32_t begin, TokenKind kind) {
  std::uint32_t end = pos_;
  while (end < text_.size() &&
         (is_name_char(text_[end]) || static_cast<unsigned char>(text_[end]) >= 0x80)) {
    ++end;
  }
  const std::string_view suffix = text_.substr(pos_, end - pos_);
  if (suffix.empty() || may_follow_number(suffix)) {
    push(kind, begin);
    return;
  }
  pos_ = end;
  const DiagId id = suffix.front() == '_' ? DiagId::NumberUnderscore : DiagId::NumberSuffix;
  error(id, begin, end, text_.substr(begin, end - begin));
}

// ---- strings ----

Quote Lexer::open_quote() {
  const Quote quote{peek(), peek(1) == peek() && peek(2) == peek()};
  pos_ += quote.length();
  return quote;
}

bool Lexer::at_quote(Quote quote) const {
  return peek() == quote.mark &&
         (!quote.triple || (peek(1) == quote.mark && peek(2) == quote.mark));
}

// A `\` and the character after it; CR LF counts as one.
void Lexer::skip_escape() {
  ++pos_;
  if (!at_end()) {
    skip_newline();
  }
}

void Lexer::lex_prefixed_string(std::uint32_t begin, std::string_view prefix) {
  const bool raw = is_one_of('r', prefix) || is_one_of('R', prefix);
  if (is_one_of('f', prefix) || is_one_of('F', prefix)) {
    lex_f_string(begin, raw);
    return;
  }
  const bool is_bytes = is_one_of('b', prefix) || is_one_of('B', prefix);
  lex_string(begin, is_bytes ? TokenKind::Bytes : TokenKind::String);
}

void Lexer::lex_string(std::uint32_t begin, TokenKind kind) {
  const Quote quote = open_quote();
  while (!at_quote(quote)) {
    if (at_end() || (!quote.triple && at_newline())) {
      unterminated(begin, quote.triple);
      return;
    }
    if (peek() == '\\') {
      skip_escape();
    } else {
      ++pos_;
    }
  }
  pos_ += quote.length();
  push(kind, begin);
}

// Marks the physical line in which the string at `begin` starts as not readable to its end.
void Lexer::break_line(std::uint32_t begin) {
  line_is_broken_ = true;
  const std::size_t newline = text_.find_last_of("\r\n", begin);
  broken_from_ = newline == std::string_view::npos ? 0 : static_cast<std::uint32_t>(newline + 1);
}

void Lexer::unterminated(std::uint32_t begin, bool triple) {
  if (triple) {
    const LineColumn at = sources_.line_column(file_, begin);
    error(DiagId::UnterminatedTripleString, begin, begin + 3, at.line, at.column);
  } else {
    error(DiagId::UnterminatedString, begin, pos_);
  }
  break_line(begin);
}

// ---- f-strings ----

// `\N{NAME}`, whose braces are no field. What does not end is left to the caller.
void Lexer::skip_named_escape(Quote quote) {
  pos_ += 3;
  while (!at_end() && !at_newline() && !at_quote(quote) && peek() != '}') {
    ++pos_;
  }
  pos_ += peek() == '}' ? 1 : 0;
}

void Lexer::lex_f_string(std::uint32_t begin, bool raw) {
  const Quote quote = open_quote();
  push(TokenKind::FStringStart, begin);
  std::uint32_t text_begin = pos_;
  const auto flush_text = [&] {
    if (pos_ > text_begin) {
      push(TokenKind::FStringText, text_begin);
    }
  };
  while (!at_quote(quote)) {
    if (at_end() || (!quote.triple && at_newline())) {
      unterminated(begin, quote.triple);
      return;
    }
    const char c = peek();
    if ((c == '{' || c == '}') && peek(1) == c) {
      pos_ += 2;
    } else if (c == '{') {
      flush_text();
      if (!lex_field(quote)) {
        return;
      }
      text_begin = pos_;
    } else if (c == '}') {
      flush_text();
      const std::uint32_t brace = pos_++;
      error(DiagId::FStringSingleBrace, brace, pos_);
      text_begin = pos_;
    } else if (c == '\\' && !raw && peek(1) == 'N' && peek(2) == '{') {
      skip_named_escape(quote);
    } else if (c == '\\' && peek(1) != '{' && peek(1) != '}') {
      skip_escape();
    } else {
      ++pos_;
    }
  }
  flush_text();
  const std::uint32_t end_begin = pos_;
  pos_ += quote.length();
  push(TokenKind::FStringEnd, end_begin);
}

// From `{` to its `}`. False if the rest of the f-string cannot be read.
bool Lexer::lex_field(Quote quote) {
  const std::uint32_t begin = pos_;
  open_bracket(TokenKind::FStringOpen, true);
  const std::size_t depth = brackets_.size();
  while (true) {
    skip_space();
    if (gave_up_ || line_is_broken_) {
      return false;
    }
    if (brackets_.size() < depth) {
      return true;
    }
    if (at_end() || (!quote.triple && at_quote(quote) && !quote_follows_in_line(quote))) {
      report_open_field(begin);
      return false;
    }
    if (at_newline()) {
      skip_newline();
    } else if (brackets_.size() == depth && peek() == '}') {
      const std::uint32_t brace = pos_++;
      pop_bracket();
      push(TokenKind::FStringClose, brace);
      return true;
    } else if (brackets_.size() != depth || !lex_field_suffix(quote)) {
      lex_token();
    }
  }
}

// `=`, `!r` or `:format` at the end of a field.
bool Lexer::lex_field_suffix(Quote quote) {
  const std::uint32_t begin = pos_;
  if (peek() == '!' && peek(1) != '=') {
    ++pos_;
    while (is_name_char(peek())) {
      ++pos_;
    }
    push(TokenKind::FStringConversion, begin);
    return true;
  }
  if (peek() == ':') {
    lex_format(quote);
    return true;
  }
  if (field_equals_is_debug()) {
    ++pos_;
    while (is_one_of(peek(), " \t")) {
      ++pos_;
    }
    push(TokenKind::FStringDebug, begin);
    return true;
  }
  return false;
}

// `{x = }` shows the source text too; any other single `=` is a mistake that the grammar reports.
bool Lexer::field_equals_is_debug() const {
  if (peek() != '=' || peek(1) == '=') {
    return false;
  }
  const std::size_t next = text_.find_first_not_of(" \t", pos_ + 1);
  return next != std::string_view::npos && is_one_of(text_[next], "}!:");
}

// The text after `:`, up to the `}` of the field; fields within it are left as text.
void Lexer::lex_format(Quote quote) {
  const std::uint32_t begin = ++pos_;
  std::uint32_t depth = 0;
  while (!at_end() && (depth > 0 || peek() != '}')) {
    const bool in_field = depth > 0;
    if ((!quote.triple && at_newline()) ||
        (at_quote(quote) && !(in_field && quote_follows_in_line(quote)))) {
      break;
    }
    if (in_field && is_one_of(peek(), "\"'")) {
      skip_quoted_in_format();
      continue;
    }
    depth += peek() == '{' ? 1 : 0;
    depth -= peek() == '}' ? 1 : 0;
    ++pos_;
  }
  push(TokenKind::FStringSpec, begin);
}

// A string in a field of a format: its braces are no fields.
void Lexer::skip_quoted_in_format() {
  const char mark = peek();
  do {
    ++pos_;
  } while (!at_end() && !at_newline() && peek() != mark);
  pos_ += peek() == mark ? 1 : 0;
}

bool Lexer::quote_follows_in_line(Quote quote) const {
  const std::size_t next = text_.find_first_of(quote.mark == '"' ? "\"\r\n" : "'\r\n", pos_ + 1);
  return next != std::string_view::npos && text_[next] == quote.mark;
}

void Lexer::report_open_field(std::uint32_t begin) {
  error(DiagId::FStringFieldNeverClosed, begin, begin + 1);
  break_line(begin);
}

}  // namespace tilery::lexer
