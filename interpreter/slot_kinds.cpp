#include "interpreter/slot_kinds.h"

#include "interpreter/lifetimes.h"
#include "ir/analysis/loops.h"
#include "ir/attributes.h"

#include <bit>

namespace tilery::interpreter {
namespace {

constexpr ValueKind kSplat{SlotKind::Splat, 0};
constexpr ValueKind kDense{SlotKind::Dense, 0};

/// The kind that can hold both.
ValueKind join(ValueKind a, ValueKind b) {
  if (a.kind == b.kind) {
    return {a.kind, a.axes | b.axes};
  }
  if (a.kind == SlotKind::Splat && b.kind != SlotKind::Dense) {
    return b;
  }
  if (b.kind == SlotKind::Splat && a.kind != SlotKind::Dense) {
    return a;
  }
  return kDense;
}

/// Elements whose affine form is a run-time base and strides in 64 bits.
bool can_be_affine(ElementType element) {
  return element.is_pointer() || (is_integer(element.scalar) && element.scalar != Scalar::I1 &&
                                  element.scalar != Scalar::U64);
}

/// Where each axis of a reshape's result comes from, if no two axes are merged: a source axis, or
/// -1 for an axis of extent 1 that is new.
bool splits_axes(const Shape& from, const Shape& to, std::vector<int>& source) {
  source.assign(static_cast<std::size_t>(to.rank()), -1);
  int axis = 0;
  for (int i = 0; i < to.rank(); ++i) {
    while (axis < from.rank() && from[axis] == 1) {
      ++axis;
    }
    if (to[i] == 1) {
      continue;
    }
    std::int64_t product = to[i];
    source[i] = axis;
    while (axis < from.rank() && product < from[axis]) {
      ++i;
      if (i == to.rank()) {
        return false;
      }
      product *= to[i];
      source[i] = axis;
    }
    if (axis == from.rank() || product != from[axis]) {
      return false;
    }
    ++axis;
  }
  return true;
}

class KindFinder {
 public:
  KindFinder(const Function& function, bool compact)
      : function_(function),
        compact_(compact),
        kinds_(function.values.size()),
        known_(function.values.size()) {}

  std::vector<ValueKind> run() {
    for (const ValueId parameter : function_.region(function_.body).args) {
      set(parameter, kSplat);
    }
    do {
      changed_ = false;
      visit_region(function_.body);
    } while (changed_);
    return std::move(kinds_);
  }

 private:
  [[nodiscard]] ValueKind kind(ValueId value) const { return kinds_[value.index]; }

  [[nodiscard]] ValueKind kind(const Inst& inst, int group) const {
    return kind(inst.operand(group));
  }

  /// Widens what is known of a value. Kinds only ever grow, so the iteration ends.
  void set(ValueId value, ValueKind next) {
    if (function_.type(value).is_scalar()) {
      next = kSplat;
    } else if (!compact_ && next.kind != SlotKind::Splat) {
      next = kDense;
    }
    if (known_[value.index]) {
      next = join(kinds_[value.index], next);
    }
    if (!known_[value.index] || next != kinds_[value.index]) {
      known_[value.index] = true;
      kinds_[value.index] = next;
      changed_ = true;
    }
  }

  /// `to` gets what `from` holds, where control flow joins.
  void flow(ValueId from, ValueId to) {
    if (known_[from.index]) {
      set(to, kind(from));
    }
  }

  void flow(std::span<const ValueId> from, std::span<const ValueId> to) {
    for (std::size_t i = 0; i < to.size(); ++i) {
      flow(from[i], to[i]);
    }
  }

  void visit_region(RegionId region) {
    for (const InstId id : function_.region(region).insts) {
      const Inst& inst = function_.inst(id);
      if (is_control(inst.op)) {
        visit_control(inst);
        continue;
      }
      if (inst.result_count == 0) {
        continue;
      }
      const ValueKind result = result_kind(inst);
      for (std::uint32_t i = 0; i < inst.result_count; ++i) {
        set(inst.result(i), result);
      }
    }
  }

  void visit_control(const Inst& inst) {
    const std::vector<ValueId> results = inst.results();
    if (inst.op == Op::If) {
      for (const RegionId region : inst.regions) {
        visit_region(region);
        flow(passed_values(function_, region), results);
      }
      return;
    }
    const auto first = carried_args(function_, inst.regions.front());
    flow(initial_values(inst), first);
    if (inst.op == Op::For) {
      set(counter_arg(function_, inst), kSplat);
      visit_region(inst.regions[0]);
      flow(passed_values(function_, inst.regions[0]), first);
      flow(first, results);
    } else {
      const auto inside = carried_args(function_, inst.regions[1]);
      visit_region(inst.regions[0]);
      flow(passed_values(function_, inst.regions[0]), inside);
      // The body's arguments and the results share their slots.
      flow(results, inside);
      flow(inside, results);
      visit_region(inst.regions[1]);
      flow(passed_values(function_, inst.regions[1]), first);
    }
  }

  [[nodiscard]] bool all_splat(const Inst& inst) const {
    for (const ValueId operand : inst.operands) {
      if (kind(operand).kind != SlotKind::Splat) {
        return false;
      }
    }
    return true;
  }

  /// Ops whose result is the same in every lane if their operands are. Of any other the result is
  /// written out.
  static bool keeps_splats(Op op) {
    switch (op_def(op).family) {
      case OpFamily::Program:
      case OpFamily::Shape:
      case OpFamily::Map:
      case OpFamily::Debug:
        return true;
      case OpFamily::Memory:
        return op == Op::AddPtr || op == Op::Load;
      case OpFamily::Reduce:
      case OpFamily::Dot:
      case OpFamily::Control:
      case OpFamily::Shared:
        return false;
    }
    return false;
  }

  [[nodiscard]] ValueKind result_kind(const Inst& inst) const {
    if (inst.op == Op::Arange) {
      return {SlotKind::Affine, 1};
    }
    if (!keeps_splats(inst.op)) {
      return kDense;
    }
    if (all_splat(inst)) {
      return kSplat;
    }
    if (op_def(inst.op).family == OpFamily::Shape) {
      return shape_kind(inst);
    }
    if (op_def(inst.op).family == OpFamily::Debug) {
      return kind(inst, 0);
    }
    return function_.type(inst.result()).element.is(Scalar::I1) ? mask_kind(inst)
                                                                : linear_kind(inst);
  }

  [[nodiscard]] ValueKind shape_kind(const Inst& inst) const {
    if (inst.op == Op::ExpandDims) {
      return expanded(inst);
    }
    if (inst.op == Op::Reshape) {
      return reshaped(inst);
    }
    return inst.op == Op::Trans ? transposed(inst) : kind(inst, 0);
  }

  [[nodiscard]] ValueKind expanded(const Inst& inst) const {
    ValueKind result = kind(inst, 0);
    const auto axis = static_cast<std::uint32_t>(int_attr<"axis">(inst));
    const std::uint32_t below = (1U << axis) - 1;
    result.axes = (result.axes & below) | ((result.axes & ~below) << 1);
    return result;
  }

  [[nodiscard]] ValueKind reshaped(const Inst& inst) const {
    const ValueKind operand = kind(inst, 0);
    if (operand.kind == SlotKind::Splat || operand.kind == SlotKind::Dense) {
      return operand;
    }
    const Shape& from = function_.type(inst.operand(0)).shape;
    const Shape& to = function_.type(inst.result()).shape;
    std::vector<int> source;
    if (!splits_axes(from, to, source)) {
      return kDense;
    }
    ValueKind result{operand.kind, 0};
    std::uint32_t used = 0;
    for (std::size_t i = 0; i < source.size(); ++i) {
      if (source[i] < 0) {
        continue;
      }
      const std::uint32_t bit = 1U << source[i];
      if (operand.kind == SlotKind::Range && (used & bit) != 0) {
        return kDense;
      }
      used |= bit;
      result.axes |= (operand.axes & bit) != 0 ? 1U << i : 0U;
    }
    return result;
  }

  [[nodiscard]] ValueKind transposed(const Inst& inst) const {
    const ValueKind operand = kind(inst, 0);
    ValueKind result{operand.kind, 0};
    const auto order = ints_attr<"order">(inst);
    for (std::size_t i = 0; i < order.size(); ++i) {
      result.axes |= ((operand.axes >> order[i]) & 1U) << i;
    }
    return result;
  }

  [[nodiscard]] ValueKind mask_kind(const Inst& inst) const {
    if (inst.op == Op::And) {
      const ValueKind both = join(kind(inst, 0), kind(inst, 1));
      return both.kind == SlotKind::Range ? both : kDense;
    }
    if (inst.op == Op::Select) {
      return selected(inst);
    }
    if (!is_comparison(inst.op) || inst.op == Op::Ne) {
      return kDense;
    }
    const ValueKind both = join(kind(inst, 0), kind(inst, 1));
    const bool one_is_splat =
        kind(inst, 0).kind == SlotKind::Splat || kind(inst, 1).kind == SlotKind::Splat;
    const bool ranges =
        both.kind == SlotKind::Affine && one_is_splat && std::popcount(both.axes) <= 1;
    return ranges ? ValueKind{SlotKind::Range, both.axes} : kDense;
  }

  [[nodiscard]] ValueKind selected(const Inst& inst) const {
    return kind(inst, 0).kind == SlotKind::Splat ? join(kind(inst, 1), kind(inst, 2)) : kDense;
  }

  /// Ops that may keep an affine form: sums, products with a splat, casts, moved pointers.
  [[nodiscard]] ValueKind linear_kind(const Inst& inst) const {
    if (inst.op == Op::Select) {
      return selected(inst);
    }
    if (!can_be_affine(function_.type(inst.result()).element)) {
      return kDense;
    }
    if (inst.op == Op::Add || inst.op == Op::Sub || inst.op == Op::AddPtr) {
      return affine_or_dense(join(kind(inst, 0), kind(inst, 1)));
    }
    if (inst.op == Op::Mul) {
      return product(kind(inst, 0), kind(inst, 1));
    }
    if (inst.op == Op::Fma) {
      return affine_or_dense(join(product(kind(inst, 0), kind(inst, 1)), kind(inst, 2)));
    }
    if (inst.op == Op::Shl) {
      return kind(inst, 1).kind == SlotKind::Splat ? affine_or_dense(kind(inst, 0)) : kDense;
    }
    if (inst.op == Op::Neg || inst.op == Op::Cast) {
      return affine_or_dense(kind(inst, 0));
    }
    return inst.op == Op::Bitcast ? cast_pointer(inst) : kDense;
  }

  [[nodiscard]] static ValueKind affine_or_dense(ValueKind kind) {
    return kind.kind == SlotKind::Affine || kind.kind == SlotKind::Splat ? kind : kDense;
  }

  [[nodiscard]] static ValueKind product(ValueKind a, ValueKind b) {
    const bool one_is_splat = a.kind == SlotKind::Splat || b.kind == SlotKind::Splat;
    return one_is_splat ? affine_or_dense(join(a, b)) : kDense;
  }

  /// Pointer to pointer, and pointer to or from i64, keep the same 64 bits.
  [[nodiscard]] ValueKind cast_pointer(const Inst& inst) const {
    const ElementType from = function_.type(inst.operand(0)).element;
    const ElementType to = function_.type(inst.result()).element;
    return from.is_pointer() || to.is_pointer() ? affine_or_dense(kind(inst, 0)) : kDense;
  }

  const Function& function_;
  bool compact_;
  bool changed_ = false;
  std::vector<ValueKind> kinds_;
  std::vector<bool> known_;
};

}  // namespace

std::vector<ValueKind> find_slot_kinds(const Function& function, bool compact) {
  return KindFinder(function, compact).run();
}

}  // namespace tilery::interpreter
