// Random functions, lowered: the verifier and the layouts' rules hold, and the interpreter finds
// the bits that it finds without.
#include "codegen/codegen.h"
#include "interpreter/interpreter.h"
#include "ir/printer.h"
#include "ir/verifier.h"
#include "tests/fuzz/random_ir.h"
#include "tests/support/layout_violations.h"
#include "tests/unit/interpreter/random_run.h"

#include <gtest/gtest.h>

#include <array>

namespace tilery::codegen {
namespace {

using testing::RandomArguments;

GpuFunction lowered(const Function& function, int warps) {
  CodegenOptions options;
  options.num_warps = warps;
  auto gpu = lower_to_gpu(function, Target{}, options);
  EXPECT_TRUE(gpu) << gpu.error().message;
  return std::move(*gpu);
}

RandomArguments contents_after(const Function& function, std::uint64_t seed) {
  RandomArguments run = testing::make_arguments(function, seed);
  RunOptions options;
  options.grid = {2, 1, 1};
  options.threads = 1;
  const auto program = make_program(function);
  EXPECT_TRUE(tilery::run(*program, run.buffers, run.arguments, options).completed);
  return run;
}

TEST(LowerRandom, layouts_fit_together) {
  constexpr std::uint64_t kFunctions = 600;
  int conversions = 0;
  for (std::uint64_t seed = 0; seed < kFunctions; ++seed) {
    SCOPED_TRACE(seed);
    const int warps = 1 << (seed % 6);
    const GpuFunction gpu = lowered(random_function(seed, 60), warps);
    ASSERT_TRUE(verify(gpu.function).empty()) << verify(gpu.function).front();
    const std::vector<std::string> violations = testing::layout_violations(gpu);
    ASSERT_TRUE(violations.empty()) << violations.front() << "\n" << print_gpu(gpu);
    for (const Inst& inst : gpu.function.insts) {
      conversions += inst.op == Op::ConvertLayout ? 1 : 0;
    }
  }
  // Layouts of scans, dots and transposes do meet.
  EXPECT_GT(conversions, 20);
}

TEST(LowerRandom, computes_the_same_bits) {
  constexpr std::uint64_t kFunctions = 100;
  for (std::uint64_t seed = 0; seed < kFunctions; ++seed) {
    SCOPED_TRACE(seed);
    const Function plain = random_traced_function(seed, 40);
    const GpuFunction gpu = lowered(plain, 4);
    const RandomArguments expected = contents_after(plain, seed);
    const RandomArguments found = contents_after(gpu.function, seed);
    for (std::size_t i = 0; i < expected.buffers.size(); ++i) {
      ASSERT_TRUE(testing::same_contents(expected.buffers[i], found.buffers[i]))
          << expected.buffers[i].name << "\n"
          << print(plain) << print_gpu(gpu);
    }
  }
}

}  // namespace
}  // namespace tilery::codegen
