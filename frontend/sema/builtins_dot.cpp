// `tl.dot` (semantics 6.1).
#include "frontend/sema/builtins.h"
#include "frontend/sema/constexpr_ops.h"
#include "frontend/sema/tensor_ops.h"
#include "ir/input_precision.h"

#include <algorithm>
#include <array>

namespace tilery::sema {
namespace {

constexpr auto kOperandTypes = std::to_array<Scalar>(
    {Scalar::I8, Scalar::U8, Scalar::F16, Scalar::BF16, Scalar::F32, Scalar::F64});

/// The call's two matrices and what is known of the result.
struct DotOperands {
  Tensor a;
  Tensor b;
  Scalar result = Scalar::F32;
  Shape shape;  ///< of the result
};

void label_both(Sema& sema, Diagnostic& diagnostic, const ArgumentReader& reader) {
  label_operands(sema, diagnostic, reader.value(0), reader.value(1), reader.ranges(0, 1));
}

bool is_fp8(const Tensor& x) {
  return !x.type.is_pointer() && tilery::is_fp8(x.type.element.scalar);
}

bool is_byte(const Tensor& x) {
  return x.type.element.is(Scalar::I8) || x.type.element.is(Scalar::U8);
}

bool check_types(Sema& sema, const ArgumentReader& reader, const Tensor& a, const Tensor& b) {
  std::string_view rule;
  std::string help = "convert one side, for example `b.to(a.dtype)`";
  const auto is_allowed = [](const Tensor& x) {
    return !x.type.is_pointer() &&
           std::ranges::find(kOperandTypes, x.type.element.scalar) != kOperandTypes.end();
  };
  if (is_fp8(a) && is_fp8(b)) {
    return true;
  }
  if (a.type.element != b.type.element) {
    rule = "both operands must have one type";
    if (is_byte(a) && is_byte(b)) {
      help = "convert both with `.to(tl.float16)`, which holds all of their numbers";
    }
  } else if (!is_allowed(a)) {
    rule = "the operands must be int8, uint8, fp8, fp16, bf16, fp32 or fp64";
    help = "convert both, for example with `.to(tl.float16)`";
  } else {
    return !a.type.element.is(Scalar::U8) ||
           allow_extension(sema, "a `tl.dot` of uint8", reader.ranges(0, 1).whole,
                           "convert both with `.to(tl.float16)`, which holds all of their numbers");
  }
  Diagnostic& diagnostic = sema.report(DiagId::DotOperandTypes, reader.ranges(0, 1).whole,
                                       type_text(a.type), type_text(b.type), rule);
  label_both(sema, diagnostic, reader);
  diagnostic.helped(std::move(help));
  return false;
}

/// The shapes multiply; `shape` gets the result's.
bool check_shapes(Sema& sema, const ArgumentReader& reader, const Tensor& a, const Tensor& b,
                  Shape& shape) {
  const int rank = a.type.shape.rank();
  if (rank < 2 || rank != b.type.shape.rank()) {
    Diagnostic& diagnostic = sema.report(DiagId::DotRank, reader.ranges(0, 1).whole,
                                         type_text(a.type), type_text(b.type));
    label_both(sema, diagnostic, reader);
    diagnostic.helped(a.type.is_scalar() || b.type.is_scalar()
                          ? "a scalar is multiplied with `*`"
                          : "`x[None, :]` is a row, `x[:, None]` a column");
    return false;
  }
  std::string rule;
  std::string_view help = "`tl.trans` swaps the last two axes";
  for (int axis = 0; axis < rank - 2 && rule.empty(); ++axis) {
    if (a.type.shape[axis] != b.type.shape[axis]) {
      rule = fmt::format("the batch axis {} must agree, {} and {} do not", axis, a.type.shape[axis],
                         b.type.shape[axis]);
      help = "repeat the smaller one with `tl.broadcast_to`, if its batch has extent 1";
    }
  }
  const std::int64_t inner = a.type.shape[rank - 1];
  if (rule.empty() && inner != b.type.shape[rank - 2]) {
    rule = fmt::format("the left operand has {} columns, the right one {} rows", inner,
                       b.type.shape[rank - 2]);
  }
  if (!rule.empty()) {
    Diagnostic& diagnostic = sema.report(DiagId::DotShapes, reader.ranges(0, 1).whole,
                                         a.type.shape.str(), b.type.shape.str(), rule);
    label_both(sema, diagnostic, reader);
    diagnostic.helped(std::string(help));
    return false;
  }
  shape = a.type.shape;
  shape.set(rank - 1, b.type.shape[rank - 1]);
  return check_block(sema, shape, reader.ranges(0, 1).whole);
}

/// Triton's smallest K, by the width of the operands; strict mode asks for it.
bool check_size(Sema& sema, const ArgumentReader& reader, const Tensor& a) {
  const int bits = bit_width(a.type.element.scalar);
  const int smallest = bits == 8 ? 32 : bits == 16 ? 16 : bits == 32 ? 8 : 4;
  const std::int64_t inner = a.type.shape[a.type.shape.rank() - 1];
  if (!sema.options().strict || inner >= smallest) {
    return true;
  }
  Diagnostic& diagnostic = sema.report(DiagId::DotTooSmall, reader.ranges(0, 1).whole,
                                       language_name(a.type.element.scalar), smallest, inner);
  label_both(sema, diagnostic, reader);
  diagnostic.helped("pad K with zeros, or write `tl.sum(a[:, :, None] * b[None, :, :], 1)`");
  return false;
}

/// The result type: what out_dtype or acc asks for counts for fp16 and fp8 only.
std::optional<Scalar> result_scalar(Sema& sema, const ArgumentReader& reader, const Tensor& a,
                                    const MaybeTensor& acc) {
  std::optional<ElementType> asked;
  if (!reader.is_none(6)) {
    asked = reader.dtype(6);
    if (!asked) {
      return {};
    }
    if (asked->is(Scalar::BF16)) {
      sema.report(DiagId::ArgumentValue, reader.range(6), "out_dtype", reader.function_name(),
                  "bf16", "it is no type to accumulate in")
          .helped("accumulate in fp32 and convert the result: `tl.dot(a, b).to(tl.bfloat16)`");
      return {};
    }
  } else if (acc) {
    asked = acc->type.element;
  }
  if (is_byte(a)) {
    return Scalar::I32;
  }
  if (a.type.element.is(Scalar::F64)) {
    return Scalar::F64;
  }
  const bool may_be_half = a.type.element.is(Scalar::F16) || is_fp8(a);
  return may_be_half && asked && asked->is(Scalar::F16) ? Scalar::F16 : Scalar::F32;
}

bool check_accumulator(Sema& sema, const ArgumentReader& reader, const Tensor& acc,
                       const DotOperands& dot) {
  const Type wanted(dot.result, dot.shape);
  if (acc.type == wanted) {
    return true;
  }
  Diagnostic& diagnostic =
      sema.report(DiagId::DotAccumulator, reader.range(2), type_text(wanted), type_text(acc.type));
  label_operand(sema, diagnostic, reader.range(2), reader.value(2));
  label_both(sema, diagnostic, reader);
  const bool may_be_half = dot.a.type.element.is(Scalar::F16) && acc.type.element.is(Scalar::F16);
  diagnostic.helped(may_be_half ? "pass `out_dtype=tl.float16` to accumulate in fp16"
                                : fmt::format("start from `tl.zeros(({}), dtype=tl.{})`",
                                              fmt::join(dot.shape, ", "), dtype_name(dot.result)));
  return false;
}

std::optional<std::string> default_precision(Sema& sema, const ArgumentReader& reader) {
  if (reader.is_none(4)) {
    return sema.options().input_precision;
  }
  const auto allow_tf32 = reader.flag(4);
  if (!allow_tf32) {
    return {};
  }
  return *allow_tf32 ? "tf32" : "ieee";
}

/// The precisions by name, as the op's row has them.
std::string_view precision_names() {
  return op_def(Op::Dot).attr_patterns()[attr_index(Op::Dot, "precision")].enumerators;
}

/// The precision that was asked for, in lower case. It matters for fp32 operands only; all others
/// are exact products.
std::optional<std::string> read_precision(Sema& sema, const ArgumentReader& reader) {
  if (reader.is_none(3)) {
    return default_precision(sema, reader);
  }
  if (!reader.is_none(4)) {
    sema.report(DiagId::DotPrecision, reader.range(4),
                "`input_precision` and `allow_tf32` of `tl.dot` say the same thing twice")
        .helped("keep `input_precision`");
    return {};
  }
  auto precision = reader.text(3);
  if (!precision) {
    return {};
  }
  std::ranges::transform(*precision, precision->begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  if (enumerator_index(precision_names(), *precision) < 0) {
    std::string names(precision_names());
    for (std::size_t bar = 0; (bar = names.find('|', bar)) != std::string::npos;) {
      names.replace(bar, 1, ", ");
    }
    sema.report(DiagId::DotPrecision, reader.range(3),
                fmt::format("`input_precision` of `tl.dot` must be one of {}, not {}", names,
                            python_repr(reader.value(3))))
        .helped("`\"ieee\"` computes in full fp32; without the argument it is `\"tf32\"`");
    return {};
  }
  return precision;
}

std::int64_t precision_index(const std::string& precision, Scalar operand) {
  return operand == Scalar::F32 ? enumerator_index(precision_names(), precision)
                                : static_cast<std::int64_t>(InputPrecision::Ieee);
}

/// Operands and result of a call that is well typed.
std::optional<DotOperands> read_operands(Sema& sema, const ArgumentReader& reader,
                                         const MaybeTensor& acc) {
  const MaybeTensor a = reader.tensor(0);
  const MaybeTensor b = reader.tensor(1);
  if (!a || !b) {
    return {};
  }
  DotOperands dot{*a, *b, Scalar::F32, {}};
  if (!check_shapes(sema, reader, *a, *b, dot.shape) || !check_types(sema, reader, *a, *b) ||
      !check_size(sema, reader, *a)) {
    return {};
  }
  const auto result = result_scalar(sema, reader, *a, acc);
  if (!result) {
    return {};
  }
  dot.result = *result;
  // fp16 holds all numbers of any fp8 type.
  if (is_fp8(*a) && (a->type.element != b->type.element || *result == Scalar::F16)) {
    dot.a = convert(sema, *a, Scalar::F16);
    dot.b = convert(sema, *b, Scalar::F16);
  }
  return dot;
}

}  // namespace

namespace builtins {

MaybeValue dot(Sema& sema, const BoundArguments& arguments) {
  const ArgumentReader reader(sema, arguments);
  MaybeTensor acc;
  if (!reader.is_none(2)) {
    acc = reader.tensor(2);
    if (!acc) {
      return {};
    }
  }
  const auto operands = read_operands(sema, reader, acc);
  const auto precision = operands ? read_precision(sema, reader) : std::nullopt;
  if (!precision || (acc && !check_accumulator(sema, reader, *acc, *operands))) {
    return {};
  }
  if (!reader.is_none(5) && !reader.integer(5)) {
    return {};
  }
  if (!acc) {
    acc = int_constant(sema, Type(operands->result, operands->shape), 0);
  }
  const std::int64_t index = precision_index(*precision, operands->a.type.element.scalar);
  return Value{make(sema, Op::Dot, {operands->a, operands->b, *acc}, {{"precision", index}})};
}

}  // namespace builtins
}  // namespace tilery::sema
