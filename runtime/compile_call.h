// From a call to GPU code, with what comes up on the way.
#pragma once

#include "runtime/gpu_compile.h"
#include "runtime/specialization.h"
#include "tilery/gpu_code.h"

#include <string_view>

namespace tilery {

/// What `compile_for_target` does; `after_pass` (may be empty) sees the function after each pass,
/// and `stages` says what else is wanted and gets it.
[[nodiscard]] Result<GpuCode> compile_call_for_target(
    const Kernel& kernel, const Arguments& arguments, std::string_view target,
    const LaunchOptions& options, const AfterPass& after_pass, GpuStages& stages);

}  // namespace tilery
