// Statements, lines and blocks.
#pragma once

#include "frontend/grammar/expression.h"
#include "frontend/grammar/function.h"
#include "frontend/grammar/lookahead.h"
#include "frontend/grammar/operators.h"
#include "frontend/grammar/statement.h"

// `a > b` is X3's "b must follow", not a comparison.
// NOLINTBEGIN(bugprone-chained-comparison)

namespace tilery::grammar {

struct SimpleStatementRule;
struct CompoundStatementRule;
struct ImportRule;

const x3::rule<SimpleStatementRule> simple_statement = "a statement";
const x3::rule<CompoundStatementRule> compound_statement = "a statement";
const x3::rule<ImportRule> import = "an import";

namespace detail {

inline bool is_augmented(TokenKind kind) {
  return augmented_operator(kind).has_value();
}

inline bool is_assign(const Token* at) {
  return at->kind == TokenKind::Assign;
}

inline bool is_in_line(const Token* at) {
  return at->kind != TokenKind::Newline && at->kind != TokenKind::EndOfFile;
}

}  // namespace detail

/// Matches nothing, unless the block or the file ends here or there are too many errors to go on.
struct InBlock : Matcher<InBlock> {
  template <class It, class Ctx, class RuleCtx, class Attr>
  bool parse(It& first, const It& /*last*/, const Ctx& context, RuleCtx& /*rule*/,
             Attr& /*attr*/) const {
    return first->kind != TokenKind::Dedent && first->kind != TokenKind::EndOfFile &&
           !x3::get<BuilderTag>(context).has_too_many_errors();
  }
};

/// Takes the tokens of a statement that no kernel may contain, without parsing them.
struct Skipped : Matcher<Skipped> {
  constexpr explicit Skipped(bool b) : is_block(b) {}

  template <class It, class Ctx, class RuleCtx, class Attr>
  bool parse(It& first, const It& /*last*/, const Ctx& context, RuleCtx& /*rule*/,
             Attr& /*attr*/) const {
    const Builder& builder = x3::get<BuilderTag>(context);
    const bool matches = is_block ? begins_unsupported_block(first, builder.source())
                                  : begins_unsupported_simple(first, builder.source()) ||
                                        (builder.has_yield() && contains_yield(first));
    if (matches) {
      first = is_block ? skip_statement(first) : skip_simple(first);
    }
    return matches;
  }

  bool is_block;
};

const x3::eps_parser epsilon{};

// ---- simple statements ----

const auto or_nothing = epsilon[act<&Builder::nothing>];

const auto expression_statement =
    bare_list >
    ((Ahead(detail::is_assign) >> +(tok(TokenKind::Assign) > bare_list) >>
      epsilon[act<&Builder::end_assign>]) |
     (TokenIf(detail::is_augmented, "an operator")[act<&Builder::head>] > bare_list >
      epsilon[act<&Builder::end_augmented>]) |
     (tok(TokenKind::Colon) > expression > ((tok(TokenKind::Assign) > bare_list) | or_nothing) >
      epsilon[act<&Builder::end_annotated>]) |
     epsilon[act<&Builder::end_expression_statement>]);

const auto return_statement =
    tok(TokenKind::Return) > (bare_list | or_nothing) > epsilon[act<&Builder::end_return>];

const auto assert_statement = tok(TokenKind::Assert) > expression >
                              ((tok(TokenKind::Comma) > expression) | or_nothing) >
                              epsilon[act<&Builder::end_assert>];

const auto raise_statement = tok(TokenKind::Raise) >
                             ((expression > -(tok(TokenKind::From) > expression)) | or_nothing) >
                             epsilon[act<&Builder::end_raise>];

constexpr const char* kImportedName = "the name of what is imported";

const auto alias =
    -(tok(TokenKind::As) > tok(TokenKind::Name, "a name after `as`")[act<&Builder::import_alias>]);

const auto imported_module = tok(TokenKind::Name, kImportedName)[act<&Builder::import_name>] >
                             *(tok(TokenKind::Dot) >
                               tok(TokenKind::Name,
                                   "a name after `.`")[act<&Builder::import_name_part>]) > alias;

const auto imported_name = tok(TokenKind::Name, kImportedName)[act<&Builder::import_name>] > alias;

const auto source_module =
    *(tok(TokenKind::Dot) | tok(TokenKind::Ellipsis))[act<&Builder::import_level>] >
    -(tok(TokenKind::Name)[act<&Builder::import_module>] >
      *(tok(TokenKind::Dot) >
        tok(TokenKind::Name, "a name after `.`")[act<&Builder::import_module>]));

const auto imported_names = imported_name > *(tok(TokenKind::Comma) > imported_name);

const auto imported_names_in_parens = tok(TokenKind::LParen) > imported_name >
                                      *(tok(TokenKind::Comma) >> Ahead([](const Token* at) {
                                          return at->kind == TokenKind::Name;
                                        }) >>
                                        imported_name) > -tok(TokenKind::Comma) >
                                      tok(TokenKind::RParen, "`,` or `)` after the imported name");

const auto import_def =
    (tok(TokenKind::Import)[act<&Builder::begin_import>] > imported_module >
     *(tok(TokenKind::Comma) > imported_module) > epsilon[act<&Builder::end_import>]) |
    (tok(TokenKind::From)[act<&Builder::begin_import>] > source_module >
     tok(TokenKind::Import, "`import` after the name of the module") >
     (tok(TokenKind::Star)[act<&Builder::import_name>] | imported_names_in_parens |
      imported_names) > epsilon[act<&Builder::end_import>]);

const auto simple_statement_def =
    Ahead(detail::is_in_line) >> epsilon[act<&Builder::begin_statement>] >>
    ((Skipped(false) >> epsilon[act<&Builder::end_unsupported>]) |
     (tok(TokenKind::Pass) >> epsilon[act<&Builder::end_pass>]) |
     (tok(TokenKind::Break) >> epsilon[act<&Builder::end_break>]) |
     (tok(TokenKind::Continue) >> epsilon[act<&Builder::end_continue>]) | return_statement |
     assert_statement | raise_statement | import | x3::expect[expression_statement]) >>
    epsilon[act<&Builder::end_statement>];

const auto simple_line = (simple_statement >> *(tok(TokenKind::Semi) >> simple_statement) >>
                          -tok(TokenKind::Semi)) >
                         tok(TokenKind::Newline, "the end of the statement");

// ---- compound statements ----

const auto block_def =
    (tok(TokenKind::Newline) > tok(TokenKind::Indent)[act<&Builder::begin_block>] > statements >
     tok(TokenKind::Dedent)[act<&Builder::end_block>]) |
    (epsilon[act<&Builder::begin_block>] >> simple_line >> epsilon[act<&Builder::end_block>]);

const auto loop_block =
    epsilon[act<&Builder::begin_loop_body>] >> block >> epsilon[act<&Builder::end_loop_body>];

const auto else_clause = -(tok(TokenKind::Else)[act<&Builder::head>] >
                           tok(TokenKind::Colon, "`:` after `else`") > block);

const auto if_statement = tok(TokenKind::If)[act<&Builder::head>] > named_expression >
                          tok(TokenKind::Colon, "`:` after the `if` condition") > block >
                          *(tok(TokenKind::Elif)[act<&Builder::head>] > named_expression >
                            tok(TokenKind::Colon, "`:` after the `elif` condition") >
                            block) > else_clause
                          > epsilon[act<&Builder::end_if>];

const auto while_statement = tok(TokenKind::While) > named_expression >
                             tok(TokenKind::Colon, "`:` after the `while` condition") > loop_block
                             > else_clause > epsilon[act<&Builder::end_while>];

const auto for_statement = tok(TokenKind::For) > targets >
                           tok(TokenKind::In, "`in` after the loop variable") > bare_list >
                           tok(TokenKind::Colon, "`:` at the end of the `for` line") > loop_block
                           > else_clause > epsilon[act<&Builder::end_for>];

const auto with_item = expression > ((tok(TokenKind::As) > primary) | or_nothing);

const auto with_items = with_item > *(tok(TokenKind::Comma) > with_item);

const auto with_items_in_parens = (Ahead(begins_with_items) >> tok(TokenKind::LParen)) > with_item >
                                  *(tok(TokenKind::Comma) >> Ahead(begins_expression) >>
                                    with_item) > -tok(TokenKind::Comma) >
                                  tok(TokenKind::RParen, "`,` or `)`");

const auto with_statement = tok(TokenKind::With) > (with_items_in_parens | with_items) >
                            tok(TokenKind::Colon, "`:` at the end of the `with` line") > block
                            > epsilon[act<&Builder::end_with>];

const auto compound_statement_def =
    if_statement | for_statement | while_statement | with_statement |
    (Skipped(true) >> epsilon[act<&Builder::end_unsupported>]) | function;

// ---- lines ----

const auto line_def = epsilon[act<&Builder::begin_line>] >> (compound_statement | simple_line) >>
                      epsilon[act<&Builder::end_line>];

const auto stray_block = tok(TokenKind::Indent)[act<&Builder::unexpected_indent>] > statements >
                         tok(TokenKind::Dedent)[act<&Builder::end_stray_block>];

const auto statements_def = *(InBlock() >> (stray_block | line));

BOOST_SPIRIT_DEFINE(block, statements, line)
BOOST_SPIRIT_DEFINE(simple_statement, compound_statement, import)

}  // namespace tilery::grammar

// NOLINTEND(bugprone-chained-comparison)
