// Every run test, lowered for a GPU with several numbers of warps: the layouts fit together, and
// the lowered function computes in the interpreter what the file expects.
#include "codegen/codegen.h"
#include "interpreter/interpreter.h"
#include "tests/support/golden.h"
#include "tests/support/layout_violations.h"
#include "tests/support/run_file.h"

#include <gtest/gtest.h>

namespace tilery {
namespace {

void run_lowered(const testing::GoldenFile& file, const codegen::CodegenOptions& options) {
  testing::RunFile run = testing::read_run_file(file);
  const std::vector<testing::RunBuffer> inputs = run.buffers;
  testing::PreparedRun prepared;
  testing::prepare_run(file, run, prepared);
  ASSERT_TRUE(prepared.specialized);
  const auto gpu =
      codegen::lower_to_gpu(prepared.specialized->function, codegen::Target{}, options);
  ASSERT_TRUE(gpu) << gpu.error().message;
  const std::vector<std::string> violations = testing::layout_violations(*gpu);
  ASSERT_TRUE(violations.empty()) << violations.front() << "\n" << codegen::print_gpu(*gpu);
  const auto program = make_program(gpu->function);
  RunOptions run_options;
  run_options.grid = run.grid;
  run_options.print = [](std::string_view) {};
  (void)tilery::run(*program, prepared.buffers, prepared.arguments, run_options);
  testing::expect_buffers(run, inputs);
}

void run_file(const testing::GoldenFile& file) {
  for (const std::optional<int> warps :
       {std::optional<int>(), std::optional(1), std::optional(8)}) {
    SCOPED_TRACE(warps.value_or(0));
    codegen::CodegenOptions options;
    options.num_warps = warps;
    try {
      run_lowered(file, options);
    } catch (const std::invalid_argument& error) {
      FAIL() << file.path << ": " << error.what();
    }
  }
}

}  // namespace
}  // namespace tilery

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  tilery::testing::register_golden_tests("Lowered", "run", ".tl", tilery::run_file);
  return RUN_ALL_TESTS();
}
