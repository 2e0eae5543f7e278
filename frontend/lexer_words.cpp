// Names, keywords and operators of the lexer, and characters that are none of them.
#include "frontend/lexer_impl.h"
#include "frontend/text.h"

#include <algorithm>
#include <array>

namespace tilery::lexer {

namespace {

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

bool is_string_prefix(std::string_view word) {
  std::string lower(word);
  for (char& c : lower) {
    c = static_cast<char>(c | 0x20);
  }
  constexpr std::array<std::string_view, 9> kPrefixes = {"r", "u",  "b",  "br", "rb",
                                                         "f", "fr", "rf", ""};
  return std::ranges::find(kPrefixes, lower) != kPrefixes.end();
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
  Diagnostic& found = error(DiagId::UnexpectedCharacter, begin, pos_, name);
  const std::string_view advice = replacement_advice(first.value);
  if (!advice.empty()) {
    found.helped(std::string(advice));
  }
}

}  // namespace tilery::lexer
