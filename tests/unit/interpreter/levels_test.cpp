// The three levels, and the two plans, compute the same: random functions.
#include "interpreter/interpreter.h"
#include "ir/printer.h"
#include "tests/fuzz/random_ir.h"
#include "tests/unit/interpreter/ir_run.h"
#include "tests/unit/interpreter/random_run.h"

#include <gtest/gtest.h>

namespace tilery {
namespace {

using testing::make_arguments;
using testing::RandomArguments;
using testing::same_contents;

TEST(Levels, RandomFunctionsComputeTheSame) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const Function function = random_function(seed, 40);
    const auto program = make_program(function);
    std::vector<RandomArguments> runs;
    std::vector<std::string> findings;
    for (const CheckLevel level : {CheckLevel::None, CheckLevel::Fast, CheckLevel::Tracked}) {
      RandomArguments& run = runs.emplace_back(make_arguments(function, seed));
      RunOptions options;
      options.grid = {3, 1, 1};
      options.threads = 1;
      options.check = level;
      findings.push_back(
          testing::summary(tilery::run(*program, run.buffers, run.arguments, options)));
    }
    for (std::size_t i = 0; i < runs[0].buffers.size(); ++i) {
      ASSERT_TRUE(same_contents(runs[0].buffers[i], runs[1].buffers[i])) << print(function);
      ASSERT_TRUE(same_contents(runs[0].buffers[i], runs[2].buffers[i])) << print(function);
    }
    EXPECT_EQ(findings[0], "");
    EXPECT_EQ(findings[1], findings[2]) << print(function);
  }
}

}  // namespace
}  // namespace tilery
