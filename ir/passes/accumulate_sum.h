// Sums over a loop: a carried tile that is reduced once, after the loop.
//
//     %r = for …, %a : f32 {                            %z = constant -0.0 : f32[64]
//     body(%i: i32, %acc: f32):                         %t = for …, %z : f32[64] {
//       %x = …            : f32[64]                     body(%i: i32, %tile: f32[64]):
//       %s = reduce %x axis=0 : f32 { add }      →        %x = …           : f32[64]
//       %n = add %acc, %s : f32                           %n = add %tile, %x : f32[64]
//       yield %n                                          yield %n
//     }                                                 }
//                                                       %s = reduce %t axis=0 : f32 { add }
//                                                       %r = add %a, %s : f32
//
// This is part of the language's numeric contract: both executors take the pass's output, so both
// add in the same order. The rule is fixed by the program's form alone. It fires for carried value
// k of a `for` if
//   - the body yields for k an `add` of the argument for k and one result of a `reduce`, in either
//     order, both instructions directly in the body;
//   - the reduce has one operand, and its combine region is a plain sum (combine_kind Add);
//   - the argument, the reduce's result and the add's result each have no other use;
//   - the reduce's operand is not one that every iteration shares (then nothing is gained).
// Outer loops are looked at before the loops in them, so a sum that the pass puts behind an inner
// loop is not carried further out. Scalars and tiles, floats and integers are treated alike. A
// `while`, a product in between (`acc * f + sum(x)`, which is an fma by then), a cast or a kept
// axis between reduce and add, or a use of the running sum in the loop keep it as it is written; k
// is never the exit flag, which is an i1.
//
// What changes: integers wrap, so not a bit. Floats are added in another order: lane by lane over
// the iterations, then across the lanes by the reduction's tree, and the initial value last. The
// tile starts from -0.0, the number that adds without a trace, so a loop without trips gives the
// initial value as it is, and sums of -0.0 keep their sign. An fp16 or bf16 sum rounds in its type
// after each step, as before. The result usually is more exact (shorter chains of additions).
#pragma once

#include "ir/function.h"

namespace tilery {

/// Comes after cse (which makes one reduce of equal ones) and before dce. True if a sum was
/// changed.
bool accumulate_sum(Function& function);

}  // namespace tilery
