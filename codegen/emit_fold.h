// What emit_reduce.cpp and emit_scan.cpp share. Private to codegen; includes LLVM.
#pragma once

#include "codegen/emit.h"
#include "codegen/fold_plan.h"

#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace tilery::codegen {

/// One element of each operand.
using Tuple = Registers;
/// The values of each operand, in the numbering of a plan: values[operand][number].
using FoldValues = std::vector<Registers>;

[[nodiscard]] Tuple tuple_of(const FoldValues& values, int number);

/// The combine function of a reduce or scan.
class Combiner {
 public:
  Combiner(EmitContext& context, InstId inst, const FoldFacts& facts)
      : context_(context), region_(context.inst(inst).regions[0]), facts_(facts) {}

  [[nodiscard]] Tuple combine(const Tuple& left, const Tuple& right) const;
  /// combine(left, right), or combine(right, left) in the threads where `swapped` is set (null:
  /// nowhere).
  [[nodiscard]] Tuple combine(const Tuple& left, const Tuple& right, llvm::Value* swapped) const;

 private:
  EmitContext& context_;
  RegionId region_;
  const FoldFacts& facts_;
};

/// chosen ? a : b for every member.
[[nodiscard]] Tuple select_tuple(EmitContext& context, llvm::Value* chosen, const Tuple& a,
                                 const Tuple& b);

/// i1: the parity of those bits of lane and warp; null if there are none.
[[nodiscard]] llvm::Value* parity_bit(EmitContext& context, const ThreadParity& parity);

/// Begins a branch that leaves no values: what follows is for the threads where `condition` holds,
/// up to end_branch of the result.
[[nodiscard]] llvm::BasicBlock* begin_branch(EmitContext& context, llvm::Value* condition);
/// All threads again, and `join` null; nothing to do if it is.
void end_branch(EmitContext& context, llvm::BasicBlock*& join);

/// An array of one operand's elements in the scratch memory of an instruction. Every thread reaches
/// it with its own part of the address.
class SharedArray {
 public:
  using Address = SharedExchange::Address;

  /// `offset` is that of the array in the instruction's block, in bytes; a multiple of 16. `lanes`
  /// and `warps` are address bits for each bit of the thread.
  SharedArray(EmitContext& context, InstId inst, std::uint32_t offset, llvm::Type* type,
              const std::vector<std::uint32_t>& lanes, const std::vector<std::uint32_t>& warps);

  struct Cell {
    Address to;
    llvm::Value* value = nullptr;
  };

  /// As few and wide stores as the addresses allow.
  void store(std::vector<Cell> cells);

  /// Says which addresses will be loaded, so that neighbours come with one access.
  void expect_loads(std::span<const Address> addresses);
  /// An element at one of those; each is loaded once.
  [[nodiscard]] llvm::Value* load(const Address& address);

 private:
  [[nodiscard]] llvm::Value* pointer(const Address& address);
  /// Number of elements from `address` on that one access can take, if all are wanted.
  [[nodiscard]] std::uint32_t widest(const Address& address) const;

  EmitContext& context_;
  InstId inst_;
  std::uint32_t offset_;
  llvm::Type* type_;
  llvm::Type* cell_;
  std::uint32_t cell_bytes_;
  std::uint32_t thread_reach_ = 0;
  llvm::Value* thread_part_;  ///< in bytes
  /// Pointers to what the thread part is after XOR with the bits of a constant that it reaches.
  std::map<std::uint32_t, llvm::Value*> bases_;
  /// Loaded values, or null, by address.
  std::map<std::uint32_t, llvm::Value*> loads_;
};

}  // namespace tilery::codegen
