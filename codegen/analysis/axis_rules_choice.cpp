// Ops whose result is one of their operands or a truth about them: comparisons, choices, casts.
#include "codegen/analysis/axis_rule_set.h"
#include "ir/builder.h"

#include <algorithm>

namespace tilery::codegen {

void AxisRules::equal_where_operands_are() {
  each_axis([&](AxisFacts& facts, std::size_t axis) {
    facts.constancy = extent_power(type_, axis);
    for (const ValueId x : inst_.operands) {
      facts.constancy = std::min(facts.constancy, facts_(x).axes[axis].constancy);
    }
  });
}

void AxisRules::extremum() {
  const bool either = inst_.op == Op::Maximum && is_signed_integer(type_.element.scalar);
  info_.non_negative =
      either ? in(0).non_negative || in(1).non_negative : in(0).non_negative && in(1).non_negative;
  each_axis([&](AxisFacts& facts, std::size_t axis) { facts = weaker(0, 1, axis, facts); });
}

void AxisRules::select() {
  info_.non_negative = in(1).non_negative && in(2).non_negative;
  each_axis([&](AxisFacts& facts, std::size_t axis) {
    facts = weaker(1, 2, axis, facts);
    const std::int64_t pieces = in(0).axes[axis].constancy;
    if (facts.contiguity > pieces) {
      facts.divisibility = divisibility_at(facts, pieces, unit_of(type_));
      facts.contiguity = pieces;
    }
  });
  if (type_.element.is_pointer() || is_integer_result()) {
    return;
  }
  each_axis([&](AxisFacts& facts, std::size_t) { facts = {1, 1, facts.constancy}; });
}

AxisFacts AxisRules::weaker(int a, int b, std::size_t axis, AxisFacts facts) const {
  const AxisFacts& x = in(a).axes[axis];
  const AxisFacts& y = in(b).axes[axis];
  const std::int64_t unit = unit_of(type_);
  facts.contiguity = std::min(x.contiguity, y.contiguity);
  facts.divisibility = std::min(divisibility_at(x, facts.contiguity, unit),
                                divisibility_at(y, facts.contiguity, unit));
  return facts;
}

void AxisRules::cast() {
  const Type& from = operand_type(0);
  if (!is_integer(from.element.scalar) || type_.element.is(Scalar::I1)) {
    info_.non_negative = true;
    return;
  }
  info_ = in(0);
  const int to_bits = bit_width(type_.element.scalar);
  const int from_bits = bit_width(from.element.scalar);
  const bool loses_sign =
      to_bits < from_bits || (to_bits == from_bits && is_unsigned_integer(from.element.scalar));
  if (info_.constant) {
    info_.constant =
        decode_int(type_.element.scalar, encode_int(type_.element.scalar, *info_.constant));
    info_.non_negative = *info_.constant >= 0;
    info_.non_zero = *info_.constant != 0;
    return;
  }
  info_.non_zero = info_.non_zero && to_bits >= from_bits;
  if (loses_sign && is_signed_integer(type_.element.scalar)) {
    info_.non_negative = false;
  }
}

void AxisRules::bitcast() {
  const Type& from = operand_type(0);
  const bool was_address = from.is_pointer();
  const bool is_address = type_.is_pointer();
  if (was_address && is_address && unit_of(from) == unit_of(type_)) {
    info_.axes = in(0).axes;
    return;
  }
  if (!was_address && !is_address && is_integer(from.element.scalar) &&
      is_integer(type_.element.scalar)) {
    info_.axes = in(0).axes;
    return;
  }
  const bool both_integers = (was_address || is_integer(from.element.scalar)) &&
                             (is_address || is_integer(type_.element.scalar));
  if (both_integers) {
    each_axis([&](AxisFacts& facts, std::size_t axis) {
      facts.divisibility = divisibility_at(in(0).axes[axis], 1, unit_of(from));
    });
  }
}

void AxisRules::compare() {
  const bool strict_left = inst_.op == Op::Lt || inst_.op == Op::Ge;
  const bool strict_right = inst_.op == Op::Gt || inst_.op == Op::Le;
  if (operand_type(0).is_pointer() || !is_integer(operand_type(0).element.scalar) ||
      (!strict_left && !strict_right)) {
    return;
  }
  each_axis([&](AxisFacts& facts, std::size_t axis) {
    facts.constancy = std::max({facts.constancy, aligned_piece(0, 1, axis, strict_left),
                                aligned_piece(1, 0, axis, strict_right)});
  });
}

std::int64_t AxisRules::aligned_piece(int run, int uniform, std::size_t axis,
                                      bool is_strict) const {
  const AxisFacts& r = in(run).axes[axis];
  const AxisFacts& u = in(uniform).axes[axis];
  std::int64_t divisor = is_strict ? divisibility_at(u, 1, 1) : 1;
  if (!is_strict && in(uniform).constant && *in(uniform).constant != INT64_MAX) {
    divisor = power_in(*in(uniform).constant + 1);
  }
  return std::min({r.contiguity, r.divisibility, u.constancy, divisor});
}

}  // namespace tilery::codegen
