// Canonicalisation: each expression takes its simplest form.
//
// One walk down the region tree, operands first, so that each instruction is looked at when those
// it uses have their final form. A rule is one line or one small function of a table: what it
// matches and what it becomes (canonicalise_map.cpp, _shape.cpp, _memory.cpp, _control.cpp). What a
// rule makes is looked at again at once.
//
//     %0 = constant 2 : i32                     (%n stands for %n + (2 - 2))
//     %1 = sub %0, %0 : i32
//     %2 = add %n, %1 : i32
//     %3 = splat %n : i32[64]                →
//     %4 = splat %k : i32[64]                      %5 = mul %n, %k : i32
//     %5 = mul %3, %4 : i32[64]                    %6 = splat %5 : i32[64]
//
// What the rules do:
//   - ops on constants are evaluated (analysis/fold.h), but not where that is an event that a run
//     reports, such as `1 / 0`;
//   - identities that hold bit for bit, NaN, signed zeros and rounding included (`x + 0.0` is none:
//     it turns -0.0 into +0.0; `x + -0.0` is one), NaN payloads aside;
//   - chains of casts, splats, broadcasts, reshapes and transpositions become one;
//   - work on splats is done on scalars, and work on broadcasts of equally shaped tiles is done
//     before the broadcast, where it is smaller;
//   - masks that are known are dropped, with the stores and the selects that they decide;
//   - an `if` with a known condition, loops without trips or with one, and carried values that
//     never change or that equal another are replaced by what they amount to;
//   - parameters that the launch promises to be 1 become 1.
//
// A new instruction has the location of the one that it replaces. Needs nothing; leaves dead
// instructions for dce, which also takes out the carried values that became unused.
#pragma once

#include "ir/function.h"

namespace tilery {

/// True if something changed.
bool canonicalise(Function& function);

}  // namespace tilery
