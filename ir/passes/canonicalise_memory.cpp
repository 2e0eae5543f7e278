// Rules on masks that are known at compile time.
#include "ir/analysis/effects.h"
#include "ir/passes/canonicalise_rules.h"

namespace tilery::canonical {
namespace {

/// The operand groups of a row that say which lanes take part and what the others read.
struct MaskGroups {
  int mask = -1;
  int other = -1;
};

MaskGroups mask_groups(const OpDef& def) {
  MaskGroups groups;
  int g = 0;
  for (const ValuePattern& pattern : def.operand_patterns()) {
    groups.mask = pattern.name == "mask" ? g : groups.mask;
    groups.other = pattern.name == "other" ? g : groups.other;
    ++g;
  }
  return groups;
}

/// Every lane takes part: neither the mask nor what lanes without it would read is needed.
void drop_mask(Inst& inst, const MaskGroups& groups) {
  std::vector<ValueId> operands;
  for (int g = 0; g < Inst::kMaxGroups; ++g) {
    if (g == groups.mask || g == groups.other) {
      continue;
    }
    const auto group = inst.group(g);
    operands.insert(operands.end(), group.begin(), group.end());
  }
  inst.operands = std::move(operands);
  inst.segments[groups.mask] = 0;
  if (groups.other >= 0) {
    inst.segments[groups.other] = 0;
  }
}

}  // namespace

MaskedFate simplify_masked(Context& c, InstId id, ValueId& replacement) {
  Inst& inst = c.function.inst(id);
  const OpDef& def = op_def(inst.op);
  const MaskGroups groups = mask_groups(def);
  const ValueId mask = groups.mask >= 0 ? inst.operand(groups.mask) : ValueId();
  if (def.family != OpFamily::Memory || !mask || !c.number(mask)) {
    return MaskedFate::Keep;
  }
  if (is_true(*c.number(mask))) {
    drop_mask(inst, groups);
    return MaskedFate::Changed;
  }
  if (inst.result_count == 0) {
    return MaskedFate::Removed;
  }
  // Without `other` the lanes are undefined for the checkers, which a constant 0 would hide.
  const ValueId other = groups.other >= 0 ? inst.operand(groups.other) : ValueId();
  if (!other) {
    return MaskedFate::Keep;
  }
  replacement = other;
  return MaskedFate::Removed;
}

}  // namespace tilery::canonical
