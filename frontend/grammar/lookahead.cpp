#include "frontend/grammar/lookahead.h"

#include <algorithm>
#include <array>

namespace tilery::grammar {

namespace {

bool is_word(const Token* at, std::string_view source, std::string_view word) {
  return at->kind == TokenKind::Name && source.substr(at->begin, at->end - at->begin) == word;
}

// `match x:` with an indented `case` below; `match` is an ordinary name everywhere else.
bool begins_match(const Token* at, std::string_view source) {
  if (!is_word(at, source, "match")) {
    return false;
  }
  const Token* end = at;
  while (!is_layout(end->kind)) {
    ++end;
  }
  return end->kind == TokenKind::Newline && end[-1].kind == TokenKind::Colon &&
         end[1].kind == TokenKind::Indent && is_word(end + 2, source, "case");
}

// `type X = …` and `type X[T] = …`.
bool begins_type_alias(const Token* at, std::string_view source) {
  return is_word(at, source, "type") && at[1].kind == TokenKind::Name &&
         (at[2].kind == TokenKind::Assign || at[2].kind == TokenKind::LBracket);
}

bool continues_statement(TokenKind kind) {
  return kind == TokenKind::Else || kind == TokenKind::Elif || kind == TokenKind::Except ||
         kind == TokenKind::Finally;
}

}  // namespace

const Token* skip_decorators(const Token* at) {
  while (at->kind == TokenKind::At) {
    while (!is_layout(at->kind)) {
      ++at;
    }
    at += at->kind == TokenKind::Newline ? 1 : 0;
  }
  return at;
}

bool begins_operand(const Token* at) {
  switch (at->kind) {
    case TokenKind::Name:
    case TokenKind::Integer:
    case TokenKind::Float:
    case TokenKind::Imaginary:
    case TokenKind::String:
    case TokenKind::Bytes:
    case TokenKind::FStringStart:
    case TokenKind::True:
    case TokenKind::False:
    case TokenKind::None:
    case TokenKind::Ellipsis:
    case TokenKind::LParen:
    case TokenKind::LBracket:
    case TokenKind::LBrace:
    case TokenKind::Plus:
    case TokenKind::Minus:
    case TokenKind::Tilde:
    case TokenKind::Not:
      return true;
    default:
      return false;
  }
}

bool begins_expression(const Token* at) {
  return begins_operand(at) || at->kind == TokenKind::Lambda;
}

bool begins_with_items(const Token* at) {
  if (at->kind != TokenKind::LParen) {
    return false;
  }
  std::size_t depth = 0;
  bool has_items = false;
  for (; !is_layout(at->kind); ++at) {
    const bool opens = at->kind == TokenKind::LParen || at->kind == TokenKind::LBracket ||
                       at->kind == TokenKind::LBrace || at->kind == TokenKind::FStringOpen;
    const bool closes = at->kind == TokenKind::RParen || at->kind == TokenKind::RBracket ||
                        at->kind == TokenKind::RBrace || at->kind == TokenKind::FStringClose;
    depth += opens ? 1 : 0;
    depth -= closes ? 1 : 0;
    has_items |= depth == 1 && (at->kind == TokenKind::As || at->kind == TokenKind::Comma);
    if (depth == 0) {
      return has_items && at[1].kind == TokenKind::Colon;
    }
  }
  return false;
}

bool begins_unsupported_block(const Token* at, std::string_view source) {
  const Token* first = skip_decorators(at);
  switch (first->kind) {
    case TokenKind::Try:
      return first == at;
    case TokenKind::Class:
      return true;
    case TokenKind::Async:
      return first[1].kind == TokenKind::Def || first[1].kind == TokenKind::For ||
             first[1].kind == TokenKind::With;
    case TokenKind::Name:
      return first == at && begins_match(at, source);
    default:
      return false;
  }
}

bool begins_unsupported_simple(const Token* at, std::string_view source) {
  return at->kind == TokenKind::Del || at->kind == TokenKind::Global ||
         at->kind == TokenKind::Nonlocal || begins_type_alias(at, source);
}

bool contains_yield(const Token* at) {
  for (; !is_layout(at->kind) && at->kind != TokenKind::Semi; ++at) {
    if (at->kind == TokenKind::Yield || at->kind == TokenKind::Await) {
      return true;
    }
  }
  return false;
}

std::string unsupported_keyword(const Token* at, std::string_view source) {
  at = skip_decorators(at);
  if (at->kind == TokenKind::Async) {
    return "async " + std::string(source.substr(at[1].begin, at[1].end - at[1].begin));
  }
  constexpr std::array kOwnWord = {TokenKind::Try, TokenKind::Class, TokenKind::Del,
                                   TokenKind::Global, TokenKind::Nonlocal};
  if (std::ranges::find(kOwnWord, at->kind) != kOwnWord.end()) {
    return std::string(token_spelling(at->kind));
  }
  if (begins_match(at, source)) {
    return "match";
  }
  if (begins_type_alias(at, source)) {
    return "type";
  }
  while (at->kind != TokenKind::Yield && at->kind != TokenKind::Await &&
         at->kind != TokenKind::EndOfFile) {
    ++at;
  }
  return std::string(token_spelling(at->kind));
}

const Token* skip_simple(const Token* at) {
  while (!is_layout(at->kind) && at->kind != TokenKind::Semi) {
    ++at;
  }
  return at;
}

const Token* skip_line_and_block(const Token* at) {
  while (!is_layout(at->kind)) {
    ++at;
  }
  at += at->kind == TokenKind::Newline ? 1 : 0;
  if (at->kind != TokenKind::Indent) {
    return at;
  }
  std::size_t depth = 0;
  do {
    depth += at->kind == TokenKind::Indent ? 1 : 0;
    depth -= at->kind == TokenKind::Dedent ? 1 : 0;
    ++at;
  } while (depth > 0 && at->kind != TokenKind::EndOfFile);
  return at;
}

const Token* skip_statement(const Token* at) {
  const Token* first = skip_decorators(at);
  const Token* next = skip_line_and_block(first);
  while (continues_statement(next->kind)) {
    next = skip_line_and_block(next);
  }
  return next;
}

}  // namespace tilery::grammar
