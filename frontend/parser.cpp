#include "frontend/parser.h"

#include "frontend/grammar/builder.h"
#include "frontend/grammar/grammar.h"
#include "frontend/lexer.h"
#include "frontend/python_module.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace tilery {

namespace {

ast::Module parse_tokens(const SourceMap& sources, FileId file, ModuleKind kind,
                         const TokenList& list, Diagnostics& diagnostics) {
  ast::Module module;
  module.file = file;
  module.is_python = kind == ModuleKind::Python;
  module.exprs.reserve(list.tokens.size() / 2);
  grammar::Builder builder(sources, module, list.has_yield, diagnostics);
  if (kind == ModuleKind::Python) {
    module.body = read_python_module(builder, module, list.tokens, diagnostics);
  } else {
    const Token* first = list.tokens.data() + 1;
    grammar::parse_statements(builder, first, list.tokens.data() + list.tokens.size());
    module.body = builder.take_statements();
  }
  return module;
}

}  // namespace

std::optional<ast::Module> parse(const SourceMap& sources, FileId file, ModuleKind kind,
                                 Diagnostics& diagnostics) {
  Diagnostics found;
  const TokenList list = tokenize(sources, file, found);
  std::optional<ast::Module> module;
  if (list.usable) {
    module = parse_tokens(sources, file, kind, list, found);
  }
  // The lexer reports before the grammar does; people read from top to bottom.
  std::ranges::stable_sort(found.all(), {}, [](const Diagnostic& d) { return d.range.begin; });
  if (found.error_count() > kMaxErrors) {
    found.report(DiagId::TooManyErrors, found.all().back().range, kMaxErrors);
  }
  diagnostics.append(found);
  return found.has_errors() ? std::nullopt : std::move(module);
}

ModuleKind module_kind(std::string_view file_name) {
  return file_name.ends_with(".py") ? ModuleKind::Python : ModuleKind::Tilery;
}

}  // namespace tilery
