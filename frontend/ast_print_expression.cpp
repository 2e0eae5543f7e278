#include "frontend/ast_print_expression.h"

#include "frontend/ast_print_string.h"

#include <algorithm>
#include <utility>

namespace tilery::ast {

namespace {

Level above(Level level) {
  return static_cast<Level>(static_cast<std::uint8_t>(level) + 1);
}

std::string_view compare_text(CompareOp op) {
  switch (op) {
    case CompareOp::Eq:
      return "==";
    case CompareOp::Ne:
      return "!=";
    case CompareOp::Lt:
      return "<";
    case CompareOp::Le:
      return "<=";
    case CompareOp::Gt:
      return ">";
    case CompareOp::Ge:
      return ">=";
    case CompareOp::Is:
      return "is";
    case CompareOp::IsNot:
      return "is not";
    case CompareOp::In:
      return "in";
    case CompareOp::NotIn:
      return "not in";
  }
  return "";
}

/// The level of each kind of expression.
struct LevelOf {
  Level operator()(const Unary& node) const {
    return node.op == UnaryOp::Not ? Level::Not : Level::Unary;
  }

  Level operator()(const Binary& node) const { return binary_text(node.op).level; }

  Level operator()(const Logical& node) const {
    return node.op == BoolOp::And ? Level::And : Level::Or;
  }

  Level operator()(const Compare&) const { return Level::Compare; }

  Level operator()(const Conditional&) const { return Level::Conditional; }

  Level operator()(const Lambda&) const { return Level::Conditional; }

  Level operator()(const NamedExpr&) const { return Level::Named; }

  template <class Atom>
  Level operator()(const Atom&) const {
    return Level::Primary;
  }
};

}  // namespace

BinaryText binary_text(BinaryOp op) {
  switch (op) {
    case BinaryOp::Add:
      return {Level::Add, "+"};
    case BinaryOp::Sub:
      return {Level::Add, "-"};
    case BinaryOp::Mul:
      return {Level::Mul, "*"};
    case BinaryOp::Div:
      return {Level::Mul, "/"};
    case BinaryOp::FloorDiv:
      return {Level::Mul, "//"};
    case BinaryOp::Mod:
      return {Level::Mul, "%"};
    case BinaryOp::Pow:
      return {Level::Pow, "**"};
    case BinaryOp::MatMul:
      return {Level::Mul, "@"};
    case BinaryOp::Shl:
      return {Level::Shift, "<<"};
    case BinaryOp::Shr:
      return {Level::Shift, ">>"};
    case BinaryOp::BitAnd:
      return {Level::BitAnd, "&"};
    case BinaryOp::BitOr:
      return {Level::BitOr, "|"};
    case BinaryOp::BitXor:
      return {Level::BitXor, "^"};
  }
  return {Level::Primary, ""};
}

void ExpressionPrinter::expr(ExprId id, Level needed) {
  const ExprData& data = module_[id].data;
  const bool parens = std::visit(LevelOf{}, data) < needed;
  out_ += parens ? "(" : "";
  std::visit([&](const auto& node) { print(node); }, data);
  out_ += parens ? ")" : "";
}

void ExpressionPrinter::bare(ExprId id, Level needed) {
  const auto* tuple = module_.as<Tuple>(id);
  if (tuple == nullptr || tuple->elements.empty()) {
    expr(id, needed);
    return;
  }
  list(tuple->elements, needed);
  out_ += tuple->elements.size() == 1 ? "," : "";
}

void ExpressionPrinter::list(const std::vector<ExprId>& items, Level needed) {
  separated(items, ", ", [&](ExprId item) { expr(item, needed); });
}

void ExpressionPrinter::print(const Name& node) {
  out_ += node.id;
}

void ExpressionPrinter::print(const IntLiteral& node) {
  out_ += node.spelling;
}

void ExpressionPrinter::print(const FloatLiteral& node) {
  out_ += node.spelling;
}

void ExpressionPrinter::print(const StringLiteral& node) {
  out_ += quoted(node.value, quote_);
}

void ExpressionPrinter::print(const BoolLiteral& node) {
  out_ += node.value ? "True" : "False";
}

void ExpressionPrinter::print(const NoneLiteral&) {
  out_ += "None";
}

void ExpressionPrinter::print(const EllipsisLiteral&) {
  out_ += "...";
}

void ExpressionPrinter::print(const FString& node) {
  const std::string_view quote = f_string_quote(node, quote_);
  const char outer = std::exchange(quote_, quote.front() == '"' ? '\'' : '"');
  out_ += 'f';
  out_ += quote;
  for (const FStringPart& part : node.parts) {
    if (part.value) {
      field(part);
    } else {
      out_ += escaped_f_string_text(part.text, quote.front());
    }
  }
  out_ += quote;
  quote_ = outer;
}

void ExpressionPrinter::field(const FStringPart& part) {
  // A lambda's `:` would begin the format, so nothing that may contain one goes without
  // parentheses;
  // `{{` would be text.
  std::string value;
  ExpressionPrinter inner(module_, value);
  inner.quote_ = quote_;
  inner.bare(part.value, Level::Or);
  out_ += value.starts_with('{') ? "{ " : "{";
  out_ += value;
  if (part.conversion != '\0') {
    out_ += '!';
    out_ += part.conversion;
  }
  if (!part.spec.empty()) {
    out_ += ':';
    out_ += part.spec;
  }
  out_ += '}';
}

void ExpressionPrinter::print(const Tuple& node) {
  out_ += '(';
  list(node.elements, Level::Named);
  out_ += node.elements.size() == 1 ? ",)" : ")";
}

void ExpressionPrinter::print(const List& node) {
  out_ += '[';
  list(node.elements, Level::Named);
  out_ += ']';
}

void ExpressionPrinter::print(const Dict& node) {
  out_ += '{';
  for (std::size_t i = 0; i < node.keys.size(); ++i) {
    out_ += i == 0 ? "" : ", ";
    if (!node.keys[i]) {
      out_ += "**";
      expr(node.values[i], Level::BitOr);
      continue;
    }
    expr(node.keys[i], Level::Conditional);
    // In a display that has both, a key without a value is what an error left behind.
    if (!node.values.empty() && node.values[i]) {
      out_ += ": ";
      expr(node.values[i], Level::Conditional);
    }
  }
  out_ += '}';
}

void ExpressionPrinter::print(const Unary& node) {
  switch (node.op) {
    case UnaryOp::Plus:
      out_ += '+';
      break;
    case UnaryOp::Minus:
      out_ += '-';
      break;
    case UnaryOp::Invert:
      out_ += '~';
      break;
    case UnaryOp::Not:
      out_ += "not ";
      break;
  }
  expr(node.operand, LevelOf{}(node));
}

void ExpressionPrinter::print(const Binary& node) {
  const auto [level, text] = binary_text(node.op);
  const bool is_pow = node.op == BinaryOp::Pow;
  expr(node.lhs, is_pow ? Level::Primary : level);
  out_ += ' ';
  out_ += text;
  out_ += ' ';
  expr(node.rhs, is_pow ? Level::Unary : above(level));
}

void ExpressionPrinter::print(const Logical& node) {
  separated(node.operands, node.op == BoolOp::And ? " and " : " or ",
            [&](ExprId operand) { expr(operand, above(LevelOf{}(node))); });
}

void ExpressionPrinter::print(const Compare& node) {
  expr(node.operands[0], Level::BitOr);
  for (std::size_t i = 0; i < node.ops.size(); ++i) {
    out_ += ' ';
    out_ += compare_text(node.ops[i]);
    out_ += ' ';
    expr(node.operands[i + 1], Level::BitOr);
  }
}

void ExpressionPrinter::print(const Conditional& node) {
  expr(node.if_true, Level::Or);
  out_ += " if ";
  expr(node.condition, Level::Or);
  out_ += " else ";
  expr(node.if_false, Level::Conditional);
}

void ExpressionPrinter::print(const Call& node) {
  expr(node.callee, Level::Primary);
  out_ += '(';
  const auto* only =
      node.arguments.size() == 1 ? module_.as<Comprehension>(node.arguments[0].value) : nullptr;
  if (only != nullptr && only->is_generator &&
      node.arguments[0].kind == Argument::Kind::Positional) {
    clauses(*only);
  } else {
    separated(node.arguments, ", ", [&](const Argument& a) { argument(a); });
  }
  out_ += ')';
}

void ExpressionPrinter::argument(const Argument& node) {
  switch (node.kind) {
    case Argument::Kind::Positional:
      expr(node.value, Level::Named);
      return;
    case Argument::Kind::Keyword:
      out_ += node.keyword;
      out_ += '=';
      break;
    case Argument::Kind::Star:
      out_ += '*';
      break;
    case Argument::Kind::StarStar:
      out_ += "**";
      break;
  }
  expr(node.value, Level::Conditional);
}

void ExpressionPrinter::print(const Attribute& node) {
  // `1.x` would be a number.
  const bool is_int = module_.as<IntLiteral>(node.object) != nullptr;
  out_ += is_int ? "(" : "";
  expr(node.object, Level::Primary);
  out_ += is_int ? ")." : ".";
  out_ += node.name;
}

void ExpressionPrinter::print(const Subscript& node) {
  expr(node.object, Level::Primary);
  out_ += '[';
  list(node.indices, Level::Named);
  out_ += node.is_tuple && node.indices.size() == 1 ? ",]" : "]";
}

void ExpressionPrinter::print(const Slice& node) {
  const auto part = [&](ExprId id) {
    if (id) {
      expr(id, Level::Conditional);
    }
  };
  part(node.begin);
  out_ += ':';
  part(node.end);
  if (node.step) {
    out_ += ':';
    part(node.step);
  }
}

void ExpressionPrinter::print(const Lambda& node) {
  out_ += node.parameters.empty() ? "lambda" : "lambda ";
  parameters(node.parameters);
  out_ += ": ";
  expr(node.body, Level::Conditional);
}

void ExpressionPrinter::print(const Comprehension& node) {
  out_ += node.is_generator ? '(' : '[';
  clauses(node);
  out_ += node.is_generator ? ')' : ']';
}

void ExpressionPrinter::clauses(const Comprehension& node) {
  expr(node.element, Level::Named);
  for (const ComprehensionClause& clause : node.clauses) {
    out_ += " for ";
    bare(clause.target, Level::Primary);
    out_ += " in ";
    expr(clause.iterable, Level::Or);
    for (const ExprId condition : clause.conditions) {
      out_ += " if ";
      expr(condition, Level::Or);
    }
  }
}

void ExpressionPrinter::print(const Starred& node) {
  out_ += '*';
  expr(node.value, Level::BitOr);
}

void ExpressionPrinter::print(const NamedExpr& node) {
  out_ += node.name;
  out_ += " := ";
  expr(node.value, Level::Conditional);
}

void ExpressionPrinter::parameters(const std::vector<Parameter>& list) {
  bool after_star = false;
  const auto positional =
      std::ranges::count(list, Parameter::Kind::PositionalOnly, &Parameter::kind);
  std::ptrdiff_t printed = 0;
  separated(list, ", ", [&](const Parameter& p) {
    if (p.kind == Parameter::Kind::KeywordOnly && !after_star) {
      out_ += "*, ";
    }
    after_star |= p.kind == Parameter::Kind::KeywordOnly || p.kind == Parameter::Kind::Star;
    out_ += p.kind == Parameter::Kind::Star ? "*" : p.kind == Parameter::Kind::StarStar ? "**" : "";
    out_ += p.name;
    if (p.annotation) {
      out_ += ": ";
      expr(p.annotation, Level::Conditional);
    }
    if (p.default_value) {
      out_ += p.annotation ? " = " : "=";
      expr(p.default_value, Level::Conditional);
    }
    out_ += ++printed == positional ? ", /" : "";
  });
}

}  // namespace tilery::ast
