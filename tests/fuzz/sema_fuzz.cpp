// Fuzz target of the specialiser: any text gets errors or IR that verifies, and that IR, printed,
// reads back as the same.
#include "ir/printer.h"
#include "ir/reader.h"
#include "ir/support/check.h"
#include "tests/fuzz/fuzz_kernel.h"
#include "tests/fuzz/fuzz_target.h"

#include <optional>
#include <string>

namespace tilery {
namespace {

void check_prints_and_reads(const Function& function) {
  const std::string text = print(function);
  SourceMap sources;
  Diagnostics diagnostics;
  const std::optional<Function> again =
      read_function(sources, sources.add("fuzz.ir", 1, text), diagnostics);
  TILERY_CHECK(again && print(*again) == text, "the printed function does not read as the same");
}

}  // namespace
}  // namespace tilery

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  // Before passes and after them.
  for (const bool optimise : {false, true}) {
    tilery::specialize_text(text, optimise,
                            [](const tilery::SourceMap&, const tilery::Specialized& specialized) {
                              tilery::check_prints_and_reads(specialized.function);
                            });
  }
  return 0;
}
