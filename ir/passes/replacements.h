// Values that a pass has replaced, applied to the operands that come later.
#pragma once

#include "ir/function.h"

#include <vector>

namespace tilery {

/// A map from replaced values to those that took their place. A use comes after its definition in a
/// walk of the region tree, so a pass that walks forward needs no search for uses: it rewrites each
/// instruction's operands when it gets there.
class Replacements {
 public:
  /// From now on `from` means `to` (or what `to` itself is replaced with, now or later).
  void set(ValueId from, ValueId to);
  /// What `value` means now; itself if it was never replaced.
  [[nodiscard]] ValueId resolve(ValueId value) const;
  /// Rewrites the operands; true if one changed.
  bool apply(Inst& inst) const;

  [[nodiscard]] bool empty() const { return to_.empty(); }

 private:
  /// By value index; none where the value stands for itself. Shorter than the function's values.
  std::vector<ValueId> to_;
};

}  // namespace tilery
