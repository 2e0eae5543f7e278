// Which instructions must be kept apart by a barrier.
//
// A forward dataflow over the structured IR. What is known at a point is what may have been read
// and written since the last barrier, on any path: ranges of shared memory, and accesses to global
// memory. An instruction that reads what was written (RAW), or writes what was read (WAR) or
// written (WAW), by threads of other warps needs a barrier before it, which ends all that is
// pending. Branches join by union; loops are gone through until nothing changes.
//
// Shared memory: ranges of different blocks conflict where they overlap, as do those of one block
// of scratch at two times. A ring's own copies and reads are kept apart by the pass that made it.
//
// Global memory: the language orders the accesses of one lane only (debug_barrier does it for all),
// but threads of several warps may stand for a lane:
//   - a load that several warps carry out for the same elements (as of all scalars), then any
//     store: another warp's store could come first
//   - a store, and a load or store of the same shape, whose elements other warps hold
// Pointers are not compared: parameters may alias.
#pragma once

#include "codegen/gpu_function.h"

#include <vector>

namespace tilery::codegen {

/// The instructions that need a barrier before them, in order; as few as a walk from top to bottom
/// gives. Needs layouts and the places of shared memory.
[[nodiscard]] std::vector<InstId> find_memory_hazards(const GpuFunction& gpu);

}  // namespace tilery::codegen
