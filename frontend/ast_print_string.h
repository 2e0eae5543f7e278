// String literals of the AST printer: quotes and escapes.
#pragma once

#include "frontend/ast.h"

#include <string>
#include <string_view>

namespace tilery::ast {

/// A literal on one line, between `quote`s, with that value.
[[nodiscard]] std::string quoted(std::string_view value, char quote);
/// A literal between triple double quotes, with its line feeds as they are.
[[nodiscard]] std::string triple_quoted(std::string_view value);
/// The text of an f-string between its fields.
[[nodiscard]] std::string escaped_f_string_text(std::string_view text, char quote);
/// The quote around an f-string: `preferred`, unless a format (which stays as written) contains it.
[[nodiscard]] std::string_view f_string_quote(const FString& node, char preferred);

}  // namespace tilery::ast
