// Instructions with regions that run: where the values are that pass through them, and what is
// known of a `for` before it runs.
//
//     result = for i in … init(arg = init) { … yield next }
//     result = while init(arg = init) { … condition go, passed } do (body_arg) { … yield next }
//     result = if … { … yield next } else { … yield next }
//
// In all three the i-th value that ends a region goes with the i-th result; in a loop, so do the
// i-th initial value and the i-th carried argument of each region.
#pragma once

#include "ir/function.h"
#include "ir/wide_int.h"

#include <cstdint>
#include <optional>
#include <span>

namespace tilery {

/// True if the step is a constant other than 0, so that the loop ends.
[[nodiscard]] bool has_nonzero_step(const Function& function, const Inst& loop);

/// The iterations of a `for` with these bounds; the step is not 0.
[[nodiscard]] WideInt trip_count(WideInt lower, WideInt upper, WideInt step);

/// The iterations of a `for` if its bounds and step are constants, at most the largest number;
/// nothing for a step of 0. An exit flag may end the loop sooner.
[[nodiscard]] std::optional<std::int64_t> trip_count(const Function& function, const Inst& loop);

/// True for `for` and `while`.
[[nodiscard]] bool is_loop(Op op);
/// True for a `for` whose carried value 0 is a flag that ends it.
[[nodiscard]] bool has_exit(const Inst& inst);
/// The argument of a `for`'s body that counts.
[[nodiscard]] ValueId counter_arg(const Function& function, const Inst& loop);

/// The number of values that a loop carries.
[[nodiscard]] std::size_t carried_count(const Inst& loop);
/// Position in `operands` of the initial value of carried value 0.
[[nodiscard]] std::size_t first_init(const Inst& loop);
/// The values that a loop begins with.
[[nodiscard]] std::span<const ValueId> initial_values(const Inst& loop);
/// The arguments of a region that stand for carried values: all but the counter of a `for`.
[[nodiscard]] std::span<const ValueId> carried_args(const Function& function, RegionId region);
/// Position in a terminator's `operands` of the value that goes with result 0 of its owner: after
/// the flag, in a `condition`.
[[nodiscard]] std::size_t first_passed(const Inst& terminator);
/// The values that end a region, one for each result of its owner.
[[nodiscard]] std::span<const ValueId> passed_values(const Function& function, RegionId region);
/// The body's argument for carried value `i` of a loop.
[[nodiscard]] ValueId body_arg(const Function& function, const Inst& loop, std::size_t i);

/// One carried value of a loop at every place where it passes, by the names above.
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

/// The loop that carries what a region's argument stands for, and which of its values it is;
/// nothing for a counter, an argument of another region (a parameter, one of a combine function)
/// and the result of an instruction.
struct CarriedPlace {
  InstId loop;
  std::size_t index = 0;
};

[[nodiscard]] std::optional<CarriedPlace> carried_place(const Function& function, ValueId value);

/// True if the value is defined in one of the instruction's regions, however deep.
[[nodiscard]] bool is_inside(const Function& function, ValueId value, InstId owner);

}  // namespace tilery
