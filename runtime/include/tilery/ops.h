// The language and the IR as tables, for documentation and tools.
#pragma once

#include "tilery/export.h"

#include <string>
#include <vector>

namespace tilery::inline v0 {

/// One op of the IR.
struct OpRow {
  std::string name;
  std::string family;
  std::string signature;
  std::string effects;
  std::string summary;
};

/// One function of the language.
struct BuiltinRow {
  std::string name;          ///< as it is called: "tl.sum"
  std::string signature;     ///< "tl.sum(input, axis=None)"
  bool is_method = false;    ///< also `x.sum(…)`
  bool is_supported = true;  ///< false: known by name, but using it is an error in this version
  std::string summary;
};

[[nodiscard]] TILERY_API std::vector<OpRow> op_rows();
[[nodiscard]] TILERY_API std::vector<BuiltinRow> builtin_rows();
/// Both tables as a Markdown page; docs/ops.md is this text.
[[nodiscard]] TILERY_API std::string ops_markdown();

}  // namespace tilery::inline v0
