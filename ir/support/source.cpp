#include "ir/support/source.h"

#include <algorithm>
#include <utility>

namespace tilery {
namespace {

/// Bytes of a byte order mark at the beginning of a text; it belongs to no line.
std::uint32_t byte_order_mark_size(std::string_view text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  return text.starts_with(kMark) ? kMark.size() : 0;
}

}  // namespace

FileId SourceMap::add(std::string name, std::uint32_t first_line, std::string text) {
  SourceFile file{std::move(name), first_line, std::move(text), {}};
  const std::string& t = file.text;
  file.line_starts.push_back(byte_order_mark_size(t));
  for (std::size_t i = 0; i < t.size(); ++i) {
    const bool lone_cr = t[i] == '\r' && (i + 1 == t.size() || t[i + 1] != '\n');
    if (t[i] == '\n' || lone_cr) {
      file.line_starts.push_back(static_cast<std::uint32_t>(i + 1));
    }
  }
  files_.push_back(std::move(file));
  return static_cast<FileId>(files_.size() - 1);
}

LineColumn SourceMap::line_column(FileId id, std::uint32_t offset) const {
  const SourceFile& file = files_[id];
  offset = std::max(offset, file.line_starts.front());
  const auto after = std::ranges::upper_bound(file.line_starts, offset);
  const auto line = static_cast<std::uint32_t>(after - file.line_starts.begin() - 1);
  return {file.first_line + line, offset - file.line_starts[line] + 1};
}

std::string_view SourceMap::line_text(FileId id, std::uint32_t line) const {
  const SourceFile& file = files_[id];
  if (line < file.first_line || line - file.first_line >= file.line_starts.size()) {
    return {};
  }
  const std::uint32_t index = line - file.first_line;
  const std::uint32_t begin = file.line_starts[index];
  const std::size_t end =
      index + 1 < file.line_starts.size() ? file.line_starts[index + 1] : file.text.size();
  std::string_view text = std::string_view(file.text).substr(begin, end - begin);
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) {
    text.remove_suffix(1);
  }
  return text;
}

std::string_view SourceMap::text(SourceRange range) const {
  if (!range.is_valid()) {
    return {};
  }
  return std::string_view(files_[range.file].text).substr(range.begin, range.end - range.begin);
}

}  // namespace tilery
