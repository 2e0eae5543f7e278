// What the tests of the parser share: parsing a string, its errors as text, the shape of its tree.
#pragma once

#include "frontend/parser.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilery::testing {

struct Parsed {
  SourceMap sources;
  Diagnostics diagnostics;
  std::optional<ast::Module> module;
};

[[nodiscard]] Parsed parse_text(std::string_view text, ModuleKind kind = ModuleKind::Tilery);

/// "line:column: message" of each diagnostic.
[[nodiscard]] std::vector<std::string> errors_of(std::string_view text,
                                                 ModuleKind kind = ModuleKind::Tilery);

/// An expression as nested lists, every grouping visible: "a + b * c" → "(+ a (* b c))".
[[nodiscard]] std::string shape(std::string_view expression);

/// All statements of a file in the same form, separated by spaces.
[[nodiscard]] std::string shapes(std::string_view text);

/// Names of the functions (and `=name` of the assignments, `<name` of the imports) that a file
/// keeps.
[[nodiscard]] std::vector<std::string> kept_names(std::string_view text, ModuleKind kind);

/// A kernel file with the syntax that kernels use, for tests of speed and of damaged input.
[[nodiscard]] std::string_view sample_kernels();

}  // namespace tilery::testing
