#include "codegen/analysis/axis_info.h"

#include "codegen/analysis/axis_rules.h"
#include "ir/analysis/loops.h"
#include "ir/support/check.h"

#include <algorithm>
#include <numeric>

namespace tilery::codegen {
namespace {

/// Computes the facts of one function's values, region by region.
class AxisFinder {
 public:
  explicit AxisFinder(const Function& function)
      : function_(function),
        infos_(function.values.size()),
        lookup_([this](ValueId value) -> const AxisInfo& { return infos_[value.index]; }) {}

  std::vector<AxisInfo> run() {
    for (std::size_t i = 0; i < infos_.size(); ++i) {
      infos_[i] = no_axis_facts(function_.values[i].type);
    }
    const std::vector<ValueId>& args = function_.region(function_.body).args;
    for (std::size_t i = 0; i < function_.params.size(); ++i) {
      infos_[args[i].index] = parameter_facts(function_.params[i]);
    }
    visit(function_.body);
    return std::move(infos_);
  }

 private:
  void visit(RegionId region) {
    for (const InstId id : function_.region(region).insts) {
      const Inst& inst = function_.inst(id);
      if (is_loop(inst.op)) {
        loop(inst);
      } else if (inst.op == Op::If) {
        branch(inst);
      } else {
        // Combine regions are never asked about.
        for (std::uint32_t i = 0; i < inst.result_count; ++i) {
          infos_[inst.result(i).index] = result_facts(function_, inst, i, lookup_);
        }
      }
    }
  }

  void branch(const Inst& inst) {
    for (const RegionId region : inst.regions) {
      visit(region);
    }
    const Inst& then_yield = function_.terminator(inst.regions[0]);
    const Inst& else_yield = function_.terminator(inst.regions[1]);
    for (std::uint32_t i = 0; i < inst.result_count; ++i) {
      infos_[inst.result(i).index] = joined(then_yield.operands[i], else_yield.operands[i]);
    }
  }

  [[nodiscard]] AxisInfo joined(ValueId a, ValueId b) const {
    return joined_facts(infos_[a.index], infos_[b.index], function_.type(a));
  }

  /// Begins with the initial values' facts and weakens them by what the body yields until nothing
  /// changes. Facts only go down, a factor of two at a time at least.
  void loop(const Inst& inst) {
    const bool counted = inst.op == Op::For;
    const RegionId head = inst.regions.front();
    const std::vector<ValueId>& head_args = function_.region(head).args;
    const std::size_t first_arg = counted ? 1 : 0;
    if (counted) {
      infos_[head_args[0].index] = counter_facts(function_, inst, lookup_);
    }
    for (std::size_t i = 0; i < carried_count(inst); ++i) {
      infos_[head_args[first_arg + i].index] = infos_[inst.operands[first_init(inst) + i].index];
    }
    bool changed = true;
    while (changed) {
      visit_loop_regions(inst);
      changed = false;
      const Inst& yield = function_.terminator(inst.regions.back());
      for (std::size_t i = 0; i < carried_count(inst); ++i) {
        AxisInfo& argument = infos_[head_args[first_arg + i].index];
        AxisInfo next = joined(head_args[first_arg + i], yield.operands[i]);
        changed = changed || next != argument;
        argument = std::move(next);
      }
    }
    for (std::uint32_t i = 0; i < inst.result_count; ++i) {
      infos_[inst.result(i).index] = infos_[last_value(inst, i).index];
    }
  }

  void visit_loop_regions(const Inst& inst) {
    visit(inst.regions.front());
    if (inst.op != Op::While) {
      return;
    }
    const Inst& condition = function_.terminator(inst.regions[0]);
    for (std::size_t i = 0; i < carried_count(inst); ++i) {
      infos_[body_arg(function_, inst, i).index] = infos_[condition.operands[1 + i].index];
    }
    visit(inst.regions[1]);
  }

  /// What the loop's result is at its end: the argument, which stands for any iteration's value, or
  /// what a `while` hands to its condition.
  [[nodiscard]] ValueId last_value(const Inst& inst, std::size_t i) const {
    return inst.op == Op::For ? body_arg(function_, inst, i)
                              : function_.terminator(inst.regions[0]).operands[1 + i];
  }

  const Function& function_;
  std::vector<AxisInfo> infos_;
  AxisLookup lookup_;
};

ValueId mask_of(const Inst& access) {
  return access.operand(access.op == Op::Load ? 1 : 2);
}

}  // namespace

const AxisInfo& AxisTable::of(ValueId value) const {
  TILERY_CHECK(value.index < infos_.size(), "axis facts of a value that came later");
  return infos_[value.index];
}

AxisTable find_axis_info(const Function& function) {
  AxisTable table;
  table.infos_ = AxisFinder(function).run();
  return table;
}

std::vector<int> access_order(const AxisTable& table, const Function& function, InstId access) {
  const ValueId ptr = function.inst(access).operand(0);
  const AxisInfo& info = table.of(ptr);
  std::vector<int> order(static_cast<std::size_t>(function.type(ptr).shape.rank()));
  std::iota(order.rbegin(), order.rend(), 0);
  std::ranges::stable_sort(order, [&](int a, int b) {
    return info.axes[static_cast<std::size_t>(a)].contiguity >
           info.axes[static_cast<std::size_t>(b)].contiguity;
  });
  return order;
}

int access_elements(const AxisTable& table, const Function& function, InstId access, int axis) {
  constexpr std::int64_t kMaxBytes = 16;
  const Inst& inst = function.inst(access);
  const std::int64_t bytes = function.type(inst.operand(0)).element.pointee().byte_size();
  const AxisFacts& address = table.of(inst.operand(0)).axes[static_cast<std::size_t>(axis)];
  std::int64_t elements =
      std::min({kMaxBytes / bytes, address.contiguity, address.divisibility / bytes});
  if (const ValueId mask = mask_of(inst)) {
    elements = std::min(elements, table.of(mask).axes[static_cast<std::size_t>(axis)].constancy);
  }
  return static_cast<int>(std::max<std::int64_t>(1, elements));
}

}  // namespace tilery::codegen
