#include "ir/analysis/uses.h"

#include "ir/builder.h"

namespace tilery {

std::span<const Use> Uses::of(ValueId value) const {
  // Values made after the snapshot have no uses in it.
  if (value.index + 1 >= starts_.size()) {
    return {};
  }
  const std::uint32_t begin = starts_[value.index];
  return std::span(uses_).subspan(begin, starts_[value.index + 1] - begin);
}

Uses find_uses(const Function& function) {
  Uses result;
  // Counting first, then prefix sums, gives each value's uses in one array without a list a value.
  result.starts_.assign(function.values.size() + 1, 0);
  for_each_inst(function, function.body, [&](InstId id) {
    for (const ValueId operand : function.inst(id).operands) {
      ++result.starts_[operand.index + 1];
    }
  });
  for (std::size_t i = 1; i < result.starts_.size(); ++i) {
    result.starts_[i] += result.starts_[i - 1];
  }
  result.uses_.resize(result.starts_.back());
  std::vector<std::uint32_t> next(result.starts_.begin(), result.starts_.end() - 1);
  for_each_inst(function, function.body, [&](InstId id) {
    const Inst& inst = function.inst(id);
    for (std::uint32_t i = 0; i < inst.operands.size(); ++i) {
      result.uses_[next[inst.operands[i].index]++] = {id, i};
    }
  });
  return result;
}

}  // namespace tilery
