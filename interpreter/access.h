// Checked access to memory through tiles of pointers: what loads and stores have in common.
#pragma once

#include "interpreter/state.h"

#include <optional>

namespace tilery::interpreter {

/// A load or a store, as planned.
struct AccessStep {
  SlotRef pointer;
  SlotRef mask;   ///< absent: every lane is active
  SlotRef value;  ///< store: what is written; load: `other`, perhaps absent
  SlotRef out;    ///< load only
  /// Of the lanes that are really worked on: a scalar if everything is a splat.
  Shape shape;
  std::size_t lanes = 1;
  std::uint32_t width = 4;
  bool is_store = false;
  bool is_bool = false;     ///< i1 cells hold any byte; what is not 0 is true
  bool may_leak = false;    ///< lanes left off without `other` may matter (masked_flow.h)
  bool is_plain = false;    ///< planned in the plain plan
  std::size_t offsets = 0;  ///< scratch: 8 bytes a lane
};

/// The mask of an access: a box, or a byte a lane within it.
struct ActiveLanes {
  Box box;
  const std::uint8_t* bytes = nullptr;  ///< nullptr: all lanes of the box
  bool is_all = true;
};

[[nodiscard]] ActiveLanes active_lanes(ProgramState& state, const AccessStep& access);

/// A pointer tile that is a splat or affine, within one buffer.
struct LinearAccess {
  Place origin;  ///< of the lane at index 0, which need not be active or inside the buffer
  Affine pointer;
};

/// Checks all lanes of the box at once by its two ends; nothing if one of them may not be accessed.
[[nodiscard]] std::optional<LinearAccess> linear_access(ProgramState& state,
                                                        const AccessStep& access, const Box& box);

/// A pointer tile of any form, within one buffer.
struct GatheredAccess {
  std::byte* data = nullptr;              ///< start of the buffer
  Definedness* defined = nullptr;         ///< which of it was written, or nullptr: all of it
  const std::int64_t* offsets = nullptr;  ///< bytes from there
};

/// Checks every active lane. Nothing if some lane may not be accessed, or if the lanes lie in
/// several buffers.
[[nodiscard]] std::optional<GatheredAccess> gathered_access(ProgramState& state,
                                                            const AccessStep& access,
                                                            const std::uint8_t* mask);

/// Calls `visit(first, count)` for the bytes of all active lanes, neighbours together, until it
/// gives false; true if it never did. `offset_of(lane)` is where a lane's `width` bytes begin.
template <class OffsetOf, class Visit>
bool for_each_run(const std::uint8_t* mask, std::size_t lanes, std::size_t width,
                  const OffsetOf& offset_of, const Visit& visit) {
  std::size_t first = 0;
  std::size_t end = 0;
  for (std::size_t i = 0; i < lanes; ++i) {
    if (mask != nullptr && mask[i] == 0) {
      continue;
    }
    const auto offset = static_cast<std::size_t>(offset_of(i));
    if (offset != end || first == end) {
      if (first != end && !visit(first, end - first)) {
        return false;
      }
      first = offset;
      end = offset;
    }
    end += width;
  }
  return first == end || visit(first, end - first);
}

/// The mask as a byte a lane, in scratch if need be; nullptr if all lanes are active.
[[nodiscard]] const std::uint8_t* mask_bytes(ProgramState& state, const AccessStep& access);

/// True if every active lane may be accessed, taken one by one.
[[nodiscard]] bool all_lanes_allowed(ProgramState& state, const AccessStep& access,
                                     const std::uint8_t* mask);

/// Takes the lanes one by one: refused ones are skipped (a load gives 0 there) and, in Tracked,
/// reported; in Tracked, shadows follow. The way of last resort, which can do any access.
template <CheckLevel level>
void load_lanes(ProgramState& state, const Step& step);
template <CheckLevel level>
void store_lanes(ProgramState& state, const Step& step);

/// The address of one lane.
[[nodiscard]] inline std::uint64_t lane_address(const Operand& pointer, std::size_t lane) {
  return static_cast<const std::uint64_t*>(pointer.data)[pointer.is_splat ? 0 : lane];
}

}  // namespace tilery::interpreter
