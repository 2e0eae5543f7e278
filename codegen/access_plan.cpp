#include "codegen/access_plan.h"

#include "codegen/access_blame.h"
#include "ir/operands.h"
#include "ir/support/plural.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace tilery::codegen {
namespace {

/// What the facts allow, each bound by itself, in elements.
struct Bounds {
  std::int64_t most = 1;  ///< 16 bytes, or all that a thread has
  std::int64_t contiguity = 1;
  std::int64_t alignment = 1;
  std::int64_t mask = 0;  ///< 0: there is none
  std::int64_t layout = 1;
};

Bounds bounds_of(const AxisTable& axes, const Function& function, InstId id, const Layout& layout,
                 std::int64_t bytes, int axis) {
  const Inst& access = function.inst(id);
  const AxisFacts& address = axes.of(operand<"ptr">(access)).axes[static_cast<std::size_t>(axis)];
  const auto held = static_cast<std::int64_t>(
      std::bit_floor(static_cast<unsigned>(std::max(1, layout.registers()))));
  Bounds bounds;
  bounds.most = std::min<std::int64_t>(kMaxAccessBytes / bytes, held);
  bounds.contiguity = address.contiguity;
  bounds.alignment = std::max<std::int64_t>(1, address.divisibility / bytes);
  bounds.layout = layout.contiguous_registers(axis);
  if (const ValueId mask = operand<"mask">(access)) {
    bounds.mask = axes.of(mask).axes[static_cast<std::size_t>(axis)].constancy;
  }
  return bounds;
}

AccessLimit limit_of(const Bounds& bounds, std::int64_t bytes, std::int64_t elements) {
  if (elements * bytes >= kMaxAccessBytes) {
    return AccessLimit::None;
  }
  if (elements >= bounds.most) {
    return AccessLimit::Elements;
  }
  if (bounds.contiguity <= elements) {
    return AccessLimit::Contiguity;
  }
  if (bounds.alignment <= elements) {
    return AccessLimit::Alignment;
  }
  return bounds.mask != 0 && bounds.mask <= elements ? AccessLimit::Mask : AccessLimit::Layout;
}

/// The tile's shape, and how many threads share it.
AccessReason few_elements(const Layout& layout) {
  return {fmt::format("a thread has only {} of the tile's {}, which {} share",
                      plural(layout.registers(), "element"), layout.shape().numel(),
                      plural(layout.threads(), "thread")),
          layout.warps() > 1 ? "fewer warps or a larger tile" : "a larger tile"};
}

}  // namespace

ValueId accessed_value(const Inst& access) {
  return access.op == Op::Load ? access.result() : operand<"value">(access);
}

AccessPlan plan_access(const AxisTable& axes, const Function& function, InstId access,
                       const Layout& layout, ElementType element) {
  AccessPlan plan;
  if (layout.shape().is_scalar()) {
    return plan;
  }
  const int bytes = element.byte_size();
  plan.axis = access_order(axes, function, access).front();
  plan.elements = std::min({access_elements(axes, function, access, plan.axis),
                            layout.contiguous_registers(plan.axis), kMaxAccessBytes / bytes});
  const Bounds bounds = bounds_of(axes, function, access, layout, bytes, plan.axis);
  plan.limit = limit_of(bounds, bytes, plan.elements);
  return plan;
}

AccessReason explain_access(const AxisTable& axes, const Function& function, InstId access,
                            const Layout& layout, const AccessPlan& plan) {
  const Inst& inst = function.inst(access);
  const Blame blame(function, axes, plan.axis);
  switch (plan.limit) {
    case AccessLimit::None:
      return {};
    case AccessLimit::Elements:
      return layout.shape().is_scalar() ? AccessReason{} : few_elements(layout);
    case AccessLimit::Layout:
      return {fmt::format("a thread holds {} side by side, as the rest of the kernel wants it",
                          plural(layout.contiguous_registers(plan.axis), "element")),
              {}};
    case AccessLimit::Contiguity:
      return blame.for_contiguity(operand<"ptr">(inst));
    case AccessLimit::Alignment:
      return blame.for_alignment(operand<"ptr">(inst));
    case AccessLimit::Mask:
      return blame.for_mask(operand<"mask">(inst));
  }
  return {};
}

}  // namespace tilery::codegen
