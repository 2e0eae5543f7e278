#include "tests/unit/interpreter/random_run.h"

#include "ir/builder.h"
#include "tests/fuzz/random_ir.h"

#include <cstring>
#include <random>

namespace tilery::testing {

RandomArguments make_arguments(const Function& function, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  RandomArguments result;
  result.data.reserve(function.params.size());
  for (const Param& param : function.params) {
    InterpreterArgument argument;
    argument.bits = random() % 8;
    if (param.facts.equals_1) {
      argument.bits = 1;
    } else if (param.facts.divisible_by_16) {
      argument.bits *= 16;
    }
    if (param.type.is_pointer()) {
      const ElementType element = param.type.element.pointee();
      const bool is_trace = param.name.rfind("all_", 0) == 0;
      const int count = is_trace ? kRandomTraceElements : kRandomBufferElements;
      auto& bytes = result.data.emplace_back(static_cast<std::size_t>(count * element.byte_size()));
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

}  // namespace tilery::testing
