// What the kernels are tested against: formats and rounding written from their definitions, in a
// way that shares nothing with the kernels. Slow and plain.
#pragma once

#include "interpreter/kernels.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

namespace tilery::interpreter {

// Wider than anything under test.
__extension__ typedef __float128 Quad;             // NOLINT(modernize-use-using)
__extension__ typedef __int128 Wide;               // NOLINT(modernize-use-using)
__extension__ typedef unsigned __int128 WideBits;  // NOLINT(modernize-use-using)

/// The levels that this processor has.
inline std::vector<const Kernels*> all_levels() {
  std::vector<const Kernels*> levels;
  for (const int level : {2, 3, 4}) {
    if (const Kernels* set = kernels_of_level(level)) {
      levels.push_back(set);
    }
  }
  return levels;
}

/// One float format of up to 16 bits, by its parameters.
struct SmallFormat {
  Scalar scalar;
  int width;
  int mantissa_bits;
  int bias;
  bool has_infinity;           ///< the top exponent is infinity and NaN
  bool is_fnuz;                ///< negative zero's code is NaN
  bool has_top_nan;            ///< only the code of all ones is NaN
  std::uint32_t largest_code;  ///< of a finite number; fp8 saturates to it
};

inline const std::vector<SmallFormat>& small_formats() {
  static const std::vector<SmallFormat> formats = {
      {Scalar::F16, 16, 10, 15, true, false, false, 0x7BFF},   // 65504
      {Scalar::BF16, 16, 7, 127, true, false, false, 0x7F7F},  // 3.39e38
      {Scalar::F8E5, 8, 2, 15, true, false, false, 0x7B},      // 57344
      {Scalar::F8E4NV, 8, 3, 7, false, false, true, 0x7E},     // 448
      {Scalar::F8E4B15, 8, 3, 15, false, false, false, 0x7E},  // 1.75, by choice
      {Scalar::F8E4B8, 8, 3, 8, false, true, false, 0x7F},     // 240
      {Scalar::F8E5B16, 8, 2, 16, false, true, false, 0x7F},   // 57344
  };
  return formats;
}

inline const SmallFormat& small_format(Scalar scalar) {
  for (const SmallFormat& format : small_formats()) {
    if (format.scalar == scalar) {
      return format;
    }
  }
  std::abort();
}

/// The value of a code, from the definition (-1)^s · 2^(e - bias) · 1.m.
inline double compute_value(const SmallFormat& format, std::uint32_t code) {
  const std::uint32_t sign = code >> (format.width - 1);
  const std::uint32_t magnitude = code & ((1U << (format.width - 1)) - 1);
  const int exponent = static_cast<int>(magnitude >> format.mantissa_bits);
  const int mantissa = static_cast<int>(magnitude & ((1U << format.mantissa_bits) - 1));
  const int top = (1 << (format.width - 1 - format.mantissa_bits)) - 1;
  const bool is_all_ones = magnitude == (1U << (format.width - 1)) - 1;
  if (format.is_fnuz && sign == 1 && magnitude == 0) {
    return NAN;
  }
  if ((format.has_top_nan && is_all_ones) ||
      (format.has_infinity && exponent == top && mantissa != 0)) {
    return NAN;
  }
  const double scale = std::ldexp(1.0, -format.mantissa_bits);
  double size = exponent == 0 ? std::ldexp(mantissa * scale, 1 - format.bias)
                              : std::ldexp(1.0 + (mantissa * scale), exponent - format.bias);
  if (format.has_infinity && exponent == top) {
    size = INFINITY;
  }
  return sign == 1 ? -size : size;
}

inline double value_of_code(const SmallFormat& format, std::uint32_t code) {
  static std::vector<double> tables[kScalarCount];
  std::vector<double>& table = tables[static_cast<int>(format.scalar)];
  if (table.empty()) {
    for (std::uint32_t each = 0; each < (1U << format.width); ++each) {
      table.push_back(compute_value(format, each));
    }
  }
  return table[code];
}

/// The magnitude code of the nearest number, ties to the even code, found by bisection over all of
/// them; one past the largest if it is nearer to the number that would follow. `exact` may have
/// more bits than a double, as Quad (the midpoints have not).
template <class Real>
std::uint32_t nearest_magnitude(const SmallFormat& format, Real exact) {
  const auto value = [&](std::uint32_t code) -> Real { return value_of_code(format, code); };
  std::uint32_t low = 0;
  std::uint32_t high = format.largest_code;
  while (low < high) {
    const std::uint32_t middle = (low + high + 1) / 2;
    if (value(middle) <= exact) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  const Real step =
      low == format.largest_code ? value(low) - value(low - 1) : value(low + 1) - value(low);
  const Real rest = exact - value(low);
  const bool is_up = rest * 2 > step || (rest * 2 == step && (low & 1U) != 0);
  return low + (is_up ? 1 : 0);
}

/// A number in a small format, rounded once; NaN gives any NaN code (0xFFFF stands for it).
inline constexpr std::uint32_t kAnyNan = 0xFFFFFFFFU;

template <class Real>
std::uint32_t code_of_value(const SmallFormat& format, Real exact, bool is_negative) {
  if (exact != exact) {
    return kAnyNan;
  }
  const std::uint32_t sign = 1U << (format.width - 1);
  const Real size = is_negative ? -exact : exact;
  std::uint32_t code = nearest_magnitude(format, size);
  if (format.width == 8 && code > format.largest_code) {
    code = format.largest_code;
  }
  return is_negative && !(format.is_fnuz && code == 0) ? code | sign : code;
}

inline std::uint32_t code_of_value(const SmallFormat& format, double exact) {
  return code_of_value<double>(format, exact, std::signbit(exact));
}

/// True if the code is the one expected, or is NaN where NaN is expected (fp8e4b15 has none and
/// ends at ±1.75).
inline bool is_same_code(const SmallFormat& format, std::uint32_t code, std::uint32_t expected) {
  if (expected != kAnyNan) {
    return code == expected;
  }
  return std::isnan(value_of_code(format, code)) ||
         (format.scalar == Scalar::F8E4B15 && (code & 0x7FU) == 0x7EU);
}

/// Equal bits, or both NaN.
template <class T>
bool is_same_number(T a, T b) {
  return std::memcmp(&a, &b, sizeof a) == 0 || (a != a && b != b);
}

/// Bit patterns that matter for a type of that many bytes, and then random ones.
template <class T>
std::vector<T> interesting(std::size_t n, unsigned seed) {
  static const std::uint64_t kPatterns[] = {0,
                                            1,
                                            2,
                                            3,
                                            5,
                                            7,
                                            8,
                                            31,
                                            32,
                                            63,
                                            64,
                                            0x7F,
                                            0x80,
                                            0xFF,
                                            0x7FFF,
                                            0x8000,
                                            0xFFFF,
                                            0x3C00,
                                            0x7C00,
                                            0xFC00,
                                            0x7E00,
                                            0x0400,
                                            0x03FF,
                                            0x3F80,
                                            0x7F80,
                                            0xFF80,
                                            0x7FC0,
                                            0x0080,
                                            0x7FFFFFFF,
                                            0x80000000,
                                            0xFFFFFFFF,
                                            0x3F800000,
                                            0xBF800000,
                                            0x7F800000,
                                            0xFF800000,
                                            0x7FC00000,
                                            0x00800000,
                                            0x007FFFFF,
                                            0x7F7FFFFF,
                                            0x40490FDB,
                                            0x7FFFFFFFFFFFFFFF,
                                            0x8000000000000000,
                                            0xFFFFFFFFFFFFFFFF,
                                            0x3FF0000000000000,
                                            0xBFF0000000000000,
                                            0x7FF0000000000000,
                                            0xFFF0000000000000,
                                            0x7FF8000000000000,
                                            0x0010000000000000,
                                            0x7FEFFFFFFFFFFFFF,
                                            0xFFFFFFFF00000000};
  std::mt19937_64 generator(seed);
  std::vector<T> values(n);
  for (std::size_t i = 0; i < n; ++i) {
    const bool is_special = generator() % 3 == 0;
    std::uint64_t pattern = generator();
    if (is_special) {
      pattern = kPatterns[generator() % std::size(kPatterns)];
    } else if (generator() % 3 == 0) {
      pattern = generator() % 16;
    }
    std::memcpy(&values[i], &pattern, sizeof(T));
  }
  return values;
}

}  // namespace tilery::interpreter
