// Arithmetic of Python numbers, free of any compiler state.
#pragma once

#include "frontend/ast.h"
#include "frontend/sema/value.h"

#include <string_view>

namespace tilery::sema {

/// A result, or why there is none.
struct Arithmetic {
  enum class Status : std::uint8_t { Ok, NotDefined, Failed };
  Status status = Status::Ok;
  Value value;
  std::string_view reason;  ///< Failed: "division by zero", …
};

/// Python's operators on two ints. `/` gives a float, `**` with a negative exponent too.
[[nodiscard]] Arithmetic integer_arithmetic(ast::BinaryOp op, BigInt a, BigInt b);
/// Python's operators on two floats; the bitwise ones are not defined.
[[nodiscard]] Arithmetic float_arithmetic(ast::BinaryOp op, double a, double b);

/// The value of an int literal as the syntax tree spells it (decimal, 0x, 0o, 0b); nothing beyond
/// 127 bits.
[[nodiscard]] std::optional<BigInt> parse_int(std::string_view spelling);
/// The value of a float literal, correctly rounded; inf beyond the range.
[[nodiscard]] double parse_float(std::string_view spelling);

}  // namespace tilery::sema
