// The operations of Lanes<T> that need intrinsics, for x86-64-v2. Included by kernels_lanes.h only.
//
// There is no fused multiply-add at this level. In fp32 it is made from doubles: the product of two
// floats is exact in a double, and a sum rounded to odd (its last bit set if anything was lost)
// rounds on to a float as the exact sum would. In fp64 the C library's fma, which is exact
// everywhere, does each lane.
#pragma once

namespace tilery::interpreter::v2 {

/// a + b rounded to odd.
inline __m128d add_to_odd(__m128d a, __m128d b) {
  const __m128d sum = _mm_add_pd(a, b);
  const __m128d b_part = _mm_sub_pd(sum, a);
  const __m128d error = _mm_add_pd(_mm_sub_pd(a, _mm_sub_pd(sum, b_part)), _mm_sub_pd(b, b_part));
  // An inexact sum with an even last bit moves one step towards the exact value, which makes it
  // odd.
  const __m128i is_up = _mm_castpd_si128(_mm_cmpgt_pd(error, _mm_setzero_pd()));
  const __m128i is_down = _mm_castpd_si128(_mm_cmplt_pd(error, _mm_setzero_pd()));
  const __m128i sign = _mm_castpd_si128(_mm_cmplt_pd(sum, _mm_setzero_pd()));
  const __m128i one = _mm_set1_epi64x(1);
  const __m128i even =
      _mm_cmpeq_epi64(_mm_and_si128(_mm_castpd_si128(sum), one), _mm_setzero_si128());
  const __m128i is_away = _mm_xor_si128(is_up, sign);
  const __m128i step =
      _mm_or_si128(_mm_andnot_si128(is_away, _mm_set1_epi64x(-1)), _mm_and_si128(is_away, one));
  const __m128i moved = _mm_and_si128(_mm_and_si128(_mm_or_si128(is_up, is_down), even), step);
  return _mm_castsi128_pd(_mm_add_epi64(_mm_castpd_si128(sum), moved));
}

inline __m128 raw_fma(__m128 a, __m128 b, __m128 c) {
  const auto half = [](__m128 x, __m128 y, __m128 z) {
    return _mm_cvtpd_ps(add_to_odd(_mm_mul_pd(_mm_cvtps_pd(x), _mm_cvtps_pd(y)), _mm_cvtps_pd(z)));
  };
  return _mm_movelh_ps(half(a, b, c),
                       half(_mm_movehl_ps(a, a), _mm_movehl_ps(b, b), _mm_movehl_ps(c, c)));
}

inline __m128d raw_fma(__m128d a, __m128d b, __m128d c) {
  return __m128d{__builtin_fma(a[0], b[0], c[0]), __builtin_fma(a[1], b[1], c[1])};
}

inline __m128 raw_sqrt(__m128 x) {
  return _mm_sqrt_ps(x);
}

inline __m128d raw_sqrt(__m128d x) {
  return _mm_sqrt_pd(x);
}

/// a if it is greater (less), else b: b too if either is NaN or both are zeros.
inline __m128 raw_max(__m128 a, __m128 b) {
  return _mm_max_ps(a, b);
}

inline __m128d raw_max(__m128d a, __m128d b) {
  return _mm_max_pd(a, b);
}

inline __m128 raw_min(__m128 a, __m128 b) {
  return _mm_min_ps(a, b);
}

inline __m128d raw_min(__m128d a, __m128d b) {
  return _mm_min_pd(a, b);
}

inline constexpr int kFloor = _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC;
inline constexpr int kCeil = _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC;
inline constexpr int kTrunc = _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC;

inline __m128 raw_floor(__m128 x) {
  return _mm_round_ps(x, kFloor);
}

inline __m128d raw_floor(__m128d x) {
  return _mm_round_pd(x, kFloor);
}

inline __m128 raw_ceil(__m128 x) {
  return _mm_round_ps(x, kCeil);
}

inline __m128d raw_ceil(__m128d x) {
  return _mm_round_pd(x, kCeil);
}

inline __m128 raw_trunc(__m128 x) {
  return _mm_round_ps(x, kTrunc);
}

inline __m128d raw_trunc(__m128d x) {
  return _mm_round_pd(x, kTrunc);
}

/// All bits of a lane set, or none.
template <class T>
struct LaneMask {
  Raw<SignedOf<T>> m;

  friend LaneMask operator&(LaneMask a, LaneMask b) { return {a.m & b.m}; }

  friend LaneMask operator|(LaneMask a, LaneMask b) { return {a.m | b.m}; }

  friend LaneMask operator!(LaneMask a) { return {~a.m}; }
};

template <class T>
bool any(LaneMask<T> mask) {
  return _mm_movemask_epi8((__m128i)mask.m) != 0;
}

template <class T>
LaneMask<T> operator<(Lanes<T> a, Lanes<T> b) {
  return {a.v < b.v};
}

template <class T>
LaneMask<T> operator<=(Lanes<T> a, Lanes<T> b) {
  return {a.v <= b.v};
}

template <class T>
LaneMask<T> operator==(Lanes<T> a, Lanes<T> b) {
  return {a.v == b.v};
}

template <class T>
LaneMask<T> operator!=(Lanes<T> a, Lanes<T> b) {
  return {a.v != b.v};
}

inline __m128 raw_select(Raw<std::int32_t> m, __m128 a, __m128 b) {
  return _mm_blendv_ps(b, a, (__m128)m);
}

inline __m128d raw_select(Raw<std::int64_t> m, __m128d a, __m128d b) {
  return _mm_blendv_pd(b, a, (__m128d)m);
}

template <class M>
M raw_select(M m, M a, M b) {
  return (M)_mm_blendv_epi8((__m128i)b, (__m128i)a, (__m128i)m);
}

inline __m128 raw_lookup(const float* table, Raw<std::int32_t> index) {
  return __m128{table[index[0]], table[index[1]], table[index[2]], table[index[3]]};
}

inline __m128d raw_lookup(const double* table, Raw<std::int64_t> index) {
  return __m128d{table[index[0]], table[index[1]]};
}

}  // namespace tilery::interpreter::v2
