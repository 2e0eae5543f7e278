#include "frontend/ast_printer.h"

#include "frontend/ast_print_string.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace tilery::ast {

namespace {

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

Level above(Level level) {
  return static_cast<Level>(static_cast<std::uint8_t>(level) + 1);
}

struct BinaryText {
  Level level;
  std::string_view text;
};

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

// A statement that stands for one whose text was not kept: it parses to the same Unsupported node.
std::string_view unsupported_text(std::string_view what) {
  using Row = std::pair<std::string_view, std::string_view>;
  constexpr std::array kRows = {
      Row{"try", "try: pass\nfinally: pass"},
      Row{"class", "class _: pass"},
      Row{"async def", "async def _(): pass"},
      Row{"async for", "async for _ in _: pass"},
      Row{"async with", "async with _: pass"},
      Row{"match", "match _:\n    case _: pass"},
      Row{"del", "del _"},
      Row{"global", "global _"},
      Row{"nonlocal", "nonlocal _"},
      Row{"type", "type _ = _"},
      Row{"await", "await _"},
      Row{"yield", "yield"},
  };
  const auto* row =
      std::find_if(kRows.begin(), kRows.end(), [&](const Row& r) { return r.first == what; });
  return row == kRows.end() ? "pass" : row->second;
}

class Printer {
 public:
  explicit Printer(const Module& module) : module_(module) {}

  [[nodiscard]] std::string take() { return std::move(out_); }

  // ---- expressions ----

  void expr(ExprId id, Level needed) {
    const ExprData& data = module_[id].data;
    const bool parens = std::visit(LevelOf{}, data) < needed;
    out_ += parens ? "(" : "";
    std::visit([&](const auto& node) { print(node); }, data);
    out_ += parens ? ")" : "";
  }

  /// Where a tuple needs no parentheses.
  void bare(ExprId id, Level needed = Level::Conditional) {
    const auto* tuple = module_.as<Tuple>(id);
    if (tuple == nullptr || tuple->elements.empty()) {
      expr(id, needed);
      return;
    }
    list(tuple->elements, needed);
    out_ += tuple->elements.size() == 1 ? "," : "";
  }

  void statement(StmtId id) {
    std::visit([&](const auto& node) { print(node); }, module_[id].data);
  }

 private:
  template <class Items, class Each>
  void separated(const Items& items, std::string_view separator, Each each) {
    bool first = true;
    for (const auto& item : items) {
      out_ += std::exchange(first, false) ? "" : separator;
      each(item);
    }
  }

  void list(const std::vector<ExprId>& items, Level needed) {
    separated(items, ", ", [&](ExprId item) { expr(item, needed); });
  }

  void print(const Name& node) { out_ += node.id; }

  void print(const IntLiteral& node) { out_ += node.spelling; }

  void print(const FloatLiteral& node) { out_ += node.spelling; }

  void print(const StringLiteral& node) { out_ += quoted(node.value, quote_); }

  void print(const BoolLiteral& node) { out_ += node.value ? "True" : "False"; }

  void print(const NoneLiteral&) { out_ += "None"; }

  void print(const EllipsisLiteral&) { out_ += "..."; }

  void print(const FString& node) {
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

  void field(const FStringPart& part) {
    // A lambda's `:` would begin the format, so nothing that may contain one goes without
    // parentheses;
    // `{{` would be text.
    Printer inner(module_);
    inner.quote_ = quote_;
    inner.bare(part.value, Level::Or);
    const std::string value = inner.take();
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

  void print(const Tuple& node) {
    out_ += '(';
    list(node.elements, Level::Named);
    out_ += node.elements.size() == 1 ? ",)" : ")";
  }

  void print(const List& node) {
    out_ += '[';
    list(node.elements, Level::Named);
    out_ += ']';
  }

  void print(const Dict& node) {
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

  void print(const Unary& node) {
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

  void print(const Binary& node) {
    const auto [level, text] = binary_text(node.op);
    const bool is_pow = node.op == BinaryOp::Pow;
    expr(node.lhs, is_pow ? Level::Primary : level);
    out_ += ' ';
    out_ += text;
    out_ += ' ';
    expr(node.rhs, is_pow ? Level::Unary : above(level));
  }

  void print(const Logical& node) {
    separated(node.operands, node.op == BoolOp::And ? " and " : " or ",
              [&](ExprId operand) { expr(operand, above(LevelOf{}(node))); });
  }

  void print(const Compare& node) {
    expr(node.operands[0], Level::BitOr);
    for (std::size_t i = 0; i < node.ops.size(); ++i) {
      out_ += ' ';
      out_ += compare_text(node.ops[i]);
      out_ += ' ';
      expr(node.operands[i + 1], Level::BitOr);
    }
  }

  void print(const Conditional& node) {
    expr(node.if_true, Level::Or);
    out_ += " if ";
    expr(node.condition, Level::Or);
    out_ += " else ";
    expr(node.if_false, Level::Conditional);
  }

  void print(const Call& node) {
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

  void argument(const Argument& node) {
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

  void print(const Attribute& node) {
    // `1.x` would be a number.
    const bool is_int = module_.as<IntLiteral>(node.object) != nullptr;
    out_ += is_int ? "(" : "";
    expr(node.object, Level::Primary);
    out_ += is_int ? ")." : ".";
    out_ += node.name;
  }

  void print(const Subscript& node) {
    expr(node.object, Level::Primary);
    out_ += '[';
    list(node.indices, Level::Named);
    out_ += node.is_tuple && node.indices.size() == 1 ? ",]" : "]";
  }

  void print(const Slice& node) {
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

  void print(const Lambda& node) {
    out_ += node.parameters.empty() ? "lambda" : "lambda ";
    parameters(node.parameters);
    out_ += ": ";
    expr(node.body, Level::Conditional);
  }

  void print(const Comprehension& node) {
    out_ += node.is_generator ? '(' : '[';
    clauses(node);
    out_ += node.is_generator ? ')' : ']';
  }

  void clauses(const Comprehension& node) {
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

  void print(const Starred& node) {
    out_ += '*';
    expr(node.value, Level::BitOr);
  }

  void print(const NamedExpr& node) {
    out_ += node.name;
    out_ += " := ";
    expr(node.value, Level::Conditional);
  }

  void parameters(const std::vector<Parameter>& list) {
    bool after_star = false;
    separated(list, ", ", [&](const Parameter& p) {
      if (p.kind == Parameter::Kind::KeywordOnly && !after_star) {
        out_ += "*, ";
      }
      after_star |= p.kind == Parameter::Kind::KeywordOnly || p.kind == Parameter::Kind::Star;
      out_ += p.kind == Parameter::Kind::Star       ? "*"
              : p.kind == Parameter::Kind::StarStar ? "**"
                                                    : "";
      out_ += p.name;
      if (p.annotation) {
        out_ += ": ";
        expr(p.annotation, Level::Conditional);
      }
      if (p.default_value) {
        out_ += p.annotation ? " = " : "=";
        expr(p.default_value, Level::Conditional);
      }
    });
  }

  // ---- statements: each prints whole lines ----

  void begin_line() { out_.append(4 * indent_, ' '); }

  /// A line that is a word and what follows it.
  template <class Rest>
  void line(std::string_view word, Rest rest) {
    begin_line();
    out_ += word;
    rest();
    out_ += '\n';
  }

  void line(std::string_view text) {
    line(text, [] {});
  }

  void block(const Block& body) {
    ++indent_;
    if (body.empty()) {
      line("pass");
    }
    std::for_each(body.begin(), body.end(), [&](StmtId id) { statement(id); });
    --indent_;
  }

  void else_block(const Block& body) {
    if (!body.empty()) {
      line("else:");
      block(body);
    }
  }

  void print(const ExprStmt& node) {
    line("", [&] { bare(node.value); });
  }

  void print(const Assign& node) {
    line("", [&] {
      for (const ExprId target : node.targets) {
        bare(target);
        out_ += " = ";
      }
      bare(node.value);
    });
  }

  void print(const AnnotatedAssign& node) {
    line("", [&] {
      expr(node.target, Level::Primary);
      out_ += ": ";
      expr(node.annotation, Level::Conditional);
      if (node.value) {
        out_ += " = ";
        bare(node.value);
      }
    });
  }

  void print(const AugmentedAssign& node) {
    line("", [&] {
      expr(node.target, Level::Primary);
      out_ += ' ';
      out_ += binary_text(node.op).text;
      out_ += "= ";
      bare(node.value);
    });
  }

  void print(const If& node) {
    const If* branch = &node;
    for (std::string_view word = "if "; branch != nullptr; word = "elif ") {
      line(word, [&] {
        expr(branch->condition, Level::Named);
        out_ += ':';
      });
      block(branch->body);
      const Block& rest = branch->else_body;
      branch = rest.size() == 1 ? module_.as<If>(rest.front()) : nullptr;
      if (branch == nullptr) {
        else_block(rest);
      }
    }
  }

  void print(const For& node) {
    line("for ", [&] {
      bare(node.target, Level::Primary);
      out_ += " in ";
      bare(node.iterable);
      out_ += ':';
    });
    block(node.body);
    else_block(node.else_body);
  }

  void print(const While& node) {
    line("while ", [&] {
      expr(node.condition, Level::Named);
      out_ += ':';
    });
    block(node.body);
    else_block(node.else_body);
  }

  void print(const Break&) { line("break"); }

  void print(const Continue&) { line("continue"); }

  void print(const Pass&) { line("pass"); }

  void print(const Return& node) {
    line("return", [&] {
      if (node.value) {
        out_ += ' ';
        bare(node.value);
      }
    });
  }

  void print(const Assert& node) {
    line("assert ", [&] {
      expr(node.condition, Level::Conditional);
      if (node.message) {
        out_ += ", ";
        expr(node.message, Level::Conditional);
      }
    });
  }

  void print(const Raise& node) {
    line("raise", [&] {
      if (node.exception) {
        out_ += ' ';
        expr(node.exception, Level::Conditional);
      }
    });
  }

  void print(const With& node) {
    line("with ", [&] {
      separated(node.items, ", ", [&](const WithItem& item) {
        expr(item.context, Level::Conditional);
        if (item.target) {
          out_ += " as ";
          expr(item.target, Level::Primary);
        }
      });
      out_ += ':';
    });
    block(node.body);
  }

  void print(const Import& node) {
    line(node.is_from ? "from " : "import ", [&] {
      if (node.is_from) {
        out_.append(node.level, '.');
        out_ += node.module;
        out_ += " import ";
      }
      separated(node.names, ", ", [&](const ImportedName& name) {
        out_ += name.name;
        out_ += name.alias.empty() ? "" : " as ";
        out_ += name.alias;
      });
    });
  }

  void print(const FunctionDef& node) {
    for (const Decorator& decorator : node.decorators) {
      line("@", [&] { expr(decorator.value, Level::Named); });
    }
    line("def ", [&] {
      out_ += node.name;
      out_ += '(';
      parameters(node.parameters);
      out_ += ')';
      if (node.return_annotation) {
        out_ += " -> ";
        expr(node.return_annotation, Level::Conditional);
      }
      out_ += ':';
    });
    if (!node.docstring.empty()) {
      ++indent_;
      line(triple_quoted(node.docstring));
      --indent_;
    }
    if (node.docstring.empty() || !node.body.empty()) {
      block(node.body);
    }
  }

  void print(const Unsupported& node) {
    std::string_view rest = unsupported_text(node.what);
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      line(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }

  const Module& module_;
  std::string out_;
  std::size_t indent_ = 0;
  /// Around strings; within a field of an f-string the other one, so that older readers follow.
  char quote_ = '"';
};

}  // namespace

std::string print(const Module& module) {
  Printer printer(module);
  std::for_each(module.body.begin(), module.body.end(), [&](StmtId id) { printer.statement(id); });
  return printer.take();
}

std::string print(const Module& module, ExprId expr) {
  Printer printer(module);
  printer.expr(expr, Level::Named);
  return printer.take();
}

}  // namespace tilery::ast
