// Which values are affine in their element indices, and which masks are ranges along an axis.
//
// Most addresses of a tile kernel are a straight line along each axis:
//
//     %cols = arange start=0 end=64 : i32[64]         0 + 1·i
//     %0 = splat %offset : i32[64]                    offset + 0·i
//     %1 = add %0, %cols : i32[64]                    offset + 1·i
//     %2 = splat %x_ptr : *f32[64]                    x_ptr
//     %3 = addptr %2, %1 : *f32[64]                   x_ptr + offset + 1·i        (in elements)
//     %4 = splat %n : i32[64]                         n
//     %5 = lt %1, %4 : i1[64]                         offset - n + 1·i < 0
//
// so an executor needs a base and one stride an axis, and not 64 addresses. The analysis gives each
// such value's form: base and strides as sums of products of scalar values (linear_sum.h). Scalars
// are leaves: they are not taken apart, for the program computes them anyway.
//
// Loops and branches: a carried tile (`ptrs += 64`) keeps its strides if its initial value and
// every yielded one have the same; its base changes from iteration to iteration, so the form names
// the value itself, which stands for its element at index 0. Results of `if` likewise.
//
// Wrapping. A form of a w-bit integer is right modulo 2^w, whatever wraps. Where an integer becomes
// wider (a `cast`, the offset of an `addptr` below 64 bits) or is compared, more is needed: that no
// element of the operand leaves its type's range. Such forms and masks have `exact == false` unless
// that is plain from constants. Who uses them checks at run time, at the instructions that
// `narrow_operands` names, that the operand's smallest and largest element (its form computed in
// wide integers) lie in its type's range, and falls back to single elements if not.
#pragma once

#include "ir/analysis/linear_sum.h"
#include "ir/function.h"

#include <optional>
#include <vector>

namespace tilery {

/// Element at indices (i, j, …) is `pointer + base + strides[0]·i + strides[1]·j + …`.
struct AffineForm {
  /// For pointers: a value whose element at index 0 is the start; base and strides then count
  /// elements of the pointee. None for integers.
  ValueId pointer;
  LinearSum base;
  std::vector<LinearSum> strides;  ///< one an axis of the value's type
  /// False if the form also stands on operands that must not leave their types' ranges.
  bool exact = true;

  /// The same number in every element.
  [[nodiscard]] bool is_uniform() const;
};

/// One comparison of a mask: true where `base + stride·index relation 0`, in integers that do not
/// wrap.
struct MaskCondition {
  Op relation{};   ///< lt, le, gt, ge, eq or ne
  int axis = -1;   ///< of the mask's type; -1 if the condition is the same for all elements
  LinearSum base;  ///< left minus right operand
  LinearSum stride;
  ValueId compare;  ///< the comparison, or the scalar i1 value, that it comes from
  bool exact = true;
};

/// A mask that is true where all its conditions are. No condition: true everywhere.
struct MaskForm {
  std::vector<MaskCondition> conditions;
};

/// The forms of one function's values; a snapshot that holds no pointer to it.
class Affine {
 public:
  /// The form of an integer or pointer value, or null if it has none. A scalar is its own base.
  [[nodiscard]] const AffineForm* form(ValueId value) const;
  /// The form of an i1 value, or null.
  [[nodiscard]] const MaskForm* mask(ValueId value) const;

 private:
  friend class AffineFinder;

  std::vector<std::optional<AffineForm>> forms_;
  std::vector<std::optional<MaskForm>> masks_;
};

[[nodiscard]] Affine find_affine(const Function& function);

/// The operands that must stay in their types' ranges for the form of this instruction's result:
/// those of a widening `cast`, of an `addptr` with a narrow offset, and of a comparison.
[[nodiscard]] std::vector<ValueId> narrow_operands(const Function& function, const Inst& inst);

}  // namespace tilery
