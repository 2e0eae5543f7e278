// A lowered function on the simulator of simt.h, with the arguments and buffers that the
// interpreter takes.
#pragma once

#include "codegen/gpu_function.h"
#include "interpreter/interpreter.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace tilery::testing {

/// Runs all programs of the grid, one after the other. What went wrong, or nothing.
[[nodiscard]] std::string simulate_grid(const codegen::GpuFunction& gpu,
                                        std::span<const InterpreterArgument> arguments,
                                        std::span<const InterpreterBuffer> buffers,
                                        const std::array<std::int64_t, 3>& grid);

}  // namespace tilery::testing
