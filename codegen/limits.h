// What a kernel asks of a chip that the chip does not have, told at the kernel's own lines.
#pragma once

#include "codegen/gpu_function.h"
#include "ir/support/diagnostic.h"

namespace tilery::codegen {

/// Warns of a tile that 32 warps cannot hold in their registers: it compiles, but can take minutes.
/// Quick, so that it can be told before.
void warn_of_large_tiles(const Function& function, Diagnostics& diagnostics);

/// Warns of an operation that loops unrolled at compile time repeat thousands of times, and of a
/// dot that thousands of instructions compute. Quick, too.
void warn_of_large_code(const Function& function, Diagnostics& diagnostics);

/// More shared memory than a thread block gets: names the instruction that takes most, what else
/// lies beside it, and a way out. Needs the allocation; `gpu` exceeds the target's limit.
void report_shared_memory(const GpuFunction& gpu, Diagnostics& diagnostics);

}  // namespace tilery::codegen
