// What all rules share: the iterator, the context, the token parsers and the actions.
//
// The rules have no attributes. Each is predictive (one token decides between alternatives, so
// nothing is ever parsed twice or taken back) and tells a Builder what it has seen, in the order of
// the source; the Builder keeps the stacks and makes the nodes. That keeps the types of the rules
// small, which is what X3's compile time goes by, and the trees free of copies.
//
//     tok(K)         matches one token of kind K and nothing else; `expected "…"` names it in
//     messages act<&B::f>     an action: calls f(last token matched) on the Builder a > b b must
//     follow; if not, X3 throws, and the handler of the statement reports it
#pragma once

#include "frontend/grammar/builder.h"
#include "frontend/lexer.h"

#include <boost/spirit/home/x3/auxiliary/eps.hpp>
#include <boost/spirit/home/x3/core.hpp>
#include <boost/spirit/home/x3/directive/expect.hpp>
#include <boost/spirit/home/x3/nonterminal.hpp>
#include <boost/spirit/home/x3/operator.hpp>

#include <array>
#include <string>

namespace tilery::grammar {

namespace x3 = boost::spirit::x3;

struct BuilderTag;

using Iterator = const Token*;
using Context = x3::context<BuilderTag, Builder>;

/// What parsers of tokens have in common: no attribute.
template <class Derived>
struct Matcher : x3::parser<Derived> {
  // NOLINTBEGIN(readability-identifier-naming): X3 asks for these names.
  using attribute_type = x3::unused_type;
  static constexpr bool has_attribute = false;
  // NOLINTEND(readability-identifier-naming)
};

/// Matches one token of a kind.
struct TokenParser : Matcher<TokenParser> {
  constexpr TokenParser(TokenKind k, const char* n) : kind(k), name(n) {}

  template <class It, class Ctx, class RuleCtx, class Attr>
  bool parse(It& first, const It& last, const Ctx& /*context*/, RuleCtx& /*rule*/,
             Attr& /*attr*/) const {
    if (first == last || first->kind != kind) {
      return false;
    }
    ++first;
    return true;
  }

  TokenKind kind;
  /// How a message calls it; null: by the token's own spelling.
  const char* name;
};

constexpr TokenParser tok(TokenKind kind, const char* expected = nullptr) {
  return {kind, expected};
}

/// Matches one token that a predicate accepts.
struct TokenIf : Matcher<TokenIf> {
  using Predicate = bool (*)(TokenKind);

  constexpr TokenIf(Predicate a, const char* n) : accepts(a), name(n) {}

  template <class It, class Ctx, class RuleCtx, class Attr>
  bool parse(It& first, const It& last, const Ctx& /*context*/, RuleCtx& /*rule*/,
             Attr& /*attr*/) const {
    if (first == last || !accepts(first->kind)) {
      return false;
    }
    ++first;
    return true;
  }

  Predicate accepts;
  const char* name;
};

/// Matches nothing, where a predicate holds for the coming tokens. The token list ends in
/// EndOfFile, so that a predicate may look at any number of tokens up to it.
struct Ahead : Matcher<Ahead> {
  using Predicate = bool (*)(const Token*);

  constexpr explicit Ahead(Predicate a) : accepts(a) {}

  template <class It, class Ctx, class RuleCtx, class Attr>
  bool parse(It& first, const It& last, const Ctx& /*context*/, RuleCtx& /*rule*/,
             Attr& /*attr*/) const {
    return first != last && accepts(first);
  }

  Predicate accepts;
};

/// The action that calls a member of the Builder with the last token matched so far.
template <auto Member>
struct Act {
  template <class Ctx>
  void operator()(const Ctx& context) const {
    (x3::get<BuilderTag>(context).*Member)(*(x3::_where(context).begin() - 1));
  }
};

template <auto Member>
inline const Act<Member> act{};

}  // namespace tilery::grammar

namespace boost::spirit::x3 {

template <>
struct get_info<tilery::grammar::TokenParser> {
  std::string operator()(const tilery::grammar::TokenParser& parser) const {
    return parser.name != nullptr ? parser.name : tilery::token_description(parser.kind);
  }
};

template <>
struct get_info<tilery::grammar::TokenIf> {
  std::string operator()(const tilery::grammar::TokenIf& parser) const { return parser.name; }
};

/// A sequence is called by what it begins with, a choice by its last (most general) alternative.
template <class Left, class Right>
struct get_info<sequence<Left, Right>> {
  std::string operator()(const sequence<Left, Right>& parser) const { return what(parser.left); }
};

template <class Left, class Right>
struct get_info<alternative<Left, Right>> {
  std::string operator()(const alternative<Left, Right>& parser) const {
    return what(parser.right);
  }
};

template <class Subject>
struct get_info<expect_directive<Subject>> {
  std::string operator()(const expect_directive<Subject>& parser) const {
    return what(parser.subject);
  }
};

/// An action is called like what it is attached to.
template <class Subject, class Action>
struct get_info<action<Subject, Action>> {
  std::string operator()(const action<Subject, Action>& parser) const {
    return what(parser.subject);
  }
};

}  // namespace boost::spirit::x3
