// From Gpu-level IR to LLVM IR: what the emit_<family>.cpp files share. Private to codegen;
// includes LLVM.
//
// A value of the block IR becomes one LLVM value a register of its layout (a scalar: one). Element
// types: i1 as i1, integers by their width, fp8 as i8, bf16 as bfloat, fp16 as half; pointers as
// ptr addrspace(1).
#pragma once

#include "codegen/gpu_function.h"
#include "ir/analysis/uses.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace tilery::codegen {

using Registers = std::vector<llvm::Value*>;

class AxisTable;  // analysis/axis_info.h
class LineTable;  // emit_lines.h

/// The state of emitting one kernel. Op-specific state lives in the op's function.
class EmitContext {
 public:
  EmitContext(const GpuFunction& gpu, const AxisTable& axes, llvm::Module& module,
              llvm::Function& kernel);

  [[nodiscard]] const GpuFunction& gpu() const { return gpu_; }

  [[nodiscard]] const Function& function() const { return gpu_.function; }

  [[nodiscard]] const Inst& inst(InstId id) const { return gpu_.function.inst(id); }

  [[nodiscard]] const Type& type(ValueId value) const { return gpu_.function.type(value); }

  [[nodiscard]] const Layout& layout(ValueId value) const { return gpu_.layouts.of(value); }

  [[nodiscard]] const AxisTable& axes() const { return axes_; }

  [[nodiscard]] bool fast_math() const { return gpu_.options.math == GpuMath::Fast; }

  [[nodiscard]] llvm::IRBuilder<>& builder() { return builder_; }

  [[nodiscard]] llvm::Module& module() { return module_; }

  [[nodiscard]] llvm::LLVMContext& llvm() { return module_.getContext(); }

  [[nodiscard]] llvm::Function& kernel() { return kernel_; }

  // ---- values ----
  [[nodiscard]] const Registers& registers(ValueId value) const;

  [[nodiscard]] bool is_emitted(ValueId value) const { return !values_[value.index].empty(); }

  [[nodiscard]] llvm::Value* scalar(ValueId value) const { return registers(value).front(); }

  void set(ValueId value, Registers registers);

  /// What emit_f32_quotients may take for `are_moderate` where the value is divided.
  [[nodiscard]] llvm::Value* are_moderate(ValueId value) const {
    const auto found = are_moderate_.find(value.index);
    return found == are_moderate_.end() ? nullptr : found->second;
  }

  void set_are_moderate(ValueId value, llvm::Value* are_moderate) {
    are_moderate_[value.index] = are_moderate;
  }

  /// How many registers a value takes. A scalar takes one, also where it has no layout (in a
  /// combine region).
  [[nodiscard]] int register_count(ValueId value) const {
    return type(value).is_scalar() || is_ring(value) ? 1 : layout(value).registers();
  }

  /// A tile in shared memory; its one register is a pointer to it.
  [[nodiscard]] bool is_ring(ValueId value) const { return is_ring_[value.index]; }

  /// The uses of the function's values.
  [[nodiscard]] const Uses& uses() const { return uses_; }

  /// The type of a value's registers.
  [[nodiscard]] llvm::Type* register_type(ValueId value) const;

  [[nodiscard]] llvm::Constant* constant(ElementType element, std::uint64_t bits) const;
  [[nodiscard]] llvm::Type* llvm_type(ElementType element) const;

  // ---- the thread ----
  [[nodiscard]] llvm::Value* thread_id();  ///< i32, 0 … 32·num_warps - 1
  [[nodiscard]] llvm::Value* lane_id();
  [[nodiscard]] llvm::Value* warp_id();
  /// i32 coordinate along `axis` of the element in register `reg` of this thread.
  [[nodiscard]] llvm::Value* coordinate(const Layout& layout, int reg, int axis);
  /// The part of that which does not depend on the register: XOR over lane and warp bits. Computed
  /// once per layout and axis.
  [[nodiscard]] llvm::Value* thread_part(const Layout& layout, int axis);
  /// XOR over the set bits of lane and warp id of the given bases (one list a place): an i32. For
  /// addresses in shared memory.
  [[nodiscard]] llvm::Value* xor_of_bits(std::span<const std::uint32_t> lane_bases,
                                         std::span<const std::uint32_t> warp_bases);
  /// i1: this thread is the one of those that hold the same elements which stores. Null if every
  /// thread is.
  [[nodiscard]] llvm::Value* owner_predicate(const Layout& layout);

  // ---- shared memory ----
  /// ptr addrspace(3) to the instruction's block (scratch or buffer), plus a byte offset (may be
  /// null for 0).
  [[nodiscard]] llvm::Value* shared_pointer(InstId inst, llvm::Value* byte_offset = nullptr);
  /// All of the block's shared memory.
  [[nodiscard]] llvm::Value* shared_base();
  void barrier();  ///< all threads of the block
  void warp_barrier();

  // ---- control ----
  /// Where the values that belong to the whole kernel are computed: the end of its entry block.
  [[nodiscard]] llvm::IRBuilder<> prologue();

  /// Line information for the instructions that follow; none by default.
  void set_lines(LineTable* lines) { lines_ = lines; }

  /// Emits the instructions of a region, its terminator not, at the builder's place; the region's
  /// arguments must be set.
  void emit_region(RegionId region);
  /// Emits a combine region on scalars, inline: (left values, right values) → results.
  [[nodiscard]] Registers emit_combine(RegionId region, std::span<llvm::Value* const> left,
                                       std::span<llvm::Value* const> right);

 private:
  const GpuFunction& gpu_;
  const AxisTable& axes_;
  llvm::Module& module_;
  llvm::Function& kernel_;
  llvm::IRBuilder<> builder_;
  std::vector<Registers> values_;
  std::map<std::uint32_t, llvm::Value*> are_moderate_;
  std::vector<bool> is_ring_;
  Uses uses_;
  llvm::Value* thread_id_ = nullptr;
  llvm::Value* lane_id_ = nullptr;
  llvm::Value* warp_id_ = nullptr;
  LineTable* lines_ = nullptr;
  /// xor_of_bits, by the bases of the thread id's bits.
  std::map<std::vector<std::uint32_t>, llvm::Value*> bit_sums_;
};

/// One function a row of ops.def: emits the instruction and sets its results. They live in
/// emit_<family>.cpp; a missing one does not link.
#define TILERY_OP(Name, id, level, family, signature, effects, summary) \
  void emit_##id(EmitContext& context, InstId inst);
#include "ir/ops.def"

/// One element of a map op: emit_map.cpp. `operands` are LLVM values of the operands' element
/// types. Used for tiles register by register, and for combine regions.
[[nodiscard]] llvm::Value* emit_map_element(EmitContext& context, const Inst& inst,
                                            std::span<llvm::Value* const> operands);

}  // namespace tilery::codegen
