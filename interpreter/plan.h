// The plan of a function: a flat list of steps over numbered slots.
//
//     step 0   program_id        slot 3
//     step 1   affine mul        slot 4 ← slot 3, slot 0
//     …
//     step 9   for: enter        moves, or jump to 14
//     step 13  for: next         moves, jump to 10
//
// A step is a function pointer with data that was worked out beforehand: slots, kernels, strides of
// loops. Running one neither allocates nor looks at a type. Control flow is jumps, so that the
// whole state of a program is the number of its next step and the contents of its slots.
//
// There are two plans of each function. The *compact* one holds tiles as affine or range wherever
// it can; the *plain* one knows splat and dense only. None and Fast start in the compact plan; when
// an affine integer would wrap, or something was found, the program goes on in the plain one, whose
// steps also exist in the Tracked level. `first_step` and `lifetimes` say how to get across.
#pragma once

#include "interpreter/interpreter.h"
#include "interpreter/kernels.h"
#include "interpreter/lifetimes.h"
#include "interpreter/slot_kinds.h"
#include "interpreter/tile.h"
#include "ir/function.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace tilery::interpreter {

struct ProgramState;
struct Step;

/// Runs one step and returns the index of the next one, or one of the values below.
using StepFn = std::uint32_t (*)(ProgramState& state, const Step& step);

/// The program has ended.
inline constexpr std::uint32_t kFinished = 0xFFFFFFFFU;
/// This step can only be done by the plain plan, at the same level; nothing was changed yet.
inline constexpr std::uint32_t kGoPlain = 0xFFFFFFFEU;
/// This step found something; it is to be done again in the Tracked level. Nothing was changed yet.
inline constexpr std::uint32_t kGoTracked = 0xFFFFFFFDU;
/// Smallest of these values.
inline constexpr std::uint32_t kFirstSpecialStep = kGoTracked;

struct Step {
  StepFn run = nullptr;
  const void* data = nullptr;  ///< what `run` expects; owned by the plan
  std::uint32_t next = 0;      ///< index of the step after this one
  InstId inst;
};

/// The functions of one step for the three check levels. A compact plan has no tracked steps.
struct StepFns {
  StepFn none = nullptr;
  StepFn fast = nullptr;
  StepFn tracked = nullptr;
};

inline constexpr std::uint32_t kNoSlot = 0xFFFFFFFFU;

/// A value as a step sees it. The default is an absent operand.
struct SlotRef {
  std::uint32_t slot = kNoSlot;
  SlotKind kind = SlotKind::Splat;
  Scalar scalar = Scalar::I32;  ///< U64 for pointers
  std::uint32_t width = 4;      ///< bytes of an element
  Shape shape;
  std::size_t lanes = 1;    ///< elements of the tile
  std::size_t scratch = 0;  ///< where an affine or range tile is spelled out for this step

  explicit operator bool() const { return slot != kNoSlot; }

  [[nodiscard]] bool is_splat() const { return kind == SlotKind::Splat; }

  [[nodiscard]] std::size_t bytes() const { return lanes * width; }
};

/// Room for a value in the arena. Only slots with equal bytes and lanes trade places.
struct SlotInfo {
  std::size_t bytes = 0;
  std::size_t lanes = 0;  ///< elements that need a shadow in Tracked
  std::size_t offset = 0;
};

/// Carries a value to another slot where control flow joins (loop arguments, results of `if`).
struct Move {
  enum class Kind : std::uint8_t {
    Swap,  ///< the slots trade their contents: nothing is copied
    Copy,  ///< the source is still needed, or is held in another kind
  };
  Kind kind{};
  SlotRef to;
  SlotRef from;
};

/// The counter of a `for`, kept in a slot of its own.
struct LoopState {
  std::int64_t value = 0;  ///< of the induction variable
  std::int64_t step = 0;
  std::uint64_t remaining = 0;  ///< iterations after this one
};

enum class PlanStyle : std::uint8_t { Compact, Plain };

struct Plan {
  const Function* function = nullptr;
  PlanStyle style{};
  std::vector<ValueKind> kinds;        ///< by value
  std::vector<std::uint32_t> slot_of;  ///< by value; kNoSlot for values in combine regions
  std::vector<SlotInfo> slots;
  std::array<std::vector<Step>, 3> steps;  ///< by CheckLevel
  std::vector<std::uint32_t> first_step;   ///< by position of an instruction
  Lifetimes lifetimes;
  std::vector<std::pair<InstId, std::uint32_t>> loop_states;  ///< `for` → slot of its LoopState
  std::vector<ValueId> constants;                             ///< written when the arena is made
  std::size_t slot_bytes = 0;
  std::size_t scratch_bytes = 0;
  std::vector<std::shared_ptr<void>> step_data;

  [[nodiscard]] const std::vector<Step>& steps_of(CheckLevel level) const {
    return steps[static_cast<std::size_t>(level)];
  }

  /// The value as steps see it, without room to spell it out.
  [[nodiscard]] SlotRef ref(ValueId value) const;
};

/// What steps need to know that depends on a load's users; see masked_flow.h.
class MaskedFlow;

[[nodiscard]] Plan make_plan(const Function& function, PlanStyle style, const MaskedFlow& flow);

}  // namespace tilery::interpreter
