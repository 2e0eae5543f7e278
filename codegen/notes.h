// What the author of a kernel may want to know of how it was compiled. Private to codegen.
#pragma once

#include "codegen/analysis/axis_info.h"
#include "codegen/gpu_function.h"
#include "ir/support/source.h"

#include <string>
#include <vector>

namespace tilery::codegen {

/// Why so many warps; what was decided otherwise than asked; and of each access that moves less
/// than 16 bytes although a thread has more, why and what to change, with its place if `sources`
/// is given.
[[nodiscard]] std::vector<std::string> notes_of(const GpuFunction& gpu, const AxisTable& axes,
                                                const SourceMap* sources);

}  // namespace tilery::codegen
