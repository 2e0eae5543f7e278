// One number as a value type for the math templates: for constant folding and for tests.
#pragma once

#include "ir/math/value.h"

#include <bit>
#include <cmath>
#include <cstdint>

namespace tilery::math {

template <class T>
struct ScalarBits {
  using Element = T;
  T value;
};

/// `value` alone: math::exp(ScalarValue<float>{x}).value has the bits that both executors give.
template <class T>
struct ScalarValue {
  using Element = T;
  using Bits = ScalarBits<std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>>;
  using Mask = bool;
  T value;

  friend ScalarValue operator+(ScalarValue a, ScalarValue b) { return {a.value + b.value}; }

  friend ScalarValue operator-(ScalarValue a, ScalarValue b) { return {a.value - b.value}; }

  friend ScalarValue operator*(ScalarValue a, ScalarValue b) { return {a.value * b.value}; }

  friend ScalarValue operator/(ScalarValue a, ScalarValue b) { return {a.value / b.value}; }

  friend ScalarValue operator-(ScalarValue a) { return {-a.value}; }

  friend bool operator<(ScalarValue a, ScalarValue b) { return a.value < b.value; }

  friend bool operator<=(ScalarValue a, ScalarValue b) { return a.value <= b.value; }

  friend bool operator==(ScalarValue a, ScalarValue b) { return a.value == b.value; }

  friend bool operator!=(ScalarValue a, ScalarValue b) { return a.value != b.value; }
};

template <class T>
ScalarValue<T> splat(ScalarValue<T> /*like*/, T value) {
  return {value};
}

template <class T>
ScalarBits<T> splat(ScalarBits<T> /*like*/, T value) {
  return {value};
}

template <class T>
ScalarValue<T> fma(ScalarValue<T> a, ScalarValue<T> b, ScalarValue<T> c) {
  return {std::fma(a.value, b.value, c.value)};
}

template <class T>
ScalarValue<T> sqrt(ScalarValue<T> x) {
  return {std::sqrt(x.value)};
}

template <class T>
ScalarValue<T> trunc(ScalarValue<T> x) {
  return {std::trunc(x.value)};
}

template <class T>
typename ScalarValue<T>::Bits bits(ScalarValue<T> x) {
  return {std::bit_cast<typename ScalarValue<T>::Bits::Element>(x.value)};
}

inline ScalarValue<float> as_float(ScalarBits<std::int32_t> x) {
  return {std::bit_cast<float>(x.value)};
}

inline ScalarValue<double> as_float(ScalarBits<std::int64_t> x) {
  return {std::bit_cast<double>(x.value)};
}

// Integers wrap.
template <class T>
ScalarBits<T> operator+(ScalarBits<T> a, ScalarBits<T> b) {
  using U = std::make_unsigned_t<T>;
  return {static_cast<T>(static_cast<U>(a.value) + static_cast<U>(b.value))};
}

template <class T>
ScalarBits<T> operator-(ScalarBits<T> a, ScalarBits<T> b) {
  using U = std::make_unsigned_t<T>;
  return {static_cast<T>(static_cast<U>(a.value) - static_cast<U>(b.value))};
}

template <class T>
ScalarBits<T> operator&(ScalarBits<T> a, ScalarBits<T> b) {
  return {a.value & b.value};
}

template <class T>
ScalarBits<T> operator|(ScalarBits<T> a, ScalarBits<T> b) {
  return {a.value | b.value};
}

template <class T>
ScalarBits<T> operator^(ScalarBits<T> a, ScalarBits<T> b) {
  return {a.value ^ b.value};
}

template <class T>
bool operator<(ScalarBits<T> a, ScalarBits<T> b) {
  return a.value < b.value;
}

template <class T>
bool operator==(ScalarBits<T> a, ScalarBits<T> b) {
  return a.value == b.value;
}

template <int Count, class T>
ScalarBits<T> shl(ScalarBits<T> x) {
  using U = std::make_unsigned_t<T>;
  return {static_cast<T>(static_cast<U>(x.value) << Count)};
}

template <int Count, class T>
ScalarBits<T> sar(ScalarBits<T> x) {
  return {x.value >> Count};
}

template <int Count, class T>
ScalarBits<T> shr(ScalarBits<T> x) {
  using U = std::make_unsigned_t<T>;
  return {static_cast<T>(static_cast<U>(x.value) >> Count)};
}

template <class Value>
Value select(bool mask, Value a, Value b) {
  return mask ? a : b;
}

inline bool any(bool mask) {
  return mask;
}

template <class Fast, class Slow>
Fast where_rare(bool mask, Fast fast, Slow slow) {
  return mask ? slow() : fast;
}

template <class State, class Holds, class Step>
State repeat_while(State state, Holds holds, Step step) {
  while (holds(state)) {
    state = step(state);
  }
  return state;
}

template <class T>
ScalarValue<T> lookup(const T* table, typename ScalarValue<T>::Bits index) {
  return {table[index.value]};
}

}  // namespace tilery::math
