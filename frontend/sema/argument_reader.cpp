// Reading the bound arguments of a builtin.
#include "frontend/sema/builtins.h"
#include "frontend/sema/constexpr_ops.h"
#include "frontend/sema/tensor_ops.h"

#include <algorithm>
#include <cctype>
#include <cmath>

namespace tilery::sema {
namespace {

/// The places of a tuple's elements where they are written out, else that of the whole.
std::span<const SourceRange> ranges_of(const TupleValue& tuple,
                                       std::span<const SourceRange> elements,
                                       std::span<const SourceRange> whole) {
  return elements.size() == tuple.elements.size() && !elements.empty() ? elements : whole;
}

}  // namespace

SourceRange ArgumentReader::range(int i) const {
  const SourceRange own = arguments_.ranges[static_cast<std::size_t>(i)];
  return own.is_valid() ? own : arguments_.call;
}

BinaryRanges ArgumentReader::ranges(int i, int j) const {
  return {arguments_.call, arguments_.ranges[static_cast<std::size_t>(i)],
          arguments_.ranges[static_cast<std::size_t>(j)]};
}

MaybeTensor ArgumentReader::tensor(int i) const {
  return to_tensor(sema_, value(i), range(i));
}

MaybeTensor ArgumentReader::float_tensor(int i, bool is_fp32_only) const {
  Value number = value(i);
  if (const auto* integer = number.as<BigInt>()) {
    number.data = static_cast<double>(*integer);
  }
  const MaybeTensor x = to_tensor(sema_, number, range(i));
  if (!x) {
    return {};
  }
  const bool fits =
      x->type.element.is(Scalar::F32) || (!is_fp32_only && x->type.element.is(Scalar::F64));
  if (!fits) {
    report_operand(i, *x, is_fp32_only ? "fp32" : "fp32 or fp64");
    return {};
  }
  return x;
}

bool ArgumentReader::check_number(int i) const {
  if (value(i).is_number() || value(i).is<Tensor>()) {
    return true;
  }
  report_type(i, "a number or a tensor");
  return false;
}

std::optional<bool> ArgumentReader::flag(int i) const {
  if (const auto* flag = value(i).as<bool>()) {
    return *flag;
  }
  if (const auto* integer = value(i).as<BigInt>()) {
    return *integer != 0;
  }
  if (is_none(i)) {
    return false;
  }
  report_not_constexpr(i, "True or False");
  return {};
}

std::optional<BigInt> ArgumentReader::integer(int i) const {
  if (const auto* integer = value(i).as<BigInt>()) {
    return *integer;
  }
  if (const auto* flag = value(i).as<bool>()) {
    return BigInt{*flag ? 1 : 0};
  }
  report_not_constexpr(i, "an integer");
  return {};
}

std::optional<std::string> ArgumentReader::text(int i) const {
  if (const auto* text = value(i).as<std::string>()) {
    return *text;
  }
  report_not_constexpr(i, "a string");
  return {};
}

std::optional<std::string> ArgumentReader::choice(int i,
                                                  std::span<const std::string_view> allowed) const {
  std::optional<std::string> text = is_none(i) ? std::string() : this->text(i);
  if (!text) {
    return {};
  }
  std::string list;
  for (const std::string_view option : allowed) {
    if (*text == option) {
      return text;
    }
    list += fmt::format("{}\"{}\"", list.empty() ? "" : ", ", option);
  }
  sema_
      .report(DiagId::ArgumentValue, range(i), parameter_name(i), function_name(),
              python_repr(value(i)), "allowed are " + list)
      .helped(fmt::format("leave `{}` out, or write one of them", parameter_name(i)));
  return {};
}

std::optional<ElementType> ArgumentReader::dtype(int i) const {
  const auto* type = value(i).as<TypeObject>();
  if (type != nullptr && type->type.is_scalar()) {
    return type->type.element;
  }
  Diagnostic& diagnostic = sema_.report(DiagId::ArgumentType, range(i), parameter_name(i),
                                        function_name(), "a dtype", describe(value(i)));
  if (value(i).is<std::string>()) {
    diagnostic.helped(fmt::format("write the dtype itself: `tl.{}`", *value(i).as<std::string>()));
  } else if (value(i).is<Tensor>()) {
    diagnostic.helped(fmt::format("write `{}.dtype`", operand_text(sema_, range(i))));
  } else {
    diagnostic.helped("write a dtype such as `tl.float32`");
  }
  explain_nothing(diagnostic, value(i));
  return {};
}

std::optional<int> checked_axis(Sema& sema, BigInt axis, int rank, std::string_view what,
                                SourceRange range) {
  if (axis >= -rank && axis < rank) {
    return static_cast<int>(axis < 0 ? axis + rank : axis);
  }
  sema.report(DiagId::AxisOutOfRange, range, to_string(axis), what,
              rank == 0 ? "no axes" : fmt::format("the axes {} to {}", -rank, rank - 1))
      .helped(rank == 0   ? "a scalar has nothing to count along"
              : rank == 1 ? "write `0`, its only axis"
                          : "`-1` is the last axis, `0` the first");
  return {};
}

std::optional<int> ArgumentReader::axis(int i, int rank, std::string_view what) const {
  const auto axis = integer(i);
  return axis ? checked_axis(sema_, *axis, rank, what, range(i)) : std::nullopt;
}

std::optional<std::vector<std::int64_t>> ArgumentReader::integers_of(std::span<const Value> values,
                                                                     SourceRange range,
                                                                     int i) const {
  std::vector<std::int64_t> result;
  for (const Value& value : values) {
    const auto* integer = value.as<BigInt>();
    if (integer == nullptr || *integer != static_cast<std::int64_t>(*integer)) {
      sema_.report(DiagId::ArgumentNotConstexpr, range, parameter_name(i), function_name(),
                   "integers", describe(value));
      return {};
    }
    result.push_back(static_cast<std::int64_t>(*integer));
  }
  return result;
}

std::optional<std::vector<std::int64_t>> ArgumentReader::integers(int i) const {
  if (const auto* tuple = value(i).as<TupleValue>()) {
    return integers_of(tuple->elements, range(i), i);
  }
  return integers_of(std::span(&value(i), 1), range(i), i);
}

std::optional<std::vector<std::int64_t>> ArgumentReader::variadic_integers() const {
  const auto& variadic = arguments_.variadic;
  const auto& parameters = arguments_.callee->parameters;
  int position = 0;
  while (!parameters[static_cast<std::size_t>(position)].is_variadic) {
    ++position;
  }
  if (variadic.size() == 1 && variadic[0].is<TupleValue>()) {
    return integers_of(variadic[0].as<TupleValue>()->elements, arguments_.variadic_ranges[0],
                       position);
  }
  return integers_of(variadic, arguments_.call, position);
}

std::optional<std::int64_t> ArgumentReader::extent(const Value& value, std::size_t position,
                                                   SourceRange range, bool is_own) const {
  const auto* integer = value.as<BigInt>();
  if (integer == nullptr) {
    Diagnostic& diagnostic =
        sema_.report(DiagId::ShapeNotConstexpr, range, position, describe(value));
    if (is_own) {
      label_operand(sema_, diagnostic, range, value);
    }
    diagnostic.helped(constexpr_help(sema_, range));
    return {};
  }
  if (*integer < 1) {
    sema_.report(DiagId::ExtentNotPositive, range, position, to_string(*integer))
        .helped("a block has at least one element: use a mask for those that are too many");
    return {};
  }
  if (*integer > kMaxElements) {
    sema_.report(DiagId::BlockTooLarge, range, to_string(*integer), to_string(*integer))
        .helped("use smaller blocks and a loop, or more programs");
    return {};
  }
  return static_cast<std::int64_t>(*integer);
}

std::optional<Shape> ArgumentReader::shape_of(std::span<const Value> extents,
                                              std::span<const SourceRange> ranges) const {
  if (extents.size() > static_cast<std::size_t>(Shape::kMaxRank)) {
    sema_.report(DiagId::RankTooLarge, ranges[0], extents.size())
        .helped("merge axes with `tl.reshape`, or keep the last ones in a loop");
    return {};
  }
  Shape shape;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const bool is_own = ranges.size() == extents.size();
    const auto value = extent(extents[i], i, ranges[is_own ? i : 0], is_own);
    if (!value) {
      return {};
    }
    shape.push_back(*value);
  }
  const SourceRange whole =
      ranges.empty() ? arguments_.call
                     : SourceRange{ranges[0].file, ranges.front().begin, ranges.back().end};
  const bool fits = check_new_shape(sema_, shape, whole);
  return fits ? std::optional(shape) : std::nullopt;
}

std::optional<Shape> ArgumentReader::shape(int i) const {
  const SourceRange own = range(i);
  if (const auto* tuple = value(i).as<TupleValue>()) {
    return shape_of(
        tuple->elements,
        ranges_of(*tuple, arguments_.elements[static_cast<std::size_t>(i)], std::span(&own, 1)));
  }
  return shape_of(std::span(&value(i), 1), std::span(&own, 1));
}

std::optional<Shape> ArgumentReader::variadic_shape() const {
  const auto& variadic = arguments_.variadic;
  if (variadic.size() == 1 && variadic[0].is<TupleValue>()) {
    const auto& tuple = *variadic[0].as<TupleValue>();
    return shape_of(tuple.elements,
                    ranges_of(tuple, arguments_.variadic_elements, arguments_.variadic_ranges));
  }
  return shape_of(variadic, arguments_.variadic_ranges);
}

void ArgumentReader::report_type(int i, std::string_view what) const {
  const auto* number = value(i).as<double>();
  const bool is_whole = number != nullptr && *number == std::trunc(*number);
  Diagnostic& diagnostic = sema_.report(DiagId::ArgumentType, range(i), parameter_name(i),
                                        function_name(), what, describe(value(i)));
  diagnostic.helped(is_whole ? fmt::format("write `{:.0f}`", *number)
                             : fmt::format("it is called as `{}{}`", function_name(),
                                           arguments_.callee->signature));
  explain_nothing(diagnostic, value(i));
}

void ArgumentReader::report_not_constexpr(int i, std::string_view what) const {
  const auto* tensor = value(i).as<Tensor>();
  if (tensor == nullptr) {
    report_type(i, what);
    return;
  }
  Diagnostic& diagnostic = sema_.report(DiagId::ArgumentNotConstexpr, range(i), parameter_name(i),
                                        function_name(), what, describe(value(i)));
  label_operand(sema_, diagnostic, range(i), value(i));
  diagnostic.helped(tensor->type.is_scalar()
                        ? constexpr_help(sema_, range(i))
                        : fmt::format("write {}, or a `tl.constexpr` parameter", what));
}

void ArgumentReader::report_operand(int i, const Tensor& x, std::string_view allowed,
                                    std::string_view target) const {
  Diagnostic& diagnostic =
      sema_.report(DiagId::MathOperandType, range(i), function_name(), allowed, type_text(x.type));
  label_operand(sema_, diagnostic, range(i), value(i));
  const std::string text = operand_text(sema_, range(i));
  diagnostic.helped(x.type.is_pointer() ? fmt::format("read what it points to: `tl.load({})`", text)
                                        : fmt::format("convert it: `{}.to({})`", text, target));
}

std::string constexpr_help(Sema& sema, SourceRange range) {
  const std::string text = operand_text(sema, range);
  const bool is_name = std::ranges::all_of(
      text, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c >= 0x80U; });
  return is_name ? fmt::format("declare it `{}: tl.constexpr`", text)
                 : fmt::format("declare what `{}` is made of `: tl.constexpr`", text);
}

bool check_new_shape(Sema& sema, const Shape& shape, SourceRange range) {
  if (sema.options().strict) {
    for (int axis = 0; axis < shape.rank(); ++axis) {
      if (!is_power_of_two(shape[axis])) {
        sema.report(DiagId::ExtentNotPowerOfTwo, range, axis, shape[axis])
            .helped(fmt::format("use {} and a mask", next_power_of_two(shape[axis])));
        return false;
      }
    }
  }
  return check_block(sema, shape, range);
}

}  // namespace tilery::sema
