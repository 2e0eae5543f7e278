// The kernel library against float64 arithmetic on the very inputs that the kernels read, over
// shapes that divide into tiles and shapes that do not. Tolerances are small multiples of the unit
// roundoff of the output type, grown by the length of the sums.
#include "tests/kernels/kernel_fixture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace tilery::testing {
namespace {

std::int64_t next_power_of_two(std::int64_t n) {
  std::int64_t p = 1;
  while (p < n) {
    p *= 2;
  }
  return p;
}

std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

struct RowsCase {
  std::int64_t rows, columns;
  DType dtype;
};

class RowKernels : public ::testing::TestWithParam<RowsCase> {
 protected:
  [[nodiscard]] Buffer input(double scale, std::uint32_t seed) const {
    const auto [rows, columns, dtype] = GetParam();
    return buffer_of(dtype, {rows, columns},
                     random_numbers(static_cast<std::size_t>(rows * columns), scale, seed));
  }

  [[nodiscard]] double tolerance() const { return 8 * unit_roundoff(GetParam().dtype); }
};

TEST_P(RowKernels, row_sum_max) {
  const auto [rows, columns, dtype] = GetParam();
  const Buffer x = input(3, 1);
  Buffer sums = output(DType::F32, {rows});
  Buffer maxes = output(DType::F32, {rows});
  run_kernel("row_sum_max.tl", "row_sum_max_kernel", {rows},
             {{"x_ptr", x},
              {"sum_ptr", sums},
              {"max_ptr", maxes},
              {"stride_row", columns},
              {"N", columns},
              {"BLOCK_N", next_power_of_two(columns)}});
  const std::vector<double> v = numbers_of(x);
  std::vector<double> want_sum;
  std::vector<double> want_max;
  double magnitude = 0;
  for (auto row = v.begin(); row != v.end(); row += columns) {
    double sum = 0;
    double sum_abs = 0;
    for (auto it = row; it != row + columns; ++it) {
      sum += *it;
      sum_abs += std::abs(*it);
    }
    want_sum.push_back(sum);
    want_max.push_back(*std::max_element(row, row + columns));
    magnitude = std::max(magnitude, sum_abs);
  }
  // A sum in a narrow type rounds log2(n) times along the tree.
  expect_near(sums, want_sum, 0, magnitude * 12 * unit_roundoff(dtype));
  expect_near(maxes, want_max, 0);
}

/// These kernels take exp of what they load, which must be fp32.
class Fp32RowKernels : public RowKernels {};

TEST_P(Fp32RowKernels, softmaxes) {
  const auto [rows, columns, dtype] = GetParam();
  // The inputs span 28, so rounding x - max moves exp(x - max) by up to 28 * 2^-24 = 1.7e-6 of
  // itself; the rescaling of the online form rounds once more a chunk.
  const Buffer x = input(4, 2);
  const std::vector<double> want = softmax_rows(numbers_of(x), static_cast<std::size_t>(columns));
  for (const std::string name : {"naive_softmax", "stable_softmax"}) {
    Buffer out = output(dtype, {rows, columns});
    run_kernel(name + ".tl", name + "_kernel", {rows},
               {{"x_ptr", x},
                {"out_ptr", out},
                {"stride_row", columns},
                {"N", columns},
                {"BLOCK_N", next_power_of_two(columns)}});
    expect_near(out, want, 2.5e-6);
  }
  for (const std::int64_t block : {4, 16, 64}) {
    Buffer out = output(dtype, {rows, columns});
    run_kernel("online_softmax.tl", "online_softmax_kernel", {rows},
               {{"x_ptr", x},
                {"out_ptr", out},
                {"stride_row", columns},
                {"N", columns},
                {"BLOCK_N", block},
                {"NUM_CHUNKS", ceil_div(columns, block)}});
    expect_near(out, want, 4e-6);
  }
}

TEST_P(RowKernels, layernorm) {
  const auto [rows, columns, dtype] = GetParam();
  const Buffer x = input(2, 3);
  const auto n = static_cast<std::size_t>(columns);
  const Buffer w = buffer_of(dtype, {columns}, random_numbers(n, 1, 4));
  const Buffer b = buffer_of(dtype, {columns}, random_numbers(n, 1, 5));
  Buffer out = output(dtype, {rows, columns});
  Buffer mean = output(DType::F32, {rows});
  Buffer rstd = output(DType::F32, {rows});
  run_kernel("layernorm.tl", "layernorm_kernel", {rows},
             {{"x_ptr", x},
              {"w_ptr", w},
              {"b_ptr", b},
              {"out_ptr", out},
              {"mean_ptr", mean},
              {"rstd_ptr", rstd},
              {"stride_row", columns},
              {"N", columns},
              {"eps", 1e-5},
              {"BLOCK_N", next_power_of_two(columns)}});
  const std::vector<double> v = numbers_of(x);
  std::vector<double> want;
  std::vector<double> want_mean;
  for (auto row = v.begin(); row != v.end(); row += columns) {
    double m = 0;
    double var = 0;
    for (auto it = row; it != row + columns; ++it) {
      m += *it / static_cast<double>(n);
    }
    for (auto it = row; it != row + columns; ++it) {
      var += (*it - m) * (*it - m) / static_cast<double>(n);
    }
    want_mean.push_back(m);
    for (std::size_t j = 0; j < n; ++j) {
      want.push_back((row[static_cast<std::ptrdiff_t>(j)] - m) /
                         std::sqrt(var + static_cast<float>(1e-5)) *
                         w.number(static_cast<std::int64_t>(j)) +
                     b.number(static_cast<std::int64_t>(j)));
    }
  }
  // Cancellation between the two terms is bounded by their size, about 4.
  expect_near(out, want, tolerance(), 1e-5);
  expect_near(mean, want_mean, 1e-6, 1e-6);
}

TEST_P(RowKernels, rmsnorm) {
  const auto [rows, columns, dtype] = GetParam();
  const Buffer x = input(2, 6);
  const auto n = static_cast<std::size_t>(columns);
  const Buffer w = buffer_of(dtype, {columns}, random_numbers(n, 1, 7));
  for (const std::int64_t block : {8, 64}) {
    Buffer out = output(dtype, {rows, columns});
    Buffer rstd = output(DType::F32, {rows});
    run_kernel("rmsnorm.tl", "rmsnorm_kernel", {rows},
               {{"x_ptr", x},
                {"w_ptr", w},
                {"out_ptr", out},
                {"rstd_ptr", rstd},
                {"stride_row", columns},
                {"N", columns},
                {"eps", 1e-6},
                {"BLOCK_N", block}});
    const std::vector<double> v = numbers_of(x);
    std::vector<double> want;
    for (auto row = v.begin(); row != v.end(); row += columns) {
      double squares = 0;
      for (auto it = row; it != row + columns; ++it) {
        squares += *it * *it;
      }
      const double scale =
          1 / std::sqrt(squares / static_cast<double>(n) + static_cast<float>(1e-6));
      for (std::size_t j = 0; j < n; ++j) {
        want.push_back(row[static_cast<std::ptrdiff_t>(j)] * scale *
                       w.number(static_cast<std::int64_t>(j)));
      }
    }
    expect_near(out, want, tolerance());
  }
}

TEST_P(RowKernels, cross_entropy) {
  const auto [rows, columns, dtype] = GetParam();
  constexpr std::int64_t kIgnore = -100;
  const Buffer x = input(5, 8);
  std::vector<double> targets;
  for (std::int64_t i = 0; i < rows; ++i) {
    targets.push_back(static_cast<double>(i % 3 == 2 ? kIgnore : (i * 7) % columns));
  }
  Buffer loss = output(DType::F32, {rows});
  Buffer lse = output(DType::F32, {rows});
  run_kernel("cross_entropy.tl", "cross_entropy_kernel", {rows},
             {{"logits_ptr", x},
              {"target_ptr", buffer_of(DType::I64, {rows}, targets)},
              {"loss_ptr", loss},
              {"lse_ptr", lse},
              {"stride_row", columns},
              {"N", columns},
              {"IGNORE", kIgnore},
              {"BLOCK_N", 32}});
  const std::vector<double> v = numbers_of(x);
  std::vector<double> want;
  std::vector<double> want_lse;
  for (std::int64_t i = 0; i < rows; ++i) {
    const double* row = v.data() + i * columns;
    const double top = *std::max_element(row, row + columns);
    double total = 0;
    for (std::int64_t j = 0; j < columns; ++j) {
      total += std::exp(row[j] - top);
    }
    want_lse.push_back(top + std::log(total));
    const double target = targets[static_cast<std::size_t>(i)];
    want.push_back(target == kIgnore ? 0
                                     : want_lse.back() - row[static_cast<std::int64_t>(target)]);
  }
  expect_near(lse, want_lse, 1e-6, 1e-6);
  expect_near(loss, want, 1e-6, 5e-6);
}

INSTANTIATE_TEST_SUITE_P(Shapes, RowKernels,
                         ::testing::Values(RowsCase{4, 64, DType::F32},
                                           RowsCase{7, 100, DType::F32}, RowsCase{3, 1, DType::F32},
                                           RowsCase{5, 37, DType::BF16},
                                           RowsCase{2, 128, DType::F16},
                                           RowsCase{1, 1000, DType::F32}));

INSTANTIATE_TEST_SUITE_P(Shapes, Fp32RowKernels,
                         ::testing::Values(RowsCase{4, 64, DType::F32},
                                           RowsCase{7, 100, DType::F32}, RowsCase{3, 1, DType::F32},
                                           RowsCase{1, 1000, DType::F32}));

TEST(VectorAdd, all_types_and_ragged_ends) {
  for (const DType dtype :
       {DType::F32, DType::F16, DType::BF16, DType::I32, DType::U8, DType::F64}) {
    for (const std::int64_t n : {1, 64, 1000}) {
      std::vector<double> a;
      std::vector<double> b;
      std::vector<double> want;
      for (std::int64_t i = 0; i < n; ++i) {
        a.push_back(static_cast<double>(i % 50));
        b.push_back(static_cast<double>((i * 7) % 60));
        want.push_back(a.back() + b.back());
      }
      Buffer out = output(dtype, {n});
      run_kernel("vector_add.tl", "vector_add", {ceil_div(n, 64)},
                 {{"x_ptr", buffer_of(dtype, {n}, a)},
                  {"y_ptr", buffer_of(dtype, {n}, b)},
                  {"out_ptr", out},
                  {"n", n},
                  {"BLOCK", 64}});
      EXPECT_EQ(numbers_of(out), want) << name(dtype) << " " << n;
    }
  }
}

struct MatmulCase {
  std::int64_t m, n, k;
  DType dtype;
  bool b_transposed;
};

class Matmul : public ::testing::TestWithParam<MatmulCase> {};

TEST_P(Matmul, matches_float64) {
  const auto [m, n, k, dtype, b_transposed] = GetParam();
  const Buffer a = buffer_of(dtype, {m, k}, random_numbers(static_cast<std::size_t>(m * k), 1, 11));
  const Buffer b = buffer_of(dtype, {k, n}, random_numbers(static_cast<std::size_t>(k * n), 1, 12));
  Buffer c = output(DType::F32, {m, n});
  const std::int64_t block = 16;
  const std::int64_t stride_bk = b_transposed ? 1 : n;
  const std::int64_t stride_bn = b_transposed ? k : 1;
  run_kernel("matmul.tl", "matmul_kernel", {ceil_div(m, block) * ceil_div(n, block)},
             {{"a_ptr", a},
              {"b_ptr", b},
              {"c_ptr", c},
              {"M", m},
              {"N", n},
              {"K", k},
              {"stride_am", k},
              {"stride_ak", 1},
              {"stride_bk", stride_bk},
              {"stride_bn", stride_bn},
              {"stride_cm", n},
              {"stride_cn", 1},
              {"BLOCK_M", block},
              {"BLOCK_N", block},
              {"BLOCK_K", 16},
              {"GROUP_M", 2},
              {"PRECISION", "ieee"}});
  const std::vector<double> av = numbers_of(a);
  const std::vector<double> bv = numbers_of(b);
  std::vector<double> want;
  double magnitude = 0;
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      double sum = 0;
      double sum_abs = 0;
      for (std::int64_t l = 0; l < k; ++l) {
        const double product = av[static_cast<std::size_t>(i * k + l)] *
                               bv[static_cast<std::size_t>(l * stride_bk + j * stride_bn)];
        sum += product;
        sum_abs += std::abs(product);
      }
      want.push_back(sum);
      magnitude = std::max(magnitude, sum_abs);
    }
  }
  // The bound of docs/semantics.md for a dot: K * 2^-24 * sum of |a * b|.
  expect_near(c, want, 0, static_cast<double>(k) * 0x1p-24 * magnitude);
}

INSTANTIATE_TEST_SUITE_P(Shapes, Matmul,
                         ::testing::Values(MatmulCase{32, 48, 64, DType::F32, false},
                                           MatmulCase{17, 5, 33, DType::F32, false},
                                           MatmulCase{40, 40, 40, DType::F32, true},
                                           MatmulCase{33, 20, 50, DType::F16, false},
                                           MatmulCase{16, 31, 7, DType::BF16, true},
                                           MatmulCase{1, 1, 1, DType::F32, false}));

struct AttentionCase {
  std::int64_t batch, heads, sequence, dim;
  bool causal;
  DType dtype;
};

class Attention : public ::testing::TestWithParam<AttentionCase> {};

TEST_P(Attention, matches_float64) {
  const auto [z, h, s, d, causal, dtype] = GetParam();
  const auto count = static_cast<std::size_t>(z * h * s * d);
  const Extents shape = {z, h, s, d};
  const Buffer q = buffer_of(dtype, shape, random_numbers(count, 1, 21));
  const Buffer k = buffer_of(dtype, shape, random_numbers(count, 1, 22));
  const Buffer v = buffer_of(dtype, shape, random_numbers(count, 1, 23));
  Buffer out = output(dtype, shape);
  Buffer lse = output(DType::F32, {z * h, s});
  const double scale = 1 / std::sqrt(static_cast<double>(d));
  run_kernel("flash_attention.tl", "flash_attention_kernel", {ceil_div(s, 16), z * h},
             {{"q_ptr", q},
              {"k_ptr", k},
              {"v_ptr", v},
              {"out_ptr", out},
              {"lse_ptr", lse},
              {"scale", scale},
              {"stride_z", h * s * d},
              {"stride_h", s * d},
              {"stride_s", d},
              {"H", h},
              {"S", s},
              {"D", d},
              {"BLOCK_M", 16},
              {"BLOCK_N", 32},
              {"CAUSAL", causal},
              {"PRECISION", "ieee"}});
  const std::vector<double> qv = numbers_of(q);
  const std::vector<double> kv = numbers_of(k);
  const std::vector<double> vv = numbers_of(v);
  std::vector<double> want(count);
  std::vector<double> want_lse;
  for (std::int64_t head = 0; head < z * h; ++head) {
    for (std::int64_t i = 0; i < s; ++i) {
      const auto row = [&](std::int64_t r) { return static_cast<std::size_t>((head * s + r) * d); };
      const std::int64_t visible = causal ? i + 1 : s;
      std::vector<double> score(static_cast<std::size_t>(visible), 0.0);
      for (std::size_t j = 0; j < score.size(); ++j) {
        for (std::size_t c = 0; c < static_cast<std::size_t>(d); ++c) {
          score[j] += qv[row(i) + c] * kv[row(static_cast<std::int64_t>(j)) + c] * scale;
        }
      }
      const double top = *std::max_element(score.begin(), score.end());
      double total = 0;
      for (double& w : score) {
        w = std::exp(w - top);
        total += w;
      }
      want_lse.push_back(top + std::log(total));
      for (std::size_t c = 0; c < static_cast<std::size_t>(d); ++c) {
        for (std::size_t j = 0; j < score.size(); ++j) {
          want[row(i) + c] += score[j] / total * vv[row(static_cast<std::int64_t>(j)) + c];
        }
      }
    }
  }
  // The weights are rounded to the element type before the second dot.
  expect_near(out, want, 4 * unit_roundoff(dtype), 8 * unit_roundoff(dtype));
  expect_near(lse, want_lse, 2e-6, 2e-6);
}

INSTANTIATE_TEST_SUITE_P(Shapes, Attention,
                         ::testing::Values(AttentionCase{1, 2, 64, 16, false, DType::F32},
                                           AttentionCase{2, 1, 64, 16, true, DType::F32},
                                           AttentionCase{1, 1, 37, 8, false, DType::F32},
                                           AttentionCase{1, 2, 50, 32, true, DType::F32},
                                           AttentionCase{1, 1, 48, 16, true, DType::F16},
                                           AttentionCase{1, 1, 33, 16, false, DType::BF16}));

}  // namespace
}  // namespace tilery::testing
