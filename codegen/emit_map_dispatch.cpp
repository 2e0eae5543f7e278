// Which code an element-wise operation takes: by the kind of number, and for the narrow floats by
// way of fp32 where they have none of their own.
#include "codegen/emit_map.h"
#include "ir/support/check.h"

#include <array>
#include <string>

namespace tilery::codegen {
namespace {

using llvm::Value;

/// As in the interpreter: computed in fp32, and rounded to the narrow type at the end.
Value* emit_in_f32(const MapEmitter& emitter, const ElementOp& op, Elements operands) {
  std::array<Value*, 3> wide{};
  for (std::size_t i = 0; i < operands.size(); ++i) {
    wide[i] = emit_cast_element(emitter, op.from.scalar, Scalar::F32, operands[i]);
  }
  ElementOp wide_op = op;
  wide_op.from = Scalar::F32;
  if (op.to.is(Scalar::I1)) {
    return emit_element(emitter, wide_op, std::span(wide).first(operands.size()));
  }
  wide_op.to = Scalar::F32;
  Value* const result = emit_element(emitter, wide_op, std::span(wide).first(operands.size()));
  return emit_cast_element(emitter, Scalar::F32, op.to.scalar, result);
}

/// What fp16 and bf16 have no code of their own for goes through fp32, whatever it is: so a new
/// function needs no word about them, and fp64 code never meets a narrow operand.
Value* emit_float(const MapEmitter& emitter, const ElementOp& op, Elements operands) {
  const Scalar scalar = op.from.scalar;
  if (is_fp8(scalar)) {
    return emit_in_f32(emitter, op, operands);
  }
  if (Value* const result = emit_float_element(emitter, op, operands)) {
    return result;
  }
  const bool is_narrow = bit_width(scalar) < bit_width(Scalar::F32);
  return is_narrow ? emit_in_f32(emitter, op, operands)
                   : emit_function_element(emitter, op, operands);
}

/// The same bits as another type of their width.
Value* emit_bitcast(const MapEmitter& emitter, const ElementOp& op, Value* x) {
  if (op.from.is_pointer() && op.to.is_pointer()) {
    return x;
  }
  if (op.from.is_pointer()) {
    return emitter.builder.CreatePtrToInt(x, emitter.builder.getInt64Ty());
  }
  llvm::Type* const type = element_type(emitter.builder.getContext(), op.to);
  return op.to.is_pointer() ? emitter.builder.CreateIntToPtr(x, type)
                            : emitter.builder.CreateBitCast(x, type);
}

}  // namespace

llvm::Type* number_type(llvm::LLVMContext& context, Scalar scalar) {
  switch (scalar) {
    case Scalar::F16:
      return llvm::Type::getHalfTy(context);
    case Scalar::BF16:
      return llvm::Type::getBFloatTy(context);
    case Scalar::F32:
      return llvm::Type::getFloatTy(context);
    case Scalar::F64:
      return llvm::Type::getDoubleTy(context);
    case Scalar::I1:
    case Scalar::I8:
    case Scalar::I16:
    case Scalar::I32:
    case Scalar::I64:
    case Scalar::U8:
    case Scalar::U16:
    case Scalar::U32:
    case Scalar::U64:
    case Scalar::F8E4NV:
    case Scalar::F8E5:
    case Scalar::F8E4B15:
    case Scalar::F8E4B8:
    case Scalar::F8E5B16:
      return llvm::Type::getIntNTy(context, static_cast<unsigned>(bit_width(scalar)));
  }
  return nullptr;
}

llvm::Type* element_type(llvm::LLVMContext& context, ElementType element) {
  return element.is_pointer() ? llvm::PointerType::get(context, kGlobalMemory)
                              : number_type(context, element.scalar);
}

Value* emit_element(const MapEmitter& emitter, const ElementOp& op, Elements operands) {
  if (op.op == Op::Select) {
    return emitter.builder.CreateSelect(operands[0], operands[1], operands[2]);
  }
  if (op.op == Op::Bitcast) {
    return emit_bitcast(emitter, op, operands[0]);
  }
  if (op.op == Op::Cast) {
    return emit_cast_element(emitter, op.from.scalar, op.to.scalar, operands[0], op.toward_zero);
  }
  const bool is_whole = op.from.is_pointer() || is_integer(op.from.scalar);
  Value* const result =
      is_whole ? emit_integer_element(emitter, op, operands) : emit_float(emitter, op, operands);
  TILERY_CHECK(result != nullptr,
               std::string("code for ") + std::string(op_def(op.op).id) + " of " + op.from.str());
  return result;
}

}  // namespace tilery::codegen
