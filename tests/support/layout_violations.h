// What must hold of a function's layouts, said once more and apart from the pass that assigns them
// (codegen/passes/assign_layouts.h has the list).
#pragma once

#include "codegen/gpu_function.h"

#include <string>
#include <vector>

namespace tilery::testing {

/// A sentence for each broken rule, naming the instruction; empty if all hold.
[[nodiscard]] std::vector<std::string> layout_violations(const codegen::GpuFunction& gpu);

}  // namespace tilery::testing
