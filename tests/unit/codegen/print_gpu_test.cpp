// The text of the layout stage.
#include "tests/support/lowered_kernel.h"

#include <gtest/gtest.h>

namespace tilery::codegen {
namespace {

TEST(PrintGpu, names_the_layout_of_each_tile_and_lists_them) {
  CodegenOptions options;
  options.num_warps = 2;
  const GpuFunction gpu = testing::lowered_ir(R"(func @f(%p: *f32 {div16}) {
  %zero = constant 0 : i32
  %two = constant 2 : i32
  %one = constant 1 : i32
  %cols = arange start=0 end=256 : i32[256]
  %ps = splat %p : *f32[256]
  %ptrs = addptr %ps, %cols : *f32[256]
  %x = load %ptrs : f32[256]
  %y = for %zero, %two, %one, %x : f32[256] {
  body(%i: i32, %c: f32[256]):
    %n = add %c, %c : f32[256]
    yield %n
  }
  store %ptrs, %y
})",
                                              options);
  // A thread has 4 consecutive elements, a warp 128, two warps the tile.
  EXPECT_EQ(print_gpu(gpu), R"(// sm_80, 2 warps, 0 bytes of shared memory
func @f(%p: *f32 {div16}) {
  %zero = constant 0 : i32
  %two = constant 2 : i32
  %one = constant 1 : i32
  %cols = arange start=0 end=256 : i32[256]  // #0
  %ps = splat %p : *f32[256]  // #0
  %ptrs = addptr %ps, %cols : *f32[256]  // #0
  %x = load %ptrs : f32[256]  // #0
  %y = for %zero, %two, %one, %x : f32[256] {  // #0
  body(%i: i32, %c: f32[256]):  // #0
    %n = add %c, %c : f32[256]  // #0
    yield %n
  }
  store %ptrs, %y
}
// #0 = [256] reg[(1) (2)] lane[(4) (8) (16) (32) (64)] warp[(128)]
)");
}

}  // namespace
}  // namespace tilery::codegen
