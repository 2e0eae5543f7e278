// The table of `tilery bench`.
#include "tools/bench.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace tilery::tools {

namespace {

/// One column of the table: its head, and what stands in a row.
struct Column {
  std::string head;
  std::vector<std::string> cells;
};

std::string number(const std::optional<double>& value, double unit, int digits) {
  return value ? fmt::format("{:.{}f}", *value / unit, digits) : "-";
}

std::vector<Column> columns_of(const BenchReport& report) {
  std::vector<Column> columns;
  const auto add = [&](std::string head, auto cell) {
    Column column{std::move(head), {}};
    for (const BenchRow& row : report.rows) {
      column.cells.push_back(cell(row));
    }
    columns.push_back(std::move(column));
  };
  for (std::size_t i = 0; i < report.rows.front().choice.size(); ++i) {
    add(report.rows.front().choice[i].first,
        [i](const BenchRow& row) { return row.choice[i].second; });
  }
  const auto time = [](double BenchRow::* member) {
    return [member](const BenchRow& row) {
      return row.error.empty() ? fmt::format("{:.2f}", row.*member) : std::string("-");
    };
  };
  add("median us", time(&BenchRow::median));
  add("p20", time(&BenchRow::p20));
  add("p80", time(&BenchRow::p80));
  add("runs", [](const BenchRow& row) { return fmt::format("{}", row.runs); });
  constexpr double kGiga = 1e9;
  constexpr double kTera = 1e12;
  if (report.bytes) {
    add("GB/s", [](const BenchRow& row) { return number(row.bytes_per_second, kGiga, 1); });
  }
  if (report.copy && report.bytes) {
    add("of copy", [](const BenchRow& row) {
      return row.copy_share ? fmt::format("{:.1f} %", *row.copy_share * 100) : std::string("-");
    });
  }
  if (report.flops) {
    add("TFLOP/s", [](const BenchRow& row) { return number(row.flops_per_second, kTera, 3); });
  }
  if (report.rows.front().registers) {
    add("registers", [](const BenchRow& row) {
      return row.registers ? fmt::format("{}", *row.registers) : std::string("-");
    });
  }
  return columns;
}

/// What is wrong, without the help that follows.
std::string_view first_line(std::string_view error) {
  constexpr std::string_view kPrefix = "error: ";
  error = error.substr(0, error.find('\n'));
  return error.starts_with(kPrefix) ? error.substr(kPrefix.size()) : error;
}

std::string table_text(const BenchReport& report) {
  const std::vector<Column> columns = columns_of(report);
  std::vector<std::size_t> widths;
  for (const Column& column : columns) {
    std::size_t width = column.head.size();
    for (const std::string& cell : column.cells) {
      width = std::max(width, cell.size());
    }
    widths.push_back(width);
  }
  std::string text = "\n";
  const auto line = [&](auto cell) {
    for (std::size_t c = 0; c < columns.size(); ++c) {
      text += fmt::format("  {:>{}}", cell(columns[c]), widths[c]);
    }
  };
  line([](const Column& column) { return column.head; });
  text += "\n";
  for (std::size_t r = 0; r < report.rows.size(); ++r) {
    line([r](const Column& column) { return column.cells[r]; });
    const std::string& error = report.rows[r].error;
    if (!error.empty()) {
      text += fmt::format("  {}", first_line(error));
    } else if (report.rows[r].is_empty()) {
      text += "  nothing ran: an extent of the grid is 0";
    }
    text += "\n";
  }
  return text;
}

/// Which choice was the fastest, if there were several.
std::string fastest_text(const BenchReport& report) {
  const BenchRow* best = nullptr;
  for (const BenchRow& row : report.rows) {
    if (row.error.empty() && !row.is_empty() && (best == nullptr || row.median < best->median)) {
      best = &row;
    }
  }
  if (best == nullptr || report.rows.size() < 2) {
    return {};
  }
  std::vector<std::string> words;
  for (const auto& [name, value] : best->choice) {
    words.push_back(name + "=" + value);
  }
  return fmt::format("\n  fastest  {}\n", fmt::join(words, " "));
}

}  // namespace

std::string bench_text(const BenchReport& report) {
  std::string text =
      fmt::format("{} on {}\n  timing   {}\n", report.kernel, report.device, report.how);
  if (report.bytes) {
    text += fmt::format("  bytes    {}: {}\n", *report.bytes, report.bytes_how);
  }
  if (report.flops) {
    text += fmt::format("  flops    {}: {}\n", *report.flops, report.flops_how);
  }
  if (report.copy) {
    text += fmt::format(
        "  copy     {:.1f} GB/s: {} bytes by the driver, read and written, median of {}\n",
        report.copy->bytes_per_second / 1e9, report.copy->array_bytes, report.copy->runs);
  }
  if (!report.checked.empty()) {
    text += fmt::format("  checked  {}\n", report.checked);
  }
  text += table_text(report) + fastest_text(report);
  if (!report.flops_hint.empty()) {
    text += fmt::format("\n  {}\n", report.flops_hint);
  }
  return text;
}

}  // namespace tilery::tools
