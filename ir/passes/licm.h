// Loop-invariant code motion.
//
//     %r = for %lo, %hi, %st, %z : i32[64] {            %k = splat %n : i32[64]
//     body(%i: i32, %acc: i32[64]):                     %r = for %lo, %hi, %st, %z : i32[64] {
//       %k = splat %n : i32[64]                  →      body(%i: i32, %acc: i32[64]):
//       %next = add %acc, %k : i32[64]                    %next = add %acc, %k : i32[64]
//       yield %next                                       yield %next
//     }                                                 }
//
// Pure instructions that use nothing of the loop move out of it, from the bodies of `for` and
// `while` and from a while's cond region, as far out as they can. Those inside an `if` or a combine
// region stay. A loop with disable_licm keeps all of its own, and so do loops around it keep what
// is in that one.
//
// Moving is safe because no pure instruction can fail. What could show is a numeric event: it
// counts when its lane reaches a store, a reduction or a dot. A store stays where it is, but a
// reduction, scan or dot that runs before a loop that then makes no trip would report what the
// program never does. Those therefore move only out of loops that are known to run.
#pragma once

#include "ir/function.h"

namespace tilery {

/// Needs nothing. True if something moved.
bool licm(Function& function);

}  // namespace tilery
