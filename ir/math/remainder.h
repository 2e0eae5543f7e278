// The exact remainder of floats (fmod): x - trunc(x / y) · y, with the sign of x.
//
// The quotient may have hundreds of bits, so it is taken off a part at a time. A step subtracts q ·
// d, where d = y · 2^k is at most 2^22 (fp64: 2^50) times smaller than what is left, and q is the
// whole part of their quotient. What remains is a multiple of d's last place and smaller than d, so
// the fused subtraction is exact. The rounded quotient can be one too large; then d is added back,
// exactly too.
//
// d is made by adding to the exponent, which needs a normal y. A subnormal y is first taken times
// 2^24 (2^54): what is left after that divisor is small enough to be scaled by as much, and goes
// through the steps again.
#pragma once

#include "ir/math/value.h"

#include <cmath>

namespace tilery::math {

/// One step on rest ≥ y, both positive, y normal.
template <class V>
V remainder_step(V rest, V y) {
  using Bits = typename V::Bits;
  const Bits zero = bits(splat(y, ElementOf<V>(0)));
  const Bits exponent = bits(splat(y, static_cast<ElementOf<V>>(INFINITY)));
  // A quotient of the powers of two of up to this is left to q.
  const Bits bits_at_once =
      bits(splat(y, pick<V>(0x1p21F, 0x1p49))) - bits(splat(y, ElementOf<V>(1)));
  const Bits gap = (bits(rest) & exponent) - (bits(y) & exponent) - bits_at_once;
  const V divisor = as_float(bits(y) + select(zero < gap, gap, zero));
  const V left = fma(-trunc(rest / divisor), divisor, rest);
  return select(left < splat(y, ElementOf<V>(0)), left + divisor, left);
}

/// rest modulo y for rest ≥ 0 and normal y.
template <class V>
V positive_remainder(V rest, V y) {
  return repeat_while(
      rest, [&](V left) { return y <= left; }, [&](V left) { return remainder_step(left, y); });
}

/// x % 0 and inf % y are NaN, x % inf is x, NaN stays NaN.
template <class V>
V remainder(V x, V y) {
  using Element = ElementOf<V>;
  const V infinity = splat(x, static_cast<Element>(INFINITY));
  const V zero = splat(x, Element(0));
  const V one = splat(x, Element(1));
  const V size = magnitude(y);
  const typename V::Mask is_regular = (magnitude(x) < infinity) & (zero < size);
  const V divisor = select(is_regular & (size < infinity), size, one);
  const V dividend = select(is_regular & (size < infinity), magnitude(x), zero);

  const typename V::Mask is_subnormal = divisor < splat(x, pick<V>(0x1p-126F, 0x1p-1022));
  const V up = select(is_subnormal, splat(x, pick<V>(0x1p24F, 0x1p54)), one);
  const V down = select(is_subnormal, splat(x, pick<V>(0x1p-24F, 0x1p-54)), one);
  const V normal = divisor * up;
  const V rest = positive_remainder(positive_remainder(dividend, normal) * up, normal) * down;

  const V with_sign = as_float(bits(rest) | sign_bit(x));
  const V finite = select(size < infinity, with_sign, x);
  const typename V::Mask is_number = is_regular & (size <= infinity);
  return select(is_number, finite, splat(x, static_cast<Element>(NAN)));
}

}  // namespace tilery::math
