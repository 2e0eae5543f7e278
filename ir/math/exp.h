// exp and exp2: at most 1 ulp, subnormal results included.
//
// exp: x = k ln 2 + r with whole k and |r| ≤ ln 2 / 2. ln 2 is taken in two parts; the first step
// of r is exact. e^r is 1 + r + r² q(r), and the factor 2^k is applied with one rounding.
#pragma once

#include "ir/math/value.h"

namespace tilery::math {

/// 1 + r + small, where the rounding of 1 + r is made good.
template <class V>
V one_plus(V r, V small) {
  const V one = splat(r, ElementOf<V>(1));
  const V sum = one + r;
  return sum + (((one - sum) + r) + small);
}

/// e^r for |r| ≤ 0.3466.
template <class V>
V exp_reduced(V r) {
  const V square = r * r;
  if constexpr (std::is_same_v<ElementOf<V>, float>) {
    const V q =
        horner(r, 0x1.6a590ap-10F, 0x1.12397cp-7F, 0x1.5558aap-5F, 0x1.555492p-3F, 0x1.fffffcp-2F);
    return one_plus(r, q * square);
  } else {
    const V q = horner(r, 0x1.adb5ea3f6b68dp-26, 0x1.28ade852f6bacp-22, 0x1.71df020b76792p-19,
                       0x1.a0199974f5527p-16, 0x1.a01a013ada49p-13, 0x1.6c16c1846f90ep-10,
                       0x1.11111111247b4p-7, 0x1.55555555506d5p-5, 0x1.5555555555508p-3,
                       0x1.000000000000ap-1);
    return one_plus(r, q * square);
  }
}

/// 2^r for |r| ≤ 1/2.
template <class V>
V exp2_reduced(V r) {
  if constexpr (std::is_same_v<ElementOf<V>, float>) {
    const V q = horner(r, 0x1.418386p-13F, 0x1.5f095p-10F, 0x1.3b2ddp-7F, 0x1.c6af7ap-5F,
                       0x1.ebfbdcp-3F, 0x1.62e43p-1F);
    return fma(q, r, splat(r, 1.0F));
  } else {
    const V q = horner(r, 0x1.e829798cb2217p-32, 0x1.e612fb7f2825bp-28, 0x1.b525fd20f25cfp-24,
                       0x1.62bfcd0310b94p-20, 0x1.ffcbfc0011971p-17, 0x1.4309130c624bp-13,
                       0x1.5d87fe78b265ap-10, 0x1.3b2ab6fba0fcap-7, 0x1.c6b08d704a0d9p-5,
                       0x1.ebfbdff82c59dp-3, 0x1.62e42fefa39efp-1);
    return fma(q, r, splat(r, 1.0));
  }
}

/// e^x. exp(-inf) = 0, exp(+inf) = +inf, NaN stays NaN.
template <class V>
V exp(V x) {
  // Past these bounds the result is 0 or infinity anyway; within them k fits the scaling.
  const V c = clamp_keeping_nan(x, pick<V>(-104.0F, -746.0), pick<V>(89.0F, 710.0));
  const V magic = rounding_constant(x);
  const V k = fma(c, splat(x, pick<V>(0x1.715476p+0F, 0x1.71547652b82fep+0)), magic) - magic;
  const V high = fma(k, splat(x, pick<V>(-0x1.62e43p-1F, -0x1.62e42fefa39efp-1)), c);
  const V r = fma(k, splat(x, pick<V>(0x1.05c61p-29F, -0x1.abc9e3b39803fp-56)), high);
  return scale(exp_reduced(r), k);
}

/// 2^x, exact for whole x.
template <class V>
V exp2(V x) {
  const V c = clamp_keeping_nan(x, pick<V>(-151.0F, -1076.0), pick<V>(129.0F, 1025.0));
  const V magic = rounding_constant(x);
  const V k = (c + magic) - magic;
  return scale(exp2_reduced(c - k), k);
}

}  // namespace tilery::math
