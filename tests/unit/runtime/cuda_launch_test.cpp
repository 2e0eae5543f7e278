// Launches on a GPU, as the driver sees them.
#include "tests/fake_cuda/fake_gpu.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <string>
#include <vector>

namespace tilery {
namespace {

using testing::fake_cuda;
using testing::Variable;
using CudaLaunchTest = testing::FakeGpu;

void expect_words(const Error& error, ErrorKind kind, const std::vector<std::string>& words) {
  EXPECT_EQ(error.kind, kind) << error.message;
  for (const std::string& word : words) {
    EXPECT_NE(error.message.find(word), std::string::npos)
        << "no `" << word << "` in: " << error.message;
  }
}

/// A value of the last launch's parameter block.
template <class T>
T packed(std::size_t offset) {
  T value{};
  std::memcpy(&value, fake_cuda().last_launch()->parameters + offset, sizeof value);
  return value;
}

TEST_F(CudaLaunchTest, arrays_in_host_memory_are_copied_there_and_back) {
  const Buffer x = numbers({1, 2, 3, 4});
  const Buffer o = numbers({0, 0, 0, 9});
  const std::array<std::int64_t, 1> grid = {1};
  const Result<LaunchReport> report = launch(gpu(), kernel(copy_text()), grid, {x, o, 3});
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_TRUE(report->completed);
  EXPECT_TRUE(report->compiled);
  EXPECT_EQ(report->programs_run, 1);
  EXPECT_EQ(o.as<float>()[0], 1);
  EXPECT_EQ(o.as<float>()[2], 3);
  EXPECT_EQ(o.as<float>()[3], 9) << "as the kernel left it";
  EXPECT_EQ(fake_cuda().allocations(), 0) << "nothing stays on the GPU";
}

TEST_F(CudaLaunchTest, an_array_that_is_given_twice_is_copied_once) {
  const Buffer x = numbers({1, 2, 3, 4});
  const std::array<std::int64_t, 1> grid = {1};
  const long uploads = fake_cuda().calls("cuMemcpyHtoDAsync");
  const long downloads = fake_cuda().calls("cuMemcpyDtoHAsync");
  // The second half onto the first.
  const Result<LaunchReport> report =
      launch(gpu(), kernel(copy_text()), grid, {Argument::pointer(x, 2), x, 2});
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(fake_cuda().calls("cuMemcpyHtoDAsync"), uploads + 1);
  EXPECT_EQ(fake_cuda().calls("cuMemcpyDtoHAsync"), downloads + 1);
  EXPECT_EQ(x.as<float>()[0], 3);
  EXPECT_EQ(x.as<float>()[1], 4);
}

TEST_F(CudaLaunchTest, arrays_that_overlap_stay_one_on_the_gpu) {
  std::array<float, 6> memory = {1, 2, 3, 4, 5, 6};
  const Buffer low = *Buffer::borrow(DType::F32, {4}, memory.data());
  const Buffer high = *Buffer::borrow(DType::F32, {4}, memory.data() + 2);
  const std::array<std::int64_t, 1> grid = {1};
  const Result<LaunchReport> report = launch(gpu(), kernel(copy_text()), grid, {low, high, 2});
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(packed<std::uint64_t>(8) - packed<std::uint64_t>(0), 8U);
  EXPECT_EQ(memory, (std::array<float, 6>{1, 2, 1, 2, 5, 6}));
}

TEST_F(CudaLaunchTest, the_copy_keeps_the_alignment_of_the_original) {
  const Buffer owner = *Buffer::zeros(DType::F32, {64});
  auto* odd = owner.as<float>().data() + 1;
  const Buffer x = *Buffer::borrow(DType::F32, {8}, odd);
  const std::array<std::int64_t, 1> grid = {1};
  ASSERT_TRUE(launch(gpu(), kernel(copy_text()), grid, {x, owner, 0}).ok());
  EXPECT_EQ(packed<std::uint64_t>(0) % 16, 4U);
  EXPECT_EQ(packed<std::uint64_t>(8) % 64, 0U);
}

TEST_F(CudaLaunchTest, memory_that_no_kernel_may_write_is_not_written_back) {
  const std::array<float, 2> constant = {1, 2};
  const Buffer x = *Buffer::borrow_read_only(DType::F32, {2}, constant.data());
  const Buffer o = numbers({0, 0});
  const std::array<std::int64_t, 1> grid = {1};
  const long downloads = fake_cuda().calls("cuMemcpyDtoHAsync");
  ASSERT_TRUE(launch(gpu(), kernel(copy_text()), grid, {x, o, 2}).ok());
  EXPECT_EQ(fake_cuda().calls("cuMemcpyDtoHAsync"), downloads + 1);
  EXPECT_EQ(o.as<float>()[1], 2);
}

TEST_F(CudaLaunchTest, arrays_on_the_gpu_are_used_where_they_are) {
  const Buffer x = *numbers({1, 2}).to(gpu());
  const Buffer o = *numbers({0, 0}).to(gpu());
  const long copies =
      fake_cuda().calls("cuMemcpyHtoDAsync") + fake_cuda().calls("cuMemcpyDtoHAsync");
  const std::array<std::int64_t, 1> grid = {1};
  ASSERT_TRUE(launch(gpu(), kernel(copy_text()), grid, {x, o, 2}).ok());
  EXPECT_EQ(fake_cuda().calls("cuMemcpyHtoDAsync") + fake_cuda().calls("cuMemcpyDtoHAsync"),
            copies);
  EXPECT_EQ(o.number(1), 2);
}

TEST_F(CudaLaunchTest, parameters_are_packed_at_their_natural_alignment) {
  const Kernel k = kernel(
      "def k(a: tl.int8, p, h: tl.float16, b: tl.int64, c: tl.int16, f: tl.float32, B: "
      "tl.constexpr, t):\n    pass\n");
  const Buffer x = *numbers({1, 2}).to(gpu());
  const std::array<std::int64_t, 1> grid = {1};
  const Argument::Tuple tuple{{5, Argument::null_pointer(DType::F32)}, "", {}};
  const Result<LaunchReport> report =
      launch(gpu(), k, grid, {-1, Argument::pointer(x, 1), 1.5, -2, 3, 0.5, 64, tuple});
  ASSERT_TRUE(report.ok()) << report.error().message;
  // a at 0, p at 8, h at 16, b at 24, c at 32, f at 36, t[0] at 40, t[1] at 48.
  EXPECT_EQ(packed<std::int8_t>(0), -1);
  EXPECT_EQ(packed<std::uint64_t>(8), reinterpret_cast<std::uint64_t>(x.data()) + 4);
  EXPECT_EQ(packed<std::uint16_t>(16), 0x3E00) << "1.5 in fp16";
  EXPECT_EQ(packed<std::int64_t>(24), -2);
  EXPECT_EQ(packed<std::int16_t>(32), 3);
  EXPECT_EQ(packed<float>(36), 0.5F);
  EXPECT_EQ(packed<std::int32_t>(40), 5);
  EXPECT_EQ(packed<std::uint64_t>(48), 0U);
  EXPECT_EQ(fake_cuda().last_launch()->parameter_bytes, 56U);
}

TEST_F(CudaLaunchTest, the_grid_and_the_options_reach_the_driver) {
  const Kernel k = kernel("def k():\n    pass\n");
  const std::array<std::int64_t, 3> grid = {5, 3, 2};
  LaunchOptions options;
  options.num_warps = 8;
  int stream = 0;
  options.stream = &stream;
  const Result<LaunchReport> report = launch(gpu(), k, grid, {}, options);
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report->programs_run, 30);
  const FakeLaunch& last = *fake_cuda().last_launch();
  EXPECT_EQ(std::vector(last.grid, last.grid + 3), (std::vector<unsigned>{5, 3, 2}));
  EXPECT_EQ(std::vector(last.block, last.block + 3), (std::vector<unsigned>{256, 1, 1}));
  EXPECT_EQ(last.stream, &stream);
  EXPECT_EQ(last.parameter_bytes, 0U);
}

TEST_F(CudaLaunchTest, a_kernel_that_asks_for_its_warps_gets_what_it_was_told) {
  facts_.num_warps = 16;
  const std::array<std::int64_t, 1> grid = {1};
  ASSERT_TRUE(launch(gpu(), kernel("def k():\n    pass\n"), grid, {}).ok());
  EXPECT_EQ(fake_cuda().last_launch()->block[0], 512U) << "the compiler's choice";
  const Kernel asks = kernel("def k(o):\n    tl.store(o, tl.extra.cuda.num_warps())\n");
  const Buffer o = *Buffer::zeros(DType::I32, {1}, gpu());
  ASSERT_TRUE(launch(gpu(), asks, grid, {o}).ok());
  EXPECT_EQ(fake_cuda().last_launch()->block[0], 128U) << "it was told 4";
  LaunchOptions options;
  options.num_warps = 8;
  ASSERT_TRUE(launch(gpu(), asks, grid, {o}, options).ok());
  EXPECT_EQ(fake_cuda().last_launch()->block[0], 256U);
}

TEST_F(CudaLaunchTest, an_empty_grid_launches_nothing) {
  const long launches = fake_cuda().calls("cuLaunchKernel");
  const std::array<std::int64_t, 2> grid = {3, 0};
  const Result<LaunchReport> report = launch(gpu(), kernel("def k():\n    pass\n"), grid, {});
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report->programs_run, 0);
  EXPECT_EQ(fake_cuda().calls("cuLaunchKernel"), launches);
}

TEST_F(CudaLaunchTest, an_axis_that_a_gpu_does_not_take_is_refused_with_the_limit) {
  const Kernel k = kernel("def k():\n    pass\n");
  expect_words(launch_error(gpu(), k, {}, {1, 70000}), ErrorKind::Usage,
               {"kernel `k`", "axis 1", "70000", "65535", "axis 0"});
  const std::array<std::int64_t, 3> largest = {1, 65535, 1};
  EXPECT_TRUE(launch(gpu(), k, largest, {}).ok());
}

TEST_F(CudaLaunchTest, packed_programs_share_a_block_and_learn_their_number) {
  facts_.programs_per_block = 4;
  const std::array<std::int64_t, 1> grid = {10};
  ASSERT_TRUE(launch(gpu(), kernel("def k(n):\n    pass\n"), grid, {5}).ok());
  EXPECT_EQ(fake_cuda().last_launch()->grid[0], 3U);
  EXPECT_EQ(packed<std::int32_t>(0), 5);
  EXPECT_EQ(packed<std::uint32_t>(4), 10U);
}

TEST_F(CudaLaunchTest, clusters_are_launched_as_such) {
  facts_.num_ctas = 2;
  const std::array<std::int64_t, 1> grid = {10};
  ASSERT_TRUE(launch(gpu(), kernel("def k(n):\n    pass\n"), grid, {5}).ok());
  EXPECT_EQ(fake_cuda().last_launch()->cluster, 2U);
  EXPECT_EQ(fake_cuda().last_launch()->grid[0], 20U);
}

TEST_F(CudaLaunchTest, more_than_48_kb_of_shared_memory_is_asked_for_once) {
  facts_.shared_bytes = 100000;
  const Kernel k = kernel("def k():\n    pass\n");
  const std::array<std::int64_t, 1> grid = {1};
  const long before = fake_cuda().calls("cuFuncSetAttribute");
  ASSERT_TRUE(launch(gpu(), k, grid, {}).ok());
  ASSERT_TRUE(launch(gpu(), k, grid, {}).ok());
  EXPECT_EQ(fake_cuda().calls("cuFuncSetAttribute"), before + 1);
  EXPECT_EQ(fake_cuda().last_launch()->shared_bytes, 100000U);
}

TEST_F(CudaLaunchTest, too_much_shared_memory_is_told_with_both_numbers) {
  facts_.shared_bytes = 262176;
  expect_words(launch_error(gpu(), kernel("def big():\n    pass\n"), {}), ErrorKind::Usage,
               {"kernel `big`", "shared memory: 262,176 bytes needed, 232,448 on this GPU"});
}

TEST_F(CudaLaunchTest, a_refused_launch_names_call_kernel_and_sizes) {
  const Variable fail("FAKE_CUDA_FAIL", "cuLaunchKernel=701");
  expect_words(launch_error(gpu(), kernel("def k():\n    pass\n"), {}, {7}), ErrorKind::Usage,
               {"cuLaunchKernel", "kernel `k`", "7 x 1 x 1 blocks of 128 threads", "40 registers",
                "LAUNCH_OUT_OF_RESOURCES", "num_warps"});
}

TEST_F(CudaLaunchTest, a_fault_of_the_kernel_is_told_with_what_to_do) {
  const Kernel k = kernel("def assert_false():\n    pass\n");
  expect_words(launch_error(gpu(), k, {}), ErrorKind::Kernel,
               {"kernel `assert_false`", "cuStreamSynchronize", "LAUNCH_FAILED", "start it again",
                "Interpret mode"});
  // The context stays lost; later calls say so instead of hanging or crashing.
  expect_words(launch_error(gpu(), kernel(copy_text()), {numbers({1}), numbers({1}), 1}),
               ErrorKind::Kernel, {"LAUNCH_FAILED"});
}

TEST_F(CudaLaunchTest, no_memory_for_an_array_names_it) {
  const Variable memory("FAKE_CUDA_MEMORY", "1000");
  const Buffer large = *Buffer::zeros(DType::F32, {1000});
  expect_words(launch_error(gpu(), kernel(copy_text()), {large, large, 1}), ErrorKind::Machine,
               {"array `x`", "500 of 1,000 are free", "cuMemAlloc"});
}

TEST_F(CudaLaunchTest, arrays_of_another_gpu_are_refused) {
  const Variable devices("FAKE_CUDA_DEVICES", "2");
  const Buffer x = *numbers({1}).to(gpu(1));
  const Buffer o = *numbers({1}).to(gpu(0));
  expect_words(launch_error(gpu(0), kernel(copy_text()), {o, x, 1}), ErrorKind::Usage,
               {"`o` lies on cuda:1", "the launch is on cuda:0"});
}

TEST_F(CudaLaunchTest, with_a_stream_and_arrays_on_the_gpu_it_does_not_wait) {
  const Buffer x = *numbers({1, 2}).to(gpu());
  LaunchOptions options;
  options.stream = nullptr;
  const Kernel k = kernel(copy_text());
  const std::array<std::int64_t, 1> grid = {1};
  const long before = fake_cuda().calls("cuStreamSynchronize");
  ASSERT_TRUE(launch(gpu(), k, grid, {x, x, 2}, options).ok());
  EXPECT_EQ(fake_cuda().calls("cuStreamSynchronize"), before);
  EXPECT_EQ(fake_cuda().last_launch()->stream, nullptr);
  ASSERT_TRUE(launch(gpu(), k, grid, {x, numbers({1, 2}), 2}, options).ok());
  EXPECT_GT(fake_cuda().calls("cuStreamSynchronize"), before) << "host arrays must be back";
}

TEST_F(CudaLaunchTest, what_would_break_a_capture_is_refused_before_it_does) {
  const Buffer x = *numbers({1, 2}).to(gpu());
  LaunchOptions options;
  options.stream = nullptr;
  const Kernel k = kernel(copy_text());
  const std::array<std::int64_t, 1> grid = {1};
  fake_cuda().capture(1);
  expect_words(launch_error(gpu(), k, {x, x, 2}, {1}, options), ErrorKind::Usage,
               {"captured", "not loaded yet", "prepare"});
  fake_cuda().capture(0);
  ASSERT_TRUE(launch(gpu(), k, grid, {x, x, 2}, options).ok());
  fake_cuda().capture(1);
  EXPECT_TRUE(launch(gpu(), k, grid, {x, x, 2}, options).ok());
  expect_words(launch_error(gpu(), k, {x, numbers({1}), 2}, {1}, options), ErrorKind::Usage,
               {"captured", "host memory"});
}

TEST_F(CudaLaunchTest, bad_arguments_get_the_interpreters_diagnostics) {
  const Kernel k = kernel(copy_text());
  const Error here = launch_error(Device::interpreter(), k, {numbers({1})});
  const Error there = launch_error(gpu(), k, {numbers({1})});
  EXPECT_EQ(there.message, here.message);
  EXPECT_EQ(there.messages.size(), 2U);
}

}  // namespace
}  // namespace tilery
