// erf: at most 1.5 ulp in fp32, 2 in fp64.
//
// Near zero erf x = x + x p(x²), which keeps tiny arguments exact. Further out fp32 takes 1 -
// e^q(|x|), and fp64 one of 22 polynomials, each around the middle of a quarter.
#pragma once

#include "ir/math/erf_table.h"
#include "ir/math/exp.h"

namespace tilery::math {

/// erf for 1 ≤ x, fp32.
template <class V>
V erf_far_f32(V x) {
  const V c = clamp_keeping_nan(x, 1.0F, 3.9375F);
  const V q = horner(c, -0x1.6c6ebep-16F, 0x1.cf3ce8p-12F, -0x1.13b3f6p-8F, 0x1.9d1f22p-6F,
                     -0x1.bc20ecp-4F, -0x1.4433fp-1F, -0x1.212c72p+0F, 0x1.8d34e4p-13F);
  return splat(x, 1.0F) - exp(q);
}

/// A column of kErf: 0 stands for what a NaN gave.
template <class Bits>
Bits clamped_column(Bits column) {
  const Bits zero = splat(column, typename Bits::Element{0});
  const Bits end = splat(column, typename Bits::Element{22});
  return select((column < zero) | !(column < end), zero, column);
}

/// erf for 1/2 ≤ x, fp64.
template <class V>
V erf_far_f64(V x) {
  const V c = clamp_keeping_nan(x, 0.5, 5.9921875);
  const V magic = rounding_constant(x);
  const V shifted = fma(c, splat(x, 4.0), splat(x, -2.5)) + magic;
  const V t = c - fma(shifted - magic, splat(x, 0.25), splat(x, 0.625));
  const typename V::Bits column = clamped_column(bits(shifted) - bits(magic));
  V sum = lookup(kErf[0], column);
  for (int power = 1; power < kErfPowers; ++power) {
    sum = fma(sum, t, lookup(kErf[power], column));
  }
  return sum;
}

/// erf(±0) = ±0, erf(±inf) = ±1.
template <class V>
V erf(V x) {
  const V size = magnitude(x);
  const V z = x * x;
  if constexpr (std::is_same_v<ElementOf<V>, float>) {
    const V p = horner(z, 0x1.48c44ep-14F, -0x1.a3baaap-11F, 0x1.53fdb2p-8F, -0x1.b7f824p-6F,
                       0x1.ce2ceep-4F, -0x1.81273ep-2F, 0x1.06eba8p-3F);
    const V far = as_float(bits(erf_far_f32(size)) ^ sign_bit(x));
    return select(size < splat(x, 1.0F), fma(x, p, x), far);
  } else {
    const V p = horner(z, -0x1.0567d98549efbp-21, 0x1.0faa8ebdf7246p-19, -0x1.fae2663e92e77p-17,
                       0x1.f9d50402ad00cp-14, -0x1.c02ea309027fbp-11, 0x1.565bcfb0ba5b3p-8,
                       -0x1.b82ce31ae9c81p-6, 0x1.ce2f21a05031fp-4, -0x1.812746b037a6ep-2,
                       0x1.06eba8214db69p-3);
    const V far = as_float(bits(erf_far_f64(size)) ^ sign_bit(x));
    return select(size < splat(x, 0.5), fma(x, p, x), far);
  }
}

}  // namespace tilery::math
