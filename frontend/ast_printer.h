// Syntax tree → source text.
#pragma once

#include "frontend/ast.h"

#include <string>

namespace tilery::ast {

/// Source text that parses to an equal tree (ranges aside): four spaces an indent, parentheses only
/// where precedence needs them, strings in double quotes.
[[nodiscard]] std::string print(const Module& module);
[[nodiscard]] std::string print(const Module& module, ExprId expr);

/// Equal trees, source ranges ignored.
[[nodiscard]] bool equal(const Module& a, const Module& b);

}  // namespace tilery::ast
