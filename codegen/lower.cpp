// The pipeline from a specialised function to a GpuFunction.
#include "codegen/codegen.h"
#include "codegen/dot_plan.h"
#include "codegen/limits.h"
#include "codegen/passes/allocate_shared.h"
#include "codegen/passes/assign_layouts.h"
#include "codegen/passes/choose_residency.h"
#include "codegen/passes/choose_warps.h"
#include "codegen/passes/insert_barriers.h"
#include "codegen/passes/pipeline_loops.h"
#include "ir/builder.h"
#include "ir/passes/dce.h"
#include "ir/verifier.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

namespace tilery::codegen {
namespace {

bool is_warp_count(int n) {
  return n >= 1 && n <= kMostWarps && std::has_single_bit(static_cast<unsigned>(n));
}

/// One step of the pipeline; the verifier looks at what it leaves in checked builds.
void run_pass(GpuFunction& gpu, std::string_view name, bool (*pass)(GpuFunction&)) {
  pass(gpu);
#ifdef TILERY_CHECKED
  check_valid(gpu.function, name);
#else
  (void)name;
#endif
}

/// Rings get what a result's way through shared memory leaves free: three quarters. The addresses
/// that the loop carried for its loads are dead once those run ahead on their own.
bool pipeline_dots(GpuFunction& gpu) {
  const bool changed = pipeline_loops(gpu.function, gpu.options.num_stages,
                                      gpu.target.max_shared_bytes() / 4 * 3, &gpu.loops);
  return changed && dce(gpu.function);
}

/// Raises the PTX version for what only later ones have; an instruction that is not used asks for
/// nothing, so that older drivers do.
void raise_ptx_version(GpuFunction& gpu) {
  constexpr int kFp8Mma = 84;
  bool has_fp8_mma = false;
  for_each_inst(gpu.function, gpu.function.body, [&](InstId id) {
    const Inst& inst = gpu.function.inst(id);
    if (inst.op == Op::Dot) {
      const DotPlan plan = plan_dot(gpu.function, inst, gpu.target);
      has_fp8_mma = has_fp8_mma || (plan.path == DotPath::TensorCore &&
                                    (plan.type == MmaType::E4M3 || plan.type == MmaType::E5M2));
    }
  });
  gpu.target.ptx = std::max(gpu.target.ptx, has_fp8_mma ? kFp8Mma : 0);
}

}  // namespace

Result<GpuFunction> lower_to_gpu(Function function, const Target& target,
                                 const CodegenOptions& options, Diagnostics& diagnostics) {
  if (options.num_warps && !is_warp_count(*options.num_warps)) {
    return Error{ErrorKind::Usage,
                 fmt::format("num_warps={}: a power of two from 1 to {} is needed",
                             *options.num_warps, kMostWarps)};
  }
  const WarpChoice warps = choose_warps(function, options.num_warps);
  GpuFunction gpu;
  gpu.function = std::move(function);
  gpu.target = target;
  gpu.options = options;
  gpu.num_warps = warps.num_warps;
  gpu.num_warps_reason = warps.why;
  if (!warps.note.empty()) {
    gpu.notes.push_back(warps.note);
  }
  run_pass(gpu, "pipeline_loops", pipeline_dots);
  run_pass(gpu, "assign_layouts", assign_layouts);
  run_pass(gpu, "allocate_shared", allocate_shared);
  if (gpu.shared_bytes > target.max_shared_bytes()) {
    report_shared_memory(gpu, diagnostics);
    return Error{ErrorKind::Usage, diagnostics.all().back().message};
  }
  run_pass(gpu, "insert_barriers", insert_barriers);
  gpu.blocks_per_sm = choose_blocks_per_sm(gpu);
  raise_ptx_version(gpu);
  return gpu;
}

Result<GpuFunction> lower_to_gpu(Function function, const Target& target,
                                 const CodegenOptions& options) {
  Diagnostics diagnostics;
  return lower_to_gpu(std::move(function), target, options, diagnostics);
}

}  // namespace tilery::codegen
