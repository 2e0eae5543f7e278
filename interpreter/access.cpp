#include "interpreter/access.h"

#include "interpreter/check/report.h"
#include "interpreter/check/shadow.h"

#include <algorithm>

namespace tilery::interpreter {
namespace {

Affine pointer_form(ProgramState& state, const SlotRef& pointer) {
  if (pointer.kind == SlotKind::Affine) {
    return affine(state, pointer);
  }
  return Affine{splat_int(state, pointer), {}};
}

bool is_aligned(std::int64_t value, std::uint32_t width) {
  return (static_cast<std::uint64_t>(value) & (width - 1)) == 0;
}

std::size_t first_active(const std::uint8_t* mask, std::size_t lanes) {
  if (mask == nullptr) {
    return 0;
  }
  return static_cast<std::size_t>(std::find(mask, mask + lanes, std::uint8_t{1}) - mask);
}

/// offsets[lane] = address − base.
void subtract_base(const Operand& pointer, std::uint64_t base, std::int64_t* offsets,
                   std::size_t lanes) {
  const auto* const addresses = static_cast<const std::uint64_t*>(pointer.data);
  if (pointer.is_splat) {
    std::fill_n(offsets, lanes, static_cast<std::int64_t>(addresses[0] - base));
    return;
  }
  for (std::size_t i = 0; i < lanes; ++i) {
    offsets[i] = static_cast<std::int64_t>(addresses[i] - base);
  }
}

bool all_aligned(const Operand& pointer, const std::uint8_t* mask, std::uint32_t width,
                 std::size_t lanes) {
  std::uint64_t low_bits = 0;
  for (std::size_t i = 0; i < lanes; ++i) {
    const std::uint64_t active = mask == nullptr || mask[i] != 0 ? ~std::uint64_t{0} : 0;
    low_bits |= lane_address(pointer, i) & active;
  }
  return (low_bits & (width - 1)) == 0;
}

bool is_active(const std::uint8_t* mask, std::size_t lane) {
  return mask == nullptr || mask[lane] != 0;
}

}  // namespace

ActiveLanes active_lanes(ProgramState& state, const AccessStep& access) {
  ActiveLanes lanes;
  if (access.mask && access.mask.kind == SlotKind::Range) {
    lanes.box = box(state, access.mask);
    lanes.is_all = lanes.box.is_full(access.shape);
    return lanes;
  }
  lanes.box = Box::full(access.shape);
  if (!access.mask) {
    return lanes;
  }
  switch (access.mask.kind) {
    case SlotKind::Dense:
      lanes.bytes = reinterpret_cast<const std::uint8_t*>(bytes(state, access.mask));
      lanes.is_all = kernels().count_true(lanes.bytes, access.lanes) == access.lanes;
      break;
    case SlotKind::Affine:
    case SlotKind::Range:
    case SlotKind::Splat:
      lanes.is_all = is_true(state, access.mask);
      // A scalar has no axis to be empty along; its byte says it.
      if (!lanes.is_all && access.shape.is_scalar()) {
        lanes.bytes = reinterpret_cast<const std::uint8_t*>(bytes(state, access.mask));
      } else if (!lanes.is_all) {
        lanes.box = Box{};
      }
      break;
  }
  return lanes;
}

std::optional<LinearAccess> linear_access(ProgramState& state, const AccessStep& access,
                                          const Box& box) {
  LinearAccess result;
  result.pointer = pointer_form(state, access.pointer);
  const int rank = access.shape.rank();
  const ValueRange range = value_range(result.pointer, box, rank);
  const MemoryMap& memory = *state.launch->memory;
  result.origin = memory.place(static_cast<std::uint64_t>(range.low), access.width, access.width,
                               access.is_store);
  if (result.origin.fault != Fault::None) {
    return {};
  }
  const auto size = static_cast<std::int64_t>(memory.buffer(result.origin.buffer).bytes);
  if (result.origin.offset + (range.high - range.low) > size - access.width) {
    return {};
  }
  for (int axis = 0; axis < rank; ++axis) {
    if (!is_aligned(result.pointer.stride[axis], access.width) &&
        box.high[axis] - box.low[axis] > 1) {
      return {};
    }
  }
  result.origin.offset += result.pointer.base - range.low;
  return result;
}

std::optional<GatheredAccess> gathered_access(ProgramState& state, const AccessStep& access,
                                              const std::uint8_t* mask) {
  const Operand pointer = operand(state, access.pointer);
  const std::size_t first = first_active(mask, access.lanes);
  GatheredAccess result;
  auto* const offsets = reinterpret_cast<std::int64_t*>(state.scratch + access.offsets);
  result.offsets = offsets;
  if (first == access.lanes) {
    return result;
  }
  const MemoryMap& memory = *state.launch->memory;
  const std::uint64_t address = lane_address(pointer, first);
  const Place place = memory.place(address, access.width, access.width, access.is_store);
  if (place.fault != Fault::None || !all_aligned(pointer, mask, access.width, access.lanes)) {
    return {};
  }
  subtract_base(pointer, address - static_cast<std::uint64_t>(place.offset), offsets, access.lanes);
  const InterpreterBuffer& buffer = memory.buffer(place.buffer);
  const auto limit = static_cast<std::int64_t>(buffer.bytes) - access.width + 1;
  if (!kernels().all_within(offsets, mask, 0, limit, access.lanes)) {
    return {};
  }
  result.data = static_cast<std::byte*>(buffer.data);
  result.defined = buffer.defined;
  return result;
}

const std::uint8_t* mask_bytes(ProgramState& state, const AccessStep& access) {
  if (!access.mask) {
    return nullptr;
  }
  if (access.mask.is_splat()) {
    if (is_true(state, access.mask)) {
      return nullptr;
    }
    auto* const room = reinterpret_cast<std::uint8_t*>(state.scratch + access.mask.scratch);
    std::fill_n(room, access.lanes, std::uint8_t{0});
    return room;
  }
  return static_cast<const std::uint8_t*>(operand(state, access.mask).data);
}

bool all_lanes_allowed(ProgramState& state, const AccessStep& access, const std::uint8_t* mask) {
  const Operand pointer = operand(state, access.pointer);
  for (std::size_t lane = 0; lane < access.lanes; ++lane) {
    if (is_active(mask, lane)) {
      const Place place = state.launch->memory->place(lane_address(pointer, lane), access.width,
                                                      access.width, access.is_store);
      if (place.fault != Fault::None) {
        return false;
      }
    }
  }
  return true;
}

namespace {

template <CheckLevel level>
Place lane_place(ProgramState& state, const Step& step, const AccessStep& access,
                 const Operand& pointer, std::size_t lane) {
  const std::uint64_t address = lane_address(pointer, lane);
  const Place place =
      state.launch->memory->place(address, access.width, access.width, access.is_store);
  if constexpr (level == CheckLevel::Tracked) {
    if (place.fault != Fault::None) {
      SlotRef shown = access.pointer;
      shown.shape = access.shape;
      report_access(state, step.inst,
                    {place, address, lane, access.is_store, static_cast<bool>(access.mask)}, shown);
    }
  }
  return place;
}

/// What one lane of a load leaves undefined: a code, created at the first such lane of the step.
class UndefinedLanes {
 public:
  UndefinedLanes(ProgramState& state, const Step& step, const AccessStep& access)
      : state_(state), step_(step), out_(access.out) {}

  void masked_off(std::size_t lane) { set(lane, masked_, {step_.inst, false, -1, {}}); }

  void never_written(std::size_t lane, int buffer) {
    set(lane, memory_, {step_.inst, true, buffer, {}});
  }

 private:
  void set(std::size_t lane, OriginCode& code, const UndefinedOrigin& origin) {
    code = code != 0 ? code : state_.origins->add(origin);
    set_undefined(slot(state_, out_), out_, lane, code);
  }

  ProgramState& state_;
  const Step& step_;
  const SlotRef& out_;
  OriginCode masked_ = 0;
  OriginCode memory_ = 0;
};

void copy_other_shadow(ProgramState& state, const AccessStep& access, std::size_t lane) {
  const SlotState& other = slot(state, access.value);
  SlotState& out = slot(state, access.out);
  if (const OriginCode code = undefined_of(other, access.value, lane)) {
    set_undefined(out, access.out, lane, code);
  }
  if (const OriginCode code = events_of(other, access.value, lane)) {
    set_events(out, access.out, lane, code);
  }
}

/// The address and the mask themselves must be known where the access happens.
void require_address(ProgramState& state, const Step& step, const AccessStep& access,
                     const std::uint8_t* mask) {
  const Operand active{mask, false};
  if (access.mask) {
    require_defined(state, access.mask, step.inst, "a mask");
  }
  require_defined(state, access.pointer, step.inst, "an address", &active);
}

}  // namespace

template <CheckLevel level>
void load_lanes(ProgramState& state, const Step& step) {
  const auto& access = data_of<AccessStep>(step);
  constexpr bool kTracked = level == CheckLevel::Tracked;
  const std::uint8_t* const mask = mask_bytes(state, access);
  const Operand pointer = operand(state, access.pointer);
  const Operand other = access.value ? operand(state, access.value) : Operand{};
  std::byte* const out = bytes(state, access.out);
  UndefinedLanes undefined(state, step, access);
  if constexpr (kTracked) {
    clear_shadow(slot(state, access.out));
    require_address(state, step, access, mask);
  }
  for (std::size_t lane = 0; lane < access.lanes; ++lane) {
    std::byte* const target = out + lane * access.width;
    std::memset(target, 0, access.width);
    if (!is_active(mask, lane)) {
      if (access.value) {
        const std::size_t from = other.is_splat ? 0 : lane * access.width;
        std::memcpy(target, static_cast<const std::byte*>(other.data) + from, access.width);
      }
      if constexpr (kTracked) {
        access.value ? copy_other_shadow(state, access, lane) : undefined.masked_off(lane);
      }
      continue;
    }
    const Place place = lane_place<level>(state, step, access, pointer, lane);
    if (place.fault != Fault::None) {
      continue;
    }
    const MemoryMap& memory = *state.launch->memory;
    std::memcpy(target, memory.data(place), access.width);
    if (access.is_bool) {
      *target = std::byte{*target != std::byte{0} ? std::uint8_t{1} : std::uint8_t{0}};
    }
    if constexpr (kTracked) {
      Definedness* const defined = memory.defined(place);
      if (defined != nullptr &&
          !defined->is_marked(static_cast<std::size_t>(place.offset), access.width)) {
        undefined.never_written(lane, place.buffer);
      }
    }
  }
}

template <CheckLevel level>
void store_lanes(ProgramState& state, const Step& step) {
  const auto& access = data_of<AccessStep>(step);
  const std::uint8_t* const mask = mask_bytes(state, access);
  const Operand pointer = operand(state, access.pointer);
  const Operand value = operand(state, access.value);
  if constexpr (level == CheckLevel::Tracked) {
    require_address(state, step, access, mask);
    const Operand active{mask, false};
    reach_sink(state, access.value, step.inst, "`store`", &active);
  }
  for (std::size_t lane = 0; lane < access.lanes; ++lane) {
    if (!is_active(mask, lane)) {
      continue;
    }
    const Place place = lane_place<level>(state, step, access, pointer, lane);
    if (place.fault != Fault::None) {
      continue;
    }
    const MemoryMap& memory = *state.launch->memory;
    const std::size_t from = value.is_splat ? 0 : lane * access.width;
    std::memcpy(memory.data(place), static_cast<const std::byte*>(value.data) + from, access.width);
    if (Definedness* const defined = memory.defined(place)) {
      defined->mark(static_cast<std::size_t>(place.offset), access.width);
    }
  }
}

template void load_lanes<CheckLevel::None>(ProgramState&, const Step&);
template void load_lanes<CheckLevel::Fast>(ProgramState&, const Step&);
template void load_lanes<CheckLevel::Tracked>(ProgramState&, const Step&);
template void store_lanes<CheckLevel::None>(ProgramState&, const Step&);
template void store_lanes<CheckLevel::Fast>(ProgramState&, const Step&);
template void store_lanes<CheckLevel::Tracked>(ProgramState&, const Step&);

}  // namespace tilery::interpreter
