#include "frontend/grammar/grammar.h"
#include "frontend/grammar/statement_def.h"
#include "ir/support/check.h"

namespace tilery::grammar {

BOOST_SPIRIT_INSTANTIATE(Block, Iterator, Context)

namespace {

// The rule `line` catches failed expectations. One comes out here only when parsing ends early,
// after too many errors, so that a block is not at its end.
template <class Rule>
const Token* run(const Rule& rule, Builder& builder, const Token* first, const Token* last) {
  const Context context(builder);
  try {
    const bool matched = rule.parse(first, last, context, x3::unused, x3::unused);
    TILERY_CHECK(matched, "a rule that reports its own errors must match");
    return first;
  } catch (const x3::expectation_failure<Iterator>&) {
    TILERY_CHECK(builder.has_too_many_errors(), "the rule `line` must catch this");
    return last - 1;
  }
}

}  // namespace

const Token* parse_statements(Builder& builder, const Token* first, const Token* last) {
  return run(statements, builder, first, last);
}

const Token* parse_line(Builder& builder, const Token* first, const Token* last) {
  return run(line, builder, first, last);
}

}  // namespace tilery::grammar
