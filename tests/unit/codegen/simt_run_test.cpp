// Every file of tests/run as LLVM IR, run on the CPU with all threads of a block in step, and
// compared with the file's expectation and the interpreter's bits: the whole way of a kernel to the
// GPU but for LLVM's own part of it.
#include "codegen/codegen.h"
#include "tests/support/golden.h"
#include "tests/support/reference_run.h"
#include "tests/support/run_file.h"
#include "tests/unit/codegen/simt_grid.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace tilery {
namespace {

using testing::GoldenFile;
using testing::PreparedRun;
using testing::RunFile;

constexpr std::array kWarpCounts{1, 4, 16};

bool is_left_out(const GoldenFile& file, const RunFile& run) {
  return testing::is_interpreter_only(file, run) || !run.prints.empty() ||
         // Computed in 128 bits, and the simulator has 64.
         file.path.stem() == "umulhi";
}

void run_with(const GoldenFile& file, const std::vector<testing::RunBuffer>& reference,
              int num_warps) {
  SCOPED_TRACE(fmt::format("{} warps", num_warps));
  RunFile run = testing::read_run_file(file);
  const std::vector<testing::RunBuffer> inputs = run.buffers;
  PreparedRun prepared;
  testing::prepare_run(file, run, prepared);
  codegen::CodegenOptions options;
  options.num_warps = num_warps;
  options.math = codegen::GpuMath::Reproducible;
  const codegen::Target target;
  const auto gpu = codegen::lower_to_gpu(prepared.specialized->function, target, options);
  ASSERT_TRUE(gpu) << gpu.error().message;
  ASSERT_EQ(testing::simulate_grid(*gpu, prepared.arguments, prepared.buffers, run.grid), "");
  testing::expect_agreement(run, inputs, reference, prepared.specialized->function, target);
}

void run_file(const GoldenFile& file) {
  if (is_left_out(file, testing::read_run_file(file))) {
    return;
  }
  const std::vector<testing::RunBuffer> reference = testing::interpreted(file);
  for (const int num_warps : kWarpCounts) {
    run_with(file, reference, num_warps);
  }
}

}  // namespace
}  // namespace tilery

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  tilery::testing::register_golden_tests("SimtRun", "run", ".tl", tilery::run_file);
  return RUN_ALL_TESTS();
}
