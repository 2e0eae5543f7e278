// Inclusive scans along one axis, by block doubling:
//
//     x0 x1 x2 x3     level 0: x1 ← x0·x1, x3 ← x2·x3      (blocks of 1)
//                     level 1: x2 ← x1·x2, x3 ← x1·x3      (blocks of 2)
//
// At each level the upper half of a pair of blocks combines with the last element of the lower
// half. A reversed scan is the same on mirrored positions. Rows of single elements do the first
// four levels in registers, sixteen elements at a time.
#include "interpreter/kernels_half.h"
#include "interpreter/kernels_ops.h"
#include "interpreter/kernels_table.h"

namespace tilery::interpreter::TILERY_ISA {
namespace {

/// F on halves, rounded.
template <Scalar H, class F>
struct Rounded {
  static std::uint16_t apply(std::uint16_t a, std::uint16_t b) {
    return narrow_one<H>(F::apply(widen_one<H>(a), widen_one<H>(b)));
  }
};

/// One axis of one matrix: position p along it, counted from the end if reversed.
template <class T>
struct Axis {
  T* x;
  std::size_t length;
  std::size_t inner;
  bool reverse;

  [[nodiscard]] T* row(std::size_t p) const { return x + ((reverse ? length - 1 - p : p) * inner); }
};

/// x[i] = combine(left, x[i])
template <class F, class T>
void combine_with_one(T left, T* x, std::size_t n) {
#pragma GCC ivdep
  for (std::size_t i = 0; i < n; ++i) {
    x[i] = F::apply(left, x[i]);
  }
}

inline constexpr std::size_t kChunk = 16;

/// Four levels of `Chunks` neighbouring chunks from position `first` on, of rows of one element.
/// The chunks lie side by side while they are worked on, so that each step is a vector operation
/// over them.
template <class F, std::size_t Chunks, class T>
void scan_chunks(const Axis<T>& axis, std::size_t first) {
  T v[kChunk][Chunks];
  for (std::size_t c = 0; c < Chunks; ++c) {
    for (std::size_t i = 0; i < kChunk; ++i) {
      v[i][c] = *axis.row(first + (c * kChunk) + i);
    }
  }
  for (std::size_t block = 1; block < kChunk; block *= 2) {
    for (std::size_t start = block; start < kChunk; start += 2 * block) {
      for (std::size_t i = start; i < start + block; ++i) {
        for (std::size_t c = 0; c < Chunks; ++c) {
          v[i][c] = F::apply(v[start - 1][c], v[i][c]);
        }
      }
    }
  }
  for (std::size_t c = 0; c < Chunks; ++c) {
    for (std::size_t i = 0; i < kChunk; ++i) {
      *axis.row(first + (c * kChunk) + i) = v[i][c];
    }
  }
}

/// The upper block [start, end) of a pair takes in the last row of the lower one.
template <class F, class T>
void combine_block(const Axis<T>& axis, std::size_t start, std::size_t end) {
  const T* left = axis.row(start - 1);
  if (axis.inner == 1) {
    T* lowest = axis.reverse ? axis.row(end - 1) : axis.row(start);
    combine_with_one<F>(*left, lowest, end - start);
    return;
  }
  for (std::size_t p = start; p < end; ++p) {
    run_loop<F>(axis.row(p), axis.inner, left, axis.row(p));
  }
}

template <class F, class T>
void scan_matrix(const Axis<T>& axis) {
  std::size_t block = 1;
  if (axis.inner == 1 && axis.length % kChunk == 0) {
    constexpr std::size_t kTogether = 16;
    std::size_t first = 0;
    for (; first + (kTogether * kChunk) <= axis.length; first += kTogether * kChunk) {
      scan_chunks<F, kTogether>(axis, first);
    }
    for (; first < axis.length; first += kChunk) {
      scan_chunks<F, 1>(axis, first);
    }
    block = kChunk;
  }
  for (; block < axis.length; block *= 2) {
    for (std::size_t start = block; start < axis.length; start += 2 * block) {
      const std::size_t end = start + block < axis.length ? start + block : axis.length;
      combine_block<F>(axis, start, end);
    }
  }
}

template <class F, class T>
void scan_axis(void* out_data, const void* in, const AxisView& view, bool reverse) {
  T* out = static_cast<T*>(out_data);
  const std::size_t count = view.length * view.inner;
  if (out_data != in) {
    std::memcpy(out, in, view.outer * count * sizeof(T));
  }
  for (std::size_t o = 0; o < view.outer; ++o) {
    scan_matrix<F>(Axis<T>{out + (o * count), view.length, view.inner, reverse});
  }
}

struct TypeRows {
  KernelTables& tables;
  Scalar dtype;

  void set(ScanOp op, ScanFn fn) const { tables.scan[static_cast<int>(op)][index_of(dtype)] = fn; }
};

template <class T>
void fill_arithmetic(const TypeRows& rows) {
  rows.set(ScanOp::Sum, scan_axis<Add, T>);
  rows.set(ScanOp::Prod, scan_axis<Mul, T>);
}

template <class T>
void fill_order(const TypeRows& rows) {
  rows.set(ScanOp::Max, scan_axis<Maximum, T>);
  rows.set(ScanOp::Min, scan_axis<Minimum, T>);
}

template <class T>
void fill_integer(KernelTables& tables, Scalar dtype) {
  using U = UnsignedOf<T>;
  const TypeRows rows{tables, dtype};
  fill_arithmetic<U>(rows);
  fill_order<T>(rows);
  rows.set(ScanOp::And, scan_axis<And, U>);
  rows.set(ScanOp::Or, scan_axis<Or, U>);
  rows.set(ScanOp::Xor, scan_axis<Xor, U>);
}

template <Scalar H>
void fill_half_type(KernelTables& tables) {
  using U = std::uint16_t;
  const TypeRows rows{tables, H};
  rows.set(ScanOp::Sum, scan_axis<Rounded<H, Add>, U>);
  rows.set(ScanOp::Prod, scan_axis<Rounded<H, Mul>, U>);
  rows.set(ScanOp::Max, scan_axis<Rounded<H, Maximum>, U>);
  rows.set(ScanOp::Min, scan_axis<Rounded<H, Minimum>, U>);
}

}  // namespace

void fill_scan(KernelTables& tables) {
  fill_integer<std::uint8_t>(tables, Scalar::I1);
  fill_integer<std::int8_t>(tables, Scalar::I8);
  fill_integer<std::int16_t>(tables, Scalar::I16);
  fill_integer<std::int32_t>(tables, Scalar::I32);
  fill_integer<std::int64_t>(tables, Scalar::I64);
  fill_integer<std::uint8_t>(tables, Scalar::U8);
  fill_integer<std::uint16_t>(tables, Scalar::U16);
  fill_integer<std::uint32_t>(tables, Scalar::U32);
  fill_integer<std::uint64_t>(tables, Scalar::U64);
  fill_half_type<Scalar::F16>(tables);
  fill_half_type<Scalar::BF16>(tables);
  const TypeRows bits{tables, Scalar::I1};
  bits.set(ScanOp::Sum, scan_axis<Xor, std::uint8_t>);
  bits.set(ScanOp::Prod, scan_axis<And, std::uint8_t>);
  const TypeRows f32{tables, Scalar::F32};
  fill_arithmetic<float>(f32);
  fill_order<float>(f32);
  const TypeRows f64{tables, Scalar::F64};
  fill_arithmetic<double>(f64);
  fill_order<double>(f64);
}

}  // namespace tilery::interpreter::TILERY_ISA
