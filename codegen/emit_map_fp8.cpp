// fp8 to fp32 and back, for all five formats.
//
// Chips from sm_89 have instructions for fp8e4nv and fp8e5; elsewhere the formats' parameters (of
// ir/scalars.def) give integer arithmetic. Decoding puts exponent and mantissa at fp32's place,
// where they mean the number times a power of two, subnormals included: one exact product. Encoding
// rounds normal numbers by an integer addition below the bits that stay, and subnormal ones by a
// float addition of a constant whose last bit is worth the format's smallest number.
#include "codegen/emit_map.h"
#include "codegen/llvm_versions.h"
#include "ir/float_format.h"

#include <bit>
#include <cmath>

namespace tilery::codegen {
namespace {

using llvm::Value;

bool is_hardware_format(Scalar scalar) {
  return scalar == Scalar::F8E4NV || scalar == Scalar::F8E5;
}

Value* as_f32(llvm::IRBuilder<>& builder, Value* pattern) {
  return builder.CreateBitCast(pattern, builder.getFloatTy());
}

Value* as_i32(llvm::IRBuilder<>& builder, Value* x) {
  return builder.CreateBitCast(x, builder.getInt32Ty());
}

Value* f32(llvm::IRBuilder<>& builder, double value) {
  return llvm::ConstantFP::get(builder.getFloatTy(), value);
}

Value* select_number(llvm::IRBuilder<>& builder, Value* condition, std::uint32_t code,
                     Value* other) {
  return builder.CreateSelect(condition, builder.getInt32(code), other);
}

// ---- decoding ----

/// fp8e5 is the upper half of fp16.
Value* decode_e5(llvm::IRBuilder<>& builder, Value* code) {
  Value* const pattern = builder.CreateShl(builder.CreateZExt(code, builder.getInt16Ty()), 8);
  return builder.CreateFPExt(builder.CreateBitCast(pattern, builder.getHalfTy()),
                             builder.getFloatTy());
}

Value* decode_e4nv_by_hardware(llvm::IRBuilder<>& builder, Value* code) {
  Value* const pair = builder.CreateZExt(code, builder.getInt16Ty());
  Value* const halves = gpu_instruction(builder, "cvt.rn.f16x2.e4m3x2 $0, $1;", "=r,h",
                                        builder.getInt32Ty(), {&pair, 1});
  Value* const low = builder.CreateTrunc(halves, builder.getInt16Ty());
  return builder.CreateFPExt(builder.CreateBitCast(low, builder.getHalfTy()), builder.getFloatTy());
}

Value* decode_by_arithmetic(llvm::IRBuilder<>& builder, const FloatFormat& format,
                            Value* narrow_code) {
  Value* const code = builder.CreateZExt(narrow_code, builder.getInt32Ty());
  Value* const size = builder.CreateAnd(code, 0x7F);
  const auto shift = static_cast<unsigned>(23 - format.mantissa_bits);
  Value* const placed = as_f32(builder, builder.CreateShl(size, shift));
  Value* const scaled =
      builder.CreateFMul(placed, f32(builder, std::ldexp(1.0, 127 - format.bias)));
  Value* const sign = builder.CreateShl(builder.CreateAnd(code, 0x80), 24);
  Value* const number = builder.CreateOr(as_i32(builder, scaled), sign);
  constexpr std::uint32_t kNan = 0x7FC00000;
  if (format.is_fnuz()) {
    Value* const is_nan = builder.CreateICmpEQ(code, builder.getInt32(0x80));
    return as_f32(builder, select_number(builder, is_nan, kNan, number));
  }
  if (format.nan_code > format.max_code) {
    Value* const is_nan = builder.CreateICmpEQ(size, builder.getInt32(format.nan_code));
    return as_f32(builder, select_number(builder, is_nan, kNan, number));
  }
  return as_f32(builder, number);
}

// ---- encoding ----

/// Saturates, from infinity too (PTX ISA, cvt.satfinite), as the language does.
Value* encode_by_hardware(llvm::IRBuilder<>& builder, Scalar to, Value* x) {
  const char* const ptx = to == Scalar::F8E5 ? "cvt.rn.satfinite.e5m2x2.f32 $0, $1, $2;"
                                             : "cvt.rn.satfinite.e4m3x2.f32 $0, $1, $2;";
  // The first operand becomes the upper byte.
  const std::array<Value*, 2> operands{f32(builder, 0.0), x};
  Value* const pair = gpu_instruction(builder, ptx, "=h,f,f", builder.getInt16Ty(), operands);
  return builder.CreateTrunc(pair, builder.getInt8Ty());
}

/// The code of a magnitude in the format's normal range; too large a one gives too large a code.
Value* encode_normal(llvm::IRBuilder<>& builder, const FloatFormat& format, Value* size,
                     bool toward_zero) {
  const auto shift = static_cast<unsigned>(23 - format.mantissa_bits);
  const auto rebias = static_cast<std::uint32_t>(127 - format.bias) << 23;
  Value* rounded = builder.CreateSub(size, builder.getInt32(rebias));
  if (!toward_zero) {
    Value* const last_bit = builder.CreateAnd(builder.CreateLShr(size, shift), 1);
    Value* const below_half = builder.getInt32((1U << (shift - 1)) - 1);
    rounded = builder.CreateAdd(rounded, builder.CreateAdd(last_bit, below_half));
  }
  return builder.CreateLShr(rounded, shift);
}

/// The code of a magnitude below that; of others the result means nothing.
Value* encode_subnormal(llvm::IRBuilder<>& builder, const FloatFormat& format, Value* size,
                        bool toward_zero) {
  const int unit = 1 - format.bias - format.mantissa_bits;
  Value* const x = as_f32(builder, size);
  if (toward_zero) {
    Value* const units = builder.CreateFMul(x, f32(builder, std::ldexp(1.0, -unit)));
    const double limit = std::ldexp(1.0, format.mantissa_bits);
    Value* const within = builder.CreateBinaryIntrinsic(kMinimumNumber, units, f32(builder, limit));
    return builder.CreateFPToUI(within, builder.getInt32Ty());
  }
  Value* const magic = f32(builder, std::ldexp(1.0, unit + 23));
  return builder.CreateSub(as_i32(builder, builder.CreateFAdd(x, magic)), as_i32(builder, magic));
}

Value* encode_by_arithmetic(llvm::IRBuilder<>& builder, const FloatFormat& format, Value* x,
                            bool toward_zero) {
  Value* const pattern = as_i32(builder, x);
  Value* const size = builder.CreateAnd(pattern, 0x7FFFFFFF);
  const auto lowest_normal = static_cast<std::uint32_t>(128 - format.bias) << 23;
  Value* const is_subnormal = builder.CreateICmpULT(size, builder.getInt32(lowest_normal));
  Value* const finite =
      builder.CreateSelect(is_subnormal, encode_subnormal(builder, format, size, toward_zero),
                           encode_normal(builder, format, size, toward_zero));
  Value* code = builder.CreateBinaryIntrinsic(llvm::Intrinsic::umin, finite,
                                              builder.getInt32(format.max_code));
  Value* const is_nan = builder.CreateICmpUGT(size, builder.getInt32(0x7F800000));
  Value* sign = builder.CreateAnd(builder.CreateLShr(pattern, 24), 0x80);
  if (format.is_fnuz()) {
    sign = select_number(builder, builder.CreateICmpEQ(code, builder.getInt32(0)), 0, sign);
  }
  code = select_number(builder, is_nan, format.nan_code, code);
  return builder.CreateTrunc(builder.CreateOr(code, sign), builder.getInt8Ty());
}

}  // namespace

Value* decode_fp8(const MapEmitter& emitter, Scalar from, Value* code) {
  if (from == Scalar::F8E5) {
    return decode_e5(emitter.builder, code);
  }
  if (from == Scalar::F8E4NV && emitter.target.has_fp8_convert()) {
    return decode_e4nv_by_hardware(emitter.builder, code);
  }
  return decode_by_arithmetic(emitter.builder, float_format(from), code);
}

Value* encode_fp8(const MapEmitter& emitter, Scalar to, Value* x, bool toward_zero) {
  if (is_hardware_format(to) && !toward_zero && emitter.target.has_fp8_convert()) {
    return encode_by_hardware(emitter.builder, to, x);
  }
  return encode_by_arithmetic(emitter.builder, float_format(to), x, toward_zero);
}

}  // namespace tilery::codegen
