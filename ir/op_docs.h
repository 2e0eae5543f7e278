// The op table as documentation.
#pragma once

#include <string>

namespace tilery {

/// The Markdown page that docs/ops.md holds and `tilery ops --markdown` prints: how to read a
/// signature, then one table of ops a family, in the order of ops.def.
[[nodiscard]] std::string op_docs_markdown();

}  // namespace tilery
