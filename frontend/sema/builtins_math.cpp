// Element-wise functions (semantics 5.1), and the library functions composed of them.
#include "frontend/sema/builtins.h"
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

}  // namespace

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
  const MaybeTensor x = reader.float_tensor(0, function->is_fp32_only);
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
  return select(sema, reader.value(0), reader.value(1), reader.value(2), reader.range(0),
                reader.ranges(1, 2));
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
  const auto first = strong_pair(sema, Value{product->first}, Value{*z}, reader.ranges(0, 2), "fma",
                                 {&reader.value(0), &reader.value(2)});
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
      reader.report_operand(i, *operand, "floating-point numbers");
      return {};
    }
  }
  const auto pair = strong_pair(sema, Value{*x}, Value{*y}, reader.ranges(0, 1), "fdiv");
  return pair ? MaybeValue(Value{map(sema, Op::Div, {pair->first, pair->second})}) : std::nullopt;
}

MaybeValue rounded_division(Sema& sema, const BoundArguments& arguments) {
  const ArgumentReader reader(sema, arguments);
  const MaybeTensor x = reader.float_tensor(0, true);
  const MaybeTensor y = reader.float_tensor(1, true);
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
      reader.report_operand(i, *operand, "int32, int64, uint32 or uint64", "tl.uint32");
      return {};
    }
  }
  const auto pair = strong_pair(sema, Value{*x}, Value{*y}, reader.ranges(0, 1), "umulhi");
  return pair ? MaybeValue(Value{map(sema, Op::UMulHi, {pair->first, pair->second})})
              : std::nullopt;
}

}  // namespace builtins
}  // namespace tilery::sema
