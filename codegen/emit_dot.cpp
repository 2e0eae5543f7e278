// dot: on tensor cores through mma.sync (emit_mma.cpp), or as a chain of fma over k; dot_plan.h
// decides.
//
// The chain goes through shared memory: both operands are stored whole, and each thread reads the
// rows of a and the columns of b that its results need, step by step along k.
#include "codegen/emit_dot.h"

#include "codegen/emit_map.h"
#include "ir/input_precision.h"
#include "ir/operands.h"

#include <llvm/IR/IntrinsicsNVPTX.h>

#include <map>

namespace tilery::codegen {

ElementType sum_type(const Dot& dot) {
  const Scalar scalar = dot.acc.element.scalar;
  return scalar == Scalar::F16 || scalar == Scalar::BF16 ? ElementType(Scalar::F32)
                                                         : dot.acc.element;
}

llvm::Value* cast_value(EmitContext& context, llvm::Value* value, ElementType from,
                        ElementType to) {
  if (from == to) {
    return value;
  }
  const MapEmitter emitter{context.builder(), context.gpu().target};
  return emit_cast_element(emitter, from.scalar, to.scalar, value);
}

Registers cast_all(EmitContext& context, const Registers& values, ElementType from,
                   ElementType to) {
  if (from == to) {
    return values;
  }
  Registers result;
  for (llvm::Value* value : values) {
    result.push_back(cast_value(context, value, from, to));
  }
  return result;
}

llvm::Value* to_tf32(EmitContext& context, llvm::Value* value) {
  auto& builder = context.builder();
  return builder.CreateIntrinsic(builder.getInt32Ty(), llvm::Intrinsic::nvvm_f2tf32_rna, {value});
}

namespace {

Dot dot_of(EmitContext& context, InstId id) {
  const Inst& inst = context.inst(id);
  const Type& a = context.type(operand<"a">(inst));
  return {inst,
          a,
          context.type(operand<"b">(inst)),
          context.type(operand<"acc">(inst)),
          plan_dot(context.function(), inst, context.gpu().target),
          a.shape.rank()};
}

bool is_tf32(const Dot& dot) {
  return dot.a.element.is(Scalar::F32) && input_precision(dot.inst) == InputPrecision::Tf32;
}

struct ChainExtents {
  std::uint32_t m = 0;
  std::uint32_t n = 0;
  std::uint32_t k = 0;
};

ChainExtents extents_of(const Dot& dot) {
  const auto extent = [&](const Type& type, int from_last) {
    return static_cast<std::uint32_t>(type.shape[dot.rank - from_last]);
  };
  return {extent(dot.a, 2), extent(dot.b, 1), extent(dot.a, 1)};
}

/// Where b begins in the dot's shared memory, in bytes.
std::uint32_t offset_of_b(EmitContext& context, const Dot& dot) {
  return dot_scratch(context.function(), dot.inst, context.gpu().target).b_offset;
}

/// i32: row-major number of the element in a register, over the batch axes and these two.
llvm::Value* batch_number(EmitContext& context, const Layout& layout, int reg, int rank) {
  auto& builder = context.builder();
  llvm::Value* number = builder.getInt32(0);
  for (int axis = 0; axis < rank - 2; ++axis) {
    number = builder.CreateMul(number,
                               builder.getInt32(static_cast<std::uint32_t>(layout.shape()[axis])));
    number = builder.CreateAdd(number, context.coordinate(layout, reg, axis));
  }
  return number;
}

/// Writes all elements of a tile row-major to shared memory, as the type that the chain multiplies.
void stage(EmitContext& context, InstId id, ValueId value, std::uint32_t offset) {
  auto& builder = context.builder();
  const Layout& layout = context.layout(value);
  const Type& type = context.type(value);
  const int rank = type.shape.rank();
  const Registers registers = context.registers(value);
  for (int reg = 0; reg < layout.registers(); ++reg) {
    llvm::Value* number = batch_number(context, layout, reg, rank);
    for (int axis = rank - 2; axis < rank; ++axis) {
      number =
          builder.CreateMul(number, builder.getInt32(static_cast<std::uint32_t>(type.shape[axis])));
      number = builder.CreateAdd(number, context.coordinate(layout, reg, axis));
    }
    llvm::Value* const cell = registers[static_cast<std::size_t>(reg)];
    llvm::Value* const start = context.shared_pointer(id, builder.getInt32(offset));
    builder.CreateAlignedStore(cell, builder.CreateGEP(cell->getType(), start, number),
                               llvm::Align(static_cast<std::uint64_t>(type.element.byte_size())));
  }
}

/// One factor as the chain multiplies it.
llvm::Value* load_factor(EmitContext& context, const Dot& dot, const Type& type, llvm::Value* start,
                         llvm::Value* number) {
  auto& builder = context.builder();
  llvm::Type* const cell = context.llvm_type(type.element);
  llvm::Value* value =
      builder.CreateAlignedLoad(cell, builder.CreateGEP(cell, start, number),
                                llvm::Align(static_cast<std::uint64_t>(type.element.byte_size())));
  if (is_tf32(dot)) {
    return builder.CreateBitCast(to_tf32(context, value), cell);
  }
  return cast_value(context, value, type.element, sum_type(dot));
}

llvm::Value* multiply_add(EmitContext& context, llvm::Value* a, llvm::Value* b, llvm::Value* sum) {
  auto& builder = context.builder();
  if (sum->getType()->isIntegerTy()) {
    return builder.CreateAdd(builder.CreateMul(a, b), sum);
  }
  return builder.CreateIntrinsic(sum->getType(), llvm::Intrinsic::fma, {a, b, sum});
}

/// Rows of a (or columns of b) that a thread's results need, each loaded once a step of k.
class Factors {
 public:
  /// `number` of the element at k = 0, and what k adds to it.
  void add(llvm::Value* number, std::int64_t key) { numbers_.try_emplace(key, number); }

  void load(EmitContext& context, const Dot& dot, const Type& type, llvm::Value* start,
            llvm::Value* k_offset) {
    loaded_.clear();
    for (const auto& [key, number] : numbers_) {
      loaded_[key] =
          load_factor(context, dot, type, start, context.builder().CreateAdd(number, k_offset));
    }
  }

  llvm::Value* at(std::int64_t key) const { return loaded_.at(key); }

 private:
  std::map<std::int64_t, llvm::Value*> numbers_;
  std::map<std::int64_t, llvm::Value*> loaded_;
};

/// Which rows of a and columns of b a thread's results are made of.
struct ChainFactors {
  Factors rows;
  Factors columns;
  /// The keys of a register's row and column.
  std::vector<std::pair<std::int64_t, std::int64_t>> keys;
};

ChainFactors chain_factors(EmitContext& context, const Dot& dot) {
  auto& builder = context.builder();
  const Layout& layout = context.layout(dot.inst.result());
  const ChainExtents extents = extents_of(dot);
  ChainFactors factors;
  for (int reg = 0; reg < layout.registers(); ++reg) {
    const Coordinates at = layout.element(reg, 0, 0);
    llvm::Value* const batch = batch_number(context, layout, reg, dot.rank);
    llvm::Value* const m = context.coordinate(layout, reg, dot.rank - 2);
    llvm::Value* const n = context.coordinate(layout, reg, dot.rank - 1);
    std::int64_t batch_key = 0;
    for (int axis = 0; axis < dot.rank - 2; ++axis) {
      batch_key = batch_key * dot.a.shape[axis] + at[axis];
    }
    const std::int64_t row_key = batch_key * extents.m + at[dot.rank - 2];
    const std::int64_t column_key = batch_key * extents.n + at[dot.rank - 1];
    llvm::Value* const row =
        builder.CreateAdd(builder.CreateMul(batch, builder.getInt32(extents.m)), m);
    factors.rows.add(builder.CreateMul(row, builder.getInt32(extents.k)), row_key);
    factors.columns.add(
        builder.CreateAdd(builder.CreateMul(batch, builder.getInt32(extents.k * extents.n)), n),
        column_key);
    factors.keys.emplace_back(row_key, column_key);
  }
  return factors;
}

/// The sums after one more step of k.
Registers chain_step(EmitContext& context, InstId id, const Dot& dot, ChainFactors& factors,
                     llvm::Value* k, const std::vector<llvm::PHINode*>& sums) {
  auto& builder = context.builder();
  llvm::Value* const columns_offset = builder.CreateMul(k, builder.getInt32(extents_of(dot).n));
  factors.rows.load(context, dot, dot.a, context.shared_pointer(id), k);
  factors.columns.load(context, dot, dot.b,
                       context.shared_pointer(id, builder.getInt32(offset_of_b(context, dot))),
                       columns_offset);
  Registers next;
  for (std::size_t reg = 0; reg < sums.size(); ++reg) {
    const auto& [row, column] = factors.keys[reg];
    next.push_back(
        multiply_add(context, factors.rows.at(row), factors.columns.at(column), sums[reg]));
  }
  return next;
}

void emit_chain(EmitContext& context, InstId id, const Dot& dot) {
  auto& builder = context.builder();
  stage(context, id, operand<"a">(dot.inst), 0);
  stage(context, id, operand<"b">(dot.inst), offset_of_b(context, dot));
  context.barrier();
  ChainFactors factors = chain_factors(context, dot);
  const Registers init = cast_all(context, context.registers(operand<"acc">(dot.inst)),
                                  dot.acc.element, sum_type(dot));
  llvm::BasicBlock* const before = builder.GetInsertBlock();
  llvm::BasicBlock* const loop =
      llvm::BasicBlock::Create(context.llvm(), "chain", &context.kernel());
  llvm::BasicBlock* const after =
      llvm::BasicBlock::Create(context.llvm(), "after_chain", &context.kernel());
  builder.CreateBr(loop);
  builder.SetInsertPoint(loop);
  llvm::PHINode* const k = builder.CreatePHI(builder.getInt32Ty(), 2);
  std::vector<llvm::PHINode*> sums;
  for (llvm::Value* value : init) {
    sums.push_back(builder.CreatePHI(value->getType(), 2));
    sums.back()->addIncoming(value, before);
  }
  const Registers next = chain_step(context, id, dot, factors, k, sums);
  llvm::BasicBlock* const latch = builder.GetInsertBlock();
  for (std::size_t reg = 0; reg < sums.size(); ++reg) {
    sums[reg]->addIncoming(next[reg], latch);
  }
  llvm::Value* const k_next = builder.CreateAdd(k, builder.getInt32(1), "", true, true);
  k->addIncoming(builder.getInt32(0), before);
  k->addIncoming(k_next, latch);
  builder.CreateCondBr(builder.CreateICmpULT(k_next, builder.getInt32(extents_of(dot).k)), loop,
                       after);
  builder.SetInsertPoint(after);
  context.set(dot.inst.result(), cast_all(context, next, sum_type(dot), dot.acc.element));
}

}  // namespace

void emit_dot(EmitContext& context, InstId id) {
  const Dot dot = dot_of(context, id);
  if (dot.plan.path == DotPath::TensorCore) {
    emit_mma(context, dot);
  } else {
    emit_chain(context, id, dot);
  }
}

}  // namespace tilery::codegen
