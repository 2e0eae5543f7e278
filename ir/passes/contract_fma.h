// Contraction: products that feed a sum become `fma`.
//
// The numeric contract says that contraction is the compiler's own, done once and the same for both
// executors; LLVM's is off. It runs before every other pass, so what is fused depends on the source
// alone: a product is fused if the program has one use of it and that use is a float `+` or `-`.
//
//     %p = mul %a, %b                              %s = fma %a, %b, %c
//     %s = add %p, %c                      →
//
//     %s = sub %p, %c                      →       %n = neg %c
//                                                  %s = fma %a, %b, %n
//
//     %s = sub %c, %p                      →       %n = neg %a
//                                                  %s = fma %n, %b, %c
//
// Of two products the left is fused: `a*b + c*d` is `fma(a, b, c*d)`. `neg` flips a sign bit and
// is exact, so each form rounds once. A product with a second use anywhere in the function is left
// alone (`add %p, %p` uses it twice), as is one that reaches the sum through another instruction
// (a cast, a broadcast). Integers are left alone, for they have nothing to gain.
#pragma once

#include "ir/function.h"

namespace tilery {

/// Needs nothing; leaves no dead products. True if something was fused.
bool contract_fma(Function& function);

}  // namespace tilery
