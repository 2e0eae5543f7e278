// Runs every file of tests/run on the GPU of this machine, with 1 to 32 warps, three times each,
// and compares with the file's expectation and the interpreter's bits. Built by the target
// gpu_run_test; not part of ctest, because CI has no GPU:
//
//     gpu_run_test [--gtest_filter=…]
#include "runtime/cuda_launch.h"
#include "runtime/cuda_module.h"
#include "runtime/gpu_compile.h"
#include "tests/support/golden.h"
#include "tests/support/reference_run.h"
#include "tests/support/run_file.h"

#include <gtest/gtest.h>

#include <array>

namespace tilery {
namespace {

using testing::GoldenFile;
using testing::PreparedRun;
using testing::RunFile;

constexpr std::array kWarpCounts{1, 2, 4, 8, 16, 32};
constexpr int kRepeats = 3;

/// The machine's first GPU, or why there is none.
CudaDevice& device() {
  static CudaDevice* const opened = [] {
    auto found = CudaDevice::open(0);
    if (!found) {
      std::fprintf(stderr, "%s\n", found.error().message.c_str());
      std::exit(3);
    }
    return *found;
  }();
  return *opened;
}

/// Runs the kernel on the run's buffers, in place.
void run_on_gpu(const CudaKernel& kernel, std::shared_ptr<const CudaKernel> handle,
                const PreparedRun& prepared, RunFile& run) {
  CudaContext& context = kernel.context();
  const ContextScope scope(context);
  const CudaApi& api = device().api();
  std::vector<CudaMemory> memories;
  for (testing::RunBuffer& buffer : run.buffers) {
    auto memory = CudaMemory::allocate(context, buffer.data.size() + 64, buffer.name);
    ASSERT_TRUE(memory) << memory.error().message;
    ASSERT_EQ(api.cuMemcpyHtoDAsync(memory->pointer(), buffer.data.data(), buffer.data.size(),
                                    context.stream),
              cuda::Code::Success);
    memories.push_back(std::move(*memory));
  }
  CudaLaunch launch(std::move(handle));
  launch.set_grid({static_cast<unsigned>(run.grid[0]), static_cast<unsigned>(run.grid[1]),
                   static_cast<unsigned>(run.grid[2])});
  for (std::size_t i = 0; i < prepared.arguments.size(); ++i) {
    const InterpreterArgument& argument = prepared.arguments[i];
    std::uint64_t bits = argument.bits;
    if (argument.is_pointer) {
      bits = argument.buffer < 0 ? 0
                                 : memories[static_cast<std::size_t>(argument.buffer)].pointer() +
                                       static_cast<std::uint64_t>(argument.byte_offset);
    }
    launch.set_value(i, bits);
  }
  const cuda::Code queued = launch.queue(context.stream);
  ASSERT_EQ(queued, cuda::Code::Success) << launch.queue_failure(queued).message;
  for (std::size_t i = 0; i < memories.size(); ++i) {
    testing::RunBuffer& buffer = run.buffers[i];
    ASSERT_EQ(api.cuMemcpyDtoHAsync(buffer.data.data(), memories[i].pointer(), buffer.data.size(),
                                    context.stream),
              cuda::Code::Success);
  }
  const cuda::Code done = api.cuStreamSynchronize(context.stream);
  ASSERT_EQ(done, cuda::Code::Success) << api.describe(done);
}

void run_with(const GoldenFile& file, const std::vector<testing::RunBuffer>& reference,
              int num_warps) {
  SCOPED_TRACE(std::to_string(num_warps) + " warps");
  RunFile run = testing::read_run_file(file);
  const std::vector<testing::RunBuffer> inputs = run.buffers;
  PreparedRun prepared;
  testing::prepare_run(file, run, prepared);
  codegen::CodegenOptions options;
  options.num_warps = num_warps;
  options.math = codegen::GpuMath::Reproducible;
  const auto target = device().target();
  ASSERT_TRUE(target);
  const GpuCompileResult compiled =
      compile_for_gpu(prepared.specialized->function, *target, options, &prepared.sources);
  ASSERT_TRUE(compiled.binary) << compiled.error;
  auto context = device().context();
  ASSERT_TRUE(context) << context.error().message;
  auto kernel =
      CudaKernel::load(**context, *compiled.binary, prepared.specialized->function.name, false);
  ASSERT_TRUE(kernel) << kernel.error().message;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    run.buffers = inputs;
    run_on_gpu(**kernel, *kernel, prepared, run);
    if (::testing::Test::HasFatalFailure()) {
      return;
    }
    testing::expect_agreement(run, inputs, reference, prepared.specialized->function, *target);
  }
}

void run_file(const GoldenFile& file) {
  if (testing::is_interpreter_only(file, testing::read_run_file(file))) {
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
  tilery::testing::register_golden_tests("Gpu", "run", ".tl", tilery::run_file);
  return RUN_ALL_TESTS();
}
