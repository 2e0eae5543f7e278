// What single LLVM instructions do to the bits of their operands; part of the simulator (simt.h).
#pragma once

#include "tests/unit/codegen/simt.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tilery::testing {

/// The elements of a vector or the members of a struct; one of a scalar.
using Bits = std::vector<std::uint64_t>;

inline constexpr int kWarpSize = 32;

/// What a run ends with; it stays inside the simulator.
struct SimtFailure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

[[nodiscard]] std::string text_of(const llvm::Value& value);
/// Throws: the simulator does not know this.
[[noreturn]] void unknown(const llvm::Value& value);

/// Instructions that threads carry out together: those of a warp, or, at a barrier, of the block.
[[nodiscard]] bool is_collective(const llvm::Instruction& inst);
[[nodiscard]] bool is_matrix_load(const llvm::Instruction& inst);
[[nodiscard]] bool is_block_barrier(const llvm::Instruction& inst);

/// Elements of a vector or members of a struct; 1 of a scalar.
[[nodiscard]] std::size_t part_count(llvm::Type* type);
/// Of a table the address in this process; of shared memory the place in it.
[[nodiscard]] Bits constant_bits(const llvm::Constant& constant, const llvm::DataLayout& layout);

/// Bits of one element; 64 of a pointer.
[[nodiscard]] unsigned width_of(llvm::Type* type);
/// The lowest bits, and those as a signed number.
[[nodiscard]] std::uint64_t masked(std::uint64_t bits, unsigned width);
[[nodiscard]] std::int64_t extended(std::uint64_t bits, unsigned width);

// ---- on one element; the result may have bits above its width ----
[[nodiscard]] std::uint64_t binary_op(const llvm::BinaryOperator& inst, std::uint64_t a,
                                      std::uint64_t b);
[[nodiscard]] std::uint64_t cast_op(const llvm::CastInst& inst, std::uint64_t bits);
[[nodiscard]] bool compare_op(const llvm::CmpInst& inst, std::uint64_t a, std::uint64_t b);
/// Intrinsics that a thread carries out alone.
[[nodiscard]] std::uint64_t intrinsic_op(const llvm::IntrinsicInst& inst,
                                         const std::vector<std::uint64_t>& in);
/// Assembly that a thread carries out alone: loads and stores of global memory, and the conversions
/// that LLVM lacks. Throws for other assembly.
[[nodiscard]] std::uint64_t assembly_op(const llvm::CallInst& call, const Bits& in);
/// What %tid, %ctaid and %nctaid hold; nothing for other intrinsics.
[[nodiscard]] std::optional<std::int64_t> special_register(const SimtProgram& program, int thread,
                                                           llvm::Intrinsic::ID id);
/// One step of redux.sync.
[[nodiscard]] std::uint64_t warp_fold(const llvm::IntrinsicInst& inst, std::uint64_t a,
                                      std::uint64_t b);

/// The same bits as parts of another width.
[[nodiscard]] Bits repacked(const Bits& parts, unsigned from, unsigned to);

}  // namespace tilery::testing
