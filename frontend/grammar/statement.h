// The rules of statements. Their definitions are in statement_def.h.
#pragma once

#include "frontend/grammar/config.h"
#include "frontend/grammar/error_handler.h"

namespace tilery::grammar {

struct BlockRule;
struct StatementsRule;

/// The rule at which errors stop: a failed expectation anywhere in a line or in the header of a
/// compound statement is reported, and parsing goes on at the next line. Where `first` stands then
/// depends on the version of X3: at the beginning of the line (1.74) or as far as the line was
/// matched (1.83). The Builder knows the beginning.
struct LineRule {
  template <class Ctx>
  x3::error_handler_result on_error(Iterator& first, const Iterator& /*last*/,
                                    const x3::expectation_failure<Iterator>& failure,
                                    const Ctx& context) {
    first = handle_syntax_error(x3::get<BuilderTag>(context), failure.where(), failure.which());
    return x3::error_handler_result::accept;
  }
};

using Block = x3::rule<BlockRule>;
using Statements = x3::rule<StatementsRule>;
using Line = x3::rule<LineRule>;

/// An indented block, or simple statements on the line of the header.
const Block block = "an indented block";
/// All statements up to the end of the block or file.
const Statements statements = "a statement";
/// One compound statement with its blocks, or the simple statements of one line.
const Line line = "a statement";

BOOST_SPIRIT_DECLARE(Block, Statements, Line)

}  // namespace tilery::grammar
