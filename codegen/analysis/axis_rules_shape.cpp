// Constants, counters, hints, and ops that move elements without changing them.
#include "codegen/analysis/axis_rule_set.h"
#include "ir/attributes.h"
#include "ir/builder.h"

#include <algorithm>

namespace tilery::codegen {
namespace {

/// What divides every element.
std::int64_t divisor_of_all(const AxisInfo& info, std::int64_t unit) {
  std::int64_t divisor = 1;
  for (const AxisFacts& facts : info.axes) {
    divisor = std::max(divisor, divisibility_at(facts, 1, unit));
  }
  return divisor;
}

}  // namespace

void AxisRules::constant() {
  const std::uint64_t bits = bits_attr<"value">(inst_);
  info_ = is_integer_result() ? constant_facts(type_, decode_int(type_.element.scalar, bits))
                              : uniform_facts(type_, 1);
}

void AxisRules::arange() {
  const std::int64_t start = int_attr<"start">(inst_);
  info_.axes[0] = {extent_power(type_, 0), power_in(start), 1};
  // A piece that ends inside the extent's odd part starts at start + a multiple of its length.
  if (info_.axes[0].contiguity != type_.shape[0]) {
    info_.axes[0].divisibility = std::min(info_.axes[0].divisibility, info_.axes[0].contiguity);
  }
  info_.non_negative = start >= 0;
}

void AxisRules::shape() {
  const AxisInfo& x = in(0);
  if (type_.is_scalar()) {
    info_.axes[0].divisibility = divisor_of_all(x, unit_of(type_));
  } else if (inst_.op == Op::Splat) {
    info_ = uniform_facts(type_, x.axes[0].divisibility);
  } else if (inst_.op == Op::Broadcast) {
    broadcast(x);
  } else if (inst_.op == Op::ExpandDims) {
    const auto axis = static_cast<std::ptrdiff_t>(int_attr<"axis">(inst_));
    info_.axes = x.axes;
    info_.axes.resize(static_cast<std::size_t>(type_.shape.rank()) - 1);
    info_.axes.insert(info_.axes.begin() + axis, {1, divisor_of_all(x, unit_of(type_)), 1});
  } else if (inst_.op == Op::Trans) {
    each_axis([&](AxisFacts& facts, std::size_t axis) {
      facts = x.axes[static_cast<std::size_t>(ints_attr<"order">(inst_)[axis])];
    });
  } else {
    reshape(x);
  }
  info_.constant = x.constant;
  info_.non_negative = x.non_negative;
  info_.non_zero = x.non_zero;
}

void AxisRules::broadcast(const AxisInfo& x) {
  const Shape& from = operand_type(0).shape;
  each_axis([&](AxisFacts& facts, std::size_t axis) {
    facts = x.axes[axis];
    if (from[static_cast<int>(axis)] != type_.shape[static_cast<int>(axis)]) {
      facts.constancy = extent_power(type_, axis);
    }
  });
}

void AxisRules::reshape(const AxisInfo& x) {
  if (x.constant || is_uniform(x)) {
    info_ = uniform_facts(type_, divisor_of_all(x, unit_of(type_)));
    return;
  }
  const std::int64_t divisor = divisor_of_all(x, unit_of(type_));
  each_axis([&](AxisFacts& facts, std::size_t) { facts.divisibility = divisor; });
  const int to = innermost(type_.shape);
  const int from = innermost(operand_type(0).shape);
  if (to < 0 || from < 0) {
    return;
  }
  const AxisFacts& run = x.axes[static_cast<std::size_t>(from)];
  AxisFacts& facts = info_.axes[static_cast<std::size_t>(to)];
  const std::int64_t reach = extent_power(type_, static_cast<std::size_t>(to));
  facts.contiguity = std::min(run.contiguity, reach);
  facts.divisibility = divisibility_at(run, facts.contiguity, unit_of(type_));
  facts.constancy = std::min(run.constancy, reach);
}

bool AxisRules::is_uniform(const AxisInfo& x) const {
  const Shape& from = operand_type(0).shape;
  for (int axis = 0; axis < from.rank(); ++axis) {
    if (x.axes[static_cast<std::size_t>(axis)].constancy != from[axis]) {
      return false;
    }
  }
  return true;
}

int AxisRules::innermost(const Shape& shape) {
  int axis = shape.rank() - 1;
  while (axis >= 0 && shape[axis] == 1) {
    --axis;
  }
  return axis;
}

void AxisRules::hint() {
  info_ = in(0);
  const auto values = ints_attr<"values">(inst_);
  each_axis([&](AxisFacts& facts, std::size_t axis) {
    const std::int64_t promise = axis < values.size() ? power_in(values[axis]) : 1;
    const std::int64_t run = std::min(promise, extent_power(type_, axis));
    if (inst_.op == Op::MultipleOf) {
      facts.divisibility = std::max(facts.divisibility, promise);
    } else if (inst_.op == Op::MaxContiguous) {
      facts.contiguity = std::max(facts.contiguity, run);
    } else {
      facts.constancy = std::max(facts.constancy, run);
    }
  });
}

}  // namespace tilery::codegen
