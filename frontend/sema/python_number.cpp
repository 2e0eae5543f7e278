#include "frontend/sema/python_number.h"

#include <charconv>
#include <cmath>
#include <limits>

namespace tilery::sema {
namespace {

using ast::BinaryOp;

constexpr std::string_view kTooLarge =
    "the result is beyond 127 bits, the limit of compile-time integers";

Arithmetic ok(Value value) {
  return {Arithmetic::Status::Ok, std::move(value), {}};
}

Arithmetic failed(std::string_view reason) {
  return {Arithmetic::Status::Failed, {}, reason};
}

Arithmetic not_defined() {
  return {Arithmetic::Status::NotDefined, {}, {}};
}

BigInt floor_quotient(BigInt a, BigInt b) {
  const BigInt q = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

Arithmetic integer_power(BigInt base, BigInt exponent) {
  if (exponent < 0) {
    return base == 0
               ? failed("0 to a negative power")
               : ok(Value{std::pow(static_cast<double>(base), static_cast<double>(exponent))});
  }
  // 1, 0 and -1 stay small whatever the exponent; anything else overflows before 127 steps.
  if (base >= -1 && base <= 1) {
    const bool is_one = exponent == 0 || base == 1 || (base == -1 && exponent % 2 == 0);
    return ok(Value{is_one ? BigInt{1} : base});
  }
  BigInt result = 1;
  for (BigInt i = 0; i < exponent; ++i) {
    if (__builtin_mul_overflow(result, base, &result)) {
      return failed(kTooLarge);
    }
  }
  return ok(Value{result});
}

Arithmetic shift_left(BigInt a, BigInt count) {
  if (count < 0) {
    return failed("negative shift count");
  }
  if (a == 0) {
    return ok(Value{a});
  }
  BigInt result = a;
  for (BigInt i = 0; i < count; ++i) {
    if (__builtin_add_overflow(result, result, &result)) {
      return failed(kTooLarge);
    }
  }
  return ok(Value{result});
}

Arithmetic shift_right(BigInt a, BigInt count) {
  if (count < 0) {
    return failed("negative shift count");
  }
  return ok(Value{a >> static_cast<int>(count < 127 ? count : BigInt{127})});
}

Arithmetic float_power(double a, double b) {
  if (a == 0 && b < 0) {
    return failed("0 to a negative power");
  }
  if (a < 0 && std::isfinite(b) && b != std::floor(b)) {
    return failed("a negative number to a fractional power is complex");
  }
  return ok(Value{std::pow(a, b)});
}

/// Python's float `%`: the sign of the divisor.
double float_modulo(double a, double b) {
  const double r = std::fmod(a, b);
  if (r == 0) {
    return std::copysign(0.0, b);
  }
  return (r < 0) != (b < 0) ? r + b : r;
}

/// Python's float `//`: what is left after taking the modulo off, rounded to a whole number.
double float_floor_quotient(double a, double b) {
  const double q = (a - float_modulo(a, b)) / b;
  const double whole = std::floor(q);
  return q - whole > 0.5 ? whole + 1 : whole;
}

}  // namespace

Arithmetic integer_arithmetic(BinaryOp op, BigInt a, BigInt b) {
  BigInt result = 0;
  bool is_too_large = false;
  switch (op) {
    case BinaryOp::Add:
      is_too_large = __builtin_add_overflow(a, b, &result);
      break;
    case BinaryOp::Sub:
      is_too_large = __builtin_sub_overflow(a, b, &result);
      break;
    case BinaryOp::Mul:
      is_too_large = __builtin_mul_overflow(a, b, &result);
      break;
    case BinaryOp::Div:
      return b == 0 ? failed("division by zero")
                    : ok(Value{static_cast<double>(static_cast<long double>(a) /
                                                   static_cast<long double>(b))});
    case BinaryOp::FloorDiv:
      return b == 0 ? failed("division by zero") : ok(Value{floor_quotient(a, b)});
    case BinaryOp::Mod:
      return b == 0 ? failed("division by zero") : ok(Value{a - floor_quotient(a, b) * b});
    case BinaryOp::Pow:
      return integer_power(a, b);
    case BinaryOp::Shl:
      return shift_left(a, b);
    case BinaryOp::Shr:
      return shift_right(a, b);
    case BinaryOp::BitAnd:
      return ok(Value{a & b});
    case BinaryOp::BitOr:
      return ok(Value{a | b});
    case BinaryOp::BitXor:
      return ok(Value{a ^ b});
    case BinaryOp::MatMul:
      return not_defined();
  }
  return is_too_large ? failed(kTooLarge) : ok(Value{result});
}

Arithmetic float_arithmetic(BinaryOp op, double a, double b) {
  switch (op) {
    case BinaryOp::Add:
      return ok(Value{a + b});
    case BinaryOp::Sub:
      return ok(Value{a - b});
    case BinaryOp::Mul:
      return ok(Value{a * b});
    case BinaryOp::Div:
      return b == 0 ? failed("division by zero") : ok(Value{a / b});
    case BinaryOp::FloorDiv:
      return b == 0 ? failed("division by zero") : ok(Value{float_floor_quotient(a, b)});
    case BinaryOp::Mod:
      return b == 0 ? failed("division by zero") : ok(Value{float_modulo(a, b)});
    case BinaryOp::Pow:
      return float_power(a, b);
    case BinaryOp::MatMul:
    case BinaryOp::Shl:
    case BinaryOp::Shr:
    case BinaryOp::BitAnd:
    case BinaryOp::BitOr:
    case BinaryOp::BitXor:
      return not_defined();
  }
  return not_defined();
}

std::optional<BigInt> parse_int(std::string_view spelling) {
  int base = 10;
  if (spelling.size() > 2 && spelling[0] == '0') {
    const char mark = static_cast<char>(spelling[1] | 0x20);
    base = mark == 'x' ? 16 : mark == 'o' ? 8 : mark == 'b' ? 2 : 10;
    spelling.remove_prefix(base == 10 ? 0 : 2);
  }
  BigInt value = 0;
  for (const char c : spelling) {
    const int digit = c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
    if (__builtin_mul_overflow(value, BigInt{base}, &value) ||
        __builtin_add_overflow(value, BigInt{digit}, &value)) {
      return std::nullopt;
    }
  }
  return value;
}

double parse_float(std::string_view spelling) {
  double value = 0;
  const auto [end, error] =
      std::from_chars(spelling.data(), spelling.data() + spelling.size(), value);
  if (error == std::errc::result_out_of_range) {
    // from_chars leaves the value alone: it is beyond the range on either side.
    const std::size_t exponent = spelling.find_first_of("eE");
    const bool is_tiny = exponent != std::string_view::npos && exponent + 1 < spelling.size() &&
                         spelling[exponent + 1] == '-';
    return is_tiny ? 0.0 : std::numeric_limits<double>::infinity();
  }
  return value;
}

}  // namespace tilery::sema
