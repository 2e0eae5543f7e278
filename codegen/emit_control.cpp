// for, while, if, yield, condition.
//
// All threads of a block take the same way: conditions are scalars, which every thread computes
// alike.
#include "codegen/emit.h"
#include "ir/analysis/loops.h"
#include "ir/operands.h"

namespace tilery::codegen {
namespace {

llvm::BasicBlock* new_block(EmitContext& context, const char* name) {
  return llvm::BasicBlock::Create(context.llvm(), name, &context.kernel());
}

/// Gives each value φs at the start of `block`, one a register.
void open_phis(EmitContext& context, llvm::BasicBlock* block, std::span<const ValueId> values,
               unsigned incoming) {
  llvm::IRBuilder<> builder(block, block->begin());
  for (const ValueId value : values) {
    llvm::Type* const type = context.register_type(value);
    Registers phis;
    for (int reg = 0; reg < context.register_count(value); ++reg) {
      phis.push_back(builder.CreatePHI(type, incoming));
    }
    context.set(value, std::move(phis));
  }
}

/// What `values` get when control comes from `block`.
void add_incoming(EmitContext& context, std::span<const ValueId> values,
                  const std::vector<Registers>& from, llvm::BasicBlock* block) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Registers phis = context.registers(values[i]);
    for (std::size_t reg = 0; reg < phis.size(); ++reg) {
      llvm::cast<llvm::PHINode>(phis[reg])->addIncoming(from[i][reg], block);
    }
  }
}

std::vector<Registers> registers_of(EmitContext& context, std::span<const ValueId> values) {
  std::vector<Registers> all;
  for (const ValueId value : values) {
    all.push_back(context.registers(value));
  }
  return all;
}

struct Bounds {
  llvm::Value* lower = nullptr;
  llvm::Value* step = nullptr;
  llvm::Value* trips = nullptr;  ///< unsigned, as wide as the bounds
};

/// Distances and trip counts fit the bounds' type as unsigned numbers, so nothing here overflows. A
/// step of 0 runs nothing.
Bounds bounds_of(EmitContext& context, const Inst& inst) {
  auto& builder = context.builder();
  llvm::Value* const lower = context.scalar(operand<"lower">(inst));
  llvm::Value* const upper = context.scalar(operand<"upper">(inst));
  llvm::Value* const step = context.scalar(operand<"step">(inst));
  const bool is_signed = is_signed_integer(context.type(operand<"lower">(inst)).element.scalar);
  llvm::Type* const type = lower->getType();
  llvm::Value* const zero = llvm::ConstantInt::get(type, 0);
  llvm::Value* const one = llvm::ConstantInt::get(type, 1);
  llvm::Value* const goes_up =
      is_signed ? builder.CreateICmpSGT(step, zero) : builder.CreateIsNotNull(step);
  llvm::Value* const up_runs =
      is_signed ? builder.CreateICmpSLT(lower, upper) : builder.CreateICmpULT(lower, upper);
  llvm::Value* const down_runs =
      is_signed ? builder.CreateICmpSGT(lower, upper) : builder.getFalse();
  llvm::Value* const distance = builder.CreateSelect(goes_up, builder.CreateSub(upper, lower),
                                                     builder.CreateSub(lower, upper));
  llvm::Value* const stride = builder.CreateSelect(goes_up, step, builder.CreateNeg(step));
  llvm::Value* const safe_stride =
      builder.CreateBinaryIntrinsic(llvm::Intrinsic::umax, stride, one);
  llvm::Value* const runs = builder.CreateAnd(builder.CreateSelect(goes_up, up_runs, down_runs),
                                              builder.CreateIsNotNull(step));
  llvm::Value* const trips =
      builder.CreateAdd(builder.CreateUDiv(builder.CreateSub(distance, one), safe_stride), one);
  return {lower, step, builder.CreateSelect(runs, trips, zero)};
}

}  // namespace

void emit_for(EmitContext& context, InstId id) {
  const Inst& inst = context.inst(id);
  const RegionId body = inst.regions[0];
  const std::vector<ValueId> results = inst.results();
  const std::span<const ValueId> arguments = carried_args(context.function(), body);
  const bool exits = has_exit(inst);
  auto& builder = context.builder();

  const Bounds bounds = bounds_of(context, inst);
  const std::vector<Registers> init = registers_of(context, initial_values(inst));
  llvm::Value* enters = builder.CreateIsNotNull(bounds.trips);
  if (exits) {
    enters = builder.CreateAnd(enters, builder.CreateNot(init[0][0]));
  }
  llvm::BasicBlock* const before = builder.GetInsertBlock();
  llvm::BasicBlock* const loop = new_block(context, "loop");
  llvm::BasicBlock* const after = new_block(context, "after_loop");
  builder.CreateCondBr(enters, loop, after);

  builder.SetInsertPoint(loop);
  llvm::PHINode* const index = builder.CreatePHI(bounds.lower->getType(), 2);
  llvm::PHINode* const remaining = builder.CreatePHI(bounds.trips->getType(), 2);
  open_phis(context, loop, arguments, 2);
  add_incoming(context, arguments, init, before);
  context.set(counter_arg(context.function(), inst), {index});
  context.emit_region(body);

  const std::vector<Registers> next =
      registers_of(context, passed_values(context.function(), body));
  llvm::BasicBlock* const latch = builder.GetInsertBlock();
  llvm::Value* const one = llvm::ConstantInt::get(remaining->getType(), 1);
  llvm::Value* const left = builder.CreateSub(remaining, one);
  llvm::Value* goes_on = builder.CreateIsNotNull(left);
  if (exits) {
    goes_on = builder.CreateAnd(goes_on, builder.CreateNot(next[0][0]));
  }
  index->addIncoming(bounds.lower, before);
  index->addIncoming(builder.CreateAdd(index, bounds.step), latch);
  remaining->addIncoming(bounds.trips, before);
  remaining->addIncoming(left, latch);
  add_incoming(context, arguments, next, latch);
  builder.CreateCondBr(goes_on, loop, after);

  open_phis(context, after, results, 2);
  add_incoming(context, results, init, before);
  add_incoming(context, results, next, latch);
  builder.SetInsertPoint(after);
}

void emit_while(EmitContext& context, InstId id) {
  const Inst& inst = context.inst(id);
  const Region& condition = context.function().region(inst.regions[0]);
  const Region& body = context.function().region(inst.regions[1]);
  const std::vector<ValueId> results = inst.results();
  auto& builder = context.builder();

  const std::vector<Registers> init = registers_of(context, initial_values(inst));
  llvm::BasicBlock* const before = builder.GetInsertBlock();
  llvm::BasicBlock* const test = new_block(context, "test");
  llvm::BasicBlock* const loop = new_block(context, "loop");
  llvm::BasicBlock* const after = new_block(context, "after_loop");
  builder.CreateBr(test);

  builder.SetInsertPoint(test);
  open_phis(context, test, condition.args, 2);
  add_incoming(context, condition.args, init, before);
  context.emit_region(inst.regions[0]);
  const Inst& decision = context.function().terminator(inst.regions[0]);
  const std::vector<Registers> passed =
      registers_of(context, passed_values(context.function(), inst.regions[0]));
  builder.CreateCondBr(context.scalar(operand<"go">(decision)), loop, after);

  builder.SetInsertPoint(loop);
  for (std::size_t i = 0; i < passed.size(); ++i) {
    context.set(body.args[i], passed[i]);
    context.set(results[i], passed[i]);
  }
  context.emit_region(inst.regions[1]);
  const std::vector<Registers> next =
      registers_of(context, passed_values(context.function(), inst.regions[1]));
  add_incoming(context, condition.args, next, builder.GetInsertBlock());
  builder.CreateBr(test);
  builder.SetInsertPoint(after);
}

void emit_if(EmitContext& context, InstId id) {
  const Inst& inst = context.inst(id);
  const std::vector<ValueId> results = inst.results();
  auto& builder = context.builder();
  const std::array<llvm::BasicBlock*, 2> sides{new_block(context, "then"),
                                               new_block(context, "else")};
  llvm::BasicBlock* const join = new_block(context, "join");
  builder.CreateCondBr(context.scalar(operand<"condition">(inst)), sides[0], sides[1]);
  std::array<std::vector<Registers>, 2> yielded;
  std::array<llvm::BasicBlock*, 2> ends{};
  for (std::size_t side = 0; side < 2; ++side) {
    builder.SetInsertPoint(sides[side]);
    context.emit_region(inst.regions[side]);
    yielded[side] = registers_of(context, passed_values(context.function(), inst.regions[side]));
    ends[side] = builder.GetInsertBlock();
    builder.CreateBr(join);
  }
  open_phis(context, join, results, 2);
  for (std::size_t side = 0; side < 2; ++side) {
    add_incoming(context, results, yielded[side], ends[side]);
  }
  builder.SetInsertPoint(join);
}

// Terminators are read by the instruction that owns their region.
void emit_yield(EmitContext& context, InstId id) {
  (void)context;
  (void)id;
}

void emit_condition(EmitContext& context, InstId id) {
  (void)context;
  (void)id;
}

}  // namespace tilery::codegen
