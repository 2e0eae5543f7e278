#include "codegen/analysis/shared_use.h"

#include "codegen/dot_plan.h"
#include "codegen/fold_plan.h"
#include "codegen/layout/conversion.h"
#include "codegen/ring_layout.h"
#include "ir/operands.h"

namespace tilery::codegen {
namespace {

bool is_fold(Op op) {
  return op == Op::Reduce || op == Op::Scan;
}

SharedRange ring_range(const GpuFunction& gpu, const Inst& inst) {
  const InstId root = ring_root(gpu.function, operand<"ring">(inst));
  const SharedBlock& block = gpu.shared.at(root.index);
  return {block.offset, block.offset + block.bytes, root};
}

}  // namespace

std::uint32_t own_block_bytes(const GpuFunction& gpu, InstId id) {
  const Inst& inst = gpu.function.inst(id);
  if (inst.op == Op::SharedRing) {
    return ring_bytes(gpu.function, inst);
  }
  if (inst.op == Op::ConvertLayout || inst.op == Op::Reshape) {
    return conversion_scratch_bytes(gpu.layouts.of(inst.operand(0)), gpu.layouts.of(inst.result()),
                                    gpu.function.type(inst.operand(0)).element);
  }
  if (inst.op == Op::Dot) {
    return dot_scratch(gpu.function, inst, gpu.target).bytes;
  }
  return is_fold(inst.op) ? fold_scratch(gpu, id).bytes : 0;
}

SharedUse shared_use_of(const GpuFunction& gpu, InstId id) {
  const Inst& inst = gpu.function.inst(id);
  SharedUse use;
  if (inst.op == Op::DebugBarrier || inst.op == Op::AsyncWait) {
    use.has_barrier = true;
  } else if (inst.op == Op::RingInsert) {
    use.writes.push_back(ring_range(gpu, inst));
  } else if (inst.op == Op::RingRead) {
    use.reads.push_back(ring_range(gpu, inst));
  } else if (inst.op != Op::SharedRing) {
    const auto found = gpu.shared.find(id.index);
    if (found != gpu.shared.end()) {
      const auto [start, bytes] = found->second;
      // All but folds write the whole block, wait, and read it.
      const ScratchUse scratch =
          is_fold(inst.op) ? fold_scratch(gpu, id) : ScratchUse{bytes, bytes, 0};
      use.writes.push_back({start, start + scratch.first_written, id});
      use.has_barrier = true;
      use.late_reads.push_back({start + scratch.last_read, start + scratch.bytes, id});
    }
  }
  return use;
}

}  // namespace tilery::codegen
