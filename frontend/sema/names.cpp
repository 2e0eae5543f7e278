#include "frontend/sema/names.h"

#include "frontend/sema/specializer.h"
#include "frontend/sema/tensor_ops.h"

#include <fmt/format.h>

#include <algorithm>

namespace tilery::sema {
namespace {

using Kind = ModuleName::Kind;
using Progress = ModuleName::Progress;

/// Names of a `.tl` file that no import has to bring in.
constexpr std::pair<std::string_view, std::string_view> kPredefined[] = {
    {"tl", "triton.language"},
    {"triton", "triton"},
    {"math", "math"},
    {"libdevice", "triton.language.extra.libdevice"},
};

const std::shared_ptr<const Unit>* imported_unit(const Unit& unit, std::string_view path) {
  const std::size_t dots = std::min(path.find_first_not_of('.'), path.size());
  for (const auto& [name, imported] : unit.imports) {
    if (name == path || name == path.substr(dots)) {
      return &imported;
    }
  }
  return nullptr;
}

std::string joined_path(const std::string& module, const std::string& member) {
  const bool is_relative = module.empty() || module.back() == '.';
  return is_relative ? module + member : module + "." + member;
}

/// "float16" and its like.
bool is_dtype_name(std::string_view name) {
  for (int i = 0; i < kScalarCount; ++i) {
    if (dtype_name(static_cast<Scalar>(i)) == name) {
      return true;
    }
  }
  return false;
}

/// Values that a kernel may read from the module level however they were made.
bool is_always_visible(const Value& value) {
  return !value.is_number() && !value.is<std::string>() && !value.is<TupleValue>();
}

/// What to write for a Python builtin that kernels do not have; empty for other names.
std::string_view instead_of_python(std::string_view name) {
  constexpr std::pair<std::string_view, std::string_view> kInstead[] = {
      {"round", "Python's `round` is not available: write `tl.floor(x + 0.5)`"},
      {"bool", "Python's `bool` is not available: write `x != 0`"},
      {"str", "Python's `str` is not available: an f-string holds compile-time values"},
      {"tuple", "Python's `tuple` is not available: write `(a, b)`"},
      {"enumerate",
       "Python's `enumerate` is not available: write `for i in tl.static_range(len(t))`"},
      {"zip", "Python's `zip` is not available: write `for i in tl.static_range(len(t))`"},
      {"reversed",
       "Python's `reversed` is not available: count down, `tl.static_range(n - 1, -1, -1)`"},
      {"any", "Python's `any` is not available: write `tl.max(x.to(tl.int32)) != 0`"},
      {"all", "Python's `all` is not available: write `tl.min(x.to(tl.int32)) != 0`"},
      {"pow", "Python's `pow` is not available: write `x * x`, or `tl.exp2(y * tl.log2(x))`"},
  };
  const auto* found = std::ranges::find(kInstead, name, [](const auto& p) { return p.first; });
  return found == std::end(kInstead) ? std::string_view() : found->second;
}

std::string_view python_kind(const Value& value) {
  if (value.is<bool>()) {
    return "bool";
  }
  if (value.is<BigInt>()) {
    return "int";
  }
  if (value.is<double>()) {
    return "float";
  }
  return value.is<std::string>() ? "str" : "tuple";
}

}  // namespace

// ---- lookup ----

UnitNames& Specializer::names_of(const Unit& unit) {
  for (auto& [known, names] : names_) {
    if (known == &unit) {
      return *names;
    }
  }
  names_.emplace_back(&unit, std::make_unique<UnitNames>(unit));
  return *names_.back().second;
}

MaybeValue Specializer::lookup(std::string_view name, SourceRange range) {
  if (const Variable* variable = state().scope.find(name)) {
    return use_variable(*variable, range);
  }
  const Unit& unit = *frame_->unit;
  if (ModuleName* entry = names_of(unit).find(name)) {
    return resolve(unit, name, *entry, range);
  }
  if (!unit.module.is_python) {
    const auto* found = std::ranges::find(kPredefined, name, [](const auto& p) { return p.first; });
    if (found != std::end(kPredefined)) {
      return Value{ModuleRef{std::string(found->second), nullptr}};
    }
  }
  if (const Builtin* builtin = find_builtin("builtins", name)) {
    return Value{BuiltinRef{builtin, nullptr}};
  }
  if (!names_of(unit).star_imports().empty()) {
    return star_import(unit, name, range);
  }
  return undefined(name, range);
}

MaybeValue Specializer::use_variable(const Variable& variable, SourceRange range) {
  const std::string_view name = variable.name;
  const SourceRange definition = variable.definition;
  switch (variable.status) {
    case Variable::Status::Defined:
      return variable.value;
    case Variable::Status::Poisoned:
      return {};
    case Variable::Status::OneBranch:
      report(DiagId::DefinedInOneBranch, range, name)
          .note(fmt::format("`{}` gets a value here, but not on every path", name), definition)
          .helped(
              variable.is_named_expression
                  ? fmt::format("what holds the `:=` may be skipped: give `{}` a value before it",
                                name)
                  : fmt::format("give `{}` a value before the `if`, or in its other branch", name));
      break;
    case Variable::Status::LoopOnly:
      report(DiagId::DefinedInLoop, range, name)
          .note(fmt::format("`{}` gets its first value inside the loop, which may run zero times",
                            name),
                definition)
          .helped(fmt::format("give `{}` a value of the same type before the loop", name));
      break;
    case Variable::Status::LoopVariable:
      report(DiagId::LoopVariableAfterLoop, range, name)
          .note("the loop is here", definition)
          .helped(fmt::format("keep a copy: set `last = 0` before the loop and `last = {}` in it",
                              name));
      break;
  }
  // One report a variable is enough.
  poison(name, definition);
  return {};
}

MaybeValue Specializer::undefined(std::string_view name, SourceRange range) {
  std::vector<std::string_view> candidates = names_of(*frame_->unit).all();
  for (const Variable& variable : state().scope.variables()) {
    candidates.push_back(variable.name);
  }
  for (const Builtin& builtin : all_builtins()) {
    if (builtin.module == "builtins") {
      candidates.push_back(builtin.name);
    }
  }
  for (const auto& [predefined, path] : kPredefined) {
    candidates.push_back(predefined);
  }
  Diagnostic& diagnostic = report(DiagId::UndefinedName, range, name);
  const std::string close = closest_name(name, candidates);
  if (name == "tl") {
    diagnostic.helped("add `import triton.language as tl`");
  } else if (name == "triton" || name == "math") {
    diagnostic.helped(fmt::format("add `import {}`", name));
  } else if (find_builtin("triton.language", name) != nullptr || is_dtype_name(name)) {
    diagnostic.helped(fmt::format("did you mean `tl.{}`?", name));
  } else if (const std::string_view instead = instead_of_python(name); !instead.empty()) {
    diagnostic.helped(std::string(instead));
  } else if (!close.empty()) {
    diagnostic.helped(fmt::format("did you mean `{}`?", close));
  } else {
    diagnostic.helped("assign it before, make it a parameter, or import it");
  }
  return {};
}

MaybeValue Specializer::unit_attribute(const Unit& unit, std::string_view name, SourceRange range) {
  if (ModuleName* entry = names_of(unit).find(name)) {
    return resolve(unit, name, *entry, range);
  }
  if (!names_of(unit).star_imports().empty()) {
    return star_import(unit, name, range);
  }
  Diagnostic& diagnostic = report(DiagId::NoAttribute, range, "the module", name);
  const std::string close = closest_name(name, names_of(unit).all());
  diagnostic.helped(close.empty() ? "the module does not define it"
                                  : fmt::format("did you mean `{}`?", close));
  return {};
}

MaybeValue Specializer::star_import(const Unit& unit, std::string_view name, SourceRange range) {
  for (const std::string& path : names_of(unit).star_imports()) {
    if (const auto* imported = imported_unit(unit, path)) {
      if (names_of(**imported).find(name) != nullptr) {
        return unit_attribute(**imported, name, range);
      }
    }
    const std::string_view module = canonical_module(path);
    if (!module.empty() && find_builtin(module, name) != nullptr) {
      return Value{BuiltinRef{find_builtin(module, name), nullptr}};
    }
  }
  return undefined(name, range);
}

// ---- module-level values ----

MaybeValue Specializer::resolve(const Unit& unit, std::string_view name, ModuleName& entry,
                                SourceRange range) {
  if (entry.progress == Progress::Failed) {
    return {};
  }
  if (entry.progress == Progress::Running) {
    report(DiagId::GlobalCycle, range, name)
        .note(fmt::format("`{}` is assigned here", name), entry.range)
        .helped("give one of the constants a value that does not need the others");
    return {};
  }
  if (entry.progress == Progress::New) {
    entry.progress = Progress::Running;
    MaybeValue value = compute(unit, name, entry, range);
    entry.progress = value ? Progress::Done : Progress::Failed;
    if (!value) {
      return {};
    }
    entry.cached = std::move(*value);
  }
  return allow_global(unit, name, entry, entry.cached, range) ? MaybeValue(entry.cached)
                                                              : std::nullopt;
}

MaybeValue Specializer::compute(const Unit& unit, std::string_view name, ModuleName& entry,
                                SourceRange range) {
  switch (entry.kind) {
    case Kind::Function:
      return Value{FunctionRef{&unit, entry.stmt, {}, nullptr}};
    case Kind::HostClass:
      return Value{ClassRef{unit.host_types[entry.index]}};
    case Kind::HostConstant:
      return from_host(unit, unit.constants[entry.index].second);
    case Kind::Module:
      return module_value(unit, entry.module, range);
    case Kind::Member: {
      const std::string path = joined_path(entry.module, entry.member);
      if (!canonical_module(path).empty() || imported_unit(unit, path) != nullptr) {
        return module_value(unit, path, range);
      }
      const MaybeValue module = module_value(unit, entry.module, range);
      if (!module) {
        return {};
      }
      const auto& ref = *module->as<ModuleRef>();
      return ref.unit != nullptr ? unit_attribute(*ref.unit, entry.member, range)
                                 : attribute(*this, *module, entry.member, range, range);
    }
    case Kind::Constant:
    case Kind::Unpacked:
      break;
  }
  const MaybeValue value = evaluate_at_module_level(unit, entry.value);
  if (!value || entry.kind == Kind::Constant) {
    return value;
  }
  const auto* tuple = value->as<TupleValue>();
  if (tuple == nullptr || entry.index >= tuple->elements.size()) {
    report(DiagId::GlobalNotConstant, range, name, describe(*value))
        .helped("write a tuple of as many values as names");
    return {};
  }
  return tuple->elements[entry.index];
}

MaybeValue Specializer::module_value(const Unit& unit, const std::string& path, SourceRange range) {
  if (const auto* imported = imported_unit(unit, path)) {
    return Value{ModuleRef{path, *imported}};
  }
  const std::string_view canonical = canonical_module(path);
  if (!canonical.empty()) {
    return Value{ModuleRef{std::string(canonical), nullptr}};
  }
  // `import package` where only `package.part` is known: attributes find the part.
  const bool is_package = std::ranges::any_of(
      unit.imports, [&](const auto& imported) { return imported.first.starts_with(path + "."); });
  if (is_package) {
    return Value{ModuleRef{path, nullptr}};
  }
  report(DiagId::ModuleNotAvailable, range, path)
      .helped(
          "kernels see `triton`, `triton.language`, `math` and the files of kernels that lie "
          "beside theirs");
  return {};
}

MaybeValue Specializer::evaluate_at_module_level(const Unit& unit, ast::ExprId expr) {
  Frame level;
  level.unit = &unit;
  level.name = "module";
  level.is_compile_time = true;
  level.caller = frame_;
  frame_ = &level;
  MaybeValue value = evaluate(expr);
  if (value && !value->is_compile_time()) {
    report(DiagId::GlobalNotConstant, unit.module[expr].range,
           operand_text(*this, unit.module[expr].range), describe(*value))
        .helped("compute it inside the kernel");
    value.reset();
  }
  frame_ = level.caller;
  return value;
}

bool Specializer::allow_global(const Unit& unit, std::string_view name, const ModuleName& entry,
                               const Value& value, SourceRange range) {
  if (frame_->is_compile_time) {
    return true;
  }
  if (entry.kind == Kind::Function) {
    const auto& def = *unit.module.as<ast::FunctionDef>(entry.stmt);
    if (!unit.module.is_python || has_decorator(unit.module, def, "jit") ||
        has_decorator(unit.module, def, "constexpr_function")) {
      return true;
    }
    report(DiagId::PlainFunction, range, name)
        .note(fmt::format("`{}` is defined here", name), def.name_range)
        .helped("put `@triton.jit` above its `def`");
    return false;
  }
  if ((entry.kind != Kind::Constant && entry.kind != Kind::Unpacked) || is_always_visible(value) ||
      is_constexpr_expression(unit, entry.value)) {
    return true;
  }
  const bool may_be_plain = !options_.strict && !unit.module.is_python;
  const bool is_annotated = !options_.strict && is_constexpr_annotation(unit, entry.annotation);
  if (may_be_plain || is_annotated) {
    return true;
  }
  const std::string text = operand_text(*this, unit.module[entry.value].range);
  report(DiagId::PlainGlobal, range, name, python_kind(value))
      .note(fmt::format("`{}` is assigned here", name), entry.range)
      .helped(fmt::format("instantiate it as a constexpr: `{} = tl.constexpr({})`", name, text));
  return false;
}

// ---- constexpr ----

bool Specializer::is_constexpr_annotation(const Unit& unit, ast::ExprId annotation) {
  const ast::Module& tree = unit.module;
  if (!annotation) {
    return false;
  }
  if (const auto* text = tree.as<ast::StringLiteral>(annotation)) {
    return text->value == "constexpr" || text->value.ends_with(".constexpr");
  }
  if (const auto* attribute = tree.as<ast::Attribute>(annotation)) {
    return attribute->name == "constexpr";
  }
  if (const auto* subscript = tree.as<ast::Subscript>(annotation)) {
    return is_constexpr_annotation(unit, subscript->object);
  }
  const auto* name = tree.as<ast::Name>(annotation);
  if (name == nullptr) {
    return false;
  }
  const ModuleName* entry = names_of(unit).find(name->id);
  const bool is_member = entry != nullptr && entry->kind == Kind::Member;
  return is_member ? entry->member == "constexpr" : name->id == "constexpr";
}

bool Specializer::is_constexpr_expression(const Unit& unit, ast::ExprId expr) {
  const ast::Module& tree = unit.module;
  if (const auto* call = tree.as<ast::Call>(expr)) {
    return is_constexpr_annotation(unit, call->callee);
  }
  if (const auto* binary = tree.as<ast::Binary>(expr)) {
    return is_constexpr_expression(unit, binary->lhs) || is_constexpr_expression(unit, binary->rhs);
  }
  if (const auto* unary = tree.as<ast::Unary>(expr)) {
    return is_constexpr_expression(unit, unary->operand);
  }
  if (const auto* name = tree.as<ast::Name>(expr)) {
    const ModuleName* entry = names_of(unit).find(name->id);
    return entry != nullptr && entry->kind == Kind::Constant && entry->progress == Progress::Done &&
           (is_constexpr_annotation(unit, entry->annotation) ||
            is_constexpr_expression(unit, entry->value));
  }
  return false;
}

}  // namespace tilery::sema
