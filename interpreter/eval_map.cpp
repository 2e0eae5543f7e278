// Element-wise ops on splat and dense values, casts and select. Those that stay affine are in
// eval_affine.cpp.
#include "interpreter/check/shadow.h"
#include "interpreter/element_kernel.h"
#include "interpreter/eval.h"
#include "interpreter/eval_affine.h"
#include "interpreter/state.h"

#include <optional>

namespace tilery::interpreter {
namespace {

struct MapStep {
  ElementKernel kernel;
  bool is_comparison = false;
  /// The bits of an operand that decide the result of `and` or `or` alone.
  std::optional<std::uint64_t> decider;
  SlotRef out;
  std::array<SlotRef, 3> in;
  std::size_t event_bytes = 0;  ///< scratch: a byte a lane
};

std::size_t lanes_to_compute(const SlotRef& out) {
  return out.is_splat() ? 1 : out.lanes;
}

std::uint64_t element_bits(const Operand& operand, std::size_t width, std::size_t lane) {
  std::uint64_t bits = 0;
  std::memcpy(&bits,
              static_cast<const std::byte*>(operand.data) + (operand.is_splat ? 0 : lane * width),
              width);
  return bits;
}

/// Remembers the events of a step that was just run, lane by lane.
void add_events(ProgramState& state, const Step& step, const MapStep& data, const Operand* in,
                const std::uint8_t* events, std::size_t first, std::size_t n) {
  SlotState& out = slot(state, data.out);
  for (std::size_t lane = first; lane < n; ++lane) {
    if (events[lane] == kNoEvent || undefined_of(out, data.out, lane) != 0) {
      continue;
    }
    EventOrigin origin;
    origin.inst = step.inst;
    origin.event = events[lane];
    origin.lane = static_cast<std::int64_t>(lane);
    for (int i = 0; i < data.kernel.count; ++i) {
      origin.operands[i] = element_bits(in[i], data.in[i].width, lane);
    }
    origin.result = element_bits({out.data, false}, data.out.width, lane);
    origin.left = events_of(out, data.out, lane);
    set_events(out, data.out, lane, state.origins->add(origin));
  }
}

/// `false & x` is false whatever x is: a defined operand that decides makes a defined lane.
void define_decided_lanes(ProgramState& state, const MapStep& data, const Operand* in) {
  SlotState& out = slot(state, data.out);
  const std::size_t n = out.has_undefined ? lanes_to_compute(data.out) : 0;
  for (std::size_t lane = 0; lane < n; ++lane) {
    for (const int side : {0, 1}) {
      const bool is_defined = undefined_of(slot(state, data.in[side]), data.in[side], lane) == 0;
      if (is_defined && element_bits(in[side], data.in[side].width, lane) == data.decider) {
        out.undefined[data.out.is_splat() ? 0 : lane] = 0;
      }
    }
  }
}

template <CheckLevel level>
std::uint32_t run_map(ProgramState& state, const Step& step) {
  const auto& data = data_of<MapStep>(step);
  std::array<Operand, 3> in;
  for (int i = 0; i < data.kernel.count; ++i) {
    in[i] = operand(state, data.in[i]);
  }
  std::byte* const out = bytes(state, data.out);
  const std::size_t n = lanes_to_compute(data.out);
  data.kernel.run(out, in.data(), n, state.scratch);
  if constexpr (level == CheckLevel::None) {
    return step.next;
  }
  if constexpr (level == CheckLevel::Tracked) {
    join_shadows(state, std::span(data.in).first(static_cast<std::size_t>(data.kernel.count)),
                 data.out, data.is_comparison);
    if (data.decider) {
      define_decided_lanes(state, data, in.data());
    }
  }
  if (!data.kernel.may_have_events()) {
    return step.next;
  }
  auto* const events = reinterpret_cast<std::uint8_t*>(state.scratch + data.event_bytes);
  const std::size_t first = data.kernel.find_events(out, in.data(), n, events, state.scratch);
  if (first < n) {
    if constexpr (level == CheckLevel::Fast) {
      return kGoTracked;
    }
    add_events(state, step, data, in.data(), events, first, n);
  }
  return step.next;
}

void plan_map(Planner& planner, InstId id) {
  if (plan_affine(planner, id)) {
    return;
  }
  const Inst& inst = planner.inst(id);
  auto& data = planner.data<MapStep>();
  data.is_comparison = is_comparison(inst.op);
  data.out = planner.result(id);
  if (inst.op == Op::And) {
    data.decider = 0;
  } else if (inst.op == Op::Or) {
    data.decider = ~std::uint64_t{0} >> (64 - bit_width(data.out.scalar));
  }
  const std::size_t lanes = lanes_to_compute(data.out);
  for (std::size_t i = 0; i < inst.operands.size(); ++i) {
    data.in[i] = planner.spelled(inst.operands[i]);
  }
  data.kernel = plan_element_kernel(planner, id, lanes);
  if (data.kernel.may_have_events()) {
    data.event_bytes = planner.scratch(lanes);
  }
  planner.emit(id, TILERY_STEP_FNS(run_map), &data);
}

// ---- select -------------------------------------------------------------------------------------

struct SelectStep {
  ElementKernel kernel;
  SlotRef out;
  SlotRef condition;
  SlotRef if_true;
  SlotRef if_false;
};

void select_shadows(ProgramState& state, const SelectStep& data) {
  SlotState& out = slot(state, data.out);
  const SlotState& condition = slot(state, data.condition);
  const SlotState& if_true = slot(state, data.if_true);
  const SlotState& if_false = slot(state, data.if_false);
  clear_shadow(out);
  if (!condition.has_undefined && !if_true.has_undefined && !if_false.has_undefined &&
      !if_true.has_events && !if_false.has_events) {
    return;
  }
  for (std::size_t lane = 0; lane < lanes_to_compute(data.out); ++lane) {
    const bool chosen = condition.data[data.condition.is_splat() ? 0 : lane] != std::byte{0};
    const SlotState& source = chosen ? if_true : if_false;
    const SlotRef& ref = chosen ? data.if_true : data.if_false;
    OriginCode undefined = undefined_of(condition, data.condition, lane);
    undefined = undefined != 0 ? undefined : undefined_of(source, ref, lane);
    if (undefined != 0) {
      set_undefined(out, data.out, lane, undefined);
    }
    if (const OriginCode events = events_of(source, ref, lane)) {
      set_events(out, data.out, lane, events);
    }
  }
}

template <CheckLevel level>
std::uint32_t run_select(ProgramState& state, const Step& step) {
  const auto& data = data_of<SelectStep>(step);
  const std::array<Operand, 3> in{operand(state, data.condition), operand(state, data.if_true),
                                  operand(state, data.if_false)};
  data.kernel.run(bytes(state, data.out), in.data(), lanes_to_compute(data.out), state.scratch);
  if constexpr (level == CheckLevel::Tracked) {
    select_shadows(state, data);
  }
  return step.next;
}

/// One condition for the whole tile: the chosen value, in whatever kind it is held.
template <CheckLevel level>
std::uint32_t run_select_whole(ProgramState& state, const Step& step) {
  const auto& data = data_of<SelectStep>(step);
  copy_value(state, is_true(state, data.condition) ? data.if_true : data.if_false, data.out);
  if constexpr (level == CheckLevel::Tracked) {
    select_shadows(state, data);
  }
  return step.next;
}

void copy_lanes(std::byte* out, const Operand& from, std::size_t width, std::size_t first,
                std::size_t count) {
  if (count == 0) {
    return;
  }
  if (from.is_splat) {
    kernels().memory(width).fill(out + first * width, from.data, count);
  } else {
    std::memcpy(out + first * width, static_cast<const std::byte*>(from.data) + first * width,
                count * width);
  }
}

/// A box for a condition: each row is a piece of one tile between two pieces of the other.
std::uint32_t run_select_box(ProgramState& state, const Step& step) {
  const auto& data = data_of<SelectStep>(step);
  const Operand if_true = operand(state, data.if_true);
  const Operand if_false = operand(state, data.if_false);
  const Box& inside = box(state, data.condition);
  std::byte* const out = bytes(state, data.out);
  const std::size_t width = data.out.width;
  const std::size_t length = row_length(data.out.shape);
  const int last = data.out.shape.rank() - 1;
  for_each_row(data.out.shape, [&](const auto& index, std::size_t row) {
    bool is_inside = true;
    for (int axis = 0; axis < last; ++axis) {
      is_inside = is_inside && index[axis] >= inside.low[axis] && index[axis] < inside.high[axis];
    }
    const std::size_t start = row * length;
    const auto low = is_inside ? static_cast<std::size_t>(inside.low[last]) : 0;
    const auto high = is_inside ? static_cast<std::size_t>(inside.high[last]) : 0;
    copy_lanes(out, if_false, width, start, low);
    copy_lanes(out, if_true, width, start + low, high - low);
    copy_lanes(out, if_false, width, start + high, length - high);
  });
  return step.next;
}

// ---- casts --------------------------------------------------------------------------------------

struct RespellStep {
  SlotRef from;
  SlotRef to;
};

/// The same bits, held in another kind.
template <CheckLevel level>
std::uint32_t run_respell(ProgramState& state, const Step& step) {
  const auto& data = data_of<RespellStep>(step);
  copy_value(state, data.from, data.to);
  if constexpr (level == CheckLevel::Tracked) {
    copy_shadow(state, data.from, data.to);
  }
  return step.next;
}

}  // namespace

#define TILERY_PLAIN_MAP(id)                      \
  void eval_##id(Planner& planner, InstId inst) { \
    plan_map(planner, inst);                      \
  }

TILERY_PLAIN_MAP(add)
TILERY_PLAIN_MAP(sub)
TILERY_PLAIN_MAP(mul)
TILERY_PLAIN_MAP(div)
TILERY_PLAIN_MAP(idiv)
TILERY_PLAIN_MAP(rem)
TILERY_PLAIN_MAP(fma)
TILERY_PLAIN_MAP(umulhi)
TILERY_PLAIN_MAP(neg)
TILERY_PLAIN_MAP(and)
TILERY_PLAIN_MAP(or)
TILERY_PLAIN_MAP(xor)
TILERY_PLAIN_MAP(not)
TILERY_PLAIN_MAP(shl)
TILERY_PLAIN_MAP(shr)
TILERY_PLAIN_MAP(eq)
TILERY_PLAIN_MAP(ne)
TILERY_PLAIN_MAP(lt)
TILERY_PLAIN_MAP(le)
TILERY_PLAIN_MAP(gt)
TILERY_PLAIN_MAP(ge)
TILERY_PLAIN_MAP(minimum)
TILERY_PLAIN_MAP(maximum)
TILERY_PLAIN_MAP(abs)
TILERY_PLAIN_MAP(floor)
TILERY_PLAIN_MAP(ceil)
TILERY_PLAIN_MAP(sqrt)
TILERY_PLAIN_MAP(rsqrt)
TILERY_PLAIN_MAP(exp)
TILERY_PLAIN_MAP(exp2)
TILERY_PLAIN_MAP(log)
TILERY_PLAIN_MAP(log2)
TILERY_PLAIN_MAP(sin)
TILERY_PLAIN_MAP(cos)
TILERY_PLAIN_MAP(erf)

#undef TILERY_PLAIN_MAP

void eval_select(Planner& planner, InstId id) {
  const Inst& inst = planner.inst(id);
  auto& data = planner.data<SelectStep>();
  data.out = planner.result(id);
  data.condition = planner.ref(inst.operand(0));
  if (data.condition.is_splat()) {
    data.if_true = planner.ref(inst.operand(1));
    data.if_false = planner.ref(inst.operand(2));
    return planner.emit(id, TILERY_STEP_FNS(run_select_whole), &data);
  }
  data.if_true = planner.spelled(inst.operand(1));
  data.if_false = planner.spelled(inst.operand(2));
  if (data.condition.kind == SlotKind::Range) {
    return planner.emit(id, {run_select_box, run_select_box, nullptr}, &data);
  }
  data.kernel = plan_element_kernel(planner, id, data.out.lanes);
  planner.emit(id, TILERY_STEP_FNS(run_select), &data);
}

void eval_cast(Planner& planner, InstId id) {
  const Inst& inst = planner.inst(id);
  const SlotRef out = planner.result(id);
  if (planner.ref(inst.operand(0)).scalar == out.scalar && out.kind != SlotKind::Affine) {
    auto& data = planner.data<RespellStep>();
    data.from = planner.ref(inst.operand(0));
    data.to = planner.result(id);
    return planner.emit(id, TILERY_STEP_FNS(run_respell), &data);
  }
  plan_map(planner, id);
}

void eval_bitcast(Planner& planner, InstId id) {
  if (planner.is_alias(id)) {
    return;
  }
  auto& data = planner.data<RespellStep>();
  data.from = planner.ref(planner.inst(id).operand(0));
  data.to = planner.result(id);
  planner.emit(id, TILERY_STEP_FNS(run_respell), &data);
}

}  // namespace tilery::interpreter
