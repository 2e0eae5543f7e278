// The barriers of real kernels: none but those inside reductions and pipelines.
#include "tests/support/lowered_kernel.h"

#include <gtest/gtest.h>

namespace tilery::codegen {
namespace {

struct Kernel {
  const char* path;
  const char* signature;
};

constexpr Kernel kKernels[] = {
    {"kernels/vector_add.tl", "x_ptr=*f32/16 y_ptr=*f32/16 out_ptr=*f32/16 n=i32/16 BLOCK=1024"},
    {"kernels/stable_softmax.tl",
     "x_ptr=*f32/16 out_ptr=*f32/16 stride_row=i32/16 N=i32/16 BLOCK_N=4096"},
    {"kernels/online_softmax.tl",
     "x_ptr=*f32/16 out_ptr=*f32/16 stride_row=i32/16 N=i32/16 BLOCK_N=1024 NUM_CHUNKS=4"},
    {"kernels/layernorm.tl",
     "x_ptr=*bf16/16 w_ptr=*bf16/16 b_ptr=*bf16/16 out_ptr=*bf16/16 mean_ptr=*f32/16 "
     "rstd_ptr=*f32/16 stride_row=i32/16 N=i32/16 eps=f32 BLOCK_N=4096"},
    {"kernels/row_sum_max.tl",
     "x_ptr=*f32/16 sum_ptr=*f32/16 max_ptr=*f32/16 stride_row=i32/16 N=i32/16 BLOCK_N=2048"},
    {"kernels/matmul.tl",
     "a_ptr=*bf16/16 b_ptr=*bf16/16 c_ptr=*bf16/16 M=i32/16 N=i32/16 K=i32/16 stride_am=i32/16 "
     "stride_ak=i32/1 stride_bk=i32/16 stride_bn=i32/1 stride_cm=i32/16 stride_cn=i32/1 "
     "BLOCK_M=128 BLOCK_N=128 BLOCK_K=64"},
};

TEST(KernelBarriers, NoneBetweenInstructions) {
  for (const Kernel& kernel : kKernels) {
    for (const int warps : {1, 4, 8, 32}) {
      CodegenOptions options;
      options.num_warps = warps;
      const GpuFunction gpu = testing::lowered_kernel(kernel.path, kernel.signature, options);
      EXPECT_TRUE(gpu.barriers_before.empty()) << kernel.path << " with " << warps << " warps\n"
                                               << print_gpu(gpu);
    }
  }
}

TEST(KernelBarriers, AMatmulsResultUsesTheRingsPlace) {
  const Kernel& matmul = kKernels[5];
  CodegenOptions options;
  options.num_warps = 8;
  const GpuFunction gpu = testing::lowered_kernel(matmul.path, matmul.signature, options);
  // Two rings of three tiles of 64 × 128 bf16, and no more.
  EXPECT_EQ(gpu.shared_bytes, 2U * 3 * 64 * 128 * 2);
  EXPECT_EQ(testing::count_ops(gpu.function, Op::ConvertLayout), 1);
}

}  // namespace
}  // namespace tilery::codegen
