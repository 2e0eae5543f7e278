// What is taken from a `.py` file: see ModuleKind::Python in parser.h.
#pragma once

#include "frontend/ast.h"
#include "frontend/grammar/builder.h"
#include "frontend/lexer.h"

#include <span>

namespace tilery {

/// Walks the module level of `tokens` and returns the statements that a kernel can see: functions,
/// simple assignments and imports, also from the branches of `if`, `try` and `with`. Nothing is
/// ever an error but a syntax error in a function under a `jit` decorator.
///
/// Which branch Python would take is not known here. Of the branches of one statement, the first
/// that binds a name gives its meaning, except that a jit function is preferred to anything else of
/// that name. What stands under `if __name__ == …` is skipped.
[[nodiscard]] ast::Block read_python_module(grammar::Builder& builder, ast::Module& module,
                                            std::span<const Token> tokens,
                                            Diagnostics& diagnostics);

}  // namespace tilery
