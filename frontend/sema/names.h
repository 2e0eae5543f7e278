// Names of the module level: functions, constants, imports, and what the host adds.
#pragma once

#include "frontend/sema/value.h"

#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tilery::sema {

/// What a module-level name stands for. Its value is computed when it is first used.
struct ModuleName {
  enum class Kind : std::uint8_t {
    Function,      ///< `stmt` is its def
    Constant,      ///< `NAME = expr`
    Unpacked,      ///< one of several targets of an assignment: not supported
    Module,        ///< `import a.b as name`
    Member,        ///< `from module import member as name`
    HostConstant,  ///< Unit::constants
    HostClass,     ///< Unit::host_types
  };
  enum class Progress : std::uint8_t { New, Running, Done, Failed };

  Kind kind{};
  ast::StmtId stmt;
  ast::ExprId value;       ///< Constant
  ast::ExprId annotation;  ///< Constant: `NAME: annotation = value`
  std::string module;      ///< Module, Member: dotted path
  std::string member;
  std::size_t index = 0;  ///< HostConstant, HostClass
  SourceRange range;      ///< of the statement
  Progress progress = Progress::New;
  Value cached;
};

/// The module-level names of one unit.
class UnitNames {
 public:
  explicit UnitNames(const Unit& unit);

  /// Nothing if the unit does not define the name.
  [[nodiscard]] ModuleName* find(std::string_view name);

  /// Modules whose names `from module import *` brings in.
  [[nodiscard]] const std::vector<std::string>& star_imports() const { return star_imports_; }

  [[nodiscard]] std::vector<std::string_view> all() const;

 private:
  void add_statement(const ast::Module& module, ast::StmtId id);
  void add_import(const ast::Import& import, SourceRange range);
  void add(std::string_view name, ModuleName entry);

  std::unordered_map<std::string_view, ModuleName> names_;
  std::vector<std::string> star_imports_;
};

/// The canonical path of a module of the language ("triton.language.core" is "triton.language"),
/// or empty if kernels cannot see it.
[[nodiscard]] std::string_view canonical_module(std::string_view path);

/// True for `a` if a module `a.b` of kernels is known to the unit.
[[nodiscard]] bool is_package(const Unit& unit, std::string_view path);

/// `jit`, `constexpr_function` or another decorator of a def, by the last part of its dotted name.
[[nodiscard]] bool has_decorator(const ast::Module& module, const ast::FunctionDef& def,
                                 std::string_view name);

}  // namespace tilery::sema
