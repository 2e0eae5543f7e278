// Numbers to bits and back, for every Scalar.
//
// All floats but fp64 go through ir/math/convert.h, which rounds once. NaN, there, becomes one
// code; here, where a format has payloads, its upper bits are kept, so that decoding a constant and
// encoding it again gives the same bits.
#include "ir/builder.h"
#include "ir/math/convert.h"
#include "ir/wide_int.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace tilery {
namespace {

/// Of a format with payloads: the sign, and as much of the payload as there is room for.
std::uint64_t encoded_payload(const FloatFormat& format, std::uint64_t double_bits) {
  const std::uint64_t infinity = format.max_code + 1;
  const std::uint64_t quiet = std::uint64_t{1} << (format.mantissa_bits - 1);
  const std::uint64_t payload =
      (double_bits >> (52 - format.mantissa_bits)) & format.mantissa_mask();
  const bool is_negative = (double_bits >> 63) != 0;
  return infinity | (payload == 0 ? quiet : payload) | (is_negative ? format.sign_code() : 0);
}

double decoded_payload(const FloatFormat& format, std::uint64_t bits) {
  const std::uint64_t payload = (bits & format.mantissa_mask()) << (52 - format.mantissa_bits);
  const std::uint64_t sign = (bits & format.sign_code()) != 0 ? std::uint64_t{1} << 63 : 0;
  return std::bit_cast<double>(sign | 0x7FF0000000000000 | payload);
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
  const FloatFormat& format = float_format(scalar);
  return std::isnan(v) && format.has_infinity() ? encoded_payload(format, bits)
                                                : math::encode(v, format);
}

std::uint64_t encode_int(Scalar scalar, std::int64_t v) {
  if (scalar == Scalar::I1) {
    return static_cast<std::uint64_t>(v) & 1;
  }
  if (is_integer(scalar)) {
    return static_cast<std::uint64_t>(v) & width_mask(scalar);
  }
  return scalar == Scalar::F64 ? std::bit_cast<std::uint64_t>(static_cast<double>(v))
                               : math::encode_signed(v, float_format(scalar));
}

double decode_float(Scalar scalar, std::uint64_t bits) {
  if (scalar == Scalar::F64) {
    return std::bit_cast<double>(bits);
  }
  if (is_integer(scalar)) {
    return is_signed_integer(scalar) ? static_cast<double>(decode_int(scalar, bits))
                                     : static_cast<double>(bits & width_mask(scalar));
  }
  const FloatFormat& format = float_format(scalar);
  const auto code = static_cast<std::uint32_t>(bits);
  return math::is_nan(code, format) && format.has_infinity() ? decoded_payload(format, code)
                                                             : math::decode(code, format);
}

std::int64_t decode_int(Scalar scalar, std::uint64_t bits) {
  if (!is_signed_integer(scalar)) {
    return static_cast<std::int64_t>(bits & width_mask(scalar));
  }
  const int unused = 64 - bit_width(scalar);
  return static_cast<std::int64_t>(bits << unused) >> unused;
}

WideInt wide_int(Scalar scalar, std::uint64_t bits) {
  const std::int64_t value = decode_int(scalar, bits);
  return is_signed_integer(scalar) ? WideInt{value} : WideInt{static_cast<std::uint64_t>(value)};
}

}  // namespace tilery
