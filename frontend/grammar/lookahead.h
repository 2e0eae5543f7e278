// Questions about the tokens ahead that no single token answers, and the skipping of what is not
// parsed.
#pragma once

#include "frontend/lexer.h"

#include <string>
#include <string_view>

namespace tilery::grammar {

/// All take a pointer into a token list, which ends in EndOfFile; they look no further than that.

/// Whether an expression can begin with this token; without lambdas for the first.
[[nodiscard]] bool begins_operand(const Token* at);
[[nodiscard]] bool begins_expression(const Token* at);
/// Whether the items of a `with` are in parentheses: at `(`, whose `)` is followed by `:`, with an
/// `as` or a comma directly inside.
[[nodiscard]] bool begins_with_items(const Token* at);

/// Legal Python that no kernel may contain: a statement with a block (`try`, `class`, `async def`,
/// `match`, a decorated class) or a simple one (`del`, `global`, `nonlocal`, `type X = …`).
[[nodiscard]] bool begins_unsupported_block(const Token* at, std::string_view source);
[[nodiscard]] bool begins_unsupported_simple(const Token* at, std::string_view source);
/// Whether `yield` or `await` stands in this simple statement or header.
[[nodiscard]] bool contains_yield(const Token* at);
/// The word by which a message names an unsupported statement: "try", "async def", "yield".
[[nodiscard]] std::string unsupported_keyword(const Token* at, std::string_view source);

/// The token after the lines of decorators, if any begin here.
[[nodiscard]] const Token* skip_decorators(const Token* at);
/// The token after this simple statement: its `;` or Newline.
[[nodiscard]] const Token* skip_simple(const Token* at);
/// The token after this logical line and the block that belongs to it.
[[nodiscard]] const Token* skip_line_and_block(const Token* at);
/// The same, with all clauses of a `try`, `if`, `for` or `while` and all lines of decorators.
[[nodiscard]] const Token* skip_statement(const Token* at);

}  // namespace tilery::grammar
