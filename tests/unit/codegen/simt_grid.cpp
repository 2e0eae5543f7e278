#include "tests/unit/codegen/simt_grid.h"

#include "tests/unit/codegen/emitted_llvm.h"
#include "tests/unit/codegen/simt.h"

#include <vector>

namespace tilery::testing {
namespace {

std::uint64_t bits_of(const InterpreterArgument& argument,
                      std::span<const InterpreterBuffer> buffers) {
  if (!argument.is_pointer) {
    return argument.bits;
  }
  const void* const start =
      argument.buffer < 0 ? nullptr : buffers[static_cast<std::size_t>(argument.buffer)].data;
  return reinterpret_cast<std::uint64_t>(start) + static_cast<std::uint64_t>(argument.byte_offset);
}

}  // namespace

std::string simulate_grid(const codegen::GpuFunction& gpu,
                          std::span<const InterpreterArgument> arguments,
                          std::span<const InterpreterBuffer> buffers,
                          const std::array<std::int64_t, 3>& grid) {
  const SimtKernel kernel(codegen::emitted_llvm(gpu));
  std::vector<std::uint64_t> bits;
  for (const InterpreterArgument& argument : arguments) {
    bits.push_back(bits_of(argument, buffers));
  }
  SimtProgram program;
  program.grid = grid;
  program.allows_copies = true;
  auto& [x, y, z] = program.index;
  for (z = 0; z < grid[2]; ++z) {
    for (y = 0; y < grid[1]; ++y) {
      for (x = 0; x < grid[0]; ++x) {
        std::string failure = kernel.run(bits, gpu.num_warps * 32, gpu.shared_bytes, program);
        if (!failure.empty()) {
          return failure;
        }
      }
    }
  }
  return {};
}

}  // namespace tilery::testing
