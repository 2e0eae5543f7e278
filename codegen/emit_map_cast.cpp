// Conversions by value between any two numbers, each with one rounding.
//
// The GPU converts float to integer as the language does, saturating, but LLVM calls the result
// undefined out of range; so those conversions, and integer to float toward zero, are written as
// PTX. LLVM rounds twice on the way from wide integers to bf16 before sm_90 (to fp32, then to
// bf16), which rounding to odd in between prevents: the last bit of fp32 then remembers that
// something was lost.
#include "codegen/emit_map.h"
#include "ir/support/check.h"

#include <llvm/IR/InlineAsm.h>

#include <array>

namespace tilery::codegen {

using llvm::Value;

Value* gpu_instruction(llvm::IRBuilder<>& builder, const char* ptx, const char* constraints,
                       llvm::Type* result, Elements operands) {
  std::vector<llvm::Type*> types;
  for (const Value* operand : operands) {
    types.push_back(operand->getType());
  }
  auto* const type = llvm::FunctionType::get(result, types, false);
  auto* const code = llvm::InlineAsm::get(type, ptx, constraints, false);
  llvm::CallInst* const call =
      builder.CreateCall(type, code, llvm::ArrayRef<Value*>(operands.data(), operands.size()));
  call->setDoesNotAccessMemory();
  call->setDoesNotThrow();
  return call;
}

namespace {

/// A cast under way: the builder, and both ends.
struct Cast {
  llvm::IRBuilder<>& builder;
  Scalar from;
  Scalar to;
  Value* x;

  [[nodiscard]] llvm::Type* type() const { return number_type(builder.getContext(), to); }
};

bool is_narrow_float(Scalar scalar) {
  return scalar == Scalar::F16 || scalar == Scalar::BF16;
}

// ---- to integers ----

Value* integer_to_integer(const Cast& cast) {
  return is_signed_integer(cast.from) ? cast.builder.CreateSExtOrTrunc(cast.x, cast.type())
                                      : cast.builder.CreateZExtOrTrunc(cast.x, cast.type());
}

/// True for NaN.
Value* is_nonzero(const Cast& cast) {
  if (is_integer(cast.from)) {
    return cast.builder.CreateIsNotNull(cast.x);
  }
  return cast.builder.CreateFCmpUNE(cast.x, llvm::ConstantFP::getZero(cast.x->getType()));
}

struct Conversion {
  const char* ptx;
  const char* constraints;
};

/// fp32 or fp64 to an integer of 32 or 64 bits, toward zero. The result saturates (PTX ISA, cvt).
Conversion saturating_conversion(bool from_f64, bool to_64_bits, bool to_signed) {
  static constexpr std::array<Conversion, 8> kConversions{{
      {"cvt.rzi.u32.f32 $0, $1;", "=r,f"},
      {"cvt.rzi.s32.f32 $0, $1;", "=r,f"},
      {"cvt.rzi.u64.f32 $0, $1;", "=l,f"},
      {"cvt.rzi.s64.f32 $0, $1;", "=l,f"},
      {"cvt.rzi.u32.f64 $0, $1;", "=r,d"},
      {"cvt.rzi.s32.f64 $0, $1;", "=r,d"},
      {"cvt.rzi.u64.f64 $0, $1;", "=l,d"},
      {"cvt.rzi.s64.f64 $0, $1;", "=l,d"},
  }};
  return kConversions[(from_f64 ? 4U : 0U) + (to_64_bits ? 2U : 0U) + (to_signed ? 1U : 0U)];
}

/// A 32-bit integer as a narrower one, at whose ends it saturates.
Value* narrow_saturating(const Cast& cast, Value* wide) {
  llvm::IRBuilder<>& builder = cast.builder;
  const int bits = bit_width(cast.to);
  if (!is_signed_integer(cast.to)) {
    wide = builder.CreateBinaryIntrinsic(llvm::Intrinsic::umin, wide,
                                         builder.getInt32((1U << bits) - 1));
  } else {
    const std::uint32_t largest = (1U << (bits - 1)) - 1;
    wide = builder.CreateBinaryIntrinsic(llvm::Intrinsic::smin, wide, builder.getInt32(largest));
    wide = builder.CreateBinaryIntrinsic(llvm::Intrinsic::smax, wide, builder.getInt32(~largest));
  }
  return builder.CreateTrunc(wide, cast.type());
}

Value* float_to_integer(const Cast& cast) {
  llvm::IRBuilder<>& builder = cast.builder;
  Value* const x =
      is_narrow_float(cast.from) ? builder.CreateFPExt(cast.x, builder.getFloatTy()) : cast.x;
  const bool from_f64 = cast.from == Scalar::F64;
  const bool to_64_bits = bit_width(cast.to) == 64;
  const Conversion conversion =
      saturating_conversion(from_f64, to_64_bits, is_signed_integer(cast.to));
  Value* result =
      gpu_instruction(builder, conversion.ptx, conversion.constraints,
                      to_64_bits ? builder.getInt64Ty() : builder.getInt32Ty(), {&x, 1});
  if (from_f64 || to_64_bits) {
    // Only from fp32 to 32 bits does the hardware make NaN 0.
    Value* const is_nan = builder.CreateFCmpUNO(x, x);
    result = builder.CreateSelect(is_nan, llvm::ConstantInt::get(result->getType(), 0), result);
  }
  return bit_width(cast.to) < 32 ? narrow_saturating(cast, result) : result;
}

// ---- integers to floats ----

/// A wide integer as fp32, rounded to odd.
Value* integer_to_odd(const Cast& cast) {
  llvm::IRBuilder<>& builder = cast.builder;
  const bool is_signed = is_signed_integer(cast.from);
  const bool is_64_bits = bit_width(cast.from) == 64;
  const char* const of_64 = is_signed ? "cvt.rz.f32.s64 $0, $1;" : "cvt.rz.f32.u64 $0, $1;";
  const char* const of_32 = is_signed ? "cvt.rz.f32.s32 $0, $1;" : "cvt.rz.f32.u32 $0, $1;";
  Value* const truncated =
      gpu_instruction(builder, is_64_bits ? of_64 : of_32, is_64_bits ? "=f,l" : "=f,r",
                      builder.getFloatTy(), {&cast.x, 1});
  // Not larger than x in magnitude, so it fits x's type.
  llvm::Type* const integer = cast.x->getType();
  Value* const back = is_signed ? builder.CreateFPToSI(truncated, integer)
                                : builder.CreateFPToUI(truncated, integer);
  Value* const is_inexact = builder.CreateICmpNE(back, cast.x);
  Value* const pattern = builder.CreateBitCast(truncated, builder.getInt32Ty());
  Value* const odd =
      builder.CreateOr(pattern, builder.CreateZExt(is_inexact, builder.getInt32Ty()));
  return builder.CreateBitCast(odd, builder.getFloatTy());
}

Value* integer_to_float(const Cast& cast) {
  if (cast.to == Scalar::BF16 && bit_width(cast.from) >= 32) {
    return cast.builder.CreateFPTrunc(integer_to_odd(cast), cast.type());
  }
  return is_signed_integer(cast.from) ? cast.builder.CreateSIToFP(cast.x, cast.type())
                                      : cast.builder.CreateUIToFP(cast.x, cast.type());
}

// ---- floats to floats ----

/// `result` is x rounded to nearest; where that is away from zero, the float before it.
Value* step_toward_zero(const Cast& cast, Value* result) {
  llvm::IRBuilder<>& builder = cast.builder;
  const auto size = [&](Value* value) {
    return builder.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, value);
  };
  Value* const back = builder.CreateFPExt(result, cast.x->getType());
  Value* const is_away = builder.CreateFCmpOGT(size(back), size(cast.x));
  llvm::Type* const bits = builder.getIntNTy(static_cast<unsigned>(bit_width(cast.to)));
  Value* const pattern = builder.CreateBitCast(result, bits);
  Value* const stepped = builder.CreateSub(pattern, builder.CreateZExt(is_away, bits));
  return builder.CreateBitCast(stepped, cast.type());
}

/// A bf16 is the upper half of a float: written as a shift, which takes one instruction where the
/// number comes out of a 32-bit word, as loaded ones do.
Value* bf16_to_f32(llvm::IRBuilder<>& builder, Value* x) {
  Value* const pattern = builder.CreateBitCast(x, builder.getInt16Ty());
  Value* const word = builder.CreateZExt(pattern, builder.getInt32Ty());
  return builder.CreateBitCast(builder.CreateShl(word, 16), builder.getFloatTy());
}

/// fp16, bf16, fp32 and fp64 to another of them.
Value* float_to_float(const Cast& cast, bool toward_zero) {
  llvm::IRBuilder<>& builder = cast.builder;
  const bool is_narrower = bit_width(cast.to) < bit_width(cast.from);
  if (!is_narrower && is_narrow_float(cast.from)) {
    // Exact so far; of the two narrow formats neither holds the other.
    Value* const wide = cast.from == Scalar::BF16
                            ? bf16_to_f32(builder, cast.x)
                            : builder.CreateFPExt(cast.x, builder.getFloatTy());
    return cast.to == Scalar::F32 ? wide : builder.CreateFPCast(wide, cast.type());
  }
  Value* const result = builder.CreateFPCast(cast.x, cast.type());
  return is_narrower && toward_zero ? step_toward_zero(cast, result) : result;
}

/// fp64 as fp32, rounded to odd.
Value* f64_to_odd(llvm::IRBuilder<>& builder, Value* x) {
  const Cast cast{builder, Scalar::F64, Scalar::F32, x};
  Value* const truncated = float_to_float(cast, true);
  Value* const is_inexact =
      builder.CreateFCmpUNE(builder.CreateFPExt(truncated, builder.getDoubleTy()), x);
  Value* const pattern = builder.CreateBitCast(truncated, builder.getInt32Ty());
  Value* const odd =
      builder.CreateOr(pattern, builder.CreateZExt(is_inexact, builder.getInt32Ty()));
  return builder.CreateBitCast(odd, builder.getFloatTy());
}

// ---- fp8 ----

Value* to_fp8(const MapEmitter& emitter, Scalar from, Scalar to, Value* x, bool toward_zero) {
  Value* const wide = from == Scalar::F64 ? f64_to_odd(emitter.builder, x)
                                          : emit_cast_element(emitter, from, Scalar::F32, x);
  return encode_fp8(emitter, to, wide, toward_zero && bit_width(from) > 8);
}

}  // namespace

Value* emit_cast_element(const MapEmitter& emitter, Scalar from, Scalar to, Value* x,
                         bool toward_zero) {
  if (from == to) {
    return x;
  }
  if (is_fp8(from)) {
    return emit_cast_element(emitter, Scalar::F32, to, decode_fp8(emitter, from, x));
  }
  if (is_fp8(to)) {
    return to_fp8(emitter, from, to, x, toward_zero);
  }
  const Cast cast{emitter.builder, from, to, x};
  if (to == Scalar::I1) {
    return is_nonzero(cast);
  }
  if (is_integer(from)) {
    return is_integer(to) ? integer_to_integer(cast) : integer_to_float(cast);
  }
  return is_integer(to) ? float_to_integer(cast) : float_to_float(cast, toward_zero);
}

}  // namespace tilery::codegen
