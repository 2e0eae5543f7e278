#include "interpreter/check/masked_flow.h"

#include "interpreter/check/conditions.h"
#include "ir/analysis/loops.h"
#include "ir/operands.h"

#include <algorithm>
#include <optional>
#include <queue>
#include <utility>

namespace tilery::interpreter {
namespace {

/// Which lanes of a value matter: those where all of the conditions hold. Without a value none do.
using Need = std::optional<Conditions>;

// Goes from the uses of values back to what they are computed from. Several uses need the lanes of
// each, of which is known what both sets of conditions say. So a need only ever loses conditions,
// of which it has at most kMost: the work grows with the function's size alone.
class NeedFinder {
 public:
  explicit NeedFinder(const Function& function)
      : function_(function),
        lifetimes_(find_lifetimes(function)),
        conditions_(function, lifetimes_),
        needs_(function.values.size()),
        is_waiting_(function.values.size(), false) {}

  std::vector<bool> leaking_loads() {
    visit_region(function_.body);
    while (!waiting_.empty()) {
      const ValueId value(waiting_.top().second);
      waiting_.pop();
      is_waiting_[value.index] = false;
      pass_on(value, *needs_[value.index]);
    }
    std::vector<bool> leaks(function_.insts.size(), false);
    for (const InstId load : watched_) {
      const Inst& inst = function_.inst(load);
      const Need& need = needs_[inst.result().index];
      leaks[load.index] = need && !includes(*need, conditions_.of(operand<"mask">(inst)));
    }
    return leaks;
  }

 private:
  /// Lanes of a value matter that did not before, perhaps.
  void need(ValueId value, const Conditions& where) {
    if (!value) {
      return;
    }
    Need& known = needs_[value.index];
    Conditions now = known ? intersected(*known, where) : where;
    if (known && known->size() == now.size()) {
      return;
    }
    known = std::move(now);
    if (!is_waiting_[value.index]) {
      is_waiting_[value.index] = true;
      waiting_.emplace(lifetimes_.value[value.index].begin, value.index);
    }
  }

  void need_all(ValueId value) { need(value, {}); }

  /// Of the lanes `where`, those that a mask lets through; all of them if there is no mask.
  Conditions masked(const Conditions& where, ValueId mask) {
    if (!mask) {
      return where;
    }
    Conditions both = united(where, conditions_.of(mask));
    return both.size() <= MaskConditions::kMost ? both : conditions_.of(mask);
  }

  void visit_region(RegionId region) {
    for (const InstId id : function_.region(region).insts) {
      const Inst& inst = function_.inst(id);
      if (is_control(inst.op)) {
        visit_control(inst);
      } else {
        visit(id, inst);
      }
    }
  }

  /// What an instruction needs of its operands, whoever uses its results.
  void visit(InstId id, const Inst& inst) {
    const OpDef& def = op_def(inst.op);
    if (inst.op == Op::Load) {
      const ValueId mask = operand<"mask">(inst);
      need(operand<"ptr">(inst), masked({}, mask));
      need_all(mask);
      if (mask && !operand<"other">(inst)) {
        watched_.push_back(id);
      }
    } else if (inst.op == Op::Store) {
      const ValueId mask = operand<"mask">(inst);
      need(operand<"ptr">(inst), masked({}, mask));
      need(operand<"value">(inst), masked({}, mask));
      need_all(mask);
    } else if (is_lanewise(inst)) {
      // Masks are asked for in program order.
      if (function_.type(inst.result()).element.is(Scalar::I1)) {
        (void)conditions_.of(inst.result());
      }
    } else if (!def.is_terminator() && inst.op != Op::DevicePrint) {
      // A hint among them: it promises nothing for undefined lanes, so it must be known which these
      // are.
      std::for_each(inst.operands.begin(), inst.operands.end(), [this](ValueId v) { need_all(v); });
    }
  }

  /// True if lanes of the results need lanes of the operands, and nothing else does.
  static bool is_lanewise(const Inst& inst) {
    const OpDef& def = op_def(inst.op);
    return def.is_map() || inst.op == Op::AddPtr || inst.op == Op::Select ||
           def.family == OpFamily::Shape;
  }

  void visit_control(const Inst& inst) {
    if (inst.op == Op::If) {
      need_all(operand<"condition">(inst));
    } else if (inst.op == Op::While) {
      need_all(operand<"go">(function_.terminator(inst.regions[0])));
    } else {
      for (const ValueId bound :
           {operand<"lower">(inst), operand<"upper">(inst), operand<"step">(inst)}) {
        need_all(bound);
      }
      if (has_exit(inst)) {
        need_all(carried_value(function_, inst, 0).arg);
      }
    }
    std::for_each(inst.regions.begin(), inst.regions.end(),
                  [this](RegionId region) { visit_region(region); });
  }

  /// From a value to what it is computed from.
  void pass_on(ValueId id, const Conditions& where) {
    const Value& value = function_.value(id);
    if (value.def) {
      const Inst& inst = function_.inst(value.def);
      return is_control(inst.op) ? pass_result(value, where) : pass_lanes(inst, where);
    }
    if (const auto place = carried_place(function_, id)) {
      const auto [loop, i] = *place;
      const Carried carried = carried_value(function_, function_.inst(loop), i);
      if (id == carried.arg) {
        need(carried.init, where);
        need(carried.next, fixed(loop, where));
      } else {
        need(carried.passed, fixed(loop, where));
      }
    }
  }

  void pass_lanes(const Inst& inst, const Conditions& where) {
    const bool is_flag = function_.type(inst.result()).element.is(Scalar::I1);
    if (inst.op == Op::Load) {
      need(operand<"other">(inst), where);
    } else if (inst.op == Op::Select) {
      const ValueId condition = operand<"condition">(inst);
      need(condition, where);
      need(operand<"if_true">(inst), masked(where, condition));
      need(operand<"if_false">(inst), where);
    } else if (inst.op == Op::And && is_flag) {
      // Where the other side is false, so is the result, whatever this side is.
      need(inst.operand(0), masked(where, inst.operand(1)));
      need(inst.operand(1), masked(where, inst.operand(0)));
    } else if (op_def(inst.op).family == OpFamily::Shape) {
      need(inst.operand(0), conditions_.before(inst, where));
    } else if (is_lanewise(inst)) {
      std::for_each(inst.operands.begin(), inst.operands.end(),
                    [&](ValueId operand) { need(operand, where); });
    }
  }

  void pass_result(const Value& result, const Conditions& where) {
    const Inst& inst = function_.inst(result.def);
    if (inst.op == Op::If) {
      for (const RegionId region : inst.regions) {
        need(passed_values(function_, region)[result.index], where);
      }
      return;
    }
    const Carried carried = carried_value(function_, inst, result.index);
    if (inst.op == Op::For) {
      need(carried.arg, where);
    } else {
      need(carried.passed, fixed(result.def, where));
    }
  }

  /// Of conditions on a value that leaves an iteration, those that the next one cannot change: a
  /// condition computed inside the loop is another one there.
  [[nodiscard]] Conditions fixed(InstId loop, const Conditions& where) const {
    Conditions result;
    std::copy_if(where.begin(), where.end(), std::back_inserter(result), [&](Condition condition) {
      return conditions_.begin_of(condition) < lifetimes_.at(loop);
    });
    return result;
  }

  const Function& function_;
  Lifetimes lifetimes_;
  MaskConditions conditions_;
  std::vector<Need> needs_;       ///< by value
  std::vector<InstId> watched_;   ///< masked loads without `other`
  std::vector<bool> is_waiting_;  ///< by value: is in `waiting_`
  /// Values whose need grew, the latest in the program first: begin and number.
  std::priority_queue<std::pair<int, std::uint32_t>> waiting_;
};

}  // namespace

MaskedFlow::MaskedFlow(const Function& function) : leaks_(NeedFinder(function).leaking_loads()) {}

}  // namespace tilery::interpreter
