#include "frontend/grammar/grammar.h"
#include "frontend/grammar/statement_def.h"
#include "ir/support/check.h"

namespace tilery::grammar {

BOOST_SPIRIT_INSTANTIATE(Block, Iterator, Context)

namespace {

// Every failed expectation is caught by the rule `line`, so none comes out here.
template <class Rule>
const Token* run(const Rule& rule, Builder& builder, const Token* first, const Token* last) {
  const Context context(builder);
  const bool matched = rule.parse(first, last, context, x3::unused, x3::unused);
  TILERY_CHECK(matched, "a rule that reports its own errors must match");
  return first;
}

}  // namespace

const Token* parse_statements(Builder& builder, const Token* first, const Token* last) {
  return run(statements, builder, first, last);
}

const Token* parse_line(Builder& builder, const Token* first, const Token* last) {
  return run(line, builder, first, last);
}

}  // namespace tilery::grammar
