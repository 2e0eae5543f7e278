// The rules of axis_rules.h, one instruction at a time: what the axis_rules*.cpp files share.
// Private to them.
//
// A rule starts from "nothing is known, but equal operands give equal results" and says more:
//
//     x + c        a run stays a run                          integers
//     x % 8        runs of at most 8, if x counts up          integers
//     x < n        equal over whole pieces, if n divides      comparisons
//     x[:, None]   each axis keeps its facts                  shape
#pragma once

#include "codegen/analysis/axis_rules.h"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace tilery::codegen {

/// "Divides everything": the divisibility of 0, and the cap of products.
inline constexpr std::int64_t kEverything = std::int64_t{1} << 31;

/// Largest power of two that divides `n`, capped.
[[nodiscard]] std::int64_t power_in(std::int64_t n);
[[nodiscard]] std::int64_t power_in_product(std::int64_t a, std::int64_t b);
/// The largest power of two that divides the extent of an axis; 1 for a scalar.
[[nodiscard]] std::int64_t extent_power(const Type& type, std::size_t axis);
/// What a value grows by along a run: 1, or the bytes of a pointee.
[[nodiscard]] std::int64_t unit_of(const Type& type);
/// What divides the first elements of pieces of `length` elements; `unit` is what the value grows
/// by along a run.
[[nodiscard]] std::int64_t divisibility_at(const AxisFacts& facts, std::int64_t length,
                                           std::int64_t unit);
/// The same element everywhere, a multiple of `divisibility`.
[[nodiscard]] AxisInfo uniform_facts(const Type& type, std::int64_t divisibility);
[[nodiscard]] AxisInfo constant_facts(const Type& type, std::int64_t value);

/// The rules of one instruction.
class AxisRules {
 public:
  AxisRules(const Function& function, const Inst& inst, std::uint32_t result,
            const AxisLookup& facts)
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

  void multiply() { info_ = product(in(0), in(1), info_); }

  // ---- constants and shape: axis_rules_shape.cpp ----

  void constant();
  void arange();
  void shape();
  void broadcast(const AxisInfo& x);
  /// Runs along the innermost axis stay runs, as far as the new innermost axis reaches.
  void reshape(const AxisInfo& x);
  [[nodiscard]] bool is_uniform(const AxisInfo& x) const;
  /// The last axis with more than one element, or -1.
  static int innermost(const Shape& shape);
  void hint();

  // ---- integer arithmetic and pointers: axis_rules_integer.cpp ----

  /// Or, exclusive or, negation, magnitude: what divides all operands divides the result.
  void one_divisor();
  /// add and addptr: a run plus equal numbers stays a run. An offset counts elements, a pointer's
  /// divisibility bytes.
  void add();
  /// A run minus equal numbers stays a run; equal numbers minus a run count down.
  void subtract();
  /// Times 1 is the identity. Else runs are lost, and of a run only what divides all of it counts.
  static AxisInfo product(const AxisInfo& a, const AxisInfo& b, AxisInfo result);
  void multiply_add();
  /// Elements of a run that lie between two multiples of the divisor: from a start that is a
  /// multiple of `length`, with a divisor that is one, too.
  [[nodiscard]] static std::int64_t piece(const AxisFacts& run, const AxisFacts& divisor);
  /// Truncation toward zero has the same steps as flooring only from 0 up.
  void divide();
  /// x % 0 is 0 throughout.
  void remainder();
  /// By a constant: a product with, or a flooring division by, a power of two.
  void shift();
  /// `x & (2^k - 1)` is the flooring remainder by 2^k; otherwise what divides either side divides
  /// the result.
  void bit_and();

  // ---- comparisons, choices, casts: axis_rules_choice.cpp ----

  /// True of every op that looks only at one element of each operand.
  void equal_where_operands_are();
  /// The larger or smaller of two runs is a run.
  void extremum();
  void select();
  /// What holds of both operands; `facts` has the constancy.
  [[nodiscard]] AxisFacts weaker(int a, int b, std::size_t axis, AxisFacts facts) const;
  /// Between integers a multiple of 2^k stays one: whatever is cut off or filled in keeps the low
  /// bits.
  void cast();
  /// Runs count in pointees; every element of a pointer or an integer keeps its divisor.
  void bitcast();
  /// A run against equal numbers changes once, at a multiple of what divides both: `run < u` and
  /// `run >= u` are decided for a whole piece by its first element. `run <= u` is not (the piece
  /// that starts at u splits), unless u is a constant, when it is `run < u + 1`.
  void compare();
  [[nodiscard]] std::int64_t aligned_piece(int run, int uniform, std::size_t axis,
                                           bool is_strict) const;

  using Rule = void (AxisRules::*)();

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

}  // namespace tilery::codegen
