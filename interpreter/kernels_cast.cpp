// Casts between every two number types, each with one rounding.
//
// Three ways: integers and doubles convert directly; narrow floats and narrow integers go through
// fp32, which holds them exactly; what fp32 cannot hold on its way to fp16, bf16 or fp8 is encoded
// number by number.
#include "interpreter/kernels_block.h"
#include "interpreter/kernels_half.h"
#include "interpreter/kernels_table.h"
#include "ir/math/convert.h"

namespace tilery::interpreter::TILERY_ISA {
namespace {

/// The C++ type of a memory cell.
template <Scalar S>
struct CellOf;

template <>
struct CellOf<Scalar::I8> {
  using type = std::int8_t;
};

template <>
struct CellOf<Scalar::I16> {
  using type = std::int16_t;
};

template <>
struct CellOf<Scalar::I32> {
  using type = std::int32_t;
};

template <>
struct CellOf<Scalar::I64> {
  using type = std::int64_t;
};

template <>
struct CellOf<Scalar::U16> {
  using type = std::uint16_t;
};

template <>
struct CellOf<Scalar::U32> {
  using type = std::uint32_t;
};

template <>
struct CellOf<Scalar::U64> {
  using type = std::uint64_t;
};

template <>
struct CellOf<Scalar::F16> : CellOf<Scalar::U16> {};

template <>
struct CellOf<Scalar::BF16> : CellOf<Scalar::U16> {};

template <>
struct CellOf<Scalar::F32> {
  using type = float;
};

template <>
struct CellOf<Scalar::F64> {
  using type = double;
};

/// i1, u8 and the fp8 types.
template <Scalar S>
struct CellOf {
  using type = std::uint8_t;
};

template <Scalar S>
using Cell = typename CellOf<S>::type;

constexpr bool is_half(Scalar s) {
  return s == Scalar::F16 || s == Scalar::BF16;
}

constexpr bool is_wide_float(Scalar s) {
  return s == Scalar::F32 || s == Scalar::F64;
}

// ---- direct ----

/// Anything C++ converts as we do: integers to integers (bits are cut off) and to fp32 and fp64,
/// fp32 ↔ fp64.
template <class To>
struct Convert {
  template <class From>
  static To apply(From x) {
    return static_cast<To>(x);
  }
};

template <class To>
struct Saturate {
  template <class From>
  static To apply(From x) {
    return math::saturate_to<To>(x);
  }
};

/// To i1; NaN is true.
struct IsNonzero {
  template <class From>
  static std::uint8_t apply(From x) {
    return x != From(0) ? 1 : 0;
  }
};

/// From a double or a wide integer to a format of at most 16 bits.
template <Scalar To, math::Rounding R>
struct Encode {
  template <class From>
  static Cell<To> apply(From x) {
    constexpr const FloatFormat& kFormat = float_format(To);
    if constexpr (kIsFloat<From>) {
      return static_cast<Cell<To>>(math::encode(x, kFormat, R));
    } else if constexpr (std::is_signed_v<From>) {
      return static_cast<Cell<To>>(math::encode_signed(x, kFormat));
    } else {
      return static_cast<Cell<To>>(math::encode_unsigned(x, kFormat));
    }
  }
};

template <Scalar From>
struct Decode {
  static float apply(std::uint8_t code) { return math::decode(code, float_format(From)); }
};

// ---- through fp32 ----

template <Scalar From, std::size_t Count>
void read_block(float* out, const Cell<From>* in) {
  if constexpr (is_half(From)) {
    widen_block<From, Count>(out, in);
  } else if constexpr (is_fp8(From)) {
    run_loop<Decode<From>>(out, Count, in);
  } else {
    run_loop<Convert<float>>(out, Count, in);
  }
}

template <Scalar To, std::size_t Count>
void write_block(Cell<To>* out, const float* in) {
  if constexpr (is_half(To)) {
    narrow_block<To, Count>(out, in);
  } else if constexpr (is_fp8(To)) {
    run_loop<Encode<To, math::Rounding::NearestEven>>(out, Count, in);
  } else if constexpr (To == Scalar::I1) {
    run_loop<IsNonzero>(out, Count, in);
  } else if constexpr (is_integer(To)) {
    run_loop<Saturate<Cell<To>>>(out, Count, in);
  } else {
    run_loop<Convert<Cell<To>>>(out, Count, in);
  }
}

template <Scalar From, Scalar To>
struct ThroughF32 {
  static void one(Cell<To>* out, const Cell<From>* in) {
    alignas(64) Cell<From> cells[16] = {*in};
    alignas(64) Cell<To> results[16];
    block<16>(results, cells);
    *out = results[0];
  }

  template <std::size_t Count>
  static void block(Cell<To>* out, const Cell<From>* in) {
    alignas(64) float wide[Count];
    read_block<From, Count>(wide, in);
    write_block<To, Count>(out, wide);
  }
};

// ---- the table ----

template <Scalar From, Scalar To>
constexpr MapFn cast_fn() {
  using F = Cell<From>;
  using T = Cell<To>;
  constexpr bool kIsExactInF32 = !is_wide_float(From) && (!is_integer(From) || sizeof(F) <= 2);
  if constexpr (From == To || (is_integer(From) && is_fp8(To)) ||
                (is_fp8(From) && is_integer(To))) {
    return nullptr;
  } else if constexpr (is_integer(From) && To == Scalar::I1) {
    return elementwise<IsNonzero, std::uint8_t, UnsignedOf<F>>();
  } else if constexpr (is_integer(From) && is_integer(To)) {
    return elementwise<Convert<UnsignedOf<T>>, UnsignedOf<T>, F>();
  } else if constexpr (From == Scalar::F64 && is_integer(To)) {
    return To == Scalar::I1 ? elementwise<IsNonzero, T, F>() : elementwise<Saturate<T>, T, F>();
  } else if constexpr ((is_integer(From) || is_wide_float(From)) && is_wide_float(To)) {
    return elementwise<Convert<T>, T, F>();
  } else if constexpr (kIsExactInF32 || From == Scalar::F32 ||
                       (is_integer(From) && To == Scalar::F16)) {
    // Integers past fp32's 24 bits are infinite in fp16 either way.
    return BlockMap<ThroughF32<From, To>, T, std::index_sequence<0>, F>::run;
  } else {
    return elementwise<Encode<To, math::Rounding::NearestEven>, T, F>();
  }
}

/// std::integer_sequence is for integers only.
template <Scalar...>
struct Scalars {};

template <Scalar From, Scalar... To>
void fill_row(KernelTables& tables, Scalars<To...> /*all*/) {
  ((tables.cast[index_of(From)][index_of(To)] = cast_fn<From, To>()), ...);
}

// ---- toward zero ----

struct F64ToF32TowardZero {
  static float apply(double x) {
    return from_bits<float>(math::encode(x, float_format(Scalar::F32), math::Rounding::ToZero));
  }
};

template <Scalar From, Scalar To>
struct TowardZero {
  static Cell<To> apply(Cell<From> x) {
    using EncodeToZero = Encode<To, math::Rounding::ToZero>;
    if constexpr (is_half(From)) {
      return EncodeToZero::apply(widen_one<From>(x));
    } else {
      return EncodeToZero::apply(x);
    }
  }
};

template <Scalar From, Scalar... To>
void fill_to_zero(KernelTables& tables) {
  ((tables.cast_to_zero[index_of(From)][index_of(To)] =
        elementwise<TowardZero<From, To>, Cell<To>, Cell<From>>()),
   ...);
}

template <std::size_t... I>
constexpr auto scalars(std::index_sequence<I...> /*each*/) {
  return Scalars<static_cast<Scalar>(I)...>();
}

using AllScalars = decltype(scalars(std::make_index_sequence<kScalarCount>()));

template <Scalar From, Scalar... To>
void fill_to_zero_eight_bits(KernelTables& tables, Scalars<To...> /*all*/) {
  const auto fill = [&tables]<Scalar S>() {
    if constexpr (is_fp8(S)) {
      fill_to_zero<From, S>(tables);
    }
  };
  (fill.template operator()<To>(), ...);
}

template <Scalar... From>
void fill_rows(KernelTables& tables, Scalars<From...> all) {
  (fill_row<From>(tables, all), ...);
}

}  // namespace

void fill_cast(KernelTables& tables) {
  fill_rows(tables, AllScalars{});
  fill_to_zero_eight_bits<Scalar::F16>(tables, AllScalars{});
  fill_to_zero_eight_bits<Scalar::BF16>(tables, AllScalars{});
  fill_to_zero_eight_bits<Scalar::F32>(tables, AllScalars{});
  fill_to_zero_eight_bits<Scalar::F64>(tables, AllScalars{});
  fill_to_zero<Scalar::F32, Scalar::F16, Scalar::BF16>(tables);
  fill_to_zero<Scalar::F64, Scalar::F16, Scalar::BF16>(tables);
  tables.cast_to_zero[index_of(Scalar::F64)][index_of(Scalar::F32)] =
      elementwise<F64ToF32TowardZero, float, double>();
}

}  // namespace tilery::interpreter::TILERY_ISA
