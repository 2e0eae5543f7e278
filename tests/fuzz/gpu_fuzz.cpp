// Fuzz target of code generation: what specialises becomes PTX, or an error that says which limit
// it meets.
#include "codegen/codegen.h"
#include "ir/support/check.h"
#include "tests/fuzz/fuzz_kernel.h"
#include "tests/fuzz/fuzz_target.h"

#include <string>
#include <utility>

namespace tilery {
namespace {

void generate(const SourceMap& sources, Specialized specialized) {
  const Result<codegen::GpuFunction> gpu =
      codegen::lower_to_gpu(std::move(specialized.function), {}, {});
  if (!gpu) {
    TILERY_CHECK(!gpu.error().message.empty(), "an error without words");
    return;
  }
  (void)codegen::print_gpu(*gpu, &sources);
  const Result<codegen::KernelBinary> binary = codegen::emit_ptx(*gpu, {&sources, {}});
  TILERY_CHECK(binary.ok(), "lowered, but refused by LLVM: " + binary.error().message);
}

}  // namespace
}  // namespace tilery

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  tilery::specialize_text(text, true, tilery::generate);
  return 0;
}
