// Element-wise ops: register by register, since operands and result have the same layout. Registers
// that hold equal elements, as the axis analysis knows, are computed once: with N a multiple of 16,
// `cols < N` is one comparison for each 8 neighbouring columns of a thread. What is done to one
// element is in emit_map_dispatch and the files that it calls.
#include "codegen/emit_map.h"

#include "codegen/analysis/axis_info.h"
#include "codegen/emit.h"
#include "ir/attributes.h"

#include <map>

namespace tilery::codegen {
namespace {

using llvm::Value;

ElementOp element_op(const Function& function, const Inst& inst) {
  ElementOp op;
  op.op = inst.op;
  op.from = function.type(inst.operands.back()).element;
  op.to = function.type(inst.result()).element;
  op.propagate_nan = propagates_nan(inst);
  op.toward_zero = rounds_toward_zero(inst);
  return op;
}

MapEmitter map_emitter(EmitContext& context) {
  return {context.builder(), context.gpu().target, context.fast_math()};
}

/// For each register of a value, the first one that holds an equal element in every thread. Runs of
/// equal elements are aligned, so registers whose part of the coordinate is in the same run are in
/// one together, whatever the thread adds.
std::vector<std::size_t> first_equals(const EmitContext& context, ValueId value) {
  const int count = context.register_count(value);
  std::vector<std::size_t> firsts;
  if (count == 1) {
    return {0};
  }
  const Layout& layout = context.layout(value);
  const std::vector<AxisFacts>& facts = context.axes().of(value).axes;
  std::map<Coordinates, std::size_t> runs;
  for (int reg = 0; reg < count; ++reg) {
    Coordinates run = layout.element(reg, 0, 0);
    for (std::size_t axis = 0; axis < facts.size(); ++axis) {
      run[axis] /= static_cast<std::int32_t>(facts[axis].constancy);
    }
    firsts.push_back(runs.try_emplace(run, reg).first->second);
  }
  return firsts;
}

/// Below this a test for many numbers costs more than it saves.
constexpr std::size_t kFewestExps = 4;

bool is_fast_exp(const EmitContext& context, const Inst& inst) {
  return (inst.op == Op::Exp || inst.op == Op::Exp2) && context.fast_math() &&
         context.type(inst.result()).element.is(Scalar::F32) &&
         context.registers(inst.operand(0)).size() >= kFewestExps;
}

/// A choice between a number and zero.
bool is_masked(const EmitContext& context, const Inst& inst) {
  return inst.op == Op::Select &&
         context.function().constant_bits(inst.operand(2)) == std::uint64_t{0};
}

/// The mask of the only use, if that replaces what is masked by zeros: the lanes past a row's end,
/// whose exponents are mostly minus infinity.
Registers masks_of_use(const EmitContext& context, ValueId value) {
  const auto uses = context.uses().of(value);
  if (uses.size() != 1 || !is_masked(context, context.inst(uses[0].user)) || uses[0].operand != 1) {
    return {};
  }
  const ValueId mask = context.inst(uses[0].user).operand(0);
  return context.is_emitted(mask) ? context.registers(mask) : Registers{};
}

void emit_exps(EmitContext& context, const Inst& inst) {
  FastExps exps = emit_fast_exps(map_emitter(context), inst.op, context.registers(inst.operand(0)),
                                 masks_of_use(context, inst.result()));
  context.set(inst.result(), std::move(exps.values));
  context.set_are_moderate(inst.result(), exps.are_moderate);
}

void emit_each(EmitContext& context, const Inst& inst) {
  Registers results;
  std::vector<Value*> operands(inst.operands.size());
  const std::vector<std::size_t> firsts = first_equals(context, inst.result());
  for (std::size_t reg = 0; reg < firsts.size(); ++reg) {
    if (firsts[reg] != reg) {
      results.push_back(results[firsts[reg]]);
      continue;
    }
    for (std::size_t i = 0; i < operands.size(); ++i) {
      operands[i] = context.registers(inst.operands[i])[reg];
    }
    results.push_back(emit_map_element(context, inst, operands));
  }
  context.set(inst.result(), std::move(results));
}

void emit_map(EmitContext& context, InstId id) {
  const Inst& inst = context.inst(id);
  if (inst.op == Op::Div && context.type(inst.result()).element.is(Scalar::F32)) {
    context.set(inst.result(),
                emit_f32_quotients(map_emitter(context), context.registers(inst.operand(0)),
                                   context.registers(inst.operand(1)),
                                   context.are_moderate(inst.operand(0))));
    return;
  }
  if (is_fast_exp(context, inst)) {
    emit_exps(context, inst);
    return;
  }
  emit_each(context, inst);
  if (is_masked(context, inst)) {
    context.set_are_moderate(inst.result(), context.are_moderate(inst.operand(1)));
  }
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
