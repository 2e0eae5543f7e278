// Layout assignment over the kernel library: what it must not cost.
#include "codegen/analysis/axis_info.h"
#include "ir/builder.h"
#include "tests/support/layout_violations.h"
#include "tests/support/lowered_kernel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

namespace tilery::codegen {
namespace {

using testing::count_ops;
using testing::layout_violations;
using testing::lowered_kernel;
using testing::lowered_text;

int conversions(const GpuFunction& gpu) {
  const std::vector<std::string> violations = layout_violations(gpu);
  EXPECT_TRUE(violations.empty()) << violations.front();
  return count_ops(gpu.function, Op::ConvertLayout);
}

CodegenOptions warps(int n, int stages = 1) {
  CodegenOptions options;
  options.num_warps = n;
  options.num_stages = stages;
  return options;
}

struct MemoryBound {
  const char* name;
  const char* path;
  const char* signature;
};

class NoConversion : public ::testing::TestWithParam<MemoryBound> {};

TEST_P(NoConversion, from_load_to_store) {
  for (const int n : {1, 2, 4, 8, 16, 32}) {
    const GpuFunction gpu = lowered_kernel(GetParam().path, GetParam().signature, warps(n));
    EXPECT_EQ(conversions(gpu), 0) << n << " warps\n" << print_gpu(gpu);
  }
}

const MemoryBound kMemoryBound[] = {
    {"vector_add", "kernels/vector_add.tl",
     "x_ptr=*f32/16 y_ptr=*f32/16 out_ptr=*f32/16 n=i32/16 BLOCK=1024"},
    {"stable_softmax", "kernels/stable_softmax.tl",
     "x_ptr=*f32/16 out_ptr=*f32/16 stride_row=i32/16 N=i32/16 BLOCK_N=4096"},
    {"naive_softmax", "kernels/naive_softmax.tl",
     "x_ptr=*f32/16 out_ptr=*f32/16 stride_row=i32 N=i32 BLOCK_N=1024"},
    {"online_softmax", "kernels/online_softmax.tl",
     "x_ptr=*f32/16 out_ptr=*f32/16 stride_row=i32/16 N=i32/16 BLOCK_N=1024 NUM_CHUNKS=4"},
    {"layernorm", "kernels/layernorm.tl",
     "x_ptr=*bf16/16 w_ptr=*bf16/16 b_ptr=*bf16/16 out_ptr=*bf16/16 mean_ptr=*f32/16 "
     "rstd_ptr=*f32/16 stride_row=i32/16 N=i32/16 eps=f32 BLOCK_N=4096"},
    {"layernorm_mixed", "kernels/layernorm.tl",
     "x_ptr=*bf16/16 w_ptr=*f32/16 b_ptr=*f32/16 out_ptr=*f32/16 mean_ptr=*f32/16 "
     "rstd_ptr=*f32/16 stride_row=i32/16 N=i32/16 eps=f32 BLOCK_N=4096"},
    {"rmsnorm", "kernels/rmsnorm.tl",
     "x_ptr=*bf16/16 w_ptr=*f32/16 out_ptr=*bf16/16 rstd_ptr=*f32/16 stride_row=i32/16 N=i32/16 "
     "eps=f32 BLOCK_N=1024"},
    {"cross_entropy", "kernels/cross_entropy.tl",
     "logits_ptr=*bf16/16 target_ptr=*i64/16 loss_ptr=*f32/16 lse_ptr=*f32/16 stride_row=i32/16 "
     "N=i32/16 IGNORE=-100 BLOCK_N=1024"},
    {"row_sum_max", "kernels/row_sum_max.tl",
     "x_ptr=*f32/16 sum_ptr=*f32/16 max_ptr=*f32/16 stride_row=i32/16 N=i32/16 BLOCK_N=2048"},
};

INSTANTIATE_TEST_SUITE_P(Kernels, NoConversion, ::testing::ValuesIn(kMemoryBound),
                         [](const auto& kernel) { return std::string(kernel.param.name); });

constexpr const char* kMatmul =
    "a_ptr=*bf16/16 b_ptr=*bf16/16 c_ptr=*bf16/16 M=i32/16 N=i32/16 K=i32/16 stride_am=i32/16 "
    "stride_ak=i32/1 stride_bk=i32/16 stride_bn=i32/1 stride_cm=i32/16 stride_cn=i32/1 BLOCK_M=128 "
    "BLOCK_N=128 BLOCK_K=64";
constexpr const char* kAttention =
    "q_ptr=*f16/16 k_ptr=*f16/16 v_ptr=*f16/16 out_ptr=*f16/16 lse_ptr=*f32/16 scale=f32 "
    "stride_z=i32/16 stride_h=i32/16 stride_s=i32/16 H=i32 S=i32/16 D=64 BLOCK_M=128 BLOCK_N=64 "
    "CAUSAL=true";

/// The only instructions of this op, in order.
std::vector<InstId> all_of(const Function& function, Op op) {
  std::vector<InstId> found;
  for_each_inst(function, function.body, [&](InstId id) {
    if (function.inst(id).op == op) {
      found.push_back(id);
    }
  });
  return found;
}

/// What the conversions convert, as types.
std::vector<std::string> converted_types(const GpuFunction& gpu) {
  std::vector<std::string> types;
  for (const InstId id : all_of(gpu.function, Op::ConvertLayout)) {
    types.push_back(gpu.function.type(gpu.function.inst(id).result()).str());
  }
  return types;
}

/// The accesses of this op whose threads move 16 bytes at once.
int wide_accesses(const GpuFunction& gpu, Op op) {
  const AxisTable axes = find_axis_info(gpu.function);
  int count = 0;
  for (const InstId id : all_of(gpu.function, op)) {
    const ValueId ptr = gpu.function.inst(id).operand(0);
    if (gpu.function.type(ptr).is_scalar()) {
      continue;
    }
    const int axis = access_order(axes, gpu.function, id).front();
    const int elements = std::min(access_elements(axes, gpu.function, id, axis),
                                  gpu.layouts.of(ptr).contiguous_registers(axis));
    count += elements * gpu.function.type(ptr).element.pointee().byte_size() == 16 ? 1 : 0;
  }
  return count;
}

TEST(Matmul, converts_operands_and_the_narrow_result) {
  for (const int n : {4, 8, 16}) {
    const GpuFunction gpu = lowered_kernel("kernels/matmul.tl", kMatmul, warps(n, 1));
    EXPECT_EQ(conversions(gpu), 3);
    // a and b in the loop, c behind its cast.
    EXPECT_EQ(converted_types(gpu),
              (std::vector<std::string>{"bf16[128, 64]", "bf16[64, 128]", "bf16[128, 128]"}))
        << print_gpu(gpu);
  }
}

TEST(Matmul, reads_operands_from_rings_as_the_instruction_takes_them) {
  const GpuFunction gpu = lowered_kernel("kernels/matmul.tl", kMatmul, warps(8, 3));
  EXPECT_EQ(conversions(gpu), 1);
  EXPECT_EQ(converted_types(gpu), (std::vector<std::string>{"bf16[128, 128]"}));
  EXPECT_EQ(count_ops(gpu.function, Op::RingRead), 2);
  // Two loads in the loop and two for each of the two iterations before it, 16 bytes a thread.
  EXPECT_EQ(wide_accesses(gpu, Op::Load), 6);
}

TEST(Attention, keeps_rows_in_warps_and_weights_in_place) {
  const GpuFunction gpu = lowered_kernel("kernels/flash_attention.tl", kAttention, warps(4));
  EXPECT_EQ(conversions(gpu), 4);
  // q before the loop, k and v in it, out behind its cast; the weights are in the second dot's
  // operand layout as the first dot leaves them.
  EXPECT_EQ(converted_types(gpu), (std::vector<std::string>{"f16[128, 64]", "f16[64, 64]",
                                                            "f16[64, 64]", "f16[128, 64]"}))
      << print_gpu(gpu);
  const Inst& first = gpu.function.inst(all_of(gpu.function, Op::ConvertLayout).front());
  EXPECT_EQ(first.parent, gpu.function.body);
  for (const InstId id : all_of(gpu.function, Op::Reduce)) {
    const Layout& operand = gpu.layouts.of(gpu.function.inst(id).operands.front());
    for (const std::uint32_t base : operand.bases(Place::Warp)) {
      EXPECT_EQ(operand.axis_part(base, 1), 0U);
    }
  }
}

TEST(Width, is_16_bytes_where_alignment_allows) {
  for (const MemoryBound& kernel : kMemoryBound) {
    const std::string_view name = kernel.name;
    if (name == "naive_softmax" || name == "layernorm_mixed") {
      continue;
    }
    const GpuFunction gpu = lowered_kernel(kernel.path, kernel.signature, warps(4));
    int tiles = 0;
    for (const Op op : {Op::Load, Op::Store}) {
      for (const InstId id : all_of(gpu.function, op)) {
        tiles += gpu.function.type(gpu.function.inst(id).operand(0)).is_scalar() ? 0 : 1;
      }
    }
    EXPECT_EQ(wide_accesses(gpu, Op::Load) + wide_accesses(gpu, Op::Store), tiles) << name;
  }
}

TEST(Width, of_a_wide_store_is_16_bytes_a_thread) {
  const GpuFunction gpu = lowered_kernel(kMemoryBound[5].path, kMemoryBound[5].signature, warps(4));
  // bf16 is loaded in pieces of 8 bytes, so that fp32 is stored without gaps.
  EXPECT_EQ(wide_accesses(gpu, Op::Store), 1);
  EXPECT_EQ(wide_accesses(gpu, Op::Load), 2) << print_gpu(gpu);
}

TEST(Width, is_single_elements_of_neighbouring_lanes_without_alignment) {
  const GpuFunction gpu = lowered_kernel(kMemoryBound[2].path, kMemoryBound[2].signature, warps(4));
  const Inst& load = gpu.function.inst(all_of(gpu.function, Op::Load).front());
  const Layout& layout = gpu.layouts.of(load.result());
  EXPECT_EQ(layout.contiguous_registers(0), 1);
  EXPECT_EQ(layout.element(0, 1, 0)[0], 1);
}

constexpr const char* kScaleRows = R"(
@triton.jit
def k(x_ptr, w_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr):
    rows = tl.arange(0, M)[:, None]
    cols = tl.arange(0, N)
    offsets = rows * N + cols[None, :]
    x = tl.load(x_ptr + offsets)
    w = tl.load(w_ptr + cols)
    tl.store(out_ptr + offsets, x * w[None, :])
)";

TEST(Absorption, a_row_of_weights_is_loaded_where_it_is_used) {
  for (const int n : {1, 4, 8}) {
    const GpuFunction gpu = lowered_text(
        kScaleRows, "x_ptr=*f32/16 w_ptr=*f32/16 out_ptr=*f32/16 M=16 N=256", warps(n));
    EXPECT_EQ(conversions(gpu), 0) << print_gpu(gpu);
    EXPECT_EQ(wide_accesses(gpu, Op::Load), 2) << print_gpu(gpu);
  }
}

constexpr const char* kUnrolled = R"(
@triton.jit
def k(x_ptr, out_ptr, N: tl.constexpr, TIMES: tl.constexpr):
    rows = tl.arange(0, N)[:, None]
    cols = tl.arange(0, N)[None, :]
    for i in tl.static_range(TIMES):
        x = tl.load(x_ptr + i * N * N + rows * N + cols)
        y = tl.exp(tl.exp(tl.exp(x)))
        tl.store(out_ptr + i * N * N + cols * N + rows, y)
)";

TEST(Unrolled, kernels_with_many_conversions_lower_in_moderate_time) {
  // 200 transposes; a slip to quadratic time takes minutes and trips the test's limit.
  const GpuFunction gpu =
      lowered_text(kUnrolled, "x_ptr=*f32/16 out_ptr=*f32/16 N=64 TIMES=200", warps(4));
  EXPECT_EQ(conversions(gpu), 200);
}

constexpr const char* kSoftmaxRows = R"(
@triton.jit
def k(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr):
    rows = tl.arange(0, M)[:, None]
    cols = tl.arange(0, N)[None, :]
    x = tl.load(x_ptr + rows * N + cols)
    e = tl.exp(x - tl.max(x, axis=1)[:, None])
    tl.store(out_ptr + rows * N + cols, e / tl.sum(e, axis=1)[:, None])
)";

TEST(Rows, stay_in_a_warp_where_there_are_enough_of_them) {
  for (const int n : {2, 4, 8}) {
    const GpuFunction gpu =
        lowered_text(kSoftmaxRows, "x_ptr=*f32/16 out_ptr=*f32/16 M=8 N=512", warps(n));
    EXPECT_EQ(conversions(gpu), 0);
    EXPECT_EQ(wide_accesses(gpu, Op::Load) + wide_accesses(gpu, Op::Store), 2);
    const Inst& reduce = gpu.function.inst(all_of(gpu.function, Op::Reduce).front());
    const Layout& layout = gpu.layouts.of(reduce.operands.front());
    for (const std::uint32_t base : layout.bases(Place::Warp)) {
      EXPECT_EQ(layout.axis_part(base, 1), 0U) << print_gpu(gpu);
    }
  }
}

TEST(Rows, are_shared_by_warps_where_there_are_too_few) {
  const GpuFunction gpu =
      lowered_text(kSoftmaxRows, "x_ptr=*f32/16 out_ptr=*f32/16 M=2 N=512", warps(4));
  EXPECT_EQ(conversions(gpu), 0);
  const Inst& load = gpu.function.inst(all_of(gpu.function, Op::Load).front());
  EXPECT_FALSE(gpu.layouts.of(load.result()).has_copies()) << print_gpu(gpu);
}

constexpr const char* kTranspose = R"(
@triton.jit
def k(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr):
    rows = tl.arange(0, M)[:, None]
    cols = tl.arange(0, N)[None, :]
    x = tl.load(x_ptr + rows * N + cols).to(tl.float32)
    y = tl.exp(x)
    tl.store(out_ptr + cols * M + rows, y.to(tl.float16))
)";

TEST(Conversion, is_of_the_narrow_type_where_two_orders_meet) {
  // Loaded along axis 1, stored along axis 0. fp16 comes in and goes out, fp32 is between; 2 bytes
  // an element are converted, not 4.
  const GpuFunction gpu =
      lowered_text(kTranspose, "x_ptr=*f16/16 out_ptr=*f16/16 M=64 N=64", warps(4));
  EXPECT_EQ(conversions(gpu), 1);
  EXPECT_EQ(converted_types(gpu), (std::vector<std::string>{"f16[64, 64]"})) << print_gpu(gpu);
  EXPECT_EQ(wide_accesses(gpu, Op::Load) + wide_accesses(gpu, Op::Store), 2);
}

TEST(Copies, index_arithmetic_is_made_again_and_not_converted) {
  const GpuFunction gpu =
      lowered_text(kTranspose, "x_ptr=*f32/16 out_ptr=*f32/16 M=64 N=64", warps(4));
  // rows and cols in the layouts of the load and of the store.
  EXPECT_EQ(count_ops(gpu.function, Op::ExpandDims), 4) << print_gpu(gpu);
  for (const std::string& type : converted_types(gpu)) {
    EXPECT_TRUE(type.starts_with("f")) << type;
  }
}

}  // namespace
}  // namespace tilery::codegen
