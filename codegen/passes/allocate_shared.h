// Gives every instruction that needs shared memory its place.
//
// Blocks that are in use at the same time get different places, all others the lowest place that is
// free. Scratch is in use while its instruction runs, a ring from its creation to the last use of
// any of its versions, a loop that carries it being one use.
//
// Scratch blocks that are small for the number of threads also avoid their neighbours in time,
// around loops too: the next block is then written without a barrier after the last one's reads.
//
//     for …:                          m at 0, s at 512: one barrier inside each reduction, and
//       m = max(x); s = sum(y)        none between s and the m of the next iteration
//
// Where a ring's place is used again, the copies that are still under way at its end are waited for
// there (`async_wait 0`).
#pragma once

#include "codegen/gpu_function.h"

namespace tilery::codegen {

/// Sets gpu.shared and gpu.shared_bytes; needs the layouts. True if there is any shared memory. The
/// caller compares the size with the target's limit.
bool allocate_shared(GpuFunction& gpu);

}  // namespace tilery::codegen
