// dot: the product of two tiles, plus an accumulator.
#include "interpreter/check/shadow.h"
#include "interpreter/eval.h"
#include "interpreter/state.h"
#include "ir/input_precision.h"
#include "ir/operands.h"
#include "ir/printer.h"
#include "ir/support/check.h"

#include <algorithm>

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
  NonfiniteFn guard = nullptr;  ///< of the result; nullptr: no events
  std::size_t flags = 0;        ///< scratch: a byte a row of a and a column of b
};

/// The operands of one dot, spelled out; `acc` is nullptr for zeros.
struct DotOperands {
  const std::byte* a = nullptr;
  const std::byte* b = nullptr;
  const std::byte* acc = nullptr;
};

/// Marks the rows of a and the columns of b that are not all finite.
void mark_nonfinite(const DotStep& data, const DotOperands& in, std::uint8_t* rows,
                    std::uint8_t* columns) {
  const DotShape& shape = data.shape;
  std::fill_n(rows, shape.batch * shape.m, std::uint8_t{0});
  std::fill_n(columns, shape.batch * shape.n, std::uint8_t{0});
  for (std::size_t i = 0; i < shape.batch * shape.m * shape.k; ++i) {
    if (!is_finite_element(data.a.scalar, in.a + i * data.a.width)) {
      rows[i / shape.k] = 1;
    }
  }
  for (std::size_t i = 0; i < shape.batch * shape.k * shape.n; ++i) {
    if (!is_finite_element(data.b.scalar, in.b + i * data.b.width)) {
      columns[i / (shape.k * shape.n) * shape.n + i % shape.n] = 1;
    }
  }
}

/// Calls `visit(lane)` for each result that is not finite though all that went into it is.
template <class Visit>
void for_each_overflow(ProgramState& state, const DotStep& data, const DotOperands& in,
                       Visit&& visit) {
  const DotShape& shape = data.shape;
  auto* const rows = reinterpret_cast<std::uint8_t*>(state.scratch + data.flags);
  std::uint8_t* const columns = rows + shape.batch * shape.m;
  mark_nonfinite(data, in, rows, columns);
  const std::byte* const out = bytes(state, data.out);
  for (std::size_t lane = 0; lane < data.out.lanes; ++lane) {
    const std::size_t row = lane / shape.n;
    const std::size_t column = row / shape.m * shape.n + lane % shape.n;
    const std::size_t at = lane * data.out.width;
    if (rows[row] == 0 && columns[column] == 0 && !is_finite_element(data.out.scalar, out + at) &&
        (in.acc == nullptr || is_finite_element(data.out.scalar, in.acc + at))) {
      visit(lane);
    }
  }
}

/// Tracked: the operands are sinks, the accumulator's lanes go on, and overflows begin.
void track(ProgramState& state, const Step& step, const DotStep& data, const DotOperands& in) {
  reach_sink(state, data.a, step.inst, "`dot`");
  reach_sink(state, data.b, step.inst, "`dot`");
  const std::array<SlotRef, 1> carried{data.acc};
  join_shadows(state, carried, data.out, false);
  if (data.guard == nullptr || !data.guard(bytes(state, data.out), data.out.lanes)) {
    return;
  }
  SlotState& out = slot(state, data.out);
  for_each_overflow(state, data, in, [&](std::size_t lane) {
    EventOrigin origin;
    origin.inst = step.inst;
    origin.event = kOverflow;
    origin.lane = static_cast<std::int64_t>(lane);
    std::memcpy(&origin.result, out.data + lane * data.out.width, data.out.width);
    origin.left = events_of(out, data.out, lane);
    set_events(out, data.out, lane, state.origins->add(origin));
  });
}

bool overflows(ProgramState& state, const DotStep& data, const DotOperands& in) {
  bool found = false;
  if (data.guard != nullptr && data.guard(bytes(state, data.out), data.out.lanes)) {
    for_each_overflow(state, data, in, [&](std::size_t) { found = true; });
  }
  return found;
}

template <CheckLevel level>
std::uint32_t run_dot(ProgramState& state, const Step& step) {
  const auto& data = data_of<DotStep>(step);
  DotOperands in;
  in.a = every_lane(state, data.a, state.scratch + data.a_room);
  in.b = every_lane(state, data.b, state.scratch + data.b_room);
  if (!data.acc_is_zero) {
    in.acc = every_lane(state, data.acc, state.scratch + data.acc_room);
  }
  data.kernel(bytes(state, data.out), in.acc, in.a, in.b, data.shape, state.scratch + data.scratch);
  if (level == CheckLevel::Fast && overflows(state, data, in)) {
    return kGoTracked;
  }
  if constexpr (level == CheckLevel::Tracked) {
    track(state, step, data, in);
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
  data.a = planner.spelled(operand<"a">(inst));
  data.b = planner.spelled(operand<"b">(inst));
  data.acc = planner.spelled(operand<"acc">(inst));
  data.out = planner.result(id);
  data.shape = dot_shape(data.a.shape, data.out.shape);
  const auto zero = planner.function().constant_bits(operand<"acc">(inst));
  data.acc_is_zero = zero.has_value() && *zero == 0;
  // The split precisions (tf32x3, bf16x3, …) approach what ieee gives exactly.
  const bool is_tf32 = input_precision(inst) == InputPrecision::Tf32;
  const DotPrecision precision = is_tf32 ? DotPrecision::Tf32 : DotPrecision::Ieee;
  data.kernel = kernels().dot(data.a.scalar, data.out.scalar, precision);
  TILERY_CHECK(data.kernel != nullptr, "no kernel for " + print_inst(planner.function(), id));
  data.a_room = room_for(planner, data.a);
  data.b_room = room_for(planner, data.b);
  data.acc_room = room_for(planner, data.acc);
  data.scratch = planner.scratch(dot_scratch_bytes(data.a.scalar, data.out.scalar, data.shape));
  data.guard = is_float(data.out.scalar) ? kernels().has_nonfinite(data.out.scalar) : nullptr;
  data.flags = planner.scratch(data.shape.batch * (data.shape.m + data.shape.n));
  planner.emit(id, TILERY_STEP_FNS(run_dot), &data);
}

}  // namespace tilery::interpreter
