// How many blocks an SM shall hold at once, which is how registers are rationed.
//
// Left alone, ptxas takes as many registers as it finds a use for: 255 a thread for a row of 16,384
// numbers by 4 warps, of which 168 carry it without a spill. A kernel that waits for memory between
// two reductions needs other blocks to run meanwhile. For kernels that reduce tiles, and have no
// dots, the words that are alive at once say what a thread cannot do without:
//
//     need = max(words of the largest tile + 40, words alive at the fullest place)
//     blocks = 65,536 registers of an SM / (need * threads)
//
// More than twice the largest tile alive is left to ptxas: there the estimate is too coarse. On an
// H200 this is worth 2 to 60 % over one block (bench/results/gpu.md).
#pragma once

#include "codegen/gpu_function.h"

namespace tilery::codegen {

/// Blocks an SM shall hold, for `.minnctapersm`; 1 asks for nothing. Layouts must be assigned.
[[nodiscard]] int choose_blocks_per_sm(const GpuFunction& gpu);

}  // namespace tilery::codegen
