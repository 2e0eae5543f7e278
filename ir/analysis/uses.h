// Who uses each value.
#pragma once

#include "ir/function.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tilery {

/// One operand slot of an instruction that is in the function's region tree.
struct Use {
  InstId user;
  std::uint32_t operand = 0;  ///< position in the user's `operands`
};

/// The uses of every value at the time of `find_uses`, terminators' operands included. A snapshot:
/// a pass that changes operands keeps in mind what it changed, or asks again.
class Uses {
 public:
  /// In the order of the region tree, outer before inner.
  [[nodiscard]] std::span<const Use> of(ValueId value) const;

  /// Operand slots, so `add %x, %x` counts as two.
  [[nodiscard]] std::size_t count(ValueId value) const { return of(value).size(); }

 private:
  friend Uses find_uses(const Function& function);

  /// Uses of value v are uses_[starts_[v] … starts_[v + 1]).
  std::vector<std::uint32_t> starts_;
  std::vector<Use> uses_;
};

/// Linear in the size of the function.
[[nodiscard]] Uses find_uses(const Function& function);

}  // namespace tilery
