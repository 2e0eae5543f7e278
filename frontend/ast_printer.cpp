#include "frontend/ast_printer.h"

#include "frontend/ast_print_expression.h"
#include "frontend/ast_print_string.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace tilery::ast {

namespace {

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
  const auto* row = std::ranges::find_if(kRows, [&](const Row& r) { return r.first == what; });
  return row == kRows.end() ? "pass" : row->second;
}

class StatementPrinter {
 public:
  explicit StatementPrinter(const Module& module) : module_(module), exprs_(module, out_) {}

  [[nodiscard]] std::string take() { return std::move(out_); }

  void statement(StmtId id) {
    std::visit([&](const auto& node) { print(node); }, module_[id].data);
  }

 private:
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
    std::ranges::for_each(body, [&](StmtId id) { statement(id); });
    --indent_;
  }

  void else_block(const Block& body) {
    if (!body.empty()) {
      line("else:");
      block(body);
    }
  }

  void print(const ExprStmt& node) {
    line("", [&] { exprs_.bare(node.value); });
  }

  void print(const Assign& node) {
    line("", [&] {
      for (const ExprId target : node.targets) {
        exprs_.bare(target);
        out_ += " = ";
      }
      exprs_.bare(node.value);
    });
  }

  void print(const AnnotatedAssign& node) {
    line("", [&] {
      exprs_.expr(node.target, Level::Primary);
      out_ += ": ";
      exprs_.expr(node.annotation, Level::Conditional);
      if (node.value) {
        out_ += " = ";
        exprs_.bare(node.value);
      }
    });
  }

  void print(const AugmentedAssign& node) {
    line("", [&] {
      exprs_.expr(node.target, Level::Primary);
      out_ += ' ';
      out_ += binary_text(node.op).text;
      out_ += "= ";
      exprs_.bare(node.value);
    });
  }

  void print(const If& node) {
    const If* branch = &node;
    for (std::string_view word = "if "; branch != nullptr; word = "elif ") {
      line(word, [&] {
        exprs_.expr(branch->condition, Level::Named);
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
      exprs_.bare(node.target, Level::Primary);
      out_ += " in ";
      exprs_.bare(node.iterable);
      out_ += ':';
    });
    block(node.body);
    else_block(node.else_body);
  }

  void print(const While& node) {
    line("while ", [&] {
      exprs_.expr(node.condition, Level::Named);
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
        exprs_.bare(node.value);
      }
    });
  }

  void print(const Assert& node) {
    line("assert ", [&] {
      exprs_.expr(node.condition, Level::Conditional);
      if (node.message) {
        out_ += ", ";
        exprs_.expr(node.message, Level::Conditional);
      }
    });
  }

  void print(const Raise& node) {
    line("raise", [&] {
      if (node.exception) {
        out_ += ' ';
        exprs_.expr(node.exception, Level::Conditional);
      }
    });
  }

  void print(const With& node) {
    line("with ", [&] {
      exprs_.separated(node.items, ", ", [&](const WithItem& item) {
        exprs_.expr(item.context, Level::Conditional);
        if (item.target) {
          out_ += " as ";
          exprs_.expr(item.target, Level::Primary);
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
      exprs_.separated(node.names, ", ", [&](const ImportedName& name) {
        out_ += name.name;
        out_ += name.alias.empty() ? "" : " as ";
        out_ += name.alias;
      });
    });
  }

  void print(const FunctionDef& node) {
    for (const Decorator& decorator : node.decorators) {
      line("@", [&] { exprs_.expr(decorator.value, Level::Named); });
    }
    line("def ", [&] {
      out_ += node.name;
      out_ += '(';
      exprs_.parameters(node.parameters);
      out_ += ')';
      if (node.return_annotation) {
        out_ += " -> ";
        exprs_.expr(node.return_annotation, Level::Conditional);
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
  ExpressionPrinter exprs_;
  std::size_t indent_ = 0;
};

}  // namespace

std::string print(const Module& module) {
  StatementPrinter printer(module);
  std::ranges::for_each(module.body, [&](StmtId id) { printer.statement(id); });
  return printer.take();
}

std::string print(const Module& module, ExprId expr) {
  std::string out;
  ExpressionPrinter(module, out).expr(expr, Level::Named);
  return out;
}

}  // namespace tilery::ast
