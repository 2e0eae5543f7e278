#include "tests/unit/codegen/emitted_llvm.h"

#include "codegen/codegen.h"

#include <gtest/gtest.h>

#include <string_view>

namespace tilery::codegen {

std::string emitted_llvm(const GpuFunction& gpu) {
  std::string text;
  EmitOptions options;
  options.dump = [&](std::string_view stage, std::string_view dumped) {
    if (stage == "llvm-raw") {
      text = dumped;
    }
  };
  const Result<KernelBinary> binary = emit_ptx(gpu, options);
  EXPECT_TRUE(binary.ok()) << (binary ? "" : binary.error().message);
  return text;
}

}  // namespace tilery::codegen
