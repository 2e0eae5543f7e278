// Parameters and function definitions.
#pragma once

#include "frontend/grammar/expression.h"
#include "frontend/grammar/function.h"
#include "frontend/grammar/statement.h"

// `a > b` is X3's "b must follow", not a comparison.
// NOLINTBEGIN(bugprone-chained-comparison)

namespace tilery::grammar {

struct ParameterRule;
struct DecoratorRule;

const x3::rule<ParameterRule> parameter = "a parameter";
const x3::rule<DecoratorRule> decorator = "a decorator";

namespace detail {

inline bool begins_function(const Token* at) {
  return at->kind == TokenKind::Def || at->kind == TokenKind::At;
}

}  // namespace detail

const x3::eps_parser empty{};

// ---- parameters ----

const auto default_value =
    -(tok(TokenKind::Assign) > expression > empty[act<&Builder::default_value>]);
const auto annotation = -(tok(TokenKind::Colon) > expression > empty[act<&Builder::annotation>]);

const auto lambda_parameter =
    (tok(TokenKind::Name)[act<&Builder::parameter>] >> default_value) |
    (tok(TokenKind::Star) >> (tok(TokenKind::Name)[act<&Builder::star_parameter>] |
                              empty[act<&Builder::keyword_only_marker>])) |
    (tok(TokenKind::StarStar) > tok(TokenKind::Name)[act<&Builder::star_star_parameter>]) |
    tok(TokenKind::Slash)[act<&Builder::positional_only_marker>];

const auto lambda_parameters_def =
    -(lambda_parameter >> *(tok(TokenKind::Comma) >> lambda_parameter) >> -tok(TokenKind::Comma));

const auto parameter_def =
    (tok(TokenKind::Name)[act<&Builder::parameter>] >> annotation >> default_value) |
    (tok(TokenKind::Star) >> ((tok(TokenKind::Name)[act<&Builder::star_parameter>] >> annotation) |
                              empty[act<&Builder::keyword_only_marker>])) |
    (tok(TokenKind::StarStar) > tok(TokenKind::Name)[act<&Builder::star_star_parameter>] >
     annotation) |
    tok(TokenKind::Slash)[act<&Builder::positional_only_marker>];

// ---- functions ----

const auto decorator_def = tok(TokenKind::At)[act<&Builder::head>] > named_expression >
                           tok(TokenKind::Newline, "the end of the line after the decorator");

const auto parameter_list =
    tok(TokenKind::LParen, "`(` after the name of the function")[act<&Builder::begin_parameters>] >
    -(parameter >> *(tok(TokenKind::Comma) >> parameter) >> -tok(TokenKind::Comma)) >
    tok(TokenKind::RParen, "`,` or `)` after the parameter")[act<&Builder::end_parameters>];

const auto return_annotation = (tok(TokenKind::Arrow) > expression) | empty[act<&Builder::nothing>];

const auto function_def =
    (Ahead(detail::begins_function) >> *decorator) >
    tok(TokenKind::Def, "`def` after the decorator")[act<&Builder::head>] >
    tok(TokenKind::Name,
        "the name of the function after `def`")[act<&Builder::head>] > parameter_list
    > return_annotation >
    tok(TokenKind::Colon,
        "`:` at the end of the `def` line")[act<&Builder::begin_function_body>] > block
    > empty[act<&Builder::end_function>];

BOOST_SPIRIT_DEFINE(lambda_parameters, function)
BOOST_SPIRIT_DEFINE(parameter, decorator)

}  // namespace tilery::grammar

// NOLINTEND(bugprone-chained-comparison)
