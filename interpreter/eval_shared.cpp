// shared_ring, ring_insert, ring_read, async_commit, async_wait: what pipelined loops are made of.
//
// A ring is a dense tile here. Copies are done when they are written down, so there is nothing to
// wait for.
#include "interpreter/check/shadow.h"
#include "interpreter/eval.h"
#include "interpreter/state.h"
#include "ir/operands.h"

#include <algorithm>

namespace tilery::interpreter {
namespace {

struct RingStep {
  SlotRef ring;
  SlotRef slot;
  SlotRef tile;  ///< what is inserted, or the result of a read
  SlotRef out;   ///< the ring after an insertion
};

/// The first lane of the slot in the ring; slots are counted modulo their number.
std::size_t first_lane(ProgramState& state, const RingStep& data) {
  const auto slots = static_cast<std::int64_t>(data.ring.lanes / data.tile.lanes);
  const std::int64_t slot = splat_int(state, data.slot) % slots;
  return static_cast<std::size_t>(slot < 0 ? slot + slots : slot) * data.tile.lanes;
}

void clear(ProgramState& state, const SlotRef& ring) {
  std::memset(bytes(state, ring), 0, ring.lanes * ring.width);
}

template <CheckLevel level>
std::uint32_t run_ring(ProgramState& state, const Step& step) {
  const auto& data = data_of<RingStep>(step);
  clear(state, data.out);
  if constexpr (level == CheckLevel::Tracked) {
    clear_shadow(slot(state, data.out));
  }
  return step.next;
}

/// Copies the codes of lanes, if there are any; `lanes` of them from `from_lane` to `to_lane`.
void copy_codes(ProgramState& state, const SlotRef& from, std::size_t from_lane, const SlotRef& to,
                std::size_t to_lane, std::size_t lanes) {
  const SlotState source = slot(state, from);
  SlotState& target = slot(state, to);
  for (std::size_t i = 0; i < lanes; ++i) {
    const OriginCode undefined = undefined_of(source, from, from_lane + i);
    const OriginCode events = events_of(source, from, from_lane + i);
    if (undefined != 0 || target.has_undefined) {
      set_undefined(target, to, to_lane + i, undefined);
    }
    if (events != 0 || target.has_events) {
      set_events(target, to, to_lane + i, events);
    }
  }
}

template <CheckLevel level>
std::uint32_t run_insert(ProgramState& state, const Step& step) {
  const auto& data = data_of<RingStep>(step);
  const std::size_t first = first_lane(state, data);
  if (data.out.slot != data.ring.slot) {
    copy_value(state, data.ring, data.out);
    if constexpr (level == CheckLevel::Tracked) {
      copy_shadow(state, data.ring, data.out);
    }
  }
  std::byte* const room = state.scratch + data.tile.scratch;
  const std::byte* const tile = every_lane(state, data.tile, room);
  std::memcpy(bytes(state, data.out) + first * data.out.width, tile,
              data.tile.lanes * data.out.width);
  if constexpr (level == CheckLevel::Tracked) {
    copy_codes(state, data.tile, 0, data.out, first, data.tile.lanes);
  }
  return step.next;
}

template <CheckLevel level>
std::uint32_t run_read(ProgramState& state, const Step& step) {
  const auto& data = data_of<RingStep>(step);
  const std::size_t first = first_lane(state, data);
  std::memcpy(bytes(state, data.tile), bytes(state, data.ring) + first * data.ring.width,
              data.tile.lanes * data.tile.width);
  if constexpr (level == CheckLevel::Tracked) {
    clear_shadow(slot(state, data.tile));
    copy_codes(state, data.ring, first, data.tile, 0, data.tile.lanes);
  }
  return step.next;
}

}  // namespace

void eval_shared_ring(Planner& planner, InstId inst) {
  auto& data = planner.data<RingStep>();
  data.out = planner.result(inst);
  planner.emit(inst, TILERY_STEP_FNS(run_ring), &data);
}

void eval_ring_insert(Planner& planner, InstId id) {
  const Inst& inst = planner.inst(id);
  auto& data = planner.data<RingStep>();
  data.ring = planner.ref(operand<"ring">(inst));
  data.slot = planner.ref(operand<"slot">(inst));
  data.tile = planner.ref(operand<"tile">(inst));
  data.tile.scratch = planner.scratch(data.tile.lanes * data.tile.width);
  data.out = planner.result(id);
  planner.emit(id, TILERY_STEP_FNS(run_insert), &data);
}

void eval_ring_read(Planner& planner, InstId id) {
  const Inst& inst = planner.inst(id);
  auto& data = planner.data<RingStep>();
  data.ring = planner.ref(operand<"ring">(inst));
  data.slot = planner.ref(operand<"slot">(inst));
  data.tile = planner.result(id);
  planner.emit(id, TILERY_STEP_FNS(run_read), &data);
}

void eval_async_commit(Planner& planner, InstId inst) {
  (void)planner;
  (void)inst;
}

void eval_async_wait(Planner& planner, InstId inst) {
  (void)planner;
  (void)inst;
}

}  // namespace tilery::interpreter
