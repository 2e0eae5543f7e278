// Integers, i1 among them: one line an op.
//
// LLVM leaves undefined what we define: a division by zero, INT_MIN / -1, a shift by the width or
// more. So divisors are made harmless before the division and the result is chosen after it, and a
// shift's result is thrown away where its count was too large.
#include "codegen/emit_map.h"

#include <array>

namespace tilery::codegen {
namespace {

using llvm::CmpInst;
using llvm::Value;

/// The operands of one operation; those that it lacks are null.
struct Integers {
  llvm::IRBuilder<>& builder;
  Scalar scalar;
  Value* a;
  Value* b;
  Value* c;

  [[nodiscard]] bool is_signed() const { return is_signed_integer(scalar); }

  [[nodiscard]] int width() const { return bit_width(scalar); }

  [[nodiscard]] Value* number(std::uint64_t n) const {
    return llvm::ConstantInt::get(a->getType(), n);
  }

  [[nodiscard]] Value* compare(CmpInst::Predicate for_signed,
                               CmpInst::Predicate for_unsigned) const {
    return builder.CreateICmp(is_signed() ? for_signed : for_unsigned, a, b);
  }

  [[nodiscard]] Value* intrinsic(llvm::Intrinsic::ID for_signed,
                                 llvm::Intrinsic::ID for_unsigned) const {
    return builder.CreateBinaryIntrinsic(is_signed() ? for_signed : for_unsigned, a, b);
  }
};

// ---- division ----

/// In 32 bits, where no quotient of narrower numbers overflows.
Integers widened(const Integers& x) {
  if (x.width() >= 32) {
    return x;
  }
  llvm::Type* const i32 = x.builder.getInt32Ty();
  const auto widen = [&](Value* value) {
    return x.is_signed() ? x.builder.CreateSExt(value, i32) : x.builder.CreateZExt(value, i32);
  };
  return {x.builder, x.is_signed() ? Scalar::I32 : Scalar::U32, widen(x.a), widen(x.b), nullptr};
}

/// True where LLVM's division is undefined, or may be: a divisor of 0, and -1 for signed types.
Value* is_special_divisor(const Integers& x) {
  if (!x.is_signed()) {
    return x.builder.CreateICmpEQ(x.b, x.number(0));
  }
  return x.builder.CreateICmpULE(x.builder.CreateAdd(x.b, x.number(1)), x.number(1));
}

Value* quotient(const Integers& narrow) {
  const Integers x = widened(narrow);
  llvm::IRBuilder<>& builder = x.builder;
  Value* const is_special = is_special_divisor(x);
  Value* const divisor = builder.CreateSelect(is_special, x.number(1), x.b);
  Value* const plain =
      x.is_signed() ? builder.CreateSDiv(x.a, divisor) : builder.CreateUDiv(x.a, divisor);
  // b is 0 or, signed only, all ones: 0, or -a, which wraps for INT_MIN.
  Value* const special = x.is_signed() ? builder.CreateAnd(builder.CreateNeg(x.a), x.b) : x.b;
  return builder.CreateTrunc(builder.CreateSelect(is_special, special, plain), narrow.a->getType());
}

/// Modulo a special divisor every remainder is 0, as it is modulo 1.
Value* rest(const Integers& narrow) {
  const Integers x = widened(narrow);
  Value* const divisor = x.builder.CreateSelect(is_special_divisor(x), x.number(1), x.b);
  Value* const result =
      x.is_signed() ? x.builder.CreateSRem(x.a, divisor) : x.builder.CreateURem(x.a, divisor);
  return x.builder.CreateTrunc(result, narrow.a->getType());
}

// ---- products and shifts ----

/// Becomes one mul.hi.
Value* high_half(const Integers& x) {
  const auto width = static_cast<unsigned>(x.width());
  llvm::Type* const wide = x.builder.getIntNTy(2 * width);
  Value* const product =
      x.builder.CreateMul(x.builder.CreateZExt(x.a, wide), x.builder.CreateZExt(x.b, wide));
  return x.builder.CreateTrunc(x.builder.CreateLShr(product, width), x.a->getType());
}

Value* shifted_left(const Integers& x) {
  Value* const width = x.number(static_cast<std::uint64_t>(x.width()));
  Value* const is_within = x.builder.CreateICmpULT(x.b, width);
  return x.builder.CreateSelect(is_within, x.builder.CreateShl(x.a, x.b), x.number(0));
}

Value* shifted_right(const Integers& x) {
  const auto last = static_cast<std::uint64_t>(x.width() - 1);
  if (x.is_signed()) {
    Value* const count =
        x.builder.CreateBinaryIntrinsic(llvm::Intrinsic::umin, x.b, x.number(last));
    return x.builder.CreateAShr(x.a, count);
  }
  Value* const is_within = x.builder.CreateICmpULE(x.b, x.number(last));
  return x.builder.CreateSelect(is_within, x.builder.CreateLShr(x.a, x.b), x.number(0));
}

Value* magnitude(const Integers& x) {
  return x.is_signed()
             ? x.builder.CreateBinaryIntrinsic(llvm::Intrinsic::abs, x.a, x.builder.getFalse())
             : x.a;
}

// ---- the tables ----

struct IntegerOp {
  Op op;
  Value* (*emit)(const Integers&);
};

// clang-format off
constexpr std::array kIntegerOps{
    IntegerOp{Op::Add, [](const Integers& x) { return x.builder.CreateAdd(x.a, x.b); }},
    IntegerOp{Op::Sub, [](const Integers& x) { return x.builder.CreateSub(x.a, x.b); }},
    IntegerOp{Op::Mul, [](const Integers& x) { return x.builder.CreateMul(x.a, x.b); }},
    IntegerOp{Op::IDiv, quotient},
    IntegerOp{Op::Rem, rest},
    IntegerOp{Op::Fma, [](const Integers& x) { return x.builder.CreateAdd(x.builder.CreateMul(x.a, x.b), x.c); }},
    IntegerOp{Op::UMulHi, high_half},
    IntegerOp{Op::Neg, [](const Integers& x) { return x.builder.CreateNeg(x.a); }},
    IntegerOp{Op::And, [](const Integers& x) { return x.builder.CreateAnd(x.a, x.b); }},
    IntegerOp{Op::Or, [](const Integers& x) { return x.builder.CreateOr(x.a, x.b); }},
    IntegerOp{Op::Xor, [](const Integers& x) { return x.builder.CreateXor(x.a, x.b); }},
    IntegerOp{Op::Not, [](const Integers& x) { return x.builder.CreateNot(x.a); }},
    IntegerOp{Op::Shl, shifted_left},
    IntegerOp{Op::Shr, shifted_right},
    IntegerOp{Op::Minimum, [](const Integers& x) { return x.intrinsic(llvm::Intrinsic::smin, llvm::Intrinsic::umin); }},
    IntegerOp{Op::Maximum, [](const Integers& x) { return x.intrinsic(llvm::Intrinsic::smax, llvm::Intrinsic::umax); }},
    IntegerOp{Op::Eq, [](const Integers& x) { return x.builder.CreateICmpEQ(x.a, x.b); }},
    IntegerOp{Op::Ne, [](const Integers& x) { return x.builder.CreateICmpNE(x.a, x.b); }},
    IntegerOp{Op::Lt, [](const Integers& x) { return x.compare(CmpInst::ICMP_SLT, CmpInst::ICMP_ULT); }},
    IntegerOp{Op::Le, [](const Integers& x) { return x.compare(CmpInst::ICMP_SLE, CmpInst::ICMP_ULE); }},
    IntegerOp{Op::Gt, [](const Integers& x) { return x.compare(CmpInst::ICMP_SGT, CmpInst::ICMP_UGT); }},
    IntegerOp{Op::Ge, [](const Integers& x) { return x.compare(CmpInst::ICMP_SGE, CmpInst::ICMP_UGE); }},
    IntegerOp{Op::Abs, magnitude},
};

// Arithmetic modulo 2; 1 is greater than 0. A shift by anything but 0 leaves nothing, and so does a remainder.
constexpr std::array kBitOps{
    IntegerOp{Op::Add, [](const Integers& x) { return x.builder.CreateXor(x.a, x.b); }},
    IntegerOp{Op::Sub, [](const Integers& x) { return x.builder.CreateXor(x.a, x.b); }},
    IntegerOp{Op::Mul, [](const Integers& x) { return x.builder.CreateAnd(x.a, x.b); }},
    IntegerOp{Op::IDiv, [](const Integers& x) { return x.builder.CreateAnd(x.a, x.b); }},
    IntegerOp{Op::Rem, [](const Integers& x) { return x.number(0); }},
    IntegerOp{Op::Fma, [](const Integers& x) { return x.builder.CreateXor(x.builder.CreateAnd(x.a, x.b), x.c); }},
    IntegerOp{Op::Neg, [](const Integers& x) { return x.a; }},
    IntegerOp{Op::Abs, [](const Integers& x) { return x.a; }},
    IntegerOp{Op::And, [](const Integers& x) { return x.builder.CreateAnd(x.a, x.b); }},
    IntegerOp{Op::Or, [](const Integers& x) { return x.builder.CreateOr(x.a, x.b); }},
    IntegerOp{Op::Xor, [](const Integers& x) { return x.builder.CreateXor(x.a, x.b); }},
    IntegerOp{Op::Not, [](const Integers& x) { return x.builder.CreateNot(x.a); }},
    IntegerOp{Op::Shl, [](const Integers& x) { return x.builder.CreateAnd(x.a, x.builder.CreateNot(x.b)); }},
    IntegerOp{Op::Shr, [](const Integers& x) { return x.builder.CreateAnd(x.a, x.builder.CreateNot(x.b)); }},
    IntegerOp{Op::Minimum, [](const Integers& x) { return x.builder.CreateAnd(x.a, x.b); }},
    IntegerOp{Op::Maximum, [](const Integers& x) { return x.builder.CreateOr(x.a, x.b); }},
    IntegerOp{Op::Eq, [](const Integers& x) { return x.builder.CreateNot(x.builder.CreateXor(x.a, x.b)); }},
    IntegerOp{Op::Ne, [](const Integers& x) { return x.builder.CreateXor(x.a, x.b); }},
    IntegerOp{Op::Lt, [](const Integers& x) { return x.builder.CreateAnd(x.builder.CreateNot(x.a), x.b); }},
    IntegerOp{Op::Le, [](const Integers& x) { return x.builder.CreateOr(x.builder.CreateNot(x.a), x.b); }},
    IntegerOp{Op::Gt, [](const Integers& x) { return x.builder.CreateAnd(x.a, x.builder.CreateNot(x.b)); }},
    IntegerOp{Op::Ge, [](const Integers& x) { return x.builder.CreateOr(x.a, x.builder.CreateNot(x.b)); }},
};
// clang-format on

}  // namespace

Value* emit_integer_element(const MapEmitter& emitter, const ElementOp& op, Elements operands) {
  const Scalar scalar = op.from.is_pointer() ? Scalar::U64 : op.from.scalar;
  const Integers x{emitter.builder, scalar, operands[0],
                   operands.size() > 1 ? operands[1] : nullptr,
                   operands.size() > 2 ? operands[2] : nullptr};
  const std::span<const IntegerOp> table =
      scalar == Scalar::I1 ? std::span<const IntegerOp>(kBitOps) : kIntegerOps;
  for (const IntegerOp& row : table) {
    if (row.op == op.op) {
      return row.emit(x);
    }
  }
  return nullptr;
}

}  // namespace tilery::codegen
