// Source texts and places in them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tilery {

/// Index of a file in a SourceMap.
using FileId = std::uint32_t;

/// A half-open range of bytes in one source file. `begin == end` marks a point. The default value
/// is "nowhere" (is_valid() is false), used for things that no source text caused.
struct SourceRange {
  static constexpr FileId kNoFile = 0xFFFFFFFFU;

  FileId file = kNoFile;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  [[nodiscard]] bool is_valid() const { return file != kNoFile; }

  friend bool operator==(const SourceRange&, const SourceRange&) = default;
};

/// A position for people: both numbers count from 1; `column` counts bytes. `line` includes the
/// file's first_line, so a kernel cut out of a larger file reports that file's line numbers.
struct LineColumn {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

/// One text with the name and the line number that it should be reported under.
struct SourceFile {
  std::string name;
  std::uint32_t first_line = 1;
  std::string text;
  std::vector<std::uint32_t> line_starts;
};

/// All source texts of one library; owns them. Ids stay valid for its lifetime.
class SourceMap {
 public:
  /// Takes the text as it is (BOM and CRLF included, so that offsets are the file's own). The first
  /// line starts after a BOM. A line ends with LF, CRLF or a lone CR.
  FileId add(std::string name, std::uint32_t first_line, std::string text);

  [[nodiscard]] const SourceFile& file(FileId id) const { return files_[id]; }

  [[nodiscard]] std::size_t size() const { return files_.size(); }

  [[nodiscard]] LineColumn line_column(FileId id, std::uint32_t offset) const;
  /// The text of a line (counted as in LineColumn), without its line end.
  [[nodiscard]] std::string_view line_text(FileId id, std::uint32_t line) const;
  [[nodiscard]] std::string_view text(SourceRange range) const;

 private:
  std::vector<SourceFile> files_;
};

}  // namespace tilery
