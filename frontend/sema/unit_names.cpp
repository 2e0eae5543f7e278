#include "frontend/sema/assigned_names.h"
#include "frontend/sema/names.h"
#include "frontend/sema/specializer.h"

#include <algorithm>

namespace tilery::sema {
namespace {

using Kind = ModuleName::Kind;

/// Modules that kernels see, and the path that builtins.def knows them by.
struct KnownModule {
  std::string_view path;
  std::string_view canonical;
};

constexpr KnownModule kKnownModules[] = {
    {"triton", "triton"},
    {"triton.language", "triton.language"},
    {"triton.language.core", "triton.language"},
    {"triton.language.standard", "triton.language"},
    {"triton.language.random", "triton.language"},
    {"triton.language.math", "triton.language.math"},
    {"triton.language.target_info", "triton.language.target_info"},
    {"triton.language.extra", "triton.language.extra"},
    {"triton.language.extra.cuda", "triton.language.extra.cuda"},
    {"triton.language.extra.libdevice", "triton.language.extra.libdevice"},
    {"triton.language.extra.cuda.libdevice", "triton.language.extra.libdevice"},
    {"math", "math"},
};

std::string_view last_part(const ast::Module& module, ast::ExprId expr) {
  if (const auto* call = module.as<ast::Call>(expr)) {
    return last_part(module, call->callee);
  }
  if (const auto* attribute = module.as<ast::Attribute>(expr)) {
    return attribute->name;
  }
  const auto* name = module.as<ast::Name>(expr);
  return name != nullptr ? std::string_view(name->id) : std::string_view();
}

}  // namespace

UnitNames::UnitNames(const Unit& unit) {
  for (std::size_t i = 0; i < unit.host_types.size(); ++i) {
    ModuleName entry;
    entry.kind = Kind::HostClass;
    entry.index = i;
    add(unit.host_types[i].name, std::move(entry));
  }
  for (std::size_t i = 0; i < unit.constants.size(); ++i) {
    ModuleName entry;
    entry.kind = Kind::HostConstant;
    entry.index = i;
    add(unit.constants[i].first, std::move(entry));
  }
  for (const ast::StmtId id : unit.module.body) {
    add_statement(unit.module, id);
  }
}

ModuleName* UnitNames::find(std::string_view name) {
  const auto found = names_.find(name);
  return found != names_.end() ? &found->second : nullptr;
}

std::vector<std::string_view> UnitNames::all() const {
  std::vector<std::string_view> result;
  result.reserve(names_.size());
  for (const auto& [name, entry] : names_) {
    result.push_back(name);
  }
  std::ranges::sort(result);
  return result;
}

void UnitNames::add(std::string_view name, ModuleName entry) {
  names_.insert_or_assign(name, std::move(entry));
}

void UnitNames::add_statement(const ast::Module& module, ast::StmtId id) {
  ModuleName entry;
  entry.stmt = id;
  entry.range = module[id].range;
  entry.kind = Kind::Constant;
  if (const auto* def = module.as<ast::FunctionDef>(id)) {
    entry.kind = Kind::Function;
    add(def->name, std::move(entry));
  } else if (const auto* assign = module.as<ast::Assign>(id)) {
    entry.value = assign->value;
    for (const ast::ExprId target : assign->targets) {
      std::vector<std::string_view> names;
      add_target_names(module, target, names);
      const bool is_name = module.as<ast::Name>(target) != nullptr;
      entry.kind = is_name ? Kind::Constant : Kind::Unpacked;
      for (std::size_t i = 0; i < names.size(); ++i) {
        entry.index = i;
        add(names[i], entry);
      }
    }
  } else if (const auto* annotated = module.as<ast::AnnotatedAssign>(id)) {
    const auto* name = module.as<ast::Name>(annotated->target);
    if (name != nullptr && annotated->value) {
      entry.value = annotated->value;
      entry.annotation = annotated->annotation;
      add(name->id, std::move(entry));
    }
  } else if (const auto* import = module.as<ast::Import>(id)) {
    add_import(*import, entry.range);
  }
}

void UnitNames::add_import(const ast::Import& import, SourceRange range) {
  const std::string source = std::string(import.level, '.') + import.module;
  for (const ast::ImportedName& imported : import.names) {
    ModuleName entry;
    entry.range = range;
    if (import.is_from && imported.name == "*") {
      star_imports_.push_back(source);
      continue;
    }
    const std::string_view bound = imported.alias.empty() ? imported.name : imported.alias;
    if (import.is_from) {
      entry.kind = Kind::Member;
      entry.module = source;
      entry.member = imported.name;
      add(bound, std::move(entry));
      continue;
    }
    // `import a.b` binds `a`; `import a.b as c` binds `c` to a.b.
    entry.kind = Kind::Module;
    const std::size_t first_dot = imported.name.find('.');
    const bool binds_first = imported.alias.empty() && first_dot != std::string::npos;
    entry.module = binds_first ? imported.name.substr(0, first_dot) : imported.name;
    add(bound.substr(0, binds_first ? first_dot : std::string_view::npos), std::move(entry));
  }
}

std::string_view canonical_module(std::string_view path) {
  const auto found = std::ranges::find(kKnownModules, path, &KnownModule::path);
  return found != std::end(kKnownModules) ? found->canonical : std::string_view();
}

bool is_package(const Unit& unit, std::string_view path) {
  return std::ranges::any_of(unit.imports, [&](const auto& imported) {
    return imported.first.starts_with(std::string(path) + ".");
  });
}

bool has_decorator(const ast::Module& module, const ast::FunctionDef& def, std::string_view name) {
  return std::ranges::any_of(def.decorators, [&](const ast::Decorator& decorator) {
    return last_part(module, decorator.value) == name;
  });
}

std::optional<ast::StmtId> find_function(const Unit& unit, std::string_view name) {
  std::optional<ast::StmtId> found;
  for (const ast::StmtId id : unit.module.body) {
    const auto* def = unit.module.as<ast::FunctionDef>(id);
    if (def != nullptr && def->name == name) {
      found = id;
    }
  }
  return found;
}

}  // namespace tilery::sema
