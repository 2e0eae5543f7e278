// What the chapter on reduction kernels claims, claim by claim.
#include "tests/kernels/kernel_fixture.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tilery::testing {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// One row through a one-tile softmax kernel.
Buffer one_tile(const std::string& kernel, const std::vector<double>& row, std::int64_t block,
                const std::vector<std::string>& messages = {}) {
  const auto n = static_cast<std::int64_t>(row.size());
  Buffer out = output(DType::F32, {1, n});
  run_kernel(kernel + ".tl", kernel + "_kernel", {1},
             {{"x_ptr", buffer_of(DType::F32, {1, n}, row)},
              {"out_ptr", out},
              {"stride_row", n},
              {"N", n},
              {"BLOCK_N", block}},
             messages);
  return out;
}

Buffer online(const std::vector<double>& row, std::int64_t block, std::int64_t chunks) {
  const auto n = static_cast<std::int64_t>(row.size());
  Buffer out = output(DType::F32, {1, n});
  run_kernel("online_softmax.tl", "online_softmax_kernel", {1},
             {{"x_ptr", buffer_of(DType::F32, {1, n}, row)},
              {"out_ptr", out},
              {"stride_row", n},
              {"N", n},
              {"BLOCK_N", block},
              {"NUM_CHUNKS", chunks}});
  return out;
}

TEST(Chapter, row_sums_and_maxes_are_exact) {
  const std::vector<double> rows = {1,  5,  2, 0, 3, -1, -2, -1, -3, -4, 0, 1,
                                    10, 20, 5, 0, 0, 0,  0,  0,  0,  0,  0, 0};
  Buffer sums = output(DType::F32, {4});
  Buffer maxes = output(DType::F32, {4});
  run_kernel("row_sum_max.tl", "row_sum_max_kernel", {4},
             {{"x_ptr", buffer_of(DType::F32, {4, 6}, rows)},
              {"sum_ptr", sums},
              {"max_ptr", maxes},
              {"stride_row", 6},
              {"N", 6},
              {"BLOCK_N", 8}});
  EXPECT_EQ(numbers_of(sums), (std::vector<double>{10, -9, 35, 0}));
  EXPECT_EQ(numbers_of(maxes), (std::vector<double>{5, 1, 20, 0}));
}

TEST(Chapter, naive_and_stable_agree_on_ordinary_values) {
  const std::vector<double> row = {1, 2, 3, 0.5};
  expect_near(one_tile("naive_softmax", row, 8), softmax_rows(row, 4), 0, 1e-6);
  expect_near(one_tile("stable_softmax", row, 8), softmax_rows(row, 4), 0, 1e-6);
}

TEST(Chapter, naive_overflows_with_exactly_two_warnings) {
  const Buffer out =
      one_tile("naive_softmax", {100, 101, 50, 0}, 8,
               {"overflow encountered in exp", "invalid value encountered in divide"});
  expect_near(out, {kNaN, kNaN, 0, 0}, 0);
}

TEST(Chapter, stable_is_right_on_large_values_down_to_the_subnormal) {
  const std::vector<double> row = {100, 101, 50, 0};
  const Buffer out = one_tile("stable_softmax", row, 8);
  expect_near(out, softmax_rows(row, 4), 1e-6, 1e-45);
  // exp(-101) / 1.3678… = 1.0006e-44 in float64, which is 7 units of the smallest fp32 number.
  EXPECT_FLOAT_EQ(static_cast<float>(out.number(3)), 9.80908925027372e-45F);
}

TEST(Chapter, online_matches_over_three_chunks) {
  const std::vector<double> row = {3, 1, 0.5, -2, 4, 0, -1, 2, 5, -3};
  expect_near(online(row, 4, 3), softmax_rows(row, 10), 1e-6);
}

TEST(Chapter, online_matches_with_large_values) {
  const std::vector<double> row = {100, 50, 101, 0, 99, -5, 100.5, 20, 0, 0};
  expect_near(online(row, 4, 3), softmax_rows(row, 10), 1e-6, 1e-44);
}

}  // namespace
}  // namespace tilery::testing
