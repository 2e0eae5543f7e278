#include "tilery/dtype.h"

#include "ir/builder.h"
#include "runtime/convert.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <utility>

namespace tilery::inline v0 {

namespace {

using Spelling = std::pair<std::string_view, DType>;

// What kernels, NumPy, PyTorch and ml_dtypes write, beside the three names that each type has.
constexpr std::array kSpellings = {
    Spelling{"bool", DType::I1},
    Spelling{"u1", DType::I1},
    Spelling{"uint1", DType::I1},
    Spelling{"int", DType::I32},
    Spelling{"half", DType::F16},
    Spelling{"float", DType::F32},
    Spelling{"double", DType::F64},
    Spelling{"float8_e4m3fn", DType::F8E4NV},
    Spelling{"float8_e5m2", DType::F8E5},
    Spelling{"float8_e4m3fnuz", DType::F8E4B8},
    Spelling{"float8_e5m2fnuz", DType::F8E5B16},
};

std::uint64_t load_bits(DType dtype, const void* element) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, element, byte_size(dtype));
  return bits;
}

void store_bits(DType dtype, void* element, std::uint64_t bits) {
  std::memcpy(element, &bits, byte_size(dtype));
}

}  // namespace

std::size_t byte_size(DType dtype) {
  return static_cast<std::size_t>(tilery::byte_size(scalar_of(dtype)));
}

bool is_float(DType dtype) {
  return tilery::is_float(scalar_of(dtype));
}

bool is_signed(DType dtype) {
  return is_signed_integer(scalar_of(dtype));
}

std::string_view name(DType dtype) {
  return ir_name(scalar_of(dtype));
}

std::string_view language_name(DType dtype) {
  return tilery::language_name(scalar_of(dtype));
}

std::optional<DType> dtype_named(std::string_view name) {
  for (const std::string_view prefix : {"triton.language.", "tl.", "torch.", "np."}) {
    if (name.starts_with(prefix)) {
      name.remove_prefix(prefix.size());
      break;
    }
  }
  for (int i = 0; i < kScalarCount; ++i) {
    const auto scalar = static_cast<Scalar>(i);
    if (name == ir_name(scalar) || name == tilery::language_name(scalar) ||
        name == dtype_name(scalar)) {
      return dtype_of(scalar);
    }
  }
  const auto* const found =
      std::ranges::find_if(kSpellings, [&](const Spelling& s) { return s.first == name; });
  return found == kSpellings.end() ? std::nullopt : std::optional(found->second);
}

double load_number(DType dtype, const void* element) {
  const std::uint64_t bits = load_bits(dtype, element);
  const Scalar scalar = scalar_of(dtype);
  if (is_float(dtype)) {
    return decode_float(scalar, bits);
  }
  const std::int64_t v = decode_int(scalar, bits);
  return dtype == DType::U64 ? static_cast<double>(static_cast<std::uint64_t>(v))
                             : static_cast<double>(v);
}

void store_number(DType dtype, void* element, double value) {
  store_bits(dtype, element, encode_float(scalar_of(dtype), value));
}

std::int64_t load_integer(DType dtype, const void* element) {
  return decode_int(scalar_of(dtype), load_bits(dtype, element));
}

void store_integer(DType dtype, void* element, std::int64_t value) {
  if (is_float(dtype)) {
    store_number(dtype, element, static_cast<double>(value));
  } else {
    store_bits(dtype, element, encode_int(scalar_of(dtype), value));
  }
}

}  // namespace tilery::inline v0
