#include "ir/support/text_width.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace tilery {
namespace {

constexpr int kTabStop = 4;

struct CodePoint {
  char32_t value = 0;
  /// Bytes in the text; 0 if they are no UTF-8.
  std::uint32_t bytes = 0;
};

/// The first code point of a text that is not empty.
CodePoint first_code_point(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) {
    return {lead, 1};
  }
  const std::uint32_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < bytes) {
    return {};
  }
  char32_t value = lead & (0x7FU >> bytes);
  for (std::uint32_t i = 1; i < bytes; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xC0U) != 0x80) {
      return {};
    }
    value = value << 6 | (next & 0x3FU);
  }
  constexpr char32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  return value < kSmallest[bytes] || value > 0x10FFFF || surrogate ? CodePoint()
                                                                   : CodePoint{value, bytes};
}

struct Range {
  char32_t first;
  char32_t last;
};

bool in_ranges(const Range* begin, const Range* end, char32_t c) {
  const Range* range = std::lower_bound(
      begin, end, c, [](const Range& r, char32_t value) { return r.last < value; });
  return range != end && range->first <= c;
}

/// Controls, and what moves or hides other characters (Unicode's Cc, and the Cf that a source has
/// no business with).
bool is_hidden(char32_t c) {
  static constexpr Range kRanges[] = {
      {0x00, 0x1F},     {0x7F, 0x9F},     {0xAD, 0xAD},     {0x61C, 0x61C},   {0x200B, 0x200F},
      {0x2028, 0x202E}, {0x2060, 0x206F}, {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB}, {0xE0000, 0xE007F},
  };
  return in_ranges(std::begin(kRanges), std::end(kRanges), c);
}

/// Combining marks of the common scripts: no column of their own.
bool is_combining(char32_t c) {
  static constexpr Range kRanges[] = {
      {0x300, 0x36F},   {0x483, 0x489},   {0x591, 0x5BD},   {0x610, 0x61A},
      {0x64B, 0x65F},   {0x900, 0x902},   {0x93C, 0x93C},   {0x941, 0x948},
      {0xE31, 0xE31},   {0xE34, 0xE3A},   {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF},
      {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0xE0100, 0xE01EF},
  };
  return in_ranges(std::begin(kRanges), std::end(kRanges), c);
}

/// East Asian Wide and Fullwidth, and pictographs (Unicode Annex 11, block by block).
bool is_wide(char32_t c) {
  static constexpr Range kRanges[] = {
      {0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0x33FF},   {0x3400, 0x4DBF},
      {0x4E00, 0x9FFF},   {0xA000, 0xA4CF},   {0xA960, 0xA97F},   {0xAC00, 0xD7A3},
      {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},
      {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD},
  };
  return in_ranges(std::begin(kRanges), std::end(kRanges), c);
}

int width_of(char32_t c) {
  if (is_combining(c)) {
    return 0;
  }
  return is_wide(c) ? 2 : 1;
}

std::string escaped(char32_t c) {
  const auto value = static_cast<std::uint32_t>(c);
  if (value < 0x100) {
    return fmt::format("\\x{:02x}", value);
  }
  return value < 0x10000 ? fmt::format("\\u{:04x}", value) : fmt::format("\\U{:08x}", value);
}

}  // namespace

std::vector<TextCell> text_cells(std::string_view line) {
  std::vector<TextCell> cells;
  cells.reserve(line.size());
  int column = 0;
  for (std::size_t i = 0; i < line.size();) {
    const CodePoint point = first_code_point(line.substr(i));
    const std::size_t bytes = std::max(point.bytes, 1U);
    TextCell cell{static_cast<std::uint32_t>(i), 0, {}};
    if (line[i] == '\t') {
      cell.text.assign(static_cast<std::size_t>(kTabStop - column % kTabStop), ' ');
      cell.width = static_cast<int>(cell.text.size());
    } else if (point.bytes == 0 || is_hidden(point.value)) {
      cell.text = escaped(point.bytes == 0 ? static_cast<unsigned char>(line[i]) : point.value);
      cell.width = static_cast<int>(cell.text.size());
    } else {
      cell.text = line.substr(i, bytes);
      cell.width = width_of(point.value);
    }
    column += cell.width;
    cells.push_back(std::move(cell));
    i += bytes;
  }
  return cells;
}

std::string printable(std::string_view text) {
  const bool plain = std::ranges::all_of(text, [](char c) { return c >= ' ' && c < 0x7F; });
  if (plain) {
    return std::string(text);
  }
  std::string result;
  for (const TextCell& cell : text_cells(text)) {
    result += cell.text;
  }
  return result;
}

}  // namespace tilery
