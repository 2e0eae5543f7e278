#include "ir/passes/replacements.h"

#include "ir/support/check.h"

namespace tilery {

void Replacements::set(ValueId from, ValueId to) {
  TILERY_CHECK(resolve(to) != from, "a value cannot replace itself");
  if (from.index >= to_.size()) {
    to_.resize(from.index + 1);
  }
  to_[from.index] = to;
}

ValueId Replacements::resolve(ValueId value) const {
  while (value.index < to_.size() && to_[value.index]) {
    value = to_[value.index];
  }
  return value;
}

bool Replacements::apply(Inst& inst) const {
  bool changed = false;
  for (ValueId& operand : inst.operands) {
    const ValueId now = resolve(operand);
    changed |= now != operand;
    operand = now;
  }
  return changed;
}

}  // namespace tilery
