#include "ir/ir_lexer.h"

#include "ir/support/number.h"

namespace tilery {
namespace {

bool is_word_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool is_name_char(char c) {
  return is_word_char(c) || c == '.' || static_cast<unsigned char>(c) >= 0x80;
}

bool is_literal_char(char c) {
  return is_word_char(c) || c == '.' || c == '-' || c == '+';
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') {
    return c - '0';
  }
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

}  // namespace

IrLexer::IrLexer(std::string_view text, FileId file, Diagnostics& diagnostics)
    : text_(text), file_(file), diagnostics_(diagnostics) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text_.starts_with(kByteOrderMark)) {
    pos_ = kByteOrderMark.size();
  }
}

std::uint32_t IrLexer::position() {
  skip_blanks();
  return static_cast<std::uint32_t>(pos_);
}

bool IrLexer::fail(std::string_view message) {
  return fail_at(position(), message);
}

bool IrLexer::fail_at(std::uint32_t offset, std::string_view message) {
  if (!failed_) {
    diagnostics_.report(DiagId::IrSyntax, {file_, offset, offset}, message);
    failed_ = true;
  }
  return false;
}

void IrLexer::skip_blanks() {
  while (peek() == ' ' || peek() == '\t') {
    ++pos_;
  }
  if (peek() == '/' && peek(1) == '/') {
    while (!at_line_end()) {
      ++pos_;
    }
  }
}

void IrLexer::skip_lines() {
  skip_blanks();
  while (pos_ < text_.size() && at_line_end()) {
    ++pos_;
    skip_blanks();
  }
}

bool IrLexer::at(char c) {
  skip_blanks();
  return pos_ < text_.size() && peek() == c;
}

bool IrLexer::at_word() {
  skip_blanks();
  return is_word_char(peek());
}

bool IrLexer::at_label(std::string_view name) {
  skip_blanks();
  const char after = peek(name.size());
  return text_.substr(pos_, name.size()) == name && (after == '(' || after == ':');
}

bool IrLexer::at_placeholder() {
  return at('_') && !is_word_char(peek(1));
}

bool IrLexer::accept(char c) {
  if (!at(c)) {
    return false;
  }
  ++pos_;
  end_ = static_cast<std::uint32_t>(pos_);
  return true;
}

bool IrLexer::accept_placeholder() {
  return at_placeholder() && accept('_');
}

bool IrLexer::expect(char c) {
  return accept(c) || fail(fmt::format("expected `{}`, found {}", c, found()));
}

bool IrLexer::expect_word(std::string_view expected) {
  const std::uint32_t begin = position();
  const std::string_view word = take(is_word_char);
  if (word == expected) {
    return true;
  }
  pos_ = begin;
  return fail(fmt::format("expected `{}`, found {}", expected, found()));
}

bool IrLexer::end_line() {
  skip_blanks();
  if (!at_line_end()) {
    return fail(fmt::format("expected the end of the line, found {}", found()));
  }
  skip_lines();
  return true;
}

bool IrLexer::end_text() {
  return pos_ == text_.size() ||
         fail(fmt::format("expected the end of the text, found {}", found()));
}

bool IrLexer::word(std::string& out, std::string_view what) {
  skip_blanks();
  out = take(is_word_char);
  return !out.empty() || fail(fmt::format("expected {}, found {}", what, found()));
}

bool IrLexer::name(std::string& out) {
  out = take(is_name_char);
  return !out.empty() || fail(fmt::format("expected a name, found {}", found()));
}

bool IrLexer::integer(std::int64_t& out) {
  const std::uint32_t begin = position();
  const std::optional<std::int64_t> number = parse_number<std::int64_t>(take(is_literal_char));
  if (number) {
    out = *number;
    return true;
  }
  pos_ = begin;
  return fail(fmt::format("expected an integer of 64 bits, found {}", found()));
}

bool IrLexer::string(std::string& out) {
  if (!expect('"')) {
    return false;
  }
  while (peek() != '"') {
    if (at_line_end()) {
      return fail("the string does not end on its line");
    }
    const char c = text_[pos_++];
    if (c != '\\') {
      out += c;
    } else if (!escape(out)) {
      return fail_at(static_cast<std::uint32_t>(pos_ - 1), "unknown escape in a string");
    }
  }
  return accept('"');
}

bool IrLexer::escape(std::string& out) {
  const char c = peek();
  if (c == 'x' && hex_digit(peek(1)) >= 0 && hex_digit(peek(2)) >= 0) {
    out += static_cast<char>(hex_digit(peek(1)) * 16 + hex_digit(peek(2)));
    pos_ += 3;
    return true;
  }
  if (c != '"' && c != '\\' && c != 'n' && c != 't') {
    return false;
  }
  out += c == 'n' ? '\n' : c == 't' ? '\t' : c;
  ++pos_;
  return true;
}

bool IrLexer::literal(std::string& out) {
  skip_blanks();
  out = take(is_literal_char);
  return !out.empty() || fail(fmt::format("expected a number, found {}", found()));
}

bool IrLexer::type(Type& out) {
  const std::uint32_t begin = position();
  while (peek() == '*') {
    ++pos_;
    if (text_.substr(pos_, 6) == "const ") {
      pos_ += 6;
    }
  }
  take(is_word_char);
  if (peek() == '[') {
    while (!at_line_end() && peek() != ']') {
      ++pos_;
    }
    accept(']');
  }
  end_ = static_cast<std::uint32_t>(pos_);
  if (parse_type(text_.substr(begin, pos_ - begin), out)) {
    return true;
  }
  pos_ = begin;
  return fail(fmt::format("expected a type such as `f32[64, 32]`, found {}", found()));
}

template <class Belongs>
std::string_view IrLexer::take(Belongs belongs) {
  const std::size_t begin = pos_;
  while (pos_ < text_.size() && belongs(text_[pos_])) {
    ++pos_;
  }
  end_ = static_cast<std::uint32_t>(pos_);
  return text_.substr(begin, pos_ - begin);
}

std::string IrLexer::found() const {
  if (at_line_end()) {
    return pos_ == text_.size() ? "the end of the text" : "the end of the line";
  }
  constexpr std::size_t kMaxShown = 20;
  std::size_t length = 1;
  while (is_name_char(text_[pos_]) && is_name_char(peek(length)) && length < kMaxShown) {
    ++length;
  }
  return fmt::format("`{}`", text_.substr(pos_, length));
}

}  // namespace tilery
