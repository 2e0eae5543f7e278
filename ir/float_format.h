// The binary formats of the float types: a sign, an exponent with a bias, a mantissa.
//
// All functions are forced inline, for the reason that ir/math/convert.h gives.
#pragma once

#include "ir/type.h"

#include <cstdint>

namespace tilery {

/// Where a format keeps what is not a finite number.
enum class Specials : std::uint8_t {
  Ieee,          ///< the top exponent is infinity (mantissa 0) or NaN
  TopIsNan,      ///< the largest magnitude is NaN; no infinity
  None,          ///< every code is a number
  NegZeroIsNan,  ///< the code of negative zero is the only NaN ("fnuz"); no infinity
};

/// What becomes of a number past the largest finite one, an infinity included, in rounding to
/// nearest.
enum class Overflow : std::uint8_t { ToInfinity, Saturates };

struct FloatFormat {
  int exponent_bits = 0;
  int mantissa_bits = 0;
  int bias = 0;
  Specials specials = Specials::None;
  Overflow overflow = Overflow::Saturates;
  /// The largest finite magnitude; infinity, where there is one, is the next code.
  std::uint64_t max_code = 0;
  /// What NaN becomes, with the sign of the source where there is room.
  std::uint64_t nan_code = 0;

  [[nodiscard, gnu::always_inline]] constexpr int width() const {
    return 1 + exponent_bits + mantissa_bits;
  }

  [[nodiscard, gnu::always_inline]] constexpr std::uint64_t sign_code() const {
    return std::uint64_t{1} << (width() - 1);
  }

  [[nodiscard, gnu::always_inline]] constexpr std::uint64_t mantissa_mask() const {
    return (std::uint64_t{1} << mantissa_bits) - 1;
  }

  [[nodiscard, gnu::always_inline]] constexpr bool has_infinity() const {
    return specials == Specials::Ieee;
  }

  [[nodiscard, gnu::always_inline]] constexpr bool saturates() const {
    return overflow == Overflow::Saturates;
  }

  /// One zero, and one NaN in the place of the other.
  [[nodiscard, gnu::always_inline]] constexpr bool is_fnuz() const {
    return specials == Specials::NegZeroIsNan;
  }
};

/// The formats in the order of Scalar; an integer's row means nothing.
inline constexpr FloatFormat kFloatFormats[kScalarCount] = {
#define TILERY_INTEGER(...) {},
#define TILERY_FLOAT(name, exponent, mantissa, bias, specials, overflow, max_code, nan_code, ...) \
  {exponent, mantissa, bias, Specials::specials, Overflow::overflow, max_code, nan_code},
#include "ir/scalars.def"
};

/// The format of a float type.
[[nodiscard, gnu::always_inline]] constexpr const FloatFormat& float_format(Scalar scalar) {
  return kFloatFormats[static_cast<int>(scalar)];
}

}  // namespace tilery
