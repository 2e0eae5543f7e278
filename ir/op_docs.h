// The op table as documentation.
#pragma once

#include <string>

namespace tilery {

/// The IR's section of docs/ops.md in Markdown: how to read a signature, then one table of ops a
/// family, in the order of ops.def.
[[nodiscard]] std::string op_docs_markdown();

}  // namespace tilery
