#include "ir/analysis/affine_rules.h"

#include <algorithm>

namespace tilery::affine {
namespace {

std::optional<MaskForm> comparison(const Known& known, const Inst& inst) {
  const ValueId lhs = inst.operand(0);
  const ValueId rhs = inst.operand(1);
  if (known.form(lhs) == nullptr || known.form(rhs) == nullptr ||
      known.function.type(lhs).is_pointer()) {
    return std::nullopt;
  }
  const AffineForm difference = sum(*known.form(lhs), *known.form(rhs), -1);
  MaskCondition condition{
      inst.op,
      -1,
      difference.base,
      LinearSum(),
      inst.result(),
      difference.exact && known.is_plainly_in_range(lhs) && known.is_plainly_in_range(rhs)};
  for (std::size_t i = 0; i < difference.strides.size(); ++i) {
    if (difference.strides[i].is_zero()) {
      continue;
    }
    if (condition.axis >= 0) {
      return std::nullopt;
    }
    condition.axis = static_cast<int>(i);
    condition.stride = difference.strides[i];
  }
  return MaskForm{{condition}};
}

/// A condition follows its axis; where the operand had extent 1 its index is 0 and the condition
/// is the base's alone.
MaskForm moved(const MaskForm& source, const AxisMap& axes) {
  MaskForm mask = source;
  for (MaskCondition& condition : mask.conditions) {
    const auto at = std::ranges::find(axes, condition.axis);
    if (condition.axis < 0 || at == axes.end()) {
      condition.axis = -1;
      condition.stride = LinearSum();
    } else {
      condition.axis = static_cast<int>(at - axes.begin());
    }
  }
  return mask;
}

}  // namespace

MaskForm uniform_mask(ValueId value, std::optional<std::uint64_t> bits) {
  if (bits && *bits != 0) {
    return {};
  }
  const LinearSum base = bits ? LinearSum() : LinearSum(value);
  return {{{Op::Ne, -1, base, LinearSum(), value, true}}};
}

std::optional<MaskForm> mask_of(const Known& known, const Inst& inst) {
  if (inst.op == Op::Constant) {
    return uniform_mask(inst.result(), inst.bits_attr(0));
  }
  if (is_comparison(inst.op)) {
    return comparison(known, inst);
  }
  if (inst.operands.empty() || known.affine.mask(inst.operand(0)) == nullptr) {
    return std::nullopt;
  }
  const MaskForm& source = *known.affine.mask(inst.operand(0));
  if (inst.op == Op::And && known.affine.mask(inst.operand(1)) != nullptr) {
    MaskForm both = source;
    const auto& more = known.affine.mask(inst.operand(1))->conditions;
    both.conditions.insert(both.conditions.end(), more.begin(), more.end());
    return both;
  }
  if (op_def(inst.op).family == OpFamily::Shape) {
    const auto axes = axis_map(known.function, inst);
    return axes ? std::optional(moved(source, *axes)) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace tilery::affine
