#include "ir/support/diagnostic.h"

#include "ir/support/text_width.h"

#include <algorithm>
#include <array>

namespace tilery {
namespace {

struct Row {
  std::string_view name;
  Severity severity;
  std::string_view format;
};

constexpr Row kRows[] = {
#define TILERY_DIAGNOSTIC(id, severity, format) {#id, Severity::severity, format},
#include "ir/support/diagnostics.def"
};

const Row& row(DiagId id) {
  return kRows[static_cast<std::size_t>(id)];
}

constexpr std::string_view kBold = "\x1b[1m";
constexpr std::string_view kGreen = "\x1b[1;32m";
constexpr std::string_view kReset = "\x1b[0m";

std::string_view severity_word(Severity severity) {
  switch (severity) {
    case Severity::Note:
      return "note";
    case Severity::Warning:
      return "warning";
    case Severity::Error:
      return "error";
  }
  return {};
}

std::string_view severity_color(Severity severity) {
  switch (severity) {
    case Severity::Note:
      return "\x1b[1;36m";
    case Severity::Warning:
      return "\x1b[1;35m";
    case Severity::Error:
      return "\x1b[1;31m";
  }
  return {};
}

/// A character of the shown line and what stands under it.
struct MarkedCell {
  TextCell cell;
  char mark = ' ';
};

/// Writes one diagnostic.
class Renderer {
 public:
  Renderer(const Diagnostic& diagnostic, const SourceMap& sources, const RenderOptions& options)
      : diagnostic_(diagnostic), sources_(sources), options_(options) {}

  std::string run() {
    write_head();
    write_labels([this](const DiagnosticLabel& label) { return is_before_main_line(label); });
    if (diagnostic_.range.is_valid()) {
      write_source(diagnostic_.range, '^', same_line_labels());
    }
    write_labels([this](const DiagnosticLabel& label) {
      return !is_before_main_line(label) && !is_on_main_line(label);
    });
    write_labels_without_place();
    for (const DiagnosticNote& note : diagnostic_.notes) {
      write_remark("note: ", note.text, note.range);
    }
    if (!diagnostic_.help.empty()) {
      write_remark("help: ", diagnostic_.help, {});
    }
    for (const DiagnosticNote& call : diagnostic_.calls) {
      write_remark("called from ", call.text.empty() ? "" : fmt::format("`{}`", call.text),
                   call.range);
    }
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::string colored(std::string_view color, std::string_view text) const {
    return options_.color ? fmt::format("{}{}{}", color, text, kReset) : std::string(text);
  }

  [[nodiscard]] LineColumn position(SourceRange range) const {
    return sources_.line_column(range.file, range.begin);
  }

  /// "file.tl:12:13"
  [[nodiscard]] std::string place(SourceRange range) const {
    const LineColumn at = position(range);
    return fmt::format("{}:{}:{}", printable(sources_.file(range.file).name), at.line, at.column);
  }

  void write_head() {
    if (diagnostic_.range.is_valid()) {
      out_ += colored(kBold, fmt::format("{}:", place(diagnostic_.range)));
      out_ += ' ';
    }
    const Severity severity = diagnostic_.severity;
    const std::string tag =
        diagnostic_.tag.empty() ? std::string() : fmt::format("[{}]", diagnostic_.tag);
    out_ += colored(severity_color(severity), fmt::format("{}{}:", severity_word(severity), tag));
    out_ += fmt::format(" {}\n", colored(kBold, printable(diagnostic_.message)));
  }

  [[nodiscard]] bool is_on_main_line(const DiagnosticLabel& label) const {
    return !label.range.is_valid() ||
           (diagnostic_.range.is_valid() && label.range.file == diagnostic_.range.file &&
            position(label.range).line == position(diagnostic_.range).line);
  }

  [[nodiscard]] std::vector<DiagnosticLabel> same_line_labels() const {
    std::vector<DiagnosticLabel> labels;
    std::ranges::copy_if(diagnostic_.labels, std::back_inserter(labels),
                         [this](const DiagnosticLabel& label) { return is_on_main_line(label); });
    return labels;
  }

  /// Source is shown in its own order, as far as it comes from one file.
  [[nodiscard]] bool is_before_main_line(const DiagnosticLabel& label) const {
    return !is_on_main_line(label) && diagnostic_.range.is_valid() &&
           label.range.file == diagnostic_.range.file &&
           position(label.range).line < position(diagnostic_.range).line;
  }

  /// The labels on lines of their own that are wanted.
  template <class IsWanted>
  void write_labels(IsWanted is_wanted) {
    for (const DiagnosticLabel& label : diagnostic_.labels) {
      if (is_wanted(label)) {
        write_source(label.range, '~', {{label.range, label.text}});
      }
    }
  }

  void write_labels_without_place() {
    for (const DiagnosticLabel& label : diagnostic_.labels) {
      if (is_on_main_line(label) && !diagnostic_.range.is_valid()) {
        write_remark("note: ", label.text, {});
      }
    }
  }

  /// The source line of `range` with marks under it and the labels' texts behind them.
  void write_source(SourceRange range, char mark, const std::vector<DiagnosticLabel>& labels) {
    const std::uint32_t line = position(range).line;
    std::vector<MarkedCell> cells;
    for (TextCell& cell : text_cells(sources_.line_text(range.file, line))) {
      cells.push_back({std::move(cell)});
    }
    // One more for a place at the end of the line.
    const auto length = static_cast<std::uint32_t>(sources_.line_text(range.file, line).size());
    cells.push_back({{length, 1, " "}});
    for (const DiagnosticLabel& label : labels) {
      if (label.range.is_valid()) {
        set_marks(cells, label.range, '~');
      }
    }
    const std::size_t first = set_marks(cells, range, mark);
    std::string text;
    std::string marks;
    write_window(cells, first, text, marks);
    out_ += fmt::format("{:>5} | {}\n", line, text);
    out_ += fmt::format("{:>5} | {}{}\n", "", colored(kGreen, marks), joined_texts(labels));
  }

  /// Marks the part of `range` that lies on the line; at least one cell. Returns the first one.
  std::size_t set_marks(std::vector<MarkedCell>& cells, SourceRange range, char mark) const {
    const std::uint32_t begin = position(range).column - 1;
    const std::uint32_t end = begin + std::max(range.end - range.begin, 1U);
    std::size_t first = cells.size() - 1;
    for (std::size_t i = cells.size(); i-- > 0;) {
      // The cell that contains `begin` counts, too: a range may start inside a character.
      const std::uint32_t next = i + 1 < cells.size() ? cells[i + 1].cell.offset : UINT32_MAX;
      const bool is_end = i + 1 == cells.size();
      if (next > begin && cells[i].cell.offset < end &&
          (!is_end || begin >= cells[i].cell.offset)) {
        cells[i].mark = mark;
        first = i;
      }
    }
    return first;
  }

  /// The cells as text and marks; of a very long line only a window around the cell `first`.
  static void write_window(const std::vector<MarkedCell>& cells, std::size_t first,
                           std::string& text, std::string& marks) {
    constexpr int kMaxColumns = 160;
    constexpr int kBefore = 60;
    std::size_t begin = first;
    for (int columns = 0; begin > 0 && columns < kBefore; --begin) {
      columns += cells[begin - 1].cell.width;
    }
    int total = 0;
    for (const MarkedCell& cell : cells) {
      total += cell.cell.width;
    }
    if (total <= kMaxColumns) {
      begin = 0;
    }
    if (begin > 0) {
      text += "…";
      marks += " ";
    }
    int columns = 0;
    std::size_t i = begin;
    for (; i < cells.size() && columns < kMaxColumns; ++i) {
      text += cells[i].cell.text;
      marks.append(static_cast<std::size_t>(cells[i].cell.width), cells[i].mark);
      columns += cells[i].cell.width;
    }
    if (i < cells.size()) {
      text += "…";
    }
    text.erase(text.find_last_not_of(' ') + 1);
    marks.erase(marks.find_last_not_of(' ') + 1);
  }

  static std::string joined_texts(const std::vector<DiagnosticLabel>& labels) {
    std::string text;
    for (const DiagnosticLabel& label : labels) {
      if (!label.text.empty()) {
        text += (text.empty() ? "   " : ", ") + printable(label.text);
      }
    }
    return text;
  }

  void write_remark(std::string_view word, std::string_view text, SourceRange range) {
    out_ += fmt::format("{:>5} |  {}{}", "", word, printable(text));
    if (range.is_valid()) {
      out_ += (text.empty() ? "" : " at ") + place(range);
    }
    out_ += "\n";
  }

  const Diagnostic& diagnostic_;
  const SourceMap& sources_;
  const RenderOptions& options_;
  std::string out_;
};

}  // namespace

std::string_view diagnostic_name(DiagId id) {
  return row(id).name;
}

Severity diagnostic_severity(DiagId id) {
  return row(id).severity;
}

std::string_view diagnostic_format(DiagId id) {
  return row(id).format;
}

std::size_t diagnostic_count() {
  return std::size(kRows);
}

void Diagnostics::append(const Diagnostics& other) {
  list_.insert(list_.end(), other.list_.begin(), other.list_.end());
  error_count_ += other.error_count_;
}

Diagnostic& Diagnostics::add(DiagId id, SourceRange range, std::string message) {
  Diagnostic diagnostic;
  diagnostic.id = id;
  diagnostic.severity = diagnostic_severity(id);
  diagnostic.range = range;
  diagnostic.message = std::move(message);
  error_count_ += diagnostic.severity == Severity::Error ? 1 : 0;
  list_.push_back(std::move(diagnostic));
  return list_.back();
}

std::string render(const Diagnostic& diagnostic, const SourceMap& sources,
                   const RenderOptions& options) {
  return Renderer(diagnostic, sources, options).run();
}

}  // namespace tilery
