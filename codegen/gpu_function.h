// A function between the block IR and LLVM: the same IR with Gpu-level ops, and what codegen's
// passes know of its values.
#pragma once

#include "codegen/layout/layout.h"
#include "codegen/options.h"
#include "codegen/target.h"
#include "ir/function.h"
#include "ir/support/source.h"

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace tilery::codegen {

/// The layout of every value that is a tile or a scalar, by value.
class LayoutTable {
 public:
  [[nodiscard]] bool has(ValueId value) const;
  /// Checked: the value has a layout.
  [[nodiscard]] const Layout& of(ValueId value) const;
  void set(ValueId value, Layout layout);
  void set(ValueId value, std::shared_ptr<const Layout> layout);

 private:
  std::vector<std::shared_ptr<const Layout>> layouts_;
};

/// Where an instruction's shared memory lies: scratch of a reduction or conversion, or the buffer
/// that it allocates.
struct SharedBlock {
  std::uint32_t offset = 0;
  std::uint32_t bytes = 0;
};

/// What became of a loop over dots.
struct LoopFacts {
  SourceRange range;
  int stages = 1;   ///< 1: not pipelined
  std::string why;  ///< why not, or why with fewer stages than asked; may be empty
};

/// A function on its way to LLVM. `function` is the specialiser's, changed by codegen's passes.
struct GpuFunction {
  Function function;
  Target target;
  CodegenOptions options;
  int num_warps = 4;
  /// Why so many, as a phrase.
  std::string num_warps_reason;
  /// The innermost loops over dots.
  std::vector<LoopFacts> loops;
  int blocks_per_sm = 1;  ///< at least; how ptxas is told to ration registers
  LayoutTable layouts;
  /// By the index of the instruction.
  std::unordered_map<std::uint32_t, SharedBlock> shared;
  std::uint32_t shared_bytes = 0;
  /// Instructions, by index, before which all threads of the block wait for each other: see
  /// passes/insert_barriers.h.
  std::unordered_set<std::uint32_t> barriers_before;
  /// What was decided otherwise than the author asked, as sentences for `explain`.
  std::vector<std::string> notes;
};

}  // namespace tilery::codegen
