// The form of one instruction's result from those of its operands. Private to affine.
#pragma once

#include "ir/analysis/affine.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace tilery::affine {

/// An integer that is not an i1, which is a mask.
[[nodiscard]] bool is_plain_integer(const Type& type);
[[nodiscard]] bool is_mask(const Type& type);
[[nodiscard]] bool is_comparison(Op op);

/// For each axis of the result the operand's axis that it runs along, or -1 where the element does
/// not change along it.
using AxisMap = std::vector<int>;

/// Where a Shape op takes its axes from, or nothing if it mixes them.
[[nodiscard]] std::optional<AxisMap> axis_map(const Function& function, const Inst& inst);

/// A value about whose elements nothing is known but their strides.
[[nodiscard]] AffineForm leaf(const Type& type, ValueId value, std::vector<LinearSum> strides);
/// A value that is the same in every element.
[[nodiscard]] AffineForm uniform_leaf(const Type& type, ValueId value);
[[nodiscard]] AffineForm constant_form(const Type& type, std::uint64_t bits);
/// A mask that is the same everywhere; `bits` if it is a constant.
[[nodiscard]] MaskForm uniform_mask(ValueId value, std::optional<std::uint64_t> bits);

/// `lhs + factor·rhs`; a pointer can only be on the left.
[[nodiscard]] AffineForm sum(const AffineForm& lhs, const AffineForm& rhs, std::int64_t factor);

/// The function with the forms found so far.
struct Known {
  const Function& function;
  const Affine& affine;

  [[nodiscard]] const AffineForm* form(ValueId value) const { return affine.form(value); }

  /// No element can have wrapped: the form is one value of a type that fits, or all constants.
  [[nodiscard]] bool is_plainly_in_range(ValueId value) const;
};

/// The form of a pure instruction with one result, a tile of integers or pointers.
[[nodiscard]] std::optional<AffineForm> form_of(const Known& known, const Inst& inst);
/// The same for a tile of i1.
[[nodiscard]] std::optional<MaskForm> mask_of(const Known& known, const Inst& inst);

}  // namespace tilery::affine
