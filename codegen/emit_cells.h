// Values as what memory and other lanes take: integers of their cells' widths, and several narrow
// ones in a word. Private to codegen; includes LLVM.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <span>

namespace tilery::codegen {

/// Bits of a word, the unit in which a GPU moves data.
inline constexpr unsigned kWordBits = 32;

/// A value of an element type as an integer of its memory cell's width, and the way back. i1 takes
/// a byte.
[[nodiscard]] llvm::Value* to_cell(llvm::IRBuilder<>& builder, llvm::Value* value);
[[nodiscard]] llvm::Value* from_cell(llvm::IRBuilder<>& builder, llvm::Value* cell,
                                     llvm::Type* type);
/// Width of that integer.
[[nodiscard]] unsigned cell_bits(llvm::Type* type);

/// Values of one type in one integer, the first in the lowest bits: at most a word's worth of
/// narrow ones, or one of any width. Two that are narrowed from fp32 are narrowed by one
/// instruction.
[[nodiscard]] llvm::Value* packed(llvm::IRBuilder<>& builder, std::span<llvm::Value* const> values);

/// Values of one type, a power of two in number, for one access: narrow ones as words; a vector if
/// there are several.
[[nodiscard]] llvm::Value* packed_vector(llvm::IRBuilder<>& builder,
                                         std::span<llvm::Value* const> values);

}  // namespace tilery::codegen
