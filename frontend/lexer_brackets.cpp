// Brackets of the lexer: what is open, what closes what, and how deep it nests.
#include "frontend/lexer_impl.h"
#include "frontend/text.h"

#include <algorithm>
#include <array>

namespace tilery::lexer {

namespace {

// Words that begin a statement and stand in no expression: seen at the beginning of a line inside
// brackets, they tell that a bracket above was forgotten.
bool begins_statement(TokenKind kind) {
  constexpr std::array kStatementWords = {
      TokenKind::Assert,  TokenKind::Break,  TokenKind::Class,  TokenKind::Continue,
      TokenKind::Def,     TokenKind::Del,    TokenKind::Elif,   TokenKind::Except,
      TokenKind::Finally, TokenKind::Global, TokenKind::Import, TokenKind::Nonlocal,
      TokenKind::Pass,    TokenKind::Raise,  TokenKind::Return, TokenKind::Try,
      TokenKind::While,   TokenKind::With};
  return std::ranges::find(kStatementWords, kind) != kStatementWords.end();
}

char closing(char open) {
  return open == '(' ? ')' : open == '[' ? ']' : '}';
}

}  // namespace

OpenBracket& Lexer::level() {
  return brackets_.empty() ? base_ : brackets_.back();
}

bool Lexer::nesting_allowed() {
  if (brackets_.size() + open_lambdas_ < kMaxNesting) {
    return true;
  }
  report(DiagId::NestingTooDeep, range(pos_, pos_ + 1), kMaxNesting);
  give_up();
  return false;
}

void Lexer::open_bracket(TokenKind kind, bool is_field) {
  if (!nesting_allowed()) {
    return;
  }
  OpenBracket bracket;
  bracket.open = peek();
  bracket.is_field = is_field;
  bracket.offset = pos_++;
  brackets_.push_back(bracket);
  push(kind, bracket.offset);
}

void Lexer::pop_bracket() {
  open_lambdas_ -= brackets_.back().lambdas;
  brackets_.pop_back();
}

void Lexer::close_bracket(TokenKind kind, char close) {
  const std::uint32_t begin = pos_++;
  if (brackets_.empty()) {
    error(DiagId::BracketNotOpen, begin, pos_, close);
    return;
  }
  if (closing(brackets_.back().open) == close) {
    pop_bracket();
    push(kind, begin);
    return;
  }
  const OpenBracket inner = brackets_.back();
  const LineColumn at = sources_.line_column(file_, inner.offset);
  error(DiagId::BracketMismatch, begin, pos_, close, inner.open, at.line, at.column)
      .label(range(inner.offset, inner.offset + 1), "opened here");
  if (inner.is_field) {
    return;
  }
  // Of `( [ )` the inner one was forgotten; of `( ]` the wrong one was typed.
  pop_bracket();
  if (!brackets_.empty() && closing(brackets_.back().open) == close) {
    pop_bracket();
  }
}

void Lexer::report_open_bracket() {
  const OpenBracket& inner = brackets_.back();
  const LineColumn at = sources_.line_column(file_, inner.offset);
  report(DiagId::BracketNeverClosed, range(inner.offset, inner.offset + 1), inner.open, at.line,
         at.column);
  const std::uint32_t end = list_.tokens.back().end;
  list_.tokens.push_back({TokenKind::Error, end, end});
}

// Called at the beginning of a physical line within brackets.
bool Lexer::statement_begins_inside_brackets() const {
  const bool in_field =
      std::ranges::any_of(brackets_, [](const OpenBracket& b) { return b.is_field; });
  if (in_field) {
    return false;
  }
  std::size_t begin = pos_;
  while (begin < text_.size() && (text_[begin] == ' ' || text_[begin] == '\t')) {
    ++begin;
  }
  std::size_t end = begin;
  while (end < text_.size() && is_name_char(text_[end])) {
    ++end;
  }
  return begins_statement(word_kind(text_.substr(begin, end - begin)));
}

// Keeps count of the lambdas around the current place, which nest like brackets:
// `lambda a=lambda: 0: lambda: 1`.
void Lexer::track_lambda(TokenKind kind) {
  OpenBracket& here = level();
  if (kind == TokenKind::Lambda) {
    if (nesting_allowed()) {
      ++here.lambdas;
      ++here.waiting_lambdas;
      ++open_lambdas_;
    }
  } else if (kind == TokenKind::Colon && here.waiting_lambdas > 0) {
    --here.waiting_lambdas;
  } else if (kind == TokenKind::Semi || (kind == TokenKind::Comma && here.waiting_lambdas == 0)) {
    open_lambdas_ -= here.lambdas;
    here.lambdas = 0;
    here.waiting_lambdas = 0;
  }
}

}  // namespace tilery::lexer
