// Fuzz target of the parser: any bytes either parse or get an error, and what parses prints as
// source that parses to the same tree.
#include "frontend/ast_printer.h"
#include "frontend/parser.h"
#include "ir/support/check.h"
#include "tests/fuzz/fuzz_target.h"

#include <optional>
#include <string>

namespace tilery {
namespace {

std::optional<ast::Module> parse_text(const std::string& text, ModuleKind kind) {
  SourceMap sources;
  const FileId file = sources.add("fuzz", 1, text);
  Diagnostics diagnostics;
  std::optional<ast::Module> module = parse(sources, file, kind, diagnostics);
  TILERY_CHECK(module.has_value() != diagnostics.has_errors(),
               "a tree and errors exclude each other");
  for (const Diagnostic& d : diagnostics.all()) {
    TILERY_CHECK(d.range.file == file && d.range.begin <= d.range.end && d.range.end <= text.size(),
                 "a diagnostic lies outside the file");
  }
  return module;
}

void check_parse(const std::string& text, ModuleKind kind) {
  const std::optional<ast::Module> module = parse_text(text, kind);
  if (module) {
    const std::optional<ast::Module> again = parse_text(ast::print(*module), ModuleKind::Tilery);
    TILERY_CHECK(again && ast::equal(*module, *again),
                 "the printed tree does not parse to the same tree");
  }
}

}  // namespace
}  // namespace tilery

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  tilery::check_parse(text, tilery::ModuleKind::Tilery);
  tilery::check_parse(text, tilery::ModuleKind::Python);
  return 0;
}
