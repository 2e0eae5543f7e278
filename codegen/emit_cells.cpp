#include "codegen/emit_cells.h"

#include <algorithm>
#include <vector>

namespace tilery::codegen {
namespace {

using llvm::Value;

Value* vector_of(llvm::IRBuilder<>& builder, std::span<Value* const> values) {
  Value* vector = llvm::PoisonValue::get(
      llvm::FixedVectorType::get(values.front()->getType(), static_cast<unsigned>(values.size())));
  for (std::size_t i = 0; i < values.size(); ++i) {
    vector = builder.CreateInsertElement(vector, values[i], i);
  }
  return vector;
}

/// What a cell is made of; any other value is itself.
Value* content(Value* value) {
  auto* const cast = llvm::dyn_cast<llvm::BitCastInst>(value);
  return cast != nullptr ? cast->getOperand(0) : value;
}

/// The vector whose elements, all and in order, the values are; null if there is none.
Value* whole_vector(std::span<Value* const> values) {
  Value* vector = nullptr;
  for (std::size_t i = 0; i < values.size(); ++i) {
    auto* const extract = llvm::dyn_cast<llvm::ExtractElementInst>(content(values[i]));
    const auto* const index = extract == nullptr
                                  ? nullptr
                                  : llvm::dyn_cast<llvm::ConstantInt>(extract->getIndexOperand());
    if (index == nullptr || index->getZExtValue() != i ||
        (i > 0 && extract->getVectorOperand() != vector)) {
      return nullptr;
    }
    vector = extract->getVectorOperand();
  }
  const auto* const type = llvm::cast<llvm::FixedVectorType>(vector->getType());
  const bool are_cells = type->getScalarSizeInBits() == cell_bits(values.front()->getType());
  return are_cells && type->getNumElements() == values.size() ? vector : nullptr;
}

/// The fp32 numbers that two values are the narrowed forms of, narrowed together by
/// cvt.rn.bf16x2.f32 or cvt.rn.f16x2.f32; null if the values are none.
Value* narrowed_pair(llvm::IRBuilder<>& builder, std::span<Value* const> values) {
  std::vector<Value*> wide;
  for (Value* const value : values) {
    auto* const narrowing = llvm::dyn_cast<llvm::FPTruncInst>(content(value));
    if (narrowing == nullptr || !narrowing->getSrcTy()->isFloatTy()) {
      return nullptr;
    }
    wide.push_back(narrowing->getOperand(0));
  }
  auto* const type = content(values.front())->getType();
  if (values.size() != 2 || content(values.back())->getType() != type) {
    return nullptr;
  }
  return builder.CreateFPTrunc(vector_of(builder, wide), llvm::FixedVectorType::get(type, 2));
}

}  // namespace

unsigned cell_bits(llvm::Type* type) {
  constexpr unsigned kPointerBits = 64;
  constexpr unsigned kByteBits = 8;
  return type->isPointerTy() ? kPointerBits : std::max(kByteBits, type->getScalarSizeInBits());
}

Value* to_cell(llvm::IRBuilder<>& builder, Value* value) {
  llvm::Type* const cell = builder.getIntNTy(cell_bits(value->getType()));
  if (value->getType()->isPointerTy()) {
    return builder.CreatePtrToInt(value, cell);
  }
  return value->getType()->isIntegerTy(1) ? builder.CreateZExt(value, cell)
                                          : builder.CreateBitCast(value, cell);
}

Value* from_cell(llvm::IRBuilder<>& builder, Value* cell, llvm::Type* type) {
  if (type->isPointerTy()) {
    return builder.CreateIntToPtr(cell, type);
  }
  return type->isIntegerTy(1) ? builder.CreateTrunc(cell, type) : builder.CreateBitCast(cell, type);
}

Value* packed(llvm::IRBuilder<>& builder, std::span<Value* const> values) {
  if (values.size() == 1) {
    return to_cell(builder, values.front());
  }
  const auto bits = cell_bits(values.front()->getType()) * static_cast<unsigned>(values.size());
  Value* vector = whole_vector(values);
  if (vector == nullptr) {
    vector = narrowed_pair(builder, values);
  }
  if (vector == nullptr) {
    std::vector<Value*> cells;
    for (Value* const value : values) {
      cells.push_back(to_cell(builder, value));
    }
    vector = vector_of(builder, cells);
  }
  return builder.CreateBitCast(vector, builder.getIntNTy(bits));
}

Value* packed_vector(llvm::IRBuilder<>& builder, std::span<Value* const> values) {
  const unsigned bits = cell_bits(values.front()->getType());
  const std::size_t in_word = std::min<std::size_t>(values.size(), std::max(1U, kWordBits / bits));
  std::vector<Value*> words;
  for (std::size_t first = 0; first < values.size(); first += in_word) {
    words.push_back(packed(builder, values.subspan(first, in_word)));
  }
  return words.size() == 1 ? words.front() : vector_of(builder, words);
}

}  // namespace tilery::codegen
