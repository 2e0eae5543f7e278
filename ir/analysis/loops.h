// What is known about a `for` before it runs, and where its parts are.
#pragma once

#include "ir/function.h"

#include <cstdint>
#include <optional>

namespace tilery {

/// True if the step is a constant other than 0, so that the loop ends.
[[nodiscard]] bool has_nonzero_step(const Function& function, const Inst& loop);

/// The iterations of a `for` if its bounds and step are constants; nothing for a step of 0 or for
/// unsigned bounds past the signed range. An exit flag may end the loop sooner.
[[nodiscard]] std::optional<std::int64_t> trip_count(const Function& function, const Inst& loop);

/// True for `for` and `while`.
[[nodiscard]] bool is_loop(Op op);

/// The number of values that a loop carries.
[[nodiscard]] std::size_t carried_count(const Inst& loop);
/// Position in `operands` of the initial value of carried value 0.
[[nodiscard]] std::size_t first_init(const Inst& loop);
/// The body's argument for carried value `i` of a loop (after the counter, in a `for`).
[[nodiscard]] ValueId body_arg(const Function& function, const Inst& loop, std::size_t i);

/// One carried value of a loop at every place where it passes:
///
///     result = for i in … init(arg = init) { … yield next }
///     result = while init(arg = init) { … condition go, passed } do (body_arg) { … yield next }
struct Carried {
  ValueId init;
  ValueId arg;       ///< of the first region
  ValueId passed;    ///< while: what the condition passes to the body and to the result; for: `arg`
  ValueId body_arg;  ///< while: the body's argument; for: `arg`
  ValueId next;      ///< what the body yields
  ValueId result;
};

[[nodiscard]] Carried carried_value(const Function& function, const Inst& loop, std::size_t i);

/// Which carried value an argument of one of the loop's regions is; nothing for a counter.
[[nodiscard]] std::optional<std::size_t> carried_index(const Inst& loop, const Value& arg);

/// True if the value is defined in one of the instruction's regions, however deep.
[[nodiscard]] bool is_inside(const Function& function, ValueId value, InstId owner);

}  // namespace tilery
