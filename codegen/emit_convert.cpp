// convert_layout, and reshapes whose elements move: carries out the plan of layout/conversion.h.
//
// Elements travel as integers of their memory cell's width ("cells"): i1 as a byte, pointers as 64
// bits. Narrow ones are packed into words for shuffles and for shared memory.
#include "codegen/emit_convert.h"

#include "codegen/emit_cells.h"
#include "codegen/emit_shuffle.h"
#include "codegen/layout/conversion.h"
#include "ir/support/check.h"

#include <llvm/IR/IntrinsicsNVPTX.h>

#include <bit>
#include <functional>
#include <map>
#include <utility>

namespace tilery::codegen {
namespace {

// ---- shuffles -----------------------------------------------------------------------------------

/// i1: the set bits of `mask` among those of the thread's number are odd in number.
llvm::Value* thread_parity(EmitContext& context, std::uint32_t mask) {
  llvm::Value* const thread = context.thread_id();
  auto entry = context.prologue();
  llvm::Value* const bits = entry.CreateAnd(thread, entry.getInt32(mask));
  if (std::has_single_bit(mask)) {
    return entry.CreateIsNotNull(bits);
  }
  llvm::Value* const count =
      entry.CreateIntrinsic(llvm::Intrinsic::ctpop, {entry.getInt32Ty()}, {bits});
  return entry.CreateTrunc(count, entry.getInt1Ty());
}

/// Values by register, of which thread bits choose: value(r) is base(r ^ the select's registers of
/// all selects whose parity is odd). Made when asked for, each once.
class SelectedValues {
 public:
  using Base = std::function<llvm::Value*(std::uint32_t)>;

  SelectedValues(EmitContext& context, const std::vector<ThreadSelect>& selects, Base base)
      : context_(context), selects_(selects), base_(std::move(base)), made_(selects.size() + 1) {
    for (const ThreadSelect& select : selects) {
      conditions_.push_back(thread_parity(context, select.thread));
    }
  }

  llvm::Value* value(std::uint32_t reg) { return value(selects_.size(), reg); }

 private:
  /// With the first `stages` selects only.
  llvm::Value* value(std::size_t stages, std::uint32_t reg) {
    if (const auto found = made_[stages].find(reg); found != made_[stages].end()) {
      return found->second;
    }
    llvm::Value* result = nullptr;
    if (stages == 0) {
      result = base_(reg);
    } else {
      llvm::Value* const other = value(stages - 1, reg ^ selects_[stages - 1].registers);
      llvm::Value* const own = value(stages - 1, reg);
      result = context_.builder().CreateSelect(conditions_[stages - 1], other, own);
    }
    made_[stages].emplace(reg, result);
    return result;
  }

  EmitContext& context_;
  const std::vector<ThreadSelect>& selects_;
  Base base_;
  Registers conditions_;
  std::vector<std::map<std::uint32_t, llvm::Value*>> made_;
};

/// One repeat's worth of cells by shuffles.
class ShuffleEmitter {
 public:
  ShuffleEmitter(EmitContext& context, const ShufflePlan& plan) : context_(context), plan_(plan) {
    if (!plan.is_butterfly()) {
      lane_ = context.xor_of_bits(plan.lane_of_lane, plan.lane_of_warp);
    }
  }

  /// `cells` are those of the old layout; result: of the new one.
  Registers emit(std::span<llvm::Value* const> cells) {
    SelectedValues sent(context_, plan_.send,
                        [&](std::uint32_t reg) { return packed(cells, reg); });
    std::map<std::uint32_t, llvm::Value*> received;
    for (const ShufflePlan::Round& round : plan_.rounds) {
      received[round.to_register] = moved(sent.value(round.from_register), round.lane_flip);
    }
    SelectedValues placed(context_, plan_.place,
                          [&](std::uint32_t reg) { return received.at(reg); });
    Registers result(plan_.rounds.size() * plan_.to_pack.size());
    for (const ShufflePlan::Round& round : plan_.rounds) {
      unpack(placed.value(round.to_register), round.to_register, cells.front()->getType(), result);
    }
    return result;
  }

 private:
  llvm::Value* packed(std::span<llvm::Value* const> cells, std::uint32_t reg) {
    auto& builder = context_.builder();
    const unsigned bits = cells.front()->getType()->getIntegerBitWidth();
    if (bits >= kWordBits) {
      return cells[reg];
    }
    llvm::Value* word = builder.CreateZExt(cells[reg], builder.getInt32Ty());
    for (std::size_t i = 1; i < plan_.from_pack.size(); ++i) {
      llvm::Value* const cell =
          builder.CreateZExt(cells[reg ^ plan_.from_pack[i]], builder.getInt32Ty());
      word = builder.CreateOr(word, builder.CreateShl(cell, i * bits));
    }
    return word;
  }

  llvm::Value* moved(llvm::Value* word, std::uint32_t flip) {
    if (lane_ == nullptr) {
      return flip == 0 ? word : shuffle_xor(context_, word, flip);
    }
    auto& builder = context_.builder();
    return shuffle_index(context_, word, builder.CreateXor(lane_, builder.getInt32(flip)));
  }

  void unpack(llvm::Value* word, std::uint32_t reg, llvm::Type* cell, Registers& result) {
    auto& builder = context_.builder();
    const unsigned bits = cell->getIntegerBitWidth();
    for (std::size_t i = 0; i < plan_.to_pack.size(); ++i) {
      llvm::Value* const part = i == 0 ? word : builder.CreateLShr(word, i * bits);
      result[reg ^ plan_.to_pack[i]] = builder.CreateTrunc(part, cell);
    }
  }

  EmitContext& context_;
  const ShufflePlan& plan_;
  /// The lane that is listened to, but for a round's flip; null for butterflies.
  llvm::Value* lane_ = nullptr;
};

Registers emit_shuffles(EmitContext& context, const ShufflePlan& plan, const Registers& cells,
                        int repeats) {
  ShuffleEmitter emitter(context, plan);
  const std::size_t each = cells.size() / static_cast<std::size_t>(repeats);
  Registers result;
  for (std::size_t first = 0; first < cells.size(); first += each) {
    const Registers part = emitter.emit(std::span(cells).subspan(first, each));
    result.insert(result.end(), part.begin(), part.end());
  }
  return result;
}

// ---- shared memory ------------------------------------------------------------------------------

/// What one access moves: a word or several, or less than one.
llvm::Type* access_type(llvm::IRBuilder<>& builder, unsigned cell_bits, std::size_t count) {
  const auto bits = static_cast<unsigned>(cell_bits * count);
  const unsigned unit = std::max(std::min(bits, kWordBits), cell_bits);
  llvm::Type* const type = builder.getIntNTy(unit);
  return bits == unit ? type : llvm::FixedVectorType::get(type, bits / unit);
}

llvm::Type* cells_type(llvm::Type* cell, std::size_t count) {
  return count == 1 ? cell : llvm::FixedVectorType::get(cell, static_cast<unsigned>(count));
}

void store_cells(llvm::IRBuilder<>& builder, llvm::Value* pointer,
                 std::span<llvm::Value* const> cells) {
  const unsigned bytes = cells.front()->getType()->getIntegerBitWidth() / 8;
  builder.CreateAlignedStore(packed_vector(builder, cells), pointer,
                             llvm::Align(bytes * cells.size()));
}

Registers load_cells(llvm::IRBuilder<>& builder, llvm::Value* pointer, llvm::Type* cell,
                     std::size_t count) {
  const unsigned bits = cell->getIntegerBitWidth();
  llvm::Value* const loaded = builder.CreateAlignedLoad(access_type(builder, bits, count), pointer,
                                                        llvm::Align(bits / 8 * count));
  llvm::Value* const all = builder.CreateBitCast(loaded, cells_type(cell, count));
  if (count == 1) {
    return {all};
  }
  Registers cells;
  for (std::size_t i = 0; i < count; ++i) {
    cells.push_back(builder.CreateExtractElement(all, i));
  }
  return cells;
}

/// Calls `store` for the warps that are the first to hold what they hold.
void for_owning_warps(EmitContext& context, const Layout& layout,
                      const std::function<void()>& store) {
  const std::uint32_t copies = layout.copy_bits(Place::Warp) << kLaneBits;
  if (copies == 0) {
    store();
    return;
  }
  auto& builder = context.builder();
  llvm::Value* const thread = context.thread_id();
  auto entry = context.prologue();
  llvm::Value* const owns = entry.CreateIsNull(entry.CreateAnd(thread, entry.getInt32(copies)));
  auto* const owners = llvm::BasicBlock::Create(context.llvm(), "owners", &context.kernel());
  auto* const all = llvm::BasicBlock::Create(context.llvm(), "all", &context.kernel());
  builder.CreateCondBr(owns, owners, all);
  builder.SetInsertPoint(owners);
  store();
  builder.CreateBr(all);
  builder.SetInsertPoint(all);
}

/// The places of one side of a plan.
class SideEmitter {
 public:
  SideEmitter(EmitContext& context, const SharedSide& side, InstId owner)
      : context_(context),
        side_(side),
        owner_(owner),
        thread_(context.xor_of_bits(side.lane_offsets, side.warp_offsets)) {}

  void store(const Registers& cells, int round) {
    for_round(round, [&](const SharedAccess& access) {
      Registers parts;
      for (const int reg : access.registers) {
        parts.push_back(cells[static_cast<std::size_t>(reg)]);
      }
      store_cells(context_.builder(), pointer(access), parts);
    });
  }

  void load(Registers& cells, llvm::Type* cell, int round) {
    for_round(round, [&](const SharedAccess& access) {
      const Registers parts =
          load_cells(context_.builder(), pointer(access), cell, access.registers.size());
      for (std::size_t i = 0; i < parts.size(); ++i) {
        cells[static_cast<std::size_t>(access.registers[i])] = parts[i];
      }
    });
  }

 private:
  template <class Body>
  void for_round(int round, const Body& body) {
    for (const SharedAccess& access : side_.accesses) {
      if (access.round == round) {
        body(access);
      }
    }
  }

  llvm::Value* pointer(const SharedAccess& access) {
    auto& builder = context_.builder();
    llvm::Value* const offset = builder.CreateXor(thread_, builder.getInt32(access.flip));
    return builder.CreateConstInBoundsGEP1_32(builder.getInt8Ty(),
                                              context_.shared_pointer(owner_, offset), access.add);
  }

  EmitContext& context_;
  const SharedSide& side_;
  InstId owner_;
  llvm::Value* thread_;
};

Registers emit_shared(EmitContext& context, const SharedPlan& plan, const Registers& cells,
                      const Layout& from, const Layout& to, InstId owner) {
  SideEmitter store(context, plan.store, owner);
  SideEmitter load(context, plan.load, owner);
  Registers result(static_cast<std::size_t>(to.registers()));
  for (int round = 0; round < plan.rounds; ++round) {
    if (round != 0) {
      context.barrier();
    }
    for_owning_warps(context, from, [&] { store.store(cells, round); });
    context.barrier();
    load.load(result, cells.front()->getType(), round);
  }
  return result;
}

// ---- reshapes between odd extents ---------------------------------------------------------------

/// Pointer to the element in a register, at its row-major number.
llvm::Value* row_major_pointer(EmitContext& context, const Layout& layout, int reg, int cell_bytes,
                               InstId owner) {
  auto& builder = context.builder();
  llvm::Value* offset = builder.getInt32(0);
  std::int64_t stride = cell_bytes;
  for (int axis = layout.shape().rank() - 1; axis >= 0; --axis) {
    llvm::Value* const at = context.coordinate(layout, reg, axis);
    llvm::Value* const part =
        builder.CreateMul(at, builder.getInt32(static_cast<std::uint32_t>(stride)), "", true, true);
    offset = builder.CreateAdd(offset, part, "", true, true);
    stride *= layout.shape()[axis];
  }
  return context.shared_pointer(owner, offset);
}

Registers emit_row_major(EmitContext& context, const RowMajorPlan& plan, const Registers& cells,
                         const Layout& from, const Layout& to, InstId owner) {
  auto& builder = context.builder();
  llvm::Type* const cell = cells.front()->getType();
  const auto cell_bytes = static_cast<int>(cell->getIntegerBitWidth() / 8);
  for_owning_warps(context, from, [&] {
    for (int reg = 0; reg < from.registers(); reg += plan.store_vector) {
      store_cells(builder, row_major_pointer(context, from, reg, cell_bytes, owner),
                  std::span(cells).subspan(static_cast<std::size_t>(reg),
                                           static_cast<std::size_t>(plan.store_vector)));
    }
  });
  context.barrier();
  Registers result;
  for (int reg = 0; reg < to.registers(); reg += plan.load_vector) {
    const Registers part =
        load_cells(builder, row_major_pointer(context, to, reg, cell_bytes, owner), cell,
                   static_cast<std::size_t>(plan.load_vector));
    result.insert(result.end(), part.begin(), part.end());
  }
  return result;
}

Registers renamed(const RenamePlan& plan, const Registers& registers) {
  Registers result;
  for (const int reg : plan.registers) {
    result.push_back(registers[static_cast<std::size_t>(reg)]);
  }
  return result;
}

Registers emit_moves(EmitContext& context, const ConversionPlan& plan, const Registers& cells,
                     const Layout& from, const Layout& to, InstId owner) {
  if (const auto* shuffles = std::get_if<ShufflePlan>(&plan)) {
    return emit_shuffles(context, *shuffles, cells, to.repeats());
  }
  if (const auto* shared = std::get_if<SharedPlan>(&plan)) {
    return emit_shared(context, *shared, cells, from, to, owner);
  }
  return emit_row_major(context, std::get<RowMajorPlan>(plan), cells, from, to, owner);
}

}  // namespace

Registers convert_registers(EmitContext& context, const Registers& registers, ElementType element,
                            const Layout& from, const Layout& to, InstId scratch_owner) {
  TILERY_CHECK(static_cast<int>(registers.size()) == from.registers(), "registers of a layout");
  const ConversionPlan plan = plan_conversion(from, to, element.byte_size());
  if (const auto* rename = std::get_if<RenamePlan>(&plan)) {
    return renamed(*rename, registers);
  }
  auto& builder = context.builder();
  Registers cells;
  for (llvm::Value* value : registers) {
    cells.push_back(to_cell(builder, value));
  }
  Registers result = emit_moves(context, plan, cells, from, to, scratch_owner);
  for (llvm::Value*& value : result) {
    value = from_cell(builder, value, registers.front()->getType());
  }
  return result;
}

void emit_convert_layout(EmitContext& context, InstId id) {
  const Inst& inst = context.inst(id);
  const ValueId source = inst.operand(0);
  context.set(inst.result(),
              convert_registers(context, context.registers(source), context.type(source).element,
                                context.layout(source), context.layout(inst.result()), id));
}

}  // namespace tilery::codegen
