// Binary arithmetic: promotion, ranges of literals, pointers (semantics 1.4 to 1.6 and 3.1).
#include "frontend/sema/constexpr_ops.h"
#include "frontend/sema/operators.h"
#include "frontend/sema/tensor_ops.h"

#include <array>
#include <cmath>

namespace tilery::sema {
namespace {

using ast::BinaryOp;

bool is_division(BinaryOp op) {
  return op == BinaryOp::Div || op == BinaryOp::FloorDiv || op == BinaryOp::Mod;
}

bool is_shift(BinaryOp op) {
  return op == BinaryOp::Shl || op == BinaryOp::Shr;
}

bool is_bitwise(BinaryOp op) {
  return op == BinaryOp::BitAnd || op == BinaryOp::BitOr || op == BinaryOp::BitXor;
}

void report_operands(Sema& sema, std::string_view symbol, const Value& lhs, const Value& rhs,
                     BinaryRanges ranges, std::string help) {
  Diagnostic& diagnostic =
      sema.report(DiagId::OperandTypes, ranges.whole, symbol, describe(lhs), describe(rhs));
  label_operands(sema, diagnostic, lhs, rhs, ranges);
  diagnostic.helped(std::move(help));
  explain_nothing(diagnostic, lhs);
  explain_nothing(diagnostic, rhs);
}

/// A weak negative integer does not meet an unsigned type.
bool check_sign(Sema& sema, const Value& value, const Value& other, Scalar result,
                SourceRange range) {
  const auto* integer = value.as<BigInt>();
  if (integer == nullptr || *integer >= 0 || !is_unsigned_integer(result)) {
    return true;
  }
  Diagnostic& diagnostic =
      sema.report(DiagId::NegativeWithUnsigned, range, to_string(*integer), describe(other));
  diagnostic.helped("say which you mean: `x.to(tl.int32)`, or `tl.full((), value, dtype)`");
  return false;
}

MaybeTensor promoted(Sema& sema, const Value& value, Scalar scalar, SourceRange range) {
  if (const auto* tensor = value.as<Tensor>()) {
    return convert(sema, *tensor, scalar);
  }
  return to_element(sema, value, scalar, range);
}

void report_promotion(Sema& sema, PromotionError error, const Value& lhs, const Value& rhs,
                      BinaryRanges ranges, std::string_view symbol) {
  if (error != PromotionError::MixedSignedness) {
    report_operands(sema, symbol, lhs, rhs, ranges, "convert the fp8 side: `.to(tl.float32)`");
    return;
  }
  Diagnostic& diagnostic =
      sema.report(DiagId::MixedSignedness, ranges.whole, symbol, describe(lhs), describe(rhs));
  label_operands(sema, diagnostic, lhs, rhs, ranges);
  diagnostic.helped("convert one side, for example `x.to(tl.int64)`");
}

/// What C's division gives where Python's differs from it: the remainder takes the dividend's sign.
struct TruncatedDivision {
  std::string quotient;
  std::string remainder;
};

std::optional<TruncatedDivision> differing_division(const Value& lhs, const Value& rhs) {
  const auto* a = lhs.as<BigInt>();
  const auto* b = rhs.as<BigInt>();
  if (a != nullptr && b != nullptr) {
    const BigInt remainder = *b == 0 ? 0 : *a % *b;
    if (remainder == 0 || (remainder < 0) == (*b < 0)) {
      return std::nullopt;
    }
    return TruncatedDivision{to_string(*a / *b), to_string(remainder)};
  }
  const auto number = [](const Value& value) {
    const auto* integer = value.as<BigInt>();
    return integer != nullptr ? static_cast<double>(*integer)
                              : (value.is<double>() ? *value.as<double>() : 0.0);
  };
  if (!lhs.is<double>() && !rhs.is<double>()) {
    return std::nullopt;
  }
  const double divisor = number(rhs);
  const double remainder = divisor == 0.0 ? 0.0 : std::fmod(number(lhs), divisor);
  if (remainder == 0.0 || std::isnan(remainder) || (remainder < 0) == (divisor < 0)) {
    return std::nullopt;
  }
  return TruncatedDivision{{}, python_str(Value{remainder})};
}

/// Python's `//` and `%` round down, the run-time operators toward zero: warns where it shows.
void warn_if_fold_differs(Sema& sema, BinaryOp op, const Value& lhs, const Value& rhs,
                          const Value& result, BinaryRanges ranges) {
  if (op != BinaryOp::FloorDiv && op != BinaryOp::Mod) {
    return;
  }
  const auto truncated = differing_division(lhs, rhs);
  if (!truncated) {
    return;
  }
  const std::string& at_run_time = op == BinaryOp::Mod ? truncated->remainder : truncated->quotient;
  if (!at_run_time.empty()) {
    sema.report(DiagId::FoldDiffersFromRunTime, ranges.whole, symbol(op), python_str(result),
                at_run_time)
        .helped(fmt::format("if the other is meant, write {}; `x: tl.constexpr` keeps this one",
                            at_run_time))
        .tag = "numeric-warning";
  }
}

void warn_about_shift(Sema& sema, const Value& count, Scalar scalar, BinaryRanges ranges) {
  const auto* literal = count.as<BigInt>();
  if (literal != nullptr && (*literal < 0 || *literal >= bit_width(scalar))) {
    sema.report(DiagId::ShiftPastWidth, ranges.whole, to_string(*literal), bit_width(scalar))
        .note("bits that are shifted out are lost: the result is 0, or the sign for `>>`")
        .helped(bit_width(scalar) < 64 ? "convert first: `x.to(tl.int64)`"
                                       : "shift by less than 64");
  }
}

/// `>>` follows the left operand's signedness, also where the common type is unsigned.
Tensor shift_right(Sema& sema, const Value& lhs, const Tensor& a, const Tensor& b) {
  const auto* left = lhs.as<Tensor>();
  const Scalar scalar = a.type.element.scalar;
  const bool is_signed = left != nullptr && is_signed_integer(left->type.element.scalar);
  if (!is_signed || is_signed_integer(scalar)) {
    return map(sema, Op::Shr, {a, b});
  }
  // The unsigned types follow the signed ones in the same order.
  const auto signed_twin = static_cast<Scalar>(
      static_cast<int>(scalar) - (static_cast<int>(Scalar::U8) - static_cast<int>(Scalar::I8)));
  Builder& builder = sema.builder();
  const ValueId shifted = builder.map(
      Op::Shr, {builder.bitcast(a.id, signed_twin), builder.bitcast(b.id, signed_twin)});
  return tensor_of(sema, builder.bitcast(shifted, scalar));
}

Tensor divide(Sema& sema, const Tensor& a, const Tensor& b) {
  const bool is_integer_division = is_integer(a.type.element.scalar);
  const Tensor x = is_integer_division ? convert(sema, a, Scalar::F32) : a;
  const Tensor y = is_integer_division ? convert(sema, b, Scalar::F32) : b;
  return map(sema, Op::Div, {x, y});
}

Tensor compute(Sema& sema, BinaryOp op, const Value& lhs, const Tensor& a, const Tensor& b) {
  switch (op) {
    case BinaryOp::Add:
      return map(sema, Op::Add, {a, b});
    case BinaryOp::Sub:
      return map(sema, Op::Sub, {a, b});
    case BinaryOp::Mul:
      return map(sema, Op::Mul, {a, b});
    case BinaryOp::Div:
      return divide(sema, a, b);
    case BinaryOp::FloorDiv:
      return map(sema, Op::IDiv, {a, b});
    case BinaryOp::Mod:
      return map(sema, Op::Rem, {a, b});
    case BinaryOp::Shl:
      return map(sema, Op::Shl, {a, b});
    case BinaryOp::Shr:
      return shift_right(sema, lhs, a, b);
    case BinaryOp::BitAnd:
      return map(sema, Op::And, {a, b});
    case BinaryOp::BitOr:
      return map(sema, Op::Or, {a, b});
    case BinaryOp::BitXor:
      return map(sema, Op::Xor, {a, b});
    case BinaryOp::Pow:
    case BinaryOp::MatMul:
      break;
  }
  return a;
}

MaybeValue report_power(Sema& sema, const Value& lhs, const Value& rhs, BinaryRanges ranges) {
  Diagnostic& diagnostic = sema.report(DiagId::PowerOfTensor, ranges.whole);
  label_operands(sema, diagnostic, lhs, rhs, ranges);
  const std::string base = operand_text(sema, ranges.lhs);
  const auto* exponent = rhs.as<BigInt>();
  diagnostic.helped(exponent != nullptr && *exponent == 2
                        ? fmt::format("write `{} * {}`", base, base)
                        : "write the products out, or use `tl.exp2(y * tl.log2(x))` for x > 0");
  return {};
}

MaybeValue report_matmul(Sema& sema, const Value& lhs, const Value& rhs, BinaryRanges ranges) {
  Diagnostic& diagnostic = sema.report(DiagId::MatMulOperator, ranges.whole);
  label_operands(sema, diagnostic, lhs, rhs, ranges);
  diagnostic.helped("write `tl.dot(a, b)`");
  return {};
}

/// Operand kinds that an operator refuses whatever their common type would be.
bool check_kinds(Sema& sema, BinaryOp op, const Value& lhs, const Value& rhs, BinaryRanges ranges) {
  const bool has_float = is_float_operand(lhs) || is_float_operand(rhs);
  if (op == BinaryOp::FloorDiv && has_float) {
    Diagnostic& diagnostic =
        sema.report(DiagId::FloatFloorDivision, ranges.whole, describe(lhs), describe(rhs));
    label_operands(sema, diagnostic, lhs, rhs, ranges);
    diagnostic.helped(fmt::format("write `tl.floor({} / {})`", operand_text(sema, ranges.lhs),
                                  operand_text(sema, ranges.rhs)));
    return false;
  }
  if ((is_bitwise(op) || is_shift(op)) && has_float) {
    report_operands(sema, symbol(op), lhs, rhs, ranges,
                    "bitwise operators need integers or booleans; `x.to(tl.int32, bitcast=True)` "
                    "gives the bits of a float");
    return false;
  }
  return true;
}

MaybeValue arithmetic(Sema& sema, BinaryOp op, const Value& lhs, const Value& rhs,
                      BinaryRanges ranges) {
  if (!check_kinds(sema, op, lhs, rhs, ranges)) {
    return {};
  }
  const Division division = is_division(op) ? Division::Yes : Division::No;
  const auto pair = promote_pair(sema, lhs, rhs, ranges, division, symbol(op));
  if (!pair) {
    return {};
  }
  const auto operands = broadcast_pair(sema, pair->first, pair->second, ranges, {&lhs, &rhs});
  if (!operands) {
    return {};
  }
  const Scalar scalar = operands->first.type.element.scalar;
  if (is_shift(op)) {
    warn_about_shift(sema, rhs, scalar, ranges);
  }
  if (scalar == Scalar::I1 && (op == BinaryOp::Add || op == BinaryOp::Sub)) {
    sema.report(DiagId::BooleanArithmetic, ranges.whole, symbol(op))
        .helped("to count, convert first: `x.to(tl.int32)`; for a logical or use `|`");
  }
  return Value{compute(sema, op, lhs, operands->first, operands->second)};
}

}  // namespace

std::string_view symbol(BinaryOp op) {
  constexpr std::array<std::string_view, 13> kSymbols{"+", "-",  "*",  "/", "//", "%", "**",
                                                      "@", "<<", ">>", "&", "|",  "^"};
  return kSymbols[static_cast<std::size_t>(op)];
}

bool is_pointer(const Value& value) {
  const auto* tensor = value.as<Tensor>();
  return tensor != nullptr && tensor->type.is_pointer();
}

bool is_float_operand(const Value& value) {
  const auto* tensor = value.as<Tensor>();
  return value.is<double>() ||
         (tensor != nullptr && !tensor->type.is_pointer() && is_float(tensor->type.element.scalar));
}

std::optional<PromotionOperand> promotion_operand(const Value& value) {
  if (const auto* tensor = value.as<Tensor>()) {
    return PromotionOperand{tensor->type.element.scalar, false};
  }
  const std::optional<Scalar> literal = literal_scalar(value);
  return literal ? std::optional(PromotionOperand{*literal, true}) : std::nullopt;
}

std::optional<std::pair<Tensor, Tensor>> promote_pair(Sema& sema, const Value& lhs,
                                                      const Value& rhs, BinaryRanges ranges,
                                                      Division division, std::string_view symbol) {
  for (const auto& [value, range] : {std::pair(&lhs, ranges.lhs), std::pair(&rhs, ranges.rhs)}) {
    if (value->is<BigInt>() && !literal_scalar(*value)) {
      sema.report(DiagId::IntegerTooLarge, range, to_string(*value->as<BigInt>()))
          .helped("write it as a float, or in two halves");
      return {};
    }
  }
  const auto a = promotion_operand(lhs);
  const auto b = promotion_operand(rhs);
  if (!a || !b || is_pointer(lhs) || is_pointer(rhs)) {
    const bool has_none = lhs.is<NoneValue>() || rhs.is<NoneValue>();
    report_operands(sema, symbol, lhs, rhs, ranges,
                    has_none ? "test it first: `if x is not None:`"
                             : "both operands must be numbers or tensors");
    return {};
  }
  const Promotion promotion = promote(*a, *b, division);
  if (promotion.error != PromotionError::None) {
    report_promotion(sema, promotion.error, lhs, rhs, ranges, symbol);
    return {};
  }
  if (symbol != "where" && reject_fp8_arithmetic(sema, promotion.scalar, ranges.whole)) {
    return {};
  }
  if (!check_sign(sema, lhs, rhs, promotion.scalar, ranges.lhs) ||
      !check_sign(sema, rhs, lhs, promotion.scalar, ranges.rhs)) {
    return {};
  }
  const MaybeTensor x = promoted(sema, lhs, promotion.scalar, ranges.lhs);
  const MaybeTensor y = promoted(sema, rhs, promotion.scalar, ranges.rhs);
  if (!x || !y) {
    return {};
  }
  return std::pair(*x, *y);
}

std::optional<std::pair<Tensor, Tensor>> strong_pair(Sema& sema, const Value& lhs, const Value& rhs,
                                                     BinaryRanges ranges, std::string_view symbol,
                                                     WrittenOperands written) {
  const MaybeTensor a = to_tensor(sema, lhs, ranges.lhs);
  const MaybeTensor b = to_tensor(sema, rhs, ranges.rhs);
  if (!a || !b) {
    return {};
  }
  const auto pair = promote_pair(sema, Value{*a}, Value{*b}, ranges, Division::No, symbol);
  if (!pair) {
    return {};
  }
  return broadcast_pair(
      sema, pair->first, pair->second, ranges,
      {written.lhs != nullptr ? written.lhs : &lhs, written.rhs != nullptr ? written.rhs : &rhs});
}

MaybeValue binary_operator(Sema& sema, BinaryOp op, const Value& lhs, const Value& rhs,
                           BinaryRanges ranges) {
  if (!lhs.is<Tensor>() && !rhs.is<Tensor>()) {
    MaybeValue result = fold_binary(sema, op, lhs, rhs, ranges);
    if (result) {
      warn_if_fold_differs(sema, op, lhs, rhs, *result, ranges);
    }
    return result;
  }
  sema.set_range(ranges.whole);
  if (op == BinaryOp::Pow) {
    return report_power(sema, lhs, rhs, ranges);
  }
  if (op == BinaryOp::MatMul) {
    return report_matmul(sema, lhs, rhs, ranges);
  }
  if (is_pointer(lhs) || is_pointer(rhs)) {
    return pointer_arithmetic(sema, op, lhs, rhs, ranges);
  }
  return arithmetic(sema, op, lhs, rhs, ranges);
}

}  // namespace tilery::sema
