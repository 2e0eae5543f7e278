// Numbers to bits and back, for every Scalar.
//
// All floats but fp64 go through one routine: the number is taken apart into sign, 64-bit
// significand and exponent, without loss, and rounded once into the format. Going through double or
// float first would round twice (2^62 + 2^54 + 1 to bf16, for one, would lose its last bit and then
// tie to even).
//
// The fp8 formats saturate: a number past the largest finite one, infinities included, becomes that
// one. NaN stays NaN where the format has one; f8e4b15 has none and takes its largest number. The
// "fnuz" formats f8e4b8 and f8e5b16 have one zero and one NaN, 0x80.
#include "ir/builder.h"

#include <bit>
#include <cmath>
#include <limits>

namespace tilery {
namespace {

/// Where a format keeps numbers that are not finite.
enum class Specials : std::uint8_t {
  Ieee,          ///< the top exponent is infinity (significand 0) or NaN
  TopIsNan,      ///< only the all-ones pattern is NaN; no infinity
  None,          ///< every pattern is a number
  NegZeroIsNan,  ///< 0x80 is NaN; no infinity, no negative zero
};

struct FloatFormat {
  int exponent_bits;
  int fraction_bits;
  int bias;
  Specials specials;
  bool saturates;
  /// Bits of the largest finite number.
  std::uint64_t max_finite;

  [[nodiscard]] int width() const { return 1 + exponent_bits + fraction_bits; }

  [[nodiscard]] std::uint64_t sign_bit() const { return std::uint64_t{1} << (width() - 1); }

  [[nodiscard]] std::uint64_t fraction_mask() const {
    return (std::uint64_t{1} << fraction_bits) - 1;
  }

  [[nodiscard]] std::uint64_t infinity() const {
    return ((std::uint64_t{1} << exponent_bits) - 1) << fraction_bits;
  }
};

const FloatFormat& format_of(Scalar s) {
  static constexpr FloatFormat kE4Nv{4, 3, 7, Specials::TopIsNan, true, 0x7E};
  static constexpr FloatFormat kE5{5, 2, 15, Specials::Ieee, true, 0x7B};
  // 0x7F would be 1.875; conversions clamp to 1.75, as other implementations of the format do.
  static constexpr FloatFormat kE4B15{4, 3, 15, Specials::None, true, 0x7E};
  static constexpr FloatFormat kE4B8{4, 3, 8, Specials::NegZeroIsNan, true, 0x7F};
  static constexpr FloatFormat kE5B16{5, 2, 16, Specials::NegZeroIsNan, true, 0x7F};
  static constexpr FloatFormat kF16{5, 10, 15, Specials::Ieee, false, 0x7BFF};
  static constexpr FloatFormat kBf16{8, 7, 127, Specials::Ieee, false, 0x7F7F};
  static constexpr FloatFormat kF32{8, 23, 127, Specials::Ieee, false, 0x7F7FFFFF};
  static constexpr FloatFormat kF64{11, 52, 1023, Specials::Ieee, false, 0x7FEFFFFFFFFFFFFF};
  switch (s) {
    case Scalar::F8E4NV:
      return kE4Nv;
    case Scalar::F8E5:
      return kE5;
    case Scalar::F8E4B15:
      return kE4B15;
    case Scalar::F8E4B8:
      return kE4B8;
    case Scalar::F8E5B16:
      return kE5B16;
    case Scalar::F16:
      return kF16;
    case Scalar::BF16:
      return kBf16;
    case Scalar::F32:
      return kF32;
    case Scalar::F64:
    case Scalar::I1:
    case Scalar::I8:
    case Scalar::I16:
    case Scalar::I32:
    case Scalar::I64:
    case Scalar::U8:
    case Scalar::U16:
    case Scalar::U32:
    case Scalar::U64:
      break;
  }
  return kF64;
}

/// `significand * 2^exponent`, exactly.
struct Exact {
  bool negative = false;
  std::uint64_t significand = 0;
  int exponent = 0;
};

/// `value / 2^shift` to the nearest integer, ties to even; `shift` may be past the width.
std::uint64_t shifted_right_to_even(std::uint64_t value, int shift) {
  if (shift <= 0) {
    return value << -shift;
  }
  if (shift > 64) {
    return 0;
  }
  const std::uint64_t whole = shift == 64 ? 0 : value >> shift;
  const std::uint64_t half = std::uint64_t{1} << (shift - 1);
  const std::uint64_t rest = value & (half | (half - 1));
  const bool up = rest > half || (rest == half && (whole & 1) != 0);
  return whole + (up ? 1 : 0);
}

std::uint64_t with_sign(const FloatFormat& format, bool negative, std::uint64_t magnitude) {
  // A rounded-to-zero negative number has no pattern of its own where 0x80 is NaN.
  if (format.specials == Specials::NegZeroIsNan && magnitude == 0) {
    return 0;
  }
  return magnitude | (negative ? format.sign_bit() : 0);
}

std::uint64_t past_the_end(const FloatFormat& format, bool negative) {
  return with_sign(format, negative, format.saturates ? format.max_finite : format.infinity());
}

/// The one rounding of this file.
std::uint64_t rounded(const FloatFormat& format, const Exact& x) {
  if (x.significand == 0) {
    return with_sign(format, x.negative, 0);
  }
  const int top = 63 - std::countl_zero(x.significand);
  const int min_exponent = 1 - format.bias;
  const int exponent = std::max(top + x.exponent, min_exponent);
  if (exponent > (1 << format.exponent_bits)) {
    return past_the_end(format, x.negative);
  }
  // Units of the last place: 2^(exponent - fraction_bits). A carry out of the fraction moves the
  // exponent up by itself, because the fields are adjacent.
  const std::uint64_t units =
      shifted_right_to_even(x.significand, exponent - format.fraction_bits - x.exponent);
  const auto biased = static_cast<std::uint64_t>(exponent - min_exponent);
  const std::uint64_t magnitude = (biased << format.fraction_bits) + units;
  return magnitude > format.max_finite ? past_the_end(format, x.negative)
                                       : with_sign(format, x.negative, magnitude);
}

/// Keeps the payload's upper bits, so that decoding and encoding again gives the same bits.
std::uint64_t encoded_nan(const FloatFormat& format, std::uint64_t double_bits) {
  const bool negative = (double_bits >> 63) != 0;
  switch (format.specials) {
    case Specials::Ieee: {
      const std::uint64_t quiet = std::uint64_t{1} << (format.fraction_bits - 1);
      const std::uint64_t payload =
          (double_bits >> (52 - format.fraction_bits)) & format.fraction_mask();
      return with_sign(format, negative, format.infinity() | (payload == 0 ? quiet : payload));
    }
    case Specials::TopIsNan:
      return with_sign(format, negative, format.sign_bit() - 1);
    case Specials::None:
      return with_sign(format, negative, format.max_finite);
    case Specials::NegZeroIsNan:
      return format.sign_bit();
  }
  return 0;
}

bool is_nan_pattern(const FloatFormat& format, std::uint64_t bits) {
  const std::uint64_t magnitude = bits & (format.sign_bit() - 1);
  switch (format.specials) {
    case Specials::Ieee:
      return magnitude > format.infinity();
    case Specials::TopIsNan:
      return magnitude == format.sign_bit() - 1;
    case Specials::None:
      return false;
    case Specials::NegZeroIsNan:
      return bits == format.sign_bit();
  }
  return false;
}

std::uint64_t width_mask(Scalar s) {
  return ~std::uint64_t{0} >> (64 - static_cast<unsigned>(bit_width(s)));
}

/// Truncates, saturates, NaN to 0; i1 is `v != 0`.
std::uint64_t float_as_integer(Scalar s, double v) {
  if (s == Scalar::I1) {
    return v != 0 ? 1 : 0;
  }
  if (std::isnan(v)) {
    return 0;
  }
  const int width = bit_width(s);
  const bool is_signed = is_signed_integer(s);
  // 2^width or 2^(width - 1): the first number above the range, exact in double.
  const double limit = std::ldexp(1.0, is_signed ? width - 1 : width);
  const double whole = std::trunc(v);
  if (whole >= limit) {
    return width_mask(s) >> (is_signed ? 1 : 0);
  }
  if (is_signed) {
    const auto number = whole < -limit ? std::numeric_limits<std::int64_t>::min() >> (64 - width)
                                       : static_cast<std::int64_t>(whole);
    return static_cast<std::uint64_t>(number) & width_mask(s);
  }
  return whole <= 0 ? 0 : static_cast<std::uint64_t>(whole);
}

}  // namespace

std::uint64_t encode_float(Scalar scalar, double v) {
  const auto bits = std::bit_cast<std::uint64_t>(v);
  if (scalar == Scalar::F64) {
    return bits;
  }
  if (is_integer(scalar)) {
    return float_as_integer(scalar, v);
  }
  const FloatFormat& format = format_of(scalar);
  if (std::isnan(v)) {
    return encoded_nan(format, bits);
  }
  const bool negative = (bits >> 63) != 0;
  if (std::isinf(v)) {
    return past_the_end(format, negative);
  }
  const auto biased = static_cast<int>((bits >> 52) & 0x7FF);
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
  const std::uint64_t hidden = biased == 0 ? 0 : std::uint64_t{1} << 52;
  return rounded(format, {negative, fraction | hidden, std::max(biased, 1) - 1075});
}

std::uint64_t encode_int(Scalar scalar, std::int64_t v) {
  if (scalar == Scalar::I1) {
    return static_cast<std::uint64_t>(v) & 1;
  }
  if (is_integer(scalar)) {
    return static_cast<std::uint64_t>(v) & width_mask(scalar);
  }
  const auto bits = static_cast<std::uint64_t>(v);
  return rounded(format_of(scalar), {v < 0, v < 0 ? ~bits + 1 : bits, 0});
}

double decode_float(Scalar scalar, std::uint64_t bits) {
  if (scalar == Scalar::F64) {
    return std::bit_cast<double>(bits);
  }
  if (is_integer(scalar)) {
    return is_signed_integer(scalar) ? static_cast<double>(decode_int(scalar, bits))
                                     : static_cast<double>(bits & width_mask(scalar));
  }
  const FloatFormat& format = format_of(scalar);
  const bool negative = (bits & format.sign_bit()) != 0;
  const std::uint64_t magnitude = bits & (format.sign_bit() - 1);
  const std::uint64_t fraction = magnitude & format.fraction_mask();
  if (is_nan_pattern(format, bits)) {
    // Only IEEE formats have payloads; the others give the plain quiet NaN.
    const std::uint64_t payload = format.specials == Specials::Ieee
                                      ? fraction << (52 - format.fraction_bits)
                                      : std::uint64_t{1} << 51;
    return std::bit_cast<double>((negative ? std::uint64_t{1} << 63 : 0) | 0x7FF0000000000000 |
                                 payload);
  }
  double value = 0;
  if (format.specials == Specials::Ieee && magnitude == format.infinity()) {
    value = std::numeric_limits<double>::infinity();
  } else {
    const auto biased = static_cast<int>(magnitude >> format.fraction_bits);
    const std::uint64_t hidden = biased == 0 ? 0 : std::uint64_t{1} << format.fraction_bits;
    value = std::ldexp(static_cast<double>(fraction | hidden),
                       std::max(biased, 1) - format.bias - format.fraction_bits);
  }
  return negative ? -value : value;
}

std::int64_t decode_int(Scalar scalar, std::uint64_t bits) {
  if (!is_signed_integer(scalar)) {
    return static_cast<std::int64_t>(bits & width_mask(scalar));
  }
  const int unused = 64 - bit_width(scalar);
  return static_cast<std::int64_t>(bits << unused) >> unused;
}

}  // namespace tilery
