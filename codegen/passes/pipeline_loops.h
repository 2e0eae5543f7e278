// Software pipelining: loads that feed dots are copied to shared memory some iterations ahead.
//
//     for k in range(0, K, BK):            copy tiles of iterations 0 … S-2 into slots 0 … S-2
//         a = tl.load(a_ptrs, mask)    →   for k in range(0, K, BK):
//         acc = tl.dot(a, b, acc)              wait until the tile of this iteration is there
//         a_ptrs += BK                         a = ring[slot]
//                                              copy the tile of iteration + S-1 into the slot that
//                                              was read last
//                                              acc = tl.dot(a, b, acc)
//
// The copies' addresses and masks are computed by a second chain that runs S-1 iterations ahead of
// the loop, carried beside it; past the last iteration their masks are off. Everything is ordinary
// IR with the ring ops of ops.def, so the interpreter runs the result, too.
#pragma once

#include "codegen/gpu_function.h"
#include "ir/function.h"

#include <vector>

namespace tilery::codegen {

/// Pipelines the innermost loops over dots by their own `stages`, or by `num_stages` where they
/// name none; fewer than 2 leaves a loop alone. A loop is left alone as well if it stores or
/// prints, may end early, or if its step is no positive constant; a load, if its address depends on
/// another load or on anything else that cannot run ahead. `shared_limit` bounds the bytes of all
/// rings of a loop: the number of stages is lowered until they fit. `facts` gets an entry for each
/// such loop. True if anything changed.
bool pipeline_loops(Function& function, int num_stages, std::uint32_t shared_limit,
                    std::vector<LoopFacts>* facts = nullptr);

}  // namespace tilery::codegen
