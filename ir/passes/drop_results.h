// Taking carried values out of a loop, or results off an `if`.
#pragma once

#include "ir/function.h"
#include "ir/passes/replacements.h"

#include <vector>

namespace tilery {

/// Removes the results of a `for`, `while` or `if` for which `keep` is false, with their initial
/// values, region arguments and yielded values; the arguments that go must be unused. The kept
/// results become new values, and `replacements` says which stands for which.
///
///     %s, %n = for …, %a, %b : f32, i32 {         %s = for …, %a : f32 {
///     body(%i, %x, %y):                    →      body(%i, %x):
///       yield %p, %q                                yield %p
///
/// The exit flag of a `for` is its first carried value and must be kept.
void drop_results(Function& function, InstId inst, const std::vector<bool>& keep,
                  Replacements& replacements);

}  // namespace tilery
