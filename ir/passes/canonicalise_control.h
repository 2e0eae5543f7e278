// What loops and branches amount to. Private to canonicalise.
#pragma once

#include "ir/function.h"
#include "ir/passes/replacements.h"

#include <optional>

namespace tilery::canonical {

/// A loop or branch of which one region runs exactly once, or none runs.
struct Inlining {
  RegionId region;               ///< none: nothing runs
  std::vector<ValueId> args;     ///< what the region's arguments are
  std::vector<ValueId> results;  ///< without a region: what the results are
};

/// An `if` with a constant condition; a `for` that makes no trip, or just one.
[[nodiscard]] std::optional<Inlining> known_course(const Function& function, const Inst& inst);

/// Replaces results of an `if` that do not depend on the branch taken:
///
///     %r = if %c { yield %x } else { yield %x }             →   %x
///     %r = if %c { yield true } else { yield false }        →   %c
bool merge_branch_results(const Function& function, const Inst& inst, Replacements& replacements);

/// Replaces carried values that never change by their initial values, and those that start and go
/// on like an earlier one by that one; arguments and results alike.
///
///     %r, %s = for …, %a, %b : i32, f32 {               %r becomes %a
///     body(%i, %x, %y):                          →      %x becomes %a
///       yield %x, %next
///
/// True if it found one; the caller applies the replacements to the body.
bool merge_carried(const Function& function, const Inst& loop, Replacements& replacements);

/// True for a `for` whose exit flag is known to stay false.
[[nodiscard]] bool never_exits(const Function& function, const Inst& loop);

}  // namespace tilery::canonical
