// Dead code elimination.
//
// Kept is what a run can show: writes, observations (printing, asserting), loops that may not end,
// and all that they need. A load whose value nobody uses is kept as well, since every access is
// checked and an out-of-bounds one is a finding (the GPU's own compiler drops it). Everything else
// goes: unused pure instructions; results of an `if` and values carried by a loop that nothing
// outside reads and that only feed themselves; an `if` without effects; a `for` without effects
// whose step is a constant, so that it is known to end.
//
//     %s, %n = for …, %z, %k : f32, i32 {               %s = for …, %z : f32 {
//     body(%i: i32, %acc: f32, %count: i32):            body(%i: i32, %acc: f32):
//       …                                          →      …
//       %next = add %count, %one                          yield %sum
//       yield %sum, %next                               }
//     }
//     store %p, %s                                      store %p, %s
//
// Liveness is found backwards from the effects over the whole region tree, so a cycle through a
// loop's carried values does not keep itself alive.
#pragma once

#include "ir/function.h"

namespace tilery {

/// Needs nothing; leaves no instruction whose absence would not show. True if something was
/// removed.
bool dce(Function& function);

}  // namespace tilery
