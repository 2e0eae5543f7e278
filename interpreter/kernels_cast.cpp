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

constexpr math::FloatFormat format_of(Scalar s) {
  switch (s) {
    case Scalar::F16:
      return math::kF16;
    case Scalar::BF16:
      return math::kBF16;
    case Scalar::F8E5:
      return math::kF8E5;
    case Scalar::F8E4NV:
      return math::kF8E4NV;
    case Scalar::F8E4B15:
      return math::kF8E4B15;
    case Scalar::F8E4B8:
      return math::kF8E4B8;
    case Scalar::F8E5B16:
      return math::kF8E5B16;
    case Scalar::I1:
    case Scalar::I8:
    case Scalar::I16:
    case Scalar::I32:
    case Scalar::I64:
    case Scalar::U8:
    case Scalar::U16:
    case Scalar::U32:
    case Scalar::U64:
    case Scalar::F32:
    case Scalar::F64:
      break;
  }
  return {};
}

constexpr bool is_half(Scalar s) {
  return s == Scalar::F16 || s == Scalar::BF16;
}

constexpr bool is_eight_bit_float(Scalar s) {
  return s >= Scalar::F8E4NV && s <= Scalar::F8E5B16;
}

constexpr bool is_wide_float(Scalar s) {
  return s == Scalar::F32 || s == Scalar::F64;
}

constexpr bool is_whole(Scalar s) {
  return s <= Scalar::U64;
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
    constexpr math::FloatFormat kFormat = format_of(To);
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
  static float apply(std::uint8_t code) { return math::decode(code, format_of(From)); }
};

// ---- through fp32 ----

template <Scalar From, std::size_t Count>
void read_block(float* out, const Cell<From>* in) {
  if constexpr (is_half(From)) {
    widen_block<From, Count>(out, in);
  } else if constexpr (is_eight_bit_float(From)) {
    run_loop<Decode<From>>(out, Count, in);
  } else {
    run_loop<Convert<float>>(out, Count, in);
  }
}

template <Scalar To, std::size_t Count>
void write_block(Cell<To>* out, const float* in) {
  if constexpr (is_half(To)) {
    narrow_block<To, Count>(out, in);
  } else if constexpr (is_eight_bit_float(To)) {
    run_loop<Encode<To, math::Rounding::NearestEven>>(out, Count, in);
  } else if constexpr (To == Scalar::I1) {
    run_loop<IsNonzero>(out, Count, in);
  } else if constexpr (is_whole(To)) {
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
  constexpr bool kIsExactInF32 = !is_wide_float(From) && (!is_whole(From) || sizeof(F) <= 2);
  if constexpr (From == To || (is_whole(From) && is_eight_bit_float(To)) ||
                (is_eight_bit_float(From) && is_whole(To))) {
    return nullptr;
  } else if constexpr (is_whole(From) && To == Scalar::I1) {
    return elementwise<IsNonzero, std::uint8_t, UnsignedOf<F>>();
  } else if constexpr (is_whole(From) && is_whole(To)) {
    return elementwise<Convert<UnsignedOf<T>>, UnsignedOf<T>, F>();
  } else if constexpr (From == Scalar::F64 && is_whole(To)) {
    return To == Scalar::I1 ? elementwise<IsNonzero, T, F>() : elementwise<Saturate<T>, T, F>();
  } else if constexpr ((is_whole(From) || is_wide_float(From)) && is_wide_float(To)) {
    return elementwise<Convert<T>, T, F>();
  } else if constexpr (kIsExactInF32 || From == Scalar::F32 ||
                       (is_whole(From) && To == Scalar::F16)) {
    // Integers past fp32's 24 bits are infinite in fp16 either way.
    return BlockMap<ThroughF32<From, To>, T, std::index_sequence<0>, F>::run;
  } else {
    return elementwise<Encode<To, math::Rounding::NearestEven>, T, F>();
  }
}

template <Scalar From, Scalar... To>
void fill_row(KernelTables& tables, std::integer_sequence<Scalar, To...> /*all*/) {
  ((tables.cast[index_of(From)][index_of(To)] = cast_fn<From, To>()), ...);
}

// ---- toward zero ----

/// fp32 as a format like the others, for fp64 on its way to it.
inline constexpr math::FloatFormat kF32{32, 23, 127, 0x7F7FFFFF, 0x7FC00000, true, false, false};

struct F64ToF32TowardZero {
  static float apply(double x) {
    return from_bits<float>(math::encode(x, kF32, math::Rounding::ToZero));
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

template <Scalar From>
void fill_to_zero_eight_bits(KernelTables& tables) {
  fill_to_zero<From, Scalar::F8E4NV, Scalar::F8E5, Scalar::F8E4B15, Scalar::F8E4B8,
               Scalar::F8E5B16>(tables);
}

using AllScalars =
    std::integer_sequence<Scalar, Scalar::I1, Scalar::I8, Scalar::I16, Scalar::I32, Scalar::I64,
                          Scalar::U8, Scalar::U16, Scalar::U32, Scalar::U64, Scalar::F8E4NV,
                          Scalar::F8E5, Scalar::F8E4B15, Scalar::F8E4B8, Scalar::F8E5B16,
                          Scalar::F16, Scalar::BF16, Scalar::F32, Scalar::F64>;

template <Scalar... From>
void fill_rows(KernelTables& tables, std::integer_sequence<Scalar, From...> all) {
  (fill_row<From>(tables, all), ...);
}

}  // namespace

void fill_cast(KernelTables& tables) {
  fill_rows(tables, AllScalars{});
  fill_to_zero_eight_bits<Scalar::F16>(tables);
  fill_to_zero_eight_bits<Scalar::BF16>(tables);
  fill_to_zero_eight_bits<Scalar::F32>(tables);
  fill_to_zero_eight_bits<Scalar::F64>(tables);
  fill_to_zero<Scalar::F32, Scalar::F16, Scalar::BF16>(tables);
  fill_to_zero<Scalar::F64, Scalar::F16, Scalar::BF16>(tables);
  tables.cast_to_zero[index_of(Scalar::F64)][index_of(Scalar::F32)] =
      elementwise<F64ToF32TowardZero, float, double>();
}

}  // namespace tilery::interpreter::TILERY_ISA
