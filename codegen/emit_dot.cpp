// dot: on tensor cores through mma.sync, or as a chain of fma over k (dot_plan.h decides).
//
// mma.sync.m16n8kK: a warp multiplies 16 × K by K × 8. The layouts of a, b and acc are those of the
// instruction's operands, so a thread finds every operand in its own registers; which ones follows
// from the elements that thread 0 holds.
#include "codegen/dot_plan.h"
#include "codegen/emit.h"
#include "codegen/emit_map.h"
#include "codegen/emit_ring.h"
#include "ir/support/check.h"

#include <fmt/format.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

#include <array>
#include <map>
#include <optional>

namespace tilery::codegen {
namespace {

/// The operands and types of one dot. The last two axes are the matrices'; those before them count
/// batches.
struct Dot {
  const Inst& inst;
  Type a;
  Type b;
  Type acc;
  DotPlan plan;
  int rank = 2;
};

Dot dot_of(EmitContext& context, InstId id) {
  const Inst& inst = context.inst(id);
  const Type& a = context.type(inst.operand(0));
  return {inst,
          a,
          context.type(inst.operand(1)),
          context.type(inst.operand(2)),
          plan_dot(context.function(), inst),
          a.shape.rank()};
}

/// Row-major number of an element of a batch's matrix.
std::int64_t element_number(const Shape& shape, const Coordinates& batch, std::int64_t row,
                            std::int64_t column) {
  std::int64_t number = 0;
  const int rank = shape.rank();
  for (int axis = 0; axis < rank - 2; ++axis) {
    number = number * shape[axis] + batch[axis];
  }
  return (number * shape[rank - 2] + row) * shape[rank - 1] + column;
}

bool is_tf32(const Dot& dot) {
  constexpr std::int64_t kTf32 = 0;
  return dot.a.element.is(Scalar::F32) &&
         dot.inst.int_attr(attr_index(Op::Dot, "precision")) == kTf32;
}

/// The type that sums run in: floats of up to 32 bits in fp32, rounded to the accumulator's type at
/// the end.
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

// ---- tensor cores
// --------------------------------------------------------------------------------------------------

/// The type in which the instruction takes operands: fp8 goes as fp16, which holds all of it.
ElementType operand_type(const Type& type) {
  return is_fp8(type.element.scalar) ? ElementType(Scalar::F16) : type.element;
}

std::string_view ptx_operand(ElementType element) {
  switch (element.scalar) {
    case Scalar::F16:
      return "f16";
    case Scalar::BF16:
      return "bf16";
    case Scalar::I8:
      return "s8";
    case Scalar::U8:
      return "u8";
    default:
      return "tf32";
  }
}

/// Rounds an fp32 to tf32, to nearest, ties away, and gives the bits.
llvm::Value* to_tf32(EmitContext& context, llvm::Value* value) {
  auto& builder = context.builder();
  return builder.CreateIntrinsic(builder.getInt32Ty(), llvm::Intrinsic::nvvm_f2tf32_rna, {value});
}

/// Consecutive k elements of an operand in one 32-bit register.
llvm::Value* pack_operand(EmitContext& context, std::span<llvm::Value* const> values) {
  auto& builder = context.builder();
  if (values.size() == 1) {
    return to_tf32(context, values[0]);
  }
  llvm::Value* vector = llvm::PoisonValue::get(
      llvm::FixedVectorType::get(values[0]->getType(), static_cast<unsigned>(values.size())));
  for (std::size_t i = 0; i < values.size(); ++i) {
    vector = builder.CreateInsertElement(vector, values[i], i);
  }
  return builder.CreateBitCast(vector, builder.getInt32Ty());
}

/// An operand of the instructions: 32-bit registers by the element that they start with.
class Fragments {
 public:
  Fragments(EmitContext& context, ValueId value, const Type& type, int per_register)
      : context_(context),
        layout_(context.layout(value)),
        shape_(type.shape),
        per_register_(per_register) {
    if (const InstId read = deferred_read(context, value)) {
      reader_.emplace(context, read);
    } else {
      values_ = cast_all(context, context.registers(value), type.element, operand_type(type));
    }
  }

  /// The register that holds `per_register` elements from (row, column) on, along the axis of k
  /// (which may be rows).
  llvm::Value* at(const Coordinates& batch, std::int64_t row, std::int64_t column, bool k_is_row) {
    const std::int64_t first = element_number(shape_, batch, row, column);
    llvm::Value*& packed = packed_[first];
    if (packed == nullptr) {
      std::vector<llvm::Value*> elements;
      for (int i = 0; i < per_register_; ++i) {
        const std::int64_t number =
            element_number(shape_, batch, row + (k_is_row ? i : 0), column + (k_is_row ? 0 : i));
        const auto reg = layout_.register_of(number);
        TILERY_CHECK(reg.has_value(), "an operand of mma lies in the instruction's layout");
        elements.push_back(reader_ ? reader_->at(*reg) : values_[static_cast<std::size_t>(*reg)]);
      }
      packed = pack_operand(context_, elements);
    }
    return packed;
  }

 private:
  EmitContext& context_;
  const Layout& layout_;
  const Shape& shape_;
  int per_register_;
  Registers values_;
  /// An operand in a ring is loaded as the product goes through k.
  std::optional<RingReader> reader_;
  std::map<std::int64_t, llvm::Value*> packed_;
};

llvm::FunctionCallee mma_instruction(EmitContext& context, const Dot& dot, llvm::Type* sum) {
  auto& builder = context.builder();
  const bool is_float = sum->isFloatTy();
  const std::string_view operands = ptx_operand(operand_type(dot.a));
  const std::string_view sums = is_float ? "f32" : "s32";
  const std::string text = fmt::format(
      "mma.sync.aligned.m16n8k{}.row.col.{}.{}.{}.{} {{$0, $1, $2, $3}}, {{$4, $5, $6, $7}}, {{$8, "
      "$9}}, "
      "{{$10, $11, $12, $13}};",
      dot.plan.k_step, sums, operands, ptx_operand(operand_type(dot.b)), sums);
  const char* const constraints =
      is_float ? "=f,=f,=f,=f,r,r,r,r,r,r,0,1,2,3" : "=r,=r,=r,=r,r,r,r,r,r,r,0,1,2,3";
  llvm::Type* const word = builder.getInt32Ty();
  auto* const type =
      llvm::FunctionType::get(llvm::StructType::get(sum, sum, sum, sum),
                              {word, word, word, word, word, word, sum, sum, sum, sum}, false);
  return {type, llvm::InlineAsm::get(type, text, constraints, false)};
}

void emit_mma(EmitContext& context, const Dot& dot) {
  auto& builder = context.builder();
  const int per_register = 32 / dot.plan.element_bits;
  const Layout& layout = context.layout(dot.inst.result());
  Fragments a(context, dot.inst.operand(0), dot.a, per_register);
  Fragments b(context, dot.inst.operand(1), dot.b, per_register);
  Registers sums =
      cast_all(context, context.registers(dot.inst.operand(2)), dot.acc.element, sum_type(dot));
  const llvm::FunctionCallee mma = mma_instruction(context, dot, sums[0]->getType());
  const std::int64_t extent_k = dot.a.shape[dot.rank - 1];
  const int half_k = dot.plan.k_step / 2;
  for (std::int64_t k = 0; k < extent_k; k += dot.plan.k_step) {
    for (int reg = 0; reg < layout.registers(); ++reg) {
      const Coordinates at = layout.element(reg, 0, 0);
      const std::int64_t m = at[dot.rank - 2];
      const std::int64_t n = at[dot.rank - 1];
      if (m % 16 != 0 || n % 8 != 0) {
        continue;
      }
      std::array<std::size_t, 4> places{};
      for (std::size_t i = 0; i < 4; ++i) {
        const std::int64_t number = element_number(dot.acc.shape, at, m + (i >= 2 ? 8 : 0),
                                                   n + static_cast<std::int64_t>(i % 2));
        places[i] = static_cast<std::size_t>(*layout.register_of(number));
      }
      auto* const call = builder.CreateCall(
          mma,
          {a.at(at, m, k, false), a.at(at, m + 8, k, false), a.at(at, m, k + half_k, false),
           a.at(at, m + 8, k + half_k, false), b.at(at, k, n, true), b.at(at, k + half_k, n, true),
           sums[places[0]], sums[places[1]], sums[places[2]], sums[places[3]]});
      call->setConvergent();
      for (std::size_t i = 0; i < 4; ++i) {
        sums[places[i]] = builder.CreateExtractValue(call, static_cast<unsigned>(i));
      }
    }
  }
  context.set(dot.inst.result(), cast_all(context, sums, sum_type(dot), dot.acc.element));
}

// ---- the chain
// -----------------------------------------------------------------------------------------------------

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

void emit_chain(EmitContext& context, InstId id, const Dot& dot) {
  auto& builder = context.builder();
  const Layout& layout = context.layout(dot.inst.result());
  const auto extent_n = static_cast<std::uint32_t>(dot.b.shape[dot.rank - 1]);
  const auto extent_k = static_cast<std::uint32_t>(dot.a.shape[dot.rank - 1]);
  const auto extent_m = static_cast<std::uint32_t>(dot.a.shape[dot.rank - 2]);
  const std::uint32_t a_bytes =
      static_cast<std::uint32_t>(dot.a.numel() * dot.a.element.byte_size());
  const std::uint32_t b_offset = (a_bytes + 15) / 16 * 16;
  stage(context, id, dot.inst.operand(0), 0);
  stage(context, id, dot.inst.operand(1), b_offset);
  context.barrier();

  Factors rows;
  Factors columns;
  std::vector<std::pair<std::int64_t, std::int64_t>> keys;
  for (int reg = 0; reg < layout.registers(); ++reg) {
    const Coordinates at = layout.element(reg, 0, 0);
    llvm::Value* const batch = batch_number(context, layout, reg, dot.rank);
    llvm::Value* const m = context.coordinate(layout, reg, dot.rank - 2);
    llvm::Value* const n = context.coordinate(layout, reg, dot.rank - 1);
    std::int64_t batch_key = 0;
    for (int axis = 0; axis < dot.rank - 2; ++axis) {
      batch_key = batch_key * dot.a.shape[axis] + at[axis];
    }
    const std::int64_t row_key = batch_key * extent_m + at[dot.rank - 2];
    const std::int64_t column_key = batch_key * extent_n + at[dot.rank - 1];
    llvm::Value* const row =
        builder.CreateAdd(builder.CreateMul(batch, builder.getInt32(extent_m)), m);
    rows.add(builder.CreateMul(row, builder.getInt32(extent_k)), row_key);
    columns.add(
        builder.CreateAdd(builder.CreateMul(batch, builder.getInt32(extent_k * extent_n)), n),
        column_key);
    keys.emplace_back(row_key, column_key);
  }

  llvm::Value* const a_start = context.shared_pointer(id);
  llvm::Value* const b_start = context.shared_pointer(id, builder.getInt32(b_offset));
  const Registers init =
      cast_all(context, context.registers(dot.inst.operand(2)), dot.acc.element, sum_type(dot));
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
  rows.load(context, dot, dot.a, a_start, k);
  columns.load(context, dot, dot.b, b_start, builder.CreateMul(k, builder.getInt32(extent_n)));
  Registers next;
  for (std::size_t reg = 0; reg < sums.size(); ++reg) {
    next.push_back(
        multiply_add(context, rows.at(keys[reg].first), columns.at(keys[reg].second), sums[reg]));
  }
  llvm::BasicBlock* const latch = builder.GetInsertBlock();
  for (std::size_t reg = 0; reg < sums.size(); ++reg) {
    sums[reg]->addIncoming(next[reg], latch);
  }
  llvm::Value* const k_next = builder.CreateAdd(k, builder.getInt32(1), "", true, true);
  k->addIncoming(builder.getInt32(0), before);
  k->addIncoming(k_next, latch);
  builder.CreateCondBr(builder.CreateICmpULT(k_next, builder.getInt32(extent_k)), loop, after);
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
