// Compiles every file of tests/run to PTX, for every kind of chip and several block sizes, and
// assembles it where a ptxas is found (on the PATH or in /usr/local). No GPU is needed.
#include "codegen/codegen.h"
#include "tests/support/golden.h"
#include "tests/support/ptxas.h"
#include "tests/support/run_file.h"

#include <gtest/gtest.h>

#include <array>

namespace tilery {
namespace {

struct Variant {
  const char* target;
  int num_warps;
  codegen::GpuMath math;
};

constexpr std::array kVariants{
    Variant{"sm_80", 4, codegen::GpuMath::Reproducible},
    Variant{"sm_89", 8, codegen::GpuMath::Fast},
    Variant{"sm_90a", 4, codegen::GpuMath::Fast},
    Variant{"sm_90a", 1, codegen::GpuMath::Reproducible},
    Variant{"sm_100", 32, codegen::GpuMath::Fast},
};

void compile_variant(const testing::PreparedRun& prepared, const Variant& variant) {
  SCOPED_TRACE(std::string(variant.target) + ", " + std::to_string(variant.num_warps) + " warps");
  codegen::CodegenOptions options;
  options.num_warps = variant.num_warps;
  options.math = variant.math;
  options.debug = true;
  const codegen::Target target = *codegen::parse_target(variant.target);
  const auto gpu = codegen::lower_to_gpu(prepared.specialized->function, target, options);
  ASSERT_TRUE(gpu) << gpu.error().message;
  codegen::EmitOptions emit;
  emit.sources = &prepared.sources;
  const auto binary = codegen::emit_ptx(*gpu, emit);
  ASSERT_TRUE(binary) << binary.error().message;
  EXPECT_NE(binary->code.find(".visible .entry " + binary->entry), std::string::npos);
  constexpr int kLittleOptimisation = 1;
  const testing::PtxasResult assembled =
      testing::assemble(binary->code, variant.target, kLittleOptimisation);
  EXPECT_EQ(assembled.errors, "") << binary->code;
}

void compile_file(const testing::GoldenFile& file) {
  testing::RunFile run = testing::read_run_file(file);
  testing::PreparedRun prepared;
  testing::prepare_run(file, run, prepared);
  ASSERT_TRUE(prepared.specialized) << render(prepared.diagnostics.all().front(), prepared.sources);
  for (const Variant& variant : kVariants) {
    compile_variant(prepared, variant);
  }
}

}  // namespace
}  // namespace tilery

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  tilery::testing::register_golden_tests("Ptx", "run", ".tl", tilery::compile_file);
  return RUN_ALL_TESTS();
}
