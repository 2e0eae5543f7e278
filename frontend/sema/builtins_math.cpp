// Element-wise functions (semantics 5.1), and the library functions composed of them.
#include "frontend/sema/builtins.h"
#include "frontend/sema/constexpr_ops.h"
#include "frontend/sema/operators.h"
#include "frontend/sema/reduction.h"
#include "frontend/sema/tensor_ops.h"

#include <algorithm>
#include <array>

namespace tilery::sema {
namespace {

/// A function of floats: its op, and whether fp64 is allowed.
struct FloatFunction {
  std::string_view name;
  Op op;
  bool is_fp32_only = false;
};

constexpr auto kFloatFunctions = std::to_array<FloatFunction>({
    {"exp", Op::Exp},
    {"exp2", Op::Exp2},
    {"log", Op::Log},
    {"log2", Op::Log2},
    {"sin", Op::Sin},
    {"cos", Op::Cos},
    {"sqrt", Op::Sqrt},
    {"sqrt_rn", Op::Sqrt, true},
    {"rsqrt", Op::Rsqrt},
    {"erf", Op::Erf},
    {"floor", Op::Floor},
    {"ceil", Op::Ceil},
    {"fast_expf", Op::Exp, true},
    {"fast_logf", Op::Log, true},
    {"fast_log2f", Op::Log2, true},
    {"fast_sinf", Op::Sin, true},
    {"fast_cosf", Op::Cos, true},
});

MaybeValue wrapped(const MaybeTensor& tensor) {
  return tensor ? MaybeValue(Value{*tensor}) : std::nullopt;
}

void report_operand_type(Sema& sema, const ArgumentReader& reader, int i, const Tensor& x,
                         std::string_view allowed) {
  Diagnostic& diagnostic = sema.report(DiagId::MathOperandType, reader.range(i),
                                       reader.function_name(), allowed, type_text(x.type));
  label_operand(sema, diagnostic, reader.range(i), reader.value(i));
  diagnostic.helped(
      fmt::format("convert it: `{}.to(tl.float32)`", operand_text(sema, reader.range(i))));
}

/// Argument `i` as fp32 or fp64; literal numbers become fp32 where they fit it.
MaybeTensor float_argument(Sema& sema, const ArgumentReader& reader, int i, bool is_fp32_only) {
  Value value = reader.value(i);
  if (const auto* integer = value.as<BigInt>()) {
    value.data = static_cast<double>(*integer);
  }
  const MaybeTensor x = to_tensor(sema, value, reader.range(i));
  if (!x) {
    return {};
  }
  const bool fits =
      x->type.element.is(Scalar::F32) || (!is_fp32_only && x->type.element.is(Scalar::F64));
  if (!fits) {
    report_operand_type(sema, reader, i, *x, is_fp32_only ? "fp32" : "fp32 or fp64");
    return {};
  }
  return x;
}

/// The propagate_nan argument: NONE or ALL.
std::optional<bool> propagates_nan(Sema& sema, const ArgumentReader& reader, int i) {
  const auto* policy = reader.value(i).as<EnumValue>();
  if (policy != nullptr && policy->name == "PropagateNan.ALL") {
    return true;
  }
  if (policy != nullptr && policy->name == "PropagateNan.NONE") {
    return false;
  }
  sema.report(DiagId::ArgumentType, reader.range(i), reader.parameter_name(i),
              reader.function_name(), "tl.PropagateNan.NONE or tl.PropagateNan.ALL",
              describe(reader.value(i)));
  return {};
}

/// A number of its own type, bf16 as fp32; pointers are refused.
MaybeTensor extremum_argument(Sema& sema, const Value& value, SourceRange range) {
  const MaybeTensor x = to_tensor(sema, value, range);
  return x ? MaybeTensor(bf16_to_fp32(sema, *x)) : std::nullopt;
}

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
  const auto pair =
      promoted ? broadcast_pair(sema, promoted->first, promoted->second, ranges) : std::nullopt;
  if (!pair) {
    return {};
  }
  const bool is_positive_divisor = b != nullptr && *b > 0;
  return Value{rounded_up(sema, pair->first, pair->second, is_positive_divisor)};
}

MaybeValue extremum_of_two(Sema& sema, bool is_max, const Value& x, const Value& y,
                           bool propagate_nan, BinaryRanges ranges) {
  const MaybeTensor a =
      extremum_argument(sema, x, ranges.lhs.is_valid() ? ranges.lhs : ranges.whole);
  const MaybeTensor b =
      extremum_argument(sema, y, ranges.rhs.is_valid() ? ranges.rhs : ranges.whole);
  if (!a || !b) {
    return {};
  }
  const auto pair = strong_pair(sema, Value{*a}, Value{*b}, ranges, is_max ? "maximum" : "minimum");
  if (!pair) {
    return {};
  }
  return Value{make(sema, is_max ? Op::Maximum : Op::Minimum, {pair->first, pair->second},
                    {{"propagate_nan", propagate_nan}})};
}

namespace builtins {

MaybeValue float_function(Sema& sema, const BoundArguments& arguments) {
  const ArgumentReader reader(sema, arguments);
  const auto* function =
      std::ranges::find(kFloatFunctions, arguments.callee->name, &FloatFunction::name);
  const MaybeTensor x = float_argument(sema, reader, 0, function->is_fp32_only);
  return x ? MaybeValue(Value{map(sema, function->op, {*x})}) : std::nullopt;
}

MaybeValue absolute(Sema& sema, const BoundArguments& arguments) {
  const ArgumentReader reader(sema, arguments);
  const MaybeTensor x = reader.tensor(0);
  if (!x) {
    return {};
  }
  if (x->type.is_pointer() || is_fp8(x->type.element.scalar)) {
    reader.report_type(0, "a number");
    return {};
  }
  const bool is_identity = is_unsigned_integer(x->type.element.scalar);
  return Value{is_identity ? *x : map(sema, Op::Abs, {*x})};
}

MaybeValue where(Sema& sema, const BoundArguments& arguments) {
  const ArgumentReader reader(sema, arguments);
  return select(sema, reader.value(0), reader.value(1), reader.value(2), reader.ranges(1, 2));
}

MaybeValue plain_arithmetic(Sema& sema, const BoundArguments& arguments) {
  const ArgumentReader reader(sema, arguments);
  const std::string_view name = arguments.callee->name;
  const ast::BinaryOp op = name == "add"   ? ast::BinaryOp::Add
                           : name == "sub" ? ast::BinaryOp::Sub
                                           : ast::BinaryOp::Mul;
  if (!reader.check_number(0) || !reader.check_number(1) || !reader.flag(2)) {
    return {};
  }
  const MaybeValue result =
      binary_operator(sema, op, reader.value(0), reader.value(1), reader.ranges(0, 1));
  return result ? wrapped(to_tensor(sema, *result, arguments.call)) : std::nullopt;
}

MaybeValue minimum_or_maximum(Sema& sema, const BoundArguments& arguments) {
  const ArgumentReader reader(sema, arguments);
  const auto propagate = propagates_nan(sema, reader, 2);
  if (!propagate) {
    return {};
  }
  return extremum_of_two(sema, arguments.callee->name == "maximum", reader.value(0),
                         reader.value(1), *propagate, reader.ranges(0, 1));
}

MaybeValue clamp(Sema& sema, const BoundArguments& arguments) {
  const ArgumentReader reader(sema, arguments);
  const MaybeTensor x = extremum_argument(sema, reader.value(0), reader.range(0));
  const auto propagate = propagates_nan(sema, reader, 3);
  if (!x || !propagate || !reader.check_number(1) || !reader.check_number(2)) {
    return {};
  }
  if (x->type.is_pointer() || !is_float(x->type.element.scalar)) {
    Diagnostic& diagnostic =
        sema.report(DiagId::ClampOnIntegers, reader.range(0), type_text(x->type));
    label_operand(sema, diagnostic, reader.range(0), reader.value(0));
    diagnostic.helped("write `tl.minimum(tl.maximum(x, low), high)`");
    return {};
  }
  // The three meet in one type before either bound applies.
  const MaybeTensor low = extremum_argument(sema, reader.value(1), reader.range(1));
  const MaybeTensor high = extremum_argument(sema, reader.value(2), reader.range(2));
  if (!low || !high) {
    return {};
  }
  const auto bounds =
      promote_pair(sema, Value{*low}, Value{*high}, reader.ranges(1, 2), Division::No, "clamp");
  if (!bounds) {
    return {};
  }
  const MaybeValue raised =
      extremum_of_two(sema, true, Value{*x}, Value{bounds->first}, *propagate, reader.ranges(0, 1));
  return raised ? extremum_of_two(sema, false, *raised, Value{bounds->second}, *propagate,
                                  reader.ranges(0, 2))
                : std::nullopt;
}

MaybeValue ceil_division(Sema& sema, const BoundArguments& arguments) {
  const ArgumentReader reader(sema, arguments);
  if (!reader.check_number(0) || !reader.check_number(1)) {
    return {};
  }
  return ceil_div(sema, reader.value(0), reader.value(1), reader.ranges(0, 1));
}

MaybeValue fused_multiply_add(Sema& sema, const BoundArguments& arguments) {
  const ArgumentReader reader(sema, arguments);
  const MaybeTensor x = reader.tensor(0);
  const MaybeTensor y = reader.tensor(1);
  const MaybeTensor z = reader.tensor(2);
  if (!x || !y || !z) {
    return {};
  }
  // In two rounds, so that all three meet in one type and one shape.
  const auto product = strong_pair(sema, Value{*x}, Value{*y}, reader.ranges(0, 1), "fma");
  if (!product) {
    return {};
  }
  const auto first =
      strong_pair(sema, Value{product->first}, Value{*z}, reader.ranges(0, 2), "fma");
  if (!first) {
    return {};
  }
  const auto second =
      strong_pair(sema, Value{product->second}, Value{first->second}, reader.ranges(1, 2), "fma");
  if (!second) {
    return {};
  }
  return Value{map(sema, Op::Fma, {first->first, second->first, first->second})};
}

MaybeValue float_division(Sema& sema, const BoundArguments& arguments) {
  const ArgumentReader reader(sema, arguments);
  const MaybeTensor x = reader.tensor(0);
  const MaybeTensor y = reader.tensor(1);
  if (!x || !y || !reader.flag(2)) {
    return {};
  }
  for (const auto& [operand, i] : {std::pair(&*x, 0), std::pair(&*y, 1)}) {
    if (operand->type.is_pointer() || !is_float(operand->type.element.scalar)) {
      report_operand_type(sema, reader, i, *operand, "floating-point numbers");
      return {};
    }
  }
  const auto pair = strong_pair(sema, Value{*x}, Value{*y}, reader.ranges(0, 1), "fdiv");
  return pair ? MaybeValue(Value{map(sema, Op::Div, {pair->first, pair->second})}) : std::nullopt;
}

MaybeValue rounded_division(Sema& sema, const BoundArguments& arguments) {
  const ArgumentReader reader(sema, arguments);
  const MaybeTensor x = float_argument(sema, reader, 0, true);
  const MaybeTensor y = float_argument(sema, reader, 1, true);
  if (!x || !y) {
    return {};
  }
  const auto pair = broadcast_pair(sema, *x, *y, reader.ranges(0, 1));
  return pair ? MaybeValue(Value{map(sema, Op::Div, {pair->first, pair->second})}) : std::nullopt;
}

MaybeValue high_product(Sema& sema, const BoundArguments& arguments) {
  const ArgumentReader reader(sema, arguments);
  const MaybeTensor x = reader.tensor(0);
  const MaybeTensor y = reader.tensor(1);
  if (!x || !y) {
    return {};
  }
  for (const auto& [operand, i] : {std::pair(&*x, 0), std::pair(&*y, 1)}) {
    const ElementType& element = operand->type.element;
    const bool fits =
        !element.is_pointer() && is_integer(element.scalar) && bit_width(element.scalar) >= 32;
    if (!fits) {
      sema.report(DiagId::MathOperandType, reader.range(i), reader.function_name(),
                  "int32, int64, uint32 or uint64", type_text(operand->type))
          .helped("convert it: `x.to(tl.uint32)`");
      return {};
    }
  }
  const auto pair = strong_pair(sema, Value{*x}, Value{*y}, reader.ranges(0, 1), "umulhi");
  return pair ? MaybeValue(Value{map(sema, Op::UMulHi, {pair->first, pair->second})})
              : std::nullopt;
}

MaybeValue sigmoid(Sema& sema, const BoundArguments& arguments) {
  const ArgumentReader reader(sema, arguments);
  const MaybeTensor x = float_argument(sema, reader, 0, false);
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
