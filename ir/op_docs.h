// The op table as documentation.
#pragma once

#include <string>
#include <string_view>

namespace tilery {

/// Text for a cell of a Markdown table: a bar would end the cell, even between backticks.
[[nodiscard]] std::string markdown_cell(std::string_view text);

/// The IR's section of docs/ops.md in Markdown: how to read a signature, then one table of ops a
/// family, in the order of ops.def.
[[nodiscard]] std::string op_docs_markdown();

}  // namespace tilery
