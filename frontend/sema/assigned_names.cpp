#include "frontend/sema/assigned_names.h"

#include <algorithm>
#include <array>

namespace tilery::sema {
namespace {

void add_unique(std::vector<std::string_view>& names, std::string_view name) {
  if (std::ranges::find(names, name) == names.end()) {
    names.push_back(name);
  }
}

/// Walks statements and the expressions in them.
class Scan {
 public:
  Scan(const ast::Module& module, AssignedNames& result) : module_(module), result_(result) {}

  void block(std::span<const ast::StmtId> stmts) {
    for (const ast::StmtId id : stmts) {
      std::visit([this](const auto& stmt) { visit(stmt); }, module_[id].data);
    }
  }

  void expr(ast::ExprId id) {
    if (id) {
      std::visit([this](const auto& node) { visit(node); }, module_[id].data);
    }
  }

 private:
  void exprs(std::span<const ast::ExprId> ids) {
    for (const ast::ExprId id : ids) {
      expr(id);
    }
  }

  void target(ast::ExprId id) { add_target_names(module_, id, result_.names); }

  // ---- statements ----

  void visit(const ast::ExprStmt& stmt) { expr(stmt.value); }

  void visit(const ast::Assign& stmt) {
    expr(stmt.value);
    for (const ast::ExprId id : stmt.targets) {
      target(id);
    }
  }

  void visit(const ast::AnnotatedAssign& stmt) {
    expr(stmt.value);
    if (stmt.value) {
      target(stmt.target);
    }
  }

  void visit(const ast::AugmentedAssign& stmt) {
    expr(stmt.value);
    target(stmt.target);
  }

  void visit(const ast::If& stmt) {
    expr(stmt.condition);
    block(stmt.body);
    block(stmt.else_body);
  }

  void visit(const ast::For& stmt) {
    expr(stmt.iterable);
    add_target_names(module_, stmt.target, result_.loop_targets);
    loop_body(stmt.body);
    block(stmt.else_body);
  }

  void visit(const ast::While& stmt) {
    expr(stmt.condition);
    loop_body(stmt.body);
    block(stmt.else_body);
  }

  void visit(const ast::Break&) { result_.has_break = result_.has_break || loop_depth_ == 0; }

  void visit(const ast::Continue&) {}

  void visit(const ast::Pass&) {}

  void visit(const ast::Return& stmt) {
    expr(stmt.value);
    result_.has_return = true;
  }

  void visit(const ast::Assert& stmt) { exprs(std::array{stmt.condition, stmt.message}); }

  void visit(const ast::Raise&) {}

  void visit(const ast::With& stmt) { block(stmt.body); }

  void visit(const ast::Import&) {}

  void visit(const ast::FunctionDef&) {}

  void visit(const ast::Unsupported&) {}

  // ---- expressions ----

  void visit(const ast::Name&) {}

  void visit(const ast::IntLiteral&) {}

  void visit(const ast::FloatLiteral&) {}

  void visit(const ast::StringLiteral&) {}

  void visit(const ast::BoolLiteral&) {}

  void visit(const ast::NoneLiteral&) {}

  void visit(const ast::EllipsisLiteral&) {}

  void visit(const ast::FString& node) {
    for (const ast::FStringPart& part : node.parts) {
      expr(part.value);
    }
  }

  void visit(const ast::Tuple& node) { exprs(node.elements); }

  void visit(const ast::List& node) { exprs(node.elements); }

  void visit(const ast::Dict& node) {
    exprs(node.keys);
    exprs(node.values);
  }

  void visit(const ast::Unary& node) { expr(node.operand); }

  void visit(const ast::Binary& node) { exprs(std::array{node.lhs, node.rhs}); }

  void visit(const ast::Logical& node) { exprs(node.operands); }

  void visit(const ast::Compare& node) { exprs(node.operands); }

  void visit(const ast::Conditional& node) {
    exprs(std::array{node.condition, node.if_true, node.if_false});
  }

  void visit(const ast::Call& node) {
    expr(node.callee);
    for (const ast::Argument& argument : node.arguments) {
      expr(argument.value);
    }
  }

  void visit(const ast::Attribute& node) { expr(node.object); }

  void visit(const ast::Subscript& node) {
    expr(node.object);
    exprs(node.indices);
  }

  void visit(const ast::Slice& node) { exprs(std::array{node.begin, node.end, node.step}); }

  void visit(const ast::Lambda&) {}

  void visit(const ast::Comprehension& node) {
    expr(node.element);
    for (const ast::ComprehensionClause& clause : node.clauses) {
      expr(clause.iterable);
      exprs(clause.conditions);
    }
  }

  void visit(const ast::Starred& node) { expr(node.value); }

  void visit(const ast::NamedExpr& node) {
    expr(node.value);
    add_unique(result_.names, node.name);
  }

  void loop_body(std::span<const ast::StmtId> body) {
    ++loop_depth_;
    block(body);
    --loop_depth_;
  }

  const ast::Module& module_;
  AssignedNames& result_;
  int loop_depth_ = 0;
};

}  // namespace

AssignedNames assigned_names(const ast::Module& module, std::span<const ast::StmtId> block) {
  AssignedNames result;
  Scan(module, result).block(block);
  return result;
}

void add_assigned_names(const ast::Module& module, ast::ExprId expr, AssignedNames& result) {
  Scan(module, result).expr(expr);
}

void add_target_names(const ast::Module& module, ast::ExprId target,
                      std::vector<std::string_view>& names) {
  if (const auto* name = module.as<ast::Name>(target)) {
    add_unique(names, name->id);
  } else if (const auto* tuple = module.as<ast::Tuple>(target)) {
    for (const ast::ExprId element : tuple->elements) {
      add_target_names(module, element, names);
    }
  } else if (const auto* list = module.as<ast::List>(target)) {
    for (const ast::ExprId element : list->elements) {
      add_target_names(module, element, names);
    }
  } else if (const auto* starred = module.as<ast::Starred>(target)) {
    add_target_names(module, starred->value, names);
  }
}

}  // namespace tilery::sema
