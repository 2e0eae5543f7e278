// The table of builtins: rows of builtins.def with their signatures read, and look-up by module and
// name.
#include "frontend/sema/builtins.h"

#include "ir/support/check.h"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>

namespace tilery::sema {
namespace {

enum class BuiltinKind : std::uint8_t { Function, Method, OnlyMethod };

struct Row {
  std::string_view modules;
  std::string_view name;
  BuiltinKind kind;
  std::string_view signature;
  BuiltinFn fn;
  std::string_view summary;
  std::string_view instead;
};

constexpr auto kRows = std::to_array<Row>({
#define TILERY_BUILTIN(modules, name, kind, signature, fn, summary) \
  {modules, name, BuiltinKind::kind, signature, &builtins::fn, summary, {}},
#define TILERY_LATER(modules, name, kind, signature, summary, instead) \
  {modules, name, BuiltinKind::kind, signature, nullptr, summary, instead},
#include "frontend/sema/builtins.def"
});

struct ModuleName {
  std::string_view short_name;  ///< as rows and messages write it
  std::string_view path;
};

/// Rows' short names first; the others are further ways to reach the same module.
constexpr std::array<ModuleName, 8> kModules{{
    {"tl", "triton.language"},
    {"tl.math", "triton.language.math"},
    {"tl.libdevice", "triton.language.extra.libdevice"},
    {"tl.cuda", "triton.language.extra.cuda"},
    {"tl.target_info", "triton.language.target_info"},
    {"triton", "triton"},
    {"math", "math"},
    {"dtype", "triton.language.dtype"},
}};

constexpr std::array<ModuleName, 7> kAliases{{
    {"triton.language.core", "triton.language"},
    {"triton.language.standard", "triton.language"},
    {"triton.language.random", "triton.language"},
    {"triton.language.libdevice", "triton.language.extra.libdevice"},
    {"triton.language.extra.cuda.libdevice", "triton.language.extra.libdevice"},
    {"triton.language.extra.hip.libdevice", "triton.language.extra.libdevice"},
    {"triton.language.extra.intel.libdevice", "triton.language.extra.libdevice"},
}};

std::string_view module_path(std::string_view short_name) {
  for (const ModuleName& module : kModules) {
    if (module.short_name == short_name) {
      return module.path;
    }
  }
  return short_name;
}

std::string_view canonical_module(std::string_view path) {
  for (const ModuleName& alias : kAliases) {
    if (alias.short_name == path) {
      return alias.path;
    }
  }
  return path;
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

/// The next parameter text of a signature, up to a comma outside brackets and quotes.
std::string_view next_parameter(std::string_view& rest) {
  int depth = 0;
  bool is_quoted = false;
  std::size_t end = 0;
  for (; end < rest.size(); ++end) {
    const char c = rest[end];
    is_quoted = c == '"' ? !is_quoted : is_quoted;
    depth += !is_quoted && c == '(' ? 1 : 0;
    depth -= !is_quoted && c == ')' ? 1 : 0;
    if (c == ',' && depth == 0 && !is_quoted) {
      break;
    }
  }
  const std::string_view parameter = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return trimmed(parameter);
}

std::vector<BuiltinParameter> read_signature(std::string_view signature) {
  std::string_view rest = trimmed(signature.substr(1, signature.size() - 2));
  std::vector<BuiltinParameter> parameters;
  while (!rest.empty()) {
    std::string_view text = next_parameter(rest);
    BuiltinParameter parameter;
    if (text.starts_with('*')) {
      parameter.is_variadic = true;
      text.remove_prefix(1);
    }
    const auto equals = text.find('=');
    parameter.name = text.substr(0, equals);
    if (equals != std::string_view::npos) {
      parameter.default_text = text.substr(equals + 1);
    }
    parameters.push_back(parameter);
  }
  return parameters;
}

Builtin read_row(const Row& row) {
  Builtin builtin;
  builtin.name = row.name;
  builtin.modules = row.modules;
  builtin.module = module_path(row.modules.substr(0, row.modules.find(' ')));
  builtin.is_method = row.kind != BuiltinKind::Function;
  builtin.is_function = row.kind != BuiltinKind::OnlyMethod;
  builtin.signature = row.signature;
  builtin.parameters = read_signature(row.signature);
  builtin.summary = row.summary;
  builtin.fn = row.fn;
  builtin.instead = row.instead;
  return builtin;
}

/// All builtins, and where to find them.
struct Table {
  std::vector<Builtin> builtins;
  std::unordered_map<std::string, const Builtin*> functions;  ///< by "module name"
  std::unordered_map<std::string_view, const Builtin*> methods;

  Table() {
    builtins.reserve(kRows.size());
    for (const Row& row : kRows) {
      builtins.push_back(read_row(row));
    }
    for (const Builtin& builtin : builtins) {
      add(builtin);
    }
  }

  void add(const Builtin& builtin) {
    if (builtin.is_method) {
      methods.emplace(builtin.name, &builtin);
    }
    std::string_view rest = builtin.is_function ? builtin.modules : std::string_view();
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(' '), rest.size());
      functions.emplace(key(module_path(rest.substr(0, end)), builtin.name), &builtin);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }

  static std::string key(std::string_view module, std::string_view name) {
    return fmt::format("{} {}", module, name);
  }
};

/// Insertions, deletions, replacements and exchanges of neighbours that make `a` of `b`.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  const std::size_t width = b.size() + 1;
  std::vector<std::size_t> distance((a.size() + 1) * width);
  const auto at = [&](std::size_t i, std::size_t j) -> std::size_t& {
    return distance[i * width + j];
  };
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        at(i, j) = i + j;
        continue;
      }
      const std::size_t replaced = at(i - 1, j - 1) + (a[i - 1] == b[j - 1] ? 0 : 1);
      at(i, j) = std::min({at(i - 1, j) + 1, at(i, j - 1) + 1, replaced});
      const bool is_exchange = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (is_exchange) {
        at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 1);
      }
    }
  }
  return distance.back();
}

const Table& table() {
  static const Table kTable;
  return kTable;
}

}  // namespace

const Builtin* find_builtin(std::string_view module, std::string_view name) {
  const auto& functions = table().functions;
  const std::string_view path = canonical_module(module);
  const auto found = functions.find(Table::key(path, name));
  if (found != functions.end()) {
    return found->second;
  }
  // tl.math was libdevice once.
  return path == "triton.language.math" ? find_builtin("triton.language.extra.libdevice", name)
                                        : nullptr;
}

const Builtin* find_method(std::string_view name) {
  const auto found = table().methods.find(name);
  return found != table().methods.end() ? found->second : nullptr;
}

std::span<const Builtin> all_builtins() {
  return table().builtins;
}

std::vector<std::string_view> builtin_names(std::string_view module) {
  const std::string_view path = canonical_module(module);
  std::vector<std::string_view> names;
  for (const Builtin& builtin : table().builtins) {
    if (find_builtin(path, builtin.name) == &builtin) {
      names.push_back(builtin.name);
    }
  }
  return names;
}

std::string display_name(const Builtin& builtin) {
  const std::string_view module = builtin.modules.substr(0, builtin.modules.find(' '));
  if (module == "builtins" || module == "dtype" || !builtin.is_function) {
    return std::string(builtin.name);
  }
  if (module == "tl.libdevice") {
    return fmt::format("libdevice.{}", builtin.name);
  }
  return fmt::format("{}.{}", module == "tl.cuda" ? "tl.extra.cuda" : module, builtin.name);
}

std::string closest_name(std::string_view name, std::span<const std::string_view> candidates) {
  // Of one or two letters every change makes another name.
  const std::size_t most = name.size() <= 2 ? 0 : name.size() / 3;
  std::string_view best;
  std::size_t best_distance = most + 1;
  for (const std::string_view candidate : candidates) {
    const std::size_t distance = edit_distance(name, candidate);
    // Of equals, letters that were exchanged rather than left out.
    const bool is_better = distance == best_distance && distance <= most &&
                           !std::ranges::is_permutation(best, name) &&
                           std::ranges::is_permutation(candidate, name);
    if (distance < best_distance || is_better) {
      best_distance = distance;
      best = candidate;
    }
  }
  return std::string(best);
}

}  // namespace tilery::sema
