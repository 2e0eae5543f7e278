#include "codegen/emit_fold.h"

#include "codegen/emit_cells.h"
#include "codegen/emit_shuffle.h"
#include "ir/support/check.h"

#include <algorithm>
#include <bit>

namespace tilery::codegen {
namespace {

constexpr std::uint32_t kAccessBytes = 16;

bool is_arg_fold(CombineKind kind) {
  return kind == CombineKind::ArgMaxLeft || kind == CombineKind::ArgMaxAny ||
         kind == CombineKind::ArgMinLeft || kind == CombineKind::ArgMinAny;
}

/// Whether `a` is better than `b`; NaN loses to every number.
llvm::Value* is_better(llvm::IRBuilder<>& builder, bool is_max, bool is_signed, llvm::Value* a,
                       llvm::Value* b) {
  if (a->getType()->isFloatingPointTy()) {
    // True also if either is NaN, unless that is a.
    llvm::Value* const wins = is_max ? builder.CreateFCmpUGT(a, b) : builder.CreateFCmpULT(a, b);
    return builder.CreateAnd(wins, builder.CreateFCmpORD(a, a));
  }
  if (is_signed) {
    return is_max ? builder.CreateICmpSGT(a, b) : builder.CreateICmpSLT(a, b);
  }
  return is_max ? builder.CreateICmpUGT(a, b) : builder.CreateICmpULT(a, b);
}

}  // namespace

Tuple tuple_of(const FoldValues& values, int number) {
  Tuple tuple;
  for (const Registers& operand : values) {
    tuple.push_back(operand[static_cast<std::size_t>(number)]);
  }
  return tuple;
}

Tuple select_tuple(EmitContext& context, llvm::Value* chosen, const Tuple& a, const Tuple& b) {
  Tuple selected;
  for (std::size_t i = 0; i < a.size(); ++i) {
    selected.push_back(context.builder().CreateSelect(chosen, a[i], b[i]));
  }
  return selected;
}

llvm::Value* parity_bit(EmitContext& context, const ThreadParity& parity) {
  if (parity.is_zero()) {
    return nullptr;
  }
  const auto bits = [](std::uint32_t mask) {
    std::vector<std::uint32_t> bases;
    for (; mask != 0; mask >>= 1) {
      bases.push_back(mask & 1);
    }
    return bases;
  };
  return context.builder().CreateIsNotNull(
      context.xor_of_bits(bits(parity.lanes), bits(parity.warps)));
}

llvm::BasicBlock* begin_branch(EmitContext& context, llvm::Value* condition) {
  auto& builder = context.builder();
  auto* const inside = llvm::BasicBlock::Create(context.llvm(), "active", &context.kernel());
  auto* const join = llvm::BasicBlock::Create(context.llvm(), "all", &context.kernel());
  builder.CreateCondBr(condition, inside, join);
  builder.SetInsertPoint(inside);
  return join;
}

void end_branch(EmitContext& context, llvm::BasicBlock*& join) {
  if (join != nullptr) {
    context.builder().CreateBr(join);
    context.builder().SetInsertPoint(join);
    join = nullptr;
  }
}

// ---- the combine function -----------------------------------------------------------------------

Tuple Combiner::combine(const Tuple& left, const Tuple& right) const {
  if (!is_arg_fold(facts_.kind)) {
    return context_.emit_combine(region_, left, right);
  }
  // Of equals the one with the smaller index, also where the language lets either win: then the
  // order of the tree does not show.
  const bool is_max =
      facts_.kind == CombineKind::ArgMaxLeft || facts_.kind == CombineKind::ArgMaxAny;
  const std::vector<ValueId>& args = context_.function().region(region_).args;
  const auto is_signed = [&](std::size_t i) {
    return is_signed_integer(context_.type(args[i]).element.scalar);
  };
  auto& builder = context_.builder();
  llvm::Value* const left_better = is_better(builder, is_max, is_signed(0), left[0], right[0]);
  llvm::Value* const right_better = is_better(builder, is_max, is_signed(0), right[0], left[0]);
  llvm::Value* const is_left_of = is_better(builder, false, is_signed(1), left[1], right[1]);
  llvm::Value* const tie = builder.CreateAnd(builder.CreateNot(right_better), is_left_of);
  return select_tuple(context_, builder.CreateOr(left_better, tie), left, right);
}

Tuple Combiner::combine(const Tuple& left, const Tuple& right, llvm::Value* swapped) const {
  if (swapped == nullptr || facts_.commutes) {
    return combine(left, right);
  }
  return combine(select_tuple(context_, swapped, right, left),
                 select_tuple(context_, swapped, left, right));
}

// ---- shared memory ------------------------------------------------------------------------------

SharedArray::SharedArray(EmitContext& context, InstId inst, std::uint32_t offset, llvm::Type* type,
                         const std::vector<std::uint32_t>& lanes,
                         const std::vector<std::uint32_t>& warps)
    : context_(context),
      inst_(inst),
      offset_(offset),
      type_(type),
      cell_(context.builder().getIntNTy(cell_bits(type))),
      cell_bytes_(cell_bits(type) / 8) {
  const auto in_bytes = [&](std::vector<std::uint32_t> addresses) {
    for (std::uint32_t& address : addresses) {
      thread_reach_ |= address;
      address *= cell_bytes_;
    }
    return addresses;
  };
  const std::vector<std::uint32_t> lane_bytes = in_bytes(lanes);
  thread_part_ = context.xor_of_bits(lane_bytes, in_bytes(warps));
}

llvm::Value* SharedArray::pointer(const Address& address) {
  auto& builder = context_.builder();
  const std::uint32_t mixed = address.bits & thread_reach_;
  llvm::Value*& base = bases_[mixed];
  if (base == nullptr) {
    llvm::Value* const bytes =
        mixed == 0 ? thread_part_
                   : builder.CreateXor(thread_part_, builder.getInt32(mixed * cell_bytes_));
    base = context_.shared_pointer(inst_, bytes);
  }
  const std::uint32_t rest = address.block + (address.bits ^ mixed);
  return builder.CreateConstGEP1_32(builder.getInt8Ty(), base, offset_ + (rest * cell_bytes_));
}

std::uint32_t SharedArray::widest(const Address& address) const {
  const std::uint32_t number = address.block + address.bits;
  std::uint32_t count = kAccessBytes / cell_bytes_;
  while (count > 1 && ((number | thread_reach_) & (count - 1)) != 0) {
    count /= 2;
  }
  return count;
}

void SharedArray::store(std::vector<Cell> cells) {
  const auto number = [](const Cell& cell) { return cell.to.block + cell.to.bits; };
  std::sort(cells.begin(), cells.end(),
            [&](const Cell& a, const Cell& b) { return number(a) < number(b); });
  auto& builder = context_.builder();
  for (std::size_t first = 0; first < cells.size();) {
    std::uint32_t count = widest(cells[first].to);
    while (first + count > cells.size() ||
           number(cells[first + count - 1]) != number(cells[first]) + count - 1) {
      count /= 2;
    }
    Registers values;
    for (std::uint32_t i = 0; i < count; ++i) {
      values.push_back(cells[first + i].value);
    }
    builder.CreateAlignedStore(packed_vector(builder, values), pointer(cells[first].to),
                               llvm::Align(count * cell_bytes_));
    first += count;
  }
}

void SharedArray::expect_loads(std::span<const Address> addresses) {
  for (const Address& address : addresses) {
    loads_.try_emplace(address.block + address.bits, nullptr);
  }
}

llvm::Value* SharedArray::load(const Address& address) {
  const std::uint32_t number = address.block + address.bits;
  if (llvm::Value* const loaded = loads_.at(number)) {
    return loaded;
  }
  // The widest aligned piece around the address of which every element is wanted.
  std::uint32_t count = kAccessBytes / cell_bytes_;
  Address first = address;
  for (; count > 1; count /= 2) {
    const std::uint32_t skipped = number & (count - 1);
    first = {address.block, address.bits - std::min(skipped, address.bits)};
    const std::uint32_t start = number - skipped;
    bool is_wanted = first.block + first.bits == start && widest(first) >= count;
    for (std::uint32_t i = 0; i < count && is_wanted; ++i) {
      const auto found = loads_.find(start + i);
      is_wanted = found != loads_.end() && found->second == nullptr;
    }
    if (is_wanted) {
      break;
    }
    first = address;
  }
  auto& builder = context_.builder();
  llvm::Type* const piece =
      count == 1 ? cell_ : static_cast<llvm::Type*>(llvm::FixedVectorType::get(cell_, count));
  llvm::Value* const loaded =
      builder.CreateAlignedLoad(piece, pointer(first), llvm::Align(count * cell_bytes_));
  for (std::uint32_t i = 0; i < count; ++i) {
    llvm::Value* const cell =
        count == 1 ? loaded : builder.CreateExtractElement(loaded, std::uint64_t{i});
    loads_[first.block + first.bits + i] = from_cell(builder, cell, type_);
  }
  return loads_.at(number);
}

}  // namespace tilery::codegen
