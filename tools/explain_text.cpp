// First what holds for the whole kernel, then each source line with what it became:
//
//      14 |     x = tl.load(x_ptr + row * stride_row + cols, mask=in_row)
//         |       row * stride_row             i32
//         |       x = tl.load(…)               f32[1024]
//         |       load of x_ptr: 4 bytes at once, 32 times a thread; a warp touches 4 sectors of 4
//         |         narrow: `stride_row` is not known to be a multiple of 16, …
//         |         help: a multiple of 16 as `stride_row` (pad the array)
//         |       code: 32 loads of 4 bytes
#include "tools/explain_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace tilery::tools {

namespace {

using LineKey = std::pair<std::string, int>;

std::string plural(std::int64_t count, std::string_view word) {
  if (count != 1 && word.ends_with('y')) {
    return fmt::format("{} {}ies", count, word.substr(0, word.size() - 1));
  }
  return fmt::format("{} {}{}", count, word, count == 1 ? "" : "s");
}

/// An expression on one line, cut where it gets long.
std::string short_text(const std::string& text) {
  constexpr std::size_t kMost = 52;
  std::string flat;
  for (const char c : text) {
    const bool is_blank = c == '\n' || c == '\r' || c == '\t' || c == ' ';
    if (!is_blank) {
      flat += c;
    } else if (!flat.empty() && flat.back() != ' ') {
      flat += ' ';
    }
  }
  if (flat.size() <= kMost) {
    return flat;
  }
  std::size_t end = kMost - 1;
  // Not inside a character of several bytes.
  while (end > 0 && (static_cast<unsigned char>(flat[end]) & 0xC0U) == 0x80U) {
    --end;
  }
  return flat.substr(0, end) + "…";
}

std::string value_text(const ExplainedValue& value) {
  const std::string text =
      short_text(value.variable.empty() || value.text.starts_with(value.variable)
                     ? value.text
                     : value.variable + " = " + value.text);
  return fmt::format("{:<54} {}{}", text, value.type,
                     value.constant.empty() ? std::string() : " = " + value.constant);
}

std::vector<std::string> access_text(const ExplainedAccess& a) {
  std::string text = access_name(a.kind);
  if (!a.arguments.empty()) {
    text += fmt::format(" of {}", fmt::join(a.arguments, ", "));
  }
  text += fmt::format(": {} at once, {} a thread{}", plural(a.bytes_at_once, "byte"),
                      a.instructions == 1 ? "once" : fmt::format("{} times", a.instructions),
                      a.is_masked ? ", masked" : "");
  if (a.sectors != 0) {
    text += fmt::format("; a warp touches {}{}", plural(a.sectors, "sector"),
                        a.sectors > a.sectors_at_least
                            ? fmt::format(" where {} would do", a.sectors_at_least)
                            : std::string());
  }
  std::vector<std::string> lines{text};
  if (!a.why.empty()) {
    lines.push_back("  narrow: " + a.why);
  }
  if (!a.help.empty()) {
    lines.push_back("  help: " + a.help);
  }
  return lines;
}

std::vector<std::string> step_text(const ExplainedStep& s) {
  std::vector<std::string> lines{fmt::format(
      "{}: {}{}", s.kind, s.how,
      s.shared_bytes == 0 ? std::string()
                          : fmt::format(" ({} bytes of shared memory)", s.shared_bytes))};
  if (!s.why.empty()) {
    lines.push_back("  because: " + s.why);
  }
  if (!s.help.empty()) {
    lines.push_back("  help: " + s.help);
  }
  return lines;
}

std::string instructions_text(const GpuInstructions& i) {
  std::vector<std::string> parts;
  const auto widths = [&](const std::map<int, int>& counts, std::string_view word) {
    for (const auto& [bytes, number] : counts) {
      parts.push_back(fmt::format("{} of {}", plural(number, word), plural(bytes, "byte")));
    }
  };
  const auto one = [&](int count, std::string_view word) {
    if (count != 0) {
      parts.push_back(plural(count, word));
    }
  };
  widths(i.loads, "load");
  widths(i.stores, "store");
  widths(i.copies, "async copy");
  one(i.shared_loads, "shared load");
  one(i.shared_stores, "shared store");
  one(i.shuffles, "shuffle");
  one(i.warp_folds, "warp fold");
  one(i.barriers, "barrier");
  one(i.matrix, "tensor-core instruction");
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string argument_text(const ExplainedArgument& a) {
  std::vector<std::string> facts;
  if (a.divisible_by_16) {
    facts.emplace_back(a.type.starts_with('*') ? "aligned to 16 bytes" : "a multiple of 16");
  }
  if (a.equals_1) {
    facts.emplace_back("1");
  }
  if (a.is_read || a.is_written) {
    facts.emplace_back(!a.is_written ? "read" : a.is_read ? "read and written" : "written");
  }
  return fmt::format("  {:<16} {}{}{}\n", a.name, a.type, facts.empty() ? "" : ": ",
                     fmt::join(facts, ", "));
}

std::string memory_text(const Resources& resources) {
  if (resources.local_bytes) {
    return fmt::format("{} bytes of local memory", *resources.local_bytes);
  }
  return resources.spill_bytes == 0 ? "none spilled"
                                    : fmt::format("{} bytes spilled", *resources.spill_bytes);
}

std::string head_text(const KernelExplanation& e, const std::optional<Resources>& resources,
                      const Kernel& kernel) {
  std::string text = fmt::format("{} for {}\n", kernel.name(), e.code.target);
  text += fmt::format("  num_warps        {}: {}\n", e.code.num_warps, e.num_warps_reason);
  text += fmt::format("  shared memory    {} bytes\n", e.code.shared_bytes);
  if (resources) {
    text += fmt::format(
        "  registers        {} a thread, {} ({})\n"
        "  occupancy        {} on a multiprocessor, {} of {} warps; {} allow no more\n",
        resources->registers, memory_text(*resources), resources->source,
        plural(resources->blocks, "block"), resources->warps, resources->most_warps,
        resources->limit);
  } else {
    text += "  registers        not known: there is no ptxas; --on cuda asks the driver\n";
  }
  for (std::size_t i = 0; i < e.code.notes.size(); ++i) {
    const std::string& note = e.code.notes[i];
    // The others stand at their lines.
    if (i < e.code.option_notes || note.find(" raised from ") != std::string::npos) {
      text += fmt::format("  note             {}\n", note);
    }
  }
  text += "\narguments\n";
  for (const ExplainedArgument& a : e.arguments) {
    text += argument_text(a);
  }
  return text;
}

/// What is to be shown below each source line.
class Lines {
 public:
  explicit Lines(const KernelExplanation& e) {
    for (const ExplainedValue& v : e.values) {
      at(v.place).push_back(value_text(v));
    }
    for (const ExplainedAccess& a : e.accesses) {
      add(a.place, access_text(a));
    }
    for (const ExplainedStep& s : e.steps) {
      add(s.place, step_text(s));
    }
    for (const ExplainedLine& l : e.lines) {
      if (l.line != 0) {
        lines_[{l.file, l.line}].push_back("code: " + instructions_text(l.instructions));
      } else {
        nowhere_ = instructions_text(l.instructions);
      }
    }
  }

  [[nodiscard]] std::string text(const Kernel& kernel) const {
    std::string text;
    std::string file;
    for (const auto& [key, below] : lines_) {
      if (key.first != file) {
        file = key.first;
        text += fmt::format("\n{}\n", file);
      }
      text += fmt::format("{:5} | {}\n", key.second, source_line(kernel, key.first, key.second));
      for (const std::string& line : below) {
        text += fmt::format("      |       {}\n", line);
      }
    }
    if (!nowhere_.empty()) {
      text += fmt::format("\nof no line: {}\n", nowhere_);
    }
    return text;
  }

 private:
  std::vector<std::string>& at(const Place& place) {
    return lines_[{place.file, static_cast<int>(place.line)}];
  }

  void add(const Place& place, const std::vector<std::string>& texts) {
    std::vector<std::string>& lines = at(place);
    lines.insert(lines.end(), texts.begin(), texts.end());
  }

  std::map<LineKey, std::vector<std::string>> lines_;
  std::string nowhere_;
};

}  // namespace

const char* access_name(ExplainedAccess::Kind kind) {
  switch (kind) {
    case ExplainedAccess::Kind::Load:
      return "load";
    case ExplainedAccess::Kind::Store:
      return "store";
    case ExplainedAccess::Kind::AsyncCopy:
      return "async copy";
  }
  return "";
}

std::string explanation_text(const KernelExplanation& explanation,
                             const std::optional<Resources>& resources, const Kernel& kernel) {
  return head_text(explanation, resources, kernel) + Lines(explanation).text(kernel);
}

}  // namespace tilery::tools
