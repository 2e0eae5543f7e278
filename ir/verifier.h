// The verifier. A function that passes has these properties; passes and executors rely on them:
//
//  1. every instruction reachable from the body is in exactly one region, every reachable region
//  has
//     one owner (or is the body), and they form a tree; values know what defines them;
//  2. each operand is defined before its use: earlier in the same region or in an enclosing one;
//  3. operand groups, attributes, regions and result types fit the op's row (the same matcher as
//     inference), including infer_<id>'s rules (axis in range, permutation, element counts);
//  4. every region ends in its only terminator: `condition` in a while's cond region, `yield`
//     elsewhere; yielded types equal what the owner carries; the body yields nothing;
//  5. parameters equal the body's arguments; shapes have positive extents and at most 2^20
//     elements;
//  6. combine regions contain only pure, scalar instructions and use no value from outside.
//
// What is erased or was never attached to the body is not looked at.
#pragma once

#include "ir/function.h"

#include <string>
#include <vector>

namespace tilery {

/// Most elements that a value's shape may have.
inline constexpr std::int64_t kMaxElements = std::int64_t{1} << 20;

/// One broken promise: the instruction at fault (none if it is the function's own), and a sentence.
struct Violation {
  InstId inst;
  std::string text;
};

/// The violations in order, at most 100 of them; empty if the function is valid. While its
/// structure (point 1) is broken, nothing else is looked at.
[[nodiscard]] std::vector<Violation> find_violations(const Function& function);

/// The same as sentences that name the instruction.
[[nodiscard]] std::vector<std::string> verify(const Function& function);

/// Aborts with the function's text and the violations if there are any. `after` names the pass that
/// ran.
void check_valid(const Function& function, std::string_view after);

}  // namespace tilery
