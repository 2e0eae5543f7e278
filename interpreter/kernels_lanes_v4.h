// The operations of Lanes<T> that need intrinsics, for x86-64-v4. Included by kernels_lanes.h only.
#pragma once

namespace tilery::interpreter::v4 {

inline __m512 raw_fma(__m512 a, __m512 b, __m512 c) {
  return _mm512_fmadd_ps(a, b, c);
}

inline __m512d raw_fma(__m512d a, __m512d b, __m512d c) {
  return _mm512_fmadd_pd(a, b, c);
}

inline __m512 raw_sqrt(__m512 x) {
  return _mm512_sqrt_ps(x);
}

inline __m512d raw_sqrt(__m512d x) {
  return _mm512_sqrt_pd(x);
}

/// a if it is greater (less), else b: b too if either is NaN or both are zeros.
inline __m512 raw_max(__m512 a, __m512 b) {
  return _mm512_max_ps(a, b);
}

inline __m512d raw_max(__m512d a, __m512d b) {
  return _mm512_max_pd(a, b);
}

inline __m512 raw_min(__m512 a, __m512 b) {
  return _mm512_min_ps(a, b);
}

inline __m512d raw_min(__m512d a, __m512d b) {
  return _mm512_min_pd(a, b);
}

inline constexpr int kFloor = _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC;
inline constexpr int kCeil = _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC;
inline constexpr int kTrunc = _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC;

inline __m512 raw_floor(__m512 x) {
  return _mm512_roundscale_ps(x, kFloor);
}

inline __m512d raw_floor(__m512d x) {
  return _mm512_roundscale_pd(x, kFloor);
}

inline __m512 raw_ceil(__m512 x) {
  return _mm512_roundscale_ps(x, kCeil);
}

inline __m512d raw_ceil(__m512d x) {
  return _mm512_roundscale_pd(x, kCeil);
}

inline __m512 raw_trunc(__m512 x) {
  return _mm512_roundscale_ps(x, kTrunc);
}

inline __m512d raw_trunc(__m512d x) {
  return _mm512_roundscale_pd(x, kTrunc);
}

/// One bit a lane, the lowest lane in the lowest bit.
template <class T>
struct LaneMask {
  unsigned m;

  friend LaneMask operator&(LaneMask a, LaneMask b) { return {a.m & b.m}; }

  friend LaneMask operator|(LaneMask a, LaneMask b) { return {a.m | b.m}; }

  friend LaneMask operator!(LaneMask a) { return {~a.m & ((1U << Lanes<T>::kCount) - 1)}; }
};

template <class T>
bool any(LaneMask<T> mask) {
  return mask.m != 0;
}

inline LaneMask<float> operator<(Lanes<float> a, Lanes<float> b) {
  return {_mm512_cmp_ps_mask(a.v, b.v, _CMP_LT_OQ)};
}

inline LaneMask<float> operator<=(Lanes<float> a, Lanes<float> b) {
  return {_mm512_cmp_ps_mask(a.v, b.v, _CMP_LE_OQ)};
}

inline LaneMask<float> operator==(Lanes<float> a, Lanes<float> b) {
  return {_mm512_cmp_ps_mask(a.v, b.v, _CMP_EQ_OQ)};
}

inline LaneMask<float> operator!=(Lanes<float> a, Lanes<float> b) {
  return {_mm512_cmp_ps_mask(a.v, b.v, _CMP_NEQ_UQ)};
}

inline LaneMask<double> operator<(Lanes<double> a, Lanes<double> b) {
  return {_mm512_cmp_pd_mask(a.v, b.v, _CMP_LT_OQ)};
}

inline LaneMask<double> operator<=(Lanes<double> a, Lanes<double> b) {
  return {_mm512_cmp_pd_mask(a.v, b.v, _CMP_LE_OQ)};
}

inline LaneMask<double> operator==(Lanes<double> a, Lanes<double> b) {
  return {_mm512_cmp_pd_mask(a.v, b.v, _CMP_EQ_OQ)};
}

inline LaneMask<double> operator!=(Lanes<double> a, Lanes<double> b) {
  return {_mm512_cmp_pd_mask(a.v, b.v, _CMP_NEQ_UQ)};
}

inline LaneMask<std::int32_t> operator<(Lanes<std::int32_t> a, Lanes<std::int32_t> b) {
  return {_mm512_cmplt_epi32_mask((__m512i)a.v, (__m512i)b.v)};
}

inline LaneMask<std::int32_t> operator==(Lanes<std::int32_t> a, Lanes<std::int32_t> b) {
  return {_mm512_cmpeq_epi32_mask((__m512i)a.v, (__m512i)b.v)};
}

inline LaneMask<std::int64_t> operator<(Lanes<std::int64_t> a, Lanes<std::int64_t> b) {
  return {_mm512_cmplt_epi64_mask((__m512i)a.v, (__m512i)b.v)};
}

inline LaneMask<std::int64_t> operator==(Lanes<std::int64_t> a, Lanes<std::int64_t> b) {
  return {_mm512_cmpeq_epi64_mask((__m512i)a.v, (__m512i)b.v)};
}

inline __m512 raw_select(unsigned m, __m512 a, __m512 b) {
  return _mm512_mask_blend_ps(static_cast<__mmask16>(m), b, a);
}

inline __m512d raw_select(unsigned m, __m512d a, __m512d b) {
  return _mm512_mask_blend_pd(static_cast<__mmask8>(m), b, a);
}

inline Raw<std::int32_t> raw_select(unsigned m, Raw<std::int32_t> a, Raw<std::int32_t> b) {
  return (Raw<std::int32_t>)_mm512_mask_blend_epi32(static_cast<__mmask16>(m), (__m512i)b,
                                                    (__m512i)a);
}

inline Raw<std::int64_t> raw_select(unsigned m, Raw<std::int64_t> a, Raw<std::int64_t> b) {
  return (Raw<std::int64_t>)_mm512_mask_blend_epi64(static_cast<__mmask8>(m), (__m512i)b,
                                                    (__m512i)a);
}

inline __m512 raw_lookup(const float* table, Raw<std::int32_t> index) {
  return _mm512_i32gather_ps((__m512i)index, table, 4);
}

inline __m512d raw_lookup(const double* table, Raw<std::int64_t> index) {
  return _mm512_i64gather_pd((__m512i)index, table, 8);
}

/// x times 2^exponent, rounded once; the exponent is a whole number.
inline Lanes<float> scale(Lanes<float> x, Lanes<float> exponent) {
  return {_mm512_scalef_ps(x.v, exponent.v)};
}

inline Lanes<double> scale(Lanes<double> x, Lanes<double> exponent) {
  return {_mm512_scalef_pd(x.v, exponent.v)};
}

}  // namespace tilery::interpreter::v4
