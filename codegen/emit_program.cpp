// program_id, num_programs, constant, arange.
#include "codegen/emit.h"
#include "ir/attributes.h"
#include "ir/support/check.h"

#include <llvm/IR/IntrinsicsNVPTX.h>

namespace tilery::codegen {
namespace {

llvm::Value* read_register(EmitContext& context, std::array<llvm::Intrinsic::ID, 3> registers,
                           std::int64_t axis) {
  TILERY_CHECK(axis >= 0 && axis < 3, "a grid has three axes");
  auto entry = context.prologue();
  return entry.CreateIntrinsic(entry.getInt32Ty(), registers[static_cast<std::size_t>(axis)], {});
}

}  // namespace

void emit_program_id(EmitContext& context, InstId id) {
  const Inst& inst = context.inst(id);
  context.set(inst.result(), {read_register(context,
                                            {llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_x,
                                             llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_y,
                                             llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_z},
                                            int_attr<"axis">(inst))});
}

void emit_num_programs(EmitContext& context, InstId id) {
  const Inst& inst = context.inst(id);
  context.set(inst.result(), {read_register(context,
                                            {llvm::Intrinsic::nvvm_read_ptx_sreg_nctaid_x,
                                             llvm::Intrinsic::nvvm_read_ptx_sreg_nctaid_y,
                                             llvm::Intrinsic::nvvm_read_ptx_sreg_nctaid_z},
                                            int_attr<"axis">(inst))});
}

llvm::Constant* EmitContext::constant(ElementType element, std::uint64_t bits) const {
  llvm::Type* const type = llvm_type(element);
  if (type->isPointerTy()) {
    auto* const number = llvm::ConstantInt::get(llvm::Type::getInt64Ty(module_.getContext()), bits);
    return llvm::ConstantExpr::getIntToPtr(number, type);
  }
  const llvm::APInt pattern(type->getPrimitiveSizeInBits(), bits, false, true);
  return type->isIntegerTy()
             ? static_cast<llvm::Constant*>(llvm::ConstantInt::get(type, pattern))
             : llvm::ConstantFP::get(type, llvm::APFloat(type->getFltSemantics(), pattern));
}

void emit_constant(EmitContext& context, InstId id) {
  const Inst& inst = context.inst(id);
  const Type& type = context.type(inst.result());
  context.set(inst.result(),
              Registers(static_cast<std::size_t>(context.register_count(inst.result())),
                        context.constant(type.element, bits_attr<"value">(inst))));
}

void emit_arange(EmitContext& context, InstId id) {
  const Inst& inst = context.inst(id);
  const Layout& layout = context.layout(inst.result());
  auto& builder = context.builder();
  llvm::Value* const start = builder.getInt32(static_cast<std::uint32_t>(int_attr<"start">(inst)));
  Registers result;
  for (int reg = 0; reg < layout.registers(); ++reg) {
    result.push_back(builder.CreateAdd(context.coordinate(layout, reg, 0), start, "", false, true));
  }
  context.set(inst.result(), std::move(result));
}

}  // namespace tilery::codegen
