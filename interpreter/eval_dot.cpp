// dot: the product of two tiles, plus an accumulator.
#include "interpreter/check/shadow.h"
#include "interpreter/eval.h"
#include "interpreter/state.h"
#include "ir/printer.h"
#include "ir/support/check.h"

namespace tilery::interpreter {
namespace {

struct DotStep {
  SlotRef a;
  SlotRef b;
  SlotRef acc;
  SlotRef out;
  DotFn kernel = nullptr;
  DotShape shape;
  bool acc_is_zero = false;  ///< a constant: the kernel starts from nothing
  std::size_t a_room = 0;
  std::size_t b_room = 0;
  std::size_t acc_room = 0;
  std::size_t scratch = 0;
};

template <CheckLevel level>
std::uint32_t run_dot(ProgramState& state, const Step& step) {
  const auto& data = data_of<DotStep>(step);
  const std::byte* const a = every_lane(state, data.a, state.scratch + data.a_room);
  const std::byte* const b = every_lane(state, data.b, state.scratch + data.b_room);
  const std::byte* const acc =
      data.acc_is_zero ? nullptr : every_lane(state, data.acc, state.scratch + data.acc_room);
  data.kernel(bytes(state, data.out), acc, a, b, data.shape, state.scratch + data.scratch);
  if constexpr (level == CheckLevel::Tracked) {
    reach_sink(state, data.a, step.inst, "`dot`");
    reach_sink(state, data.b, step.inst, "`dot`");
    const std::array<SlotRef, 1> carried{data.acc};
    join_shadows(state, carried, data.out, false);
  }
  return step.next;
}

DotShape dot_shape(const Shape& a, const Shape& out) {
  DotShape shape;
  const int rank = out.rank();
  for (int axis = 0; axis < rank - 2; ++axis) {
    shape.batch *= static_cast<std::size_t>(out[axis]);
  }
  shape.m = static_cast<std::size_t>(out[rank - 2]);
  shape.n = static_cast<std::size_t>(out[rank - 1]);
  shape.k = static_cast<std::size_t>(a[rank - 1]);
  return shape;
}

std::size_t room_for(Planner& planner, const SlotRef& ref) {
  return ref.is_splat() ? planner.scratch(ref.bytes()) : 0;
}

}  // namespace

void eval_dot(Planner& planner, InstId id) {
  const Inst& inst = planner.inst(id);
  auto& data = planner.data<DotStep>();
  data.a = planner.spelled(inst.operand(0));
  data.b = planner.spelled(inst.operand(1));
  data.acc = planner.spelled(inst.operand(2));
  data.out = planner.result(id);
  data.shape = dot_shape(data.a.shape, data.out.shape);
  const auto zero = planner.function().constant_bits(inst.operand(2));
  data.acc_is_zero = zero.has_value() && *zero == 0;
  // The split precisions (tf32x3, bf16x3, …) approach what ieee gives exactly.
  const bool is_tf32 = inst.int_attr(attr_index(Op::Dot, "precision")) == 0;
  const DotPrecision precision = is_tf32 ? DotPrecision::Tf32 : DotPrecision::Ieee;
  data.kernel = kernels().dot(data.a.scalar, data.out.scalar, precision);
  TILERY_CHECK(data.kernel != nullptr, "no kernel for " + print_inst(planner.function(), id));
  data.a_room = room_for(planner, data.a);
  data.b_room = room_for(planner, data.b);
  data.acc_room = room_for(planner, data.acc);
  data.scratch = planner.scratch(dot_scratch_bytes(data.a.scalar, data.out.scalar, data.shape));
  planner.emit(id, TILERY_STEP_FNS(run_dot), &data);
}

}  // namespace tilery::interpreter
