#include "frontend/lexer.h"

#include "frontend/lexer_impl.h"
#include "frontend/text.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

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

// The keyword's kind, or Name.
TokenKind word_kind(std::string_view word) {
  const auto* first = kTokens.begin() + kFirstKeyword;
  const auto* last = kTokens.begin() + kLastKeyword + 1;
  const auto* found = std::lower_bound(
      first, last, word, [](const TokenRow& r, std::string_view w) { return r.spelling < w; });
  const bool is_one = found != last && found->spelling == word;
  return is_one ? static_cast<TokenKind>(found - kTokens.begin()) : TokenKind::Name;
}

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

TokenList tokenize(const SourceMap& sources, FileId file, Diagnostics& diagnostics) {
  const std::string_view text = sources.file(file).text;
  if (text.size() > kMaxFileBytes) {
    diagnostics.report(DiagId::FileTooLarge, {file, 0, 0}, text.size());
    return {{}, false};
  }
  if (const std::optional<std::size_t> bad = first_bad_byte(text)) {
    const auto at = static_cast<std::uint32_t>(*bad);
    const unsigned value = static_cast<unsigned char>(text[at]);
    const DiagId id = value == 0 ? DiagId::NulByte : DiagId::InvalidUtf8;
    diagnostics.report(id, {file, at, at + 1}, at, value);
    return {{}, false};
  }
  return lexer::Lexer(sources, file, diagnostics).run();
}

namespace lexer {

namespace {

constexpr std::size_t kMaxErrors = 100;
constexpr std::uint32_t kTabWidth = 8;

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\f';
}

// Words that begin a statement and stand in no expression: seen at the beginning of a line inside
// brackets, they tell that a bracket above was forgotten.
bool begins_statement(TokenKind kind) {
  constexpr std::array kStatementWords = {
      TokenKind::Assert,  TokenKind::Break,  TokenKind::Class,  TokenKind::Continue,
      TokenKind::Def,     TokenKind::Del,    TokenKind::Elif,   TokenKind::Except,
      TokenKind::Finally, TokenKind::Global, TokenKind::Import, TokenKind::Nonlocal,
      TokenKind::Pass,    TokenKind::Raise,  TokenKind::Return, TokenKind::Try,
      TokenKind::While,   TokenKind::With};
  return std::find(kStatementWords.begin(), kStatementWords.end(), kind) != kStatementWords.end();
}

struct Operator {
  TokenKind kind = TokenKind::Error;
  std::uint32_t length = 0;
};

// `op`, `op=`, doubled `opop` and `opop=` for the operators that have some of these forms.
Operator with_assign(TokenKind plain, TokenKind assigning, char next) {
  return next == '=' ? Operator{assigning, 2} : Operator{plain, 1};
}

Operator doubled(TokenKind plain, TokenKind assigning, char next) {
  return next == '=' ? Operator{assigning, 3} : Operator{plain, 2};
}

// The longest operator that begins with the characters a, b, c; length 0 if there is none.
Operator match_operator(char a, char b, char c) {
  using enum TokenKind;
  switch (a) {
    case '(':
      return {LParen, 1};
    case ')':
      return {RParen, 1};
    case '[':
      return {LBracket, 1};
    case ']':
      return {RBracket, 1};
    case '{':
      return {LBrace, 1};
    case '}':
      return {RBrace, 1};
    case ',':
      return {Comma, 1};
    case ';':
      return {Semi, 1};
    case '~':
      return {Tilde, 1};
    case ':':
      return with_assign(Colon, Walrus, b);
    case '.':
      return b == '.' && c == '.' ? Operator{Ellipsis, 3} : Operator{Dot, 1};
    case '=':
      return with_assign(Assign, EqEq, b);
    case '!':
      return b == '=' ? Operator{NotEq, 2} : Operator{};
    case '+':
      return with_assign(Plus, PlusAssign, b);
    case '-':
      return b == '>' ? Operator{Arrow, 2} : with_assign(Minus, MinusAssign, b);
    case '*':
      return b == '*' ? doubled(StarStar, StarStarAssign, c) : with_assign(Star, StarAssign, b);
    case '/':
      return b == '/' ? doubled(SlashSlash, SlashSlashAssign, c)
                      : with_assign(Slash, SlashAssign, b);
    case '%':
      return with_assign(Percent, PercentAssign, b);
    case '@':
      return with_assign(At, AtAssign, b);
    case '&':
      return with_assign(Amp, AmpAssign, b);
    case '|':
      return with_assign(Pipe, PipeAssign, b);
    case '^':
      return with_assign(Caret, CaretAssign, b);
    case '<':
      return b == '<' ? doubled(Shl, ShlAssign, c) : with_assign(Less, LessEq, b);
    case '>':
      return b == '>' ? doubled(Shr, ShrAssign, c) : with_assign(Greater, GreaterEq, b);
    default:
      return {};
  }
}

char closing(char open) {
  return open == '(' ? ')' : open == '[' ? ']' : '}';
}

bool is_string_prefix(std::string_view word) {
  std::string lower(word);
  for (char& c : lower) {
    c = static_cast<char>(c | 0x20);
  }
  constexpr std::array<std::string_view, 9> kPrefixes = {"r", "u",  "b",  "br", "rb",
                                                         "f", "fr", "rf", ""};
  return std::find(kPrefixes.begin(), kPrefixes.end(), lower) != kPrefixes.end();
}

// What to write instead of a character that no token contains.
std::string_view replacement_advice(char32_t c) {
  switch (c) {
    case '!':
      return "write `not x` or `x != y`";
    case '?':
      return "a choice is written `a if condition else b`";
    case '$':
    case '`':
      return "";
    case 0xA0:
      return "this is a no-break space: write an ordinary space";
    case 0x2018:
    case 0x2019:
      return "this is a typographic quote: write `'`";
    case 0x201C:
    case 0x201D:
      return "this is a typographic quote: write `\"`";
    case 0x2013:
    case 0x2212:
      return "write `-`";
    case 0xD7:
      return "write `*`";
    case 0x2264:
      return "write `<=`";
    case 0x2265:
      return "write `>=`";
    case 0x2260:
      return "write `!=`";
    default:
      return "";
  }
}

}  // namespace

Lexer::Lexer(const SourceMap& sources, FileId file, Diagnostics& diagnostics)
    : sources_(sources), file_(file), text_(sources.file(file).text), diagnostics_(diagnostics) {
  list_.tokens.reserve(text_.size() / 4 + 16);
  indents_.push_back({});
}

TokenList Lexer::run() {
  const std::size_t errors_before = diagnostics_.error_count();
  if (text_.starts_with("\xEF\xBB\xBF")) {
    pos_ = 3;
  }
  push(TokenKind::Newline, pos_);
  while (!at_end() && !gave_up_) {
    lex_line();
    if (diagnostics_.error_count() - errors_before > kMaxErrors) {
      diagnostics_.report(DiagId::TooManyErrors, range(pos_, pos_), kMaxErrors);
      give_up();
    }
  }
  for (; indents_.size() > 1; indents_.pop_back()) {
    push(TokenKind::Dedent, pos_);
  }
  push(TokenKind::EndOfFile, pos_);
  return std::move(list_);
}

void Lexer::give_up() {
  gave_up_ = true;
  list_.usable = false;
  pos_ = static_cast<std::uint32_t>(text_.size());
}

// ---- lines ----

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
    diagnostics_.report(DiagId::InconsistentTabs, range(pos_, pos_));
  }
  if (indents_.size() > kMaxIndentation) {
    diagnostics_.report(DiagId::IndentationTooDeep, range(pos_, pos_), kMaxIndentation);
    give_up();
    return;
  }
  indents_.push_back(here);
  push(TokenKind::Indent, pos_);
}

// Closes blocks until one has this indentation. If none has, the nearest deeper block is taken to
// have been indented like this line, so that the lines after it raise no further error.
void Lexer::dedent_to(Indentation here) {
  while (indents_.back().column > here.column) {
    const std::size_t outer = indents_.size() - 2;
    if (indents_[outer].column < here.column) {
      diagnostics_.report(DiagId::UnindentMismatch, range(pos_, pos_));
      indents_.back() = here;
      return;
    }
    indents_.pop_back();
    push(TokenKind::Dedent, pos_);
  }
  if (indents_.back().tab_is_one != here.tab_is_one) {
    diagnostics_.report(DiagId::InconsistentTabs, range(pos_, pos_));
    indents_.back() = here;
  }
}

// After a string that does not end, the rest of the physical line is unread, and the closing half
// of the brackets that this line opened lies in it. Brackets of earlier lines go on.
void Lexer::forget_brackets_of_line() {
  line_is_broken_ = false;
  pos_ = static_cast<std::uint32_t>(std::min(text_.find_first_of("\r\n", pos_), text_.size()));
  const auto first = std::find_if(brackets_.begin(), brackets_.end(), [&](const OpenBracket& b) {
    return b.is_field || b.offset >= broken_from_;
  });
  for (auto left = brackets_.end() - first; left > 0; --left) {
    pop_bracket();
  }
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
  if (at_newline()) {
    skip_newline();
    if (at_end()) {
      error(DiagId::BackslashAtEndOfFile, begin, begin + 1);
    }
    return;
  }
  Diagnostic& report = error(DiagId::BackslashInsideLine, begin, begin + 1);
  const std::size_t next = text_.find_first_not_of(" \t\f", pos_);
  if (next == std::string_view::npos || text_[next] == '\n' || text_[next] == '\r') {
    report.helped("remove the spaces after it");
    pos_ = static_cast<std::uint32_t>(std::min(next, text_.size()));
    if (at_newline()) {
      skip_newline();
    }
  }
}

// ---- brackets ----

OpenBracket& Lexer::level() {
  return brackets_.empty() ? base_ : brackets_.back();
}

bool Lexer::nesting_allowed() {
  if (brackets_.size() + open_lambdas_ < kMaxNesting) {
    return true;
  }
  diagnostics_.report(DiagId::NestingTooDeep, range(pos_, pos_ + 1), kMaxNesting);
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
  diagnostics_.report(DiagId::BracketNeverClosed, range(inner.offset, inner.offset + 1), inner.open,
                      at.line, at.column);
  const std::uint32_t end = list_.tokens.back().end;
  list_.tokens.push_back({TokenKind::Error, end, end});
}

// Called at the beginning of a physical line within brackets.
bool Lexer::statement_begins_inside_brackets() const {
  const bool in_field = std::any_of(brackets_.begin(), brackets_.end(),
                                    [](const OpenBracket& b) { return b.is_field; });
  if (in_field) {
    return false;
  }
  std::size_t begin = pos_;
  while (begin < text_.size() && is_space(text_[begin])) {
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

// ---- tokens ----

void Lexer::lex_token() {
  const char c = peek();
  if (is_name_start(c) || static_cast<unsigned char>(c) >= 0x80) {
    lex_word();
  } else if ((c >= '0' && c <= '9') || (c == '.' && peek(1) >= '0' && peek(1) <= '9')) {
    lex_number();
  } else if (c == '"' || c == '\'') {
    lex_string(pos_, TokenKind::String);
  } else {
    lex_operator();
  }
}

void Lexer::lex_word() {
  const std::uint32_t begin = pos_;
  while (!at_end()) {
    if (is_name_char(peek())) {
      ++pos_;
      continue;
    }
    const CodePoint next = decode_utf8(text_.substr(pos_, 4));
    if (next.length == 1 || !is_name_char(next.value)) {
      break;
    }
    pos_ += next.length;
  }
  const std::string_view word = text_.substr(begin, pos_ - begin);
  if (word.empty()) {
    lex_bad_character();
    return;
  }
  const bool has_quote = peek() == '"' || peek() == '\'';
  if (has_quote && word.size() <= 2 && is_string_prefix(word)) {
    lex_prefixed_string(begin, word);
    return;
  }
  const TokenKind kind = word_kind(word);
  list_.has_yield |= kind == TokenKind::Yield || kind == TokenKind::Await;
  push(kind, begin);
  if (kind == TokenKind::Lambda) {
    track_lambda(kind);
  }
}

void Lexer::lex_operator() {
  const Operator op = match_operator(peek(), peek(1), peek(2));
  switch (op.kind) {
    case TokenKind::LParen:
    case TokenKind::LBracket:
    case TokenKind::LBrace:
      open_bracket(op.kind, false);
      return;
    case TokenKind::RParen:
    case TokenKind::RBracket:
    case TokenKind::RBrace:
      close_bracket(op.kind, peek());
      return;
    case TokenKind::Error:
      lex_bad_character();
      return;
    default:
      break;
  }
  const std::uint32_t begin = pos_;
  pos_ += op.length;
  push(op.kind, begin);
  track_lambda(op.kind);
}

// One report for a run of characters that belong to no token.
void Lexer::lex_bad_character() {
  const std::uint32_t begin = pos_;
  const CodePoint first = decode_utf8(text_.substr(pos_, 4));
  const std::string_view shown = text_.substr(begin, first.length);
  pos_ += first.length;
  while (!at_end() && text_.substr(pos_).starts_with(shown)) {
    pos_ += first.length;
  }
  const bool printable = first.value >= 0x20 && first.value < 0x7F;
  const auto code = static_cast<std::uint32_t>(first.value);
  const std::string name = printable            ? fmt::format("`{}`", shown)
                           : first.value < 0xA1 ? fmt::format("U+{:04X}", code)
                                                : fmt::format("`{}` (U+{:04X})", shown, code);
  Diagnostic& report = error(DiagId::UnexpectedCharacter, begin, pos_, name);
  const std::string_view advice = replacement_advice(first.value);
  if (!advice.empty()) {
    report.helped(std::string(advice));
  }
}

}  // namespace lexer
}  // namespace tilery
