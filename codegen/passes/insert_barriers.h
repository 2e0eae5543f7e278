// Says where the threads of a block must wait for each other.
#pragma once

#include "codegen/gpu_function.h"

namespace tilery::codegen {

/// Sets gpu.barriers_before by analysis/memory_hazards.h; needs layouts and the places of shared
/// memory. True if there is any barrier. The emitter puts one before each of these instructions.
bool insert_barriers(GpuFunction& gpu);

}  // namespace tilery::codegen
