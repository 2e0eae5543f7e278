#include "codegen/analysis/axis_rules.h"

#include "codegen/analysis/axis_rule_set.h"
#include "ir/operands.h"

#include <algorithm>
#include <iterator>

namespace tilery::codegen {

std::int64_t power_in(std::int64_t n) {
  return n == 0 ? kEverything : std::min(n & -n, kEverything);
}

std::int64_t power_in_product(std::int64_t a, std::int64_t b) {
  return a >= kEverything / b ? kEverything : a * b;
}

std::int64_t extent_power(const Type& type, std::size_t axis) {
  return type.is_scalar() ? 1 : power_in(type.shape[static_cast<int>(axis)]);
}

std::int64_t unit_of(const Type& type) {
  return type.is_pointer() ? type.element.pointee().byte_size() : 1;
}

std::int64_t divisibility_at(const AxisFacts& facts, std::int64_t length, std::int64_t unit) {
  return length < facts.contiguity ? std::min(facts.divisibility, length * unit)
                                   : facts.divisibility;
}

AxisInfo uniform_facts(const Type& type, std::int64_t divisibility) {
  AxisInfo info = no_axis_facts(type);
  for (std::size_t axis = 0; axis < info.axes.size(); ++axis) {
    info.axes[axis] = {1, divisibility, extent_power(type, axis)};
  }
  return info;
}

AxisInfo constant_facts(const Type& type, std::int64_t value) {
  AxisInfo info = uniform_facts(type, power_in(value));
  info.constant = value;
  info.non_negative = value >= 0;
  info.non_zero = value != 0;
  return info;
}

const AxisRules::Row* AxisRules::row_of(Op op) {
  static constexpr Row kRows[] = {
      {Op::ProgramId, false, &AxisRules::program_index},
      {Op::NumPrograms, false, &AxisRules::program_index},
      {Op::Constant, false, &AxisRules::constant},
      {Op::Arange, false, &AxisRules::arange},
      {Op::Splat, false, &AxisRules::shape},
      {Op::Broadcast, false, &AxisRules::shape},
      {Op::ExpandDims, false, &AxisRules::shape},
      {Op::Reshape, false, &AxisRules::shape},
      {Op::Trans, false, &AxisRules::shape},
      {Op::ConvertLayout, false, &AxisRules::identity},
      {Op::MultipleOf, false, &AxisRules::hint},
      {Op::MaxContiguous, false, &AxisRules::hint},
      {Op::MaxConstancy, false, &AxisRules::hint},
      {Op::AddPtr, false, &AxisRules::add},
      {Op::Eq, false, &AxisRules::compare},
      {Op::Ne, false, &AxisRules::compare},
      {Op::Lt, false, &AxisRules::compare},
      {Op::Le, false, &AxisRules::compare},
      {Op::Gt, false, &AxisRules::compare},
      {Op::Ge, false, &AxisRules::compare},
      {Op::Select, false, &AxisRules::select},
      {Op::Bitcast, false, &AxisRules::bitcast},
      {Op::Add, true, &AxisRules::add},
      {Op::Sub, true, &AxisRules::subtract},
      {Op::Mul, true, &AxisRules::multiply},
      {Op::Fma, true, &AxisRules::multiply_add},
      {Op::IDiv, true, &AxisRules::divide},
      {Op::Rem, true, &AxisRules::remainder},
      {Op::Shl, true, &AxisRules::shift},
      {Op::Shr, true, &AxisRules::shift},
      {Op::And, true, &AxisRules::bit_and},
      {Op::Or, true, &AxisRules::one_divisor},
      {Op::Xor, true, &AxisRules::one_divisor},
      {Op::Neg, true, &AxisRules::one_divisor},
      {Op::Abs, true, &AxisRules::one_divisor},
      {Op::Minimum, true, &AxisRules::extremum},
      {Op::Maximum, true, &AxisRules::extremum},
      {Op::Cast, true, &AxisRules::cast},
  };
  const auto* row = std::ranges::find(kRows, op, &Row::op);
  return row == std::end(kRows) ? nullptr : row;
}

void AxisRules::apply() {
  const OpDef& def = op_def(inst_.op);
  if (def.is_map() || inst_.op == Op::AddPtr || inst_.op == Op::Load) {
    equal_where_operands_are();
  }
  const Row* row = row_of(inst_.op);
  if (row != nullptr && (!row->is_for_integers || is_integer_result())) {
    (this->*row->rule)();
  }
  if (!type_.is_pointer() && is_unsigned_integer(type_.element.scalar)) {
    info_.non_negative = true;
  }
}

AxisInfo no_axis_facts(const Type& type) {
  AxisInfo info;
  info.axes.resize(static_cast<std::size_t>(std::max(1, type.shape.rank())));
  info.non_negative = !type.is_pointer() && is_unsigned_integer(type.element.scalar);
  return info;
}

AxisInfo parameter_facts(const Param& param) {
  AxisInfo info = no_axis_facts(param.type);
  if (param.type.is_pointer()) {
    // An address is a multiple of its element's size, else the hardware refuses it.
    info.axes[0].divisibility = unit_of(param.type);
  }
  if (param.facts.divisible_by_16) {
    info.axes[0].divisibility = 16;
    info.non_zero = true;
  }
  const bool is_number = !param.type.is_pointer() && is_integer(param.type.element.scalar);
  return param.facts.equals_1 && is_number ? constant_facts(param.type, 1) : info;
}

AxisInfo joined_facts(const AxisInfo& a, const AxisInfo& b, const Type& type) {
  AxisInfo joined = a;
  for (std::size_t axis = 0; axis < joined.axes.size(); ++axis) {
    AxisFacts& facts = joined.axes[axis];
    const AxisFacts& other = b.axes[axis];
    const std::int64_t contiguity = std::min(facts.contiguity, other.contiguity);
    facts.divisibility = std::min(divisibility_at(facts, contiguity, unit_of(type)),
                                  divisibility_at(other, contiguity, unit_of(type)));
    facts.contiguity = contiguity;
    facts.constancy = std::min(facts.constancy, other.constancy);
  }
  if (a.constant != b.constant) {
    joined.constant.reset();
  }
  joined.non_negative = a.non_negative && b.non_negative;
  joined.non_zero = a.non_zero && b.non_zero;
  return joined;
}

AxisInfo result_facts(const Function& function, const Inst& inst, std::uint32_t i,
                      const AxisLookup& facts) {
  return AxisRules(function, inst, i, facts).run();
}

AxisInfo counter_facts(const Function& function, const Inst& loop, const AxisLookup& facts) {
  const AxisInfo& lower = facts(operand<"lower">(loop));
  const AxisInfo& step = facts(operand<"step">(loop));
  AxisInfo info = no_axis_facts(function.type(operand<"lower">(loop)));
  info.axes[0].divisibility = std::min(lower.axes[0].divisibility, step.axes[0].divisibility);
  info.non_negative = info.non_negative || (lower.non_negative && step.non_negative);
  return info;
}

}  // namespace tilery::codegen
