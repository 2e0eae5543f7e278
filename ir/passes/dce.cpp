#include "ir/passes/dce.h"

#include "ir/analysis/effects.h"
#include "ir/analysis/loops.h"
#include "ir/builder.h"
#include "ir/operands.h"
#include "ir/passes/drop_results.h"

namespace tilery {
namespace {

/// Marks what is needed, from the effects backwards.
class Liveness {
 public:
  explicit Liveness(const Function& function)
      : function_(function),
        inst_(function.insts.size(), false),
        result_(function.values.size(), false) {
    for_each_inst(function, function.body, [&](InstId id) {
      if (is_root(id)) {
        mark_inst(id);
      }
    });
    while (!worklist_.empty()) {
      const ValueId value = worklist_.back();
      worklist_.pop_back();
      mark_source(value);
    }
  }

  [[nodiscard]] bool is_live(InstId id) const { return inst_[id.index]; }

  /// For a result of a loop or `if`: is the carried value needed, in it or after it?
  [[nodiscard]] bool is_live(ValueId result) const { return result_[result.index]; }

 private:
  [[nodiscard]] bool has_regions_effect(const Inst& inst) const {
    return op_def(inst.op).effects == OpEffects::Regions;
  }

  /// Effects of nested instructions are roots of their own; here a region op counts only if it may
  /// not end.
  [[nodiscard]] bool is_root(InstId id) const {
    const Inst& inst = function_.inst(id);
    if (has_regions_effect(inst)) {
      return inst.op == Op::While || (inst.op == Op::For && !has_nonzero_step(function_, inst));
    }
    return !effects_of(function_, id).is_pure();
  }

  void mark_value(ValueId value) { worklist_.push_back(value); }

  void mark_source(ValueId value) {
    const Value& v = function_.value(value);
    if (v.def) {
      mark_result(v.def, v.index);
      return;
    }
    // A counter lives with its loop.
    if (const auto place = carried_place(function_, value)) {
      mark_carried(place->loop, place->index);
    }
  }

  void mark_result(InstId def, std::uint32_t index) {
    mark_inst(def);
    if (has_regions_effect(function_.inst(def))) {
      mark_carried(def, index);
    }
  }

  /// An instruction is needed: so are its operands (for a region op those that always count) and
  /// the instructions around it.
  void mark_inst(InstId id) {
    if (!id || inst_[id.index]) {
      return;
    }
    inst_[id.index] = true;
    const Inst& inst = function_.inst(id);
    if (has_regions_effect(inst)) {
      mark_control(id);
    } else {
      mark_all(inst.operands);
      for (const RegionId region : inst.regions) {
        mark_all(function_.terminator(region).operands);
      }
    }
    mark_inst(function_.region(inst.parent).owner);
  }

  void mark_control(InstId id) {
    const Inst& inst = function_.inst(id);
    if (inst.op == Op::While) {
      mark_value(operand<"go">(function_.terminator(inst.regions[0])));
      return;
    }
    const std::size_t fixed = inst.op == Op::For ? first_init(inst) : 1;
    mark_all(std::span(inst.operands).first(fixed));
    if (has_exit(inst)) {
      mark_carried(id, 0);
    }
  }

  /// The `i`-th result of a loop or `if` is needed, or its argument is: so is what flows into it.
  void mark_carried(InstId id, std::size_t i) {
    const Inst& inst = function_.inst(id);
    const ValueId result = inst.result(static_cast<std::uint32_t>(i));
    if (result_[result.index]) {
      return;
    }
    result_[result.index] = true;
    if (is_loop(inst.op)) {
      mark_value(initial_values(inst)[i]);
    }
    for (const RegionId region : inst.regions) {
      mark_value(passed_values(function_, region)[i]);
    }
  }

  void mark_all(std::span<const ValueId> values) {
    worklist_.insert(worklist_.end(), values.begin(), values.end());
  }

  const Function& function_;
  std::vector<bool> inst_;
  std::vector<bool> result_;
  std::vector<ValueId> worklist_;
};

/// Removes what is not marked, in program order.
class Sweep {
 public:
  explicit Sweep(Function& function) : function_(function), live_(function) {}

  bool run() {
    sweep(function_.body);
    return changed_;
  }

 private:
  void sweep(RegionId region) {
    std::vector<InstId> kept;
    for (const InstId id : std::vector<InstId>(function_.region(region).insts)) {
      const bool needed = op_def(function_.inst(id).op).is_terminator() || live_.is_live(id);
      if (needed) {
        keep(id);
        kept.push_back(id);
      } else {
        function_.inst(id).parent = RegionId();
        changed_ = true;
      }
    }
    function_.region(region).insts = std::move(kept);
  }

  void keep(InstId id) {
    drop_dead_results(id);
    replacements_.apply(function_.inst(id));
    for (const RegionId nested : std::vector<RegionId>(function_.inst(id).regions)) {
      sweep(nested);
    }
  }

  void drop_dead_results(InstId id) {
    const Inst& inst = function_.inst(id);
    if (op_def(inst.op).effects != OpEffects::Regions) {
      return;
    }
    std::vector<bool> keep(inst.result_count);
    for (std::uint32_t i = 0; i < inst.result_count; ++i) {
      keep[i] = live_.is_live(inst.result(i));
      changed_ |= !keep[i];
    }
    drop_results(function_, id, keep, replacements_);
  }

  Function& function_;
  const Liveness live_;
  Replacements replacements_;
  bool changed_ = false;
};

}  // namespace

bool dce(Function& function) {
  return Sweep(function).run();
}

}  // namespace tilery
