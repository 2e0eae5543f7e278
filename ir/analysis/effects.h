// What an instruction does besides computing its results.
#pragma once

#include "ir/function.h"

namespace tilery {

/// The row's effects with the instruction's own facts taken in: a volatile load counts as a write
/// too (it may be neither merged, moved nor removed), and an instruction with regions does what the
/// instructions in them do. Terminators do nothing by themselves.
struct Effects {
  bool reads = false;
  bool writes = false;
  /// Printing, asserting, promising: such instructions are kept, in their order.
  bool observes = false;
  /// May run forever (a `while`, a `for` whose step may be 0), so it is not removed either.
  bool may_not_end = false;

  /// Only the results matter.
  [[nodiscard]] bool is_pure() const { return !reads && !writes && !observes && !may_not_end; }

  Effects& operator|=(const Effects& other);
};

[[nodiscard]] Effects effects_of(const Function& function, InstId inst);
/// All that the instructions of a region do, nested ones included.
[[nodiscard]] Effects effects_of(const Function& function, RegionId region);

}  // namespace tilery
