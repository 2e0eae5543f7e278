// Values from other lanes of the warp, of every element type. Private to codegen; includes LLVM.
//
// The instruction moves 32 bits. Several narrow values share one; a wide one takes two.
#pragma once

#include "codegen/emit.h"

#include <cstdint>
#include <span>

namespace tilery::codegen {

/// What the lane `lane_id ^ lane_mask` has as this value. All lanes of the warp must take part.
[[nodiscard]] llvm::Value* shuffle_xor(EmitContext& context, llvm::Value* value,
                                       std::uint32_t lane_mask);
/// The same for several values, of any types.
[[nodiscard]] Registers shuffle_xor(EmitContext& context, std::span<llvm::Value* const> values,
                                    std::uint32_t lane_mask);

/// What lane `lane` (an i32 of 0 … 31, which each lane chooses for itself) has as this value.
[[nodiscard]] llvm::Value* shuffle_index(EmitContext& context, llvm::Value* value,
                                         llvm::Value* lane);
[[nodiscard]] Registers shuffle_index(EmitContext& context, std::span<llvm::Value* const> values,
                                      llvm::Value* lane);

}  // namespace tilery::codegen
