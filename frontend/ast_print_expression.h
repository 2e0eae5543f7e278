// Expressions of the AST printer.
#pragma once

#include "frontend/ast.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilery::ast {

// How tightly the outermost construct of an expression holds together. An expression that stands
// where more is needed gets parentheses.
enum class Level : std::uint8_t {
  Named,
  Conditional,
  Or,
  And,
  Not,
  Compare,
  BitOr,
  BitXor,
  BitAnd,
  Shift,
  Add,
  Mul,
  Unary,
  Pow,
  Primary,
};

/// The text of an operator and how tightly it binds.
struct BinaryText {
  Level level;
  std::string_view text;
};

[[nodiscard]] BinaryText binary_text(BinaryOp op);

/// Appends expressions to a text.
class ExpressionPrinter {
 public:
  ExpressionPrinter(const Module& module, std::string& out) : module_(module), out_(out) {}

  /// An expression where at least `needed` is wanted, in parentheses if it holds together less.
  void expr(ExprId id, Level needed);
  /// The same where a tuple needs no parentheses.
  void bare(ExprId id, Level needed = Level::Conditional);
  void parameters(const std::vector<Parameter>& list);

  /// Calls `each` for every item and writes `separator` between.
  template <class Items, class Each>
  void separated(const Items& items, std::string_view separator, Each each) {
    bool first = true;
    for (const auto& item : items) {
      out_ += std::exchange(first, false) ? "" : separator;
      each(item);
    }
  }

 private:
  void list(const std::vector<ExprId>& items, Level needed);
  void print(const Name& node);
  void print(const IntLiteral& node);
  void print(const FloatLiteral& node);
  void print(const StringLiteral& node);
  void print(const BoolLiteral& node);
  void print(const NoneLiteral&);
  void print(const EllipsisLiteral&);
  void print(const FString& node);
  void field(const FStringPart& part);
  void print(const Tuple& node);
  void print(const List& node);
  void print(const Dict& node);
  void print(const Unary& node);
  void print(const Binary& node);
  void print(const Logical& node);
  void print(const Compare& node);
  void print(const Conditional& node);
  void print(const Call& node);
  void argument(const Argument& node);
  void print(const Attribute& node);
  void print(const Subscript& node);
  void print(const Slice& node);
  void print(const Lambda& node);
  void print(const Comprehension& node);
  void clauses(const Comprehension& node);
  void print(const Starred& node);
  void print(const NamedExpr& node);

  const Module& module_;
  std::string& out_;
  /// Around strings; within a field of an f-string the other one, so that older readers follow.
  char quote_ = '"';
};

}  // namespace tilery::ast
