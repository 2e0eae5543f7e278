#include "frontend/sema/tensor_ops.h"

#include "frontend/sema/constexpr_ops.h"

#include <array>
#include <bit>

namespace tilery::sema {

Tensor tensor_of(Sema& sema, ValueId id) {
  return {id, sema.function().type(id)};
}

Tensor map(Sema& sema, Op op, std::initializer_list<Tensor> operands) {
  return make(sema, op, operands, {});
}

Tensor make(Sema& sema, Op op, std::initializer_list<Tensor> operands, Attributes attributes,
            std::optional<Type> result) {
  InstSpec spec;
  for (const Tensor& operand : operands) {
    spec.groups.push_back({operand.id});
  }
  spec.attrs = std::move(attributes);
  if (result) {
    spec.result_types.push_back(*result);
  }
  return tensor_of(sema, sema.builder().value(op, std::move(spec)));
}

Tensor int_constant(Sema& sema, const Type& type, BigInt value) {
  const auto wrapped = static_cast<std::int64_t>(static_cast<std::uint64_t>(value));
  return tensor_of(sema, sema.builder().constant_int(type, wrapped));
}

Tensor float_constant(Sema& sema, const Type& type, double value) {
  return tensor_of(sema, sema.builder().constant_float(type, value));
}

Tensor splat(Sema& sema, const Tensor& scalar, const Shape& shape) {
  if (shape.is_scalar()) {
    return scalar;
  }
  if (const auto bits = sema.function().constant_bits(scalar.id)) {
    return tensor_of(sema, sema.builder().constant_bits(scalar.type.with_shape(shape), *bits));
  }
  return tensor_of(sema, sema.builder().splat_to(scalar.id, shape));
}

Tensor convert(Sema& sema, const Tensor& x, Scalar scalar) {
  return x.type.element.is(scalar) ? x : tensor_of(sema, sema.builder().cast(x.id, scalar));
}

Tensor is_nonzero(Sema& sema, const Tensor& x) {
  return convert(sema, x, Scalar::I1);
}

Tensor expand_dims(Sema& sema, const Tensor& x, int axis) {
  if (x.type.is_scalar()) {
    return splat(sema, x, Shape{1});
  }
  return make(sema, Op::ExpandDims, {x}, {{"axis", std::int64_t{axis}}});
}

Tensor reshape(Sema& sema, const Tensor& x, const Shape& shape) {
  if (x.type.shape == shape) {
    return x;
  }
  if (x.type.is_scalar()) {
    return splat(sema, x, shape);
  }
  return make(sema, Op::Reshape, {x}, {}, x.type.with_shape(shape));
}

bool check_block(Sema& sema, const Shape& shape, SourceRange range) {
  // A product of 16 extents may pass 64 bits.
  constexpr BigInt kEnough = BigInt{1} << 100;
  BigInt count = 1;
  for (const std::int64_t extent : shape) {
    count = count > kEnough ? count : count * extent;
  }
  if (count <= kMaxElements) {
    return true;
  }
  sema.report(DiagId::BlockTooLarge, range, shape.str(), to_string(count))
      .helped("use smaller blocks and a loop, or more programs");
  return false;
}

bool allow_extension(Sema& sema, std::string_view what, SourceRange range,
                     std::string_view rewrite) {
  if (!sema.options().strict) {
    return true;
  }
  sema.report(DiagId::StrictExtension, range, what)
      .helped(fmt::format("{}, or leave strict mode", rewrite));
  return false;
}

bool reject_fp8_arithmetic(Sema& sema, const ElementType& element, SourceRange range) {
  if (element.is_pointer() || !is_fp8(element.scalar)) {
    return false;
  }
  sema.report(DiagId::NotSupportedYet, range,
              fmt::format("arithmetic on tl.{}", dtype_name(element.scalar)))
      .helped("convert it first: `.to(tl.float16)` keeps every fp8 number");
  return true;
}

std::string operand_text(Sema& sema, SourceRange range) {
  constexpr std::size_t kLongest = 40;
  std::string text;
  for (const char c : sema.sources().text(range)) {
    const bool is_blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (!is_blank) {
      text += c;
    } else if (!text.empty() && text.back() != ' ') {
      text += ' ';
    }
  }
  if (text.size() <= kLongest) {
    return text.empty() ? "…" : text;
  }
  std::size_t end = kLongest - 1;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) {
    --end;
  }
  return text.substr(0, end) + "…";
}

void label_operand(Sema& sema, Diagnostic& diagnostic, SourceRange range, const Value& value) {
  if (range.is_valid()) {
    diagnostic.label(range, fmt::format("`{}`: {}", operand_text(sema, range), describe(value)));
  }
}

void label_operands(Sema& sema, Diagnostic& diagnostic, const Value& lhs, const Value& rhs,
                    BinaryRanges ranges) {
  label_operand(sema, diagnostic, ranges.lhs, lhs);
  label_operand(sema, diagnostic, ranges.rhs, rhs);
}

void explain_nothing(Diagnostic& diagnostic, const Value& value) {
  const auto* none = value.as<NoneValue>();
  if (none == nullptr || none->function.empty()) {
    return;
  }
  diagnostic
      .note(fmt::format("this is the result of `{}`, which returns nothing; it is defined",
                        none->function),
            none->definition)
      .helped(fmt::format("end `{}` with `return` and its result", none->function));
}

std::int64_t next_power_of_two(std::int64_t n) {
  return n <= 1 ? 1 : static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(n)));
}

bool is_power_of_two(std::int64_t n) {
  return n > 0 && std::has_single_bit(static_cast<std::uint64_t>(n));
}

}  // namespace tilery::sema
