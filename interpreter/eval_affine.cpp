// Arithmetic on base and strides, and comparisons that give boxes. Each takes a few instructions
// for a tile of any size.
//
// The numbers are computed wide and must fit the result's type in every element. If they do not,
// the elements wrap, the tile is no straight line, and the program goes on in the plain plan
// (kGoPlain).
#include "interpreter/eval_affine.h"

#include "interpreter/lifetimes.h"
#include "interpreter/state.h"

#include <algorithm>
#include <bit>

namespace tilery::interpreter {
namespace {

struct LinearStep {
  SlotRef out;
  Scalar range = Scalar::I64;  ///< the type that no element may leave
  std::array<SlotRef, 3> in;
  Wide scale = 1;  ///< of the second operand: the bytes of an element, or -1 for a difference
};

WideAffine wide_form(ProgramState& state, const SlotRef& ref) {
  WideAffine wide;
  if (ref.kind == SlotKind::Affine) {
    const Affine& form = affine(state, ref);
    wide.base = form.base;
    std::copy_n(form.stride.begin(), ref.shape.rank(), wide.stride.begin());
  } else {
    const std::int64_t value = splat_int(state, ref);
    // Only the offset of a pointer can be a u64 here.
    wide.base = ref.scalar == Scalar::U64 ? Wide{static_cast<std::uint64_t>(value)} : Wide{value};
  }
  return wide;
}

void add_scaled(WideAffine& sum, const WideAffine& term, Wide scale, int rank) {
  sum.base += term.base * scale;
  for (int axis = 0; axis < rank; ++axis) {
    sum.stride[axis] += term.stride[axis] * scale;
  }
}

/// One of the factors is a splat.
WideAffine product(ProgramState& state, const SlotRef& lhs, const SlotRef& rhs, int rank) {
  const bool splat_is_left = lhs.is_splat();
  const WideAffine factor = wide_form(state, splat_is_left ? lhs : rhs);
  WideAffine result;
  add_scaled(result, wide_form(state, splat_is_left ? rhs : lhs), factor.base, rank);
  return result;
}

std::uint32_t finish(ProgramState& state, const Step& step, const LinearStep& data,
                     const WideAffine& wide) {
  const bool fits = narrow(wide, data.out.shape, data.range, affine(state, data.out));
  return fits ? step.next : kGoPlain;
}

/// add, sub, addptr: in[0] + scale · in[1].
std::uint32_t run_sum(ProgramState& state, const Step& step) {
  const auto& data = data_of<LinearStep>(step);
  WideAffine sum = wide_form(state, data.in[0]);
  add_scaled(sum, wide_form(state, data.in[1]), data.scale, data.out.shape.rank());
  return finish(state, step, data, sum);
}

std::uint32_t run_product(ProgramState& state, const Step& step) {
  const auto& data = data_of<LinearStep>(step);
  return finish(state, step, data, product(state, data.in[0], data.in[1], data.out.shape.rank()));
}

std::uint32_t run_product_sum(ProgramState& state, const Step& step) {
  const auto& data = data_of<LinearStep>(step);
  const int rank = data.out.shape.rank();
  WideAffine sum = product(state, data.in[0], data.in[1], rank);
  add_scaled(sum, wide_form(state, data.in[2]), 1, rank);
  return finish(state, step, data, sum);
}

std::uint32_t run_shift(ProgramState& state, const Step& step) {
  const auto& data = data_of<LinearStep>(step);
  const std::int64_t count = splat_int(state, data.in[1]);
  WideAffine result;
  if (count >= 0 && count < bit_width(data.range)) {
    add_scaled(result, wide_form(state, data.in[0]), Wide{1} << count, data.out.shape.rank());
  }
  return finish(state, step, data, result);
}

/// neg and cast: scale · in[0].
std::uint32_t run_scaled(ProgramState& state, const Step& step) {
  const auto& data = data_of<LinearStep>(step);
  WideAffine result;
  add_scaled(result, wide_form(state, data.in[0]), data.scale, data.out.shape.rank());
  return finish(state, step, data, result);
}

// ---- comparisons --------------------------------------------------------------------------------

struct RangeStep {
  SlotRef out;
  SlotRef tile;   ///< affine, along at most one axis
  SlotRef bound;  ///< splat
  Op relation{};  ///< tile relation bound
  int axis = 0;
};

Wide floor_div(Wide a, Wide b) {
  const Wide quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

struct Interval {
  Wide low = 0;
  Wide high = 0;
};

/// The indices i with base + stride · i < bound, before clamping to the tile.
Interval indices_below(Wide base, Wide stride, Wide bound, Wide extent) {
  if (stride > 0) {
    return {0, -floor_div(base - bound, stride)};
  }
  if (stride < 0) {
    return {floor_div(base - bound, -stride) + 1, extent};
  }
  return {0, base < bound ? extent : Wide{0}};
}

Interval complement(const Interval& below, Wide stride, Wide extent) {
  return stride < 0 ? Interval{0, below.low} : Interval{below.high, extent};
}

Interval indices_equal(Wide base, Wide stride, Wide bound, Wide extent) {
  if (stride == 0) {
    return {0, base == bound ? extent : Wide{0}};
  }
  const Wide index = (bound - base) / stride;
  return (bound - base) % stride == 0 && index >= 0 ? Interval{index, index + 1} : Interval{};
}

Interval indices_where(Op relation, Wide base, Wide stride, Wide bound, Wide extent) {
  if (relation == Op::Eq) {
    return indices_equal(base, stride, bound, extent);
  }
  const bool next = relation == Op::Le || relation == Op::Gt;
  const Interval below = indices_below(base, stride, bound + (next ? 1 : 0), extent);
  const bool is_below = relation == Op::Lt || relation == Op::Le;
  return is_below ? below : complement(below, stride, extent);
}

std::uint32_t run_range(ProgramState& state, const Step& step) {
  const auto& data = data_of<RangeStep>(step);
  const Affine& tile = affine(state, data.tile);
  const Wide extent = data.out.shape[data.axis];
  const Interval found = indices_where(data.relation, tile.base, tile.stride[data.axis],
                                       splat_int(state, data.bound), extent);
  Box& out = box(state, data.out);
  out = Box::full(data.out.shape);
  const Wide low = std::clamp(found.low, Wide{0}, extent);
  out.low[data.axis] = static_cast<std::int32_t>(low);
  out.high[data.axis] = static_cast<std::int32_t>(std::clamp(found.high, low, extent));
  return step.next;
}

/// What `a relation b` is called as `b … a`.
Op mirrored(Op relation) {
  if (relation == Op::Lt) {
    return Op::Gt;
  }
  if (relation == Op::Gt) {
    return Op::Lt;
  }
  if (relation == Op::Le) {
    return Op::Ge;
  }
  return relation == Op::Ge ? Op::Le : relation;
}

struct BoxAndStep {
  SlotRef out;
  SlotRef lhs;
  SlotRef rhs;
};

Box box_of(ProgramState& state, const SlotRef& ref) {
  if (ref.kind == SlotKind::Range) {
    return box(state, ref);
  }
  return is_true(state, ref) ? Box::full(ref.shape) : Box{};
}

std::uint32_t run_box_and(ProgramState& state, const Step& step) {
  const auto& data = data_of<BoxAndStep>(step);
  box(state, data.out) =
      intersection(box_of(state, data.lhs), box_of(state, data.rhs), data.out.shape.rank());
  return step.next;
}

// ---- planning -----------------------------------------------------------------------------------

void plan_range(Planner& planner, InstId id) {
  const Inst& inst = planner.inst(id);
  if (inst.op == Op::And) {
    auto& data = planner.data<BoxAndStep>();
    data = {planner.result(id), planner.ref(inst.operand(0)), planner.ref(inst.operand(1))};
    return planner.emit(id, {run_box_and, run_box_and, nullptr}, &data);
  }
  auto& data = planner.data<RangeStep>();
  data.out = planner.result(id);
  const bool splat_is_left = planner.ref(inst.operand(0)).is_splat();
  const ValueId tile = inst.operand(splat_is_left ? 1 : 0);
  data.tile = planner.ref(tile);
  data.bound = planner.ref(inst.operand(splat_is_left ? 0 : 1));
  data.relation = splat_is_left ? mirrored(inst.op) : inst.op;
  const std::uint32_t axes = planner.kind(tile).axes;
  data.axis = axes == 0 ? 0 : std::countr_zero(axes);
  planner.emit(id, {run_range, run_range, nullptr}, &data);
}

StepFn linear_step(Op op) {
  if (op == Op::Mul) {
    return run_product;
  }
  if (op == Op::Fma) {
    return run_product_sum;
  }
  if (op == Op::Shl) {
    return run_shift;
  }
  return op == Op::Neg || op == Op::Cast ? run_scaled : run_sum;
}

}  // namespace

bool plan_affine(Planner& planner, InstId id) {
  const Inst& inst = planner.inst(id);
  const SlotRef out = planner.result(id);
  if (out.kind == SlotKind::Range) {
    plan_range(planner, id);
    return true;
  }
  if (out.kind != SlotKind::Affine) {
    return false;
  }
  auto& data = planner.data<LinearStep>();
  data.out = out;
  const ElementType element = planner.function().type(inst.result()).element;
  data.range = element.is_pointer() ? Scalar::I64 : element.scalar;
  for (std::size_t i = 0; i < inst.operands.size(); ++i) {
    data.in[i] = planner.ref(inst.operands[i]);
  }
  if (inst.op == Op::AddPtr) {
    data.scale = element.pointee().byte_size();
  } else if (inst.op == Op::Sub || inst.op == Op::Neg) {
    data.scale = -1;
  }
  const StepFn run = linear_step(inst.op);
  planner.emit(id, {run, run, nullptr}, &data);
  return true;
}

}  // namespace tilery::interpreter
