// Every file of tests/run as LLVM IR, run on the CPU with all threads of a block in step, and
// compared with the file's expectation and the interpreter's bits: the whole way of a kernel to the
// GPU but for LLVM's own part of it.
#include "codegen/codegen.h"
#include "tests/support/golden.h"
#include "tests/support/reference_run.h"
#include "tests/support/run_file.h"
#include "tests/unit/codegen/emitted_llvm.h"
#include "tests/unit/codegen/simt.h"

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

/// All programs of the grid, one after the other.
std::string simulate(const codegen::GpuFunction& gpu, const PreparedRun& prepared, RunFile& run) {
  const testing::SimtKernel kernel(codegen::emitted_llvm(gpu));
  std::vector<std::uint64_t> arguments;
  for (const InterpreterArgument& argument : prepared.arguments) {
    std::uint64_t bits = argument.bits;
    if (argument.is_pointer) {
      bits = static_cast<std::uint64_t>(argument.byte_offset);
      if (argument.buffer >= 0) {
        bits += reinterpret_cast<std::uint64_t>(
            run.buffers[static_cast<std::size_t>(argument.buffer)].data.data());
      }
    }
    arguments.push_back(bits);
  }
  testing::SimtProgram program;
  program.grid = run.grid;
  program.allows_copies = true;
  auto& [x, y, z] = program.index;
  for (z = 0; z < run.grid[2]; ++z) {
    for (y = 0; y < run.grid[1]; ++y) {
      for (x = 0; x < run.grid[0]; ++x) {
        std::string failure = kernel.run(arguments, gpu.num_warps * 32, gpu.shared_bytes, program);
        if (!failure.empty()) {
          return failure;
        }
      }
    }
  }
  return {};
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
  ASSERT_EQ(simulate(*gpu, prepared, run), "");
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
