// Launches that were packed before.
#include "tilery/prepared_launch.h"

#include "tests/fake_cuda/fake_gpu.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <string>

namespace tilery {
namespace {

using testing::fake_cuda;
using testing::Variable;

class PreparedLaunchTest : public testing::FakeGpu {
 protected:
  Result<PreparedLaunch> prepare_copy(const Arguments& arguments) {
    const std::array<std::int64_t, 1> grid = {4};
    return prepare(gpu(), kernel(copy_text()), grid, arguments);
  }

  Buffer x_ = *numbers({1, 2, 3, 4}).to(gpu());
  Buffer o_ = *numbers({0, 0, 0, 0}).to(gpu());
};

TEST_F(PreparedLaunchTest, a_call_is_one_driver_call) {
  const Result<PreparedLaunch> launch = prepare_copy({x_, o_, 3});
  ASSERT_TRUE(launch.ok()) << launch.error().message;
  const auto other_calls = [] {
    long sum = 0;
    for (const char* name : {"cuMemAlloc", "cuMemFree", "cuFuncSetAttribute", "cuFuncGetAttribute",
                             "cuStreamSynchronize", "cuModuleLoadData", "cuCtxGetId",
                             "cuStreamIsCapturing", "cuMemcpyHtoDAsync"}) {
      sum += fake_cuda().calls(name);
    }
    return sum;
  };
  const long launches = fake_cuda().calls("cuLaunchKernel");
  const long before = other_calls();
  int stream = 0;
  EXPECT_TRUE((*launch)(&stream).ok());
  EXPECT_TRUE((*launch)(&stream).ok());
  EXPECT_EQ(other_calls(), before);
  EXPECT_EQ(fake_cuda().calls("cuLaunchKernel"), launches + 2);
  EXPECT_EQ(fake_cuda().last_launch()->stream, &stream);
  EXPECT_EQ(fake_cuda().last_launch()->grid[0], 4U);
  EXPECT_EQ(o_.number(2), 3);
}

TEST_F(PreparedLaunchTest, it_can_be_captured) {
  const Result<PreparedLaunch> launch = prepare_copy({x_, o_, 3});
  fake_cuda().capture(1);
  EXPECT_TRUE((*launch)(nullptr).ok());
}

TEST_F(PreparedLaunchTest, run_waits) {
  const Result<PreparedLaunch> launch = prepare_copy({x_, o_, 4});
  const long before = fake_cuda().calls("cuStreamSynchronize");
  EXPECT_TRUE(launch->run().ok());
  EXPECT_EQ(fake_cuda().calls("cuStreamSynchronize"), before + 1);
}

TEST_F(PreparedLaunchTest, grid_and_arguments_can_be_changed) {
  Result<PreparedLaunch> launch = prepare_copy({x_, o_, 3});
  const std::array<std::int64_t, 2> grid = {7, 2};
  ASSERT_TRUE(launch->set_grid(grid).ok());
  ASSERT_TRUE(launch->set_argument("n", 2).ok());
  const Buffer other = *numbers({0, 0, 0, 0}).to(gpu());
  ASSERT_TRUE(launch->set_argument("o", other).ok());
  ASSERT_TRUE(launch->run().ok());
  EXPECT_EQ(fake_cuda().last_launch()->grid[1], 2U);
  EXPECT_EQ(other.number(1), 2);
  EXPECT_EQ(other.number(2), 0);
  EXPECT_EQ(o_.number(0), 0);
}

TEST_F(PreparedLaunchTest, an_argument_that_the_code_was_not_made_for_is_refused) {
  Result<PreparedLaunch> launch = prepare_copy({x_, o_, 3});
  EXPECT_FALSE(launch->set_argument("n", 16).ok()) << "divisible by 16 now";
  EXPECT_FALSE(launch->set_argument("n", 1).ok()) << "equal to 1 now";
  EXPECT_FALSE(launch->set_argument("n", 2.5).ok()) << "a float now";
  EXPECT_FALSE(launch->set_argument("x", Argument::pointer(x_, 1)).ok()) << "not aligned now";
  EXPECT_FALSE(launch->set_argument("y", 3).ok()) << "no such parameter";
  EXPECT_FALSE(launch->set_argument("x", numbers({1, 2, 3, 4})).ok()) << "host memory";
  const Status status = launch->set_argument("n", 16);
  EXPECT_EQ(status.error().kind, ErrorKind::Usage);
  EXPECT_NE(status.error().message.find("prepare it anew"), std::string::npos);
  // And nothing changed.
  ASSERT_TRUE(launch->run().ok());
  EXPECT_EQ(o_.number(2), 3);
}

TEST_F(PreparedLaunchTest, a_bad_grid_is_refused) {
  Result<PreparedLaunch> launch = prepare_copy({x_, o_, 3});
  EXPECT_FALSE(launch->set_grid(std::array<std::int64_t, 1>{-1}).ok());
  EXPECT_FALSE(launch->set_grid(std::array<std::int64_t, 2>{1, 65536}).ok());
  EXPECT_FALSE(launch->set_grid(std::array<std::int64_t, 4>{1, 1, 1, 1}).ok());
}

TEST_F(PreparedLaunchTest, only_a_gpu_with_arrays_on_it) {
  const std::array<std::int64_t, 1> grid = {4};
  EXPECT_FALSE(prepare(Device::interpreter(), kernel(copy_text()), grid, {x_, o_, 3}).ok());
  const Result<PreparedLaunch> launch = prepare_copy({numbers({1}), o_, 3});
  ASSERT_FALSE(launch.ok());
  EXPECT_NE(launch.error().message.find("`x` lies in host memory"), std::string::npos);
}

TEST_F(PreparedLaunchTest, it_keeps_kernel_and_arrays_alive) {
  const long before = fake_cuda().allocations();
  {
    Result<PreparedLaunch> launch = [&] {
      return prepare_copy({*numbers({5, 6, 7, 8}).to(gpu()), o_, 2});
    }();
    ASSERT_TRUE(launch.ok());
    EXPECT_EQ(fake_cuda().allocations(), before + 1);
    PreparedLaunch moved = *std::move(launch);
    ASSERT_TRUE(moved.run().ok());
    EXPECT_EQ(o_.number(1), 6);
    ASSERT_TRUE(moved.set_argument("x", x_).ok());
    EXPECT_EQ(fake_cuda().allocations(), before) << "the replaced one goes";
  }
}

TEST_F(PreparedLaunchTest, it_tells_what_is_known_of_the_code) {
  facts_.shared_bytes = 1000;
  const Result<PreparedLaunch> launch = prepare_copy({x_, o_, 3});
  const GpuKernelFacts& facts = launch->facts();
  EXPECT_EQ(facts.target, "sm_90a");
  EXPECT_EQ(facts.num_warps, 4);
  EXPECT_EQ(facts.registers, 40);
  EXPECT_EQ(facts.shared_bytes, 1000U);
  EXPECT_EQ(facts.blocks_per_multiprocessor, 16);
  EXPECT_FALSE(facts.is_from_cache);
  EXPECT_TRUE(prepare_copy({x_, o_, 3})->facts().is_from_cache);
}

TEST_F(PreparedLaunchTest, a_failing_call_tells_which) {
  const Result<PreparedLaunch> launch = prepare_copy({x_, o_, 3});
  const Variable fail("FAKE_CUDA_FAIL", "cuLaunchKernel=1");
  const Status status = (*launch)(nullptr);
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().message.find("cannot launch kernel `copy`"), std::string::npos);
}

}  // namespace
}  // namespace tilery
