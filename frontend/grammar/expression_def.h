// Expressions. Reading order: from the atom outwards at the end of the file to the operand at its
// head.
#pragma once

#include "frontend/grammar/expression.h"
#include "frontend/grammar/function.h"
#include "frontend/grammar/lookahead.h"
#include "frontend/grammar/operators.h"

// `a > b` is X3's "b must follow", not a comparison.
// NOLINTBEGIN(bugprone-chained-comparison)

namespace tilery::grammar {

struct LambdaRule;
struct ElementRule;
struct ElementsRule;
struct ComprehensionRule;
struct EntryRule;
struct ArgumentRule;
struct SliceRule;
struct StringsRule;
struct FieldRule;
struct AtomRule;
struct TrailerRule;

const x3::rule<LambdaRule> lambda = "an expression";
const x3::rule<ElementRule> element = "an expression";
const x3::rule<ElementsRule> elements = "an expression";
const x3::rule<ComprehensionRule> comprehension = "a comprehension";
const x3::rule<EntryRule> entry = "an expression";
const x3::rule<ArgumentRule> argument = "an argument";
const x3::rule<SliceRule> slice = "an index";
const x3::rule<StringsRule> strings = "a string";
const x3::rule<FieldRule> field = "an expression";
const x3::rule<AtomRule> atom = "an expression";
const x3::rule<TrailerRule> trailer = "a call, subscript or attribute";

namespace detail {

constexpr bool is_prefix(TokenKind kind) {
  return kind == TokenKind::Plus || kind == TokenKind::Minus || kind == TokenKind::Tilde ||
         kind == TokenKind::Not;
}

inline bool is_infix(TokenKind kind) {
  return kind != TokenKind::Is && infix_operator(kind).has_value();
}

template <TokenKind First, TokenKind Second>
bool are_next(const Token* at) {
  return at[0].kind == First && at[1].kind == Second;
}

template <TokenKind Kind>
bool is_next(const Token* at) {
  return at->kind == Kind;
}

inline bool begins_element(const Token* at) {
  return at->kind == TokenKind::Star || begins_expression(at);
}

inline bool begins_target(const Token* at) {
  return at->kind == TokenKind::Star || begins_operand(at);
}

inline bool begins_string(const Token* at) {
  return at->kind == TokenKind::String || at->kind == TokenKind::FStringStart;
}

}  // namespace detail

const x3::eps_parser eps{};

// ---- operators ----

const auto operand = *TokenIf(detail::is_prefix, "an operator")[act<&Builder::prefix>] > primary;

const auto infix =
    TokenIf(detail::is_infix, "an operator")[act<&Builder::infix>] |
    (tok(TokenKind::Is) >>
     (tok(TokenKind::Not)[act<&Builder::is_not>] | eps[act<&Builder::infix>])) |
    (tok(TokenKind::Not) > tok(TokenKind::In, "`in` after `not`")[act<&Builder::not_in>]);

const auto operators_def = Ahead(begins_operand) >> eps[act<&Builder::begin_operators>] >>
                           operand >> *(infix > operand) >> eps[act<&Builder::end_operators>];

// `a if p else b if q else c` is read as a flat row; the Builder groups it.
const auto conditional =
    operators >>
    -(Ahead(detail::is_next<TokenKind::If>) >> eps[act<&Builder::begin_conditional>] >>
      +(tok(TokenKind::If) > operators >
        tok(TokenKind::Else, "`else` and the other value of the conditional expression") >
        (lambda | operators)) >>
      eps[act<&Builder::end_conditional>]);

const auto lambda_def =
    tok(TokenKind::Lambda)[act<&Builder::begin_parameters>] > lambda_parameters >
    tok(TokenKind::Colon,
        "`:` after the parameters of the `lambda`")[act<&Builder::end_parameters>] > expression
    > eps[act<&Builder::end_lambda>];

const auto expression_def = lambda | conditional;

const auto named_expression_def =
    ((Ahead(detail::are_next<TokenKind::Name, TokenKind::Walrus>) >>
      tok(TokenKind::Name)[act<&Builder::walrus_name>] >> tok(TokenKind::Walrus)) > expression >
     eps[act<&Builder::end_walrus>]) |
    expression;

// ---- lists, tuples, dicts, comprehensions ----

const auto star = tok(TokenKind::Star)[act<&Builder::head>];
const auto comma = tok(TokenKind::Comma)[act<&Builder::comma>];

const auto element_def = (star > operators > eps[act<&Builder::starred>]) | named_expression;

const auto bare_element = (star > operators > eps[act<&Builder::starred>]) | expression;

const auto bare_list_def = Ahead(detail::begins_element) >> eps[act<&Builder::begin_list>] >>
                           bare_element >> *(comma >> bare_element) >> -comma
                           >> eps[act<&Builder::end_bare_list>];

const auto target = (star > primary > eps[act<&Builder::starred>]) | primary;

const auto targets_def = Ahead(detail::begins_target) >> eps[act<&Builder::begin_list>] >> target >>
                         *(comma >> target) >> -comma >> eps[act<&Builder::end_bare_list>];

const auto clause = (targets > eps[act<&Builder::clause_target>] >
                     tok(TokenKind::In, "`in` after the loop variable") > operators >
                     eps[act<&Builder::clause_iterable>] >
                     *(tok(TokenKind::If) > operators > eps[act<&Builder::clause_condition>]));

const auto comprehension_def = tok(TokenKind::For)[act<&Builder::begin_comprehension>] > clause >
                               *(tok(TokenKind::For)[act<&Builder::next_clause>] >
                                 clause) > eps[act<&Builder::end_comprehension>];

/// What parentheses and square brackets contain.
const auto elements_def = element >> (comprehension | (*(comma >> element) >> -comma));

const auto paren = tok(TokenKind::LParen)[act<&Builder::begin_list>] > -elements >
                   tok(TokenKind::RParen, "`,` or `)`")[act<&Builder::end_paren>];

const auto bracket = tok(TokenKind::LBracket)[act<&Builder::begin_list>] > -elements >
                     tok(TokenKind::RBracket, "`,` or `]`")[act<&Builder::end_bracket>];

const auto entry_def =
    (tok(TokenKind::StarStar) > operators > eps[act<&Builder::dict_spread>]) |
    (element >> ((tok(TokenKind::Colon) > expression > eps[act<&Builder::dict_value>]) |
                 eps[act<&Builder::dict_key_only>]));

const auto entries = entry >> (comprehension | (*(comma >> entry) >> -comma));

const auto brace = tok(TokenKind::LBrace)[act<&Builder::begin_list>] > -entries >
                   tok(TokenKind::RBrace, "`,` or `}`")[act<&Builder::end_brace>];

// ---- strings ----

const auto field_def = tok(TokenKind::FStringOpen)[act<&Builder::begin_field>] > bare_list >
                       -tok(TokenKind::FStringDebug)[act<&Builder::field_debug>] >
                       -tok(TokenKind::FStringConversion)[act<&Builder::field_conversion>] >
                       -tok(TokenKind::FStringSpec)[act<&Builder::field_spec>] >
                       tok(TokenKind::FStringClose)[act<&Builder::end_field>];

const auto f_string = tok(TokenKind::FStringStart)[act<&Builder::begin_f_string>] >
                      *(tok(TokenKind::FStringText)[act<&Builder::f_string_text>] | field) >
                      tok(TokenKind::FStringEnd);

const auto strings_def = Ahead(detail::begins_string) >> eps[act<&Builder::begin_strings>] >>
                         +(tok(TokenKind::String)[act<&Builder::string_piece>] | f_string) >>
                         eps[act<&Builder::end_strings>];

// ---- atoms and what follows them ----

const auto atom_def = tok(TokenKind::Name)[act<&Builder::name>] |
                      tok(TokenKind::Integer)[act<&Builder::integer>] |
                      tok(TokenKind::Float)[act<&Builder::floating>] | paren | bracket |
                      tok(TokenKind::True)[act<&Builder::true_literal>] |
                      tok(TokenKind::False)[act<&Builder::false_literal>] |
                      tok(TokenKind::None)[act<&Builder::none_literal>] | strings |
                      tok(TokenKind::Ellipsis)[act<&Builder::ellipsis>] | brace |
                      tok(TokenKind::Imaginary)[act<&Builder::imaginary>] |
                      tok(TokenKind::Bytes)[act<&Builder::bytes>];

const auto argument_def =
    (tok(TokenKind::StarStar) > expression > eps[act<&Builder::star_star_argument>]) |
    (tok(TokenKind::Star) > expression > eps[act<&Builder::star_argument>]) |
    ((Ahead(detail::are_next<TokenKind::Name, TokenKind::Assign>) >>
      tok(TokenKind::Name)[act<&Builder::keyword>] >> tok(TokenKind::Assign)) > expression >
     eps[act<&Builder::keyword_argument>]) |
    (named_expression >> -comprehension >> eps[act<&Builder::positional_argument>]);

const auto call = tok(TokenKind::LParen)[act<&Builder::begin_call>] >
                  -(argument >> *(tok(TokenKind::Comma) >> argument) >> -tok(TokenKind::Comma)) >
                  tok(TokenKind::RParen, "`,` or `)` after the argument")[act<&Builder::end_call>];

const auto slice_part = expression | eps[act<&Builder::nothing>];

const auto slice_rest = tok(TokenKind::Colon) > slice_part >
                        ((tok(TokenKind::Colon) > slice_part) | eps[act<&Builder::nothing>]) >
                        eps[act<&Builder::end_slice>];

const auto slice_def =
    (Ahead(detail::is_next<TokenKind::Colon>) >> eps[act<&Builder::nothing>] >> slice_rest) |
    (element >> -slice_rest);

const auto indices = slice >> *(comma >> slice) >> -comma;

const auto subscript = tok(TokenKind::LBracket)[act<&Builder::begin_list>] > indices >
                       tok(TokenKind::RBracket,
                           "`,` or `]` after the index")[act<&Builder::end_subscript>];

const auto trailer_def =
    (tok(TokenKind::Dot) > tok(TokenKind::Name, "a name after `.`")[act<&Builder::attribute>]) |
    call | subscript;

const auto primary_def = atom >> *trailer;

BOOST_SPIRIT_DEFINE(expression, named_expression, operators, primary, bare_list, targets)
BOOST_SPIRIT_DEFINE(lambda, element, elements, comprehension, entry, argument, slice, strings,
                    field, atom, trailer)

}  // namespace tilery::grammar

// NOLINTEND(bugprone-chained-comparison)
