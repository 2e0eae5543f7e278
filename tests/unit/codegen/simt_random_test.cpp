// Random functions as LLVM IR with all threads of a block in step: the interpreter's bits.
#include "codegen/codegen.h"
#include "ir/builder.h"
#include "ir/printer.h"
#include "tests/fuzz/random_ir.h"
#include "tests/support/reference_run.h"
#include "tests/unit/codegen/simt_grid.h"
#include "tests/unit/interpreter/random_run.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace tilery::codegen {
namespace {

using testing::RandomArguments;

constexpr std::array<std::int64_t, 3> kGrid{2, 1, 1};

RandomArguments interpreted(const Function& function, std::uint64_t seed) {
  RandomArguments run = testing::make_arguments(function, seed);
  RunOptions options;
  options.grid = kGrid;
  options.threads = 1;
  const auto program = make_program(function);
  EXPECT_TRUE(tilery::run(*program, run.buffers, run.arguments, options).completed);
  return run;
}

/// The parameter that a pointer comes from.
const std::string& base_name(const Function& function, ValueId pointer) {
  while (function.value(pointer).def) {
    pointer = function.inst(function.value(pointer).def).operand(0);
  }
  return function.value(pointer).name;
}

/// What the simulator's threads leave open: it has no driver to print or to assert with, and no
/// order between what a lane stores and others load. The stores of results stay.
bool is_left_out(const Function& function, const Inst& inst) {
  return inst.op == Op::DevicePrint || inst.op == Op::DeviceAssert || inst.op == Op::Assume ||
         (inst.op == Op::Store && !base_name(function, inst.operand(0)).starts_with("all_"));
}

/// The operand that takes the place of a result that may round otherwise, or that takes 128 bits,
/// of which the simulator has 64.
ValueId stand_in(const Function& function, const Inst& inst) {
  if (testing::is_rounding_dot(function, inst, Target{})) {
    return inst.operand(2);
  }
  return inst.op == Op::UMulHi ? inst.operand(0) : ValueId();
}

Function random_results(std::uint64_t seed, int size) {
  Function function = random_traced_function(seed, size);
  for (std::uint32_t i = 0; i < function.insts.size(); ++i) {
    const Inst& inst = function.insts[i];
    const ValueId other = stand_in(function, inst);
    if (other) {
      replace_uses(function, inst.result(), other);
    }
    if (other || is_left_out(function, inst)) {
      erase(function, InstId{i});
    }
  }
  return function;
}

void expect_the_same_bits(const Function& function, std::uint64_t seed, int num_warps) {
  CodegenOptions options;
  options.num_warps = num_warps;
  options.math = GpuMath::Reproducible;
  const auto gpu = lower_to_gpu(function, Target{}, options);
  ASSERT_TRUE(gpu) << gpu.error().message;
  const RandomArguments expected = interpreted(function, seed);
  const RandomArguments found = testing::make_arguments(function, seed);
  ASSERT_EQ(testing::simulate_grid(*gpu, found.arguments, found.buffers, kGrid), "")
      << print(function);
  for (std::size_t i = 0; i < expected.buffers.size(); ++i) {
    ASSERT_TRUE(testing::same_contents(expected.buffers[i], found.buffers[i]))
        << expected.buffers[i].name << "\n"
        << print(function) << print_gpu(*gpu);
  }
}

TEST(SimtRandom, threads_in_step_find_the_interpreters_bits) {
  const char* const more = std::getenv("TILERY_RANDOM_FUNCTIONS");
  const std::uint64_t functions = more != nullptr ? std::strtoull(more, nullptr, 10) : 80;
  for (std::uint64_t seed = 0; seed < functions; ++seed) {
    const Function function = random_results(seed, 30);
    const int num_warps = 1 << (seed % 4);
    SCOPED_TRACE(fmt::format("seed {}, {} warps", seed, num_warps));
    expect_the_same_bits(function, seed, num_warps);
  }
}

}  // namespace
}  // namespace tilery::codegen
