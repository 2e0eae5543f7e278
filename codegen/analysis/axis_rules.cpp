#include "codegen/analysis/axis_rules.h"

#include "ir/builder.h"
#include "ir/operands.h"
#include "ir/support/check.h"

#include <algorithm>
#include <bit>

namespace tilery::codegen {
namespace {

/// "Divides everything": the divisibility of 0, and the cap of products.
constexpr std::int64_t kEverything = std::int64_t{1} << 31;

/// Largest power of two that divides `n`, capped.
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

/// What divides the first elements of pieces of `length` elements; `unit` is what the value grows
/// by along a run.
std::int64_t divisibility_at(const AxisFacts& facts, std::int64_t length, std::int64_t unit) {
  return length < facts.contiguity ? std::min(facts.divisibility, length * unit)
                                   : facts.divisibility;
}

/// What divides every element.
std::int64_t divisor_of_all(const AxisInfo& info, std::int64_t unit) {
  std::int64_t divisor = 1;
  for (const AxisFacts& facts : info.axes) {
    divisor = std::max(divisor, divisibility_at(facts, 1, unit));
  }
  return divisor;
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

/// The rules of one instruction.
class Rules {
 public:
  Rules(const Function& function, const Inst& inst, std::uint32_t result, const AxisLookup& facts)
      : function_(function),
        inst_(inst),
        type_(function.type(inst.result(result))),
        facts_(facts),
        info_(no_axis_facts(type_)) {}

  AxisInfo run() {
    apply();
    return std::move(info_);
  }

 private:
  [[nodiscard]] const AxisInfo& in(int i) const { return facts_(operand(i)); }

  [[nodiscard]] ValueId operand(int i) const { return inst_.operands[static_cast<std::size_t>(i)]; }

  [[nodiscard]] const Type& operand_type(int i) const { return function_.type(operand(i)); }

  [[nodiscard]] bool is_integer_result() const {
    return !type_.is_pointer() && is_integer(type_.element.scalar);
  }

  /// Calls `rule(facts of the result, axis)` for every axis.
  template <class Rule>
  void each_axis(Rule&& rule) {
    for (std::size_t axis = 0; axis < info_.axes.size(); ++axis) {
      rule(info_.axes[axis], axis);
    }
  }

  /// The rule of the op, for those that know more than that equal operands give equal results.
  void apply();

  void program_index() { info_.non_negative = true; }

  void identity() { info_ = in(0); }

  void constant() {
    const std::uint64_t bits = inst_.bits_attr(0);
    info_ = is_integer_result() ? constant_facts(type_, decode_int(type_.element.scalar, bits))
                                : uniform_facts(type_, 1);
  }

  void arange() {
    const std::int64_t start = inst_.int_attr(0);
    info_.axes[0] = {extent_power(type_, 0), power_in(start), 1};
    // A piece that ends inside the extent's odd part starts at start + a multiple of its length.
    if (info_.axes[0].contiguity != type_.shape[0]) {
      info_.axes[0].divisibility = std::min(info_.axes[0].divisibility, info_.axes[0].contiguity);
    }
    info_.non_negative = start >= 0;
  }

  // ---- shape ----

  void shape() {
    const AxisInfo& x = in(0);
    if (type_.is_scalar()) {
      info_.axes[0].divisibility = divisor_of_all(x, unit_of(type_));
    } else if (inst_.op == Op::Splat) {
      info_ = uniform_facts(type_, x.axes[0].divisibility);
    } else if (inst_.op == Op::Broadcast) {
      broadcast(x);
    } else if (inst_.op == Op::ExpandDims) {
      const auto axis = static_cast<std::ptrdiff_t>(inst_.int_attr(0));
      info_.axes = x.axes;
      info_.axes.resize(static_cast<std::size_t>(type_.shape.rank()) - 1);
      info_.axes.insert(info_.axes.begin() + axis, {1, divisor_of_all(x, unit_of(type_)), 1});
    } else if (inst_.op == Op::Trans) {
      each_axis([&](AxisFacts& facts, std::size_t axis) {
        facts = x.axes[static_cast<std::size_t>(inst_.ints_attr(0)[axis])];
      });
    } else {
      reshape(x);
    }
    info_.constant = x.constant;
    info_.non_negative = x.non_negative;
    info_.non_zero = x.non_zero;
  }

  void broadcast(const AxisInfo& x) {
    const Shape& from = operand_type(0).shape;
    each_axis([&](AxisFacts& facts, std::size_t axis) {
      facts = x.axes[axis];
      if (from[static_cast<int>(axis)] != type_.shape[static_cast<int>(axis)]) {
        facts.constancy = extent_power(type_, axis);
      }
    });
  }

  /// Runs along the innermost axis stay runs, as far as the new innermost axis reaches.
  void reshape(const AxisInfo& x) {
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

  [[nodiscard]] bool is_uniform(const AxisInfo& x) const {
    const Shape& from = operand_type(0).shape;
    for (int axis = 0; axis < from.rank(); ++axis) {
      if (x.axes[static_cast<std::size_t>(axis)].constancy != from[axis]) {
        return false;
      }
    }
    return true;
  }

  /// The last axis with more than one element, or -1.
  static int innermost(const Shape& shape) {
    int axis = shape.rank() - 1;
    while (axis >= 0 && shape[axis] == 1) {
      --axis;
    }
    return axis;
  }

  void hint() {
    info_ = in(0);
    const auto values = inst_.ints_attr(0);
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

  // ---- map ops ----

  /// True of every op that looks only at one element of each operand.
  void equal_where_operands_are() {
    each_axis([&](AxisFacts& facts, std::size_t axis) {
      facts.constancy = extent_power(type_, axis);
      for (const ValueId x : inst_.operands) {
        facts.constancy = std::min(facts.constancy, facts_(x).axes[axis].constancy);
      }
    });
  }

  /// Or, exclusive or, negation, magnitude: what divides all operands divides the result.
  void one_divisor() {
    each_axis([&](AxisFacts& facts, std::size_t axis) {
      facts.divisibility = kEverything;
      for (const ValueId x : inst_.operands) {
        facts.divisibility =
            std::min(facts.divisibility, divisibility_at(facts_(x).axes[axis], 1, 1));
      }
    });
    info_.non_negative = inst_.op == Op::Or && in(0).non_negative && in(1).non_negative;
  }

  /// add and addptr: a run plus equal numbers stays a run. An offset counts elements, a pointer's
  /// divisibility bytes.
  void add() {
    const std::int64_t scale = unit_of(type_);
    each_axis([&](AxisFacts& facts, std::size_t axis) {
      const AxisFacts& a = in(0).axes[axis];
      const AxisFacts& b = in(1).axes[axis];
      facts.contiguity =
          std::max(std::min(a.contiguity, b.constancy), std::min(a.constancy, b.contiguity));
      facts.divisibility =
          std::min(divisibility_at(a, facts.contiguity, scale),
                   power_in_product(divisibility_at(b, facts.contiguity, 1), scale));
    });
    info_.non_negative = inst_.op == Op::Add && in(0).non_negative && in(1).non_negative;
  }

  /// A run minus equal numbers stays a run; equal numbers minus a run count down.
  void subtract() {
    each_axis([&](AxisFacts& facts, std::size_t axis) {
      const AxisFacts& a = in(0).axes[axis];
      const AxisFacts& b = in(1).axes[axis];
      facts.contiguity = std::min(a.contiguity, b.constancy);
      facts.divisibility = std::min(divisibility_at(a, facts.contiguity, 1),
                                    divisibility_at(b, facts.contiguity, 1));
    });
  }

  /// Times 1 is the identity. Else runs are lost, and of a run only what divides all of it counts.
  static AxisInfo product(const AxisInfo& a, const AxisInfo& b, AxisInfo result) {
    if (a.constant == 1 || b.constant == 1) {
      return a.constant == 1 ? b : a;
    }
    for (std::size_t axis = 0; axis < result.axes.size(); ++axis) {
      result.axes[axis].contiguity = 1;
      result.axes[axis].divisibility = power_in_product(divisibility_at(a.axes[axis], 1, 1),
                                                        divisibility_at(b.axes[axis], 1, 1));
    }
    result.non_negative = a.non_negative && b.non_negative;
    return result;
  }

  void multiply() { info_ = product(in(0), in(1), info_); }

  void multiply_add() {
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
      facts.divisibility = std::min(divisibility_at(a, facts.contiguity, 1),
                                    divisibility_at(b, facts.contiguity, 1));
    });
    info_.non_negative = scaled.non_negative && in(2).non_negative;
  }

  /// Elements of a run that lie between two multiples of the divisor: from a start that is a
  /// multiple of `length`, with a divisor that is one, too.
  [[nodiscard]] static std::int64_t piece(const AxisFacts& run, const AxisFacts& divisor) {
    return std::min({run.contiguity, run.divisibility, divisor.divisibility, divisor.constancy});
  }

  /// Truncation toward zero has the same steps as flooring only from 0 up.
  void divide() {
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

  /// x % 0 is 0 throughout.
  void remainder() {
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

  /// By a constant: a product with, or a flooring division by, a power of two.
  void shift() {
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
        facts.constancy =
            std::max(facts.constancy, std::min({x.contiguity, x.divisibility, factor}));
      }
    });
  }

  /// `x & (2^k - 1)` is the flooring remainder by 2^k; otherwise what divides either side divides
  /// the result.
  void bit_and() {
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

  /// The larger or smaller of two runs is a run.
  void extremum() {
    const bool either = inst_.op == Op::Maximum && is_signed_integer(type_.element.scalar);
    info_.non_negative = either ? in(0).non_negative || in(1).non_negative
                                : in(0).non_negative && in(1).non_negative;
    each_axis([&](AxisFacts& facts, std::size_t axis) { facts = weaker(0, 1, axis, facts); });
  }

  void select() {
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

  /// What holds of both operands; `facts` has the constancy.
  [[nodiscard]] AxisFacts weaker(int a, int b, std::size_t axis, AxisFacts facts) const {
    const AxisFacts& x = in(a).axes[axis];
    const AxisFacts& y = in(b).axes[axis];
    const std::int64_t unit = unit_of(type_);
    facts.contiguity = std::min(x.contiguity, y.contiguity);
    facts.divisibility = std::min(divisibility_at(x, facts.contiguity, unit),
                                  divisibility_at(y, facts.contiguity, unit));
    return facts;
  }

  /// Between integers a multiple of 2^k stays one: whatever is cut off or filled in keeps the low
  /// bits.
  void cast() {
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

  /// Runs count in pointees; every element of a pointer or an integer keeps its divisor.
  void bitcast() {
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

  /// A run against equal numbers changes once, at a multiple of what divides both: `run < u` and
  /// `run >= u` are decided for a whole piece by its first element. `run <= u` is not (the piece
  /// that starts at u splits), unless u is a constant, when it is `run < u + 1`.
  void compare() {
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

  [[nodiscard]] std::int64_t aligned_piece(int run, int uniform, std::size_t axis,
                                           bool is_strict) const {
    const AxisFacts& r = in(run).axes[axis];
    const AxisFacts& u = in(uniform).axes[axis];
    std::int64_t divisor = is_strict ? divisibility_at(u, 1, 1) : 1;
    if (!is_strict && in(uniform).constant && *in(uniform).constant != INT64_MAX) {
      divisor = power_in(*in(uniform).constant + 1);
    }
    return std::min({r.contiguity, r.divisibility, u.constancy, divisor});
  }

  using Rule = void (Rules::*)();

  struct Row {
    Op op;
    /// True if the rule holds only where the result is an integer.
    bool is_for_integers;
    Rule rule;
  };

  static const Row* row_of(Op op);

  const Function& function_;
  const Inst& inst_;
  const Type& type_;
  const AxisLookup& facts_;
  AxisInfo info_;
};

const Rules::Row* Rules::row_of(Op op) {
  static constexpr Row kRows[] = {
      {Op::ProgramId, false, &Rules::program_index},
      {Op::NumPrograms, false, &Rules::program_index},
      {Op::Constant, false, &Rules::constant},
      {Op::Arange, false, &Rules::arange},
      {Op::Splat, false, &Rules::shape},
      {Op::Broadcast, false, &Rules::shape},
      {Op::ExpandDims, false, &Rules::shape},
      {Op::Reshape, false, &Rules::shape},
      {Op::Trans, false, &Rules::shape},
      {Op::ConvertLayout, false, &Rules::identity},
      {Op::MultipleOf, false, &Rules::hint},
      {Op::MaxContiguous, false, &Rules::hint},
      {Op::MaxConstancy, false, &Rules::hint},
      {Op::AddPtr, false, &Rules::add},
      {Op::Eq, false, &Rules::compare},
      {Op::Ne, false, &Rules::compare},
      {Op::Lt, false, &Rules::compare},
      {Op::Le, false, &Rules::compare},
      {Op::Gt, false, &Rules::compare},
      {Op::Ge, false, &Rules::compare},
      {Op::Select, false, &Rules::select},
      {Op::Bitcast, false, &Rules::bitcast},
      {Op::Add, true, &Rules::add},
      {Op::Sub, true, &Rules::subtract},
      {Op::Mul, true, &Rules::multiply},
      {Op::Fma, true, &Rules::multiply_add},
      {Op::IDiv, true, &Rules::divide},
      {Op::Rem, true, &Rules::remainder},
      {Op::Shl, true, &Rules::shift},
      {Op::Shr, true, &Rules::shift},
      {Op::And, true, &Rules::bit_and},
      {Op::Or, true, &Rules::one_divisor},
      {Op::Xor, true, &Rules::one_divisor},
      {Op::Neg, true, &Rules::one_divisor},
      {Op::Abs, true, &Rules::one_divisor},
      {Op::Minimum, true, &Rules::extremum},
      {Op::Maximum, true, &Rules::extremum},
      {Op::Cast, true, &Rules::cast},
  };
  const auto* row = std::ranges::find(kRows, op, &Row::op);
  return row == std::end(kRows) ? nullptr : row;
}

void Rules::apply() {
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

}  // namespace

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
  return Rules(function, inst, i, facts).run();
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
