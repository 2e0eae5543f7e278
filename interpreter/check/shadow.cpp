#include "interpreter/check/shadow.h"

#include "interpreter/check/report.h"

#include <algorithm>

namespace tilery::interpreter {
namespace {

std::size_t stored_lanes(const SlotRef& ref) {
  return ref.is_splat() ? 1 : ref.lanes;
}

bool is_active(const Operand* mask, std::size_t lane) {
  if (mask == nullptr || mask->data == nullptr) {
    return true;
  }
  return static_cast<const std::uint8_t*>(mask->data)[mask->is_splat ? 0 : lane] != 0;
}

void copy_codes(const OriginCode* from, std::size_t from_lanes, OriginCode* to,
                std::size_t to_lanes) {
  if (from_lanes == to_lanes) {
    std::copy_n(from, to_lanes, to);
  } else {
    std::fill_n(to, to_lanes, from[0]);
  }
}

}  // namespace

void set_undefined(SlotState& slot, const SlotRef& ref, std::size_t lane, OriginCode code) {
  if (!slot.has_undefined) {
    slot.has_undefined = true;
    std::fill_n(slot.undefined, stored_lanes(ref), 0U);
  }
  slot.undefined[ref.is_splat() ? 0 : lane] = code;
}

void set_events(SlotState& slot, const SlotRef& ref, std::size_t lane, OriginCode code) {
  if (!slot.has_events) {
    slot.has_events = true;
    std::fill_n(slot.events, stored_lanes(ref), 0U);
  }
  slot.events[ref.is_splat() ? 0 : lane] = code;
}

void copy_shadow(ProgramState& state, const SlotRef& from, const SlotRef& to) {
  const SlotState& source = slot(state, from);
  SlotState& target = slot(state, to);
  target.has_undefined = source.has_undefined;
  target.has_events = source.has_events;
  if (source.has_undefined) {
    copy_codes(source.undefined, stored_lanes(from), target.undefined, stored_lanes(to));
  }
  if (source.has_events) {
    copy_codes(source.events, stored_lanes(from), target.events, stored_lanes(to));
  }
}

void join_shadows(ProgramState& state, std::span<const SlotRef> operands, const SlotRef& result,
                  bool drops_events) {
  SlotState& target = slot(state, result);
  clear_shadow(target);
  for (const SlotRef& ref : operands) {
    const SlotState& source = slot(state, ref);
    if (source.has_undefined) {
      for (std::size_t lane = 0; lane < stored_lanes(result); ++lane) {
        const OriginCode code = undefined_of(source, ref, lane);
        if (code != 0 && undefined_of(target, result, lane) == 0) {
          set_undefined(target, result, lane, code);
        }
      }
    }
    if (source.has_events && !drops_events) {
      for (std::size_t lane = 0; lane < stored_lanes(result); ++lane) {
        if (const OriginCode code = events_of(source, ref, lane)) {
          set_events(target, result, lane,
                     state.origins->join(events_of(target, result, lane), code));
        }
      }
    }
  }
}

void require_defined(ProgramState& state, const SlotRef& value, InstId user, std::string_view sink,
                     const Operand* mask) {
  const SlotState& source = slot(state, value);
  if (!source.has_undefined) {
    return;
  }
  // Lanes by load, in the order of their first lane.
  std::vector<std::pair<OriginCode, std::pair<std::size_t, std::uint64_t>>> found;
  for (std::size_t lane = 0; lane < value.lanes; ++lane) {
    const OriginCode code = undefined_of(source, value, lane);
    if (code == 0 || !is_active(mask, lane)) {
      continue;
    }
    const auto entry = std::find_if(found.begin(), found.end(),
                                    [&](const auto& seen) { return seen.first == code; });
    if (entry == found.end()) {
      found.push_back({code, {lane, 1}});
    } else {
      ++entry->second.second;
    }
  }
  for (const auto& [code, lanes] : found) {
    UndefinedOrigin& origin = state.origins->undefined(code);
    origin.user = origin.user ? origin.user : user;
    if (origin.user == user) {
      report_undefined(state, origin, user, sink, lanes.first, value.shape, lanes.second);
    }
  }
}

void reach_sink(ProgramState& state, const SlotRef& value, InstId user, std::string_view sink,
                const Operand* mask) {
  require_defined(state, value, user, sink, mask);
  const SlotState& source = slot(state, value);
  if (!source.has_events) {
    return;
  }
  for (std::size_t lane = 0; lane < value.lanes; ++lane) {
    const OriginCode code = events_of(source, value, lane);
    if (code != 0 && is_active(mask, lane)) {
      state.origins->count_events(code,
                                  [&](const EventOrigin& event) { report_event(state, event); });
    }
  }
}

}  // namespace tilery::interpreter
