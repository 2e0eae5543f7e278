// What masks say about lanes: an i1 value as the `and` of conditions.
//
//     a = x < n                       {a}
//     b = x < 2                       {b}
//     m = a & b                       {a, b}
//     m2 = expand_dims(m)             {a seen through expand_dims, b seen through expand_dims}
//
// A condition is the number of an i1 value, or one beyond all values for a condition seen through a
// shape operation; the same operation on the same condition gives the same number again. Equal
// numbers mean equal conditions.
#pragma once

#include "interpreter/lifetimes.h"
#include "ir/function.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tilery::interpreter {

using Condition = std::uint32_t;

/// Conditions that hold together; sorted, without repetition.
using Conditions = std::vector<Condition>;

/// All that are in one of the two, or in both of them.
[[nodiscard]] Conditions united(const Conditions& a, const Conditions& b);
[[nodiscard]] Conditions intersected(const Conditions& a, const Conditions& b);

/// True if all of `part` are in `whole`.
[[nodiscard]] bool includes(const Conditions& whole, const Conditions& part);

class MaskConditions {
 public:
  /// Most conditions that a mask is taken apart into. An `and` of more is a condition of its own,
  /// so that a long chain of them costs no square of its length.
  static constexpr std::size_t kMost = 64;

  /// Both must outlive this.
  MaskConditions(const Function& function, const Lifetimes& lifetimes);

  /// The conditions whose `and` the i1 value is. Ask in program order: operands are asked first,
  /// and an answer is kept.
  [[nodiscard]] const Conditions& of(ValueId value);

  /// `from`, which hold for the result of a shape operation, as conditions on its operand. Those
  /// that are not the image of a condition there say nothing about the operand and are left out.
  [[nodiscard]] Conditions before(const Inst& inst, const Conditions& from);

  /// The position where a condition was computed.
  [[nodiscard]] int begin_of(Condition condition) const;

 private:
  /// A condition seen through a shape operation.
  struct Moved {
    Condition from = 0;
    std::uint32_t how = 0;
    int begin = 0;
  };

  [[nodiscard]] Conditions find(ValueId value);
  [[nodiscard]] Conditions moved(const Conditions& from, const Inst& inst);
  [[nodiscard]] std::uint32_t how(const Inst& inst);

  const Function& function_;
  const Lifetimes& lifetimes_;
  std::vector<Conditions> known_;                           ///< by value; empty: not asked yet
  std::map<std::string, std::uint32_t, std::less<>> hows_;  ///< shape operations by their text
  std::map<std::pair<Condition, std::uint32_t>, Condition> images_;
  std::vector<Moved> moved_;  ///< the conditions beyond all values
};

}  // namespace tilery::interpreter
