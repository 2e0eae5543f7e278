// Compile-time Python: what operators, comparisons, truth and text mean on values that are known
// while a kernel is specialised (semantics 1.2).
//
// Integers are unbounded in Python; here they have 127 bits and a sign, and a result beyond is
// reported. All functions that return an optional have reported what is wrong when it is empty.
#pragma once

#include "frontend/sema/sema.h"

namespace tilery::sema {

/// True for operands that the fold functions take: numbers, strings, None, tuples (of anything),
/// dtypes, functions, enumerators; everything that is no tensor.
[[nodiscard]] bool is_foldable(const Value& value);

/// Python's binary operators on two foldable values: `/` gives a float, `//` floors, `%` takes the
/// divisor's sign, `**` works; `+` and `*` also join and repeat tuples and strings, `%` formats a
/// string.
[[nodiscard]] std::optional<Value> fold_binary(Sema& sema, ast::BinaryOp op, const Value& lhs,
                                               const Value& rhs, BinaryRanges ranges);
/// `-x`, `+x`, `~x`, `not x`.
[[nodiscard]] std::optional<Value> fold_unary(Sema& sema, ast::UnaryOp op, const Value& x,
                                              SourceRange range, SourceRange operand);
/// All comparisons, `is`, `is not`, `in` and `not in` included. Tuples compare element by element;
/// tensors may be operands of `is` and `is not` only.
[[nodiscard]] std::optional<Value> fold_compare(Sema& sema, ast::CompareOp op, const Value& lhs,
                                                const Value& rhs, BinaryRanges ranges);
/// `lhs and rhs`, `lhs or rhs` of two values that are both there: one of them, as in Python.
[[nodiscard]] std::optional<Value> fold_logical(Sema& sema, ast::BoolOp op, const Value& lhs,
                                                const Value& rhs, BinaryRanges ranges);

/// Python's truth of a foldable value: 0, 0.0, "", (), None and False are false.
[[nodiscard]] bool truth(const Value& value);
/// Structural equality of foldable values; numbers compare by value (`1 == 1.0 == True`).
[[nodiscard]] bool equal(const Value& lhs, const Value& rhs);
/// `str(value)` as Python prints it: `3`, `0.5`, `True`, `(1, 'a')`; tensors as `fp32[64]`.
[[nodiscard]] std::string python_str(const Value& value);
/// `repr(value)`: like `str`, with strings quoted.
[[nodiscard]] std::string python_repr(const Value& value);
/// Python's `format(value, spec)` for numbers and strings ("04d", ".3f", ">8", "x", ",").
[[nodiscard]] std::optional<std::string> python_format(Sema& sema, const Value& value,
                                                       std::string_view spec, SourceRange range);
/// Tuples and strings hold at most so many elements, so that a kernel cannot ask for more memory
/// than there is.
inline constexpr std::size_t kLongestSequence = 65536;
/// Characters of a string, values of a tuple with those of nested tuples; 1 for other values. Past
/// the limit if tuples nest more than 100 deep (`depth` counts them).
[[nodiscard]] std::size_t sequence_size(const Value& value, int depth = 0);
/// Decimal text of a compile-time integer.
[[nodiscard]] std::string to_string(BigInt value);

// known_int and known_truth (declared in sema.h) are defined in constexpr_ops.cpp.

}  // namespace tilery::sema
