// Where the lanes go that a load's mask left off and no `other` filled.
//
//     x = load(p, mask=m)             lanes where m is off have no value
//     y = x * 2                       nor have they here
//     store(q, y, mask=m)             dropped: no harm
//     s = sum(y)                      harm
//     s = sum(where(m, y, 0))         dropped
//
// If every such lane is dropped, whatever the mask is at run time, the load needs no watching: the
// Fast level runs through. Otherwise it goes to Tracked as soon as some lane is really off. A lane
// is dropped by a store or load whose mask implies m, by a `select` whose condition does, or by the
// `and` with a condition that does: (v > 0) & m. One mask implies another here if it is the `and`
// of more of the same conditions.
#pragma once

#include "ir/function.h"

#include <vector>

namespace tilery::interpreter {

class MaskedFlow {
 public:
  explicit MaskedFlow(const Function& function);

  /// True if lanes that this load leaves without a value may come to matter.
  [[nodiscard]] bool may_leak(InstId load) const { return leaks_[load.index]; }

 private:
  std::vector<bool> leaks_;  ///< by instruction
};

}  // namespace tilery::interpreter
