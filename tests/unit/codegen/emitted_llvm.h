// The LLVM IR that is emitted for a function, before any optimisation: what the simulator runs.
#pragma once

#include "codegen/gpu_function.h"

#include <string>

namespace tilery::codegen {

/// Empty, with a failed expectation, if code generation fails.
[[nodiscard]] std::string emitted_llvm(const GpuFunction& gpu);

}  // namespace tilery::codegen
