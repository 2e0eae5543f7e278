#include "interpreter/planner.h"

#include "interpreter/eval.h"
#include "ir/support/check.h"

#include <algorithm>

namespace tilery::interpreter {
namespace {

constexpr std::size_t kAlignment = 64;

std::size_t aligned(std::size_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

using EvalFn = void (*)(Planner&, InstId);

constexpr EvalFn kEvals[] = {
#define TILERY_OP(Name, id, level, family, signature, effects, summary) eval_##id,
#include "ir/ops.def"
};

/// Whether a later move still wants what a slot holds now.
bool is_wanted(std::span<const std::uint32_t> pending, std::uint32_t slot) {
  return std::find(pending.begin(), pending.end(), slot) != pending.end();
}

}  // namespace

SlotRef Plan::ref(ValueId value) const {
  SlotRef ref;
  if (!value) {
    return ref;
  }
  const Type& type = function->type(value);
  ref.slot = slot_of[value.index];
  ref.kind = kinds[value.index].kind;
  ref.scalar = type.is_pointer() ? Scalar::U64 : type.element.scalar;
  ref.width = static_cast<std::uint32_t>(type.element.byte_size());
  ref.shape = type.shape;
  ref.lanes = static_cast<std::size_t>(type.numel());
  return ref;
}

Planner::Planner(const Function& function, PlanStyle style, const MaskedFlow& flow)
    : function_(function), flow_(flow) {
  plan_.function = &function;
  plan_.style = style;
  plan_.kinds = find_slot_kinds(function, style == PlanStyle::Compact);
  plan_.lifetimes = find_lifetimes(function);
  SlotAssignment assignment = assign_slots(function, plan_.kinds, plan_.lifetimes);
  plan_.slot_of = std::move(assignment.slot_of);
  plan_.slots = std::move(assignment.slots);
  is_fixed_ = std::move(assignment.is_fixed);
  values_in_.resize(plan_.slots.size());
  for (std::size_t i = 0; i < plan_.slot_of.size(); ++i) {
    if (plan_.slot_of[i] != kNoSlot) {
      values_in_[plan_.slot_of[i]].emplace_back(i);
    }
  }
}

Plan Planner::build() && {
  plan_.first_step.reserve(static_cast<std::size_t>(plan_.lifetimes.count));
  plan_region(function_.body);
  lay_out();
  return std::move(plan_);
}

void Planner::lay_out() {
  for (SlotInfo& slot : plan_.slots) {
    slot.offset = plan_.slot_bytes;
    plan_.slot_bytes += slot.bytes <= 8 ? std::size_t{8} : aligned(slot.bytes);
    if (slot.bytes > 8) {
      slot.offset = aligned(slot.offset);
      plan_.slot_bytes = slot.offset + aligned(slot.bytes);
    }
  }
  plan_.slot_bytes = aligned(plan_.slot_bytes);
}

SlotRef Planner::ref(ValueId value) const {
  return plan_.ref(value);
}

SlotRef Planner::spelled(ValueId value) {
  SlotRef result = ref(value);
  if (result && (result.kind == SlotKind::Affine || result.kind == SlotKind::Range)) {
    result.scratch = scratch(result.bytes());
  }
  return result;
}

std::size_t Planner::scratch(std::size_t bytes) {
  const std::size_t offset = step_scratch_;
  step_scratch_ += aligned(bytes);
  plan_.scratch_bytes = std::max(plan_.scratch_bytes, step_scratch_);
  return offset;
}

bool Planner::is_alias(InstId id) const {
  const Inst& instruction = inst(id);
  return plan_.slot_of[instruction.operand(0).index] == plan_.slot_of[instruction.result().index];
}

void Planner::emit(InstId id, const StepFns& run, const void* data) {
  const std::uint32_t next = next_step() + 1;
  const std::array<StepFn, 3> by_level{run.none, run.fast, run.tracked};
  for (std::size_t level = 0; level < by_level.size(); ++level) {
    plan_.steps[level].push_back({by_level[level], data, next, id});
  }
  step_scratch_ = 0;
}

std::uint32_t Planner::next_step() const {
  return static_cast<std::uint32_t>(plan_.steps[0].size());
}

void Planner::plan_region(RegionId region) {
  for (const InstId id : function_.region(region).insts) {
    TILERY_CHECK(plan_.first_step.size() == static_cast<std::size_t>(plan_.lifetimes.at(id)),
                 "steps are planned in the order of positions");
    plan_.first_step.push_back(next_step());
    if (inst(id).op == Op::Constant) {
      plan_.constants.push_back(inst(id).result());
    }
    kEvals[static_cast<std::size_t>(inst(id).op)](*this, id);
    step_scratch_ = 0;
  }
}

void* Planner::control(InstId owner) const {
  const auto entry = std::find_if(controls_.begin(), controls_.end(),
                                  [&](const auto& control) { return control.first == owner; });
  TILERY_CHECK(entry != controls_.end(), "the owner of a region was planned before its terminator");
  return entry->second;
}

std::uint32_t Planner::loop_state(InstId loop) {
  plan_.slots.push_back({sizeof(LoopState), 0, 0});
  is_fixed_.push_back(true);
  values_in_.emplace_back();
  const auto slot = static_cast<std::uint32_t>(plan_.slots.size() - 1);
  plan_.loop_states.emplace_back(loop, slot);
  return slot;
}

std::uint32_t Planner::spare_slot(std::uint32_t like) {
  plan_.slots.push_back(plan_.slots[like]);
  is_fixed_.push_back(false);
  values_in_.emplace_back();
  return static_cast<std::uint32_t>(plan_.slots.size() - 1);
}

/// A value's slot may take part in a swap if nobody needs the value afterwards.
bool Planner::may_give_away(ValueId value, InstId where, InstId loop) const {
  const std::uint32_t slot = plan_.slot_of[value.index];
  if (is_fixed_[slot]) {
    return false;
  }
  const int position = plan_.lifetimes.at(where);
  for (const ValueId member : values_in_[slot]) {
    const Span span = plan_.lifetimes.value[member.index];
    if (span.begin <= position && span.end > position) {
      return false;
    }
    const bool is_from_outside = loop && span.begin <= plan_.lifetimes.at(loop);
    if (is_from_outside && span.end >= position) {
      return false;
    }
  }
  return true;
}

std::vector<Move> Planner::moves(std::span<const ValueId> from, std::span<const ValueId> to,
                                 InstId where, InstId loop) {
  std::vector<Move> result;
  // Where the contents that each pending source had at the start lie now.
  std::vector<std::uint32_t> pending;
  for (const ValueId value : from) {
    pending.push_back(plan_.slot_of[value.index]);
  }
  const auto relocate = [&](std::uint32_t a, std::uint32_t b) {
    for (std::uint32_t& slot : pending) {
      slot = slot == a ? b : (slot == b ? a : slot);
    }
  };
  for (std::size_t i = 0; i < to.size(); ++i) {
    SlotRef source = ref(from[i]);
    const SlotRef target = ref(to[i]);
    source.slot = pending[i];
    const auto later = std::span(pending).subspan(i + 1);
    if (source.slot == target.slot) {
      continue;
    }
    const bool can_swap = source.kind == target.kind && may_give_away(from[i], where, loop) &&
                          !is_wanted(later, source.slot);
    if (can_swap) {
      result.push_back({Move::Kind::Swap, target, source});
      relocate(target.slot, source.slot);
      continue;
    }
    if (is_wanted(later, target.slot)) {
      SlotRef spare = target;
      spare.slot = spare_slot(target.slot);
      result.push_back({Move::Kind::Swap, target, spare});
      relocate(target.slot, spare.slot);
    }
    result.push_back({Move::Kind::Copy, target, source});
  }
  return result;
}

Plan make_plan(const Function& function, PlanStyle style, const MaskedFlow& flow) {
  return Planner(function, style, flow).build();
}

}  // namespace tilery::interpreter
