// Slots: which values share one, and which take turns.
//
// Groups are found by union-find over aliases and over the values that a loop carries in place.
// Each group has a span of positions; slots are then handed out along the program, a free slot of
// the same size first. A result never takes the slot of an operand of the same instruction: a step
// that finds something can so be done again in the Tracked level from intact operands.
#include "interpreter/planner.h"
#include "ir/analysis/loops.h"
#include "ir/attributes.h"
#include "ir/support/check.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <queue>
#include <tuple>

namespace tilery::interpreter {
namespace {

class SlotAssigner {
 public:
  SlotAssigner(const Function& function, const std::vector<ValueKind>& kinds,
               const Lifetimes& lifetimes)
      : function_(function), kinds_(kinds), lifetimes_(lifetimes), parent_(function.values.size()) {
    std::iota(parent_.begin(), parent_.end(), 0U);
  }

  SlotAssignment run() {
    result_.slot_of.assign(function_.values.size(), kNoSlot);
    for (const ValueId parameter : function_.region(function_.body).args) {
      members_.push_back(parameter);
    }
    group_region(function_.body);
    for (const ValueId value : members_) {
      extend_group(value);
    }
    hand_out();
    for (const ValueId value : members_) {
      result_.slot_of[value.index] = result_.slot_of[find(value.index)];
    }
    return std::move(result_);
  }

 private:
  struct Group {
    std::uint32_t root = 0;
    Span span;
    bool fixed = false;
  };

  std::uint32_t find(std::uint32_t value) {
    while (parent_[value] != value) {
      parent_[value] = parent_[parent_[value]];
      value = parent_[value];
    }
    return value;
  }

  void unite(ValueId a, ValueId b) {
    TILERY_CHECK(kinds_[a.index].kind == kinds_[b.index].kind, "a group has one slot kind");
    parent_[find(b.index)] = find(a.index);
  }

  void group_region(RegionId region) {
    for (const InstId id : function_.region(region).insts) {
      const Inst& inst = function_.inst(id);
      for (std::uint32_t i = 0; i < inst.result_count; ++i) {
        members_.push_back(inst.result(i));
      }
      if (const ValueId operand = aliased_operand(function_, inst, kinds_)) {
        unite(operand, inst.result());
      }
      if (is_control(inst.op)) {
        group_control(id);
      }
    }
  }

  void group_control(InstId id) {
    const Inst& inst = function_.inst(id);
    for (const RegionId region : inst.regions) {
      const auto& arguments = function_.region(region).args;
      members_.insert(members_.end(), arguments.begin(), arguments.end());
      for (const ValueId argument : arguments) {
        keep_through_loop(argument, id);
      }
      group_region(region);
    }
    for (std::uint32_t i = 0; i < inst.result_count; ++i) {
      if (inst.op == Op::If) {
        keep_through_loop(inst.result(i), id);
      } else {
        unite(body_arg(function_, inst, i), inst.result(i));
      }
    }
  }

  /// Carried values and results of `if` are written at several places between the op and its end.
  void keep_through_loop(ValueId value, InstId owner) {
    kept_.push_back({value, {lifetimes_.at(owner), lifetimes_.loop_end[owner.index]}});
  }

  Group& group_of(ValueId value) {
    const std::uint32_t root = find(value.index);
    const auto [entry, is_new] = group_index_.try_emplace(root, groups_.size());
    if (is_new) {
      groups_.push_back({root, {lifetimes_.count, -1}, false});
    }
    return groups_[entry->second];
  }

  void extend_group(ValueId value) {
    Group& group = group_of(value);
    const Span span = lifetimes_.value[value.index];
    group.span.begin = std::min(group.span.begin, span.begin);
    group.span.end = std::max(group.span.end, span.end);
    const Value& info = function_.value(value);
    const bool is_parameter = !info.def && info.region == function_.body;
    group.fixed =
        group.fixed || is_parameter || (info.def && function_.inst(info.def).op == Op::Constant);
  }

  using SlotClass = std::tuple<SlotKind, std::size_t, std::size_t>;

  /// Slots of one class may trade places.
  [[nodiscard]] SlotClass slot_class(std::uint32_t value) const {
    const Type& type = function_.values[value].type;
    const auto lanes = static_cast<std::size_t>(type.numel());
    switch (kinds_[value].kind) {
      case SlotKind::Splat:
        return {SlotKind::Splat, 8, 1};
      case SlotKind::Affine:
        return {SlotKind::Affine, sizeof(Affine), 0};
      case SlotKind::Range:
        return {SlotKind::Range, sizeof(Box), 0};
      case SlotKind::Dense:
        return {SlotKind::Dense, lanes * static_cast<std::size_t>(type.element.byte_size()), lanes};
    }
    return {};
  }

  std::uint32_t new_slot(const SlotClass& kind, bool fixed) {
    result_.slots.push_back({std::get<1>(kind), std::get<2>(kind), 0});
    result_.is_fixed.push_back(fixed);
    return static_cast<std::uint32_t>(result_.slots.size() - 1);
  }

  void hand_out() {
    for (const auto& [value, span] : kept_) {
      Group& group = group_of(value);
      group.span.begin = std::min(group.span.begin, span.begin);
      group.span.end = std::max(group.span.end, span.end);
    }
    std::stable_sort(groups_.begin(), groups_.end(),
                     [](const Group& a, const Group& b) { return a.span.begin < b.span.begin; });
    using Busy = std::pair<int, std::uint32_t>;
    std::priority_queue<Busy, std::vector<Busy>, std::greater<>> busy;
    std::map<SlotClass, std::vector<std::uint32_t>> free;
    std::vector<SlotClass> classes;
    for (const Group& group : groups_) {
      while (!busy.empty() && busy.top().first < group.span.begin) {
        free[classes[busy.top().second]].push_back(busy.top().second);
        busy.pop();
      }
      const SlotClass kind = slot_class(group.root);
      auto& available = free[kind];
      std::uint32_t slot = kNoSlot;
      if (group.fixed || available.empty()) {
        slot = new_slot(kind, group.fixed);
        classes.push_back(kind);
      } else {
        slot = available.back();
        available.pop_back();
      }
      result_.slot_of[group.root] = slot;
      if (!group.fixed) {
        busy.emplace(group.span.end, slot);
      }
    }
  }

  const Function& function_;
  const std::vector<ValueKind>& kinds_;
  const Lifetimes& lifetimes_;
  SlotAssignment result_;
  std::vector<std::uint32_t> parent_;
  std::vector<ValueId> members_;
  std::vector<std::pair<ValueId, Span>> kept_;
  std::vector<Group> groups_;
  std::map<std::uint32_t, std::size_t> group_index_;
};

/// True if the permutation leaves the axes longer than 1 in their order.
bool keeps_order(const Shape& shape, std::span<const std::int64_t> order) {
  std::int64_t last = -1;
  for (const std::int64_t axis : order) {
    if (shape[static_cast<int>(axis)] == 1) {
      continue;
    }
    if (axis < last) {
      return false;
    }
    last = axis;
  }
  return true;
}

}  // namespace

SlotAssignment assign_slots(const Function& function, const std::vector<ValueKind>& kinds,
                            const Lifetimes& lifetimes) {
  return SlotAssigner(function, kinds, lifetimes).run();
}

ValueId aliased_operand(const Function& function, const Inst& inst,
                        const std::vector<ValueKind>& kinds) {
  const OpFamily family = op_def(inst.op).family;
  const bool is_hint = family == OpFamily::Debug && inst.result_count == 1;
  if (!is_hint && family != OpFamily::Shape && inst.op != Op::Bitcast) {
    return {};
  }
  const ValueId operand = inst.operand(0);
  const SlotKind kind = kinds[operand.index].kind;
  if (kind != kinds[inst.result().index].kind) {
    return {};
  }
  const Shape& from = function.type(operand).shape;
  const bool same_data = kind == SlotKind::Splat || is_hint || inst.op == Op::Bitcast;
  if (same_data || (kind == SlotKind::Affine && inst.op == Op::Broadcast)) {
    return operand;
  }
  if (kind != SlotKind::Dense) {
    return {};
  }
  const bool same_order = inst.op == Op::Reshape || inst.op == Op::ExpandDims ||
                          inst.op == Op::ConvertLayout ||
                          (inst.op == Op::Trans && keeps_order(from, ints_attr<"order">(inst))) ||
                          (inst.op == Op::Broadcast && from == function.type(inst.result()).shape);
  return same_order ? operand : ValueId{};
}

}  // namespace tilery::interpreter
