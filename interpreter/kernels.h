// The interpreter's inner loops: one table of plain functions over contiguous elements.
//
// Every kernel is compiled three times, for x86-64-v2, -v3 and -v4, and one of the three sets is
// chosen when the program starts. Nothing in a kernel allocates, dispatches on a type or throws;
// the engine looks a function up once, while it plans, and calls it through a pointer afterwards.
// All three sets give identical bits (but for the payload and sign of a NaN, which the numeric
// contract leaves open).
//
// Elements lie in memory in the natural width of their type: i1 as one byte that is 0 or 1,
// integers and floats as in C, fp16, bf16 and fp8 as their bit patterns in 2 or 1 bytes, pointers
// as U64. Pointers to elements are aligned to the element; more alignment is welcome and not
// needed.
//
// A lookup for a pair that has no meaning (Sin of i32) returns nullptr; the verifier lets none
// through.
#pragma once

#include "ir/op_table.h"
#include "ir/type.h"

#include <cstddef>
#include <cstdint>

namespace tilery::interpreter {

/// One operand of an element-wise kernel: `n` elements, or one element that stands for all
/// (`is_splat`).
struct Operand {
  const void* data = nullptr;
  bool is_splat = false;
};

/// out[i] = op(in[0][i], in[1][i], …) for i < n. `in` has as many operands as the op. `out` may be
/// the very array of an operand whose elements are at least as wide as the result's; any other
/// overlap is not allowed.
using MapFn = void (*)(void* out, const Operand* in, std::size_t n);

/// A tensor seen from one axis: in[o][k][i] lies at ((o * length) + k) * inner + i. The axis is
/// `length`.
struct AxisView {
  std::size_t outer = 1;
  std::size_t length = 1;
  std::size_t inner = 1;
};

enum class ReduceOp : std::uint8_t { Sum, Prod, Max, Min, MaxNan, MinNan, And, Or, Xor };

/// out[o][i] = fold of in[o][0…length-1][i]; `out` and `in` are distinct. `scratch` holds
/// reduce_scratch_bytes.
using ReduceFn = void (*)(void* out, const void* in, const AxisView& view, void* scratch);

/// As ReduceFn, with the position of the winner along the axis. `values` may be nullptr. `length`
/// ≥ 1.
using ArgReduceFn = void (*)(void* values, std::int32_t* positions, const void* in,
                             const AxisView& view);

enum class ArgReduceOp : std::uint8_t { ArgMax, ArgMin };
enum class ScanOp : std::uint8_t { Sum, Prod, Max, Min, And, Or, Xor };

/// Inclusive scan along the axis; from its end if `reverse`. `out` may be `in` itself.
using ScanFn = void (*)(void* out, const void* in, const AxisView& view, bool reverse);

/// What a dot makes of fp32 operands: all their bits, or 10 bits of mantissa (nearest, ties away).
enum class DotPrecision : std::uint8_t { Ieee, Tf32 };

/// Row-major a[batch][m][k], b[batch][k][n]; acc and out [batch][m][n].
struct DotShape {
  std::size_t batch = 1;
  std::size_t m = 1;
  std::size_t n = 1;
  std::size_t k = 1;
};

/// out = acc + a·b, one chain per element: acc, then fma with k = 0, 1, 2, …; `acc` of nullptr
/// stands for zeros, and may be `out` itself. `scratch` holds dot_scratch_bytes.
using DotFn = void (*)(void* out, const void* acc, const void* a, const void* b,
                       const DotShape& shape, void* scratch);

/// The bits that a classifier sets for a lane. NumPy's words: "overflow encountered in exp" …
enum NumericEvent : std::uint8_t {
  kNoEvent = 0,
  kOverflow = 1,
  kInvalid = 2,
  kDivideByZero = 4,
};

/// Looks at an executed map step: `out` (a float, or the result of a cast) and the operands that
/// gave it. Writes the event of each lane to events[0…n-1] and returns the first lane that has one,
/// `n` if none. overflow: the result is infinite though every operand is finite; invalid: it is NaN
/// though no operand is; divide by zero: an infinity made exactly by x/0, log(0), log2(0) or
/// rsqrt(0).
using EventFn = std::size_t (*)(const void* out, const Operand* in, std::size_t n,
                                std::uint8_t* events);

/// The same for one reduction: an event per [outer][inner] result. Returns the first, outer·inner
/// if none.
using ReduceEventFn = std::size_t (*)(const void* out, const void* in, const AxisView& view,
                                      std::uint8_t* events);

/// True if any of the n floats is infinite or NaN. Cheap: one pass, no branches; the guard before
/// EventFn.
using NonfiniteFn = bool (*)(const void* data, std::size_t n);

/// Element access for one element width (1, 2, 4 or 8 bytes). Offsets and strides are in bytes and
/// already checked by the caller; where a mask byte is 0, memory is neither read nor written.
/// `mask` may be nullptr.
struct MemoryKernels {
  /// out[i] = base[i·stride]; masked-off lanes take `other` (zero if other.data is nullptr).
  void (*load_strided)(void* out, const std::byte* base, std::int64_t stride,
                       const std::uint8_t* mask, Operand other, std::size_t n);
  /// base[i·stride] = value[i]
  void (*store_strided)(std::byte* base, std::int64_t stride, const std::uint8_t* mask,
                        Operand value, std::size_t n);
  /// out[i] = base[offsets[i]]
  void (*gather)(void* out, const std::byte* base, const std::int64_t* offsets,
                 const std::uint8_t* mask, Operand other, std::size_t n);
  /// base[offsets[i]] = value[i], in lane order (the highest lane wins where two meet)
  void (*scatter)(std::byte* base, const std::int64_t* offsets, const std::uint8_t* mask,
                  Operand value, std::size_t n);
  /// out[i] = *value
  void (*fill)(void* out, const void* value, std::size_t n);
  /// out[c][r] = in[r][c]
  void (*transpose)(void* out, const void* in, std::size_t rows, std::size_t columns);
};

/// One set of kernels. Lookups are for plan time; what they return is valid for the whole run.
struct Kernels {
  /// "x86-64-v2", "x86-64-v3" or "x86-64-v4".
  const char* isa;

  /// The element-wise ops: Add Sub Mul Div IDiv Rem And Or Xor Shl Shr Minimum Maximum Eq Ne Lt Le
  /// Gt Ge Neg Not Abs Floor Ceil Sqrt Rsqrt Exp Exp2 Log Log2 Sin Cos Erf UMulHi Fma Select.
  /// `dtype` is that of the operands (for Select: of the values; in[0] is the i1 condition).
  /// Comparisons give i1. `propagate_nan` concerns Minimum and Maximum only.
  [[nodiscard]] MapFn map(Op op, Scalar dtype, bool propagate_nan = false) const;

  /// The cast from → to, every pair of distinct types but integer ↔ fp8. `round_to_zero` is for a
  /// float and a narrower float; nullptr for other pairs.
  [[nodiscard]] MapFn cast(Scalar from, Scalar to, bool round_to_zero = false) const;

  /// Float Sum and Prod use the declared halving tree, every combine rounded to the element's own
  /// type.
  [[nodiscard]] ReduceFn reduce(ReduceOp op, Scalar dtype) const;
  /// The leftmost greatest or least element; NaN never wins; of NaNs only, position 0.
  [[nodiscard]] ArgReduceFn arg_reduce(ArgReduceOp op, Scalar dtype) const;
  /// Float Sum and Prod use block doubling, every combine rounded to the element's own type.
  [[nodiscard]] ScanFn scan(ScanOp op, Scalar dtype) const;

  /// `operand` → `out`: F32 → F32; F16 and the fp8 types → F32 or F16; BF16 → F32; I8 → I32; F64 →
  /// F64.
  [[nodiscard]] DotFn dot(Scalar operand, Scalar out, DotPrecision precision) const;

  /// nullptr for integer types.
  [[nodiscard]] NonfiniteFn has_nonfinite(Scalar dtype) const;
  /// For map steps with a float result; nullptr where no event can occur.
  [[nodiscard]] EventFn map_events(Op op, Scalar dtype) const;
  /// For casts from a float type: overflow on the way to a narrower float, invalid on the way to an
  /// integer (NaN, infinite or out of range). nullptr where no event can occur.
  [[nodiscard]] EventFn cast_events(Scalar from, Scalar to) const;
  [[nodiscard]] ReduceEventFn reduce_events(Scalar dtype) const;

  /// By element width: 1, 2, 4 or 8 bytes.
  [[nodiscard]] const MemoryKernels& memory(std::size_t element_bytes) const;

  /// out[i] = first + i·step, wrapping.
  void (*iota_i32)(std::int32_t* out, std::int32_t first, std::int32_t step, std::size_t n);
  void (*iota_i64)(std::int64_t* out, std::int64_t first, std::int64_t step, std::size_t n);

  /// True if low ≤ values[i] < high for every lane whose mask byte is set (`mask` may be nullptr).
  bool (*all_within)(const std::int64_t* values, const std::uint8_t* mask, std::int64_t low,
                     std::int64_t high, std::size_t n);
  /// How many of the n bytes (each 0 or 1) are 1.
  std::size_t (*count_true)(const std::uint8_t* mask, std::size_t n);

  /// The set's own tables; private to kernels*.cpp.
  const struct KernelTables* tables;
};

/// The best set for this processor, chosen at the first call. The environment variable TILERY_CPU
/// ("v2", "v3" or "v4") asks for a lower one; a set that the processor lacks is never chosen.
const Kernels& kernels();

/// The set of one level (2, 3 or 4), or nullptr if this processor lacks it. For tests.
const Kernels* kernels_of_level(int level);

/// Bytes that ReduceFn needs for one call.
std::size_t reduce_scratch_bytes(Scalar dtype, const AxisView& view);

/// Bytes that DotFn needs for one call.
std::size_t dot_scratch_bytes(Scalar operand, Scalar out, const DotShape& shape);

}  // namespace tilery::interpreter
