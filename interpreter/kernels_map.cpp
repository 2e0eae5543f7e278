// Element-wise ops on integers, fp32 and fp64.
//
// Where signed and unsigned do the same, both get the function of the unsigned type. i1 is
// arithmetic modulo 2 on bytes that are 0 or 1.
#include "interpreter/kernels_block.h"
#include "interpreter/kernels_ops.h"
#include "interpreter/kernels_table.h"

namespace tilery::interpreter::TILERY_ISA {
namespace {

/// Sets one row after another of the table for one type.
struct TypeRows {
  KernelTables& tables;
  Scalar dtype;

  void set(Op op, MapFn fn) const { tables.map[index_of(op)][index_of(dtype)] = fn; }
};

/// Ops that ignore signedness; U is unsigned.
template <class U>
void fill_signless(const TypeRows& rows) {
  rows.set(Op::Add, elementwise<Add, U, U, U>());
  rows.set(Op::Sub, elementwise<Sub, U, U, U>());
  rows.set(Op::Mul, elementwise<Mul, U, U, U>());
  rows.set(Op::Fma, elementwise<IntegerFma, U, U, U, U>());
  rows.set(Op::Neg, elementwise<Neg, U, U>());
  rows.set(Op::And, elementwise<And, U, U, U>());
  rows.set(Op::Or, elementwise<Or, U, U, U>());
  rows.set(Op::Xor, elementwise<Xor, U, U, U>());
  rows.set(Op::Not, elementwise<Not, U, U>());
  rows.set(Op::Shl, elementwise<Shl, U, U, U>());
  rows.set(Op::Eq, elementwise<Eq, std::uint8_t, U, U>());
  rows.set(Op::Ne, elementwise<Ne, std::uint8_t, U, U>());
  rows.set(Op::Select, elementwise<Select, U, std::uint8_t, U, U>());
  if constexpr (sizeof(U) == 4) {
    rows.set(Op::UMulHi, elementwise<UMulHi, U, U, U>());
  } else if constexpr (sizeof(U) == 8) {
    rows.set(Op::UMulHi, map_one_by_one<UMulHi, U, U>);
  }
}

/// Order, for integers and floats.
template <class T>
void fill_order(const TypeRows& rows) {
  rows.set(Op::Minimum, elementwise<Minimum, T, T, T>());
  rows.set(Op::Maximum, elementwise<Maximum, T, T, T>());
  rows.set(Op::Lt, elementwise<Lt, std::uint8_t, T, T>());
  rows.set(Op::Le, elementwise<Le, std::uint8_t, T, T>());
  rows.set(Op::Gt, elementwise<Gt, std::uint8_t, T, T>());
  rows.set(Op::Ge, elementwise<Ge, std::uint8_t, T, T>());
}

template <class T>
void fill_integer(KernelTables& tables, Scalar dtype) {
  const TypeRows rows{tables, dtype};
  fill_signless<UnsignedOf<T>>(rows);
  fill_order<T>(rows);
  rows.set(Op::Abs, elementwise<Abs, T, T>());
  rows.set(Op::Shr, elementwise<Shr, T, T, T>());
  if constexpr (sizeof(T) < 8) {
    rows.set(Op::IDiv, elementwise<IDiv, T, T, T>());
    rows.set(Op::Rem, elementwise<Rem, T, T, T>());
  } else {
    rows.set(Op::IDiv, map_one_by_one<IDiv, T, T>);
    rows.set(Op::Rem, map_one_by_one<Rem, T, T>);
  }
}

template <class T>
void fill_float(KernelTables& tables, Scalar dtype) {
  const TypeRows rows{tables, dtype};
  fill_order<T>(rows);
  rows.set(Op::Add, elementwise<Add, T, T, T>());
  rows.set(Op::Sub, elementwise<Sub, T, T, T>());
  rows.set(Op::Mul, elementwise<Mul, T, T, T>());
  rows.set(Op::Div, elementwise<Div, T, T, T>());
  rows.set(Op::Neg, elementwise<Neg, T, T>());
  rows.set(Op::Abs, elementwise<Abs, T, T>());
  rows.set(Op::Eq, elementwise<Eq, std::uint8_t, T, T>());
  rows.set(Op::Ne, elementwise<Ne, std::uint8_t, T, T>());
  rows.set(Op::Select,
           elementwise<Select, UnsignedOf<T>, std::uint8_t, UnsignedOf<T>, UnsignedOf<T>>());
  tables.minimum_nan[index_of(dtype)] = elementwise<MinimumNan, T, T, T>();
  tables.maximum_nan[index_of(dtype)] = elementwise<MaximumNan, T, T, T>();
}

struct BitNot {
  static std::uint8_t apply(std::uint8_t a) { return a ^ 1U; }
};

struct BitSame {
  static std::uint8_t apply(std::uint8_t a) { return a; }
};

/// A shift by any count but 0 leaves nothing.
struct BitShift {
  static std::uint8_t apply(std::uint8_t a, std::uint8_t b) {
    return static_cast<std::uint8_t>(a & (b ^ 1U));
  }
};

struct BitRem {
  static std::uint8_t apply(std::uint8_t /*a*/, std::uint8_t /*b*/) { return 0; }
};

struct BitFma {
  static std::uint8_t apply(std::uint8_t a, std::uint8_t b, std::uint8_t c) {
    return static_cast<std::uint8_t>((a & b) ^ c);
  }
};

void fill_i1(KernelTables& tables) {
  using U = std::uint8_t;
  const TypeRows rows{tables, Scalar::I1};
  fill_signless<U>(rows);
  fill_order<U>(rows);
  rows.set(Op::Add, elementwise<Xor, U, U, U>());
  rows.set(Op::Sub, elementwise<Xor, U, U, U>());
  rows.set(Op::Mul, elementwise<And, U, U, U>());
  rows.set(Op::IDiv, elementwise<And, U, U, U>());
  rows.set(Op::Rem, elementwise<BitRem, U, U, U>());
  rows.set(Op::Fma, elementwise<BitFma, U, U, U, U>());
  rows.set(Op::Neg, elementwise<BitSame, U, U>());
  rows.set(Op::Abs, elementwise<BitSame, U, U>());
  rows.set(Op::Not, elementwise<BitNot, U, U>());
  rows.set(Op::Shl, elementwise<BitShift, U, U, U>());
  rows.set(Op::Shr, elementwise<BitShift, U, U, U>());
}

}  // namespace

void fill_map(KernelTables& tables) {
  fill_i1(tables);
  fill_integer<std::int8_t>(tables, Scalar::I8);
  fill_integer<std::int16_t>(tables, Scalar::I16);
  fill_integer<std::int32_t>(tables, Scalar::I32);
  fill_integer<std::int64_t>(tables, Scalar::I64);
  fill_integer<std::uint8_t>(tables, Scalar::U8);
  fill_integer<std::uint16_t>(tables, Scalar::U16);
  fill_integer<std::uint32_t>(tables, Scalar::U32);
  fill_integer<std::uint64_t>(tables, Scalar::U64);
  fill_float<float>(tables, Scalar::F32);
  fill_float<double>(tables, Scalar::F64);
}

}  // namespace tilery::interpreter::TILERY_ISA
