// What code generation makes of a reduce or scan: decided from the instruction and the layout of
// its operands alone, so that the allocation of shared memory and the emitter agree. No LLVM.
#pragma once

#include "codegen/gpu_function.h"
#include "codegen/layout/reduction.h"
#include "codegen/layout/scan.h"
#include "ir/analysis/combine_kind.h"

#include <vector>

namespace tilery::codegen {

/// The fold itself.
struct FoldFacts {
  CombineKind kind = CombineKind::Other;
  /// combine(a, b) has the bits of combine(b, a).
  bool commutes = false;
  FoldTraits traits;
  std::vector<int> element_bytes;  ///< of each operand's cell in shared memory
};

/// `id` is a reduce or a scan.
[[nodiscard]] FoldFacts fold_facts(const Function& function, InstId id);

[[nodiscard]] ReductionPlan plan_reduce(const GpuFunction& gpu, InstId id);

/// The layout of a scan's operands must satisfy can_scan along its axis.
[[nodiscard]] ScanPlan plan_scan(const GpuFunction& gpu, InstId id);

/// Scratch of a reduce or scan: what to allocate, and what of it is written before the first
/// barrier inside the operation and read after the last one.
[[nodiscard]] ScratchUse fold_scratch(const GpuFunction& gpu, InstId id);

}  // namespace tilery::codegen
