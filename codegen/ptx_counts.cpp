#include "codegen/ptx_counts.h"

#include <algorithm>
#include <charconv>
#include <vector>

namespace tilery::codegen {
namespace {

std::string_view without_blanks(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) {
      return parts;
    }
    text.remove_prefix(at + 1);
  }
}

int number_in(std::string_view text) {
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

bool has(const std::vector<std::string_view>& parts, std::string_view part) {
  for (const std::string_view p : parts) {
    if (p == part) {
      return true;
    }
  }
  return false;
}

/// Of "ld.global.v4.b32": 16.
int bytes_moved(const std::vector<std::string_view>& parts) {
  int vector = 1;
  for (const std::string_view part : parts) {
    if (part.size() == 2 && part[0] == 'v') {
      vector = number_in(part.substr(1));
    }
  }
  const std::string_view type = parts.back();
  return vector * number_in(type.substr(type.find_first_of("0123456789"))) / 8;
}

/// Of "[%r1], [%rd2], 16, %r3": the third operand.
int bytes_copied(std::string_view operands) {
  const std::vector<std::string_view> list = split(operands, ',');
  return list.size() < 3 ? 0 : number_in(without_blanks(list[2]));
}

void count(std::string_view instruction, PtxCounts& counts) {
  const std::size_t end = instruction.find_first_of(" \t;");
  const std::vector<std::string_view> parts = split(instruction.substr(0, end), '.');
  const std::string_view op = parts.front();
  const bool is_global = has(parts, "global");
  const bool is_shared = has(parts, "shared");
  if (op == "cp" && has(parts, "async") && is_shared && is_global) {
    ++counts.copies[bytes_copied(instruction.substr(end))];
  } else if (op == "ld" && is_global) {
    ++counts.loads[bytes_moved(parts)];
  } else if (op == "st" && is_global) {
    ++counts.stores[bytes_moved(parts)];
  } else if ((op == "ld" && is_shared) || op == "ldmatrix") {
    ++counts.shared_loads;
  } else if ((op == "st" && is_shared) || op == "stmatrix") {
    ++counts.shared_stores;
  } else if (op == "shfl") {
    ++counts.shuffles;
  } else if (op == "redux") {
    ++counts.warp_folds;
  } else if (op == "bar" || op == "barrier") {
    counts.barriers += has(parts, "warp") ? 0 : 1;
  } else if (op == "mma" || op == "wgmma") {
    counts.matrix += has(parts, "sync") || has(parts, "mma_async") ? 1 : 0;
  }
}

/// The bytes that LLVM's string escapes stand for: `\\`, and `\303` for what is not ASCII.
std::string without_escapes(std::string_view text) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      bytes += text[i];
    } else if (i + 3 < text.size() && text[i + 1] >= '0' && text[i + 1] <= '3') {
      bytes += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 +
                                 (text[i + 3] - '0'));
      i += 3;
    } else {
      bytes += text[++i];
    }
  }
  return bytes;
}

/// `.file 1 "name"`, `.loc 1 14 9`: where the instructions that follow come from.
class Places {
 public:
  void read_file(std::string_view line) {
    const std::size_t quote = line.find('"');
    if (quote != std::string_view::npos) {
      const std::string_view name = line.substr(quote + 1);
      names_[number_in(without_blanks(line.substr(5)))] =
          without_escapes(name.substr(0, name.find('"')));
    }
  }

  void read_loc(std::string_view line) {
    const std::string_view numbers = without_blanks(line.substr(4));
    const std::size_t blank = numbers.find_first_of(" \t");
    if (blank != std::string_view::npos) {
      file_ = number_in(numbers.substr(0, blank));
      line_ = number_in(without_blanks(numbers.substr(blank)));
    }
  }

  /// By number: the files may be named at the end of the text.
  [[nodiscard]] std::pair<int, int> here() const { return {file_, line_}; }

  [[nodiscard]] std::string name(int file) const {
    const auto found = names_.find(file);
    return found == names_.end() ? std::string() : found->second;
  }

 private:
  std::map<int, std::string> names_;
  int file_ = 0;
  int line_ = 0;
};

void add(std::map<int, int>& to, const std::map<int, int>& from) {
  for (const auto& [bytes, number] : from) {
    to[bytes] += number;
  }
}

}  // namespace

PtxCounts& PtxCounts::operator+=(const PtxCounts& other) {
  add(loads, other.loads);
  add(stores, other.stores);
  add(copies, other.copies);
  shared_loads += other.shared_loads;
  shared_stores += other.shared_stores;
  shuffles += other.shuffles;
  warp_folds += other.warp_folds;
  barriers += other.barriers;
  matrix += other.matrix;
  return *this;
}

std::map<PtxPlace, PtxCounts> count_ptx_by_line(std::string_view ptx) {
  Places places;
  std::map<std::pair<int, int>, PtxCounts> numbered;
  for (std::string_view line : split(ptx, '\n')) {
    line = without_blanks(line);
    if (line.starts_with(".file")) {
      places.read_file(line);
    } else if (line.starts_with(".loc")) {
      places.read_loc(line);
    } else if (!line.empty() && line[0] != '.' && line[0] != '/') {
      if (line[0] == '@') {
        line = without_blanks(line.substr(std::min(line.find_first_of(" \t"), line.size())));
      }
      if (line.empty()) {
        continue;
      }
      PtxCounts counts;
      count(line, counts);
      if (counts != PtxCounts{}) {
        numbered[places.here()] += counts;
      }
    }
  }
  std::map<PtxPlace, PtxCounts> result;
  for (const auto& [place, counts] : numbered) {
    result[{places.name(place.first), place.second}] += counts;
  }
  return result;
}

PtxCounts count_ptx(std::string_view ptx) {
  PtxCounts all;
  for (const auto& [place, counts] : count_ptx_by_line(ptx)) {
    all += counts;
  }
  return all;
}

}  // namespace tilery::codegen
