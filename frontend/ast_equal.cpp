// Comparing trees, ranges aside. Pairs of nodes still to compare wait in lists, so that deep trees
// need no deep recursion.
#include "frontend/ast_printer.h"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

namespace tilery::ast {

namespace {

class Comparer {
 public:
  Comparer(const Module& a, const Module& b) : a_(a), b_(b) {}

  bool run() {
    bool equal = same(a_.body, b_.body);
    while (equal && !(stmts_.empty() && exprs_.empty())) {
      if (exprs_.empty()) {
        const auto [x, y] = stmts_.back();
        stmts_.pop_back();
        equal = same_data(a_[x].data, b_[y].data);
      } else {
        const auto [x, y] = exprs_.back();
        exprs_.pop_back();
        equal = same_data(a_[x].data, b_[y].data);
      }
    }
    return equal;
  }

 private:
  template <class Data>
  bool same_data(const Data& x, const Data& y) {
    return x.index() == y.index() &&
           std::visit(
               [&](const auto& node) {
                 return same(node, std::get<std::decay_t<decltype(node)>>(y));
               },
               x);
  }

  bool same(ExprId x, ExprId y) {
    if (x && y) {
      exprs_.emplace_back(x, y);
    }
    return static_cast<bool>(x) == static_cast<bool>(y);
  }

  bool same(StmtId x, StmtId y) {
    stmts_.emplace_back(x, y);
    return true;
  }

  template <class T>
  bool same(const std::vector<T>& x, const std::vector<T>& y) {
    return std::ranges::equal(x, y, [&](const T& a, const T& b) { return same(a, b); });
  }

  static bool same(CompareOp x, CompareOp y) { return x == y; }

  // expressions
  bool same(const Name& x, const Name& y) { return x.id == y.id; }

  bool same(const IntLiteral& x, const IntLiteral& y) { return x.spelling == y.spelling; }

  bool same(const FloatLiteral& x, const FloatLiteral& y) { return x.spelling == y.spelling; }

  bool same(const StringLiteral& x, const StringLiteral& y) { return x.value == y.value; }

  bool same(const BoolLiteral& x, const BoolLiteral& y) { return x.value == y.value; }

  bool same(const NoneLiteral&, const NoneLiteral&) { return true; }

  bool same(const EllipsisLiteral&, const EllipsisLiteral&) { return true; }

  bool same(const FStringPart& x, const FStringPart& y) {
    return x.text == y.text && x.conversion == y.conversion && x.spec == y.spec &&
           same(x.value, y.value);
  }

  bool same(const FString& x, const FString& y) { return same(x.parts, y.parts); }

  bool same(const Tuple& x, const Tuple& y) { return same(x.elements, y.elements); }

  bool same(const List& x, const List& y) { return same(x.elements, y.elements); }

  bool same(const Dict& x, const Dict& y) {
    return same(x.keys, y.keys) && same(x.values, y.values);
  }

  bool same(const Unary& x, const Unary& y) { return x.op == y.op && same(x.operand, y.operand); }

  bool same(const Binary& x, const Binary& y) {
    return x.op == y.op && same(x.lhs, y.lhs) && same(x.rhs, y.rhs);
  }

  bool same(const Logical& x, const Logical& y) {
    return x.op == y.op && same(x.operands, y.operands);
  }

  bool same(const Compare& x, const Compare& y) {
    return same(x.ops, y.ops) && same(x.operands, y.operands);
  }

  bool same(const Conditional& x, const Conditional& y) {
    return same(x.condition, y.condition) && same(x.if_true, y.if_true) &&
           same(x.if_false, y.if_false);
  }

  bool same(const Argument& x, const Argument& y) {
    return x.kind == y.kind && x.keyword == y.keyword && same(x.value, y.value);
  }

  bool same(const Call& x, const Call& y) {
    return same(x.callee, y.callee) && same(x.arguments, y.arguments);
  }

  bool same(const Attribute& x, const Attribute& y) {
    return x.name == y.name && same(x.object, y.object);
  }

  bool same(const Subscript& x, const Subscript& y) {
    return x.is_tuple == y.is_tuple && same(x.object, y.object) && same(x.indices, y.indices);
  }

  bool same(const Slice& x, const Slice& y) {
    return same(x.begin, y.begin) && same(x.end, y.end) && same(x.step, y.step);
  }

  bool same(const Lambda& x, const Lambda& y) {
    return same(x.parameters, y.parameters) && same(x.body, y.body);
  }

  bool same(const ComprehensionClause& x, const ComprehensionClause& y) {
    return same(x.target, y.target) && same(x.iterable, y.iterable) &&
           same(x.conditions, y.conditions);
  }

  bool same(const Comprehension& x, const Comprehension& y) {
    return x.is_generator == y.is_generator && same(x.element, y.element) &&
           same(x.clauses, y.clauses);
  }

  bool same(const Starred& x, const Starred& y) { return same(x.value, y.value); }

  bool same(const NamedExpr& x, const NamedExpr& y) {
    return x.name == y.name && same(x.value, y.value);
  }

  bool same(const Parameter& x, const Parameter& y) {
    return x.kind == y.kind && x.name == y.name && same(x.annotation, y.annotation) &&
           same(x.default_value, y.default_value);
  }

  // statements
  bool same(const ExprStmt& x, const ExprStmt& y) { return same(x.value, y.value); }

  bool same(const Assign& x, const Assign& y) {
    return same(x.targets, y.targets) && same(x.value, y.value);
  }

  bool same(const AnnotatedAssign& x, const AnnotatedAssign& y) {
    return same(x.target, y.target) && same(x.annotation, y.annotation) && same(x.value, y.value);
  }

  bool same(const AugmentedAssign& x, const AugmentedAssign& y) {
    return x.op == y.op && same(x.target, y.target) && same(x.value, y.value);
  }

  bool same(const If& x, const If& y) {
    return same(x.condition, y.condition) && same(x.body, y.body) && same(x.else_body, y.else_body);
  }

  bool same(const For& x, const For& y) {
    return same(x.target, y.target) && same(x.iterable, y.iterable) && same(x.body, y.body) &&
           same(x.else_body, y.else_body);
  }

  bool same(const While& x, const While& y) {
    return same(x.condition, y.condition) && same(x.body, y.body) && same(x.else_body, y.else_body);
  }

  bool same(const Break&, const Break&) { return true; }

  bool same(const Continue&, const Continue&) { return true; }

  bool same(const Pass&, const Pass&) { return true; }

  bool same(const Return& x, const Return& y) { return same(x.value, y.value); }

  bool same(const Assert& x, const Assert& y) {
    return same(x.condition, y.condition) && same(x.message, y.message);
  }

  bool same(const Raise& x, const Raise& y) { return same(x.exception, y.exception); }

  bool same(const WithItem& x, const WithItem& y) {
    return same(x.context, y.context) && same(x.target, y.target);
  }

  bool same(const With& x, const With& y) { return same(x.items, y.items) && same(x.body, y.body); }

  bool same(const ImportedName& x, const ImportedName& y) {
    return x.name == y.name && x.alias == y.alias;
  }

  bool same(const Import& x, const Import& y) {
    return x.is_from == y.is_from && x.level == y.level && x.module == y.module &&
           same(x.names, y.names);
  }

  bool same(const Decorator& x, const Decorator& y) { return same(x.value, y.value); }

  bool same(const FunctionDef& x, const FunctionDef& y) {
    return x.name == y.name && x.docstring == y.docstring && same(x.decorators, y.decorators) &&
           same(x.parameters, y.parameters) && same(x.return_annotation, y.return_annotation) &&
           same(x.body, y.body);
  }

  bool same(const Unsupported& x, const Unsupported& y) { return x.what == y.what; }

  const Module& a_;
  const Module& b_;
  std::vector<std::pair<ExprId, ExprId>> exprs_;
  std::vector<std::pair<StmtId, StmtId>> stmts_;
};

}  // namespace

bool equal(const Module& a, const Module& b) {
  return Comparer(a, b).run();
}

}  // namespace tilery::ast
