// Floats: the operations that LLVM has for all of fp16, bf16, fp32 and fp64, one line an op.
//
// Each rounds once. fp16 and bf16 add, multiply and fuse natively (before sm_90 LLVM writes a bf16
// sum or product as an exact case of its fma). Division and square root go through fp32, whose 24
// bits are more than twice the 11 of fp16 plus one, so that rounding twice gives what rounding once
// would (S. Figueroa, "When is double rounding innocuous?", 1995).
#include "codegen/emit_map.h"
#include "codegen/llvm_versions.h"

#include <array>

namespace tilery::codegen {
namespace {

using llvm::CmpInst;
using llvm::Value;

struct Floats {
  llvm::IRBuilder<>& builder;
  Value* a;
  Value* b;
  Value* c;
  bool propagate_nan;

  [[nodiscard]] Value* compare(CmpInst::Predicate predicate) const {
    return builder.CreateFCmp(predicate, a, b);
  }

  [[nodiscard]] Value* unary(llvm::Intrinsic::ID id) const {
    return builder.CreateUnaryIntrinsic(id, a);
  }

  /// Both kinds order the zeros, -0 below +0.
  [[nodiscard]] Value* extreme(llvm::Intrinsic::ID number_wins,
                               llvm::Intrinsic::ID nan_wins) const {
    return builder.CreateBinaryIntrinsic(propagate_nan ? nan_wins : number_wins, a, b);
  }
};

/// How fp16 and bf16 come to a result: by the row's code, or by that of fp32.
enum class NarrowBy : std::uint8_t { OwnCode, Fp32 };

struct FloatOp {
  Op op;
  NarrowBy narrow_by;
  Value* (*emit)(const Floats&);
};

using enum NarrowBy;

// clang-format off
constexpr std::array kFloatOps{
    FloatOp{Op::Add, OwnCode, [](const Floats& x) { return x.builder.CreateFAdd(x.a, x.b); }},
    FloatOp{Op::Sub, OwnCode, [](const Floats& x) { return x.builder.CreateFSub(x.a, x.b); }},
    FloatOp{Op::Mul, OwnCode, [](const Floats& x) { return x.builder.CreateFMul(x.a, x.b); }},
    FloatOp{Op::Div, OwnCode, [](const Floats& x) { return x.builder.CreateFDiv(x.a, x.b); }},
    FloatOp{Op::Fma, OwnCode, [](const Floats& x) -> Value* { return x.builder.CreateIntrinsic(llvm::Intrinsic::fma, {x.a->getType()}, {x.a, x.b, x.c}); }},
    FloatOp{Op::Neg, OwnCode, [](const Floats& x) { return x.builder.CreateFNeg(x.a); }},
    FloatOp{Op::Abs, OwnCode, [](const Floats& x) { return x.unary(llvm::Intrinsic::fabs); }},
    FloatOp{Op::Minimum, OwnCode, [](const Floats& x) { return x.extreme(kMinimumNumber, llvm::Intrinsic::minimum); }},
    FloatOp{Op::Maximum, OwnCode, [](const Floats& x) { return x.extreme(kMaximumNumber, llvm::Intrinsic::maximum); }},
    FloatOp{Op::Eq, OwnCode, [](const Floats& x) { return x.compare(CmpInst::FCMP_OEQ); }},
    FloatOp{Op::Ne, OwnCode, [](const Floats& x) { return x.compare(CmpInst::FCMP_UNE); }},
    FloatOp{Op::Lt, OwnCode, [](const Floats& x) { return x.compare(CmpInst::FCMP_OLT); }},
    FloatOp{Op::Le, OwnCode, [](const Floats& x) { return x.compare(CmpInst::FCMP_OLE); }},
    FloatOp{Op::Gt, OwnCode, [](const Floats& x) { return x.compare(CmpInst::FCMP_OGT); }},
    FloatOp{Op::Ge, OwnCode, [](const Floats& x) { return x.compare(CmpInst::FCMP_OGE); }},
    FloatOp{Op::Floor, OwnCode, [](const Floats& x) { return x.unary(llvm::Intrinsic::floor); }},
    FloatOp{Op::Ceil, OwnCode, [](const Floats& x) { return x.unary(llvm::Intrinsic::ceil); }},
    FloatOp{Op::Sqrt, Fp32, [](const Floats& x) { return x.unary(llvm::Intrinsic::sqrt); }},
};
// clang-format on

}  // namespace

Value* emit_float_element(const MapEmitter& emitter, const ElementOp& op, Elements operands) {
  const Floats x{emitter.builder, operands[0], operands.size() > 1 ? operands[1] : nullptr,
                 operands.size() > 2 ? operands[2] : nullptr, op.propagate_nan};
  const bool is_narrow = bit_width(op.from.scalar) < bit_width(Scalar::F32);
  for (const FloatOp& row : kFloatOps) {
    if (row.op == op.op) {
      return is_narrow && row.narrow_by == NarrowBy::Fp32 ? nullptr : row.emit(x);
    }
  }
  return nullptr;
}

}  // namespace tilery::codegen
