// Fuzz target of the IR's text: any bytes get an error or a function that verifies, and what reads,
// prints and reads again as the same. The passes keep it valid.
#include "ir/passes/pipeline.h"
#include "ir/printer.h"
#include "ir/reader.h"
#include "ir/support/check.h"
#include "ir/verifier.h"
#include "tests/fuzz/fuzz_target.h"

#include <optional>
#include <string>

namespace tilery {
namespace {

std::optional<Function> read_text(const std::string& text) {
  SourceMap sources;
  const FileId file = sources.add("fuzz.ir", 1, text);
  Diagnostics diagnostics;
  std::optional<Function> function = read_function(sources, file, diagnostics);
  TILERY_CHECK(function.has_value() != diagnostics.has_errors(),
               "a function and errors exclude each other");
  for (const Diagnostic& d : diagnostics.all()) {
    (void)render(d, sources);
  }
  return function;
}

}  // namespace
}  // namespace tilery

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  std::optional<tilery::Function> function = tilery::read_text(text);
  if (!function) {
    return 0;
  }
  tilery::check_valid(*function, "read_function");
  const std::string printed = tilery::print(*function);
  const std::optional<tilery::Function> again = tilery::read_text(printed);
  TILERY_CHECK(again && tilery::print(*again) == printed,
               "the printed function does not read as the same");
  tilery::run_pipeline(*function);
  tilery::check_valid(*function, "run_pipeline");
  return 0;
}
