#include "tests/unit/interpreter/kernel_reference.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tilery::interpreter {
namespace {

const std::vector<DotShape>& shapes() {
  static const std::vector<DotShape> all = {
      {1, 1, 1, 1},   {1, 1, 1, 7},  {1, 3, 5, 2},    {2, 16, 16, 16}, {1, 64, 64, 32},
      {1, 9, 33, 17}, {3, 4, 20, 8}, {1, 13, 100, 3}, {1, 8, 8, 64},   {1, 5, 47, 0},
  };
  return all;
}

template <class T>
std::vector<T> floats(std::size_t n, unsigned seed) {
  std::mt19937 generator(seed);
  std::vector<T> values(n);
  for (T& value : values) {
    value = static_cast<T>(std::ldexp(static_cast<double>(generator()), -32) - 0.5);
  }
  return values;
}

/// Runs the kernel on operands of cell type C and results of type R, with and without an
/// accumulator.
template <class C, class R, class Chain>
void expect_dot(Scalar operand, Scalar out, DotPrecision precision, const std::vector<C>& a_cells,
                const std::vector<C>& b_cells, const std::vector<R>& acc_cells, Chain chain) {
  for (const Kernels* set : all_levels()) {
    const DotFn dot = set->dot(operand, out, precision);
    ASSERT_NE(dot, nullptr);
    for (const DotShape& shape : shapes()) {
      std::vector<std::byte> scratch(dot_scratch_bytes(operand, out, shape));
      for (const bool has_acc : {false, true}) {
        std::vector<R> result = acc_cells;
        dot(result.data(), has_acc ? result.data() : nullptr, a_cells.data(), b_cells.data(), shape,
            scratch.data());
        for (std::size_t at = 0; at < shape.batch * shape.m * shape.n; ++at) {
          const std::size_t row = at / shape.n;
          const std::size_t batch = row / shape.m;
          const C* a = a_cells.data() + (row * shape.k);
          const C* b = b_cells.data() + (batch * shape.k * shape.n) + (at % shape.n);
          const R want = chain(has_acc ? acc_cells[at] : R(0), a, b, shape);
          ASSERT_TRUE(is_same_number(result[at], want))
              << set->isa << " m=" << shape.m << " n=" << shape.n << " k=" << shape.k << " at "
              << at << ": " << +result[at] << ", not " << +want;
        }
      }
    }
  }
}

constexpr std::size_t kCells = 8192;

TEST(KernelDotTest, Fp32IsOneFusedChain) {
  expect_dot(Scalar::F32, Scalar::F32, DotPrecision::Ieee, floats<float>(kCells, 1),
             floats<float>(kCells, 2), floats<float>(kCells, 3),
             [](float sum, const float* a, const float* b, const DotShape& shape) {
               for (std::size_t k = 0; k < shape.k; ++k) {
                 sum = std::fma(a[k], b[k * shape.n], sum);
               }
               return sum;
             });
}

TEST(KernelDotTest, Fp64IsOneFusedChain) {
  expect_dot(Scalar::F64, Scalar::F64, DotPrecision::Ieee, floats<double>(kCells, 1),
             floats<double>(kCells, 2), floats<double>(kCells, 3),
             [](double sum, const double* a, const double* b, const DotShape& shape) {
               for (std::size_t k = 0; k < shape.k; ++k) {
                 sum = std::fma(a[k], b[k * shape.n], sum);
               }
               return sum;
             });
}

/// To 11 significant bits, ties away from zero.
float to_tf32(float x) {
  if (x == 0.0F) {
    return x;
  }
  const int exponent = std::ilogb(x);
  return static_cast<float>(
      std::ldexp(std::round(std::ldexp(static_cast<double>(x), 10 - exponent)), exponent - 10));
}

TEST(KernelDotTest, Tf32RoundsItsOperandsToTenBits) {
  EXPECT_EQ(to_tf32(1.0F + 0x1p-11F), 1.0F + 0x1p-10F);  // the reference: a tie goes away from zero
  std::vector<float> a = floats<float>(kCells, 4);
  a[0] = 1.0F + 0x1p-11F;
  a[1] = -1.0F - 0x1p-11F;
  expect_dot(Scalar::F32, Scalar::F32, DotPrecision::Tf32, a, floats<float>(kCells, 5),
             floats<float>(kCells, 6),
             [](float sum, const float* x, const float* y, const DotShape& shape) {
               for (std::size_t k = 0; k < shape.k; ++k) {
                 sum = std::fma(to_tf32(x[k]), to_tf32(y[k * shape.n]), sum);
               }
               return sum;
             });
}

template <class C>
std::vector<C> codes(const SmallFormat& format, std::size_t n, unsigned seed) {
  std::vector<C> cells(n);
  const std::vector<double> values = floats<double>(n, seed);
  for (std::size_t i = 0; i < n; ++i) {
    cells[i] = static_cast<C>(code_of_value(format, values[i]));
  }
  return cells;
}

template <class C>
void expect_small_operands(Scalar operand) {
  const SmallFormat& format = small_format(operand);
  const auto chain = [&](float sum, const C* a, const C* b, const DotShape& shape) {
    for (std::size_t k = 0; k < shape.k; ++k) {
      sum = std::fma(static_cast<float>(value_of_code(format, a[k])),
                     static_cast<float>(value_of_code(format, b[k * shape.n])), sum);
    }
    return sum;
  };
  const std::vector<C> a = codes<C>(format, kCells, 7);
  const std::vector<C> b = codes<C>(format, kCells, 8);
  expect_dot(operand, Scalar::F32, DotPrecision::Ieee, a, b, floats<float>(kCells, 9), chain);
  if (operand == Scalar::BF16) {
    EXPECT_EQ(kernels().dot(operand, Scalar::F16, DotPrecision::Ieee), nullptr);
    return;
  }
  // An fp16 result is the fp32 chain from the fp16 accumulator, rounded once.
  const SmallFormat& half = small_format(Scalar::F16);
  expect_dot(operand, Scalar::F16, DotPrecision::Ieee, a, b, codes<std::uint16_t>(half, kCells, 10),
             [&](std::uint16_t sum, const C* x, const C* y, const DotShape& shape) {
               const float total = chain(static_cast<float>(value_of_code(half, sum)), x, y, shape);
               return static_cast<std::uint16_t>(code_of_value(half, static_cast<double>(total)));
             });
}

TEST(KernelDotTest, SmallFloatsAreExactProductsInFp32) {
  expect_small_operands<std::uint16_t>(Scalar::F16);
  expect_small_operands<std::uint16_t>(Scalar::BF16);
  expect_small_operands<std::uint8_t>(Scalar::F8E5);
  expect_small_operands<std::uint8_t>(Scalar::F8E4NV);
}

TEST(KernelDotTest, Int8IsExactAndInt32Wraps) {
  std::vector<std::int32_t> acc = interesting<std::int32_t>(kCells, 3);
  acc[0] = 2147483647;
  expect_dot(
      Scalar::I8, Scalar::I32, DotPrecision::Ieee, interesting<std::int8_t>(kCells, 1),
      interesting<std::int8_t>(kCells, 2), acc,
      [](std::int32_t start, const std::int8_t* a, const std::int8_t* b, const DotShape& shape) {
        std::int64_t sum = start;
        for (std::size_t k = 0; k < shape.k; ++k) {
          sum += std::int64_t{a[k]} * std::int64_t{b[k * shape.n]};
        }
        return static_cast<std::int32_t>(static_cast<std::uint64_t>(sum));
      });
}

}  // namespace
}  // namespace tilery::interpreter
