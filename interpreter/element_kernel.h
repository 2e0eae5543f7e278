// The kernel of an element-wise instruction, with what can happen in it.
//
// Most instructions have a kernel of their own (kernels.h). For the narrow floats there are few:
// what is missing for them is computed in fp32 and rounded once at the end.
#pragma once

#include "interpreter/planner.h"

namespace tilery::interpreter {

struct ElementKernel {
  int count = 0;                ///< operands
  MapFn direct = nullptr;       ///< the kernel; nullptr: through fp32
  EventFn events = nullptr;     ///< nullptr: nothing can happen
  NonfiniteFn guard = nullptr;  ///< events only if this is true of the result; nullptr: always look

  // Through fp32: operands are widened, computed on, and the result is narrowed.
  std::array<MapFn, 3> widen{};  ///< nullptr: the operand is taken as it is
  MapFn wide = nullptr;          ///< nullptr: only the casts
  MapFn narrow = nullptr;        ///< nullptr: the result is no fp32
  EventFn narrow_events = nullptr;
  std::array<std::size_t, 4> rooms{};  ///< scratch: the wide operands and the wide result
  std::size_t narrow_event_bytes = 0;  ///< scratch: a byte a lane

  /// Computes n lanes; `scratch` is the step's.
  void run(void* out, const Operand* in, std::size_t n, std::byte* scratch) const;

  /// Looks at what `run` just did: the event of each lane, and the first lane that has one (n:
  /// none; then `found` need not be written).
  [[nodiscard]] std::size_t find_events(const void* out, const Operand* in, std::size_t n,
                                        std::uint8_t* found, std::byte* scratch) const;

  [[nodiscard]] bool may_have_events() const {
    return events != nullptr || narrow_events != nullptr;
  }
};

/// The kernel of an instruction of family Map, for up to `lanes` lanes at a time; its scratch
/// belongs to the step being planned.
[[nodiscard]] ElementKernel plan_element_kernel(Planner& planner, InstId inst, std::size_t lanes);

}  // namespace tilery::interpreter
