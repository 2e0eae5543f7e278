// The number of warps by the tiles, against the rules of choose_warps.h worked out by hand.
#include "codegen/passes/choose_warps.h"

#include "tests/support/ir_text.h"
#include "tests/support/lowered_kernel.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace tilery::codegen {
namespace {

/// Loads n numbers and stores them again, or their sum.
Function row(std::int64_t n, bool reduces) {
  const std::string use = reduces ? R"(
  %y = reduce %x axis=0 : f32 {
  combine(%a: f32, %b: f32):
    %c = add %a, %b : f32
    yield %c
  }
  store %p, %y)"
                                  : "\n  store %ptrs, %x";
  return testing::read_ir(fmt::format(R"(func @f(%p: *f32) {{
  %cols = arange start=0 end={0} : i32[{0}]
  %ps = splat %p : *f32[{0}]
  %ptrs = addptr %ps, %cols : *f32[{0}]
  %x = load %ptrs : f32[{0}]{1}
}})",
                                      n, use));
}

Function dot(int m, int n) {
  return testing::read_ir(fmt::format(R"(func @f(%p: *f32) {{
  %a = constant 1.0 : f16[{0}, 32]
  %b = constant 1.0 : f16[32, {1}]
  %c = constant 0.0 : f32[{0}, {1}]
  %d = dot %a, %b, %c : f32[{0}, {1}]
}})",
                                      m, n));
}

int chosen(const Function& function) {
  return choose_warps(function, {}).num_warps;
}

TEST(ChooseWarps, reductions_use_one_warp_to_1024_and_few_warps_above) {
  EXPECT_EQ(chosen(row(64, true)), 1);
  EXPECT_EQ(chosen(row(1024, true)), 1);
  EXPECT_EQ(chosen(row(2048, true)), 4);
  EXPECT_EQ(chosen(row(4096, true)), 8);
  // 64 elements a thread by 8 warps and by 16, then 128.
  EXPECT_EQ(chosen(row(16384, true)), 8);
  EXPECT_EQ(chosen(row(32768, true)), 16);
  EXPECT_EQ(chosen(row(65536, true)), 16);
  EXPECT_EQ(chosen(row(131072, true)), 32);
}

TEST(ChooseWarps, element_wise_work_uses_8_elements_a_thread_to_4_warps) {
  EXPECT_EQ(chosen(row(128, false)), 1);
  EXPECT_EQ(chosen(row(512, false)), 2);
  EXPECT_EQ(chosen(row(1024, false)), 4);
  EXPECT_EQ(chosen(row(4096, false)), 4);
  EXPECT_EQ(chosen(row(16384, false)), 16);
  EXPECT_EQ(chosen(row(65536, false)), 32);
}

TEST(ChooseWarps, odd_sizes_round_down_to_a_power_of_two) {
  // 3000 / (16 · 32) = 5.9
  EXPECT_EQ(chosen(row(3000, true)), 4);
  EXPECT_EQ(chosen(row(7, false)), 1);
}

TEST(ChooseWarps, dots_by_their_accumulator) {
  EXPECT_EQ(chosen(dot(16, 16)), 1);
  EXPECT_EQ(chosen(dot(32, 32)), 2);
  EXPECT_EQ(chosen(dot(64, 64)), 4);
  EXPECT_EQ(chosen(dot(128, 64)), 4);
  EXPECT_EQ(chosen(dot(128, 128)), 8);
}

TEST(ChooseWarps, a_thread_holds_at_most_128_elements) {
  // 256 · 256 / (8 · 32) = 256
  EXPECT_EQ(chosen(dot(256, 256)), 16);
  EXPECT_EQ(chosen(row(1 << 20, false)), 32);
}

TEST(ChooseWarps, the_authors_number_counts) {
  for (const int n : {1, 2, 4, 32}) {
    const WarpChoice choice = choose_warps(row(4096, true), n);
    EXPECT_EQ(choice.num_warps, n);
    EXPECT_EQ(choice.note, "");
    EXPECT_EQ(choice.why, "the launch asks for " + std::to_string(n));
  }
}

TEST(ChooseWarps, tells_the_rule_that_it_followed) {
  EXPECT_EQ(choose_warps(row(1024, true), {}).why,
            "one warp reduces or scans the largest tile, 1024 elements, without a barrier");
  // 4096 / (16 · 32) = 8 warps
  EXPECT_EQ(choose_warps(row(4096, true), {}).why,
            "16 elements of the largest tile, 4096, in each thread, as it is reduced or scanned");
}

TEST(ChooseWarps, the_authors_number_is_raised_with_a_note) {
  const WarpChoice choice = choose_warps(row(65536, true), 4);
  EXPECT_EQ(choice.num_warps, 16);
  EXPECT_EQ(
      choice.note,
      "num_warps raised from 4 to 16: a tile of 65536 elements would put 512 into each thread");
}

TEST(ChooseWarps, the_note_is_in_the_layout_text) {
  CodegenOptions options;
  options.num_warps = 4;
  const auto gpu = lower_to_gpu(row(65536, true), Target{}, options);
  ASSERT_TRUE(gpu);
  EXPECT_NE(print_gpu(*gpu).find("// sm_80, 16 warps"), std::string::npos);
  EXPECT_NE(print_gpu(*gpu).find("// num_warps raised from 4 to 16"), std::string::npos);
}

TEST(ChooseWarps, a_number_that_is_none_is_refused) {
  for (const int n : {0, 3, 64, -4}) {
    CodegenOptions options;
    options.num_warps = n;
    const auto gpu = lower_to_gpu(row(64, true), Target{}, options);
    ASSERT_FALSE(gpu);
    EXPECT_EQ(gpu.error().message,
              fmt::format("num_warps={}: a power of two from 1 to 32 is needed", n));
  }
}

}  // namespace
}  // namespace tilery::codegen
