// Which names a block of statements may assign: what a loop may carry and what a failed statement
// leaves unknown.
#pragma once

#include "frontend/ast.h"

#include <span>
#include <string_view>
#include <vector>

namespace tilery::sema {

/// Found by reading the syntax alone, nested blocks included; branches that turn out to be dead
/// count.
struct AssignedNames {
  std::vector<std::string_view> names;         ///< by assignment, `:=`, augmented assignment
  std::vector<std::string_view> loop_targets;  ///< by `for` only
  bool has_break = false;                      ///< that ends the loop whose body this is
  bool has_return = false;
};

[[nodiscard]] AssignedNames assigned_names(const ast::Module& module,
                                           std::span<const ast::StmtId> block);
/// The same for an expression (`:=`).
void add_assigned_names(const ast::Module& module, ast::ExprId expr, AssignedNames& result);
/// The names of an assignment target.
void add_target_names(const ast::Module& module, ast::ExprId target,
                      std::vector<std::string_view>& names);

}  // namespace tilery::sema
