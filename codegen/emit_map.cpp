// Element-wise ops: register by register, since operands and result have the same layout. What is
// done to one element is in emit_map_dispatch and the files that it calls.
#include "codegen/emit_map.h"

#include "codegen/emit.h"

namespace tilery::codegen {
namespace {

using llvm::Value;

ElementOp element_op(const Function& function, const Inst& inst) {
  ElementOp op;
  op.op = inst.op;
  op.from = function.type(inst.operands.back()).element;
  op.to = function.type(inst.result()).element;
  if (inst.op == Op::Minimum || inst.op == Op::Maximum) {
    op.propagate_nan = inst.bool_attr(attr_index(inst.op, "propagate_nan"));
  }
  if (inst.op == Op::Cast) {
    constexpr std::int64_t kTowardZero = 1;  // the row's second enumerator
    op.toward_zero = inst.int_attr(attr_index(Op::Cast, "rounding")) == kTowardZero;
  }
  return op;
}

MapEmitter map_emitter(EmitContext& context) {
  return {context.builder(), context.gpu().target, context.fast_math()};
}

void emit_map(EmitContext& context, InstId id) {
  const Inst& inst = context.inst(id);
  if (inst.op == Op::Div && context.type(inst.result()).element.is(Scalar::F32)) {
    context.set(inst.result(),
                emit_f32_quotients(map_emitter(context), context.registers(inst.operand(0)),
                                   context.registers(inst.operand(1))));
    return;
  }
  Registers results;
  std::vector<Value*> operands(inst.operands.size());
  const std::size_t count = context.registers(inst.operands.front()).size();
  for (std::size_t reg = 0; reg < count; ++reg) {
    for (std::size_t i = 0; i < operands.size(); ++i) {
      operands[i] = context.registers(inst.operands[i])[reg];
    }
    results.push_back(emit_map_element(context, inst, operands));
  }
  context.set(inst.result(), std::move(results));
}

}  // namespace

Value* emit_map_element(EmitContext& context, const Inst& inst,
                        std::span<llvm::Value* const> operands) {
  return emit_element(map_emitter(context), element_op(context.function(), inst), operands);
}

#define TILERY_OP(...)
#define TILERY_MAP(Name, id, signature, summary)      \
  void emit_##id(EmitContext& context, InstId inst) { \
    emit_map(context, inst);                          \
  }
#include "ir/ops.def"

void emit_cast(EmitContext& context, InstId inst) {
  emit_map(context, inst);
}

void emit_bitcast(EmitContext& context, InstId inst) {
  emit_map(context, inst);
}

}  // namespace tilery::codegen
