// How a dot is computed: on tensor cores where types and extents allow, else as a chain of fma over
// k.
#pragma once

#include "codegen/target.h"
#include "ir/function.h"

#include <cstdint>

namespace tilery::codegen {

enum class DotPath : std::uint8_t {
  /// mma.sync: acc and result in mma_accumulator_layout, a and b in mma_a_layout and mma_b_layout
  /// of `element_bits`.
  TensorCore,
  /// acc and result in any layout; a and b, in any layouts, go through shared memory whole.
  FusedChain,
};

struct DotPlan {
  DotPath path = DotPath::FusedChain;
  int element_bits =
      0;           ///< TensorCore: of an operand's element as the instruction takes it: 8, 16 or 32
  int k_step = 0;  ///< TensorCore: extent of the instruction along k
};

/// Tensor cores take fp16, bf16, fp8 (as fp16, which holds them), fp32 with `tf32`, and 8-bit
/// integers of one type; extents whose power-of-two parts are at least 16 (m), 8 (n) and the
/// instruction's k.
[[nodiscard]] DotPlan plan_dot(const Function& function, const Inst& dot);

/// Shared memory of a FusedChain dot: both operands, row-major, `b` after `a`. 0 on tensor cores.
[[nodiscard]] std::uint32_t dot_scratch_bytes(const Function& function, const Inst& dot);

}  // namespace tilery::codegen
