#include "interpreter/check/masked_flow.h"

#include "interpreter/lifetimes.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace tilery::interpreter {
namespace {

/// A condition that a lane satisfies: an i1 value, seen through shape operations. Equal numbers
/// mean equal conditions.
using Condition = std::uint32_t;
using Conditions = std::set<Condition>;

/// For each load, the conditions under which a lane of a value is surely defined. A load that is
/// not in the map leaves no lane of the value undefined.
using Taint = std::map<std::uint32_t, Conditions>;

bool implies(const Conditions& mask, const Conditions& required) {
  return std::includes(mask.begin(), mask.end(), required.begin(), required.end());
}

class FlowFinder {
 public:
  explicit FlowFinder(const Function& function)
      : function_(function),
        lifetimes_(find_lifetimes(function)),
        conditions_(function.values.size()),
        taints_(function.values.size()),
        leaks_(function.insts.size(), false) {}

  std::vector<bool> run() {
    do {
      changed_ = false;
      visit_region(function_.body);
    } while (changed_);
    return std::move(leaks_);
  }

 private:
  /// The conditions whose `and` the i1 value is.
  const Conditions& conditions(ValueId value) {
    Conditions& known = conditions_[value.index];
    if (known.empty()) {
      known = find_conditions(value);
    }
    return known;
  }

  Conditions find_conditions(ValueId value) {
    const InstId def = function_.value(value).def;
    if (!def) {
      return {value.index};
    }
    const Inst& inst = function_.inst(def);
    if (inst.op == Op::And) {
      Conditions both = conditions(inst.operand(0));
      both.merge(Conditions(conditions(inst.operand(1))));
      return both;
    }
    if (op_def(inst.op).family == OpFamily::Shape) {
      return moved(conditions(inst.operand(0)), inst);
    }
    return {value.index};
  }

  /// Conditions seen through a shape operation.
  Conditions moved(const Conditions& from, const Inst& inst) {
    std::string how = std::string(op_def(inst.op).id);
    how += function_.type(inst.result()).shape.str();
    for (const Attr& attr : inst.attrs) {
      if (const auto* axis = std::get_if<std::int64_t>(&attr)) {
        how += " " + std::to_string(*axis);
      } else if (const auto* axes = std::get_if<std::vector<std::int64_t>>(&attr)) {
        for (const std::int64_t axis_in_list : *axes) {
          how += " " + std::to_string(axis_in_list);
        }
      }
    }
    Conditions result;
    for (const Condition condition : from) {
      const auto fresh = static_cast<Condition>(function_.values.size() + moved_.size());
      const auto [entry, is_new] = moved_.try_emplace({condition, how}, fresh);
      if (is_new) {
        moved_begin_.push_back(begin_of(condition));
      }
      result.insert(entry->second);
    }
    return result;
  }

  /// Adds to what is known of a value; taints only grow.
  void add(ValueId value, const Taint& taint) {
    Taint& known = taints_[value.index];
    for (const auto& [load, required] : taint) {
      const auto [entry, is_new] = known.try_emplace(load, required);
      const std::size_t before = entry->second.size();
      entry->second.insert(required.begin(), required.end());
      changed_ = changed_ || is_new || entry->second.size() != before;
    }
  }

  void leak(const Taint& taint) {
    for (const auto& [load, required] : taint) {
      leaks_[load] = true;
    }
  }

  void leak(ValueId value) {
    if (value) {
      leak(taints_[value.index]);
    }
  }

  /// What is left of a taint where only lanes under `mask` matter (all, if there is no mask).
  Taint kept(const Taint& taint, ValueId mask) {
    Taint result;
    for (const auto& [load, required] : taint) {
      if (!mask || !implies(conditions(mask), required)) {
        result.emplace(load, required);
      }
    }
    return result;
  }

  void visit_region(RegionId region) {
    for (const InstId id : function_.region(region).insts) {
      const Inst& inst = function_.inst(id);
      if (is_control(inst.op)) {
        visit_control(id);
      } else {
        visit(id, inst);
      }
    }
  }

  void visit(InstId id, const Inst& inst) {
    if (inst.op == Op::Load) {
      return visit_load(id, inst);
    }
    if (inst.op == Op::Store) {
      leak(kept(taints_[inst.operand(0).index], inst.operand(2)));
      leak(kept(taints_[inst.operand(1).index], inst.operand(2)));
      return leak(inst.operand(2));
    }
    if (inst.op == Op::Select) {
      add(inst.result(), taints_[inst.operand(0).index]);
      add(inst.result(), kept(taints_[inst.operand(1).index], inst.operand(0)));
      return add(inst.result(), taints_[inst.operand(2).index]);
    }
    if (inst.op == Op::And && function_.type(inst.result()).element.is(Scalar::I1)) {
      // Where the other side is false, so is the result, whatever this side is.
      add(inst.result(), kept(taints_[inst.operand(0).index], inst.operand(1)));
      return add(inst.result(), kept(taints_[inst.operand(1).index], inst.operand(0)));
    }
    const OpDef& def = op_def(inst.op);
    if (def.family == OpFamily::Shape) {
      return visit_shape(inst);
    }
    const bool is_lanewise = def.is_map() || inst.op == Op::AddPtr ||
                             (def.family == OpFamily::Debug && inst.result_count == 1);
    if (is_lanewise) {
      for (const ValueId operand : inst.operands) {
        add(inst.result(), taints_[operand.index]);
        // A hint promises nothing for undefined lanes, so it must be known which these are.
        if (def.family == OpFamily::Debug) {
          leak(operand);
        }
      }
    } else if (!def.is_terminator() && inst.op != Op::DevicePrint) {
      std::for_each(inst.operands.begin(), inst.operands.end(), [this](ValueId v) { leak(v); });
    }
  }

  void visit_load(InstId id, const Inst& inst) {
    const ValueId mask = inst.operand(1);
    leak(kept(taints_[inst.operand(0).index], mask));
    leak(mask);
    if (const ValueId other = inst.operand(2)) {
      add(inst.result(), taints_[other.index]);
    } else if (mask) {
      add(inst.result(), {{id.index, conditions(mask)}});
    }
  }

  void visit_shape(const Inst& inst) {
    Taint result;
    for (const auto& [load, required] : taints_[inst.operand(0).index]) {
      result.emplace(load, moved(required, inst));
    }
    add(inst.result(), result);
  }

  /// The position where a condition was computed.
  [[nodiscard]] int begin_of(Condition condition) const {
    const std::size_t values = function_.values.size();
    return condition < values ? lifetimes_.value[condition].begin
                              : moved_begin_[condition - values];
  }

  /// Values that leave an iteration: a condition computed inside the loop is another one next time.
  void carry(InstId loop, ValueId from, ValueId to) {
    Taint result;
    for (const auto& [load, required] : taints_[from.index]) {
      const bool is_fixed = std::all_of(required.begin(), required.end(), [&](Condition c) {
        return begin_of(c) < lifetimes_.at(loop);
      });
      if (is_fixed) {
        result.emplace(load, required);
      } else {
        leaks_[load] = true;
      }
    }
    add(to, result);
  }

  void visit_control(InstId id) {
    const Inst& inst = function_.inst(id);
    if (inst.op == Op::If) {
      leak(inst.operand(0));
      for (const RegionId region : inst.regions) {
        visit_region(region);
        const auto& yielded = function_.terminator(region).operands;
        for (std::uint32_t i = 0; i < inst.result_count; ++i) {
          add(inst.result(i), taints_[yielded[i].index]);
        }
      }
      return;
    }
    if (inst.op == Op::For) {
      leak(inst.operand(0));
      leak(inst.operand(1));
      leak(inst.operand(2));
      return visit_loop(id, inst.group(3), inst.regions[0], 1);
    }
    visit_loop(id, inst.group(0), inst.regions[0], 0);
    const Inst& condition = function_.terminator(inst.regions[0]);
    leak(condition.operand(0));
    const auto& inside = function_.region(inst.regions[1]).args;
    for (std::size_t i = 0; i < inside.size(); ++i) {
      carry(id, condition.group(1)[i], inside[i]);
      carry(id, condition.group(1)[i], inst.result(static_cast<std::uint32_t>(i)));
    }
    visit_region(inst.regions[1]);
    const auto& yielded = function_.terminator(inst.regions[1]).operands;
    const auto& before = function_.region(inst.regions[0]).args;
    for (std::size_t i = 0; i < before.size(); ++i) {
      carry(id, yielded[i], before[i]);
    }
  }

  /// The first region of a loop, whose arguments from `first` on are the carried values.
  void visit_loop(InstId id, std::span<const ValueId> init, RegionId region, std::size_t first) {
    const Inst& inst = function_.inst(id);
    const auto& arguments = function_.region(region).args;
    for (std::size_t i = 0; i < init.size(); ++i) {
      add(arguments[first + i], taints_[init[i].index]);
    }
    visit_region(region);
    if (inst.op != Op::For) {
      return;
    }
    const auto& yielded = function_.terminator(region).operands;
    for (std::size_t i = 0; i < init.size(); ++i) {
      carry(id, yielded[i], arguments[first + i]);
      add(inst.result(static_cast<std::uint32_t>(i)), taints_[arguments[first + i].index]);
    }
  }

  const Function& function_;
  Lifetimes lifetimes_;
  std::vector<Conditions> conditions_;
  std::vector<Taint> taints_;
  std::vector<bool> leaks_;
  std::map<std::pair<Condition, std::string>, Condition> moved_;
  std::vector<int> moved_begin_;
  bool changed_ = false;
};

}  // namespace

MaskedFlow::MaskedFlow(const Function& function) : leaks_(FlowFinder(function).run()) {}

}  // namespace tilery::interpreter
