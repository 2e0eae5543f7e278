// The operations of Lanes<T> that need intrinsics, for x86-64-v3. Included by kernels_lanes.h only.
#pragma once

namespace tilery::interpreter::v3 {

inline __m256 raw_fma(__m256 a, __m256 b, __m256 c) {
  return _mm256_fmadd_ps(a, b, c);
}

inline __m256d raw_fma(__m256d a, __m256d b, __m256d c) {
  return _mm256_fmadd_pd(a, b, c);
}

inline __m256 raw_sqrt(__m256 x) {
  return _mm256_sqrt_ps(x);
}

inline __m256d raw_sqrt(__m256d x) {
  return _mm256_sqrt_pd(x);
}

/// a if it is greater (less), else b: b too if either is NaN or both are zeros.
inline __m256 raw_max(__m256 a, __m256 b) {
  return _mm256_max_ps(a, b);
}

inline __m256d raw_max(__m256d a, __m256d b) {
  return _mm256_max_pd(a, b);
}

inline __m256 raw_min(__m256 a, __m256 b) {
  return _mm256_min_ps(a, b);
}

inline __m256d raw_min(__m256d a, __m256d b) {
  return _mm256_min_pd(a, b);
}

inline constexpr int kFloor = _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC;
inline constexpr int kCeil = _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC;
inline constexpr int kTrunc = _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC;

inline __m256 raw_floor(__m256 x) {
  return _mm256_round_ps(x, kFloor);
}

inline __m256d raw_floor(__m256d x) {
  return _mm256_round_pd(x, kFloor);
}

inline __m256 raw_ceil(__m256 x) {
  return _mm256_round_ps(x, kCeil);
}

inline __m256d raw_ceil(__m256d x) {
  return _mm256_round_pd(x, kCeil);
}

inline __m256 raw_trunc(__m256 x) {
  return _mm256_round_ps(x, kTrunc);
}

inline __m256d raw_trunc(__m256d x) {
  return _mm256_round_pd(x, kTrunc);
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
  return _mm256_movemask_epi8((__m256i)mask.m) != 0;
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

inline __m256 raw_select(Raw<std::int32_t> m, __m256 a, __m256 b) {
  return _mm256_blendv_ps(b, a, (__m256)m);
}

inline __m256d raw_select(Raw<std::int64_t> m, __m256d a, __m256d b) {
  return _mm256_blendv_pd(b, a, (__m256d)m);
}

template <class M>
M raw_select(M m, M a, M b) {
  return (M)_mm256_blendv_epi8((__m256i)b, (__m256i)a, (__m256i)m);
}

inline __m256 raw_lookup(const float* table, Raw<std::int32_t> index) {
  return _mm256_i32gather_ps(table, (__m256i)index, 4);
}

inline __m256d raw_lookup(const double* table, Raw<std::int64_t> index) {
  return _mm256_i64gather_pd(table, (__m256i)index, 8);
}

}  // namespace tilery::interpreter::v3
