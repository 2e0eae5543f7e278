// One line an op, in tables by class of number. An op that is in no table is not folded, which is
// always allowed; the test of this file names those that are meant to be missing.
//
// Floats are computed in double and rounded once more into their type. For + - * / sqrt that second
// rounding cannot show: double has 53 bits, more than twice those of fp32 plus two, and the result
// of one operation is then never so near a midpoint without being on it (S. Figueroa, "When is
// double rounding innocuous?", 1995). For fma it can, so its double is rounded to odd first: an
// inexact sum gets its last bit set, which keeps it off every midpoint.
#include "ir/analysis/fold.h"

#include "ir/builder.h"
#include "ir/wide_int.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace tilery {
namespace {

__extension__ using WideUnsigned = unsigned __int128;

// ---- integers ----

/// The number as a mathematical integer.
WideInt integer(Number x) {
  return wide_int(x.type, x.bits);
}

/// Modulo 2^128: the product of two uint64 may be that large, and comes out negative then, which no
/// uint64 is.
WideInt product(WideInt a, WideInt b) {
  return static_cast<WideInt>(static_cast<WideUnsigned>(a) * static_cast<WideUnsigned>(b));
}

/// The low bits, and an event if they are not the whole number (i1 counts modulo 2 by intent).
Folded wrapped(Scalar type, WideInt value) {
  const std::uint64_t bits =
      encode_int(type, static_cast<std::int64_t>(static_cast<std::uint64_t>(value)));
  return {bits, type != Scalar::I1 && integer({type, bits}) != value};
}

/// Operands as numbers; what an op lacks is 0.
struct Integers {
  Scalar type;
  WideInt a;
  WideInt b;
  WideInt c;

  /// The bits of `b` as an unsigned count.
  [[nodiscard]] std::uint64_t count() const {
    return encode_int(type, static_cast<std::int64_t>(b));
  }

  [[nodiscard]] int width() const { return bit_width(type); }
};

Folded shifted_left(const Integers& x) {
  return {
      x.count() >= static_cast<std::uint64_t>(x.width())
          ? 0
          : wrapped(x.type, static_cast<WideInt>(static_cast<WideUnsigned>(x.a) << x.count())).bits,
      false};
}

/// 127 places leave nothing but the sign, as any count past the width does.
Folded shifted_right(const Integers& x) {
  return wrapped(x.type, x.a >> std::min<std::uint64_t>(x.count(), 127));
}

/// The sum is taken modulo 2^128, which no product of two 64-bit numbers leaves by more than c.
Folded fused(const Integers& x) {
  const auto sum = static_cast<WideUnsigned>(product(x.a, x.b)) + static_cast<WideUnsigned>(x.c);
  return wrapped(x.type, static_cast<WideInt>(sum));
}

Folded high_half(const Integers& x) {
  const WideUnsigned a = encode_int(x.type, static_cast<std::int64_t>(x.a));
  const WideUnsigned b = encode_int(x.type, static_cast<std::int64_t>(x.b));
  return wrapped(x.type, static_cast<WideInt>((a * b) >> x.width()));
}

Folded without_event(Folded folded) {
  return {folded.bits, false};
}

struct IntegerOp {
  Op op;
  Folded (*eval)(const Integers&);
};

// clang-format off
constexpr std::array kIntegerOps{
    IntegerOp{Op::Add, [](const Integers& x) { return wrapped(x.type, x.a + x.b); }},
    IntegerOp{Op::Sub, [](const Integers& x) { return wrapped(x.type, x.a - x.b); }},
    IntegerOp{Op::Mul, [](const Integers& x) { return wrapped(x.type, product(x.a, x.b)); }},
    IntegerOp{Op::IDiv, [](const Integers& x) { return x.b == 0 ? Folded{0, true} : wrapped(x.type, x.a / x.b); }},
    IntegerOp{Op::Rem, [](const Integers& x) { return x.b == 0 ? Folded{0, true} : wrapped(x.type, x.a % x.b); }},
    IntegerOp{Op::Fma, fused},
    IntegerOp{Op::UMulHi, [](const Integers& x) { return without_event(high_half(x)); }},
    IntegerOp{Op::Neg, [](const Integers& x) { return wrapped(x.type, -x.a); }},
    IntegerOp{Op::And, [](const Integers& x) { return wrapped(x.type, x.a & x.b); }},
    IntegerOp{Op::Or, [](const Integers& x) { return wrapped(x.type, x.a | x.b); }},
    IntegerOp{Op::Xor, [](const Integers& x) { return wrapped(x.type, x.a ^ x.b); }},
    IntegerOp{Op::Not, [](const Integers& x) { return without_event(wrapped(x.type, ~x.a)); }},
    IntegerOp{Op::Shl, shifted_left},
    IntegerOp{Op::Shr, shifted_right},
    IntegerOp{Op::Minimum, [](const Integers& x) { return wrapped(x.type, std::min(x.a, x.b)); }},
    IntegerOp{Op::Maximum, [](const Integers& x) { return wrapped(x.type, std::max(x.a, x.b)); }},
    IntegerOp{Op::Abs, [](const Integers& x) { return wrapped(x.type, x.a < 0 ? -x.a : x.a); }},
};
// clang-format on

std::optional<Folded> fold_integer(Op op, std::span<const Number> operands) {
  Integers x{operands[0].type, integer(operands[0]), 0, 0};
  x.b = operands.size() > 1 ? integer(operands[1]) : 0;
  x.c = operands.size() > 2 ? integer(operands[2]) : 0;
  for (const IntegerOp& row : kIntegerOps) {
    if (row.op == op) {
      return row.eval(x);
    }
  }
  return std::nullopt;
}

// ---- floats ----

struct Floats {
  Scalar type;
  double a;
  double b;
  double c;
  bool propagate_nan;
};

/// `a · b + c` rounded to odd. The operands are at most fp32, so the product is exact.
double fma_to_odd(double a, double b, double c) {
  const double product = a * b;
  const double sum = product + c;
  if (!std::isfinite(sum)) {
    return sum;
  }
  // Knuth's two-sum: what the rounding of `sum` lost, exactly.
  const double part = sum - product;
  const double lost = (product - (sum - part)) + (c - part);
  const auto bits = std::bit_cast<std::uint64_t>(sum);
  if (lost == 0 || (bits & 1) != 0) {
    return sum;
  }
  const bool outwards = (lost > 0) == (sum > 0);
  return std::bit_cast<double>(outwards ? bits + 1 : bits - 1);
}

double fused(const Floats& x) {
  return x.type == Scalar::F64 ? std::fma(x.a, x.b, x.c) : fma_to_odd(x.a, x.b, x.c);
}

/// The larger for sign +1, the smaller for -1; +0 counts as larger than -0.
double extreme(const Floats& x, bool larger) {
  if (std::isnan(x.a) || std::isnan(x.b)) {
    const bool take_a = x.propagate_nan ? std::isnan(x.a) : std::isnan(x.b);
    return take_a ? x.a : x.b;
  }
  const bool a_below = x.a < x.b || (x.a == x.b && std::signbit(x.a));
  return a_below == larger ? x.b : x.a;
}

struct FloatOp {
  Op op;
  double (*eval)(const Floats&);
};

constexpr std::array kFloatOps{
    FloatOp{Op::Add, [](const Floats& x) { return x.a + x.b; }},
    FloatOp{Op::Sub, [](const Floats& x) { return x.a - x.b; }},
    FloatOp{Op::Mul, [](const Floats& x) { return x.a * x.b; }},
    FloatOp{Op::Div, [](const Floats& x) { return x.a / x.b; }},
    FloatOp{Op::Rem, [](const Floats& x) { return std::fmod(x.a, x.b); }},
    FloatOp{Op::Fma, fused},
    FloatOp{Op::Neg, [](const Floats& x) { return -x.a; }},
    FloatOp{Op::Minimum, [](const Floats& x) { return extreme(x, false); }},
    FloatOp{Op::Maximum, [](const Floats& x) { return extreme(x, true); }},
    FloatOp{Op::Abs, [](const Floats& x) { return std::fabs(x.a); }},
    FloatOp{Op::Floor, [](const Floats& x) { return std::floor(x.a); }},
    FloatOp{Op::Ceil, [](const Floats& x) { return std::ceil(x.a); }},
    FloatOp{Op::Sqrt, [](const Floats& x) { return std::sqrt(x.a); }},
};

bool is_nan(Number x) {
  return std::isnan(decode_float(x.type, x.bits));
}

bool is_inf(Number x) {
  return std::isinf(decode_float(x.type, x.bits));
}

/// Became infinite or NaN.
bool is_float_event(std::span<const Number> operands, Number result) {
  return (is_nan(result) && std::ranges::none_of(operands, is_nan)) ||
         (is_inf(result) && std::ranges::none_of(operands, is_inf));
}

std::optional<Folded> fold_float(Op op, std::span<const Number> operands, bool propagate_nan) {
  const Scalar type = operands[0].type;
  const auto number = [&](std::size_t i) {
    return i < operands.size() ? decode_float(type, operands[i].bits) : 0.0;
  };
  const Floats x{type, number(0), number(1), number(2), propagate_nan};
  std::optional<std::uint64_t> bits = fold_function(op, operands[0]);
  for (const FloatOp& row : kFloatOps) {
    if (row.op == op) {
      bits = encode_float(type, row.eval(x));
    }
  }
  if (!bits) {
    return std::nullopt;
  }
  return Folded{*bits, is_float_event(operands, {type, *bits})};
}

// ---- comparisons and conversions ----

template <class T>
std::optional<Folded> fold_comparison(Op op, T a, T b) {
  struct Row {
    Op op;
    bool holds;
  };

  const std::array rows{Row{Op::Eq, a == b}, Row{Op::Ne, a != b}, Row{Op::Lt, a < b},
                        Row{Op::Le, a <= b}, Row{Op::Gt, a > b},  Row{Op::Ge, a >= b}};
  for (const Row& row : rows) {
    if (row.op == op) {
      return Folded{row.holds ? 1U : 0U, false};
    }
  }
  return std::nullopt;
}

/// The nearest number of the type that is no larger in magnitude.
std::uint64_t encode_toward_zero(Scalar type, double v) {
  const std::uint64_t bits = encode_float(type, v);
  const bool past = std::fabs(decode_float(type, bits)) > std::fabs(v);
  return past ? bits - 1 : bits;
}

/// 2^63 and up do not fit encode_int: to double, rounded to odd, and then once into the type. Where
/// double is the type, it rounds itself.
std::uint64_t encode_large(Scalar type, std::uint64_t v) {
  if (type == Scalar::F64) {
    return encode_float(type, static_cast<double>(v));
  }
  constexpr std::uint64_t kLost = (1U << 11) - 1;
  const std::uint64_t odd = (v & kLost) != 0 ? (v & ~kLost) | (kLost + 1) : v;
  return encode_float(type, static_cast<double>(odd));
}

Folded integer_to_float(Number x, Scalar to) {
  const WideInt value = integer(x);
  const std::uint64_t bits = value > INT64_MAX ? encode_large(to, static_cast<std::uint64_t>(value))
                                               : encode_int(to, static_cast<std::int64_t>(value));
  return {bits, is_inf({to, bits})};
}

Folded float_to_integer(double v, Scalar to) {
  const std::uint64_t bits = encode_float(to, v);
  constexpr double kPastAnyInteger = 0x1p100;
  const bool fits =
      std::fabs(v) < kPastAnyInteger && static_cast<WideInt>(std::trunc(v)) == integer({to, bits});
  return {bits, !fits};
}

std::optional<Folded> fold_cast(Number x, Scalar to, bool toward_zero) {
  if (is_fp8(x.type) || is_fp8(to)) {
    return std::nullopt;
  }
  if (is_integer(x.type)) {
    if (to == Scalar::I1) {
      return Folded{x.bits != 0 ? 1U : 0U, false};
    }
    return is_integer(to) ? without_event(wrapped(to, integer(x))) : integer_to_float(x, to);
  }
  const double v = decode_float(x.type, x.bits);
  if (to == Scalar::I1) {
    return Folded{v != 0 ? 1U : 0U, false};
  }
  if (is_integer(to)) {
    return float_to_integer(v, to);
  }
  const std::uint64_t bits =
      toward_zero && !std::isnan(v) ? encode_toward_zero(to, v) : encode_float(to, v);
  return Folded{bits, is_float_event({&x, 1}, {to, bits})};
}

}  // namespace

std::optional<Folded> fold_map(Op op, std::span<const Number> operands, Scalar result,
                               std::span<const Attr> attrs) {
  if (op == Op::Select) {
    return Folded{operands[0].bits != 0 ? operands[1].bits : operands[2].bits, false};
  }
  if (op == Op::Bitcast) {
    return Folded{operands[0].bits, false};
  }
  if (op == Op::Cast) {
    return fold_cast(operands[0], result, std::get<std::int64_t>(attrs[0]) == 1);
  }
  const Scalar type = operands[0].type;
  if (is_fp8(type)) {
    return std::nullopt;
  }
  if (result == Scalar::I1 && operands.size() == 2) {
    const auto comparison = is_integer(type)
                                ? fold_comparison(op, integer(operands[0]), integer(operands[1]))
                                : fold_comparison(op, decode_float(type, operands[0].bits),
                                                  decode_float(type, operands[1].bits));
    if (comparison) {
      return comparison;
    }
  }
  if (is_integer(type)) {
    return fold_integer(op, operands);
  }
  const bool propagate_nan = !attrs.empty() && std::get<bool>(attrs[0]);
  return fold_float(op, operands, propagate_nan);
}

}  // namespace tilery
