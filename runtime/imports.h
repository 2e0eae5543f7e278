// What a syntax tree says about other files and about the use of its own functions.
#pragma once

#include "frontend/ast.h"
#include "ir/support/diagnostic.h"
#include "tilery/library.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilery {

/// Adds to `environment` the modules that the text imports and that lie beside it as `name.tl` or
/// `name.py` (`a.b` in a folder `a`), and what those import in turn. Imports of the environment
/// win; files that import each other in a circle see each other once. Returns the error of an
/// imported file that does not parse.
[[nodiscard]] std::optional<Error> add_neighbours(const std::string& path, const std::string& text,
                                                  Environment& environment);

/// True if a function of the module other than `name` itself mentions `name`.
[[nodiscard]] bool is_used_by_others(const ast::Module& module, std::string_view name);

/// Those diagnostics that lie within the function `name`.
[[nodiscard]] std::vector<Diagnostic> diagnostics_within(const ast::Module& module,
                                                         std::string_view name,
                                                         const Diagnostics& diagnostics);

}  // namespace tilery
