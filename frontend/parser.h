// Text → syntax tree. The only header of the grammar that others include.
#pragma once

#include "frontend/ast.h"
#include "ir/support/diagnostic.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace tilery {

/// How a file's module level is read.
enum class ModuleKind : std::uint8_t {
  /// A kernel file: every statement must be syntax that kernels use; imports and decorators may be
  /// left out.
  Tilery,
  /// Any legal Python: jit functions, the functions they could call (every module-level def),
  /// constants and
  /// imports are kept; classes, host code and whatever else is legal Python is skipped and never an
  /// error.
  /// A def that does not parse as kernel syntax is dropped unless a `jit` decorator stands above
  /// it.
  Python,
};

/// Parses file `file` of `sources`. Reports every syntax error it can tell apart (it goes on at the
/// next statement) and returns nothing if there was one. Limits, checked before the grammar runs:
/// 16 MiB a file, brackets 200 deep, indentation 100 deep, a tree 1,000 deep. Never throws on any
/// input.
[[nodiscard]] std::optional<ast::Module> parse(const SourceMap& sources, FileId file,
                                               ModuleKind kind, Diagnostics& diagnostics);

/// By the file name's ending: `.py` is Python, everything else Tilery.
[[nodiscard]] ModuleKind module_kind(std::string_view file_name);

}  // namespace tilery
