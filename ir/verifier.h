// The verifier. A function that passes has these properties; passes and executors rely on them:
//
//  1. every instruction is in exactly one region, every region has one owner (or is the body), and
//  they form a tree;
//  2. each operand is defined before its use: earlier in the same region or in an enclosing one;
//  3. operand groups, attributes, regions and result types fit the op's row (the same matcher as
//  inference), including
//     infer_<id>'s rules (axis in range, permutation, element counts);
//  4. every region ends in its only terminator: `condition` in a while's cond region, `yield`
//  elsewhere; yielded types equal
//     what the owner carries; the body yields nothing;
//  5. parameters equal the body's arguments; shapes have positive extents and at most 2^20
//  elements;
//  6. combine regions contain only pure, scalar instructions and use no value from outside except
//  constants' definitions inside.
#pragma once

#include "ir/function.h"

#include <string>
#include <vector>

namespace tilery {

/// Every violation, each naming the instruction; empty if the function is valid.
[[nodiscard]] std::vector<std::string> verify(const Function& function);

/// Aborts with the function's text and the violations if there are any. `after` names the pass that
/// ran.
void check_valid(const Function& function, std::string_view after);

}  // namespace tilery
