// fp16 and bf16 to fp32 and back, a block at a time.
//
// Widening is exact, narrowing rounds to nearest even; both give the bits of ir/math/convert.h (NaN
// payloads aside).
#pragma once

#include "interpreter/kernels_ops.h"
#include "ir/math/convert.h"
#include "ir/type.h"

namespace tilery::interpreter::TILERY_ISA {

inline std::uint16_t bf16_from_f32(float value) {
  const std::uint32_t pattern = to_bits(value);
  const std::uint32_t rounded = (pattern + 0x7FFFU + ((pattern >> 16) & 1U)) >> 16;
  const std::uint32_t quiet = (pattern >> 16) | 0x40U;
  return static_cast<std::uint16_t>((pattern & 0x7FFFFFFFU) > 0x7F800000U ? quiet : rounded);
}

inline float f32_from_bf16(std::uint16_t code) {
  return from_bits<float>(std::uint32_t{code} << 16);
}

/// Without branches, for levels that have no instruction for it.
inline std::uint16_t f16_from_f32(float value) {
  const std::uint32_t pattern = to_bits(value);
  const std::uint32_t sign = pattern & 0x80000000U;
  const std::uint32_t size = pattern ^ sign;
  // The exponent's bias goes from 127 to 15 while 13 bits are rounded away.
  const std::uint32_t normal = (size - (112U << 23) + 0xFFFU + ((size >> 13) & 1U)) >> 13;
  // Below 2^-14 the addition to 1/2, whose last bit is worth 2^-24, does the rounding.
  const std::uint32_t small = to_bits(from_bits<float>(size) + 0.5F) - to_bits(0.5F);
  const std::uint32_t quiet = 0x7E00U | ((size >> 13) & 0x3FFU);
  const std::uint32_t finite = size < 0x38800000U ? small : normal;
  const std::uint32_t not_nan = size >= 0x47800000U ? 0x7C00U : finite;
  return static_cast<std::uint16_t>((size > 0x7F800000U ? quiet : not_nan) | (sign >> 16));
}

inline float f32_from_f16(std::uint16_t code) {
  const std::uint32_t size = code & 0x7FFFU;
  const std::uint32_t sign = std::uint32_t{code & 0x8000U} << 16;
  const std::uint32_t rebased = (size << 13) + (112U << 23);
  // A subnormal is its mantissa times 2^-24: exact as the difference from 2^-14 with that mantissa.
  const float small = from_bits<float>((size << 13) + (113U << 23)) - 0x1p-14F;
  const std::uint32_t special = (size << 13) | 0x7F800000U | (size > 0x7C00U ? 0x400000U : 0U);
  const std::uint32_t finite = size < 0x400U ? to_bits(small) : rebased;
  return from_bits<float>((size >= 0x7C00U ? special : finite) | sign);
}

template <Scalar H>
float widen_one(std::uint16_t code) {
  return H == Scalar::BF16 ? f32_from_bf16(code) : f32_from_f16(code);
}

template <Scalar H>
std::uint16_t narrow_one(float value) {
  return H == Scalar::BF16 ? bf16_from_f32(value) : f16_from_f32(value);
}

/// Count is a multiple of 16.
template <Scalar H, std::size_t Count>
void widen_block(float* out, const std::uint16_t* in) {
  if constexpr (H == Scalar::BF16) {
    for (std::size_t i = 0; i < Count; ++i) {
      out[i] = f32_from_bf16(in[i]);
    }
  } else {
#if defined(__AVX512F__)
    for (std::size_t i = 0; i < Count; i += 16) {
      _mm512_storeu_ps(out + i, _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i*)(in + i))));
    }
#elif defined(__F16C__)
    for (std::size_t i = 0; i < Count; i += 8) {
      _mm256_storeu_ps(out + i, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i*)(in + i))));
    }
#else
    for (std::size_t i = 0; i < Count; ++i) {
      out[i] = f32_from_f16(in[i]);
    }
#endif
  }
}

template <Scalar H, std::size_t Count>
void narrow_block(std::uint16_t* out, const float* in) {
  if constexpr (H == Scalar::BF16) {
    for (std::size_t i = 0; i < Count; ++i) {
      out[i] = bf16_from_f32(in[i]);
    }
  } else {
#if defined(__AVX512F__)
    for (std::size_t i = 0; i < Count; i += 16) {
      _mm256_storeu_si256((__m256i*)(out + i),
                          _mm512_cvtps_ph(_mm512_loadu_ps(in + i), _MM_FROUND_TO_NEAREST_INT));
    }
#elif defined(__F16C__)
    for (std::size_t i = 0; i < Count; i += 8) {
      _mm_storeu_si128((__m128i*)(out + i),
                       _mm256_cvtps_ph(_mm256_loadu_ps(in + i), _MM_FROUND_TO_NEAREST_INT));
    }
#else
    for (std::size_t i = 0; i < Count; ++i) {
      out[i] = f16_from_f32(in[i]);
    }
#endif
  }
}

/// Any number of elements.
template <Scalar H>
void widen(float* out, const std::uint16_t* in, std::size_t n) {
  constexpr std::size_t kCount = 64;
  for (; n >= kCount; n -= kCount, in += kCount, out += kCount) {
    widen_block<H, kCount>(out, in);
  }
  std::uint16_t codes[kCount] = {};
  float values[kCount];
  std::memcpy(codes, in, n * sizeof *in);
  widen_block<H, kCount>(values, codes);
  std::memcpy(out, values, n * sizeof *out);
}

template <Scalar H>
void narrow(std::uint16_t* out, const float* in, std::size_t n) {
  constexpr std::size_t kCount = 64;
  for (; n >= kCount; n -= kCount, in += kCount, out += kCount) {
    narrow_block<H, kCount>(out, in);
  }
  float values[kCount] = {};
  std::uint16_t codes[kCount];
  std::memcpy(values, in, n * sizeof *in);
  narrow_block<H, kCount>(codes, values);
  std::memcpy(out, codes, n * sizeof *out);
}

}  // namespace tilery::interpreter::TILERY_ISA
