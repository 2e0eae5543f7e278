// Common subexpression elimination: equal instructions are computed once.
//
//     %a = add %x, %y : i32                          %a = add %x, %y : i32
//     %b = add %x, %y : i32                   →
//     %c = mul %a, %b : i32                          %c = mul %a, %a : i32
//
// Two instructions are equal if op, operands, attributes and result types are, and, for reductions
// and scans, if their combine regions are equal instruction by instruction. The first of them must
// be in the same region or in one around it; nothing is merged into or out of a combine region,
// which stays closed.
//
// Loads are merged, too, as long as nothing in between can write (a store, a barrier, a volatile
// load, an atomic); a loop that writes, or one that may be waiting for another program (a `while`,
// a `for` with an exit), counts as such a thing, before and in it. Of two equal loads the first
// reports the access's findings. What prints or asserts is never merged.
#pragma once

#include "ir/function.h"

namespace tilery {

/// Needs nothing, does most after canonicalise. True if something was removed.
bool cse(Function& function);

}  // namespace tilery
