#include "codegen/analysis/axis_info.h"

#include "codegen/analysis/axis_rules.h"
#include "ir/analysis/loops.h"
#include "ir/operands.h"
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
    const auto then_values = passed_values(function_, inst.regions[0]);
    const auto else_values = passed_values(function_, inst.regions[1]);
    for (std::uint32_t i = 0; i < inst.result_count; ++i) {
      infos_[inst.result(i).index] = joined(then_values[i], else_values[i]);
    }
  }

  [[nodiscard]] AxisInfo joined(ValueId a, ValueId b) const {
    return joined_facts(infos_[a.index], infos_[b.index], function_.type(a));
  }

  /// Begins with the initial values' facts and weakens them by what the body yields until nothing
  /// changes. Facts only go down, a factor of two at a time at least.
  void loop(const Inst& inst) {
    if (inst.op == Op::For) {
      infos_[counter_arg(function_, inst).index] = counter_facts(function_, inst, lookup_);
    }
    std::vector<Carried> all;
    for (std::size_t i = 0; i < carried_count(inst); ++i) {
      const Carried& carried = all.emplace_back(carried_value(function_, inst, i));
      infos_[carried.arg.index] = infos_[carried.init.index];
    }
    bool changed = true;
    while (changed) {
      visit_loop_regions(inst, all);
      changed = false;
      for (const Carried& carried : all) {
        AxisInfo& argument = infos_[carried.arg.index];
        AxisInfo next = joined(carried.arg, carried.next);
        changed = changed || next != argument;
        argument = std::move(next);
      }
    }
    // The argument of a `for` stands for any iteration's value, the last one among them.
    for (const Carried& carried : all) {
      infos_[carried.result.index] = infos_[carried.passed.index];
    }
  }

  void visit_loop_regions(const Inst& inst, std::span<const Carried> all) {
    visit(inst.regions.front());
    if (inst.op != Op::While) {
      return;
    }
    for (const Carried& carried : all) {
      infos_[carried.body_arg.index] = infos_[carried.passed.index];
    }
    visit(inst.regions[1]);
  }

  const Function& function_;
  std::vector<AxisInfo> infos_;
  AxisLookup lookup_;
};

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
  const ValueId ptr = operand<"ptr">(function.inst(access));
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
  const ValueId ptr = operand<"ptr">(inst);
  const std::int64_t bytes = function.type(ptr).element.pointee().byte_size();
  const AxisFacts& address = table.of(ptr).axes[static_cast<std::size_t>(axis)];
  std::int64_t elements =
      std::min({kMaxBytes / bytes, address.contiguity, address.divisibility / bytes});
  if (const ValueId mask = operand<"mask">(inst)) {
    elements = std::min(elements, table.of(mask).axes[static_cast<std::size_t>(axis)].constancy);
  }
  return static_cast<int>(std::max<std::int64_t>(1, elements));
}

}  // namespace tilery::codegen
