#include "ir/analysis/effects.h"

#include "ir/analysis/loops.h"
#include "ir/attributes.h"

namespace tilery {
namespace {

bool is_volatile(const Inst& inst) {
  return inst.op == Op::Load && bool_attr<"volatile">(inst);
}

bool may_not_end(const Function& function, const Inst& inst) {
  return inst.op == Op::While || (inst.op == Op::For && !has_nonzero_step(function, inst));
}

}  // namespace

Effects& Effects::operator|=(const Effects& other) {
  reads |= other.reads;
  writes |= other.writes;
  observes |= other.observes;
  may_not_end |= other.may_not_end;
  return *this;
}

Effects effects_of(const Function& function, InstId id) {
  const Inst& inst = function.inst(id);
  Effects effects;
  switch (op_def(inst.op).effects) {
    case OpEffects::Pure:
    case OpEffects::Control:
      break;
    case OpEffects::Reads:
      effects.reads = true;
      effects.writes = is_volatile(inst);
      break;
    case OpEffects::Writes:
      effects.writes = true;
      break;
    case OpEffects::ReadsWrites:
      effects.reads = effects.writes = true;
      break;
    case OpEffects::Observes:
      effects.observes = true;
      break;
    case OpEffects::Regions:
      effects.may_not_end = may_not_end(function, inst);
      for (const RegionId region : inst.regions) {
        effects |= effects_of(function, region);
      }
      break;
  }
  return effects;
}

Effects effects_of(const Function& function, RegionId region) {
  Effects effects;
  for (const InstId id : function.region(region).insts) {
    effects |= effects_of(function, id);
  }
  return effects;
}

}  // namespace tilery
