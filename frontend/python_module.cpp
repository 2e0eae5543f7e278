#include "frontend/python_module.h"

#include "frontend/grammar/grammar.h"
#include "frontend/grammar/lookahead.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilery {

namespace {

using grammar::Builder;

/// The names that a statement at module level binds.
struct BoundNames {
  const ast::Module& module;
  std::vector<std::string> names;

  void add_target(ast::ExprId id) {
    if (const auto* name = module.as<ast::Name>(id)) {
      names.push_back(name->id);
    } else if (const auto* tuple = module.as<ast::Tuple>(id)) {
      std::ranges::for_each(tuple->elements, [&](ast::ExprId e) { add_target(e); });
    }
  }

  void add(const ast::Stmt& stmt) {
    if (const auto* assign = std::get_if<ast::Assign>(&stmt.data)) {
      std::ranges::for_each(assign->targets, [&](ast::ExprId e) { add_target(e); });
    } else if (const auto* annotated = std::get_if<ast::AnnotatedAssign>(&stmt.data)) {
      add_target(annotated->target);
    } else if (const auto* function = std::get_if<ast::FunctionDef>(&stmt.data)) {
      names.push_back(function->name);
    } else if (const auto* import = std::get_if<ast::Import>(&stmt.data)) {
      for (const ast::ImportedName& name : import->names) {
        const std::string first = name.name.substr(0, name.name.find('.'));
        names.push_back(name.alias.empty() ? first : name.alias);
      }
    }
  }
};

/// Whether an expression's last name is `jit`: `jit`, `triton.jit`, `triton.jit(…)`.
bool is_jit(const ast::Module& module, ast::ExprId id) {
  if (const auto* call = module.as<ast::Call>(id)) {
    id = call->callee;
  }
  if (const auto* attribute = module.as<ast::Attribute>(id)) {
    return attribute->name == "jit";
  }
  const auto* name = module.as<ast::Name>(id);
  return name != nullptr && name->id == "jit";
}

bool is_jit(const ast::Module& module, ast::StmtId id) {
  const auto* function = module.as<ast::FunctionDef>(id);
  return function != nullptr &&
         std::ranges::any_of(function->decorators,
                             [&](const ast::Decorator& d) { return is_jit(module, d.value); });
}

/// A constant or an import: `x.y = 1` changes something that a kernel does not see.
bool is_kept(const ast::Module& module, ast::StmtId id) {
  BoundNames bound{module, {}};
  bound.add(module[id]);
  return !bound.names.empty();
}

class PythonReader {
 public:
  PythonReader(Builder& builder, ast::Module& module, std::span<const Token> tokens,
               Diagnostics& diagnostics)
      : builder_(builder),
        module_(module),
        nested_(module.nested_kernels),
        tokens_(tokens),
        diagnostics_(diagnostics) {}

  /// The statements from `at` up to the end of its block.
  ast::Block read_block(const Token* at) {
    ast::Block kept;
    while (at->kind != TokenKind::Dedent && at->kind != TokenKind::EndOfFile &&
           diagnostics_.error_count() <= kMaxErrors) {
      const Token* next = grammar::skip_statement(at);
      append(kept, read_statement(at, next));
      note_nested_kernels(at, next);
      // A token that begins nothing (a stray Indent was skipped with its block).
      at = next == at ? at + 1 : next;
    }
    return kept;
  }

 private:
  ast::Block read_statement(const Token* at, const Token* next) {
    switch (at->kind) {
      case TokenKind::At:
      case TokenKind::Def:
        return read_function(at, next);
      case TokenKind::If:
      case TokenKind::Try:
      case TokenKind::With:
        return read_branches(at, next);
      case TokenKind::Import:
      case TokenKind::From:
      case TokenKind::Name:
      case TokenKind::LParen:
        return read_line(at);
      default:
        return {};
    }
  }

  ast::Block read_function(const Token* at, const Token* next) {
    bool has_jit = false;
    const Token* head = at;
    while (head->kind == TokenKind::At) {
      has_jit |= names_jit(head + 1);
      while (!is_layout(head->kind)) {
        ++head;
      }
      head += head->kind == TokenKind::Newline ? 1 : 0;
    }
    return head->kind == TokenKind::Def ? parse(at, next, has_jit) : ast::Block{};
  }

  /// Remembers the jit functions inside the class or function between `at` and `next`.
  void note_nested_kernels(const Token* at, const Token* next) {
    const Token* head = grammar::skip_decorators(at);
    head += head->kind == TokenKind::Async ? 1 : 0;
    if (head->kind != TokenKind::Class && head->kind != TokenKind::Def) {
      return;
    }
    bool has_jit = false;
    for (const Token* inner = head + 2; inner < next; ++inner) {
      const bool begins_line = is_layout(inner[-1].kind);
      if (begins_line && inner->kind == TokenKind::At) {
        has_jit |= names_jit(inner + 1);
      } else if (begins_line && !is_layout(inner->kind)) {
        if (has_jit && inner->kind == TokenKind::Def) {
          nested_.push_back({std::string(builder_.text(inner[1])),
                             std::string(builder_.text(head[1])), builder_.range(inner[1])});
        }
        has_jit = false;
      }
    }
  }

  /// Whether a dotted name at `at` ends in `jit`.
  [[nodiscard]] bool names_jit(const Token* at) const {
    while (at[0].kind == TokenKind::Name && at[1].kind == TokenKind::Dot) {
      at += 2;
    }
    const TokenKind after = at[1].kind;
    return at->kind == TokenKind::Name && builder_.text(*at) == "jit" &&
           (after == TokenKind::LParen || after == TokenKind::Newline);
  }

  ast::Block read_line(const Token* at) {
    ast::Block kept = parse(at, nullptr, false);
    std::erase_if(kept, [&](ast::StmtId id) { return !is_kept(module_, id); });
    return kept;
  }

  /// Parses one statement; what has errors is dropped, and reported only if it had to parse.
  ast::Block parse(const Token* at, const Token* expected_end, bool must_parse) {
    Diagnostics found;
    builder_.report_to(found);
    const Builder::Mark mark = builder_.mark();
    const Token* last = tokens_.data() + tokens_.size();
    const Token* end = grammar::parse_line(builder_, at, last);
    while (expected_end != nullptr && end < expected_end && must_parse) {
      // After an error in its header, the body is looked at for more.
      end = parse_rest(end, last);
    }
    ast::Block result = builder_.take_statements();
    builder_.report_to(diagnostics_);
    if (!found.has_errors()) {
      return result;
    }
    builder_.roll_back(mark);
    if (must_parse) {
      diagnostics_.append(found);
    }
    return {};
  }

  const Token* parse_rest(const Token* at, const Token* last) {
    if (at->kind == TokenKind::Indent) {
      at = grammar::parse_statements(builder_, at + 1, last);
    }
    return at->kind == TokenKind::EndOfFile || at->kind == TokenKind::Dedent
               ? at + 1
               : grammar::parse_line(builder_, at, last);
  }

  /// The statements after the colon of `if x: y = 1`; nullptr where a block follows.
  static const Token* suite_on_line(const Token* at) {
    int depth = 0;
    for (; !is_layout(at->kind); ++at) {
      const TokenKind kind = at->kind;
      depth +=
          kind == TokenKind::LParen || kind == TokenKind::LBracket || kind == TokenKind::LBrace;
      depth -=
          kind == TokenKind::RParen || kind == TokenKind::RBracket || kind == TokenKind::RBrace;
      if (depth == 0 && kind == TokenKind::Colon) {
        return is_layout(at[1].kind) ? nullptr : at + 1;
      }
    }
    return nullptr;
  }

  /// The blocks of `if`/`elif`/`else`, `try`/`except`/`else`/`finally`, `with`.
  ast::Block read_branches(const Token* at, const Token* next) {
    const bool is_main = at->kind == TokenKind::If && builder_.text(at[1]) == "__name__";
    std::map<std::string, Binding> bound;
    ast::Block kept;
    while (at != next) {
      const Token* body = at;
      while (!is_layout(body->kind)) {
        ++body;
      }
      if (body[0].kind == TokenKind::Newline && body[1].kind == TokenKind::Indent && !is_main) {
        merge_branch(kept, bound, read_block(body + 2), at->begin);
      } else if (const Token* suite = suite_on_line(at); suite != nullptr && !is_main) {
        merge_branch(kept, bound, read_line(suite), at->begin);
      }
      at = grammar::skip_line_and_block(at);
    }
    return kept;
  }

  /// Who bound a name: a statement, in the branch that begins at an offset.
  struct Binding {
    ast::StmtId stmt;
    std::uint32_t branch = 0;
  };

  void merge_branch(ast::Block& kept, std::map<std::string, Binding>& bound,
                    const ast::Block& branch, std::uint32_t branch_begin) {
    for (const ast::StmtId id : branch) {
      BoundNames names{module_, {}};
      names.add(module_[id]);
      const auto taken = std::ranges::find_if(names.names, [&](const std::string& name) {
        const auto found = bound.find(name);
        return found != bound.end() && found->second.branch != branch_begin;
      });
      if (taken != names.names.end()) {
        const ast::StmtId earlier = bound[*taken].stmt;
        if (!is_jit(module_, id) || is_jit(module_, earlier)) {
          continue;
        }
        std::erase(kept, earlier);
      }
      for (const std::string& name : names.names) {
        bound[name] = {id, branch_begin};
      }
      kept.push_back(id);
    }
  }

  static void append(ast::Block& to, const ast::Block& from) {
    to.insert(to.end(), from.begin(), from.end());
  }

  Builder& builder_;
  const ast::Module& module_;
  std::vector<ast::NestedKernel>& nested_;
  std::span<const Token> tokens_;
  Diagnostics& diagnostics_;
};

}  // namespace

ast::Block read_python_module(Builder& builder, ast::Module& module, std::span<const Token> tokens,
                              Diagnostics& diagnostics) {
  // The first token is the Newline that precedes everything.
  return PythonReader(builder, module, tokens, diagnostics).read_block(tokens.data() + 1);
}

}  // namespace tilery
