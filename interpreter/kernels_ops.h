// What each element-wise op does to one element: integers here, and fp32 and fp64 where a template
// of ir/math is not needed. kernels_map.cpp and kernels_half.cpp run them over blocks.
#pragma once

#include "interpreter/kernels_lanes.h"

#include <type_traits>

namespace tilery::interpreter::TILERY_ISA {

__extension__ typedef unsigned __int128 UInt128;  // NOLINT(modernize-use-using)

/// The unsigned type in which T's arithmetic wraps without the promotion to int.
template <class T>
using Wrapping = std::conditional_t<(sizeof(T) < 8), std::uint32_t, std::uint64_t>;

template <class T>
using UnsignedOf = std::make_unsigned_t<SignedOf<T>>;

template <class T>
inline constexpr bool kIsFloat = std::is_floating_point_v<T>;

template <class T>
T from_bits(UnsignedOf<T> pattern) {
  return __builtin_bit_cast(T, pattern);
}

template <class T>
UnsignedOf<T> to_bits(T value) {
  return __builtin_bit_cast(UnsignedOf<T>, value);
}

template <class T>
inline constexpr UnsignedOf<T> kSignBit =
    static_cast<UnsignedOf<T>>(UnsignedOf<T>{1} << (sizeof(T) * 8 - 1));

/// True for ops that are given on registers of floats as well.
template <class F>
concept OnLanes = F::kOnLanes;

/// out[i] = F::apply(in[i]…). F::apply takes single elements and, for OnLanes ops, registers of
/// floats. `out` may be one of the inputs; another overlap is not allowed.
template <class F, class R, class... T>
inline void run_loop(R* out, std::size_t count, const T*... in) {
  std::size_t whole = 0;
  if constexpr (OnLanes<F> && kIsFloat<R>) {
    whole = count - (count % Lanes<R>::kCount);
    for (std::size_t i = 0; i < whole; i += Lanes<R>::kCount) {
      F::apply(Lanes<R>::load(in + i)...).store(out + i);
    }
  }
#pragma GCC ivdep
  for (std::size_t i = whole; i < count; ++i) {
    out[i] = F::apply(in[i]...);
  }
}

// ---- arithmetic ----

struct Add {
  template <class T>
  static T apply(T a, T b) {
    if constexpr (kIsFloat<T>) {
      return a + b;
    } else {
      return static_cast<T>(Wrapping<T>(a) + Wrapping<T>(b));
    }
  }
};

struct Sub {
  template <class T>
  static T apply(T a, T b) {
    if constexpr (kIsFloat<T>) {
      return a - b;
    } else {
      return static_cast<T>(Wrapping<T>(a) - Wrapping<T>(b));
    }
  }
};

struct Mul {
  template <class T>
  static T apply(T a, T b) {
    if constexpr (kIsFloat<T>) {
      return a * b;
    } else {
      return static_cast<T>(Wrapping<T>(a) * Wrapping<T>(b));
    }
  }
};

struct Div {
  template <class T>
  static T apply(T a, T b) {
    return a / b;
  }
};

struct IntegerFma {
  template <class T>
  static T apply(T a, T b, T c) {
    return Add::apply(Mul::apply(a, b), c);
  }
};

struct Neg {
  template <class T>
  static T apply(T a) {
    if constexpr (kIsFloat<T>) {
      return from_bits<T>(to_bits(a) ^ kSignBit<T>);
    } else {
      return static_cast<T>(Wrapping<T>{0} - Wrapping<T>(a));
    }
  }
};

struct Abs {
  template <class T>
  static T apply(T a) {
    if constexpr (kIsFloat<T>) {
      return from_bits<T>(to_bits(a) & static_cast<UnsignedOf<T>>(~kSignBit<T>));
    } else if constexpr (std::is_signed_v<T>) {
      return a < 0 ? Neg::apply(a) : a;
    } else {
      return a;
    }
  }
};

/// The quotient of integers of up to 32 bits by way of a float type that holds them exactly.
/// Truncating the rounded quotient is right: a quotient that is not whole is further below the next
/// whole number than rounding can bridge (its distance is at least 1/b, and a < 2^24 or 2^53).
struct IDiv {
  template <class T>
  static T apply(T a, T b) {
    if constexpr (sizeof(T) < 8) {
      using Through = std::conditional_t<(sizeof(T) < 4), float, double>;
      const T divisor = b == 0 ? T{1} : b;
      if constexpr (std::is_signed_v<T>) {
        // The one quotient that does not fit its type comes out as the dividend.
        const bool is_minus_one = b == T{-1};
        const T safe = is_minus_one ? T{1} : divisor;
        const auto quotient = static_cast<T>(static_cast<Through>(a) / static_cast<Through>(safe));
        const T signed_quotient = is_minus_one ? Neg::apply(quotient) : quotient;
        return b == 0 ? T{0} : signed_quotient;
      } else {
        const auto quotient =
            static_cast<T>(static_cast<Through>(a) / static_cast<Through>(divisor));
        return b == 0 ? T{0} : quotient;
      }
    } else {
      if (b == 0) {
        return 0;
      }
      if constexpr (std::is_signed_v<T>) {
        if (b == -1) {
          return Neg::apply(a);
        }
      }
      return static_cast<T>(a / b);
    }
  }
};

/// a - (a / b) · b, 0 for b = 0.
struct Rem {
  template <class T>
  static T apply(T a, T b) {
    const T rest = Sub::apply(a, Mul::apply(IDiv::apply(a, b), b));
    return b == 0 ? T{0} : rest;
  }
};

struct UMulHi {
  template <class T>
  static T apply(T a, T b) {
    if constexpr (sizeof(T) == 4) {
      return static_cast<T>((std::uint64_t{UnsignedOf<T>(a)} * std::uint64_t{UnsignedOf<T>(b)}) >>
                            32);
    } else {
      return static_cast<T>((UInt128{UnsignedOf<T>(a)} * UInt128{UnsignedOf<T>(b)}) >> 64);
    }
  }
};

// ---- bits ----

struct And {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(a & b);
  }
};

struct Or {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(a | b);
  }
};

struct Xor {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(a ^ b);
  }
};

struct Not {
  template <class T>
  static T apply(T a) {
    return static_cast<T>(~a);
  }
};

/// Counts are unsigned; at or past the width nothing of the value is left but, for signed >>, its
/// sign.
struct Shl {
  template <class T>
  static T apply(T a, T b) {
    constexpr unsigned kBits = sizeof(T) * 8;
    const auto count = static_cast<UnsignedOf<T>>(b);
    const T shifted = static_cast<T>(Wrapping<T>(a) << (count & (kBits - 1)));
    return count < kBits ? shifted : T{0};
  }
};

struct Shr {
  template <class T>
  static T apply(T a, T b) {
    constexpr unsigned kBits = sizeof(T) * 8;
    const auto count = static_cast<UnsignedOf<T>>(b);
    if constexpr (std::is_signed_v<T>) {
      return static_cast<T>(a >> (count < kBits ? count : UnsignedOf<T>{kBits - 1}));
    } else {
      const T shifted = static_cast<T>(a >> (count & (kBits - 1)));
      return count < kBits ? shifted : T{0};
    }
  }
};

// ---- order ----

/// A float beats NaN; of two equal floats (they differ only as zeros do) the one with the fitting
/// sign.
struct Maximum {
  static constexpr bool kOnLanes = true;

  template <class T>
  static T apply(T a, T b) {
    if constexpr (kIsFloat<T>) {
      const T larger = b < a ? a : b;
      const T number = b != b ? a : larger;
      return a == b ? from_bits<T>(to_bits(a) & to_bits(b)) : number;
    } else {
      return b < a ? a : b;
    }
  }

  template <class T>
  static Lanes<T> apply(Lanes<T> a, Lanes<T> b) {
    const Lanes<T> number = select(b != b, a, Lanes<T>{raw_max(a.v, b.v)});
    return select(a == b, as_float(bits(a) & bits(b)), number);
  }
};

struct Minimum {
  static constexpr bool kOnLanes = true;

  template <class T>
  static T apply(T a, T b) {
    if constexpr (kIsFloat<T>) {
      const T smaller = a < b ? a : b;
      const T number = b != b ? a : smaller;
      return a == b ? from_bits<T>(to_bits(a) | to_bits(b)) : number;
    } else {
      return a < b ? a : b;
    }
  }

  template <class T>
  static Lanes<T> apply(Lanes<T> a, Lanes<T> b) {
    const Lanes<T> number = select(b != b, a, Lanes<T>{raw_min(a.v, b.v)});
    return select(a == b, as_float(bits(a) | bits(b)), number);
  }
};

/// NaN beats every float.
template <class Order>
struct WithNan {
  static constexpr bool kOnLanes = true;

  template <class T>
  static T apply(T a, T b) {
    const T number = Order::apply(a, b);
    const T second = b != b ? b : number;
    return a != a ? a : second;
  }

  template <class T>
  static Lanes<T> apply(Lanes<T> a, Lanes<T> b) {
    return select(a != a, a, select(b != b, b, Order::apply(a, b)));
  }
};

using MaximumNan = WithNan<Maximum>;
using MinimumNan = WithNan<Minimum>;

struct Eq {
  template <class T>
  static std::uint8_t apply(T a, T b) {
    return a == b ? 1 : 0;
  }
};

struct Ne {
  template <class T>
  static std::uint8_t apply(T a, T b) {
    return a != b ? 1 : 0;
  }
};

struct Lt {
  template <class T>
  static std::uint8_t apply(T a, T b) {
    return a < b ? 1 : 0;
  }
};

struct Le {
  template <class T>
  static std::uint8_t apply(T a, T b) {
    return a <= b ? 1 : 0;
  }
};

struct Gt {
  template <class T>
  static std::uint8_t apply(T a, T b) {
    return a > b ? 1 : 0;
  }
};

struct Ge {
  template <class T>
  static std::uint8_t apply(T a, T b) {
    return a >= b ? 1 : 0;
  }
};

struct Select {
  template <class T>
  static T apply(std::uint8_t condition, T if_true, T if_false) {
    return condition != 0 ? if_true : if_false;
  }
};

}  // namespace tilery::interpreter::TILERY_ISA
