#include "codegen/fold_plan.h"

#include "ir/attributes.h"
#include "ir/support/check.h"

#include <algorithm>

namespace tilery::codegen {
namespace {

/// Whether the order of combining cannot show. A leftmost arg-fold is a maximum in a total order,
/// and one that may take any index is emitted as the leftmost.
bool is_order_free(CombineKind kind, ElementType element) {
  switch (kind) {
    case CombineKind::Other:
      return false;
    case CombineKind::Add:
    case CombineKind::Mul:
      return !element.is_pointer() && is_integer(element.scalar);
    case CombineKind::Max:
    case CombineKind::Min:
    case CombineKind::MaxNan:
    case CombineKind::MinNan:
    case CombineKind::And:
    case CombineKind::Or:
    case CombineKind::Xor:
    case CombineKind::ArgMaxLeft:
    case CombineKind::ArgMinLeft:
    case CombineKind::ArgMaxAny:
    case CombineKind::ArgMinAny:
      return true;
  }
  return false;
}

/// `redux.sync` folds 32-bit integers; narrower ones are widened, and the order of floats is that
/// of an integer made of their bits.
bool has_warp_fold(CombineKind kind, ElementType element) {
  constexpr int kWordBytes = 4;
  if (element.is_pointer() || is_fp8(element.scalar) || byte_size(element.scalar) > kWordBytes) {
    return false;
  }
  switch (kind) {
    case CombineKind::Add:
    case CombineKind::And:
    case CombineKind::Or:
    case CombineKind::Xor:
      return is_integer(element.scalar);
    case CombineKind::Max:
    case CombineKind::Min:
    case CombineKind::MaxNan:
    case CombineKind::MinNan:
      return true;
    case CombineKind::Mul:
    case CombineKind::Other:
    case CombineKind::ArgMaxLeft:
    case CombineKind::ArgMinLeft:
    case CombineKind::ArgMaxAny:
    case CombineKind::ArgMinAny:
      return false;
  }
  return false;
}

}  // namespace

FoldFacts fold_facts(const Function& function, InstId id) {
  const Inst& inst = function.inst(id);
  FoldFacts facts;
  facts.kind = combine_kind(function, inst.regions[0]);
  facts.commutes = facts.kind != CombineKind::Other;
  const ElementType first = function.type(inst.operands[0]).element;
  facts.traits.order_is_free = is_order_free(facts.kind, first);
  facts.traits.has_warp_fold = facts.traits.order_is_free && has_warp_fold(facts.kind, first);
  facts.traits.widest_bytes = 0;
  facts.traits.total_bytes = 0;
  for (const ValueId operand : inst.operands) {
    const int bytes = function.type(operand).element.byte_size();
    facts.element_bytes.push_back(bytes);
    facts.traits.widest_bytes = std::max(facts.traits.widest_bytes, bytes);
    facts.traits.total_bytes += bytes;
  }
  return facts;
}

ReductionPlan plan_reduce(const GpuFunction& gpu, InstId id) {
  const Inst& inst = gpu.function.inst(id);
  return plan_reduction(gpu.layouts.of(inst.operands[0]), static_cast<int>(int_attr<"axis">(inst)),
                        fold_facts(gpu.function, id).traits);
}

ScanPlan plan_scan(const GpuFunction& gpu, InstId id) {
  const Inst& inst = gpu.function.inst(id);
  return plan_scan(gpu.layouts.of(inst.operands[0]), static_cast<int>(int_attr<"axis">(inst)),
                   bool_attr<"reverse">(inst), fold_facts(gpu.function, id).traits.total_bytes);
}

ScratchUse fold_scratch(const GpuFunction& gpu, InstId id) {
  const FoldFacts facts = fold_facts(gpu.function, id);
  if (gpu.function.inst(id).op == Op::Scan) {
    return scan_scratch(plan_scan(gpu, id), facts.element_bytes);
  }
  return reduction_scratch(plan_reduce(gpu, id), facts.element_bytes);
}

}  // namespace tilery::codegen
