// log and log2: at most 1 ulp in fp32, 2 in fp64.
//
// x = 2^e (1 + f) with f around 0, so log x = e ln 2 + f + tail(f), where tail is small against f.
// The two large terms are added with their rounding error kept (e · ln2_high is exact), and
// everything small is added last.
#pragma once

#include "ir/math/value.h"

#include <cmath>

namespace tilery::math {

template <class V>
struct LogParts {
  V exponent;  ///< e, a whole number
  V fraction;  ///< f, exact
};

/// Splits a positive x, subnormals included: 1 + f in [2/3, 4/3) for fp32, [√½, √2) for fp64.
template <class V>
LogParts<V> split_for_log(V x) {
  using Element = ElementOf<V>;
  const typename V::Mask is_subnormal = x < splat(x, pick<V>(0x1p-126F, 0x1p-1022));
  const V normal = select(is_subnormal, x * splat(x, pick<V>(0x1p24F, 0x1p54)), x);
  const V added = select(is_subnormal, splat(x, pick<V>(-24.0F, -54.0)), splat(x, Element(0)));
  const auto lowest = bits(splat(x, pick<V>(0x1.555556p-1F, 0x1.6a09e667f3bcdp-1)));
  const auto exponent_field = bits(splat(x, -static_cast<Element>(INFINITY)));
  const auto offset = (bits(normal) - lowest) & exponent_field;
  const V mantissa = as_float(bits(normal) - offset);
  if constexpr (std::is_same_v<Element, float>) {
    return {to_float(x, sar<23>(offset)) + added, mantissa - splat(x, 1.0F)};
  } else {
    return {to_float(x, sar<52>(offset)) + added, mantissa - splat(x, 1.0)};
  }
}

/// A value as the sum of a large and a small part.
template <class V>
struct SplitValue {
  V high;
  V low;
};

/// log(1 + f)
template <class V>
SplitValue<V> log_of_fraction(V f) {
  const V square = f * f;
  const V half_square = square * splat(f, ElementOf<V>(0.5));
  if constexpr (std::is_same_v<ElementOf<V>, float>) {
    // f - f²/2 with what its roundings lost, then f³ p(f).
    const V p =
        horner(f, 0x1.e769e6p-4F, -0x1.070662p-3F, 0x1.b9b7bep-4F, -0x1.f38f62p-4F, 0x1.24e552p-3F,
               -0x1.5598d2p-3F, 0x1.999816p-3F, -0x1.ffff1p-3F, 0x1.555556p-2F);
    const V high = f - half_square;
    const V difference_lost = (f - high) - half_square;
    const V square_lost = fma(f, f, -square);
    const V lost = fma(square_lost, splat(f, -0.5F), difference_lost);
    return {high, fma(square * f, p, lost)};
  } else {
    // log(1 + f) = 2 s + s r(s²) with s = f / (2 + f), and 2 s = f - f²/2 + s f²/2.
    const V s = f / (splat(f, 2.0) + f);
    const V z = s * s;
    const V r = z * horner(z, 0x1.2f0a69861c5f4p-3, 0x1.39a1376dd8ccdp-3, 0x1.74664432655f8p-3,
                           0x1.c71c51ee22956p-3, 0x1.2492494215728p-2, 0x1.999999997fad3p-2,
                           0x1.5555555555593p-1);
    return {f, fma(s, half_square + r, -half_square)};
  }
}

/// The results that do not come from the polynomial: log(±0) = -inf, log(x < 0) = NaN, inf and NaN
/// stay.
template <class V>
V with_log_limits(V x, V result) {
  using Element = ElementOf<V>;
  const V zero = splat(x, Element(0));
  const V infinity = splat(x, static_cast<Element>(INFINITY));
  const V not_positive = select(x == zero, -infinity, splat(x, static_cast<Element>(NAN)));
  const V finite = select(zero < x, result, not_positive);
  return select(x == infinity, infinity, finite);
}

template <class V>
V log(V x) {
  const LogParts<V> parts = split_for_log(x);
  const SplitValue<V> rest = log_of_fraction(parts.fraction);
  const V large = parts.exponent * splat(x, pick<V>(0x1.62e4p-1F, 0x1.62e42fefa38p-1));
  const V high = large + rest.high;
  const V low = rest.high - (high - large);
  const V ln2_low = splat(x, pick<V>(0x1.7f7d1cp-20F, 0x1.ef35793c7673p-45));
  return with_log_limits(x, high + (low + fma(parts.exponent, ln2_low, rest.low)));
}

/// Exact for powers of two.
template <class V>
V log2(V x) {
  const LogParts<V> parts = split_for_log(x);
  const SplitValue<V> rest = log_of_fraction(parts.fraction);
  const V log2e = splat(x, pick<V>(0x1.715476p+0F, 0x1.71547652b82fep+0));
  const V log2e_low = splat(x, pick<V>(0x1.4ae0cp-26F, 0x1.777d0ffda0d24p-56));
  const V product = rest.high * log2e;
  const V lost = fma(rest.high, log2e_low, fma(rest.high, log2e, -product));
  const V high = parts.exponent + product;
  const V low = product - (high - parts.exponent);
  return with_log_limits(x, high + (low + fma(rest.low, log2e, lost)));
}

}  // namespace tilery::math
