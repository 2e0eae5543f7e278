// What a program in execution consists of, and how steps reach it.
#pragma once

#include "interpreter/check/finding_log.h"
#include "interpreter/check/origins.h"
#include "interpreter/memory_map.h"
#include "interpreter/plan.h"

#include <cstring>
#include <string>

namespace tilery::interpreter {

/// The contents of a slot. In Tracked every lane also has two codes (check/origins.h): where it was
/// left undefined, and which numeric events it carries; 0 is none. The arrays are looked at only if
/// the flag is set.
struct SlotState {
  std::byte* data = nullptr;
  std::uint32_t* undefined = nullptr;
  std::uint32_t* events = nullptr;
  bool has_undefined = false;
  bool has_events = false;
};

/// What all programs of a launch share.
struct Launch {
  const Function* function = nullptr;
  const MemoryMap* memory = nullptr;
  std::array<std::int64_t, 3> grid{1, 1, 1};
  const LineIndex* lines = nullptr;
};

/// One program. Between two steps this, with the index of the next step, is all there is of it.
struct ProgramState {
  SlotState* slots = nullptr;
  std::byte* scratch = nullptr;
  const Launch* launch = nullptr;
  CheckLevel level{};
  std::array<std::int64_t, 3> program{};
  std::int64_t number = 0;  ///< x + grid.x · (y + grid.y · z)
  const Lifetimes* lifetimes = nullptr;
  Origins* origins = nullptr;  ///< Tracked only
  FindingLog* log = nullptr;
  std::string* printed = nullptr;
};

[[nodiscard]] inline SlotState& slot(ProgramState& state, const SlotRef& ref) {
  return state.slots[ref.slot];
}

/// The bytes of a splat or dense value.
[[nodiscard]] inline std::byte* bytes(ProgramState& state, const SlotRef& ref) {
  return state.slots[ref.slot].data;
}

[[nodiscard]] inline Affine& affine(ProgramState& state, const SlotRef& ref) {
  return *reinterpret_cast<Affine*>(bytes(state, ref));
}

[[nodiscard]] inline Box& box(ProgramState& state, const SlotRef& ref) {
  return *reinterpret_cast<Box*>(bytes(state, ref));
}

/// An integer of the type `scalar` in memory, sign- or zero-extended; the bits of anything else.
[[nodiscard]] inline std::int64_t read_int(const std::byte* data, Scalar scalar) {
  const auto read = [data](auto value) {
    std::memcpy(&value, data, sizeof value);
    return static_cast<std::int64_t>(value);
  };
  const bool is_signed = is_signed_integer(scalar);
  switch (byte_size(scalar)) {
    case 1:
      return is_signed ? read(std::int8_t{}) : read(std::uint8_t{});
    case 2:
      return is_signed ? read(std::int16_t{}) : read(std::uint16_t{});
    case 4:
      return is_signed ? read(std::int32_t{}) : read(std::uint32_t{});
    default:
      return read(std::int64_t{});
  }
}

/// True if a float in memory is neither infinite nor NaN.
[[nodiscard]] bool is_finite_element(Scalar scalar, const std::byte* data);

/// The element of a splat value as an integer of its type; for pointers, the address.
[[nodiscard]] inline std::int64_t splat_int(ProgramState& state, const SlotRef& ref) {
  return read_int(bytes(state, ref), ref.scalar);
}

/// The element of a splat condition.
[[nodiscard]] inline bool is_true(ProgramState& state, const SlotRef& ref) {
  return *bytes(state, ref) != std::byte{0};
}

/// The value for a kernel: a splat's element or a dense tile's; affine and range tiles are spelled
/// out into the scratch that Planner::spelled reserved.
[[nodiscard]] inline Operand operand(ProgramState& state, const SlotRef& ref) {
  std::byte* const data = bytes(state, ref);
  if (ref.kind == SlotKind::Splat || ref.kind == SlotKind::Dense) {
    return {data, ref.kind == SlotKind::Splat};
  }
  std::byte* const out = state.scratch + ref.scratch;
  if (ref.kind == SlotKind::Affine) {
    spell_out(*reinterpret_cast<const Affine*>(data), ref.shape, ref.width, out);
  } else {
    spell_out(*reinterpret_cast<const Box*>(data), ref.shape, out);
  }
  return {out, false};
}

/// As `operand`, but always one element a lane: a splat is repeated into `room`.
[[nodiscard]] const std::byte* every_lane(ProgramState& state, const SlotRef& ref, std::byte* room);

/// Writes the value of `from` to `to`, in the kind that `to` is held in.
void copy_value(ProgramState& state, const SlotRef& from, const SlotRef& to);

/// The data that a step was planned with.
template <class T>
[[nodiscard]] const T& data_of(const Step& step) {
  return *static_cast<const T*>(step.data);
}

/// The three functions of a step whose levels are instances of one template over CheckLevel.
#define TILERY_STEP_FNS(function)                                                         \
  ::tilery::interpreter::StepFns {                                                        \
    function<CheckLevel::None>, function<CheckLevel::Fast>, function<CheckLevel::Tracked> \
  }

}  // namespace tilery::interpreter
