// The transfer rules of the axis analysis: the facts of a result from those of the operands.
// Private to analysis/.
#pragma once

#include "codegen/analysis/axis_info.h"

#include <functional>

namespace tilery::codegen {

/// Facts of an operand; the walk hands its table in as this.
using AxisLookup = std::function<const AxisInfo&(ValueId)>;

/// What is always true of a value of this type.
[[nodiscard]] AxisInfo no_axis_facts(const Type& type);

/// The facts of a parameter, by what its launch promises.
[[nodiscard]] AxisInfo parameter_facts(const Param& param);

/// What holds of a value that is either of two of the same type.
[[nodiscard]] AxisInfo joined_facts(const AxisInfo& a, const AxisInfo& b, const Type& type);

/// The facts of result `i` of an instruction that is neither a loop nor a branch.
[[nodiscard]] AxisInfo result_facts(const Function& function, const Inst& inst, std::uint32_t i,
                                    const AxisLookup& facts);

/// The facts of the counter of a `for`.
[[nodiscard]] AxisInfo counter_facts(const Function& function, const Inst& loop,
                                     const AxisLookup& facts);

}  // namespace tilery::codegen
