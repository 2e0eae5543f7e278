// Small steps that operators and builtins share: making instructions, and naming operands in
// messages.
#pragma once

#include "frontend/sema/sema.h"

#include <initializer_list>

namespace tilery::sema {

/// The limit on the elements of a block, as in the language.
inline constexpr std::int64_t kMaxElements = std::int64_t{1} << 20;

/// The IR value together with its type.
[[nodiscard]] Tensor tensor_of(Sema& sema, ValueId id);
/// An element-wise op with default attributes.
[[nodiscard]] Tensor map(Sema& sema, Op op, std::initializer_list<Tensor> operands);
using Attributes = std::vector<std::pair<std::string_view, Attr>>;

/// An op with one operand a group and one result, whose type is needed where operands do not fix
/// it.
[[nodiscard]] Tensor make(Sema& sema, Op op, std::initializer_list<Tensor> operands,
                          Attributes attributes, std::optional<Type> result = {});
/// The number in every element of `type`: integers wrap, floats round to nearest even.
[[nodiscard]] Tensor int_constant(Sema& sema, const Type& type, BigInt value);
[[nodiscard]] Tensor float_constant(Sema& sema, const Type& type, double value);
/// A scalar in every element of a block; a constant becomes a constant of the block type.
[[nodiscard]] Tensor splat(Sema& sema, const Tensor& scalar, const Shape& shape);
/// A number converted by value to another number type, without checks.
[[nodiscard]] Tensor convert(Sema& sema, const Tensor& x, Scalar scalar);
/// `x != 0` as i1, for numbers.
[[nodiscard]] Tensor is_nonzero(Sema& sema, const Tensor& x);
/// Inserts an axis of extent 1; a scalar becomes a block of one element.
[[nodiscard]] Tensor expand_dims(Sema& sema, const Tensor& x, int axis);
/// The elements in row-major order under another shape of the same count (scalars included).
[[nodiscard]] Tensor reshape(Sema& sema, const Tensor& x, const Shape& shape);

/// Reports a block that has too many elements or axes.
[[nodiscard]] bool check_block(Sema& sema, const Shape& shape, SourceRange range);
/// Reports `what` in strict mode, with what to write instead; true where extensions are on.
[[nodiscard]] bool allow_extension(Sema& sema, std::string_view what, SourceRange range,
                                   std::string_view rewrite);

/// Reports that the type is an 8-bit float, which can be moved, converted and multiplied by
/// `tl.dot`, but not computed with; false for other types.
[[nodiscard]] bool reject_fp8_arithmetic(Sema& sema, const ElementType& element, SourceRange range);

/// The source text of an operand on one line, shortened past 40 characters; "…" without a range.
[[nodiscard]] std::string operand_text(Sema& sema, SourceRange range);
/// Adds "`x`: fp32[64]" beside the operand.
void label_operand(Sema& sema, Diagnostic& diagnostic, SourceRange range, const Value& value);
void label_operands(Sema& sema, Diagnostic& diagnostic, const Value& lhs, const Value& rhs,
                    BinaryRanges ranges);

/// Where a helper without `return` gave the None that a message is about: says so, and replaces the
/// help. To be called last.
void explain_nothing(Diagnostic& diagnostic, const Value& value);

/// Smallest power of two that is at least `n`.
[[nodiscard]] std::int64_t next_power_of_two(std::int64_t n);
[[nodiscard]] bool is_power_of_two(std::int64_t n);

}  // namespace tilery::sema
