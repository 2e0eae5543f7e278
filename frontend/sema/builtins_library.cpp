// Functions of the language's own library, composed of operators and other builtins.
#include "frontend/sema/builtins.h"
#include "frontend/sema/operators.h"
#include "frontend/sema/tensor_ops.h"

namespace tilery::sema {
namespace {

/// Truncated quotient, plus one where it is not negative and a remainder is left. A divisor that is
/// known to be positive saves the look at the signs.
Tensor rounded_up(Sema& sema, const Tensor& x, const Tensor& y, bool is_positive_divisor) {
  const Tensor quotient = map(sema, Op::IDiv, {x, y});
  const Tensor remainder = map(sema, Op::Rem, {x, y});
  const Tensor zero = int_constant(sema, x.type, 0);
  const bool is_signed = is_signed_integer(x.type.element.scalar);
  const Op left_over = is_signed && is_positive_divisor ? Op::Gt : Op::Ne;
  Tensor needs_one = map(sema, left_over, {remainder, zero});
  if (is_signed && !is_positive_divisor) {
    const Tensor signs = map(sema, Op::Xor, {x, y});
    needs_one = map(sema, Op::And, {needs_one, map(sema, Op::Ge, {signs, zero})});
  }
  return map(sema, Op::Add, {quotient, convert(sema, needs_one, x.type.element.scalar)});
}

BigInt folded_ceil_div(BigInt x, BigInt y) {
  const BigInt quotient = x / y;
  const bool needs_one = x % y != 0 && (x < 0) == (y < 0);
  return quotient + (needs_one ? 1 : 0);
}

}  // namespace

MaybeValue ceil_div(Sema& sema, const Value& x, const Value& y, BinaryRanges ranges) {
  const auto* a = x.as<BigInt>();
  const auto* b = y.as<BigInt>();
  if (a != nullptr && b != nullptr && *b != 0) {
    return Value{folded_ceil_div(*a, *b)};
  }
  if (!x.is<Tensor>() && !y.is<Tensor>()) {
    return binary_operator(sema, ast::BinaryOp::FloorDiv, x, y, ranges);
  }
  if (is_float_operand(x) || is_float_operand(y)) {
    Diagnostic& diagnostic =
        sema.report(DiagId::OperandTypes, ranges.whole, "cdiv", describe(x), describe(y));
    label_operands(sema, diagnostic, x, y, ranges);
    diagnostic.helped("write `tl.ceil(x / y)`");
    return {};
  }
  const auto promoted = promote_pair(sema, x, y, ranges, Division::Yes, "cdiv");
  const auto pair = promoted
                        ? broadcast_pair(sema, promoted->first, promoted->second, ranges, {&x, &y})
                        : std::nullopt;
  if (!pair) {
    return {};
  }
  const bool is_positive_divisor = b != nullptr && *b > 0;
  return Value{rounded_up(sema, pair->first, pair->second, is_positive_divisor)};
}

namespace builtins {

MaybeValue ceil_division(Sema& sema, const BoundArguments& arguments) {
  const ArgumentReader reader(sema, arguments);
  if (!reader.check_number(0) || !reader.check_number(1)) {
    return {};
  }
  return ceil_div(sema, reader.value(0), reader.value(1), reader.ranges(0, 1));
}

MaybeValue sigmoid(Sema& sema, const BoundArguments& arguments) {
  const ArgumentReader reader(sema, arguments);
  const MaybeTensor x = reader.float_tensor(0);
  if (!x) {
    return {};
  }
  const Tensor one = float_constant(sema, x->type, 1.0);
  const Tensor exponential = map(sema, Op::Exp, {map(sema, Op::Neg, {*x})});
  return Value{map(sema, Op::Div, {one, map(sema, Op::Add, {one, exponential})})};
}

MaybeValue softmax(Sema& sema, const BoundArguments& arguments) {
  const ArgumentReader reader(sema, arguments);
  MaybeTensor x = reader.tensor(0);
  const auto keep_dims = reader.flag(2);
  if (!x || !keep_dims || !reader.flag(3)) {
    return {};
  }
  if (x->type.is_pointer() || !is_float(x->type.element.scalar) || x->type.is_scalar()) {
    reader.report_type(0, "a block of floating-point numbers");
    return {};
  }
  const auto axis = reader.is_none(1) ? std::optional(0)
                                      : reader.axis(1, x->type.shape.rank(), type_text(x->type));
  if (!axis) {
    return {};
  }
  x = bit_width(x->type.element.scalar) < 32 ? convert(sema, *x, Scalar::F32) : *x;
  const BinaryRanges ranges{arguments.call, reader.range(0), {}};
  if (!*keep_dims && *axis != 0) {
    sema.report(DiagId::SoftmaxAxis, arguments.call, *axis)
        .helped("pass `keep_dims=True`, so that the sums keep their axis");
  }
  const MaybeTensor largest = reduce_max(sema, *x, axis, *keep_dims);
  const auto shifted = broadcast_pair(sema, *x, *largest, ranges);
  if (!shifted) {
    return {};
  }
  const Tensor numerator =
      map(sema, Op::Exp, {map(sema, Op::Sub, {shifted->first, shifted->second})});
  const MaybeTensor total = reduce_sum(sema, numerator, axis, *keep_dims);
  const auto quotient = broadcast_pair(sema, numerator, *total, ranges);
  return quotient ? MaybeValue(Value{map(sema, Op::Div, {quotient->first, quotient->second})})
                  : std::nullopt;
}

MaybeValue swizzle2d(Sema& sema, const BoundArguments& arguments) {
  const ArgumentReader reader(sema, arguments);
  const BinaryRanges ranges{arguments.call, arguments.call, arguments.call};
  bool failed = false;
  const auto apply = [&](ast::BinaryOp op, const Value& a, const Value& b) {
    MaybeValue result = failed ? MaybeValue() : binary_operator(sema, op, a, b, ranges);
    failed = !result;
    return failed ? Value{BigInt{1}} : *result;
  };
  using enum ast::BinaryOp;
  const Value linear = apply(Add, apply(Mul, reader.value(0), reader.value(3)), reader.value(1));
  const Value group_size = apply(Mul, reader.value(4), reader.value(3));
  const Value first_row = apply(Mul, apply(FloorDiv, linear, group_size), reader.value(4));
  const Value rows_left = apply(Sub, reader.value(2), first_row);
  const MaybeValue rows =
      failed ? MaybeValue()
             : extremum_of_two(sema, false, rows_left, reader.value(4), false, ranges);
  if (!rows) {
    return {};
  }
  const Value within = apply(Mod, linear, group_size);
  const Value row = apply(Add, first_row, apply(Mod, within, *rows));
  const Value column = apply(FloorDiv, within, *rows);
  return failed ? MaybeValue() : Value{TupleValue{{row, column}, {}, {}}};
}

}  // namespace builtins
}  // namespace tilery::sema
