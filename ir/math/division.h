// The fp32 quotient by a divisor that many numbers share: three operations a number once the
// divisor's reciprocal is there, and still correctly rounded.
//
//   q = x · r            r = 1 / d, correctly rounded
//   q - (q · d - x) · r  one correction, with the exact remainder of the fused product
//
// Why one correction does, although the first quotient may be off by one and a half units in the
// last place (ulp), where P. Markstein's theorem asks for one. Take x and d from [1, 2). The
// reciprocal is off by at most 2^-25, so what is rounded at the end is off by at most
// (x + 1) · d · 2^-26 ulp, and 2^-23 / d where the remainder needs 25 bits. It can round to the
// wrong side only if x / d is that near to the midpoint of two floats. With integers X, D of 24
// bits and a midpoint M of 25 that means |X · 2^25 - M · D| ≤ 5 (2^24 and 2 for quotients from 1
// on), and for each M and each of these values there is at most one D: 35 million divisions up
// to 6. All of them come out right; division_test.cpp goes through every eleventh midpoint.
//
// Nothing may underflow or overflow on the way, so x and d have to be of moderate size, and d
// positive (a zero would lose its sign).
//
// Any other x and d are divided in fp64, without a division and without a case for infinities,
// zeros and NaNs:
//
//     r = 1 / d, raised    too large by 2^-51, within 2^-53
//     q = x · r            too large by one to six fp64 ulp
//     q without its last three bits, rounded to fp32
//
// A quotient of two floats is either halfway between two floats (that happens to subnormals only),
// which in fp64 ends in three zeros and is what the cut restores; or 16 fp64 ulp away from halfway,
// and then neither the raise nor the cut takes it to the other side. 16, because |X · 2^k - M · D|
// is at least 1 for integers X, D of 24 bits and a midpoint M of 25.
#pragma once

#include "ir/math/value.h"

namespace tilery::math {

/// Divisors that quotient_by_reciprocal takes.
inline constexpr float kSmallestSharedDivisor = 0x1p-25F;
inline constexpr float kLargestSharedDivisor = 0x1p+25F;
/// Magnitudes that it divides; and zeros.
inline constexpr float kSmallestSharedDividend = 0x1p-100F;
inline constexpr float kLargestSharedDividend = 0x1p+100F;

/// x / d, correctly rounded, for operands in these ranges; `reciprocal` is 1 / d.
template <class V>
V quotient_by_reciprocal(V x, V d, V reciprocal) {
  const V q = x * reciprocal;
  const V excess = fma(q, d, -x);
  return fma(-excess, reciprocal, q);
}

/// 1 / d in fp64, raised as quotient_by_raised_reciprocal wants it, from an estimate within 2^-18.
/// The estimate alone if d is zero, infinite or NaN: its reciprocal is exact.
template <class V>
V raised_reciprocal(V d, V estimate) {
  const V one = splat(d, 1.0);
  const V better = fma(estimate, fma(-d, estimate, one), estimate);
  const V raised = fma(better, fma(-d, better, one) + splat(d, 0x1p-51), better);
  return select(raised == raised, raised, estimate);
}

/// In fp64 what rounds to the fp32 quotient x / d, for any x and d of fp32.
template <class V>
V quotient_by_raised_reciprocal(V x, V raised) {
  const V q = x * raised;
  return as_float(bits(q) & splat(bits(q), std::int64_t{-8}));
}

}  // namespace tilery::math
