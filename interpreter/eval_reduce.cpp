// reduce and scan.
//
// Well-known folds (ir/analysis/combine_kind.h) have kernels; any other combine region is run on
// tiles (combine.h). Both follow the trees that ops.def declares, so they give the same bits.
#include "interpreter/check/report.h"
#include "interpreter/check/shadow.h"
#include "interpreter/combine.h"
#include "interpreter/eval.h"
#include "interpreter/state.h"
#include "ir/analysis/combine_kind.h"
#include "ir/analysis/picked_position.h"
#include "ir/attributes.h"

#include <algorithm>
#include <optional>

namespace tilery::interpreter {
namespace {

/// A reduce or scan, as planned; which members count depends on the step.
struct FoldStep {
  std::vector<SlotRef> in;
  std::vector<SlotRef> out;
  std::vector<std::size_t> rooms;  ///< scratch: operands, one element a lane
  AxisView view;
  bool reverse = false;
  std::string sink;                    ///< "`sum`"
  std::optional<std::int64_t> picked;  ///< the position that alone gets into the result
  // Known folds.
  ReduceFn reduce = nullptr;
  ArgReduceFn arg_reduce = nullptr;
  ScanFn scan = nullptr;
  bool needs_ascending = false;  ///< arg folds: the first winner is the least index only then
  NonfiniteFn guard = nullptr;   ///< nullptr: no events
  ReduceEventFn events = nullptr;
  std::size_t scratch = 0;
  std::size_t event_bytes = 0;
  std::size_t positions = 0;  ///< scratch: an int32 a result
  // Any fold.
  CombinePlan combine;
  std::vector<std::size_t> work;  ///< scratch: work tiles
  std::size_t table = 0;          ///< scratch: a pointer to each
};

std::size_t rest_of(const AxisView& view) {
  return view.outer * view.inner;
}

/// Where the element of a line (an index among the other axes) that is folded as number `k` lies.
std::size_t tile_lane(const AxisView& view, bool reverse, std::size_t line, std::size_t k) {
  const std::size_t along = reverse ? view.length - 1 - k : k;
  return (line / view.inner * view.length + along) * view.inner + line % view.inner;
}

const std::byte* input(ProgramState& state, const FoldStep& data, std::size_t i) {
  return every_lane(state, data.in[i], state.scratch + data.rooms[i]);
}

/// The result has what the lanes of the picked position have to tell.
void pick_shadows(ProgramState& state, const FoldStep& data) {
  const SlotRef& in = data.in[0];
  const SlotRef& out = data.out[0];
  SlotState& result = slot(state, out);
  clear_shadow(result);
  for (std::size_t i = 0; i < rest_of(data.view); ++i) {
    const std::size_t row = i / data.view.inner * data.view.length;
    const std::size_t lane =
        (row + static_cast<std::size_t>(*data.picked)) * data.view.inner + i % data.view.inner;
    if (const OriginCode code = undefined_of(slot(state, in), in, lane)) {
      set_undefined(result, out, i, code);
    }
    if (const OriginCode code = events_of(slot(state, in), in, lane)) {
      set_events(result, out, i, code);
    }
  }
}

/// Tracked: the operands get where they count, and what comes out starts anew.
void sink_operands(ProgramState& state, const Step& step, const FoldStep& data) {
  if (data.picked) {
    return pick_shadows(state, data);
  }
  for (const SlotRef& ref : data.in) {
    reach_sink(state, ref, step.inst, data.sink);
  }
  for (const SlotRef& ref : data.out) {
    clear_shadow(slot(state, ref));
  }
}

void add_event(ProgramState& state, const Step& step, const SlotRef& out, std::size_t lane,
               std::uint8_t event) {
  EventOrigin origin;
  origin.inst = step.inst;
  origin.event = event;
  origin.lane = static_cast<std::int64_t>(lane);
  std::memcpy(&origin.result, bytes(state, out) + (out.is_splat() ? 0 : lane * out.width),
              out.width);
  SlotState& result = slot(state, out);
  origin.left = events_of(result, out, lane);
  set_events(result, out, lane, state.origins->add(origin));
}

// ---- known reductions ---------------------------------------------------------------------------

template <CheckLevel level>
std::uint32_t run_reduce(ProgramState& state, const Step& step) {
  const auto& data = data_of<FoldStep>(step);
  const std::byte* const in = input(state, data, 0);
  std::byte* const out = bytes(state, data.out[0]);
  data.reduce(out, in, data.view, state.scratch + data.scratch);
  if constexpr (level == CheckLevel::Tracked) {
    sink_operands(state, step, data);
  }
  const std::size_t n = rest_of(data.view);
  if (level == CheckLevel::None || data.events == nullptr || !data.guard(out, n)) {
    return step.next;
  }
  auto* const events = reinterpret_cast<std::uint8_t*>(state.scratch + data.event_bytes);
  for (std::size_t i = data.events(out, in, data.view, events); i < n; ++i) {
    if constexpr (level == CheckLevel::Fast) {
      return kGoTracked;
    }
    if (events[i] != kNoEvent) {
      add_event(state, step, data.out[0], i, events[i]);
    }
  }
  return step.next;
}

/// True if the indices grow along the axis, so that the leftmost winner has the least index.
bool is_ascending(const std::byte* indices, Scalar scalar, std::uint32_t width,
                  const AxisView& view) {
  for (std::size_t o = 0; o < view.outer; ++o) {
    for (std::size_t k = 0; k + 1 < view.length; ++k) {
      const std::byte* const row = indices + (o * view.length + k) * view.inner * width;
      for (std::size_t i = 0; i < view.inner; ++i) {
        if (read_int(row + i * width, scalar) >= read_int(row + (view.inner + i) * width, scalar)) {
          return false;
        }
      }
    }
  }
  return true;
}

bool has_ascending_indices(ProgramState& state, const FoldStep& data, int axis,
                           const std::byte* indices) {
  const SlotRef& ref = data.in[1];
  if (ref.kind == SlotKind::Affine) {
    return affine(state, ref).stride[axis] > 0 || data.view.length == 1;
  }
  return is_ascending(indices, ref.scalar, ref.width, data.view);
}

void pick_indices(const FoldStep& data, const std::byte* indices, const std::int32_t* positions,
                  std::byte* out) {
  const std::uint32_t width = data.in[1].width;
  const AxisView& view = data.view;
  for (std::size_t o = 0; o < view.outer; ++o) {
    for (std::size_t i = 0; i < view.inner; ++i) {
      const std::size_t result = o * view.inner + i;
      const std::size_t lane =
          (o * view.length + static_cast<std::size_t>(positions[result])) * view.inner + i;
      std::memcpy(out + result * width, indices + lane * width, width);
    }
  }
}

// ---- any fold -----------------------------------------------------------------------------------

/// [outer][length][inner] → [length][outer · inner], or back.
void turn(const AxisView& view, std::size_t width, const std::byte* from, std::byte* to,
          bool reverse, bool back) {
  const std::size_t row = view.inner * width;
  for (std::size_t o = 0; o < view.outer; ++o) {
    for (std::size_t k = 0; k < view.length; ++k) {
      const std::size_t along = reverse ? view.length - 1 - k : k;
      const std::size_t tile = (o * view.length + along) * row;
      const std::size_t work = (k * view.outer + o) * row;
      if (back) {
        std::memcpy(to + tile, from + work, row);
      } else {
        std::memcpy(to + work, from + tile, row);
      }
    }
  }
}

FoldTiles work_tiles(ProgramState& state, const FoldStep& data) {
  FoldTiles tiles;
  tiles.length = data.view.length;
  tiles.rest = rest_of(data.view);
  tiles.data = reinterpret_cast<std::byte**>(state.scratch + data.table);
  for (std::size_t i = 0; i < data.in.size(); ++i) {
    std::byte* const work = state.scratch + data.work[i];
    turn(data.view, data.in[i].width, input(state, data, i), work, data.reverse, false);
    tiles.data[i] = work;
  }
  return tiles;
}

/// The codes of work tiles, [length][rest], on the lanes of the results.
void set_codes(ProgramState& state, const FoldStep& data, const std::vector<FoldCodes>& codes,
               const AxisView& view) {
  for (std::size_t i = 0; i < codes.size(); ++i) {
    for (std::size_t work = 0; work < codes[i].size(); ++work) {
      if (codes[i][work] != 0) {
        const std::size_t lane =
            tile_lane(view, data.reverse, work % rest_of(view), work / rest_of(view));
        set_events(slot(state, data.out[i]), data.out[i], lane, codes[i][work]);
      }
    }
  }
}

template <CheckLevel level>
std::uint32_t run_any_reduce(ProgramState& state, const Step& step) {
  const auto& data = data_of<FoldStep>(step);
  FoldTiles tiles = work_tiles(state, data);
  std::vector<CombineEvent> events;
  tiles.looks_for_events = level != CheckLevel::None;
  tiles.events = level == CheckLevel::Tracked ? &events : nullptr;
  if (!fold_tree(state, data.combine, tiles) && level == CheckLevel::Fast) {
    return kGoTracked;
  }
  for (std::size_t i = 0; i < data.out.size(); ++i) {
    std::memcpy(bytes(state, data.out[i]), tiles.data[i], tiles.rest * data.out[i].width);
  }
  if constexpr (level == CheckLevel::Tracked) {
    sink_operands(state, step, data);
    AxisView row = data.view;
    row.length = 1;
    set_codes(state, data, tree_codes(*state.origins, data.combine, tiles), row);
  }
  return step.next;
}

struct ArgFoldStep : FoldStep {
  int axis = 0;
};

template <CheckLevel level>
std::uint32_t run_arg_reduce(ProgramState& state, const Step& step) {
  const auto& data = static_cast<const ArgFoldStep&>(data_of<FoldStep>(step));
  const std::byte* const indices = input(state, data, 1);
  if (data.needs_ascending && !has_ascending_indices(state, data, data.axis, indices)) {
    return run_any_reduce<level>(state, step);
  }
  auto* const positions = reinterpret_cast<std::int32_t*>(state.scratch + data.positions);
  data.arg_reduce(bytes(state, data.out[0]), positions, input(state, data, 0), data.view);
  pick_indices(data, indices, positions, bytes(state, data.out[1]));
  if constexpr (level == CheckLevel::Tracked) {
    sink_operands(state, step, data);
  }
  return step.next;
}

// ---- scans --------------------------------------------------------------------------------------

/// Calls `visit(line, k)` where a running fold of finite numbers first is not finite.
template <class Visit>
void for_each_scan_event(const FoldStep& data, const std::byte* in, const std::byte* out,
                         Visit&& visit) {
  const AxisView& view = data.view;
  const Scalar scalar = data.in[0].scalar;
  const std::size_t width = data.in[0].width;
  for (std::size_t line = 0; line < rest_of(view); ++line) {
    for (std::size_t k = 0; k < view.length; ++k) {
      const std::size_t lane = tile_lane(view, data.reverse, line, k);
      if (!is_finite_element(scalar, in + lane * width)) {
        break;
      }
      if (!is_finite_element(scalar, out + lane * width)) {
        visit(line, k);
        break;
      }
    }
  }
}

/// What overflows at element k of a line is in all that come after it.
void add_running_overflow(ProgramState& state, const Step& step, const FoldStep& data,
                          std::size_t line, std::size_t k) {
  const SlotRef& out = data.out[0];
  const std::size_t first = tile_lane(data.view, data.reverse, line, k);
  add_event(state, step, out, first, kOverflow);
  const OriginCode code = events_of(slot(state, out), out, first);
  for (; k < data.view.length; ++k) {
    set_events(slot(state, out), out, tile_lane(data.view, data.reverse, line, k), code);
  }
}

template <CheckLevel level>
std::uint32_t run_scan(ProgramState& state, const Step& step) {
  const auto& data = data_of<FoldStep>(step);
  const std::byte* const in = input(state, data, 0);
  std::byte* const out = bytes(state, data.out[0]);
  data.scan(out, in, data.view, data.reverse);
  if constexpr (level == CheckLevel::Tracked) {
    sink_operands(state, step, data);
  }
  if (level == CheckLevel::None || data.guard == nullptr || !data.guard(out, data.out[0].lanes)) {
    return step.next;
  }
  bool is_quiet = true;
  for_each_scan_event(data, in, out, [&](std::size_t line, std::size_t k) {
    is_quiet = false;
    if constexpr (level == CheckLevel::Tracked) {
      add_running_overflow(state, step, data, line, k);
    }
  });
  return level == CheckLevel::Fast && !is_quiet ? kGoTracked : step.next;
}

template <CheckLevel level>
std::uint32_t run_any_scan(ProgramState& state, const Step& step) {
  const auto& data = data_of<FoldStep>(step);
  FoldTiles tiles = work_tiles(state, data);
  std::vector<CombineEvent> events;
  tiles.looks_for_events = level != CheckLevel::None;
  tiles.events = level == CheckLevel::Tracked ? &events : nullptr;
  if (!fold_scan(state, data.combine, tiles) && level == CheckLevel::Fast) {
    return kGoTracked;
  }
  for (std::size_t i = 0; i < data.out.size(); ++i) {
    turn(data.view, data.out[i].width, tiles.data[i], bytes(state, data.out[i]), data.reverse,
         true);
  }
  if constexpr (level == CheckLevel::Tracked) {
    sink_operands(state, step, data);
    set_codes(state, data, scan_codes(*state.origins, data.combine, tiles), data.view);
  }
  return step.next;
}

// ---- planning -----------------------------------------------------------------------------------

std::optional<ReduceOp> reduce_op(CombineKind kind) {
  switch (kind) {
    case CombineKind::Add:
      return ReduceOp::Sum;
    case CombineKind::Mul:
      return ReduceOp::Prod;
    case CombineKind::Max:
      return ReduceOp::Max;
    case CombineKind::Min:
      return ReduceOp::Min;
    case CombineKind::MaxNan:
      return ReduceOp::MaxNan;
    case CombineKind::MinNan:
      return ReduceOp::MinNan;
    case CombineKind::And:
      return ReduceOp::And;
    case CombineKind::Or:
      return ReduceOp::Or;
    case CombineKind::Xor:
      return ReduceOp::Xor;
    case CombineKind::ArgMaxLeft:
    case CombineKind::ArgMinLeft:
    case CombineKind::ArgMaxAny:
    case CombineKind::ArgMinAny:
    case CombineKind::Other:
      break;
  }
  return {};
}

std::optional<ScanOp> scan_op(CombineKind kind) {
  switch (kind) {
    case CombineKind::Add:
      return ScanOp::Sum;
    case CombineKind::Mul:
      return ScanOp::Prod;
    case CombineKind::Max:
      return ScanOp::Max;
    case CombineKind::Min:
      return ScanOp::Min;
    case CombineKind::And:
      return ScanOp::And;
    case CombineKind::Or:
      return ScanOp::Or;
    case CombineKind::Xor:
      return ScanOp::Xor;
    case CombineKind::MaxNan:
    case CombineKind::MinNan:
    case CombineKind::ArgMaxLeft:
    case CombineKind::ArgMinLeft:
    case CombineKind::ArgMaxAny:
    case CombineKind::ArgMinAny:
    case CombineKind::Other:
      break;
  }
  return {};
}

bool is_arg_fold(CombineKind kind) {
  return kind == CombineKind::ArgMaxLeft || kind == CombineKind::ArgMaxAny ||
         kind == CombineKind::ArgMinLeft || kind == CombineKind::ArgMinAny;
}

AxisView axis_view(const Shape& shape, int axis) {
  AxisView view;
  view.length = static_cast<std::size_t>(shape[axis]);
  for (int i = 0; i < shape.rank(); ++i) {
    std::size_t& part = i < axis ? view.outer : view.inner;
    part *= i == axis ? 1 : static_cast<std::size_t>(shape[i]);
  }
  return view;
}

/// What every fold needs.
void plan_fold(Planner& planner, InstId id, FoldStep& data) {
  const Inst& inst = planner.inst(id);
  for (const ValueId operand : inst.operands) {
    data.in.push_back(planner.spelled(operand));
    data.rooms.push_back(data.in.back().is_splat() ? planner.scratch(data.in.back().bytes()) : 0);
  }
  for (std::uint32_t i = 0; i < inst.result_count; ++i) {
    data.out.push_back(planner.ref(inst.result(i)));
  }
  data.view = axis_view(data.in[0].shape, static_cast<int>(int_attr<"axis">(inst)));
  data.sink = sink_name(planner.function(), id);
}

void plan_any_fold(Planner& planner, InstId id, FoldStep& data) {
  data.combine = plan_combine(planner, id);
  data.table = planner.scratch(data.in.size() * sizeof(std::byte*));
  for (const SlotRef& ref : data.in) {
    data.work.push_back(planner.scratch(ref.bytes()));
  }
}

bool plan_known_reduce(Planner& planner, InstId id, CombineKind kind, FoldStep& data) {
  const auto op = reduce_op(kind);
  const Scalar scalar = data.in[0].scalar;
  data.reduce = op ? kernels().reduce(*op, scalar) : nullptr;
  if (data.reduce == nullptr) {
    return false;
  }
  data.scratch = planner.scratch(reduce_scratch_bytes(scalar, data.view));
  data.event_bytes = planner.scratch(rest_of(data.view));
  data.guard = kernels().has_nonfinite(scalar);
  const bool can_overflow = op == ReduceOp::Sum || op == ReduceOp::Prod;
  data.events = can_overflow && data.guard != nullptr ? kernels().reduce_events(scalar) : nullptr;
  planner.emit(id, TILERY_STEP_FNS(run_reduce), &data);
  return true;
}

bool plan_arg_reduce(Planner& planner, InstId id, CombineKind kind, ArgFoldStep& data) {
  if (!is_arg_fold(kind) || !is_integer(data.in[1].scalar)) {
    return false;
  }
  const bool is_max = kind == CombineKind::ArgMaxLeft || kind == CombineKind::ArgMaxAny;
  data.arg_reduce =
      kernels().arg_reduce(is_max ? ArgReduceOp::ArgMax : ArgReduceOp::ArgMin, data.in[0].scalar);
  if (data.arg_reduce == nullptr) {
    return false;
  }
  data.axis = static_cast<int>(int_attr<"axis">(planner.inst(id)));
  data.needs_ascending = kind == CombineKind::ArgMaxLeft || kind == CombineKind::ArgMinLeft;
  data.positions = planner.scratch(rest_of(data.view) * sizeof(std::int32_t));
  plan_any_fold(planner, id, data);
  planner.emit(id, TILERY_STEP_FNS(run_arg_reduce), static_cast<FoldStep*>(&data));
  return true;
}

}  // namespace

void eval_reduce(Planner& planner, InstId id) {
  const CombineKind kind = combine_kind(planner.function(), planner.inst(id).regions[0]);
  auto& data = planner.data<ArgFoldStep>();
  plan_fold(planner, id, data);
  data.picked = picked_position(planner.function(), planner.inst(id));
  if (plan_known_reduce(planner, id, kind, data) || plan_arg_reduce(planner, id, kind, data)) {
    return;
  }
  plan_any_fold(planner, id, data);
  planner.emit(id, TILERY_STEP_FNS(run_any_reduce), static_cast<FoldStep*>(&data));
}

void eval_scan(Planner& planner, InstId id) {
  const Inst& inst = planner.inst(id);
  auto& data = planner.data<FoldStep>();
  plan_fold(planner, id, data);
  data.reverse = bool_attr<"reverse">(inst);
  const auto op = scan_op(combine_kind(planner.function(), inst.regions[0]));
  data.scan = op ? kernels().scan(*op, data.in[0].scalar) : nullptr;
  if (data.scan == nullptr) {
    plan_any_fold(planner, id, data);
    return planner.emit(id, TILERY_STEP_FNS(run_any_scan), &data);
  }
  if (op == ScanOp::Sum || op == ScanOp::Prod) {
    data.guard = kernels().has_nonfinite(data.in[0].scalar);
  }
  planner.emit(id, TILERY_STEP_FNS(run_scan), &data);
}

}  // namespace tilery::interpreter
