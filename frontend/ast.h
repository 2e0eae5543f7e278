// The syntax tree of a kernel file: Python's syntax as far as kernels use it, with no meaning
// attached.
//
// Nodes live in two arrays of their Module and refer to each other by id, so that a tree is copied,
// compared and freed as plain data. A node is a source range plus one alternative of a variant; ids
// in a node are always smaller than the node's own id (children are built first).
#pragma once

#include "ir/support/source.h"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tilery::ast {

/// Index into Module::exprs; the default is "no expression".
struct ExprId {
  static constexpr std::uint32_t kNone = 0xFFFFFFFFU;
  std::uint32_t index = kNone;

  explicit operator bool() const { return index != kNone; }

  friend bool operator==(ExprId, ExprId) = default;
};

/// Index into Module::stmts.
struct StmtId {
  std::uint32_t index = 0;
  friend bool operator==(StmtId, StmtId) = default;
};

using Block = std::vector<StmtId>;

// ---- expressions ----

enum class UnaryOp : std::uint8_t { Plus, Minus, Invert, Not };
enum class BinaryOp : std::uint8_t {
  Add,
  Sub,
  Mul,
  Div,
  FloorDiv,
  Mod,
  Pow,
  MatMul,
  Shl,
  Shr,
  BitAnd,
  BitOr,
  BitXor,
};
enum class CompareOp : std::uint8_t { Eq, Ne, Lt, Le, Gt, Ge, Is, IsNot, In, NotIn };
enum class BoolOp : std::uint8_t { And, Or };

struct Name {
  std::string id;
};

/// Spelled as in the source, `_` removed: "0x1f", "12", "1e-5", "3j" is not accepted.
struct IntLiteral {
  std::string spelling;
};

struct FloatLiteral {
  std::string spelling;
};

/// The decoded value (escapes resolved, adjacent literals joined), UTF-8.
struct StringLiteral {
  std::string value;
};

struct BoolLiteral {
  bool value = false;
};

struct NoneLiteral {};

struct EllipsisLiteral {};

/// f"text {value!r:spec}": parts alternate freely; a part is text or an expression with its spec.
struct FStringPart {
  std::string text;
  ExprId value;
  char conversion = '\0';  ///< 'r', 's', 'a' or none
  std::string spec;        ///< as written after `:`
};

struct FString {
  std::vector<FStringPart> parts;
};

struct Tuple {
  std::vector<ExprId> elements;
};

struct List {
  std::vector<ExprId> elements;
};

/// `{…}`: parsed so that sema can say that it is not supported. Sets have no values.
struct Dict {
  std::vector<ExprId> keys;
  std::vector<ExprId> values;
};

struct Unary {
  UnaryOp op{};
  ExprId operand;
};

struct Binary {
  BinaryOp op{};
  ExprId lhs;
  ExprId rhs;
};

/// `a and b and c` is one node with three operands.
struct Logical {
  BoolOp op{};
  std::vector<ExprId> operands;
};

/// `a < b <= c`: operands.size() == ops.size() + 1.
struct Compare {
  std::vector<CompareOp> ops;
  std::vector<ExprId> operands;
};

struct Conditional {
  ExprId condition;
  ExprId if_true;
  ExprId if_false;
};

/// An argument of a call: positional (no keyword), `name=value`, `*value` or `**value`.
struct Argument {
  enum class Kind : std::uint8_t { Positional, Keyword, Star, StarStar };
  Kind kind = Kind::Positional;
  std::string keyword;
  SourceRange keyword_range;
  ExprId value;
};

struct Call {
  ExprId callee;
  std::vector<Argument> arguments;
};

struct Attribute {
  ExprId object;
  std::string name;
  SourceRange name_range;
};

/// `x[i]` has one index; `x[i, j]` has two (`is_tuple`: a comma was written, so `x[i,]` differs
/// from `x[i]`).
struct Subscript {
  ExprId object;
  std::vector<ExprId> indices;
  bool is_tuple = false;
};

/// `a:b:c` inside a subscript; absent parts are no expression.
struct Slice {
  ExprId begin;
  ExprId end;
  ExprId step;
};
struct Parameter;

struct Lambda {
  std::vector<Parameter> parameters;
  ExprId body;
};

/// `[element for target in iterable if condition …]`, one clause a `for`.
struct ComprehensionClause {
  ExprId target;
  ExprId iterable;
  std::vector<ExprId> conditions;
};

struct Comprehension {
  bool is_generator = false;  ///< written in parentheses
  ExprId element;
  std::vector<ComprehensionClause> clauses;
};

/// `*x` in a display or an assignment target.
struct Starred {
  ExprId value;
};

/// `(name := value)`.
struct NamedExpr {
  std::string name;
  ExprId value;
};

/// A parameter of a def or lambda.
struct Parameter {
  enum class Kind : std::uint8_t { PositionalOnly, Normal, KeywordOnly, Star, StarStar };
  Kind kind = Kind::Normal;
  std::string name;
  SourceRange range;  ///< of the name
  ExprId annotation;
  ExprId default_value;
};

using ExprData = std::variant<Name, IntLiteral, FloatLiteral, StringLiteral, BoolLiteral,
                              NoneLiteral, EllipsisLiteral, FString, Tuple, List, Dict, Unary,
                              Binary, Logical, Compare, Conditional, Call, Attribute, Subscript,
                              Slice, Lambda, Comprehension, Starred, NamedExpr>;

struct Expr {
  SourceRange range;
  ExprData data;
};

// ---- statements ----

struct ExprStmt {
  ExprId value;
};

/// `a = b = value`: targets from left to right. A target is a Name, Tuple, List, Starred, Subscript
/// or Attribute.
struct Assign {
  std::vector<ExprId> targets;
  ExprId value;
};

/// `target: annotation = value`; the value may be absent.
struct AnnotatedAssign {
  ExprId target;
  ExprId annotation;
  ExprId value;
};

struct AugmentedAssign {
  ExprId target;
  BinaryOp op{};
  ExprId value;
};

/// `elif` is an If as the only statement of else_body.
struct If {
  ExprId condition;
  Block body;
  Block else_body;
};

struct For {
  ExprId target;
  ExprId iterable;
  Block body;
  Block else_body;
};

struct While {
  ExprId condition;
  Block body;
  Block else_body;
};

struct Break {};

struct Continue {};

struct Pass {};

struct Return {
  ExprId value;
};

struct Assert {
  ExprId condition;
  ExprId message;
};

struct Raise {
  ExprId exception;
};

struct WithItem {
  ExprId context;
  ExprId target;
};

struct With {
  std::vector<WithItem> items;
  Block body;
};

/// `import a.b as c` or, with `from`, `from a.b import x as y`; `..` counts in `level`; `*` is a
/// name.
struct ImportedName {
  std::string name;
  std::string alias;  ///< empty: none written
};

struct Import {
  bool is_from = false;
  std::uint32_t level = 0;
  std::string module;
  std::vector<ImportedName> names;
};

struct Decorator {
  SourceRange range;
  ExprId value;
};

/// A def. At module level it is a kernel or helper; a nested one is parsed so that sema can refuse
/// it.
struct FunctionDef {
  std::string name;
  SourceRange name_range;
  std::vector<Decorator> decorators;
  std::vector<Parameter> parameters;
  ExprId return_annotation;
  std::string docstring;
  Block body;
};

/// Legal Python that no kernel may contain (`try`, `del`, `global`, `yield`, `class`, `async` …),
/// kept as its keyword and source range so that sema can name it where it is reached.
struct Unsupported {
  std::string what;
};

using StmtData =
    std::variant<ExprStmt, Assign, AnnotatedAssign, AugmentedAssign, If, For, While, Break,
                 Continue, Pass, Return, Assert, Raise, With, Import, FunctionDef, Unsupported>;

struct Stmt {
  SourceRange range;
  StmtData data;
};

// ---- module ----

/// A jit function of a `.py` file that is defined inside a class or a function, and so not taken.
struct NestedKernel {
  std::string name;
  std::string owner;  ///< the class or function at module level
  SourceRange range;  ///< of the name
};

/// One parsed file. `body` holds what sema can use at module level, in source order: imports,
/// constant assignments and functions. From a `.py` file everything else is skipped (see parser.h).
struct Module {
  FileId file = SourceRange::kNoFile;
  bool is_python =
      false;  ///< a `.py` file: only decorated functions are kernels, names need imports
  std::vector<Expr> exprs;
  std::vector<Stmt> stmts;
  Block body;
  std::vector<NestedKernel> nested_kernels;

  [[nodiscard]] const Expr& operator[](ExprId id) const { return exprs[id.index]; }

  [[nodiscard]] const Stmt& operator[](StmtId id) const { return stmts[id.index]; }

  /// The node's alternative, or nullptr if it is another one.
  template <class T>
  [[nodiscard]] const T* as(ExprId id) const {
    return id ? std::get_if<T>(&exprs[id.index].data) : nullptr;
  }

  template <class T>
  [[nodiscard]] const T* as(StmtId id) const {
    return std::get_if<T>(&stmts[id.index].data);
  }
};

}  // namespace tilery::ast
