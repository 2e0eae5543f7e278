// How a dot of fp32 operands multiplies, by name.
#pragma once

#include "ir/attributes.h"
#include "ir/function.h"

#include <cstdint>

namespace tilery {

/// The enumerators of a dot's attribute `precision`, in the order of ops.def.
enum class InputPrecision : std::uint8_t { Tf32, Ieee, Tf32x3, Bf16x3, Bf16x6 };

[[nodiscard]] inline InputPrecision input_precision(const Inst& dot) {
  return static_cast<InputPrecision>(int_attr<"precision">(dot));
}

}  // namespace tilery
