// Arguments for random functions (tests/fuzz/random_ir.h), and what they leave compared.
#pragma once

#include "interpreter/interpreter.h"
#include "ir/function.h"

#include <cstdint>
#include <vector>

namespace tilery::testing {

/// The arguments of a random function: a buffer for each pointer, a small number for each scalar,
/// as its facts promise.
struct RandomArguments {
  std::vector<std::vector<std::uint8_t>> data;
  std::vector<InterpreterBuffer> buffers;
  std::vector<InterpreterArgument> arguments;
};

[[nodiscard]] RandomArguments make_arguments(const Function& function, std::uint64_t seed);

/// Equal but for the payload and sign of NaNs, which the numeric contract leaves open.
[[nodiscard]] bool same_contents(const InterpreterBuffer& a, const InterpreterBuffer& b);

}  // namespace tilery::testing
