// What operators and the builtins built from them share: promotion of two values to tensors of one
// type, and names of operators.
#pragma once

#include "frontend/sema/promotion.h"
#include "frontend/sema/sema.h"

namespace tilery::sema {

/// The source spelling: "+", "//", "<=".
[[nodiscard]] std::string_view symbol(ast::BinaryOp op);
[[nodiscard]] std::string_view symbol(ast::CompareOp op);
[[nodiscard]] std::string_view symbol(ast::UnaryOp op);

/// Both numbers as tensors of their common type (semantics 1.4), not yet broadcast; weak scalars
/// are made directly in that type and must fit it. `symbol` names the operation in messages.
/// Pointers and values that are no numbers are refused.
[[nodiscard]] std::optional<std::pair<Tensor, Tensor>> promote_pair(Sema& sema, const Value& lhs,
                                                                    const Value& rhs,
                                                                    BinaryRanges ranges,
                                                                    Division division,
                                                                    std::string_view symbol);
/// `promote_pair` with numbers taken as literals of their own type (strong), then broadcast.
/// `written` is what messages show, if not lhs and rhs.
[[nodiscard]] std::optional<std::pair<Tensor, Tensor>> strong_pair(Sema& sema, const Value& lhs,
                                                                   const Value& rhs,
                                                                   BinaryRanges ranges,
                                                                   std::string_view symbol,
                                                                   WrittenOperands written = {});

/// Warns of `==`, `!=`, `is` and `in` between a string and a function, a type or a number, which
/// never are the same.
void warn_of_string_comparison(Sema& sema, ast::CompareOp op, const Value& lhs, const Value& rhs,
                               BinaryRanges ranges);

/// `ptr + n`, `n + ptr`, `ptr - n`; at least one operand is a pointer.
[[nodiscard]] MaybeValue pointer_arithmetic(Sema& sema, ast::BinaryOp op, const Value& lhs,
                                            const Value& rhs, BinaryRanges ranges);

/// The type that an operand brings to an operator: a tensor's, or a number's own. Nothing for other
/// values.
[[nodiscard]] std::optional<PromotionOperand> promotion_operand(const Value& value);
[[nodiscard]] bool is_pointer(const Value& value);
[[nodiscard]] bool is_float_operand(const Value& value);

}  // namespace tilery::sema
