// Matrix products of tiles.
//
// Each result is one chain: it starts from the accumulator and takes k = 0, 1, 2, … in order, each
// step a fused multiply-add. The order is part of the language, so speed comes from running many
// chains side by side: a block of rows × columns of results stays in registers while k runs through
// it, and every step reuses one row of b for all rows of a. fp16, bf16, fp8 and tf32 operands are
// first written out as fp32, where their products are exact inside the fma.
#include "interpreter/kernels_half.h"
#include "interpreter/kernels_lanes.h"
#include "interpreter/kernels_table.h"
#include "ir/math/convert.h"

namespace tilery::interpreter::TILERY_ISA {
namespace {

/// One matrix product: a[m][k], b[k][n], acc and out [m][n]; acc may be nullptr.
template <class T>
struct Product {
  T* out;
  const T* acc;
  const T* a;
  const T* b;
  std::size_t m;
  std::size_t n;
  std::size_t k;
};

/// Rows × Registers·lanes results from (row, column) on.
template <std::size_t Rows, std::size_t Registers, class T>
void multiply_block(const Product<T>& p, std::size_t row, std::size_t column) {
  using V = Lanes<T>;
  const V zero = splat(V{}, T(0));
  V sum[Rows][Registers];
  for (std::size_t r = 0; r < Rows; ++r) {
    for (std::size_t c = 0; c < Registers; ++c) {
      const std::size_t at = ((row + r) * p.n) + column + (c * V::kCount);
      sum[r][c] = p.acc == nullptr ? zero : V::load(p.acc + at);
    }
  }
  const T* a = p.a + (row * p.k);
  const T* b = p.b + column;
  for (std::size_t k = 0; k < p.k; ++k, b += p.n) {
    V factor[Registers];
    for (std::size_t c = 0; c < Registers; ++c) {
      factor[c] = V::load(b + (c * V::kCount));
    }
    for (std::size_t r = 0; r < Rows; ++r) {
      const V left = splat(V{}, a[(r * p.k) + k]);
      for (std::size_t c = 0; c < Registers; ++c) {
        sum[r][c] = fma(left, factor[c], sum[r][c]);
      }
    }
  }
  for (std::size_t r = 0; r < Rows; ++r) {
    for (std::size_t c = 0; c < Registers; ++c) {
      sum[r][c].store(p.out + ((row + r) * p.n) + column + (c * V::kCount));
    }
  }
}

/// The last columns, fewer than a register holds.
template <std::size_t Rows, class T>
void multiply_edge(const Product<T>& p, std::size_t row, std::size_t column) {
  using V = Lanes<T>;
  const std::size_t columns = p.n - column;
  V sum[Rows];
  for (std::size_t r = 0; r < Rows; ++r) {
    const std::size_t at = ((row + r) * p.n) + column;
    sum[r] = p.acc == nullptr ? splat(V{}, T(0)) : V::load_first(p.acc + at, columns);
  }
  const T* a = p.a + (row * p.k);
  for (std::size_t k = 0; k < p.k; ++k) {
    const V factor = V::load_first(p.b + (k * p.n) + column, columns);
    for (std::size_t r = 0; r < Rows; ++r) {
      sum[r] = fma(splat(V{}, a[(r * p.k) + k]), factor, sum[r]);
    }
  }
  for (std::size_t r = 0; r < Rows; ++r) {
    sum[r].store_first(p.out + ((row + r) * p.n) + column, columns);
  }
}

template <std::size_t Rows, class T>
void multiply_rows(const Product<T>& p, std::size_t row) {
  constexpr std::size_t kCount = Lanes<T>::kCount;
  std::size_t column = 0;
  for (; column + (2 * kCount) <= p.n; column += 2 * kCount) {
    multiply_block<Rows, 2>(p, row, column);
  }
  for (; column + kCount <= p.n; column += kCount) {
    multiply_block<Rows, 1>(p, row, column);
  }
  if (column < p.n) {
    multiply_edge<Rows>(p, row, column);
  }
}

/// Rows of results held at once, times two registers each: as many as the register file takes.
inline constexpr std::size_t kRows = kVectorBytes == 64 ? 8 : 4;

template <class T>
void multiply(const Product<T>& p) {
  std::size_t row = 0;
  for (; row + kRows <= p.m; row += kRows) {
    multiply_rows<kRows>(p, row);
  }
  for (; row + 4 <= p.m; row += 4) {
    multiply_rows<4>(p, row);
  }
  for (; row < p.m; ++row) {
    multiply_rows<1>(p, row);
  }
}

template <class T>
void dot_same(void* out, const void* acc, const void* a, const void* b, const DotShape& shape,
              void* /*scratch*/) {
  const std::size_t results = shape.m * shape.n;
  for (std::size_t i = 0; i < shape.batch; ++i) {
    const T* start = acc == nullptr ? nullptr : static_cast<const T*>(acc) + (i * results);
    multiply(Product<T>{static_cast<T*>(out) + (i * results), start,
                        static_cast<const T*>(a) + (i * shape.m * shape.k),
                        static_cast<const T*>(b) + (i * shape.k * shape.n), shape.m, shape.n,
                        shape.k});
  }
}

// ---- operands that become fp32 first ----

/// To 10 bits of mantissa, nearest, ties away from zero; NaN and infinity stay.
struct RoundToTf32 {
  using Element = float;

  static void expand(float* out, const float* in, std::size_t n) {
#pragma GCC ivdep
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint32_t pattern = to_bits(in[i]);
      const std::uint32_t rounded = (pattern + 0x1000U) & 0xFFFFE000U;
      const bool is_finite = (pattern & 0x7F800000U) != 0x7F800000U;
      out[i] = from_bits<float>(is_finite ? rounded : pattern);
    }
  }
};

template <Scalar H>
struct Widen {
  using Element = std::uint16_t;

  static void expand(float* out, const std::uint16_t* in, std::size_t n) { widen<H>(out, in, n); }
};

template <Scalar S>
struct DecodeAll {
  using Element = std::uint8_t;

  static void expand(float* out, const std::uint8_t* in, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
      out[i] = math::decode(in[i], float_format(S));
    }
  }
};

template <class Operand, bool kIsHalfResult>
void dot_expanded(void* out, const void* acc, const void* a, const void* b, const DotShape& shape,
                  void* scratch) {
  const std::size_t a_count = shape.m * shape.k;
  const std::size_t b_count = shape.k * shape.n;
  const std::size_t results = shape.m * shape.n;
  float* wide_a = static_cast<float*>(scratch);
  float* wide_b = wide_a + a_count;
  float* sums = wide_b + b_count;
  using Element = typename Operand::Element;
  for (std::size_t i = 0; i < shape.batch; ++i) {
    Operand::expand(wide_a, static_cast<const Element*>(a) + (i * a_count), a_count);
    Operand::expand(wide_b, static_cast<const Element*>(b) + (i * b_count), b_count);
    if constexpr (kIsHalfResult) {
      if (acc != nullptr) {
        widen<Scalar::F16>(sums, static_cast<const std::uint16_t*>(acc) + (i * results), results);
      }
      multiply(Product<float>{sums, acc == nullptr ? nullptr : sums, wide_a, wide_b, shape.m,
                              shape.n, shape.k});
      narrow<Scalar::F16>(static_cast<std::uint16_t*>(out) + (i * results), sums, results);
    } else {
      const float* start =
          acc == nullptr ? nullptr : static_cast<const float*>(acc) + (i * results);
      multiply(Product<float>{static_cast<float*>(out) + (i * results), start, wide_a, wide_b,
                              shape.m, shape.n, shape.k});
    }
  }
}

/// int8 or uint8 products summed in int32, which wraps.
template <class Byte>
void dot_bytes(void* out_data, const void* acc, const void* a_data, const void* b_data,
               const DotShape& shape, void* /*scratch*/) {
  const std::size_t results = shape.batch * shape.m * shape.n;
  auto* out = static_cast<std::uint32_t*>(out_data);
  if (acc == nullptr) {
    std::memset(out, 0, results * sizeof *out);
  } else if (acc != out_data) {
    std::memcpy(out, acc, results * sizeof *out);
  }
  const auto* a = static_cast<const Byte*>(a_data);
  const auto* b = static_cast<const Byte*>(b_data);
  for (std::size_t row = 0; row < shape.batch * shape.m; ++row, out += shape.n) {
    const Byte* factors = b + ((row / shape.m) * shape.k * shape.n);
    for (std::size_t k = 0; k < shape.k; ++k, factors += shape.n) {
      const std::int32_t left = a[(row * shape.k) + k];
#pragma GCC ivdep
      for (std::size_t c = 0; c < shape.n; ++c) {
        out[c] += static_cast<std::uint32_t>(left * factors[c]);
      }
    }
  }
}

template <class Operand>
void set_expanded(KernelTables& tables, Scalar operand, bool has_half_result) {
  for (auto& by_precision : tables.dot) {
    by_precision[index_of(operand)][index_of(Scalar::F32)] = dot_expanded<Operand, false>;
    if (has_half_result) {
      by_precision[index_of(operand)][index_of(Scalar::F16)] = dot_expanded<Operand, true>;
    }
  }
}

}  // namespace

void fill_dot(KernelTables& tables) {
  set_expanded<Widen<Scalar::F16>>(tables, Scalar::F16, true);
  set_expanded<Widen<Scalar::BF16>>(tables, Scalar::BF16, false);
  set_expanded<DecodeAll<Scalar::F8E5>>(tables, Scalar::F8E5, true);
  set_expanded<DecodeAll<Scalar::F8E4NV>>(tables, Scalar::F8E4NV, true);
  set_expanded<DecodeAll<Scalar::F8E4B15>>(tables, Scalar::F8E4B15, true);
  set_expanded<DecodeAll<Scalar::F8E4B8>>(tables, Scalar::F8E4B8, true);
  set_expanded<DecodeAll<Scalar::F8E5B16>>(tables, Scalar::F8E5B16, true);
  constexpr int kIeee = static_cast<int>(DotPrecision::Ieee);
  constexpr int kTf32 = static_cast<int>(DotPrecision::Tf32);
  constexpr int kF32 = index_of(Scalar::F32);
  tables.dot[kIeee][kF32][kF32] = dot_same<float>;
  tables.dot[kTf32][kF32][kF32] = dot_expanded<RoundToTf32, false>;
  for (auto& by_precision : tables.dot) {
    by_precision[index_of(Scalar::F64)][index_of(Scalar::F64)] = dot_same<double>;
    by_precision[index_of(Scalar::I8)][index_of(Scalar::I32)] = dot_bytes<std::int8_t>;
    by_precision[index_of(Scalar::U8)][index_of(Scalar::I32)] = dot_bytes<std::uint8_t>;
  }
}

}  // namespace tilery::interpreter::TILERY_ISA
