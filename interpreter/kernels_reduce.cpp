// Reductions along one axis, in the declared halving tree.
//
//     n = 8:   x0 x1 x2 x3 | x4 x5 x6 x7      x[i] = combine(x[i], x[i + 4])
//              y0 y1 | y2 y3                  y[i] = combine(y[i], y[i + 2])
//              z0 | z1                        combine(z0, z1)
//
// The halves of an [n, inner] matrix are contiguous, so every level is one vector loop whatever
// `inner` is. If n is not a power of two, the first level has partners for only n - h of its h
// elements; the others pass through. Three levels at a time keep long rows from being read and
// written again and again.
#include "interpreter/kernels_block.h"
#include "interpreter/kernels_half.h"
#include "interpreter/kernels_ops.h"
#include "interpreter/kernels_table.h"

namespace tilery::interpreter::TILERY_ISA {
namespace {

/// The elements i, i + count, … i + 7·count of three levels at once, as single elements or
/// registers.
template <class F>
struct ThreeLevels {
  static constexpr bool kOnLanes = OnLanes<F>;

  template <class V>
  static V apply(V x0, V x1, V x2, V x3, V x4, V x5, V x6, V x7) {
    const V even = F::apply(F::apply(x0, x4), F::apply(x2, x6));
    const V odd = F::apply(F::apply(x1, x5), F::apply(x3, x7));
    return F::apply(even, odd);
  }
};

/// 8 · count elements become count; `out` may be `x`.
template <class F, class T>
void fold_three_levels(T* out, const T* x, std::size_t count) {
  run_loop<ThreeLevels<F>>(out, count, x, x + count, x + (2 * count), x + (3 * count),
                           x + (4 * count), x + (5 * count), x + (6 * count), x + (7 * count));
}

/// The last four levels of one row.
template <class F, class T>
T fold_sixteen(const T* x) {
  T level[8];
  for (int i = 0; i < 8; ++i) {
    level[i] = F::apply(x[i], x[i + 8]);
  }
  for (int i = 0; i < 4; ++i) {
    level[i] = F::apply(level[i], level[i + 4]);
  }
  return F::apply(F::apply(level[0], level[2]), F::apply(level[1], level[3]));
}

std::size_t power_of_two_at_least(std::size_t n) {
  return n <= 1 ? 1 : std::size_t{1} << (64 - __builtin_clzll(n - 1));
}

/// The first level where n is not a power of two: `half` rows remain in `out`.
template <class F, class T>
void fold_ragged_level(T* out, const T* x, std::size_t half, std::size_t n, std::size_t inner) {
  const std::size_t paired = (n - half) * inner;
  run_loop<F>(out, paired, x, x + (half * inner));
  std::memcpy(out + paired, x + paired, ((half * inner) - paired) * sizeof(T));
}

/// Reduces one [n, inner] matrix to [inner] through `scratch`.
template <class F, class T>
void fold_rows(T* out, const T* x, std::size_t n, std::size_t inner, T* scratch) {
  std::size_t rows = power_of_two_at_least(n);
  if (rows != n) {
    rows /= 2;
    fold_ragged_level<F>(rows == 1 ? out : scratch, x, rows, n, inner);
    x = scratch;
  }
  while (rows > 1 && (inner != 1 || rows != 16)) {
    const bool is_long = rows >= 8 && rows * inner >= 256;
    rows /= is_long ? 8 : 2;
    T* target = rows == 1 ? out : scratch;
    if (is_long) {
      fold_three_levels<F>(target, x, rows * inner);
    } else {
      run_loop<F>(target, rows * inner, x, x + (rows * inner));
    }
    x = scratch;
  }
  if (rows == 16) {
    out[0] = fold_sixteen<F>(x);
  } else if (n == 1) {
    std::memcpy(out, x, inner * sizeof(T));
  }
}

template <class F, class T>
void reduce_axis(void* out_data, const void* in, const AxisView& view, void* scratch) {
  T* out = static_cast<T*>(out_data);
  const T* x = static_cast<const T*>(in);
  for (std::size_t o = 0; o < view.outer; ++o) {
    fold_rows<F>(out, x, view.length, view.inner, static_cast<T*>(scratch));
    out += view.inner;
    x += view.length * view.inner;
  }
}

/// F on fp32 values that stand for halves, rounded to a half again.
template <Scalar H, class F>
void half_level(float* x, std::size_t partners, std::size_t distance) {
  run_loop<F>(x, partners, x, x + distance);
  constexpr std::size_t kCount = 64;
  std::uint16_t codes[kCount];
  for (std::size_t i = 0; i < partners; i += kCount) {
    const std::size_t count = partners - i < kCount ? partners - i : kCount;
    narrow<H>(codes, x + i, count);
    widen<H>(x + i, codes, count);
  }
}

template <Scalar H, class F>
void reduce_half_axis(void* out_data, const void* in, const AxisView& view, void* scratch) {
  auto* out = static_cast<std::uint16_t*>(out_data);
  const auto* x = static_cast<const std::uint16_t*>(in);
  auto* wide = static_cast<float*>(scratch);
  const std::size_t count = view.length * view.inner;
  for (std::size_t o = 0; o < view.outer; ++o) {
    widen<H>(wide, x, count);
    std::size_t rows = view.length;
    while (rows > 1) {
      const std::size_t half = power_of_two_at_least(rows) / 2;
      half_level<H, F>(wide, (rows - half) * view.inner, half * view.inner);
      rows = half;
    }
    narrow<H>(out, wide, view.inner);
    out += view.inner;
    x += count;
  }
}

// ---- the position of the greatest or least ----

struct Greater {
  using Order = Maximum;

  template <class T>
  static bool apply(T a, T b) {
    return a > b;
  }
};

struct Less {
  using Order = Minimum;

  template <class T>
  static bool apply(T a, T b) {
    return a < b;
  }
};

/// How an element of the tensor is compared.
struct AsItIs {
  template <class T>
  static T read(T x) {
    return x;
  }
};

template <Scalar H>
struct AsFloat {
  static float read(std::uint16_t x) { return widen_one<H>(x); }
};

/// The best of up to 16 independent sequences, each with the position of its first occurrence.
template <class Better, class V>
struct Contest {
  static constexpr std::size_t kCount = 16;
  V best[kCount];
  std::int32_t position[kCount];

  static bool wins(V challenger, V holder) {
    const bool is_number = (challenger == challenger) & (holder != holder);
    return static_cast<bool>(Better::apply(challenger, holder) | is_number);
  }

  template <class Read, class T>
  void meet(const T* x, std::int32_t first, std::int32_t step) {
#pragma GCC ivdep
    for (std::size_t j = 0; j < kCount; ++j) {
      const V value = Read::read(x[j]);
      const bool is_new = wins(value, best[j]);
      best[j] = is_new ? value : best[j];
      position[j] = is_new ? first + (step * static_cast<std::int32_t>(j)) : position[j];
    }
  }
};

template <class Better, class Read, class T>
std::int32_t best_of_row(const T* x, std::size_t n) {
  using V = decltype(Read::read(T{}));
  using Race = Contest<Better, V>;
  V best = Read::read(x[0]);
  std::int32_t position = 0;
  std::size_t k = 1;
  if (n >= 2 * Race::kCount) {
    Race race;
    for (std::size_t j = 0; j < Race::kCount; ++j) {
      race.best[j] = Read::read(x[j]);
      race.position[j] = static_cast<std::int32_t>(j);
    }
    for (k = Race::kCount; k + Race::kCount <= n; k += Race::kCount) {
      race.template meet<Read>(x + k, static_cast<std::int32_t>(k), 1);
    }
    best = race.best[0];
    position = race.position[0];
    for (std::size_t j = 1; j < Race::kCount; ++j) {
      const bool is_earlier = race.best[j] == best && race.position[j] < position;
      if (is_earlier || Race::wins(race.best[j], best)) {
        best = race.best[j];
        position = race.position[j];
      }
    }
  }
  for (; k < n; ++k) {
    const V value = Read::read(x[k]);
    if (Race::wins(value, best)) {
      best = value;
      position = static_cast<std::int32_t>(k);
    }
  }
  return position;
}

/// The same for fp32 and fp64: first the best value, then where it is for the first time.
template <class Better, class T>
std::int32_t best_of_float_row(const T* x, std::size_t n) {
  using V = Lanes<T>;
  using Order = typename Better::Order;
  const std::size_t whole = n - (n % V::kCount);
  T best = x[0];
  if (whole != 0) {
    V bests = V::load(x);
    for (std::size_t k = V::kCount; k < whole; k += V::kCount) {
      bests = Order::apply(bests, V::load(x + k));
    }
    for (std::size_t j = 0; j < V::kCount; ++j) {
      best = Order::apply(best, bests.v[j]);
    }
  }
  for (std::size_t k = whole; k < n; ++k) {
    best = Order::apply(best, x[k]);
  }
  std::size_t k = 0;
  while (k < whole && !any(V::load(x + k) == splat(V{}, best))) {
    k += V::kCount;
  }
  while (k < n && x[k] != best) {
    ++k;
  }
  return k < n ? static_cast<std::int32_t>(k) : 0;
}

/// Positions for `columns` ≤ 16 neighbouring columns of a matrix whose rows are `inner` elements
/// apart.
template <class Better, class Read, class T>
void best_of_columns(std::int32_t* positions, const T* x, std::size_t n, std::size_t inner,
                     std::size_t columns) {
  using V = decltype(Read::read(T{}));
  Contest<Better, V> race;
  T row[Contest<Better, V>::kCount] = {};
  for (std::size_t k = 0; k < n; ++k) {
    std::memcpy(row, x + (k * inner), columns * sizeof(T));
    if (k == 0) {
      for (std::size_t j = 0; j < race.kCount; ++j) {
        race.best[j] = Read::read(row[j]);
        race.position[j] = 0;
      }
    } else {
      race.template meet<Read>(row, static_cast<std::int32_t>(k), 0);
    }
  }
  std::memcpy(positions, race.position, columns * sizeof *positions);
}

template <class Better, class Read, class T>
void arg_reduce_axis(void* values, std::int32_t* positions, const void* in, const AxisView& view) {
  constexpr std::size_t kColumns = 16;
  const T* x = static_cast<const T*>(in);
  T* best = static_cast<T*>(values);
  const std::size_t inner = view.inner;
  for (std::size_t o = 0; o < view.outer; ++o) {
    if (inner == 1) {
      if constexpr (kIsFloat<T>) {
        positions[o] = best_of_float_row<Better>(x, view.length);
      } else {
        positions[o] = best_of_row<Better, Read>(x, view.length);
      }
    } else {
      for (std::size_t c = 0; c < inner; c += kColumns) {
        const std::size_t columns = inner - c < kColumns ? inner - c : kColumns;
        best_of_columns<Better, Read>(positions + (o * inner) + c, x + c, view.length, inner,
                                      columns);
      }
    }
    for (std::size_t c = 0; best != nullptr && c < inner; ++c) {
      const auto row = static_cast<std::size_t>(positions[(o * inner) + c]);
      best[(o * inner) + c] = x[(row * inner) + c];
    }
    x += view.length * inner;
  }
}

// ---- the table ----

struct TypeRows {
  KernelTables& tables;
  Scalar dtype;

  void set(ReduceOp op, ReduceFn fn) const {
    tables.reduce[static_cast<int>(op)][index_of(dtype)] = fn;
  }

  void set(ArgReduceOp op, ArgReduceFn fn) const {
    tables.arg_reduce[static_cast<int>(op)][index_of(dtype)] = fn;
  }
};

template <class T>
void fill_order(const TypeRows& rows) {
  rows.set(ReduceOp::Max, reduce_axis<Maximum, T>);
  rows.set(ReduceOp::Min, reduce_axis<Minimum, T>);
  rows.set(ReduceOp::MaxNan, reduce_axis<Maximum, T>);
  rows.set(ReduceOp::MinNan, reduce_axis<Minimum, T>);
  rows.set(ArgReduceOp::ArgMax, arg_reduce_axis<Greater, AsItIs, T>);
  rows.set(ArgReduceOp::ArgMin, arg_reduce_axis<Less, AsItIs, T>);
}

template <class T>
void fill_integer(KernelTables& tables, Scalar dtype) {
  using U = UnsignedOf<T>;
  const TypeRows rows{tables, dtype};
  fill_order<T>(rows);
  rows.set(ReduceOp::Sum, reduce_axis<Add, U>);
  rows.set(ReduceOp::Prod, reduce_axis<Mul, U>);
  rows.set(ReduceOp::And, reduce_axis<And, U>);
  rows.set(ReduceOp::Or, reduce_axis<Or, U>);
  rows.set(ReduceOp::Xor, reduce_axis<Xor, U>);
}

template <class T>
void fill_float(KernelTables& tables, Scalar dtype) {
  const TypeRows rows{tables, dtype};
  fill_order<T>(rows);
  rows.set(ReduceOp::Sum, reduce_axis<Add, T>);
  rows.set(ReduceOp::Prod, reduce_axis<Mul, T>);
  rows.set(ReduceOp::MaxNan, reduce_axis<MaximumNan, T>);
  rows.set(ReduceOp::MinNan, reduce_axis<MinimumNan, T>);
}

template <Scalar H>
void fill_half_type(KernelTables& tables) {
  using U = std::uint16_t;
  const TypeRows rows{tables, H};
  rows.set(ReduceOp::Sum, reduce_half_axis<H, Add>);
  rows.set(ReduceOp::Prod, reduce_half_axis<H, Mul>);
  rows.set(ReduceOp::Max, reduce_half_axis<H, Maximum>);
  rows.set(ReduceOp::Min, reduce_half_axis<H, Minimum>);
  rows.set(ReduceOp::MaxNan, reduce_half_axis<H, MaximumNan>);
  rows.set(ReduceOp::MinNan, reduce_half_axis<H, MinimumNan>);
  rows.set(ArgReduceOp::ArgMax, arg_reduce_axis<Greater, AsFloat<H>, U>);
  rows.set(ArgReduceOp::ArgMin, arg_reduce_axis<Less, AsFloat<H>, U>);
}

}  // namespace

void fill_reduce(KernelTables& tables) {
  fill_integer<std::uint8_t>(tables, Scalar::I1);
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
  fill_half_type<Scalar::F16>(tables);
  fill_half_type<Scalar::BF16>(tables);
  const TypeRows bits{tables, Scalar::I1};
  bits.set(ReduceOp::Sum, reduce_axis<Xor, std::uint8_t>);
  bits.set(ReduceOp::Prod, reduce_axis<And, std::uint8_t>);
}

}  // namespace tilery::interpreter::TILERY_ISA
