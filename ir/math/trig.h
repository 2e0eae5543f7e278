// sin and cos: at most 1.5 ulp in fp32, 2 in fp64, over the whole range.
//
// The argument becomes quarter · π/2 + r with |r| ≤ π/4, r as an unevaluated sum of two floats. Up
// to a few thousand turns π/2 in three parts does it (Cody and Waite), because the first step is
// exact. Beyond that (Payne and Hanek) the argument is a whole number m times a power of two 2^E,
// and only (2^E · 2/π) mod 4 matters, since whole multiples of four quarters change nothing. That
// factor is read from a table as a sum of four floats; the products with m are exact pairs,
// multiples of 8 are taken off each, and what is left is added with its rounding errors kept. The
// bits of the four floats cover the worst cancellation among all floats with 30 bits to spare
// (fp64: 80).
#pragma once

#include "ir/math/trig_table.h"
#include "ir/math/value.h"

#include <cmath>

namespace tilery::math {

/// quarter · π/2 + high + low, `quarter` a whole number.
template <class V>
struct ReducedAngle {
  V quarter;
  V high;
  V low;

  friend ReducedAngle select(typename V::Mask mask, const ReducedAngle& a, const ReducedAngle& b) {
    return {select(mask, a.quarter, b.quarter), select(mask, a.high, b.high),
            select(mask, a.low, b.low)};
  }
};

/// A sum and the part of it that rounding lost.
template <class V>
struct ExactSum {
  V sum;
  V lost;
};

template <class V>
ExactSum<V> exact_sum(V a, V b) {
  const V sum = a + b;
  const V b_part = sum - a;
  return {sum, (a - (sum - b_part)) + (b - b_part)};
}

/// From here on the table is used.
template <class V>
constexpr ElementOf<V> large_angle() {
  return pick<V>(0x1p17F, 0x1p20);
}

template <class V>
V half_pi(V like) {
  return splat(like, pick<V>(0x1.921fb6p+0F, 0x1.921fb54442d18p+0));
}

template <class V>
V half_pi_low(V like) {
  return splat(like, pick<V>(-0x1.777a5cp-25F, 0x1.1a62633145c07p-54));
}

/// For |x| < large_angle().
template <class V>
ReducedAngle<V> reduce_moderate_angle(V x) {
  const V magic = rounding_constant(x);
  const V quarter = fma(x, splat(x, pick<V>(0x1.45f306p-1F, 0x1.45f306dc9c883p-1)), magic) - magic;
  const V first = fma(-quarter, half_pi(x), x);
  const V product = quarter * half_pi_low(x);
  const V product_lost = fma(quarter, half_pi_low(x), -product);
  const ExactSum<V> r = exact_sum(first, -product);
  const V third = splat(x, pick<V>(0x1.ee59dap-50F, 0x1.f1976b7ed8fbcp-110));
  return {quarter, r.sum, fma(quarter, third, r.lost - product_lost)};
}

/// x less a multiple of 8, at most 4 in magnitude.
template <class V>
V without_turns(V x) {
  const V magic = rounding_constant(x) * splat(x, ElementOf<V>(8));
  const V rest = x - ((x + magic) - magic);
  // A float this large is a multiple of 4 itself, which changes no quadrant.
  const V limit = splat(x, pick<V>(0x1p25F, 0x1p54));
  return select(magnitude(x) < limit, rest, splat(x, ElementOf<V>(0)));
}

/// For finite |x| ≥ large_angle(); elsewhere the result means nothing.
template <class V>
ReducedAngle<V> reduce_large_angle(V x) {
  using Bits = typename V::Bits;
  const Bits pattern = bits(magnitude(x));
  V whole;
  V factors[4];
  if constexpr (std::is_same_v<ElementOf<V>, float>) {
    const Bits column = sar<3>(shr<23>(pattern) - splat(pattern, std::int32_t{127 + 15}));
    const Bits g = column ^ (column & sar<31>(column));
    whole = as_float(bits(x) - shl<23>(shl<3>(g) - splat(g, std::int32_t{8})));
    for (int part = 0; part < 4; ++part) {
      factors[part] = lookup(kTwoOverPiF32[part], g);
    }
  } else {
    const Bits column = sar<4>(shr<52>(pattern) - splat(pattern, std::int64_t{1023 + 20}));
    const Bits g = column ^ (column & sar<63>(column));
    whole = as_float(bits(x) - shl<52>(shl<4>(g) - splat(g, std::int64_t{32})));
    for (int part = 0; part < 4; ++part) {
      factors[part] = lookup(kTwoOverPiF64[part], g);
    }
  }
  const V product0 = whole * factors[0];
  const V product1 = whole * factors[1];
  const V product2 = whole * factors[2];
  const V lost0 = fma(whole, factors[0], -product0);
  const V lost1 = fma(whole, factors[1], -product1);
  const V lost2 = fma(whole, factors[2], -product2);

  const ExactSum<V> a = exact_sum(without_turns(product0), without_turns(lost0));
  const ExactSum<V> b = exact_sum(a.sum, without_turns(product1));
  const V magic = rounding_constant(x);
  const V quarter = (b.sum + magic) - magic;

  const ExactSum<V> c = exact_sum(lost1, product2);
  const ExactSum<V> d = exact_sum(c.sum, a.lost);
  const ExactSum<V> e = exact_sum(d.sum, b.lost);
  const V smallest = fma(whole, factors[3], lost2) + (c.lost + d.lost + e.lost);
  const ExactSum<V> f = exact_sum(b.sum - quarter, e.sum);
  const ExactSum<V> turn = exact_sum(f.sum, f.lost + smallest);

  const V high = turn.sum * half_pi(x);
  const V high_lost = fma(turn.sum, half_pi(x), -high);
  const V low = fma(turn.lost, half_pi(x), fma(turn.sum, half_pi_low(x), high_lost));
  return {quarter, high, low};
}

template <class V>
ReducedAngle<V> reduce_angle(V x) {
  return where_rare(splat(x, large_angle<V>()) <= magnitude(x), reduce_moderate_angle(x),
                    [&] { return reduce_large_angle(x); });
}

/// sin(high + low) for |high + low| a little over π/4 at most.
template <class V>
V sin_reduced(V high, V low) {
  const V z = high * high;
  V s;
  if constexpr (std::is_same_v<ElementOf<V>, float>) {
    s = horner(z, 0x1.7c3324p-19F, -0x1.a0596p-13F, 0x1.111174p-7F, -0x1.555556p-3F);
  } else {
    s = horner(z, 0x1.5d8db69b9c749p-33, -0x1.ae5e52dfccac1p-26, 0x1.71de355d3f6a5p-19,
               -0x1.a01a019bf0742p-13, 0x1.111111110f754p-7, -0x1.5555555555548p-3);
  }
  // The derivative of sin, 1 - z/2, takes the low part along.
  const V carried = fma(z * splat(z, ElementOf<V>(-0.5)), low, low);
  return high + fma(z * high, s, carried);
}

/// cos(high + low) for |high + low| a little over π/4 at most.
template <class V>
V cos_reduced(V high, V low) {
  const V z = high * high;
  V c;
  if constexpr (std::is_same_v<ElementOf<V>, float>) {
    c = horner(z, -0x1.361918p-22F, 0x1.a071bep-16F, -0x1.6c175ep-10F, 0x1.555556p-5F);
  } else {
    c = horner(z, -0x1.8fa621da04b0fp-37, 0x1.1ee9db2adcccp-29, -0x1.27e4f7f0cdc1cp-22,
               0x1.a01a019c8e63bp-16, -0x1.6c16c16c15011p-10, 0x1.555555555554bp-5);
  }
  const V one = splat(z, ElementOf<V>(1));
  const V half_square = z * splat(z, ElementOf<V>(0.5));
  const V start = one - half_square;
  const V start_lost = (one - start) - half_square;
  return start + fma(z * z, c, fma(-high, low, start_lost));
}

/// sin(x) for shift 0, cos(x) = sin(x + π/2) for shift 1; NaN for infinite x.
template <int Shift, class V>
V sin_shifted(V x) {
  using Bits = typename V::Bits;
  const ReducedAngle<V> angle = reduce_angle(x);
  const Bits count = to_integer(angle.quarter);
  const Bits quadrant = count + splat(count, typename Bits::Element{Shift});
  const Bits one = splat(count, typename Bits::Element{1});
  const Bits zero = splat(count, typename Bits::Element{0});
  const V sine = sin_reduced(angle.high, angle.low);
  const V cosine = cos_reduced(angle.high, angle.low);
  const V value = select((quadrant & one) == zero, sine, cosine);
  const Bits second_bit = quadrant & (one + one);
  Bits sign = zero;
  if constexpr (std::is_same_v<ElementOf<V>, float>) {
    sign = shl<30>(second_bit);
  } else {
    sign = shl<62>(second_bit);
  }
  const V infinity = splat(x, static_cast<ElementOf<V>>(INFINITY));
  return select(magnitude(x) < infinity, as_float(bits(value) ^ sign), x - x);
}

/// sin(±0) = ±0, sin(±inf) = NaN.
template <class V>
V sin(V x) {
  return select(x == splat(x, ElementOf<V>(0)), x, sin_shifted<0>(x));
}

/// cos(±inf) = NaN.
template <class V>
V cos(V x) {
  return sin_shifted<1>(x);
}

}  // namespace tilery::math
