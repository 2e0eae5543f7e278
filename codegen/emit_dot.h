// What the two ways to compute a dot share. Private to codegen; includes LLVM.
#pragma once

#include "codegen/dot_plan.h"
#include "codegen/emit.h"

namespace tilery::codegen {

/// The operands and types of one dot. The last two axes are the matrices'; those before them count
/// batches.
struct Dot {
  const Inst& inst;
  Type a;
  Type b;
  Type acc;
  DotPlan plan;
  int rank = 2;
};

/// The type that sums run in: floats of up to 32 bits in fp32, rounded to the accumulator's type at
/// the end.
[[nodiscard]] ElementType sum_type(const Dot& dot);

[[nodiscard]] llvm::Value* cast_value(EmitContext& context, llvm::Value* value, ElementType from,
                                      ElementType to);
[[nodiscard]] Registers cast_all(EmitContext& context, const Registers& values, ElementType from,
                                 ElementType to);

/// Rounds an fp32 to tf32, to nearest, ties away, and gives the bits.
[[nodiscard]] llvm::Value* to_tf32(EmitContext& context, llvm::Value* value);

/// On tensor cores (emit_mma.cpp): sets the dot's result.
void emit_mma(EmitContext& context, const Dot& dot);

}  // namespace tilery::codegen
