// Pointer arithmetic (semantics 3.1): a pointer and an integer number of elements.
#include "frontend/sema/operators.h"
#include "frontend/sema/tensor_ops.h"

namespace tilery::sema {
namespace {

using ast::BinaryOp;

MaybeValue report_pointers(Sema& sema, BinaryOp op, const Value& lhs, const Value& rhs,
                           BinaryRanges ranges) {
  std::string_view rule = "a pointer moves by an integer number of elements";
  std::string help = "write `ptr + n` or `ptr - n`";
  if (is_pointer(lhs) && is_pointer(rhs)) {
    rule = "two pointers do not combine";
    help = "subtract addresses with `.to(tl.int64)`";
  } else if (is_float_operand(lhs) || is_float_operand(rhs)) {
    help = "convert the offset: `.to(tl.int32)`, or divide with `//`";
  }
  Diagnostic& diagnostic = sema.report(DiagId::PointerOperands, ranges.whole, symbol(op),
                                       describe(lhs), describe(rhs), rule);
  label_operands(sema, diagnostic, lhs, rhs, ranges);
  diagnostic.helped(std::move(help));
  return {};
}

bool is_offset(const Value& value) {
  const auto* tensor = value.as<Tensor>();
  return value.is<bool>() || value.is<BigInt>() ||
         (tensor != nullptr && !tensor->type.is_pointer() &&
          is_integer(tensor->type.element.scalar));
}

/// The offset as an integer tensor, negated for `-`. A literal is negated before it gets its type;
/// a tensor in its own type, so that unsigned ones wrap.
MaybeTensor offset_tensor(Sema& sema, const Value& value, bool is_negated, SourceRange range) {
  Value signed_value = value;
  if (const auto* flag = value.as<bool>()) {
    signed_value.data = BigInt{*flag ? 1 : 0};
  }
  if (const auto* integer = signed_value.as<BigInt>()) {
    const BigInt offset = is_negated ? -*integer : *integer;
    return to_tensor(sema, Value{offset}, range);
  }
  Tensor offset = *value.as<Tensor>();
  if (offset.type.element.is(Scalar::I1)) {
    offset = convert(sema, offset, Scalar::I32);
  }
  return is_negated ? map(sema, Op::Neg, {offset}) : offset;
}

}  // namespace

MaybeValue pointer_arithmetic(Sema& sema, BinaryOp op, const Value& lhs, const Value& rhs,
                              BinaryRanges ranges) {
  const bool is_left = is_pointer(lhs) && is_offset(rhs);
  const bool is_right = is_pointer(rhs) && is_offset(lhs);
  const bool fits =
      (op == BinaryOp::Add && (is_left || is_right)) || (op == BinaryOp::Sub && is_left);
  if (!fits) {
    return report_pointers(sema, op, lhs, rhs, ranges);
  }
  const Tensor& pointer = *(is_left ? lhs : rhs).as<Tensor>();
  const SourceRange offset_range = is_left ? ranges.rhs : ranges.lhs;
  const MaybeTensor offset =
      offset_tensor(sema, is_left ? rhs : lhs, op == BinaryOp::Sub, offset_range);
  if (!offset) {
    return {};
  }
  const SourceRange pointer_range = is_left ? ranges.lhs : ranges.rhs;
  const auto pair =
      broadcast_pair(sema, pointer, *offset, {ranges.whole, pointer_range, offset_range});
  if (!pair) {
    return {};
  }
  return Value{map(sema, Op::AddPtr, {pair->first, pair->second})};
}

}  // namespace tilery::sema
