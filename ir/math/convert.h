// Conversions between number formats, one number at a time: the definition that kernels are tested
// against, and what constant folding uses.
//
// Every conversion rounds once, to nearest even unless asked to round to zero. That includes fp64 →
// fp16 and fp64 → bf16, and integers of any width; going through fp32 would round twice. Choices
// where hardware differs:
//   - float → integer truncates, saturates at every width (8 and 16 bits too), NaN becomes 0;
//   - fp8 saturates at its largest number, from infinity too, and keeps NaN; fp8e4b15 has neither
//     infinity nor NaN and ends at ±1.75, so a NaN becomes 1.75;
//   - the two formats without a negative zero (fp8e4b8, fp8e5b16) give +0 for it.
//
// A format here has at most 32 bits.
//
// All functions are forced inline: they are used in files built for several processor levels, none
// of which may leave a copy for another to call.
#pragma once

#include "ir/float_format.h"

#include <cstdint>

namespace tilery::math {

enum class Rounding : std::uint8_t { NearestEven, ToZero };

/// The sign bit alone.
[[gnu::always_inline]] constexpr std::uint32_t sign_code(const FloatFormat& format) {
  return static_cast<std::uint32_t>(format.sign_code());
}

/// The code of a magnitude that was too large.
[[gnu::always_inline]] constexpr std::uint32_t overflow_code(const FloatFormat& format,
                                                             Rounding rounding) {
  const bool stays_finite = format.saturates() || rounding == Rounding::ToZero;
  return static_cast<std::uint32_t>(format.max_code) + (stays_finite ? 0 : 1);
}

/// value >> shift, rounded; shift ≥ 0.
[[gnu::always_inline]] constexpr std::uint64_t shift_rounding(std::uint64_t value, int shift,
                                                              Rounding rounding) {
  if (shift == 0) {
    return value;
  }
  if (shift > 64) {
    return 0;
  }
  const std::uint64_t kept = shift == 64 ? 0 : value >> shift;
  const std::uint64_t lost = value << (64 - shift);
  const std::uint64_t half = std::uint64_t{1} << 63;
  const bool is_up = lost > half || (lost == half && (kept & 1) != 0);
  return kept + (is_up && rounding == Rounding::NearestEven ? 1 : 0);
}

/// ± significand · 2^exponent in the format.
[[gnu::always_inline]] constexpr std::uint32_t encode_scaled(bool is_negative,
                                                             std::uint64_t significand,
                                                             int exponent,
                                                             const FloatFormat& format,
                                                             Rounding rounding) {
  std::uint32_t code = 0;
  if (significand != 0) {
    const int top = 63 - __builtin_clzll(significand);
    const int lowest_exponent = 1 - format.bias;
    const int value_exponent = top + exponent;
    const int field = value_exponent > lowest_exponent ? value_exponent : lowest_exponent;
    const int shift = field - format.mantissa_bits - exponent;
    const std::uint64_t kept =
        shift < 0 ? significand << -shift : shift_rounding(significand, shift, rounding);
    // The leading one of a normal number adds the missing 1 to the exponent field, as does a carry.
    const std::int64_t wide = (std::int64_t{field + format.bias - 1} << format.mantissa_bits) +
                              static_cast<std::int64_t>(kept);
    code = wide > static_cast<std::int64_t>(format.max_code) ? overflow_code(format, rounding)
                                                             : static_cast<std::uint32_t>(wide);
  }
  const bool has_sign = is_negative && !(format.is_fnuz() && code == 0);
  return code | (has_sign ? sign_code(format) : 0U);
}

/// A double (or, exactly, any narrower float) in the format.
[[gnu::always_inline]] constexpr std::uint32_t encode(double value, const FloatFormat& format,
                                                      Rounding rounding = Rounding::NearestEven) {
  const auto bits = __builtin_bit_cast(std::uint64_t, value);
  const bool is_negative = (bits >> 63) != 0;
  const int exponent = static_cast<int>((bits >> 52) & 0x7FF);
  const std::uint64_t fraction = bits & 0xFFFFFFFFFFFFFULL;
  if (exponent == 0x7FF) {
    const std::uint32_t sign = is_negative ? sign_code(format) : 0U;
    if (fraction != 0) {
      return static_cast<std::uint32_t>(format.nan_code) | (format.is_fnuz() ? 0U : sign);
    }
    return overflow_code(format, Rounding::NearestEven) | sign;
  }
  const std::uint64_t leading = exponent == 0 ? 0 : std::uint64_t{1} << 52;
  const int scale = (exponent == 0 ? 1 : exponent) - 1023 - 52;
  return encode_scaled(is_negative, fraction | leading, scale, format, rounding);
}

/// An integer in the format.
[[gnu::always_inline]] constexpr std::uint32_t encode_signed(std::int64_t value,
                                                             const FloatFormat& format) {
  const auto pattern = static_cast<std::uint64_t>(value);
  return encode_scaled(value < 0, value < 0 ? 0 - pattern : pattern, 0, format,
                       Rounding::NearestEven);
}

[[gnu::always_inline]] constexpr std::uint32_t encode_unsigned(std::uint64_t value,
                                                               const FloatFormat& format) {
  return encode_scaled(false, value, 0, format, Rounding::NearestEven);
}

/// True for a code, of the format's width, that is NaN.
[[gnu::always_inline]] constexpr bool is_nan(std::uint32_t code, const FloatFormat& format) {
  const std::uint32_t magnitude = code & (sign_code(format) - 1);
  switch (format.specials) {
    case Specials::Ieee:
      return magnitude > format.max_code + 1;
    case Specials::TopIsNan:
      return magnitude == format.nan_code;
    case Specials::None:
      return false;
    case Specials::NegZeroIsNan:
      return code == format.nan_code;
  }
  return false;
}

/// The exact value of a code.
[[gnu::always_inline]] constexpr float decode(std::uint32_t code, const FloatFormat& format) {
  const std::uint32_t magnitude = code & (sign_code(format) - 1);
  const std::uint32_t sign = (code & sign_code(format)) != 0 ? 0x80000000U : 0U;
  if (is_nan(code, format)) {
    return __builtin_bit_cast(float, 0x7FC00000U | sign);
  }
  if (format.has_infinity() && magnitude > format.max_code) {
    return __builtin_bit_cast(float, 0x7F800000U | sign);
  }
  const std::uint32_t field = magnitude >> format.mantissa_bits;
  const std::uint32_t fraction = magnitude & ((1U << format.mantissa_bits) - 1);
  if (field != 0) {
    const std::uint32_t exponent = field + 127U - static_cast<std::uint32_t>(format.bias);
    return __builtin_bit_cast(float,
                              sign | (exponent << 23) | (fraction << (23 - format.mantissa_bits)));
  }
  // fraction · 2^(1 - bias - mantissa_bits), in two exact factors because the power may be
  // subnormal
  const auto power = static_cast<std::uint32_t>(128 - format.bias);
  const float unit = __builtin_bit_cast(float, power << 23);
  const float step =
      __builtin_bit_cast(float, static_cast<std::uint32_t>(127 - format.mantissa_bits) << 23);
  const float size = static_cast<float>(fraction) * step * unit;
  return __builtin_bit_cast(float, __builtin_bit_cast(std::uint32_t, size) | sign);
}

/// Truncates toward zero, saturates, NaN → 0. `Integer` has up to 64 bits.
template <class Integer, class Float>
[[gnu::always_inline]] constexpr Integer saturate_to(Float value) {
  constexpr bool kIsSigned = Integer(-1) < Integer(0);
  constexpr int kBits = static_cast<int>(sizeof(Integer) * 8) - (kIsSigned ? 1 : 0);
  constexpr Float kEnd = Float(std::uint64_t{1} << (kBits - 1)) * Float(2);  // one past the largest
  constexpr auto kMax = static_cast<Integer>(~std::uint64_t{0} >> (64 - kBits));
  constexpr auto kMin = static_cast<Integer>(kIsSigned ? -kMax - 1 : 0);
  if (!(value < kEnd)) {
    return value != value ? Integer(0) : kMax;
  }
  constexpr Float kLow = kIsSigned ? -kEnd : Float(0);
  return value > kLow ? static_cast<Integer>(value) : kMin;
}

/// a + b rounded to odd: truncated, with the last bit set if anything was lost. A further rounding
/// to nearest of at least two bits fewer gives what rounding the exact sum once would give.
template <class Float, class Pattern>
[[gnu::always_inline]] constexpr Float sum_to_odd(Float a, Float b) {
  const Float sum = a + b;
  const Float b_part = sum - a;
  const Float lost = (a - (sum - b_part)) + (b - b_part);
  const bool is_inexact = lost < 0 || lost > 0;
  const bool is_away = is_inexact && (lost < 0) != (sum < 0);
  const Pattern truncated = __builtin_bit_cast(Pattern, sum) - (is_away ? 1U : 0U);
  return __builtin_bit_cast(Float, static_cast<Pattern>(truncated | (is_inexact ? 1U : 0U)));
}

/// value as a float, rounded to odd.
[[gnu::always_inline]] constexpr float narrow_to_odd(double value) {
  const auto nearest = static_cast<float>(value);
  const auto back = static_cast<double>(nearest);
  const bool is_inexact = back != value;
  const double distance = back < 0 ? value - back : back - value;
  const std::uint32_t truncated =
      __builtin_bit_cast(std::uint32_t, nearest) - (distance > 0 ? 1U : 0U);
  return __builtin_bit_cast(float, truncated | (is_inexact ? 1U : 0U));
}

/// a · b + c of fp16 or bf16 numbers, rounded to odd as a float; rounding that to the format is the
/// fma. The product of two such numbers is exact in a double.
[[gnu::always_inline]] constexpr float half_fma_to_odd(float a, float b, float c) {
  return narrow_to_odd(sum_to_odd<double, std::uint64_t>(double{a} * double{b}, double{c}));
}

}  // namespace tilery::math
