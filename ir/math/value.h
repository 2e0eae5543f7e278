// What the math templates share: polynomials, and multiplication by a power of two.
//
// README.md says what a value type must provide. Every helper is a template over it, so that each
// instantiation belongs to its value type and to nothing else.
#pragma once

#include <cstdint>
#include <type_traits>

namespace tilery::math {

template <class V>
using ElementOf = typename V::Element;

/// float for `a`, double for `b`: the constant of V's precision.
template <class V>
constexpr ElementOf<V> pick(float a, double b) {
  if constexpr (std::is_same_v<ElementOf<V>, float>) {
    return a;
  } else {
    return b;
  }
}

/// c0 x^n + c1 x^(n-1) + … + cn by fused steps, the highest power first.
template <class V, class... Rest>
V horner(V x, ElementOf<V> highest, Rest... rest) {
  V sum = splat(x, highest);
  ((sum = fma(sum, x, splat(x, static_cast<ElementOf<V>>(rest)))), ...);
  return sum;
}

/// 1.5 · 2^23 or 1.5 · 2^52. Adding it to a small number rounds that to a whole one, and the low
/// bits of the sum's pattern are the whole number as an integer.
template <class V>
V rounding_constant(V like) {
  return splat(like, pick<V>(0x1.8p23F, 0x1.8p52));
}

/// A small whole number as an integer, and a small integer as a float.
template <class V>
typename V::Bits to_integer(V whole) {
  const V magic = rounding_constant(whole);
  return bits(whole + magic) - bits(magic);
}

template <class V>
V to_float(V like, typename V::Bits small) {
  const V magic = rounding_constant(like);
  return as_float(small + bits(magic)) - magic;
}

/// 2 to a power, from the power as an integer within the exponent range of normal numbers.
template <class V>
V power_of_two(V like, typename V::Bits exponent) {
  if constexpr (std::is_same_v<ElementOf<V>, float>) {
    return as_float(shl<23>(exponent) + bits(splat(like, 1.0F)));
  } else {
    return as_float(shl<52>(exponent) + bits(splat(like, 1.0)));
  }
}

/// x · 2^k for a whole |k| < 2 · the largest exponent, where x is about 1: two products, of which
/// only the second can round. Value types may overload it with an instruction that does the same.
template <class V>
V scale(V x, V k) {
  const typename V::Bits whole = to_integer(k);
  const typename V::Bits half = sar<1>(whole);
  return x * power_of_two(x, half) * power_of_two(x, whole - half);
}

/// min(max(x, low), high); NaN stays.
template <class V>
V clamp_keeping_nan(V x, ElementOf<V> low, ElementOf<V> high) {
  const V lowest = splat(x, low);
  const V highest = splat(x, high);
  return select(highest < x, highest, select(x < lowest, lowest, x));
}

/// |x|, and the sign bit of x alone.
template <class V>
V magnitude(V x) {
  return as_float(bits(x) ^ (bits(x) & bits(splat(x, ElementOf<V>(-0.0)))));
}

template <class V>
typename V::Bits sign_bit(V x) {
  return bits(x) & bits(splat(x, ElementOf<V>(-0.0)));
}

}  // namespace tilery::math
