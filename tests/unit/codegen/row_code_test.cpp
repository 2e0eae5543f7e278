// What the code of row kernels costs, counted in PTX against hand calculations, and how registers
// are rationed.
#include "codegen/passes/choose_residency.h"
#include "tests/support/lowered_kernel.h"
#include "tests/unit/codegen/ptx_text.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace tilery::codegen {
namespace {

using testing::lowered_kernel;
using testing::lowered_text;

constexpr const char* kBf16Softmax =
    "x_ptr=*bf16/16 out_ptr=*bf16/16 stride_row=i32/16 N=i32/16 BLOCK_N=4096";

CodegenOptions warps(int n, GpuMath math = GpuMath::Fast) {
  CodegenOptions options;
  options.num_warps = n;
  options.math = math;
  return options;
}

TEST(RowCode, equal_elements_are_computed_once) {
  // 32 columns a thread in four vectors of 8, N a multiple of 16: four comparisons with N.
  const std::string ptx =
      ptx_of(lowered_kernel("kernels/stable_softmax.tl", kBf16Softmax, warps(4)));
  EXPECT_EQ(occurrences(ptx, "setp.lt.s32") + occurrences(ptx, "setp.ge.s32"), 4);
}

TEST(RowCode, elements_are_computed_one_by_one_where_nothing_is_known) {
  const std::string ptx = ptx_of(lowered_kernel(
      "kernels/stable_softmax.tl",
      "x_ptr=*bf16/16 out_ptr=*bf16/16 stride_row=i32/16 N=i32 BLOCK_N=4096", warps(4)));
  EXPECT_EQ(occurrences(ptx, "setp.lt.s32") + occurrences(ptx, "setp.ge.s32"), 32);
}

TEST(RowCode, one_test_for_many_exponentials_and_their_division) {
  const std::string ptx =
      ptx_of(lowered_kernel("kernels/stable_softmax.tl", kBf16Softmax, warps(4)));
  // 32 a thread: the common way and the rare one.
  EXPECT_EQ(occurrences(ptx, "ex2.approx.ftz.f32"), 32);
  EXPECT_EQ(occurrences(ptx, "ex2.approx.f32"), 32);
  // One reciprocal for the common way of the quotients, one for the rare one.
  EXPECT_EQ(occurrences(ptx, "rcp.approx.ftz.f32"), 1);
  EXPECT_EQ(occurrences(ptx, "rcp.approx.ftz.f64"), 1);
  EXPECT_EQ(occurrences(ptx, "div."), 0);
  // The quotients look at nothing but the divisor: no test of patterns, as below.
  EXPECT_EQ(occurrences(ptx, "min.u32"), 0);
}

TEST(RowCode, a_division_of_unknown_numbers_tests_them) {
  const std::string ptx = ptx_of(
      lowered_kernel("kernels/stable_softmax.tl", kBf16Softmax, warps(4, GpuMath::Reproducible)));
  EXPECT_EQ(occurrences(ptx, "ex2.approx"), 0);
  EXPECT_EQ(occurrences(ptx, "min.u32"), 31);
}

TEST(RowCode, a_loaded_bf16_becomes_fp32_in_one_instruction) {
  const std::string ptx = ptx_of(lowered_text(R"(
def k(x, y):
    i = tl.arange(0, 256)
    tl.store(y + i, tl.load(x + i, mask=i < 255).to(tl.float32) * 3.0)
)",
                                              "x=*bf16/16 y=*f32/16", warps(1)));
  // 8 a thread, one load each: the mask is not the same for a vector.
  EXPECT_EQ(occurrences(ptx, "shl.b32") + occurrences(ptx, "cvt.f32.bf16") >= 8, true);
  const std::string wide = ptx_of(lowered_text(R"(
def k(x, y, n):
    i = tl.arange(0, 256)
    tl.store(y + i, tl.load(x + i, mask=i < n).to(tl.float32) * 3.0, mask=i < n)
)",
                                               "x=*bf16/16 y=*f32/16 n=i32/16", warps(1)));
  // One vector of four words, each with two numbers: the lower halves shifted up, the upper masked.
  EXPECT_EQ(occurrences(wide, "-65536;"), 4);
  EXPECT_EQ(occurrences(wide, ", 16;"), 4);
}

// ---- registers ----

int blocks(const char* path, const std::string& signature, int num_warps) {
  return lowered_kernel(path, signature, warps(num_warps)).blocks_per_sm;
}

TEST(Residency, a_row_takes_its_words_and_forty_more) {
  // 65,536 registers of an SM: 32 + 40 for each of 128 threads, 64 + 40 of 256, 128 + 40 of 128.
  EXPECT_EQ(blocks("kernels/stable_softmax.tl", kBf16Softmax, 4), 7);
  const std::string wide = "x_ptr=*f32/16 out_ptr=*f32/16 stride_row=i32/16 N=i32/16 BLOCK_N=16384";
  EXPECT_EQ(blocks("kernels/stable_softmax.tl", wide, 8), 2);
  EXPECT_EQ(blocks("kernels/stable_softmax.tl", wide, 4), 3);
}

TEST(Residency, no_more_blocks_than_an_sm_holds) {
  // 65,536 / (1 + 40) / 32 would be 49.
  EXPECT_EQ(blocks("kernels/stable_softmax.tl",
                   "x_ptr=*f32/16 out_ptr=*f32/16 stride_row=i32 N=i32 BLOCK_N=8", 1),
            32);
}

TEST(Residency, tiles_alive_at_once_add_up) {
  const std::string narrow =
      "x_ptr=*bf16/16 w_ptr=*bf16/16 b_ptr=*bf16/16 out_ptr=*bf16/16 mean_ptr=*f32/16 "
      "rstd_ptr=*f32/16 stride_row=i32/16 N=i32/16 eps=f32 BLOCK_N=4096";
  // The centred row takes 32 words, weight and bias 16 each as they are loaded: 64, below 32 + 40.
  EXPECT_EQ(blocks("kernels/layernorm.tl", narrow, 4), 7);
  // In fp32, 16 a thread and 8 warps: 48 alive are more than twice the largest tile.
  const std::string full =
      "x_ptr=*f32/16 w_ptr=*f32/16 b_ptr=*f32/16 out_ptr=*f32/16 mean_ptr=*f32/16 "
      "rstd_ptr=*f32/16 stride_row=i32/16 N=i32/16 eps=f32 BLOCK_N=4096";
  EXPECT_EQ(blocks("kernels/layernorm.tl", full, 8), 1);
}

TEST(Residency, dots_and_plain_copies_are_left_to_ptxas) {
  EXPECT_EQ(blocks("kernels/vector_add.tl",
                   "x_ptr=*f32/16 y_ptr=*f32/16 out_ptr=*f32/16 n=i32/16 BLOCK=1024", 4),
            1);
  EXPECT_EQ(blocks("kernels/matmul.tl",
                   "a_ptr=*bf16/16 b_ptr=*bf16/16 c_ptr=*bf16/16 M=i32/16 N=i32/16 K=i32/16 "
                   "stride_am=i32/16 stride_ak=i32/1 stride_bk=i32/16 stride_bn=i32/1 "
                   "stride_cm=i32/16 stride_cn=i32/1 BLOCK_M=64 BLOCK_N=64 BLOCK_K=32",
                   4),
            1);
}

TEST(Residency, ptx_says_the_threads_and_the_blocks_of_an_sm) {
  const std::string ptx =
      ptx_of(lowered_kernel("kernels/stable_softmax.tl", kBf16Softmax, warps(4)));
  EXPECT_EQ(occurrences(ptx, ".reqntid 128"), 1);
  EXPECT_EQ(occurrences(ptx, ".minnctapersm 7"), 1);
  EXPECT_EQ(occurrences(ptx, ".maxnreg"), 0);
}

TEST(Residency, registers_that_are_asked_for_leave_the_blocks_to_ptxas) {
  CodegenOptions options = warps(8);
  options.maxnreg = 96;
  const std::string ptx =
      ptx_of(lowered_kernel("kernels/stable_softmax.tl", kBf16Softmax, options));
  EXPECT_EQ(occurrences(ptx, ".reqntid 256"), 1);
  EXPECT_EQ(occurrences(ptx, ".maxnreg 96"), 1);
  EXPECT_EQ(occurrences(ptx, ".minnctapersm"), 0);
}

TEST(Residency, what_a_loop_carries_and_what_it_reads_is_alive_in_it) {
  // Two rows of 32 a thread are carried, one more is alive around the loop: 96 of at most 64.
  const std::string text = R"(
def k(x, y, n):
    i = tl.arange(0, 4096)
    whole = tl.load(x + i)
    a = tl.load(x + 4096 + i)
    b = tl.load(x + 8192 + i)
    for j in range(n):
        a += whole * tl.sum(b, axis=0)
        b += whole * tl.sum(a, axis=0)
    tl.store(y + i, a + b)
)";
  EXPECT_EQ(lowered_text(text, "x=*f32/16 y=*f32/16 n=i32", warps(4)).blocks_per_sm, 1);
}

}  // namespace
}  // namespace tilery::codegen
