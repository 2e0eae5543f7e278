// The passes change no bit that a function computes: random functions run as they are and as the
// pipeline leaves them.
//
// Two of its passes change bits by their definition. contract_fma is run on both sides or on
// neither; functions in which accumulate_sum found a sum are left out (its own tests say what it
// may do).
#include "interpreter/interpreter.h"
#include "ir/passes/contract_fma.h"
#include "ir/passes/pipeline.h"
#include "ir/printer.h"
#include "tests/fuzz/random_ir.h"
#include "tests/unit/interpreter/random_run.h"

#include <gtest/gtest.h>

namespace tilery {
namespace {

using testing::make_arguments;
using testing::RandomArguments;
using testing::same_contents;

RandomArguments contents_after(const Function& function, std::uint64_t seed) {
  RandomArguments run = make_arguments(function, seed);
  RunOptions options;
  options.grid = {2, 2, 1};
  options.threads = 1;
  const auto program = make_program(function);
  const RunReport report = tilery::run(*program, run.buffers, run.arguments, options);
  EXPECT_TRUE(report.completed) << print(function);
  return run;
}

/// What the pipeline makes of a function; `reorders` tells whether it moved a sum out of a loop.
Function optimised(const Function& function, bool& reorders) {
  Function result = function;
  std::string before;
  PipelineOptions options;
  options.fuse_fma = false;
  options.after_pass = [&](std::string_view pass, const Function& now) {
    reorders |= pass == "accumulate_sum" && print(now) != before;
    before = print(now);
  };
  run_pipeline(result, options);
  return result;
}

TEST(Passes, ChangeNoBitOfRandomFunctions) {
  constexpr std::uint64_t kFunctions = 400;
  std::uint64_t compared = 0;
  for (std::uint64_t seed = 0; seed < kFunctions; ++seed) {
    SCOPED_TRACE(seed);
    Function plain = random_traced_function(seed, 30);
    if (seed % 2 == 0) {
      contract_fma(plain);
    }
    bool reorders = false;
    const Function fast = optimised(plain, reorders);
    if (reorders) {
      continue;
    }
    const RandomArguments expected = contents_after(plain, seed);
    const RandomArguments found = contents_after(fast, seed);
    for (std::size_t i = 0; i < expected.buffers.size(); ++i) {
      ASSERT_TRUE(same_contents(expected.buffers[i], found.buffers[i]))
          << expected.buffers[i].name << "\n"
          << print(plain) << print(fast);
    }
    ++compared;
  }
  EXPECT_GT(compared, kFunctions * 9 / 10);
}

}  // namespace
}  // namespace tilery
