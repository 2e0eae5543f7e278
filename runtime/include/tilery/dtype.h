// Element types of arrays and scalars.
#pragma once

#include "tilery/export.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tilery::inline v0 {

/// The type of an array's elements. In memory each takes its natural width; I1 takes one byte, 0 or
/// 1. The five 8-bit floats are E4M3 without infinities (NV), E5M2, E4M3 with bias 15 (B15), and
/// the two "fnuz" forms (B8, B16).
enum class DType : std::uint8_t {
  I1,
  I8,
  I16,
  I32,
  I64,
  U8,
  U16,
  U32,
  U64,
  F8E4NV,
  F8E5,
  F8E4B15,
  F8E4B8,
  F8E5B16,
  F16,
  BF16,
  F32,
  F64,
};

/// Bytes of one element in memory.
[[nodiscard]] TILERY_API std::size_t byte_size(DType dtype);
[[nodiscard]] TILERY_API bool is_float(DType dtype);
/// Signed integers; I1 counts as unsigned.
[[nodiscard]] TILERY_API bool is_signed(DType dtype);
/// "i1", "u8", "f16", "bf16", "f8e4nv": as the command writes it.
[[nodiscard]] TILERY_API std::string_view name(DType dtype);
/// "int1", "uint8", "fp16", "bf16", "fp8e4nv": as kernels write it.
[[nodiscard]] TILERY_API std::string_view language_name(DType dtype);
/// Reads any usual spelling: "f32", "fp32", "float32", "tl.float32", "bool", "half", "bfloat16",
/// "float8_e4m3fn".
[[nodiscard]] TILERY_API std::optional<DType> dtype_named(std::string_view name);

/// One element read as a number; 64-bit integers beyond 2^53 are rounded.
[[nodiscard]] TILERY_API double load_number(DType dtype, const void* element);
/// Writes a number into an element: floats to nearest even; for integers the value is truncated
/// towards zero and cut to the type's range (NaN gives 0).
TILERY_API void store_number(DType dtype, void* element, double value);
/// One element of an integer type, sign- or zero-extended to 64 bits (U64: the same bits).
[[nodiscard]] TILERY_API std::int64_t load_integer(DType dtype, const void* element);
/// Writes an integer: wrapped to an integer type, rounded to a float type.
TILERY_API void store_integer(DType dtype, void* element, std::int64_t value);

}  // namespace tilery::inline v0
