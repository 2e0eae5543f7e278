// Milliseconds from a specialised function to layouts (lower_to_gpu), for the kernel library.
#include "codegen/codegen.h"
#include "tests/support/lowered_kernel.h"

#include <benchmark/benchmark.h>

namespace {

struct Kernel {
  const char* name;
  const char* path;
  const char* signature;
};

constexpr Kernel kKernels[] = {
    {"vector_add", "kernels/vector_add.tl",
     "x_ptr=*f32/16 y_ptr=*f32/16 out_ptr=*f32/16 n=i32/16 BLOCK=1024"},
    {"stable_softmax", "kernels/stable_softmax.tl",
     "x_ptr=*f32/16 out_ptr=*f32/16 stride_row=i32/16 N=i32/16 BLOCK_N=4096"},
    {"layernorm", "kernels/layernorm.tl",
     "x_ptr=*bf16/16 w_ptr=*bf16/16 b_ptr=*bf16/16 out_ptr=*bf16/16 mean_ptr=*f32/16 "
     "rstd_ptr=*f32/16 stride_row=i32/16 N=i32/16 eps=f32 BLOCK_N=4096"},
    {"matmul", "kernels/matmul.tl",
     "a_ptr=*bf16/16 b_ptr=*bf16/16 c_ptr=*bf16/16 M=i32/16 N=i32/16 K=i32/16 stride_am=i32/16 "
     "stride_ak=i32/1 stride_bk=i32/16 stride_bn=i32/1 stride_cm=i32/16 stride_cn=i32/1 "
     "BLOCK_M=128 BLOCK_N=128 BLOCK_K=64"},
    {"flash_attention", "kernels/flash_attention.tl",
     "q_ptr=*f16/16 k_ptr=*f16/16 v_ptr=*f16/16 out_ptr=*f16/16 lse_ptr=*f32/16 scale=f32 "
     "stride_z=i32/16 stride_h=i32/16 stride_s=i32/16 H=i32 S=i32/16 D=64 BLOCK_M=128 BLOCK_N=64 "
     "CAUSAL=true"},
};

void lower(benchmark::State& state) {
  const Kernel& kernel = kKernels[state.range(0)];
  state.SetLabel(kernel.name);
  const tilery::Function function =
      tilery::testing::specialised_kernel(kernel.path, kernel.signature);
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        tilery::codegen::lower_to_gpu(function, tilery::codegen::Target{}, {}));
  }
}

BENCHMARK(lower)->DenseRange(0, std::size(kKernels) - 1)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
