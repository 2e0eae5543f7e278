// How a dot is computed: on tensor cores where there is an instruction for its types, else as a
// chain of fma over k.
//
// mma.sync multiplies 16 × k_step by k_step × 8. A tile that is smaller is padded up: a lane or
// register of the instruction's operands that stands for no element of the tile holds a copy of
// another row or column, whose products come out twice, or, along k, 0. See the mma layouts in
// layout/layout.h.
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

/// What an operand is to mma.sync.
enum class MmaType : std::uint8_t { F16, BF16, Tf32, F64, S8, U8, E4M3, E5M2 };

struct DotPlan {
  DotPath path = DotPath::FusedChain;
  // ---- TensorCore ----
  MmaType type{};  ///< of a and b
  /// The operand layouts are those of elements of so many bits: 8, 16 or 32. fp64 lies as tf32
  /// does.
  int element_bits = 0;
  int k_step = 0;  ///< extent of the instruction along k
  /// 2 or 3: fp32 operands are split into so many parts, and the products of the larger parts are
  /// added up ("tf32x3", "bf16x3", "bf16x6"). Else 1.
  int parts = 1;
};

/// Tensor cores take fp16, bf16, fp32 unless "ieee" is asked for, 8-bit integers of one type, fp64
/// where the chip has units for it, and fp8: as itself where the chip multiplies it without loss,
/// else as fp16, which holds all of it. Extents may be any; but a tile whose odd factors would take
/// more instructions than the chain takes multiply-adds goes as a chain.
[[nodiscard]] DotPlan plan_dot(const Function& function, const Inst& dot, const Target& target);

/// Shared memory of a FusedChain dot, in bytes: both operands, row-major, `b` after `a`.
struct DotScratch {
  std::uint32_t b_offset = 0;
  std::uint32_t bytes = 0;
};

/// Nothing on tensor cores.
[[nodiscard]] DotScratch dot_scratch(const Function& function, const Inst& dot,
                                     const Target& target);

/// What of an extent one instruction that spans `step` covers: the power-of-two part of the extent,
/// at most the step.
[[nodiscard]] std::int64_t covered_extent(std::int64_t extent, std::int64_t step);

}  // namespace tilery::codegen
