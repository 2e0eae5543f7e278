// What Tracked does with the codes of lanes: carries them along and looks at them where they
// matter.
#pragma once

#include "interpreter/state.h"

#include <span>
#include <string_view>

namespace tilery::interpreter {

/// The codes of one lane of a splat or dense value.
[[nodiscard]] inline OriginCode undefined_of(const SlotState& slot, const SlotRef& ref,
                                             std::size_t lane) {
  return slot.has_undefined ? slot.undefined[ref.is_splat() ? 0 : lane] : 0;
}

[[nodiscard]] inline OriginCode events_of(const SlotState& slot, const SlotRef& ref,
                                          std::size_t lane) {
  return slot.has_events ? slot.events[ref.is_splat() ? 0 : lane] : 0;
}

/// Nothing to tell of any lane.
inline void clear_shadow(SlotState& slot) {
  slot.has_undefined = false;
  slot.has_events = false;
}

/// Sets the codes of one lane of a result; the arrays are cleared at the first.
void set_undefined(SlotState& slot, const SlotRef& ref, std::size_t lane, OriginCode code);
void set_events(SlotState& slot, const SlotRef& ref, std::size_t lane, OriginCode code);

void copy_shadow(ProgramState& state, const SlotRef& from, const SlotRef& to);

/// Lane by lane: the result is undefined where an operand is, and carries the events of all
/// operands (not if `drops_events`: a comparison makes a definite value of whatever it compares).
void join_shadows(ProgramState& state, std::span<const SlotRef> operands, const SlotRef& result,
                  bool drops_events);

/// Reports the first undefined lane that is active under `mask` (nullptr: all are) as reaching
/// `sink`, for instance "`sum`".
void require_defined(ProgramState& state, const SlotRef& value, InstId user, std::string_view sink,
                     const Operand* mask = nullptr);

/// The value reaches a store, a reduction or a dot: its undefined lanes are reported and its events
/// counted, in active lanes.
void reach_sink(ProgramState& state, const SlotRef& value, InstId user, std::string_view sink,
                const Operand* mask = nullptr);

}  // namespace tilery::interpreter
