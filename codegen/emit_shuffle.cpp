#include "codegen/emit_shuffle.h"

#include "codegen/emit_cells.h"

#include <llvm/IR/IntrinsicsNVPTX.h>

#include <algorithm>
#include <functional>

namespace tilery::codegen {
namespace {

/// Moves one word of every lane.
using MoveWord = std::function<llvm::Value*(llvm::Value*)>;

/// Moves up to one word's worth of cells of one narrow type.
void move_narrow(llvm::IRBuilder<>& builder, std::span<llvm::Value* const> cells,
                 const MoveWord& move, Registers& moved) {
  llvm::Type* const type = cells.front()->getType();
  llvm::Value* const word = move(builder.CreateZExt(packed(builder, cells), builder.getInt32Ty()));
  for (std::size_t i = 0; i < cells.size(); ++i) {
    moved.push_back(
        builder.CreateTrunc(builder.CreateLShr(word, i * type->getIntegerBitWidth()), type));
  }
}

llvm::Value* move_wide(llvm::IRBuilder<>& builder, llvm::Value* cell, const MoveWord& move) {
  auto* const pair = llvm::FixedVectorType::get(builder.getInt32Ty(), 2);
  llvm::Value* const words = builder.CreateBitCast(cell, pair);
  llvm::Value* moved = llvm::PoisonValue::get(pair);
  for (std::uint64_t half = 0; half < 2; ++half) {
    moved =
        builder.CreateInsertElement(moved, move(builder.CreateExtractElement(words, half)), half);
  }
  return builder.CreateBitCast(moved, cell->getType());
}

/// Cells in, cells out; neighbours of one narrow type share words.
Registers move_cells(llvm::IRBuilder<>& builder, std::span<llvm::Value* const> cells,
                     const MoveWord& move) {
  Registers moved;
  while (moved.size() < cells.size()) {
    const std::size_t first = moved.size();
    llvm::Type* const type = cells[first]->getType();
    const unsigned bits = type->getIntegerBitWidth();
    if (bits > kWordBits) {
      moved.push_back(move_wide(builder, cells[first], move));
    } else if (bits == kWordBits) {
      moved.push_back(move(cells[first]));
    } else {
      std::size_t count = 1;
      while (count < kWordBits / bits && first + count < cells.size() &&
             cells[first + count]->getType() == type) {
        ++count;
      }
      move_narrow(builder, cells.subspan(first, count), move, moved);
    }
  }
  return moved;
}

Registers move_values(EmitContext& context, std::span<llvm::Value* const> values,
                      const MoveWord& move) {
  auto& builder = context.builder();
  Registers cells;
  for (llvm::Value* value : values) {
    cells.push_back(to_cell(builder, value));
  }
  Registers moved = move_cells(builder, cells, move);
  for (std::size_t i = 0; i < values.size(); ++i) {
    moved[i] = from_cell(builder, moved[i], values[i]->getType());
  }
  return moved;
}

/// shfl.sync of all lanes without segments.
MoveWord shuffle(EmitContext& context, llvm::Intrinsic::ID kind, llvm::Value* lane) {
  return [&context, kind, lane](llvm::Value* word) -> llvm::Value* {
    auto& builder = context.builder();
    return builder.CreateIntrinsic(
        kind, {}, {builder.getInt32(0xFFFFFFFFU), word, lane, builder.getInt32(kWarpSize - 1)});
  };
}

}  // namespace

Registers shuffle_xor(EmitContext& context, std::span<llvm::Value* const> values,
                      std::uint32_t lane_mask) {
  return move_values(context, values,
                     shuffle(context, llvm::Intrinsic::nvvm_shfl_sync_bfly_i32,
                             context.builder().getInt32(lane_mask)));
}

llvm::Value* shuffle_xor(EmitContext& context, llvm::Value* value, std::uint32_t lane_mask) {
  return shuffle_xor(context, std::span<llvm::Value* const>(&value, 1), lane_mask).front();
}

Registers shuffle_index(EmitContext& context, std::span<llvm::Value* const> values,
                        llvm::Value* lane) {
  return move_values(context, values,
                     shuffle(context, llvm::Intrinsic::nvvm_shfl_sync_idx_i32, lane));
}

llvm::Value* shuffle_index(EmitContext& context, llvm::Value* value, llvm::Value* lane) {
  return shuffle_index(context, std::span<llvm::Value* const>(&value, 1), lane).front();
}

}  // namespace tilery::codegen
