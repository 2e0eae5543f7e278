// When values are needed: positions of instructions in program order, and the span of each value.
//
// A value that is defined before a loop and used inside it is needed until the loop's end, because
// the next iteration wants it again.
#pragma once

#include "ir/function.h"

#include <vector>

namespace tilery::interpreter {

/// Positions between which a value is needed, both included. `begin` is where it is written.
struct Span {
  int begin = -1;
  int end = -1;
};

struct Lifetimes {
  std::vector<int> position;  ///< by instruction; -1 for those of combine regions
  std::vector<int> loop_end;  ///< by instruction: for loops, the position of the last terminator
  std::vector<Span> value;    ///< by value
  int count = 0;              ///< number of positions

  [[nodiscard]] int at(InstId inst) const { return position[inst.index]; }

  /// True if the value has been written before the instruction at `where` and is used there or
  /// later.
  [[nodiscard]] bool is_live(ValueId id, int where) const {
    return value[id.index].begin < where && value[id.index].end >= where;
  }
};

[[nodiscard]] Lifetimes find_lifetimes(const Function& function);

/// The comparison that defines the condition of an assertion, so that its operands can be shown;
/// none if it is something else.
[[nodiscard]] InstId asserted_comparison(const Function& function, const Inst& assertion);

/// True if the op owns regions that are run step by step (not the combine of a reduce or scan).
[[nodiscard]] bool is_control(Op op);
[[nodiscard]] bool is_comparison(Op op);

}  // namespace tilery::interpreter
