// Arithmetic on base and strides, and comparisons that give boxes. Each takes a few instructions
// for a tile of any size.
//
// The numbers are computed wide and must fit the result's type in every element. If they do not,
// the elements wrap, the tile is no straight line, and the program goes on in the plain plan
// (kGoPlain).
#include "interpreter/eval_affine.h"

#include "interpreter/lifetimes.h"
#include "interpreter/state.h"
#include "ir/wide_int.h"

#include <algorithm>
#include <bit>

namespace tilery::interpreter {
namespace {

struct LinearStep {
  SlotRef out;
  ValueRange allowed;  ///< that no element may leave
  std::array<SlotRef, 3> in;
  std::int64_t scale =
      1;  ///< of the second operand: the bytes of an element, or -1 for a difference
};

/// An affine form being computed in place, in 64 bits; what does not fit them is noticed.
class LinearForm {
 public:
  LinearForm(Affine& out, int rank) : out_(out), rank_(rank) {
    out_.base = 0;
    std::fill_n(out_.stride.begin(), rank, 0);
  }

  /// Adds scale · the value.
  void add(ProgramState& state, const SlotRef& ref, std::int64_t scale) {
    if (ref.kind != SlotKind::Affine) {
      add_scaled(out_.base, splat(state, ref), scale);
      return;
    }
    const Affine& term = affine(state, ref);
    add_scaled(out_.base, term.base, scale);
    for (int axis = 0; axis < rank_; ++axis) {
      add_scaled(out_.stride[axis], term.stride[axis], scale);
    }
  }

  /// Adds the product of two values, one of which is a splat.
  void add_product(ProgramState& state, const SlotRef& lhs, const SlotRef& rhs) {
    const bool splat_is_left = lhs.is_splat();
    add(state, splat_is_left ? rhs : lhs, splat(state, splat_is_left ? lhs : rhs));
  }

  /// The step after `step`, unless some element leaves `allowed`.
  [[nodiscard]] std::uint32_t finish(const Step& step, const LinearStep& data) const {
    return finish(step, data, data.allowed);
  }

  [[nodiscard]] std::uint32_t finish(const Step& step, const LinearStep& data,
                                     const ValueRange& allowed) const {
    return !overflows_ && fits(out_, data.out.shape, allowed) ? step.next : kGoPlain;
  }

 private:
  std::int64_t splat(ProgramState& state, const SlotRef& ref) {
    const std::int64_t value = splat_int(state, ref);
    // Only the offset of a pointer can be a u64 here.
    overflows_ |= ref.scalar == Scalar::U64 && value < 0;
    return value;
  }

  void add_scaled(std::int64_t& sum, std::int64_t term, std::int64_t scale) {
    std::int64_t scaled = 0;
    overflows_ |= __builtin_mul_overflow(term, scale, &scaled);
    overflows_ |= __builtin_add_overflow(sum, scaled, &sum);
  }

  Affine& out_;
  int rank_;
  bool overflows_ = false;
};

/// add, sub: in[0] + scale · in[1].
std::uint32_t run_sum(ProgramState& state, const Step& step) {
  const auto& data = data_of<LinearStep>(step);
  LinearForm form(affine(state, data.out), data.out.shape.rank());
  form.add(state, data.in[0], 1);
  form.add(state, data.in[1], data.scale);
  return form.finish(step, data);
}

/// addptr: the same, within the addresses of the pointer's buffer.
std::uint32_t run_moved_pointer(ProgramState& state, const Step& step) {
  const auto& data = data_of<LinearStep>(step);
  Affine& out = affine(state, data.out);
  LinearForm form(out, data.out.shape.rank());
  form.add(state, data.in[0], 1);
  const Window window = window_of(static_cast<std::uint64_t>(out.base));
  form.add(state, data.in[1], data.scale);
  return form.finish(step, data, {window.low, window.high});
}

std::uint32_t run_product(ProgramState& state, const Step& step) {
  const auto& data = data_of<LinearStep>(step);
  LinearForm form(affine(state, data.out), data.out.shape.rank());
  form.add_product(state, data.in[0], data.in[1]);
  return form.finish(step, data);
}

std::uint32_t run_product_sum(ProgramState& state, const Step& step) {
  const auto& data = data_of<LinearStep>(step);
  LinearForm form(affine(state, data.out), data.out.shape.rank());
  form.add_product(state, data.in[0], data.in[1]);
  form.add(state, data.in[2], 1);
  return form.finish(step, data);
}

std::uint32_t run_shift(ProgramState& state, const Step& step) {
  const auto& data = data_of<LinearStep>(step);
  const std::int64_t count = splat_int(state, data.in[1]);
  LinearForm form(affine(state, data.out), data.out.shape.rank());
  constexpr std::int64_t kMostShifted = 62;
  if (count >= 0 && count <= kMostShifted) {
    form.add(state, data.in[0], std::int64_t{1} << count);
    return form.finish(step, data);
  }
  return kGoPlain;
}

/// neg and cast: scale · in[0].
std::uint32_t run_scaled(ProgramState& state, const Step& step) {
  const auto& data = data_of<LinearStep>(step);
  LinearForm form(affine(state, data.out), data.out.shape.rank());
  form.add(state, data.in[0], data.scale);
  return form.finish(step, data);
}

// ---- comparisons --------------------------------------------------------------------------------

struct RangeStep {
  SlotRef out;
  SlotRef tile;   ///< affine, along at most one axis
  SlotRef bound;  ///< splat
  Op relation{};  ///< tile relation bound
  int axis = 0;
};

template <class T>
T floor_div(T a, T b) {
  const T quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

template <class T>
struct Interval {
  T low = 0;
  T high = 0;
};

/// The indices i with base + stride · i < bound, before clamping to the tile.
template <class T>
Interval<T> indices_below(T base, T stride, T bound, T extent) {
  if (stride > 0) {
    return {0, -floor_div<T>(base - bound, stride)};
  }
  if (stride < 0) {
    return {floor_div<T>(base - bound, -stride) + 1, extent};
  }
  return {0, base < bound ? extent : T{0}};
}

template <class T>
Interval<T> indices_equal(T base, T stride, T bound, T extent) {
  if (stride == 0) {
    return {0, base == bound ? extent : T{0}};
  }
  const T index = (bound - base) / stride;
  return (bound - base) % stride == 0 && index >= 0 ? Interval<T>{index, index + 1} : Interval<T>{};
}

template <class T>
Interval<T> indices_where(Op relation, T base, T stride, T bound, T extent) {
  if (relation == Op::Eq) {
    return indices_equal(base, stride, bound, extent);
  }
  const bool next = relation == Op::Le || relation == Op::Gt;
  const Interval<T> below = indices_below<T>(base, stride, bound + (next ? 1 : 0), extent);
  if (relation == Op::Lt || relation == Op::Le) {
    return below;
  }
  return stride < 0 ? Interval<T>{0, below.low} : Interval<T>{below.high, extent};
}

template <class T>
void set_range(Box& box, int axis, const Interval<T>& found, T extent) {
  const T low = std::clamp(found.low, T{0}, extent);
  box.low[axis] = static_cast<std::int32_t>(low);
  box.high[axis] = static_cast<std::int32_t>(std::clamp(found.high, low, extent));
}

/// Far enough from the ends of 64 bits for sums and differences of three such numbers.
bool is_moderate(std::int64_t value) {
  constexpr std::int64_t kLimit = std::int64_t{1} << 60;
  return value > -kLimit && value < kLimit;
}

std::uint32_t run_range(ProgramState& state, const Step& step) {
  const auto& data = data_of<RangeStep>(step);
  const Affine& tile = affine(state, data.tile);
  const std::int64_t extent = data.out.shape[data.axis];
  const std::int64_t stride = tile.stride[data.axis];
  const std::int64_t bound = splat_int(state, data.bound);
  Box& out = box(state, data.out);
  out = Box::full(data.out.shape);
  if (is_moderate(tile.base) && is_moderate(stride) && is_moderate(bound)) {
    set_range(out, data.axis, indices_where(data.relation, tile.base, stride, bound, extent),
              extent);
  } else {
    set_range<WideInt>(out, data.axis,
                       indices_where<WideInt>(data.relation, tile.base, stride, bound, extent),
                       extent);
  }
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
  if (op == Op::AddPtr) {
    return run_moved_pointer;
  }
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
  data.allowed = type_range(element.is_pointer() ? Scalar::I64 : element.scalar);
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
