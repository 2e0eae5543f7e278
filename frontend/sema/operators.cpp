// Unary operators, comparisons, and/or/not, conditions and selection. Arithmetic is in
// arithmetic.cpp.
#include "frontend/sema/operators.h"

#include "frontend/sema/constexpr_ops.h"
#include "frontend/sema/tensor_ops.h"

#include <array>

namespace tilery::sema {
namespace {

MaybeValue report_unary(Sema& sema, ast::UnaryOp op, const Value& x, SourceRange range,
                        SourceRange operand, std::string help) {
  Diagnostic& diagnostic = sema.report(DiagId::OperandType, range, symbol(op), describe(x));
  label_operand(sema, diagnostic, operand, x);
  diagnostic.helped(std::move(help));
  explain_nothing(diagnostic, x);
  return {};
}

MaybeValue negate(Sema& sema, const Tensor& x, SourceRange range, SourceRange operand) {
  if (x.type.is_pointer()) {
    return report_unary(sema, ast::UnaryOp::Minus, Value{x}, range, operand,
                        "pointers only move: `ptr + n`, `ptr - n`");
  }
  // In one bit, 0 - x is x.
  return Value{x.type.element.is(Scalar::I1) ? x : map(sema, Op::Neg, {x})};
}

MaybeValue plus(Sema& sema, const Tensor& x, SourceRange range, SourceRange operand) {
  if (x.type.is_pointer()) {
    return report_unary(sema, ast::UnaryOp::Plus, Value{x}, range, operand, "leave the `+` out");
  }
  if (!allow_extension(sema, "unary `+` on a tensor", range, "leave the `+` out")) {
    return {};
  }
  return Value{x};
}

MaybeValue invert(Sema& sema, const Tensor& x, SourceRange range, SourceRange operand) {
  if (x.type.is_pointer() || is_float(x.type.element.scalar)) {
    return report_unary(sema, ast::UnaryOp::Invert, Value{x}, range, operand,
                        "`~` flips the bits of integers and booleans");
  }
  return Value{map(sema, Op::Not, {x})};
}

/// An operand of and, or, not as i1: scalars are compared with 0, blocks must be boolean.
MaybeTensor as_boolean(Sema& sema, std::string_view word, const Value& value, SourceRange range) {
  const auto* tensor = value.as<Tensor>();
  if (tensor == nullptr || tensor->type.is_scalar()) {
    return condition(sema, value, range);
  }
  if (!tensor->type.element.is(Scalar::I1)) {
    Diagnostic& diagnostic =
        sema.report(DiagId::LogicOnIntegers, range, word, type_text(tensor->type));
    label_operand(sema, diagnostic, range, value);
    diagnostic.helped(word == "not" ? "compare it: `x == 0`"
                                    : "compare it: `x != 0`; between blocks use `&` and `|`");
    return {};
  }
  return *tensor;
}

MaybeValue logical_not(Sema& sema, const Tensor& x, SourceRange operand) {
  const MaybeTensor flag = as_boolean(sema, "not", Value{x}, operand);
  return flag ? MaybeValue(Value{map(sema, Op::Not, {*flag})}) : std::nullopt;
}

Op comparison(ast::CompareOp op) {
  switch (op) {
    case ast::CompareOp::Eq:
      return Op::Eq;
    case ast::CompareOp::Ne:
      return Op::Ne;
    case ast::CompareOp::Lt:
      return Op::Lt;
    case ast::CompareOp::Le:
      return Op::Le;
    case ast::CompareOp::Gt:
      return Op::Gt;
    case ast::CompareOp::Ge:
      return Op::Ge;
    case ast::CompareOp::Is:
    case ast::CompareOp::IsNot:
    case ast::CompareOp::In:
    case ast::CompareOp::NotIn:
      break;
  }
  return Op::Eq;
}

MaybeValue report_comparison(Sema& sema, ast::CompareOp op, const Value& lhs, const Value& rhs,
                             BinaryRanges ranges) {
  std::string help;
  if (lhs.is<NoneValue>() || rhs.is<NoneValue>()) {
    help = "test for None with `is None` or `is not None`";
  } else if (is_pointer(lhs) || is_pointer(rhs)) {
    help = "pointers cannot be compared; compare offsets, or `ptr.to(tl.int64)`";
  } else if (op == ast::CompareOp::In || op == ast::CompareOp::NotIn) {
    help = "write `(x == a) | (x == b)`";
  }
  Diagnostic& diagnostic =
      sema.report(DiagId::OperandTypes, ranges.whole, symbol(op), describe(lhs), describe(rhs));
  label_operands(sema, diagnostic, lhs, rhs, ranges);
  diagnostic.helped(std::move(help));
  explain_nothing(diagnostic, lhs);
  explain_nothing(diagnostic, rhs);
  return {};
}

bool is_comparable(const Value& value) {
  return value.is_number() || (value.is<Tensor>() && !is_pointer(value));
}

/// Both sides of a selection in one type: numbers promote weakly, pointers must be equal.
std::optional<std::pair<Tensor, Tensor>> selected_pair(Sema& sema, const Value& x, const Value& y,
                                                       BinaryRanges ranges) {
  if (!is_pointer(x) && !is_pointer(y)) {
    return promote_pair(sema, x, y, ranges, Division::No, "where");
  }
  const auto* a = x.as<Tensor>();
  const auto* b = y.as<Tensor>();
  if (a == nullptr || b == nullptr || a->type.element != b->type.element) {
    Diagnostic& diagnostic =
        sema.report(DiagId::SelectTypes, ranges.whole, describe(x), describe(y));
    label_operands(sema, diagnostic, x, y, ranges);
    diagnostic.helped("both must be pointers of one type");
    return {};
  }
  return std::pair(*a, *b);
}

}  // namespace

std::string_view symbol(ast::UnaryOp op) {
  constexpr std::array<std::string_view, 4> kSymbols{"+", "-", "~", "not"};
  return kSymbols[static_cast<std::size_t>(op)];
}

std::string_view symbol(ast::CompareOp op) {
  constexpr std::array<std::string_view, 10> kSymbols{"==", "!=", "<",      "<=", ">",
                                                      ">=", "is", "is not", "in", "not in"};
  return kSymbols[static_cast<std::size_t>(op)];
}

MaybeValue unary_operator(Sema& sema, ast::UnaryOp op, const Value& x, SourceRange range,
                          SourceRange operand) {
  const auto* tensor = x.as<Tensor>();
  if (tensor == nullptr) {
    return fold_unary(sema, op, x, range, operand);
  }
  sema.set_range(range);
  switch (op) {
    case ast::UnaryOp::Plus:
      return plus(sema, *tensor, range, operand);
    case ast::UnaryOp::Minus:
      return negate(sema, *tensor, range, operand);
    case ast::UnaryOp::Invert:
      return invert(sema, *tensor, range, operand);
    case ast::UnaryOp::Not:
      return logical_not(sema, *tensor, operand);
  }
  return {};
}

MaybeValue compare_operator(Sema& sema, ast::CompareOp op, const Value& lhs, const Value& rhs,
                            BinaryRanges ranges) {
  const bool is_identity = op == ast::CompareOp::Is || op == ast::CompareOp::IsNot;
  if (is_identity || (!lhs.is<Tensor>() && !rhs.is<Tensor>())) {
    return fold_compare(sema, op, lhs, rhs, ranges);
  }
  const bool is_membership = op == ast::CompareOp::In || op == ast::CompareOp::NotIn;
  if (is_membership || !is_comparable(lhs) || !is_comparable(rhs)) {
    return report_comparison(sema, op, lhs, rhs, ranges);
  }
  sema.set_range(ranges.whole);
  const auto pair = strong_pair(sema, lhs, rhs, ranges, symbol(op));
  if (!pair) {
    return {};
  }
  return Value{map(sema, comparison(op), {pair->first, pair->second})};
}

MaybeValue logical_operator(Sema& sema, ast::BoolOp op, const Value& lhs, const Value& rhs,
                            BinaryRanges ranges) {
  const bool is_and = op == ast::BoolOp::And;
  const std::string_view word = is_and ? "and" : "or";
  sema.set_range(ranges.whole);
  const MaybeTensor a = as_boolean(sema, word, lhs, ranges.lhs);
  const MaybeTensor b = as_boolean(sema, word, rhs, ranges.rhs);
  if (!a || !b) {
    return {};
  }
  const auto pair = broadcast_pair(sema, *a, *b, ranges, {&lhs, &rhs});
  if (!pair) {
    return {};
  }
  if (!pair->first.type.is_scalar()) {
    Diagnostic& diagnostic = sema.report(DiagId::LogicalOnBlocks, ranges.whole, word);
    label_operands(sema, diagnostic, lhs, rhs, ranges);
    diagnostic.helped(is_and ? "write `(…) & (…)`" : "write `(…) | (…)`");
  }
  return Value{map(sema, is_and ? Op::And : Op::Or, {pair->first, pair->second})};
}

MaybeTensor condition(Sema& sema, const Value& value, SourceRange range) {
  MaybeTensor tensor = to_tensor(sema, value, range);
  if (!tensor) {
    return {};
  }
  if (!tensor->type.is_scalar()) {
    if (tensor->type.numel() != 1) {
      Diagnostic& diagnostic = sema.report(DiagId::BlockCondition, range, type_text(tensor->type));
      label_operand(sema, diagnostic, range, value);
      diagnostic.helped(
          "choose element by element with `tl.where`, or reduce first: `tl.max(x) > 0`");
      return {};
    }
    sema.report(DiagId::OneElementCondition, range, type_text(tensor->type))
        .helped("take the element out with `.item()`");
    tensor = reshape(sema, *tensor, Shape());
  }
  return cast(sema, *tensor, Scalar::I1, range);
}

MaybeValue select(Sema& sema, const Value& condition, const Value& x, const Value& y,
                  SourceRange condition_range, BinaryRanges ranges) {
  sema.set_range(ranges.whole);
  const MaybeTensor raw = to_tensor(sema, condition, ranges.whole);
  if (!raw) {
    return {};
  }
  if (!raw->type.element.is(Scalar::I1)) {
    sema.report(DiagId::WhereCondition, ranges.whole, type_text(raw->type))
        .helped("compare it yourself: `x != 0`");
  }
  const MaybeTensor flag = cast(sema, *raw, Scalar::I1, ranges.whole);
  const auto values = selected_pair(sema, x, y, ranges);
  if (!flag || !values) {
    return {};
  }
  const auto sides = broadcast_pair(sema, values->first, values->second, ranges, {&x, &y});
  if (!sides) {
    return {};
  }
  // Both sides have one shape now; the label shows the one that is a block.
  const bool is_x_scalar = values->first.type.is_scalar();
  const auto first =
      broadcast_pair(sema, *flag, sides->first,
                     {ranges.whole, condition_range, is_x_scalar ? ranges.rhs : ranges.lhs},
                     {&condition, is_x_scalar ? &y : &x});
  if (!first) {
    return {};
  }
  const auto second = broadcast_pair(sema, first->first, sides->second, {ranges.whole, {}, {}});
  if (!second) {
    return {};
  }
  return Value{map(sema, Op::Select, {first->first, first->second, second->second})};
}

}  // namespace tilery::sema
