// How an element-wise op is run over its operands: block by block of a fixed size.
//
// A block has a constant number of elements, so the compiler turns the loop over it into vector
// code without a remainder. An operand that is a splat is one block filled once and read again and
// again; the elements past the last whole block are copied into blocks of their own. So there is
// one inner loop an op, whatever is splat and however long the operands are.
#pragma once

#include "interpreter/kernels.h"
#include "interpreter/kernels_ops.h"

#include <utility>

namespace tilery::interpreter::TILERY_ISA {

template <class... T>
constexpr std::size_t widest() {
  std::size_t bytes = 1;
  ((bytes = sizeof(T) > bytes ? sizeof(T) : bytes), ...);
  return bytes;
}

/// Elements of a block: 256 bytes of the widest type.
template <class... T>
inline constexpr std::size_t kBlock = 256 / widest<T...>();

/// One operand on its way: where its next block lies, and room for a block of its own.
template <std::size_t I, class T, std::size_t Count>
struct BlockSource {
  const T* next;
  std::size_t step;
  alignas(64) T own[Count];

  void open(const Operand& operand) {
    next = static_cast<const T*>(operand.data);
    step = Count;
    if (operand.is_splat) {
      const T value = *next;
      for (T& element : own) {
        element = value;
      }
      next = own;
      step = 0;
    }
  }

  void keep_rest(std::size_t n) {
    if (step != 0) {
      std::memset(own, 0, sizeof own);
      std::memcpy(own, next, n * sizeof(T));
      next = own;
    }
  }
};

template <class F, class R, class Indices, class... T>
struct BlockMap;

template <class F, class R, std::size_t... I, class... T>
struct BlockMap<F, R, std::index_sequence<I...>, T...> {
  static constexpr std::size_t kCount = kBlock<R, T...>;

  struct Sources : BlockSource<I, T, kCount>... {};

  template <std::size_t J, class U>
  static BlockSource<J, U, kCount>& source(BlockSource<J, U, kCount>& s) {
    return s;
  }

  static void run(void* out_data, const Operand* in, std::size_t n) {
    R* out = static_cast<R*>(out_data);
    if (n == 1) {
      F::one(out, static_cast<const T*>(in[I].data)...);
      return;
    }
    Sources sources;
    (source<I, T>(sources).open(in[I]), ...);
    for (; n >= kCount; n -= kCount, out += kCount) {
      F::template block<kCount>(out, source<I, T>(sources).next...);
      ((source<I, T>(sources).next += source<I, T>(sources).step), ...);
    }
    if (n != 0) {
      alignas(64) R rest[kCount];
      (source<I, T>(sources).keep_rest(n), ...);
      F::template block<kCount>(rest, source<I, T>(sources).next...);
      std::memcpy(out, rest, n * sizeof(R));
    }
  }
};

/// An op on single elements, F::apply(T…) → R, as blocks.
template <class F>
struct Elementwise {
  template <class R, class... T>
  static void one(R* out, const T*... in) {
    *out = F::apply(*in...);
  }

  template <std::size_t Count, class R, class... T>
  static void block(R* out, const T*... in) {
    run_loop<F>(out, Count, in...);
  }
};

/// An op on registers, F::apply(Lanes<T>…) → Lanes<T>, as blocks.
template <class F>
struct Lanewise {
  template <class T, class... U>
  static void one(T* out, const U*... in) {
    *out = F::apply(splat(Lanes<T>{}, *in)...).v[0];
  }

  template <std::size_t Count, class T, class... U>
  static void block(T* out, const U*... in) {
    for (std::size_t i = 0; i < Count; i += Lanes<T>::kCount) {
      F::apply(Lanes<T>::load(in + i)...).store(out + i);
    }
  }
};

/// MapFn of an op on single elements of types T… with a result of type R.
template <class F, class R, class... T>
constexpr MapFn elementwise() {
  return BlockMap<Elementwise<F>, R, std::index_sequence_for<T...>, T...>::run;
}

/// MapFn of an op on registers.
template <class F, class R, class... T>
constexpr MapFn lanewise() {
  return BlockMap<Lanewise<F>, R, std::index_sequence_for<T...>, T...>::run;
}

/// MapFn of an op that is dear in every lane: exactly n calls of F::apply.
template <class F, class R, class T>
void map_one_by_one(void* out_data, const Operand* in, std::size_t n) {
  R* out = static_cast<R*>(out_data);
  const T* lhs = static_cast<const T*>(in[0].data);
  const T* rhs = static_cast<const T*>(in[1].data);
  const std::size_t lhs_step = in[0].is_splat ? 0 : 1;
  const std::size_t rhs_step = in[1].is_splat ? 0 : 1;
  for (std::size_t i = 0; i < n; ++i) {
    out[i] = F::apply(lhs[i * lhs_step], rhs[i * rhs_step]);
  }
}

}  // namespace tilery::interpreter::TILERY_ISA
