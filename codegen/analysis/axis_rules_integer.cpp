// Arithmetic of integers, and pointers moved by them.
#include "codegen/analysis/axis_rule_set.h"

#include <algorithm>

namespace tilery::codegen {

void AxisRules::one_divisor() {
  each_axis([&](AxisFacts& facts, std::size_t axis) {
    facts.divisibility = kEverything;
    for (const ValueId x : inst_.operands) {
      facts.divisibility =
          std::min(facts.divisibility, divisibility_at(facts_(x).axes[axis], 1, 1));
    }
  });
  info_.non_negative = inst_.op == Op::Or && in(0).non_negative && in(1).non_negative;
}

void AxisRules::add() {
  const std::int64_t scale = unit_of(type_);
  each_axis([&](AxisFacts& facts, std::size_t axis) {
    const AxisFacts& a = in(0).axes[axis];
    const AxisFacts& b = in(1).axes[axis];
    facts.contiguity =
        std::max(std::min(a.contiguity, b.constancy), std::min(a.constancy, b.contiguity));
    facts.divisibility = std::min(divisibility_at(a, facts.contiguity, scale),
                                  power_in_product(divisibility_at(b, facts.contiguity, 1), scale));
  });
  info_.non_negative = inst_.op == Op::Add && in(0).non_negative && in(1).non_negative;
}

void AxisRules::subtract() {
  each_axis([&](AxisFacts& facts, std::size_t axis) {
    const AxisFacts& a = in(0).axes[axis];
    const AxisFacts& b = in(1).axes[axis];
    facts.contiguity = std::min(a.contiguity, b.constancy);
    facts.divisibility =
        std::min(divisibility_at(a, facts.contiguity, 1), divisibility_at(b, facts.contiguity, 1));
  });
}

AxisInfo AxisRules::product(const AxisInfo& a, const AxisInfo& b, AxisInfo result) {
  if (a.constant == 1 || b.constant == 1) {
    return a.constant == 1 ? b : a;
  }
  for (std::size_t axis = 0; axis < result.axes.size(); ++axis) {
    result.axes[axis].contiguity = 1;
    result.axes[axis].divisibility =
        power_in_product(divisibility_at(a.axes[axis], 1, 1), divisibility_at(b.axes[axis], 1, 1));
  }
  result.non_negative = a.non_negative && b.non_negative;
  return result;
}

void AxisRules::multiply_add() {
  AxisInfo base = no_axis_facts(type_);
  each_axis([&](AxisFacts&, std::size_t axis) {
    base.axes[axis].constancy = std::min(in(0).axes[axis].constancy, in(1).axes[axis].constancy);
  });
  const AxisInfo scaled = product(in(0), in(1), base);
  each_axis([&](AxisFacts& facts, std::size_t axis) {
    const AxisFacts& a = scaled.axes[axis];
    const AxisFacts& b = in(2).axes[axis];
    facts.contiguity =
        std::max(std::min(a.contiguity, b.constancy), std::min(a.constancy, b.contiguity));
    facts.divisibility =
        std::min(divisibility_at(a, facts.contiguity, 1), divisibility_at(b, facts.contiguity, 1));
  });
  info_.non_negative = scaled.non_negative && in(2).non_negative;
}

std::int64_t AxisRules::piece(const AxisFacts& run, const AxisFacts& divisor) {
  return std::min({run.contiguity, run.divisibility, divisor.divisibility, divisor.constancy});
}

void AxisRules::divide() {
  if (in(1).constant == 1) {
    info_ = in(0);
    return;
  }
  info_.non_negative = in(0).non_negative && in(1).non_negative;
  const bool floors = in(0).non_negative;
  const std::int64_t by = in(1).constant.value_or(0);
  each_axis([&](AxisFacts& facts, std::size_t axis) {
    const AxisFacts& x = in(0).axes[axis];
    if (floors) {
      facts.constancy = std::max(facts.constancy, piece(x, in(1).axes[axis]));
    }
    if (by > 0 && by == power_in(by)) {
      facts.divisibility = std::max<std::int64_t>(1, divisibility_at(x, 1, 1) / by);
    }
  });
}

void AxisRules::remainder() {
  info_.non_negative = in(0).non_negative;
  const bool counts_up = in(0).non_negative && in(1).non_zero;
  each_axis([&](AxisFacts& facts, std::size_t axis) {
    const AxisFacts& x = in(0).axes[axis];
    const AxisFacts& by = in(1).axes[axis];
    facts.contiguity = counts_up ? piece(x, by) : 1;
    facts.divisibility =
        std::min(divisibility_at(x, facts.contiguity, 1), divisibility_at(by, 1, 1));
  });
}

void AxisRules::shift() {
  info_.non_negative = inst_.op == Op::Shr && in(0).non_negative;
  const std::int64_t count = in(1).constant.value_or(-1);
  if (count < 0 || count > 30 || count >= bit_width(type_.element.scalar)) {
    return;
  }
  const std::int64_t factor = std::int64_t{1} << count;
  if (factor == 1) {
    info_ = in(0);
    return;
  }
  each_axis([&](AxisFacts& facts, std::size_t axis) {
    const AxisFacts& x = in(0).axes[axis];
    const std::int64_t divisor = divisibility_at(x, 1, 1);
    if (inst_.op == Op::Shl) {
      facts.divisibility = power_in_product(divisor, factor);
    } else {
      facts.divisibility = std::max<std::int64_t>(1, divisor / factor);
      facts.constancy = std::max(facts.constancy, std::min({x.contiguity, x.divisibility, factor}));
    }
  });
}

void AxisRules::bit_and() {
  info_.non_negative = in(0).non_negative || in(1).non_negative;
  const std::int64_t mask = in(1).constant.value_or(0);
  const bool is_low_mask = mask > 0 && (mask & (mask + 1)) == 0 && mask < kEverything;
  each_axis([&](AxisFacts& facts, std::size_t axis) {
    const AxisFacts& x = in(0).axes[axis];
    if (is_low_mask) {
      facts.contiguity = std::min({x.contiguity, x.divisibility, mask + 1});
      facts.divisibility = divisibility_at(x, facts.contiguity, 1);
    } else {
      facts.divisibility =
          std::max(divisibility_at(x, 1, 1), divisibility_at(in(1).axes[axis], 1, 1));
    }
  });
}

}  // namespace tilery::codegen
