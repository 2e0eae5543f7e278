// What people are told when there is no driver, none that fits, or no GPU.
#include "runtime/cuda_api.h"

#include "runtime/cuda_device.h"
#include "tests/fake_cuda/fake_gpu.h"

#include <gtest/gtest.h>

#include <string>

namespace tilery {
namespace {

using testing::Variable;

std::string load_error(const std::string& path) {
  const Result<CudaApi> api = load_cuda_api(path);
  EXPECT_FALSE(api.ok());
  if (api) {
    return {};
  }
  EXPECT_EQ(api.error().kind, ErrorKind::Machine);
  return api.error().message;
}

void expect_words(const std::string& text, const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    EXPECT_NE(text.find(word), std::string::npos) << "no `" << word << "` in: " << text;
  }
}

TEST(CudaApi, without_a_driver_the_error_says_what_to_do) {
  expect_words(load_error("/nonexistent/libcuda.so.1"),
               {"no NVIDIA driver", "/nonexistent/libcuda.so.1", "interpret mode"});
}

TEST(CudaApi, a_library_without_the_functions_is_no_driver) {
  expect_words(load_error("libm.so.6"), {"cuInit", "CUDA 12.0 or later"});
}

TEST(CudaApi, an_old_driver_is_named_with_its_version) {
  const Variable version("FAKE_CUDA_VERSION", "11040");
  expect_words(load_error(testing::fake_cuda_path()), {"CUDA 11.4", "CUDA 12.0 or later", "525"});
}

TEST(CudaApi, a_failing_start_names_the_call_and_the_reason) {
  const Variable fail("FAKE_CUDA_FAIL", "cuInit=100");
  expect_words(load_error(testing::fake_cuda_path()), {"cuInit failed with CUDA_ERROR_NO_DEVICE",
                                                       "no NVIDIA GPU", "CUDA_VISIBLE_DEVICES"});
}

TEST(CudaApi, an_error_that_the_driver_cannot_name_keeps_its_number) {
  const Result<CudaApi> api = load_cuda_api(testing::fake_cuda_path());
  ASSERT_TRUE(api.ok());
  EXPECT_EQ(api->describe(static_cast<cuda::Code>(12345)), "CUDA error 12345");
}

TEST(CudaApi, numbers_are_grouped_by_thousands) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(232448), "232,448");
  EXPECT_EQ(grouped(1234567890), "1,234,567,890");
}

using CudaDeviceTest = testing::FakeGpu;

TEST_F(CudaDeviceTest, a_gpu_tells_its_facts) {
  const Device device = gpu();
  EXPECT_EQ(device.kind(), Device::Kind::Cuda);
  EXPECT_EQ(device.name(), "cuda:0");
  EXPECT_EQ(device.description(), "cuda:0 (Fake GPU 0)");
  const GpuInfo& info = *device.gpu_info();
  EXPECT_EQ(info.capability_major, 9);
  EXPECT_EQ(info.target, "sm_90a");
  EXPECT_EQ(info.multiprocessors, 132);
  EXPECT_EQ(info.shared_bytes_per_block, 232448);
  EXPECT_EQ(info.driver_version, 13000);
  EXPECT_EQ(Device::interpreter().gpu_info(), nullptr);
}

TEST_F(CudaDeviceTest, a_number_that_no_gpu_has_is_wrong_usage) {
  const Result<Device> device = Device::cuda(3);
  ASSERT_FALSE(device.ok());
  EXPECT_EQ(device.error().kind, ErrorKind::Usage);
  expect_words(device.error().message, {"cuda:3", "cuda:0 only"});
}

TEST_F(CudaDeviceTest, no_gpu_is_the_machines_fault) {
  const Variable none("FAKE_CUDA_DEVICES", "0");
  const Result<Device> device = Device::cuda(5);
  ASSERT_FALSE(device.ok());
  EXPECT_EQ(device.error().kind, ErrorKind::Machine);
  EXPECT_EQ(*Device::cuda_count(), 0);
}

TEST_F(CudaDeviceTest, a_gpu_too_old_for_our_code_is_refused) {
  const Variable capability("FAKE_CUDA_CAPABILITY", "75");
  const Variable devices("FAKE_CUDA_DEVICES", "8");
  // One that no other test opens.
  const Device device = gpu(7);
  EXPECT_EQ(device.gpu_info()->target, "");
  const Error error = launch_error(device, kernel("def k():\n    pass\n"), {});
  EXPECT_EQ(error.kind, ErrorKind::Machine);
  expect_words(error.message, {"compute capability 7.5", "8.0"});
}

TEST_F(CudaDeviceTest, the_current_context_is_used_and_stays_current) {
  CudaDevice& device = *gpu().cuda_device();
  CudaContext* primary = *device.context();
  EXPECT_EQ(testing::fake_cuda().current(), nullptr) << "nothing is left current";
  testing::fake_cuda().set_current(1);
  void* theirs = testing::fake_cuda().current();
  CudaContext* context = *device.context();
  EXPECT_NE(context, primary);
  EXPECT_EQ(static_cast<void*>(context->handle), theirs);
  {
    const ContextScope scope(*primary);
    EXPECT_EQ(testing::fake_cuda().current(), static_cast<void*>(primary->handle));
  }
  EXPECT_EQ(testing::fake_cuda().current(), theirs);
  testing::fake_cuda().set_current(2);
  EXPECT_EQ(*device.context(), primary) << "a context on another GPU does not concern this one";
}

}  // namespace
}  // namespace tilery
