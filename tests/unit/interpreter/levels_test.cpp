// The three levels, and the two plans, compute the same: random functions, and the same thread or
// several.
#include "interpreter/interpreter.h"
#include "ir/builder.h"
#include "ir/printer.h"
#include "tests/fuzz/random_ir.h"
#include "tests/unit/interpreter/ir_run.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

namespace tilery {
namespace {

/// The arguments of a random function: a buffer for each pointer, a small number for each scalar.
struct Arguments {
  std::vector<std::vector<std::uint8_t>> data;
  std::vector<InterpreterBuffer> buffers;
  std::vector<InterpreterArgument> arguments;
};

Arguments make_arguments(const Function& function, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Arguments result;
  result.data.reserve(function.params.size());
  for (const Param& param : function.params) {
    InterpreterArgument argument;
    argument.bits = random() % 8;
    if (param.type.is_pointer()) {
      const ElementType element = param.type.element.pointee();
      auto& bytes = result.data.emplace_back(
          static_cast<std::size_t>(kRandomBufferElements * element.byte_size()));
      for (std::uint8_t& byte : bytes) {
        // i1 cells are 0 or 1; pointers in memory are null.
        byte = element.is_pointer()     ? std::uint8_t{0}
               : element.is(Scalar::I1) ? static_cast<std::uint8_t>(random() % 2)
                                        : static_cast<std::uint8_t>(random());
      }
      InterpreterBuffer buffer;
      buffer.name = param.name;
      buffer.data = bytes.data();
      buffer.bytes = bytes.size();
      buffer.element = element;
      argument.is_pointer = true;
      argument.buffer = static_cast<int>(result.buffers.size());
      result.buffers.push_back(buffer);
    }
    result.arguments.push_back(argument);
  }
  return result;
}

/// Equal but for the payload and sign of NaNs, which the numeric contract leaves open.
bool same_contents(const InterpreterBuffer& a, const InterpreterBuffer& b) {
  if (std::memcmp(a.data, b.data, a.bytes) == 0) {
    return true;
  }
  if (a.element.is_pointer() || !is_float(a.element.scalar)) {
    return false;
  }
  const auto width = static_cast<std::size_t>(a.element.byte_size());
  const auto is_nan = [&](const std::byte* cell) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, cell, width);
    const double value = decode_float(a.element.scalar, bits);
    return value != value;
  };
  for (std::size_t i = 0; i < a.bytes; i += width) {
    const auto* const x = static_cast<const std::byte*>(a.data) + i;
    const auto* const y = static_cast<const std::byte*>(b.data) + i;
    if (std::memcmp(x, y, width) != 0 && !(is_nan(x) && is_nan(y))) {
      return false;
    }
  }
  return true;
}

TEST(Levels, RandomFunctionsComputeTheSame) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const Function function = random_function(seed, 40);
    const auto program = make_program(function);
    std::vector<Arguments> runs;
    std::vector<std::string> findings;
    for (const CheckLevel level : {CheckLevel::None, CheckLevel::Fast, CheckLevel::Tracked}) {
      Arguments& run = runs.emplace_back(make_arguments(function, seed));
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
