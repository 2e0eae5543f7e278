// Making blocks, converting them, and types as values.
#include "frontend/sema/builtins.h"
#include "frontend/sema/constexpr_ops.h"
#include "frontend/sema/tensor_ops.h"

#include <array>

namespace tilery::sema {
namespace {

constexpr BigInt kInt32Limit = BigInt{1} << 31;

void report_empty_range(Sema& sema, const ArgumentReader& reader, BigInt start, BigInt end) {
  Diagnostic& diagnostic =
      sema.report(DiagId::EmptyRange, reader.ranges(0, 1).whole, to_string(start), to_string(end));
  label_operand(sema, diagnostic, reader.ranges(0, 1).lhs, reader.value(0));
  label_operand(sema, diagnostic, reader.ranges(0, 1).rhs, reader.value(1));
  diagnostic.helped(
      end < start ? fmt::format("the smaller bound comes first: `tl.arange({}, {})`",
                                to_string(end), to_string(start))
                  : "a block has at least one element: use a mask for those that are too many");
}

/// The bounds fit int32, and what strict mode asks of them.
bool check_range(Sema& sema, const ArgumentReader& reader, BigInt start, BigInt end) {
  if (end <= start) {
    report_empty_range(sema, reader, start, end);
    return false;
  }
  const BigInt lowest = sema.options().strict ? BigInt{0} : -kInt32Limit;
  if (start < lowest || end > kInt32Limit) {
    const int at_fault = start < lowest ? 0 : 1;
    sema.report(DiagId::ArgumentValue, reader.range(at_fault), reader.parameter_name(at_fault),
                "tl.arange", to_string(at_fault == 0 ? start : end),
                sema.options().strict ? "the bounds must be between 0 and 2^31"
                                      : "the numbers must fit int32")
        .helped("count from 0 and add the rest: `tl.arange(0, B) + start`");
    return false;
  }
  const BigInt count = end - start;
  if (count > kMaxElements) {
    sema.report(DiagId::BlockTooLarge, reader.ranges(0, 1).whole,
                fmt::format("[{}]", to_string(count)), to_string(count))
        .helped("use smaller blocks and a loop, or more programs");
    return false;
  }
  const auto length = static_cast<std::int64_t>(count);
  if (sema.options().strict && !is_power_of_two(length)) {
    sema.report(DiagId::RangeNotPowerOfTwo, reader.ranges(0, 1).whole, to_string(start),
                to_string(end), length)
        .helped(fmt::format(
            "use `tl.arange({}, {})`, the next power of two, and mask the rest: `mask=i < {}`",
            to_string(start), to_string(start + next_power_of_two(length)), to_string(end)));
    return false;
  }
  return true;
}

/// `full` and its relatives: the value is made in the type directly.
MaybeValue filled(Sema& sema, const Shape& shape, const Value& value, ElementType element,
                  SourceRange range) {
  MaybeTensor scalar = to_element(sema, value, element, range);
  if (!scalar) {
    return {};
  }
  if (!scalar->type.is_scalar()) {
    sema.report(DiagId::ArgumentType, range, "value", "tl.full", "a scalar",
                type_text(scalar->type))
        .helped("`tl.broadcast_to` repeats a block");
    return {};
  }
  return Value{splat(sema, *scalar, shape)};
}

}  // namespace

namespace builtins {

MaybeValue arange(Sema& sema, const BoundArguments& arguments) {
  const ArgumentReader reader(sema, arguments);
  const auto start = reader.integer(0);
  const auto end = reader.integer(1);
  if (!start || !end || !check_range(sema, reader, *start, *end)) {
    return {};
  }
  return Value{make(
      sema, Op::Arange, {},
      {{"start", static_cast<std::int64_t>(*start)}, {"end", static_cast<std::int64_t>(*end)}})};
}

MaybeValue full(Sema& sema, const BoundArguments& arguments) {
  const ArgumentReader reader(sema, arguments);
  const auto shape = reader.shape(0);
  const auto element = reader.dtype(2);
  if (!shape || !element || !reader.check_number(1)) {
    return {};
  }
  return filled(sema, *shape, reader.value(1), *element, reader.range(1));
}

MaybeValue zeros(Sema& sema, const BoundArguments& arguments) {
  const ArgumentReader reader(sema, arguments);
  const auto shape = reader.shape(0);
  const auto element = reader.dtype(1);
  if (!shape || !element) {
    return {};
  }
  return filled(sema, *shape, Value{BigInt{0}}, *element, reader.range(1));
}

MaybeValue zeros_like(Sema& sema, const BoundArguments& arguments) {
  const ArgumentReader reader(sema, arguments);
  const MaybeTensor x = reader.tensor(0);
  if (!x) {
    return {};
  }
  return filled(sema, x->type.shape, Value{BigInt{0}}, x->type.element, reader.range(0));
}

MaybeValue cast_to_dtype(Sema& sema, const BoundArguments& arguments) {
  const ArgumentReader reader(sema, arguments);
  const MaybeTensor x = reader.tensor(0);
  const auto element = reader.dtype(1);
  const auto is_bitcast = reader.flag(3);
  if (!x || !element || !is_bitcast) {
    return {};
  }
  std::optional<std::string> rounding;
  if (!reader.is_none(2)) {
    rounding = reader.text(2);
    if (!rounding) {
      return {};
    }
  }
  const MaybeTensor result = cast(sema, *x, *element, arguments.call, rounding, *is_bitcast);
  return result ? MaybeValue(Value{*result}) : std::nullopt;
}

MaybeValue make_tensor(Sema& sema, const BoundArguments& arguments) {
  const MaybeTensor x = ArgumentReader(sema, arguments).tensor(0);
  return x ? MaybeValue(Value{*x}) : std::nullopt;
}

MaybeValue make_constexpr(Sema& sema, const BoundArguments& arguments) {
  const ArgumentReader reader(sema, arguments);
  if (!reader.value(0).is_compile_time()) {
    reader.report_not_constexpr(0, "a value");
    return {};
  }
  return reader.value(0);
}

MaybeValue pointer_type(Sema& sema, const BoundArguments& arguments) {
  constexpr int kMaxDepth = 8;
  const ArgumentReader reader(sema, arguments);
  const auto element = reader.dtype(0);
  const auto is_const = reader.flag(2);
  if (!element || !is_const) {
    return {};
  }
  if (element->pointer_depth >= kMaxDepth) {
    reader.report_type(0, "at most 7 pointers deep");
    return {};
  }
  ElementType pointer = element->pointer_to();
  pointer.is_const = *is_const;
  return Value{TypeObject{Type(pointer)}};
}

MaybeValue block_type(Sema& sema, const BoundArguments& arguments) {
  const ArgumentReader reader(sema, arguments);
  const auto element = reader.dtype(0);
  const auto shape = reader.shape(1);
  if (!element || !shape) {
    return {};
  }
  return Value{TypeObject{Type(*element, *shape)}};
}

MaybeValue get_int_dtype(Sema& sema, const BoundArguments& arguments) {
  const ArgumentReader reader(sema, arguments);
  const auto width = reader.integer(0);
  const auto is_signed = reader.flag(1);
  if (!width || !is_signed) {
    return {};
  }
  constexpr auto kIntegers =
      std::to_array<Scalar>({Scalar::I1, Scalar::I8, Scalar::I16, Scalar::I32, Scalar::I64,
                             Scalar::U8, Scalar::U16, Scalar::U32, Scalar::U64});
  for (const Scalar scalar : kIntegers) {
    const bool fits = bit_width(scalar) == *width &&
                      (scalar == Scalar::I1 || is_signed_integer(scalar) == *is_signed);
    if (fits) {
      return Value{TypeObject{Type(scalar)}};
    }
  }
  sema.report(DiagId::ArgumentValue, reader.range(0), "bitwidth", reader.function_name(),
              to_string(*width), "integers have 1, 8, 16, 32 or 64 bits")
      .helped("write one of these widths");
  return {};
}

}  // namespace builtins
}  // namespace tilery::sema
