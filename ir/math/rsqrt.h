// rsqrt: at most 1 ulp. One Newton step on 1 / sqrt(x), whose two roundings alone would miss the
// bound.
#pragma once

#include "ir/math/value.h"

#include <cmath>

namespace tilery::math {

/// 1 / sqrt(x). rsqrt(±0) = ±inf, rsqrt(inf) = 0, rsqrt(x < 0) = NaN.
template <class V>
V rsqrt(V x) {
  using Element = ElementOf<V>;
  const V one = splat(x, Element(1));
  const V y = one / sqrt(x);
  // error = 1 - x y², with x y as an exact pair
  const V product = x * y;
  const V lost = fma(x, y, -product);
  const V error = fma(-lost, y, fma(-product, y, one));
  const V refined = fma(y * splat(x, Element(0.5)), error, y);
  const V zero = splat(x, Element(0));
  const V infinity = splat(x, static_cast<Element>(INFINITY));
  return select((zero < x) & (x < infinity), refined, y);
}

}  // namespace tilery::math
