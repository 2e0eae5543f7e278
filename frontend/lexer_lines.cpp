// Lines of the lexer: where logical lines begin and end, and how deep they are indented.
#include "frontend/lexer_impl.h"

#include <algorithm>
#include <span>

namespace tilery::lexer {

namespace {

constexpr std::uint32_t kTabWidth = 8;

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\f';
}

}  // namespace

void Lexer::lex_line() {
  if (skip_blank_line()) {
    return;
  }
  while (true) {
    skip_space();
    if (line_is_broken_) {
      forget_brackets_of_line();
    }
    if (at_end()) {
      break;
    }
    if (!at_newline()) {
      lex_token();
      continue;
    }
    if (brackets_.empty()) {
      break;
    }
    skip_newline();
    if (statement_begins_inside_brackets()) {
      break;
    }
  }
  finish_line();
}

// Measures the indentation of a line. A line without tokens is skipped and does not count; before
// any other, Indent and Dedent tokens are made.
bool Lexer::skip_blank_line() {
  Indentation here;
  for (; is_space(peek()); ++pos_) {
    if (peek() == '\f') {
      here = {};
      continue;
    }
    here.column = peek() == '\t' ? (here.column / kTabWidth + 1) * kTabWidth : here.column + 1;
    ++here.tab_is_one;
  }
  skip_comment();
  if (at_end()) {
    return true;
  }
  if (at_newline()) {
    skip_newline();
    return true;
  }
  if (here.column > indents_.back().column) {
    indent_to(here);
  } else {
    dedent_to(here);
  }
  return gave_up_;
}

void Lexer::indent_to(Indentation here) {
  if (here.tab_is_one <= indents_.back().tab_is_one) {
    report(DiagId::InconsistentTabs, range(pos_, pos_));
  }
  if (indents_.size() > kMaxIndentation) {
    report(DiagId::IndentationTooDeep, range(pos_, pos_), kMaxIndentation);
    give_up();
    return;
  }
  indents_.push_back(here);
  push(TokenKind::Indent, pos_);
}

// Closes blocks until one has this indentation. If none has, the line is taken to belong to the
// nearest deeper block.
void Lexer::dedent_to(Indentation here) {
  if (here.column == indents_.back().tolerated) {
    return;
  }
  while (indents_.back().column > here.column) {
    const std::size_t outer = indents_.size() - 2;
    if (indents_[outer].column < here.column) {
      report(DiagId::UnindentMismatch, range(pos_, pos_));
      indents_.back().tolerated = here.column;
      return;
    }
    indents_.pop_back();
    push(TokenKind::Dedent, pos_);
  }
  if (indents_.back().tab_is_one != here.tab_is_one) {
    report(DiagId::InconsistentTabs, range(pos_, pos_));
    indents_.back().tab_is_one = here.tab_is_one;
  }
}

// After a string that does not end, the rest of the physical line is unread. Brackets that the line
// opened may well close there, so they are forgotten, unless the next line looks like more of the
// same statement. Fields of f-strings cannot go on; brackets of earlier lines do.
void Lexer::forget_brackets_of_line() {
  line_is_broken_ = false;
  pos_ = static_cast<std::uint32_t>(std::min(text_.find_first_of("\r\n", pos_), text_.size()));
  const bool keep = next_line_continues();
  const auto first = std::ranges::find_if(brackets_, [&](const OpenBracket& b) {
    return b.is_field || (b.offset >= broken_from_ && !keep);
  });
  for (auto left = brackets_.end() - first; left > 0; --left) {
    pop_bracket();
  }
}

// Whether the line after `pos_` is indented more than the statement, which has no block of its own.
bool Lexer::next_line_continues() const {
  std::size_t line = list_.tokens.size() - 1;
  while (line > 0 && list_.tokens[line].kind != TokenKind::Newline) {
    --line;
  }
  const auto begins_block = [](const Token& token) {
    return token.kind == TokenKind::If || token.kind == TokenKind::Elif ||
           token.kind == TokenKind::For || token.kind == TokenKind::While ||
           token.kind == TokenKind::With || token.kind == TokenKind::Def ||
           token.kind == TokenKind::Class;
  };
  if (std::ranges::any_of(std::span(list_.tokens).subspan(line), begins_block)) {
    return false;
  }
  const std::size_t next = text_.find_first_not_of("\r\n", pos_);
  const std::size_t code = text_.find_first_not_of(" \t", std::min(next, text_.size()));
  return code != std::string_view::npos && code - next > indents_.back().tab_is_one;
}

void Lexer::finish_line() {
  if (gave_up_) {
    return;
  }
  if (!brackets_.empty()) {
    report_open_bracket();
  }
  const Token last = list_.tokens.back();
  const bool is_empty = last.kind == TokenKind::Newline || last.kind == TokenKind::Indent ||
                        last.kind == TokenKind::Dedent;
  if (!is_empty) {
    list_.tokens.push_back({TokenKind::Newline, last.end, last.end});
  }
  brackets_.clear();
  base_ = {};
  open_lambdas_ = 0;
  if (at_newline()) {
    skip_newline();
  }
}

void Lexer::skip_newline() {
  pos_ += peek() == '\r' && peek(1) == '\n' ? 2 : 1;
}

void Lexer::skip_comment() {
  if (peek() == '#') {
    const std::size_t end = text_.find_first_of("\r\n", pos_);
    pos_ = static_cast<std::uint32_t>(end == std::string_view::npos ? text_.size() : end);
  }
}

void Lexer::skip_space() {
  while (true) {
    while (is_space(peek())) {
      ++pos_;
    }
    skip_comment();
    if (peek() != '\\') {
      return;
    }
    join_line();
  }
}

// A `\` outside strings joins this line with the next one.
void Lexer::join_line() {
  const std::uint32_t begin = pos_++;
  const bool is_joint = at_newline();
  if (is_joint) {
    skip_newline();
  }
  if (at_end()) {
    error(DiagId::BackslashAtEndOfFile, begin, begin + 1);
  }
  if (is_joint || at_end()) {
    return;
  }
  Diagnostic& found = error(DiagId::BackslashInsideLine, begin, begin + 1);
  const std::size_t next = text_.find_first_not_of(" \t\f", pos_);
  if (next == std::string_view::npos || text_[next] == '\n' || text_[next] == '\r') {
    found.helped("remove the spaces after it");
    pos_ = static_cast<std::uint32_t>(std::min(next, text_.size()));
    if (at_newline()) {
      skip_newline();
    }
  }
}

}  // namespace tilery::lexer
