// Element-wise code, one element at a time: what the emit_map*.cpp files share, and what other
// families need of them (a cast, mostly). Private to codegen; includes LLVM.
//
// Everything here has the interpreter's bits, NaN payloads aside, but for the functions of fast
// math. No instruction carries a fast-math flag, so LLVM neither contracts nor reorders. A function
// may leave the builder in another block than it found it in; the builder must stand at the end of
// its block.
#pragma once

#include "codegen/target.h"
#include "ir/op_table.h"
#include "ir/type.h"

#include <llvm/IR/IRBuilder.h>

#include <span>
#include <vector>

namespace tilery::codegen {

/// Where element-wise code goes, and for which chip.
struct MapEmitter {
  llvm::IRBuilder<>& builder;
  const Target& target;
  /// exp, exp2, log, log2 and rsqrt of fp32 and narrower by the hardware's approximations.
  bool fast_math = false;
};

/// An element-wise operation, apart from the function it stands in.
struct ElementOp {
  Op op{};
  ElementType from;            ///< of the last operand: all have it, but for select's condition
  ElementType to;              ///< of the result
  bool propagate_nan = false;  ///< minimum and maximum
  bool toward_zero = false;    ///< casts from a float to a narrower one
};

using Elements = std::span<llvm::Value* const>;

[[nodiscard]] llvm::Value* emit_element(const MapEmitter& emitter, const ElementOp& op,
                                        Elements operands);

/// A conversion by value between two numbers.
[[nodiscard]] llvm::Value* emit_cast_element(const MapEmitter& emitter, Scalar from, Scalar to,
                                             llvm::Value* x, bool toward_zero = false);

/// dividends[i] / divisors[i] in fp32, correctly rounded; those that share a divisor share its
/// reciprocal. `are_moderate` (i1) says that all dividends are zero or of the size that
/// ir/math/division.h takes, or NaN; null if that has to be tested.
[[nodiscard]] std::vector<llvm::Value*> emit_f32_quotients(const MapEmitter& emitter,
                                                           Elements dividends, Elements divisors,
                                                           llvm::Value* are_moderate);

/// exp or exp2 of many fp32 numbers by the hardware's approximation, and an i1 that says of the
/// results what emit_f32_quotients wants to know. Where there are masks (i1, one a number), nothing
/// is said of results whose mask is 0, and those may be anything.
struct FastExps {
  std::vector<llvm::Value*> values;
  llvm::Value* are_moderate = nullptr;
};

[[nodiscard]] FastExps emit_fast_exps(const MapEmitter& emitter, Op op, Elements numbers,
                                      Elements masks = {});
/// The same of one number.
[[nodiscard]] llvm::Value* emit_fast_exp(llvm::IRBuilder<>& builder, Op op, llvm::Value* x);

/// Address spaces of NVPTX.
inline constexpr unsigned kGlobalMemory = 1;
inline constexpr unsigned kSharedMemory = 3;

/// i1, integers by their width, fp8 as i8, half, bfloat, float, double.
[[nodiscard]] llvm::Type* number_type(llvm::LLVMContext& context, Scalar scalar);
/// The same, and pointers into global memory.
[[nodiscard]] llvm::Type* element_type(llvm::LLVMContext& context, ElementType element);

// ---- between the emit_map*.cpp files: null for an op that is not in the file's table ----

[[nodiscard]] llvm::Value* emit_integer_element(const MapEmitter& emitter, const ElementOp& op,
                                                Elements operands);
/// fp16, bf16, fp32, fp64; null also for fp16 and bf16 where they have to go through fp32.
[[nodiscard]] llvm::Value* emit_float_element(const MapEmitter& emitter, const ElementOp& op,
                                              Elements operands);
/// The functions of ir/math and `%`, on fp32 and fp64.
[[nodiscard]] llvm::Value* emit_function_element(const MapEmitter& emitter, const ElementOp& op,
                                                 Elements operands);

/// An fp8 code as fp32, exactly.
[[nodiscard]] llvm::Value* decode_fp8(const MapEmitter& emitter, Scalar from, llvm::Value* code);
/// fp32 as an fp8 code, rounded once.
[[nodiscard]] llvm::Value* encode_fp8(const MapEmitter& emitter, Scalar to, llvm::Value* x,
                                      bool toward_zero);

/// An instruction of the GPU without side effects that LLVM has no operation for, as PTX with the
/// operands $0 (the result), $1, …
[[nodiscard]] llvm::Value* gpu_instruction(llvm::IRBuilder<>& builder, const char* ptx,
                                           const char* constraints, llvm::Type* result,
                                           Elements operands);

}  // namespace tilery::codegen
