// One SIMD register as a value: the type over which the templates of ir/math run in the
// interpreter.
//
// Lanes<T> holds as many elements as a register of the instruction set has. Arithmetic is GCC's
// vector arithmetic; the operations that it lacks are a handful of raw_* functions, given for each
// set in kernels_lanes_v2.h, _v3.h and _v4.h. Everything lies in a namespace named after the set,
// so that code built for one processor level can never stand in for another at link time. For the
// same reason the kernels use no inline function of the standard library.
//
// Masks are vectors of all-ones or zero integers on v2 and v3, and bit masks on v4.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <immintrin.h>

#if defined(__AVX512F__)
#define TILERY_ISA v4
#elif defined(__AVX2__)
#define TILERY_ISA v3
#else
#define TILERY_ISA v2
#endif

namespace tilery::interpreter::TILERY_ISA {

#if defined(__AVX512F__)
inline constexpr std::size_t kVectorBytes = 64;
#elif defined(__AVX2__)
inline constexpr std::size_t kVectorBytes = 32;
#else
inline constexpr std::size_t kVectorBytes = 16;
#endif

template <class T>
struct RawVector {
  typedef T type __attribute__((vector_size(kVectorBytes)));  // NOLINT(modernize-use-using)
};
template <class T>
using Raw = typename RawVector<T>::type;

/// The signed integer type as wide as T.
template <std::size_t Bytes>
struct SignedOfWidth;

template <>
struct SignedOfWidth<1> {
  using type = std::int8_t;
};

template <>
struct SignedOfWidth<2> {
  using type = std::int16_t;
};

template <>
struct SignedOfWidth<4> {
  using type = std::int32_t;
};

template <>
struct SignedOfWidth<8> {
  using type = std::int64_t;
};
template <class T>
using SignedOf = typename SignedOfWidth<sizeof(T)>::type;

template <class T>
struct LaneMask;

/// A register of T: float, double, int32_t or int64_t.
template <class T>
struct Lanes {
  using Element = T;
  using Bits = Lanes<SignedOf<T>>;
  using Mask = LaneMask<T>;
  static constexpr std::size_t kCount = kVectorBytes / sizeof(T);

  Raw<T> v;

  static Lanes load(const T* p) {
    Lanes r;
    std::memcpy(&r.v, p, sizeof r.v);
    return r;
  }

  void store(T* p) const { std::memcpy(p, &v, sizeof v); }

  /// Only the first `count` elements; the others are zero.
  static Lanes load_first(const T* p, std::size_t count) {
    Lanes r{};
    std::memcpy(&r.v, p, count * sizeof(T));
    return r;
  }

  void store_first(T* p, std::size_t count) const { std::memcpy(p, &v, count * sizeof(T)); }

  friend Lanes operator+(Lanes a, Lanes b) { return {a.v + b.v}; }

  friend Lanes operator-(Lanes a, Lanes b) { return {a.v - b.v}; }

  friend Lanes operator*(Lanes a, Lanes b) { return {a.v * b.v}; }

  friend Lanes operator/(Lanes a, Lanes b) { return {a.v / b.v}; }

  friend Lanes operator-(Lanes a) { return {-a.v}; }

  friend Lanes operator&(Lanes a, Lanes b) { return {a.v & b.v}; }

  friend Lanes operator|(Lanes a, Lanes b) { return {a.v | b.v}; }

  friend Lanes operator^(Lanes a, Lanes b) { return {a.v ^ b.v}; }
};

template <class T>
Lanes<T> splat(Lanes<T> /*like*/, T value) {
  return {value - Raw<T>{}};
}

/// The bit pattern, and back.
template <class T>
typename Lanes<T>::Bits bits(Lanes<T> x) {
  return {reinterpret_cast<Raw<SignedOf<T>>>(x.v)};
}

inline Lanes<float> as_float(Lanes<std::int32_t> x) {
  return {reinterpret_cast<Raw<float>>(x.v)};
}

inline Lanes<double> as_float(Lanes<std::int64_t> x) {
  return {reinterpret_cast<Raw<double>>(x.v)};
}

/// Shifts by a constant: left, arithmetic right, logical right.
template <int Count, class T>
Lanes<T> shl(Lanes<T> x) {
  return {x.v << Count};
}

template <int Count, class T>
Lanes<T> sar(Lanes<T> x) {
  return {x.v >> Count};
}

inline Raw<std::uint32_t> as_unsigned(Raw<std::int32_t> x) {
  return reinterpret_cast<Raw<std::uint32_t>>(x);
}

inline Raw<std::uint64_t> as_unsigned(Raw<std::int64_t> x) {
  return reinterpret_cast<Raw<std::uint64_t>>(x);
}

template <int Count, class T>
Lanes<T> shr(Lanes<T> x) {
  return {reinterpret_cast<Raw<T>>(as_unsigned(x.v) >> Count)};
}

}  // namespace tilery::interpreter::TILERY_ISA

#if defined(__AVX512F__)
#include "interpreter/kernels_lanes_v4.h"
#elif defined(__AVX2__)
#include "interpreter/kernels_lanes_v3.h"
#else
#include "interpreter/kernels_lanes_v2.h"
#endif

namespace tilery::interpreter::TILERY_ISA {

template <class T>
Lanes<T> fma(Lanes<T> a, Lanes<T> b, Lanes<T> c) {
  return {raw_fma(a.v, b.v, c.v)};
}

template <class T>
Lanes<T> sqrt(Lanes<T> x) {
  return {raw_sqrt(x.v)};
}

template <class T>
Lanes<T> floor(Lanes<T> x) {
  return {raw_floor(x.v)};
}

template <class T>
Lanes<T> ceil(Lanes<T> x) {
  return {raw_ceil(x.v)};
}

template <class T>
Lanes<T> trunc(Lanes<T> x) {
  return {raw_trunc(x.v)};
}

/// mask ? a : b
template <class T>
Lanes<T> select(LaneMask<T> mask, Lanes<T> a, Lanes<T> b) {
  return {raw_select(mask.m, a.v, b.v)};
}

inline Lanes<std::int32_t> select(LaneMask<float> mask, Lanes<std::int32_t> a,
                                  Lanes<std::int32_t> b) {
  return {raw_select(mask.m, a.v, b.v)};
}

inline Lanes<std::int64_t> select(LaneMask<double> mask, Lanes<std::int64_t> a,
                                  Lanes<std::int64_t> b) {
  return {raw_select(mask.m, a.v, b.v)};
}

inline Lanes<float> select(LaneMask<std::int32_t> mask, Lanes<float> a, Lanes<float> b) {
  return {raw_select(mask.m, a.v, b.v)};
}

inline Lanes<double> select(LaneMask<std::int64_t> mask, Lanes<double> a, Lanes<double> b) {
  return {raw_select(mask.m, a.v, b.v)};
}

/// fast, but slow() in the lanes of the mask; slow() is not called if there is none.
template <class T, class Fast, class Slow>
Fast where_rare(LaneMask<T> mask, Fast fast, Slow slow) {
  return any(mask) ? select(mask, slow(), fast) : fast;
}

/// Takes step(state) in the lanes where holds(state), until there are none.
template <class State, class Holds, class Step>
State repeat_while(State state, Holds holds, Step step) {
  for (auto mask = holds(state); any(mask); mask = holds(state)) {
    state = select(mask, step(state), state);
  }
  return state;
}

/// table[index] in each lane.
template <class T>
Lanes<T> lookup(const T* table, typename Lanes<T>::Bits index) {
  return {raw_lookup(table, index.v)};
}

}  // namespace tilery::interpreter::TILERY_ISA
