// Builds a plan: the eval_<op> functions (eval.h) choose a step for each instruction through it.
#pragma once

#include "interpreter/plan.h"

#include <span>
#include <utility>

namespace tilery::interpreter {

/// Which slots hold which values. Values that share their bytes by nature (a tile and its reshape,
/// a loop's argument and result) form a group and share a slot; groups that are never needed at the
/// same time take turns.
struct SlotAssignment {
  std::vector<std::uint32_t> slot_of;  ///< by value
  std::vector<SlotInfo> slots;
  std::vector<bool> is_fixed;  ///< by slot: parameters and constants, never written by steps
};

[[nodiscard]] SlotAssignment assign_slots(const Function& function,
                                          const std::vector<ValueKind>& kinds,
                                          const Lifetimes& lifetimes);

/// The operand whose bytes are already the result of this instruction, so that no step is needed;
/// none if there is no such operand.
[[nodiscard]] ValueId aliased_operand(const Function& function, const Inst& inst,
                                      const std::vector<ValueKind>& kinds);

class Planner {
 public:
  Planner(const Function& function, PlanStyle style, const MaskedFlow& flow);

  [[nodiscard]] Plan build() &&;

  [[nodiscard]] const Function& function() const { return function_; }

  [[nodiscard]] const Inst& inst(InstId id) const { return function_.inst(id); }

  [[nodiscard]] const MaskedFlow& flow() const { return flow_; }

  [[nodiscard]] bool is_plain() const { return plan_.style == PlanStyle::Plain; }

  /// The value as it is held; an absent operand for none.
  [[nodiscard]] SlotRef ref(ValueId value) const;

  [[nodiscard]] ValueKind kind(ValueId value) const { return plan_.kinds[value.index]; }

  [[nodiscard]] SlotRef result(InstId id) const { return ref(inst(id).result()); }

  /// The same, with room in this step's scratch to spell an affine or range tile out.
  [[nodiscard]] SlotRef spelled(ValueId value);
  /// Bytes of scratch for this step, aligned to 64; gives the offset.
  [[nodiscard]] std::size_t scratch(std::size_t bytes);

  /// True if the instruction's result is its operand's own slot.
  [[nodiscard]] bool is_alias(InstId id) const;

  /// Data of a step, owned by the plan.
  template <class T>
  T& data() {
    auto owned = std::make_shared<T>();
    T& reference = *owned;
    plan_.step_data.push_back(std::move(owned));
    return reference;
  }

  /// Appends a step and ends its use of scratch.
  void emit(InstId id, const StepFns& run, const void* data);
  /// The index that the next emitted step gets.
  [[nodiscard]] std::uint32_t next_step() const;

  /// Appends the steps of a region, its terminator included.
  void plan_region(RegionId region);

  /// What an owner of regions left for the terminators inside.
  void set_control(InstId owner, void* data) { controls_.emplace_back(owner, data); }

  [[nodiscard]] void* control(InstId owner) const;

  /// A slot for a LoopState.
  [[nodiscard]] std::uint32_t loop_state(InstId loop);

  /// The moves that carry `from[i]` to `to[i]` for all i at once, at the instruction `where`.
  /// `leaves_iteration` tells that `where` ends an iteration of `loop`, so that what is defined
  /// outside of the loop must stay.
  [[nodiscard]] std::vector<Move> moves(std::span<const ValueId> from, std::span<const ValueId> to,
                                        InstId where, InstId loop);

 private:
  [[nodiscard]] bool may_give_away(ValueId value, InstId where, InstId loop) const;
  [[nodiscard]] std::uint32_t spare_slot(std::uint32_t like);
  void lay_out();

  const Function& function_;
  const MaskedFlow& flow_;
  Plan plan_;
  std::vector<bool> is_fixed_;
  std::vector<std::vector<ValueId>> values_in_;  ///< by slot
  std::vector<std::pair<InstId, void*>> controls_;
  std::size_t step_scratch_ = 0;
};

}  // namespace tilery::interpreter
