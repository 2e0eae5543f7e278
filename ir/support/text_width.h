// Source text as a terminal shows it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tilery {

/// What one character of a source line becomes on the screen.
struct TextCell {
  std::uint32_t offset = 0;  ///< byte offset of the character in the line
  int width = 0;             ///< columns
  std::string text;
};

/// Splits a line (without its line end) into cells. Tabs become blanks up to the next multiple of 4
/// columns; control characters, invisible and direction-changing ones, and bytes that are no UTF-8
/// are shown escaped (`\x1b`, `\u202e`), so that a source cannot play tricks on the terminal.
[[nodiscard]] std::vector<TextCell> text_cells(std::string_view line);

/// The text of the cells: what may be shown of any string that came from outside.
[[nodiscard]] std::string printable(std::string_view text);

}  // namespace tilery
