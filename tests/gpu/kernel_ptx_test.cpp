// The kernel library as PTX: for every kind of chip and number of warps, assembled where a ptxas is
// found; and what the PTX does with memory and between threads, against numbers that follow from
// the kernel's arithmetic alone. No GPU is needed.
#include "codegen/codegen.h"
#include "codegen/ptx_counts.h"
#include "tests/support/lowered_kernel.h"
#include "tests/support/ptxas.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>

namespace tilery::codegen {
namespace {

using Widths = std::map<int, int>;

constexpr std::array kWarps{1, 2, 4, 8, 16, 32};
constexpr std::array kTargets{"sm_80", "sm_89", "sm_90a", "sm_100"};

std::string ptx_of(const std::string& path, const std::string& signature, int num_warps,
                   const std::string& target = "sm_90a", int stages = 3) {
  CodegenOptions options;
  options.num_warps = num_warps;
  options.num_stages = stages;
  const Result<KernelBinary> binary = emit_ptx(
      testing::lowered_kernel("kernels/" + path, signature, options, *parse_target(target)));
  EXPECT_TRUE(binary) << binary.error().message;
  return binary ? binary->code : std::string();
}

// ---- every kernel, every chip ----

struct LibraryKernel {
  const char* name;
  const char* path;
  const char* signature;
};

const LibraryKernel kLibrary[] = {
    {"vector_add", "vector_add.tl", "x_ptr=*f32/16 y_ptr=*f32/16 out_ptr=*f32/16 n=i32 BLOCK=1024"},
    {"vector_add_f16", "vector_add.tl",
     "x_ptr=*f16/16 y_ptr=*f16/16 out_ptr=*f16/16 n=i32/16 BLOCK=1024"},
    {"naive_softmax", "naive_softmax.tl",
     "x_ptr=*f32/16 out_ptr=*f32/16 stride_row=i32 N=i32 BLOCK_N=1024"},
    {"stable_softmax", "stable_softmax.tl",
     "x_ptr=*bf16/16 out_ptr=*bf16/16 stride_row=i32/16 N=i32/16 BLOCK_N=4096"},
    {"online_softmax", "online_softmax.tl",
     "x_ptr=*f32/16 out_ptr=*f32/16 stride_row=i32/16 N=i32 BLOCK_N=1024 NUM_CHUNKS=4"},
    {"row_sum_max", "row_sum_max.tl",
     "x_ptr=*f32/16 sum_ptr=*f32/16 max_ptr=*f32/16 stride_row=i32/16 N=i32 BLOCK_N=2048"},
    {"layernorm", "layernorm.tl",
     "x_ptr=*bf16/16 w_ptr=*f32/16 b_ptr=*f32/16 out_ptr=*bf16/16 mean_ptr=*f32/16 "
     "rstd_ptr=*f32/16 stride_row=i32/16 N=i32 eps=f32 BLOCK_N=2048"},
    {"rmsnorm", "rmsnorm.tl",
     "x_ptr=*f16/16 w_ptr=*f16/16 out_ptr=*f16/16 rstd_ptr=*f32/16 stride_row=i32/16 N=i32/16 "
     "eps=f32 BLOCK_N=1024"},
    {"cross_entropy", "cross_entropy.tl",
     "logits_ptr=*bf16/16 target_ptr=*i64/16 loss_ptr=*f32/16 lse_ptr=*f32/16 stride_row=i32 "
     "N=i32 IGNORE=-100 BLOCK_N=1024"},
    {"matmul_bf16", "matmul.tl",
     "a_ptr=*bf16/16 b_ptr=*bf16/16 c_ptr=*bf16/16 M=i32 N=i32 K=i32 stride_am=i32/16 "
     "stride_ak=i32/1 stride_bk=i32/16 stride_bn=i32/1 stride_cm=i32/16 stride_cn=i32/1 BLOCK_M=64 "
     "BLOCK_N=64 BLOCK_K=32"},
    {"matmul_tf32", "matmul.tl",
     "a_ptr=*f32/16 b_ptr=*f32/16 c_ptr=*f32/16 M=i32 N=i32 K=i32 stride_am=i32/16 "
     "stride_ak=i32/1 stride_bk=i32/16 stride_bn=i32/1 stride_cm=i32/16 stride_cn=i32/1 BLOCK_M=64 "
     "BLOCK_N=64 BLOCK_K=32"},
    {"flash_attention", "flash_attention.tl",
     "q_ptr=*f16/16 k_ptr=*f16/16 v_ptr=*f16/16 out_ptr=*f16/16 lse_ptr=*f32/16 scale=f32 "
     "stride_z=i32/16 stride_h=i32/16 stride_s=i32/16 H=i32 S=i32 D=64 BLOCK_M=64 BLOCK_N=32 "
     "CAUSAL=true"},
};

class LibraryPtx : public ::testing::TestWithParam<LibraryKernel> {};

TEST_P(LibraryPtx, assembles_for_every_chip_and_number_of_warps) {
  constexpr int kLittleOptimisation = 1;
  std::size_t next = 0;
  for (const int num_warps : kWarps) {
    // Each number of warps on two of the chips, so that each chip meets three numbers: ptxas is
    // what takes the time.
    for (int i = 0; i < 2; ++i) {
      const std::string target = kTargets[next++ % kTargets.size()];
      SCOPED_TRACE(target + ", " + std::to_string(num_warps) + " warps");
      const std::string ptx = ptx_of(GetParam().path, GetParam().signature, num_warps, target);
      EXPECT_NE(ptx.find(".target " + target), std::string::npos);
      const testing::PtxasResult assembled = testing::assemble(ptx, target, kLittleOptimisation);
      EXPECT_EQ(assembled.errors, "");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, LibraryPtx, ::testing::ValuesIn(kLibrary),
                         [](const auto& kernel) { return std::string(kernel.param.name); });

// ---- what the PTX does ----

/// The accesses of one thread that together move its share of `elements` elements: as wide as the
/// share allows, up to 16 bytes.
Widths accesses(int elements, int element_bytes, int threads, int arrays = 1) {
  const int share = std::max(1, elements / threads) * element_bytes;
  const int width = std::min(16, share);
  return {{width, arrays * share / width}};
}

Widths both(Widths a, const Widths& b) {
  for (const auto& [bytes, number] : b) {
    a[bytes] += number;
  }
  return a;
}

TEST(PtxCounts, vector_add_moves_each_threads_share_in_the_widest_pieces) {
  for (const int num_warps : kWarps) {
    SCOPED_TRACE(num_warps);
    const PtxCounts counts = count_ptx(
        ptx_of("vector_add.tl", "x_ptr=*f32/16 y_ptr=*f32/16 out_ptr=*f32/16 n=i32/16 BLOCK=1024",
               num_warps));
    EXPECT_EQ(counts.loads, accesses(1024, 4, 32 * num_warps, 2));
    EXPECT_EQ(counts.stores, accesses(1024, 4, 32 * num_warps));
    EXPECT_EQ(counts.shuffles + counts.warp_folds + counts.barriers, 0);
    EXPECT_EQ(counts.shared_loads + counts.shared_stores, 0);
  }
}

TEST(PtxCounts, a_bound_that_may_be_odd_makes_every_access_one_element) {
  const PtxCounts counts = count_ptx(
      ptx_of("vector_add.tl", "x_ptr=*f32/16 y_ptr=*f32/16 out_ptr=*f32/16 n=i32 BLOCK=1024", 4));
  // 1024 elements / 128 threads, two arrays
  EXPECT_EQ(counts.loads, (Widths{{4, 16}}));
  EXPECT_EQ(counts.stores, (Widths{{4, 8}}));
}

TEST(PtxCounts, softmax_reads_and_writes_a_row_once_16_bytes_at_a_time) {
  for (const int num_warps : kWarps) {
    SCOPED_TRACE(num_warps);
    const PtxCounts counts = count_ptx(
        ptx_of("stable_softmax.tl",
               "x_ptr=*f32/16 out_ptr=*f32/16 stride_row=i32/16 N=i32/16 BLOCK_N=4096", num_warps));
    // 4096 · 4 bytes / (16 · 32 · warps)
    EXPECT_EQ(counts.loads, (Widths{{16, 32 / num_warps}}));
    EXPECT_EQ(counts.stores, (Widths{{16, 32 / num_warps}}));
    // The maximum goes once through shared memory where there are several warps. The sum does so
    // too; from 8 warps on it is finished by fewer threads, which hand it back on a second way.
    EXPECT_EQ(counts.barriers, num_warps == 1 ? 0 : num_warps < 8 ? 2 : 3);
    if (num_warps == 1) {
      EXPECT_EQ(counts.shared_loads + counts.shared_stores, 0);
    }
    // The order of a maximum cannot show, so one instruction folds a warp; a second one may fold
    // what the warps have.
    EXPECT_GE(counts.warp_folds, 1);
    EXPECT_LE(counts.warp_folds, 2);
  }
}

TEST(PtxCounts, a_sum_in_one_warp_takes_as_few_shuffles_as_its_tree_allows) {
  const PtxCounts counts =
      count_ptx(ptx_of("stable_softmax.tl",
                       "x_ptr=*f32/16 out_ptr=*f32/16 stride_row=i32/16 N=i32/16 BLOCK_N=1024", 1));
  // The tree folds the highest index bits first: a thread's eight vectors of 4 in registers, then
  // the five lane bits, then the place in the vector. Four sums over 32 lanes: two lane bits halve
  // their number as they fold (2 + 1 shuffles), three fold the one that is left (3), and the four
  // places, now in different lanes, fold in two more.
  EXPECT_EQ(counts.shuffles, 2 + 1 + 3 + 2);
  // The maximum: one instruction.
  EXPECT_EQ(counts.warp_folds, 1);
}

TEST(PtxCounts, a_softmax_of_bf16_moves_half_as_much) {
  for (const int num_warps : kWarps) {
    SCOPED_TRACE(num_warps);
    const PtxCounts counts = count_ptx(ptx_of(
        "stable_softmax.tl",
        "x_ptr=*bf16/16 out_ptr=*bf16/16 stride_row=i32/16 N=i32/16 BLOCK_N=4096", num_warps));
    // 16 bytes at once while a thread has 8 elements: to 16 warps
    EXPECT_EQ(counts.loads, accesses(4096, 2, 32 * num_warps));
    EXPECT_EQ(counts.stores, accesses(4096, 2, 32 * num_warps));
  }
}

TEST(PtxCounts, layernorm_reads_three_rows_and_writes_one_and_two_numbers) {
  for (const int num_warps : kWarps) {
    SCOPED_TRACE(num_warps);
    const PtxCounts counts = count_ptx(
        ptx_of("layernorm.tl",
               "x_ptr=*f32/16 w_ptr=*f32/16 b_ptr=*f32/16 out_ptr=*f32/16 mean_ptr=*f32/16 "
               "rstd_ptr=*f32/16 stride_row=i32/16 N=i32/16 eps=f32 BLOCK_N=4096",
               num_warps));
    EXPECT_EQ(counts.loads, accesses(4096, 4, 32 * num_warps, 3));
    EXPECT_EQ(counts.stores, both(accesses(4096, 4, 32 * num_warps), {{4, 2}}));
    EXPECT_EQ(counts.barriers == 0, num_warps == 1);
  }
}

TEST(PtxCounts, a_matmul_copies_its_tiles_and_multiplies_them_on_tensor_cores) {
  constexpr int kM = 128;
  constexpr int kN = 128;
  constexpr int kK = 64;
  for (const int num_warps : {4, 8}) {
    for (const int stages : {2, 3, 4}) {
      SCOPED_TRACE(std::to_string(num_warps) + " warps, " + std::to_string(stages) + " stages");
      const PtxCounts counts = count_ptx(
          ptx_of("matmul.tl",
                 "a_ptr=*bf16/16 b_ptr=*bf16/16 c_ptr=*bf16/16 M=i32/16 N=i32/16 K=i32/16 "
                 "stride_am=i32/16 stride_ak=i32/1 stride_bk=i32/16 stride_bn=i32/1 "
                 "stride_cm=i32/16 stride_cn=i32/1 BLOCK_M=128 BLOCK_N=128 BLOCK_K=64",
                 num_warps, "sm_80", stages));
      const int threads = 32 * num_warps;
      // mma.m16n8k16: 2048 products each, dealt out over the warps.
      EXPECT_EQ(counts.matrix, kM * kN * kK / (16 * 8 * 16) / num_warps);
      // Both tiles, 16 bytes at once: for the stages - 1 ahead of the loop and the one in it. Of
      // the 163 KiB of shared memory rings get three quarters, which is 3 times both tiles, not 4.
      const int tile_bytes = (kM * kK + kK * kN) * 2;
      const int copies = tile_bytes / (16 * threads);
      const int fitting = 163 * 1024 * 3 / 4 / tile_bytes;
      EXPECT_EQ(counts.copies, (Widths{{16, copies * std::min(stages, fitting)}}));
      EXPECT_EQ(counts.loads, Widths{});
      EXPECT_EQ(counts.stores, accesses(kM * kN, 2, threads));
    }
  }
}

TEST(PtxCounts, rmsnorm_reads_its_row_twice_and_the_weights) {
  for (const int num_warps : kWarps) {
    SCOPED_TRACE(num_warps);
    const PtxCounts counts = count_ptx(
        ptx_of("rmsnorm.tl",
               "x_ptr=*f16/16 w_ptr=*f16/16 out_ptr=*f16/16 rstd_ptr=*f32/16 stride_row=i32/16 "
               "N=i32/16 eps=f32 BLOCK_N=4096",
               num_warps));
    EXPECT_EQ(counts.loads, accesses(4096, 2, 32 * num_warps, 3));
    EXPECT_EQ(counts.stores, both(accesses(4096, 2, 32 * num_warps), {{4, 1}}));
  }
}

TEST(PtxCounts, cross_entropy_reads_a_row_a_target_and_its_logit) {
  for (const int num_warps : kWarps) {
    SCOPED_TRACE(num_warps);
    const PtxCounts counts =
        count_ptx(ptx_of("cross_entropy.tl",
                         "logits_ptr=*f32/16 target_ptr=*i64/16 loss_ptr=*f32/16 lse_ptr=*f32/16 "
                         "stride_row=i32/16 N=i32/16 IGNORE=-100 BLOCK_N=4096",
                         num_warps));
    EXPECT_EQ(counts.loads, both(accesses(4096, 4, 32 * num_warps), {{8, 1}, {4, 1}}));
    EXPECT_EQ(counts.stores, (Widths{{4, 2}}));
  }
}

TEST(PtxCounts, attention_multiplies_both_of_its_products_on_tensor_cores) {
  constexpr int kQueries = 128;
  constexpr int kKeys = 64;
  constexpr int kDepth = 64;
  for (const int num_warps : {4, 8}) {
    SCOPED_TRACE(num_warps);
    const PtxCounts counts = count_ptx(
        ptx_of("flash_attention.tl",
               "q_ptr=*f16/16 k_ptr=*f16/16 v_ptr=*f16/16 out_ptr=*f16/16 lse_ptr=*f32/16 "
               "scale=f32 stride_z=i32/16 stride_h=i32/16 stride_s=i32/16 H=i32 S=i32/16 D=64 "
               "BLOCK_M=128 BLOCK_N=64 CAUSAL=false",
               num_warps));
    // q · k and p · v have as many products; an m16n8k16 does 2048 of them.
    EXPECT_EQ(counts.matrix, 2 * kQueries * kKeys * kDepth / (16 * 8 * 16) / num_warps);
    // The queries are loaded once, keys and values copied ahead, all 16 bytes at once.
    EXPECT_EQ(counts.loads, accesses(kQueries * kDepth, 2, 32 * num_warps));
    ASSERT_EQ(counts.copies.size(), 1U);
    EXPECT_EQ(counts.copies.begin()->first, 16);
    EXPECT_EQ(counts.copies.begin()->second % (2 * kKeys * kDepth * 2 / (16 * 32 * num_warps)), 0);
  }
}

// ---- the counting itself ----

TEST(PtxCounts, reads_widths_predicates_and_lines) {
  const auto lines = count_ptx_by_line(R"(
.version 8.0
.target sm_80
.visible .entry k()
{
	.loc	1 7 3
	ld.param.b64 	%rd1, [k_param_0];
	@%p1 ld.global.cg.v4.b32 {%r1, %r2, %r3, %r4}, [%rd1];
	ld.volatile.global.b16 	%rs1, [%rd1];
	.loc	1 9 1
	cp.async.cg.shared.global [%r1], [%rd1], 16, %r2;
	@!%p2 st.global.v2.b64 [%rd1], {%rd2, %rd3};
	shfl.sync.bfly.b32	%r1|%p1, %r2, 16, 31, -1;
	bar.sync 	0;
	bar.warp.sync 	-1;
	mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f1}, {%r1}, {%r2}, {%f2};
	redux.sync.max.s32 	%r1, %r2, -1;
	ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1}, [%r2];
	st.shared.v4.b32 	[%r1], {%r2, %r3, %r4, %r5};
	// st.global.b32 in a comment
	ret;
}
	.file	1 "kernels/k.tl"
)");
  ASSERT_EQ(lines.size(), 2U);
  const PtxCounts& seven = lines.at({"kernels/k.tl", 7});
  EXPECT_EQ(seven.loads, (Widths{{16, 1}, {2, 1}}));
  const PtxCounts& nine = lines.at({"kernels/k.tl", 9});
  EXPECT_EQ(nine.copies, (Widths{{16, 1}}));
  EXPECT_EQ(nine.stores, (Widths{{16, 1}}));
  EXPECT_EQ(nine.shuffles, 1);
  EXPECT_EQ(nine.barriers, 1);
  EXPECT_EQ(nine.matrix, 1);
  EXPECT_EQ(nine.warp_folds, 1);
  EXPECT_EQ(nine.shared_loads, 1);
  EXPECT_EQ(nine.shared_stores, 1);
}

}  // namespace
}  // namespace tilery::codegen
