// What the rest of the parser sees of the grammar: no X3, and no exception comes out.
#pragma once

#include "frontend/grammar/builder.h"
#include "frontend/lexer.h"

namespace tilery::grammar {

/// Parses statements up to EndOfFile (or the Dedent of the block that `first` lies in) and returns
/// where it stopped. Errors are reported to the Builder's diagnostics, each at its statement.
const Token* parse_statements(Builder& builder, const Token* first, const Token* last);

/// Parses one compound statement or one line of simple ones.
const Token* parse_line(Builder& builder, const Token* first, const Token* last);

}  // namespace tilery::grammar
