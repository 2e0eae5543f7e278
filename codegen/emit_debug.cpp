// multiple_of and its like, assume, device_print, device_assert.
#include "codegen/emit.h"
#include "ir/attributes.h"
#include "ir/operands.h"

#include <fmt/format.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

#include <array>

namespace tilery::codegen {
namespace {

void pass_on(EmitContext& context, InstId id) {
  const Inst& inst = context.inst(id);
  context.set(inst.result(), context.registers(inst.operand(0)));
}

/// A generic pointer to a text.
llvm::Value* text_pointer(EmitContext& context, const std::string& text) {
  auto& module = context.module();
  auto* const constant = llvm::ConstantDataArray::getString(context.llvm(), text);
  auto* const global =
      new llvm::GlobalVariable(module, constant->getType(), true, llvm::GlobalValue::PrivateLinkage,
                               constant, "text", nullptr, llvm::GlobalValue::NotThreadLocal, 4);
  return context.builder().CreateAddrSpaceCast(global, context.builder().getPtrTy());
}

/// printf's conversion for an element, and the value widened as C's varargs are.
struct Printed {
  std::string conversion;
  llvm::Value* value = nullptr;
};

Printed printed(EmitContext& context, llvm::Value* value, ElementType element, bool hex) {
  auto& builder = context.builder();
  if (element.is_pointer()) {
    return {"0x%llx", builder.CreatePtrToInt(value, builder.getInt64Ty())};
  }
  const bool is_wide = bit_width(element.scalar) == 64;
  llvm::Type* const integer = is_wide ? builder.getInt64Ty() : builder.getInt32Ty();
  if (hex) {
    llvm::Value* bits = builder.CreateBitCast(
        value, builder.getIntNTy(static_cast<unsigned>(bit_width(element.scalar))));
    const int digits = 2 * element.byte_size();
    return {fmt::format("0x%0{}{}x", digits, is_wide ? "ll" : ""),
            builder.CreateZExt(bits, integer)};
  }
  if (value->getType()->isFloatingPointTy()) {
    return {"%g", builder.CreateFPExt(value, builder.getDoubleTy())};
  }
  const bool is_signed = is_signed_integer(element.scalar);
  return {is_wide ? (is_signed ? "%lld" : "%llu") : (is_signed ? "%d" : "%u"),
          builder.CreateIntCast(value, integer, is_signed)};
}

void call_vprintf(EmitContext& context, const std::string& format,
                  std::span<llvm::Value* const> arguments) {
  auto& builder = context.builder();
  std::vector<llvm::Type*> types;
  for (llvm::Value* argument : arguments) {
    types.push_back(argument->getType());
  }
  auto* const pack_type = llvm::StructType::get(context.llvm(), types);
  auto entry = context.prologue();
  llvm::Value* const pack = entry.CreateAlloca(pack_type);
  for (unsigned i = 0; i < arguments.size(); ++i) {
    builder.CreateStore(arguments[i], builder.CreateStructGEP(pack_type, pack, i));
  }
  auto* const type = llvm::FunctionType::get(builder.getInt32Ty(),
                                             {builder.getPtrTy(), builder.getPtrTy()}, false);
  builder.CreateCall(
      context.module().getOrInsertFunction("vprintf", type),
      {text_pointer(context, format), builder.CreateAddrSpaceCast(pack, builder.getPtrTy())});
}

/// Emits `then` in a block of its own that runs only where the condition holds in this thread.
template <class Then>
void emit_where(EmitContext& context, llvm::Value* condition, Then&& then) {
  auto& builder = context.builder();
  auto* const taken = llvm::BasicBlock::Create(context.llvm(), "taken", &context.kernel());
  auto* const after = llvm::BasicBlock::Create(context.llvm(), "after", &context.kernel());
  builder.CreateCondBr(condition, taken, after);
  builder.SetInsertPoint(taken);
  then();
  builder.CreateBr(after);
  builder.SetInsertPoint(after);
}

llvm::Value* program_id(EmitContext& context, int axis) {
  constexpr std::array kRegisters{llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_x,
                                  llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_y,
                                  llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_z};
  auto& builder = context.builder();
  return builder.CreateIntrinsic(builder.getInt32Ty(), kRegisters[static_cast<std::size_t>(axis)],
                                 {});
}

/// One line an element: "pid (0, 0, 0) idx (3) x: 1.5".
void print_element(EmitContext& context, const Inst& inst, std::size_t operand, int reg) {
  const ValueId value = inst.operands[operand];
  const Type& type = context.type(value);
  std::string format = "pid (%d, %d, %d) ";
  std::vector<llvm::Value*> arguments{program_id(context, 0), program_id(context, 1),
                                      program_id(context, 2)};
  if (!type.is_scalar()) {
    format += "idx (";
    for (int axis = 0; axis < type.shape.rank(); ++axis) {
      format += axis == 0 ? "%d" : ", %d";
      arguments.push_back(context.coordinate(context.layout(value), reg, axis));
    }
    format += ") ";
  }
  const Printed element = printed(context, context.registers(value)[static_cast<std::size_t>(reg)],
                                  type.element, bool_attr<"hex">(inst));
  format += string_attr<"prefix">(inst);
  format += inst.operands.size() > 1 ? fmt::format("(operand {}) ", operand) : "";
  arguments.push_back(element.value);
  call_vprintf(context, format + element.conversion + "\n", arguments);
}

/// The driver prints "FILE:LINE: FUNCTION: block: [x,y,z], thread: [x,y,z] Assertion `TEXT`
/// failed."
void call_assertfail(EmitContext& context, const Inst& inst) {
  auto& builder = context.builder();
  const llvm::DebugLoc place = builder.getCurrentDebugLocation();
  const std::string file =
      place ? place->getFilename().str() : context.function().name + " (no line information)";
  auto* const type =
      llvm::FunctionType::get(builder.getVoidTy(),
                              {builder.getPtrTy(), builder.getPtrTy(), builder.getInt32Ty(),
                               builder.getPtrTy(), builder.getInt64Ty()},
                              false);
  builder.CreateCall(context.module().getOrInsertFunction("__assertfail", type),
                     {text_pointer(context, string_attr<"message">(inst)),
                      text_pointer(context, file), builder.getInt32(place ? place.getLine() : 0),
                      text_pointer(context, context.function().name), builder.getInt64(1)});
}

}  // namespace

void emit_multiple_of(EmitContext& context, InstId id) {
  pass_on(context, id);
}

void emit_max_contiguous(EmitContext& context, InstId id) {
  pass_on(context, id);
}

void emit_max_constancy(EmitContext& context, InstId id) {
  pass_on(context, id);
}

// A promise: axis analysis and the interpreter use it.
void emit_assume(EmitContext& context, InstId id) {
  (void)context;
  (void)id;
}

void emit_device_print(EmitContext& context, InstId id) {
  const Inst& inst = context.inst(id);
  for (std::size_t operand = 0; operand < inst.operands.size(); ++operand) {
    const ValueId value = inst.operands[operand];
    const auto print_all = [&] {
      for (int reg = 0; reg < context.register_count(value); ++reg) {
        print_element(context, inst, operand, reg);
      }
    };
    llvm::Value* const owner = context.owner_predicate(context.layout(value));
    if (owner == nullptr) {
      print_all();
    } else {
      emit_where(context, owner, print_all);
    }
  }
}

void emit_device_assert(EmitContext& context, InstId id) {
  if (!context.gpu().options.debug) {
    return;
  }
  const Inst& inst = context.inst(id);
  auto& builder = context.builder();
  const Registers conditions = context.registers(operand<"condition">(inst));
  const ValueId mask = operand<"mask">(inst);
  llvm::Value* fails = builder.getFalse();
  for (std::size_t reg = 0; reg < conditions.size(); ++reg) {
    llvm::Value* failure = builder.CreateNot(conditions[reg]);
    if (mask) {
      failure = builder.CreateAnd(failure, context.registers(mask)[reg]);
    }
    fails = builder.CreateOr(fails, failure);
  }
  emit_where(context, fails, [&] { call_assertfail(context, inst); });
}

}  // namespace tilery::codegen
