#include "runtime/imports.h"

#include "frontend/parser.h"
#include "runtime/read_file.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>
#include <vector>

namespace tilery {

namespace {

namespace fs = std::filesystem;

/// A module that a text names, such as `helpers` or `a.b`.
std::set<std::string> imported_modules(const std::string& path, const std::string& text) {
  // Most kernel files import nothing but triton: look before parsing twice.
  if (text.find("import") == std::string::npos) {
    return {};
  }
  SourceMap sources;
  Diagnostics ignored;
  const FileId file = sources.add(path, 1, text);
  const std::optional<ast::Module> module = parse(sources, file, module_kind(path), ignored);
  std::set<std::string> names;
  if (!module) {
    return names;
  }
  for (const ast::Stmt& stmt : module->stmts) {
    const auto* import = std::get_if<ast::Import>(&stmt.data);
    if (import == nullptr) {
      continue;
    }
    if (import->is_from && !import->module.empty()) {
      names.insert(import->module);
    }
    for (const ast::ImportedName& name : import->names) {
      if (!import->is_from || import->module.empty()) {
        names.insert(name.name);
      }
    }
  }
  return names;
}

/// The file of a module beside `folder`, or empty.
fs::path neighbour(const fs::path& folder, std::string module) {
  if (module.find('/') != std::string::npos || module.starts_with('.')) {
    return {};
  }
  std::ranges::replace(module, '.', '/');
  for (const char* extension : {".tl", ".py"}) {
    const fs::path path = folder / (module + extension);
    std::error_code error;
    if (fs::is_regular_file(path, error)) {
      return path;
    }
  }
  return {};
}

/// Follows imports from file to file.
class NeighbourReader {
 public:
  std::optional<Error> add(const fs::path& path, const std::string& text,
                           Environment& environment) {
    open_.push_back(path.lexically_normal());
    std::optional<Error> error;
    for (const std::string& module : imported_modules(path.string(), text)) {
      const bool is_given = std::ranges::any_of(
          environment.imports, [&](const auto& import) { return import.first == module; });
      if (!is_given && !error) {
        error = add_module(neighbour(path.parent_path(), module), module, environment);
      }
    }
    open_.pop_back();
    return error;
  }

 private:
  std::optional<Error> add_module(const fs::path& path, const std::string& module,
                                  Environment& environment) {
    const bool is_open = std::ranges::find(open_, path.lexically_normal()) != open_.end();
    if (path.empty() || is_open || open_.size() > kMaxDepth) {
      return std::nullopt;
    }
    Result<std::string> text = read_source_file(path.string());
    if (!text) {
      return text.error();
    }
    Environment own;
    if (std::optional<Error> error = add(path, *text, own)) {
      return error;
    }
    Result<Library> library = Library::parse({path.string(), 1, *std::move(text)}, own);
    if (!library) {
      return library.error();
    }
    environment.imports.emplace_back(module, *library);
    return std::nullopt;
  }

  static constexpr std::size_t kMaxDepth = 32;

  std::vector<fs::path> open_;
};

/// The module-level function of that name, with its whole range.
const ast::Stmt* find_function(const ast::Module& module, std::string_view name) {
  const ast::Stmt* found = nullptr;
  for (const ast::StmtId id : module.body) {
    const auto* def = module.as<ast::FunctionDef>(id);
    if (def != nullptr && def->name == name) {
      found = &module[id];
    }
  }
  return found;
}

bool is_within(SourceRange inner, SourceRange outer) {
  return inner.file == outer.file && inner.begin >= outer.begin && inner.end <= outer.end;
}

}  // namespace

std::optional<Error> add_neighbours(const std::string& path, const std::string& text,
                                    Environment& environment) {
  return NeighbourReader().add(path, text, environment);
}

bool is_used_by_others(const ast::Module& module, std::string_view name) {
  std::vector<SourceRange> others;
  for (const ast::StmtId id : module.body) {
    const auto* def = module.as<ast::FunctionDef>(id);
    if (def != nullptr && def->name != name && (!module.is_python || !def->decorators.empty())) {
      others.push_back(module[id].range);
    }
  }
  return std::ranges::any_of(module.exprs, [&](const ast::Expr& expr) {
    const auto* mention = std::get_if<ast::Name>(&expr.data);
    return mention != nullptr && mention->id == name &&
           std::ranges::any_of(others,
                               [&](SourceRange other) { return is_within(expr.range, other); });
  });
}

std::vector<Diagnostic> diagnostics_within(const ast::Module& module, std::string_view name,
                                           const Diagnostics& diagnostics) {
  std::vector<Diagnostic> result;
  const ast::Stmt* function = find_function(module, name);
  for (const Diagnostic& diagnostic : diagnostics.all()) {
    if (function != nullptr && is_within(diagnostic.range, function->range)) {
      result.push_back(diagnostic);
    }
  }
  return result;
}

}  // namespace tilery
