// The words of findings. Each function counts one finding in the program's log and, the first time,
// writes its text.
#pragma once

#include "interpreter/state.h"

#include <string>
#include <string_view>

namespace tilery::interpreter {

/// An access that was refused.
struct RefusedAccess {
  Place place;
  std::uint64_t address = 0;
  std::size_t lane = 0;
  bool is_store = false;
  bool has_mask = false;
};

void report_access(ProgramState& state, InstId inst, const RefusedAccess& access,
                   const SlotRef& pointer);

/// `count` lanes that a load left undefined reach `sink` in the instruction `user`.
void report_undefined(ProgramState& state, const UndefinedOrigin& origin, InstId user,
                      std::string_view sink, std::size_t lane, const Shape& shape,
                      std::uint64_t count);

void report_event(ProgramState& state, const EventOrigin& event);

void report_zero_step(ProgramState& state, InstId loop);

/// `count` lanes failed an assertion, `lane` first; `compared` shows the operands of its
/// comparison, or is empty.
void report_assertion(ProgramState& state, InstId inst, std::size_t lane, const Shape& shape,
                      std::string compared, std::uint64_t count);

/// A hint or assumption that does not hold: `what` says which and how.
void report_broken_promise(ProgramState& state, InstId inst, std::string what);

/// What the use of a value by this instruction is called: "`sum`", "`store`".
[[nodiscard]] std::string sink_name(const Function& function, InstId inst);

/// An element as text: "3", "-1.5", "inf", "True".
[[nodiscard]] std::string element_text(Scalar scalar, const std::byte* data);
[[nodiscard]] std::string element_text(Scalar scalar, std::uint64_t bits);

}  // namespace tilery::interpreter
