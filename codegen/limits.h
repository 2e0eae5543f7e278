// What a kernel asks of a chip that the chip does not have, told at the kernel's own lines. Private
// to codegen.
#pragma once

#include "codegen/gpu_function.h"
#include "ir/support/diagnostic.h"

namespace tilery::codegen {

/// More shared memory than a thread block gets: names the instruction that takes most, what else
/// lies beside it, and a way out. Needs the allocation; `gpu` exceeds the target's limit.
void report_shared_memory(const GpuFunction& gpu, Diagnostics& diagnostics);

}  // namespace tilery::codegen
