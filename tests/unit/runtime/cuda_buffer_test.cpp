// Arrays on a GPU.
#include "tests/fake_cuda/fake_gpu.h"
#include "tilery/npy.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

namespace tilery {
namespace {

using testing::fake_cuda;
using testing::Variable;
using CudaBuffer = testing::FakeGpu;

TEST_F(CudaBuffer, elements_travel_there_and_back) {
  const Result<Buffer> x = Buffer::uninitialised(DType::F32, {2, 2}, gpu());
  ASSERT_TRUE(x.ok()) << x.error().message;
  EXPECT_TRUE(x->is_on_gpu());
  EXPECT_EQ(x->device(), gpu());
  const std::array<float, 4> sent = {1, 2, 3, 4};
  ASSERT_TRUE(x->copy_from(sent.data()).ok());
  std::array<float, 4> received{};
  ASSERT_TRUE(x->copy_to(received.data()).ok());
  EXPECT_EQ(received, sent);
}

TEST_F(CudaBuffer, to_copies_in_every_direction) {
  const Buffer host = numbers({1, 2, 3});
  const Result<Buffer> there = host.to(gpu());
  ASSERT_TRUE(there.ok()) << there.error().message;
  const Result<Buffer> again = there->to(gpu());
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_NE(again->data(), there->data());
  const Result<Buffer> back = again->to(Device::interpreter());
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_FALSE(back->is_on_gpu());
  EXPECT_EQ(back->as<float>()[2], 3);
  EXPECT_TRUE(back->is_defined(2));
}

TEST_F(CudaBuffer, zeros_are_zero_and_single_elements_can_be_read_and_written) {
  Result<Buffer> x = Buffer::zeros(DType::F16, {3}, gpu());
  ASSERT_TRUE(x.ok()) << x.error().message;
  x->set_number(1, 2.5);
  EXPECT_EQ(x->number(0), 0);
  EXPECT_EQ(x->number(1), 2.5);
  EXPECT_EQ(x->number(2), 0);
  EXPECT_TRUE(x->as<std::uint16_t>().empty()) << "its elements are not host memory";
}

TEST_F(CudaBuffer, an_empty_array_is_one_too) {
  const Result<Buffer> x = Buffer::zeros(DType::F32, {0, 4}, gpu());
  ASSERT_TRUE(x.ok()) << x.error().message;
  EXPECT_EQ(x->bytes(), 0U);
  EXPECT_NE(x->data(), nullptr);
  EXPECT_TRUE(x->copy_from(nullptr).ok());
}

TEST_F(CudaBuffer, memory_is_freed_with_the_last_handle) {
  const long before = fake_cuda().allocations();
  {
    const Result<Buffer> x = Buffer::zeros(DType::F32, {4}, gpu());
    const Buffer other = *x;
    EXPECT_EQ(fake_cuda().allocations(), before + 1);
  }
  EXPECT_EQ(fake_cuda().allocations(), before);
}

TEST_F(CudaBuffer, out_of_memory_names_the_array_and_what_is_free) {
  const Variable memory("FAKE_CUDA_MEMORY", "1000000");
  const Result<Buffer> x = Buffer::zeros(DType::F32, {1024, 1024}, gpu());
  ASSERT_FALSE(x.ok());
  EXPECT_EQ(x.error().kind, ErrorKind::Machine);
  for (const char* word : {"4,194,304 bytes", "f32[1024, 1024]", "cuda:0 (Fake GPU 0)",
                           "500,000 of 1,000,000 are free", "cuMemAlloc", "OUT_OF_MEMORY"}) {
    EXPECT_NE(x.error().message.find(word), std::string::npos) << word << ": " << x.error().message;
  }
}

TEST_F(CudaBuffer, a_callers_memory_can_be_borrowed) {
  const Result<Buffer> owner = Buffer::zeros(DType::F32, {8}, gpu());
  auto* inside = static_cast<std::byte*>(owner->data()) + 16;
  const Result<Buffer> part = Buffer::borrow(DType::F32, {4}, inside, gpu());
  ASSERT_TRUE(part.ok()) << part.error().message;
  Buffer(*part).set_number(0, 7);
  EXPECT_EQ(owner->number(4), 7);
}

TEST_F(CudaBuffer, host_memory_is_not_borrowed_as_a_gpus) {
  std::array<float, 4> mine{};
  const Result<Buffer> x = Buffer::borrow(DType::F32, {4}, mine.data(), gpu());
  ASSERT_FALSE(x.ok());
  EXPECT_EQ(x.error().kind, ErrorKind::Usage);
}

TEST_F(CudaBuffer, memory_of_another_gpu_is_told_apart) {
  const Variable devices("FAKE_CUDA_DEVICES", "2");
  const Result<Buffer> x = Buffer::zeros(DType::F32, {4}, gpu());
  // The stand-in says of all its memory that it lies on the first GPU.
  const Result<Buffer> wrong = Buffer::borrow(DType::F32, {4}, x->data(), gpu(1));
  ASSERT_FALSE(wrong.ok());
  EXPECT_NE(wrong.error().message.find("cuda:0, not on cuda:1"), std::string::npos)
      << wrong.error().message;
}

TEST_F(CudaBuffer, a_failing_copy_names_the_call_and_the_bytes) {
  const Result<Buffer> x = Buffer::zeros(DType::F32, {500}, gpu());
  const Variable fail("FAKE_CUDA_FAIL", "cuMemcpyDtoHAsync=700");
  std::vector<float> host(500);
  const Status status = x->copy_to(host.data());
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().kind, ErrorKind::Kernel) << "an earlier kernel's fault";
  for (const char* word : {"cuMemcpyDtoHAsync", "2,000 bytes", "f32[500]", "ILLEGAL_ADDRESS"}) {
    EXPECT_NE(status.error().message.find(word), std::string::npos) << status.error().message;
  }
  EXPECT_TRUE(std::isnan(x->number(0)));
}

TEST_F(CudaBuffer, on_a_stream_a_copy_does_not_wait) {
  const Result<Buffer> x = Buffer::zeros(DType::F32, {4}, gpu());
  const std::array<float, 4> host = {1, 2, 3, 4};
  const long before = fake_cuda().calls("cuStreamSynchronize");
  EXPECT_TRUE(x->copy_from(host.data(), nullptr).ok());
  EXPECT_EQ(fake_cuda().calls("cuStreamSynchronize"), before);
  EXPECT_TRUE(x->copy_from(host.data()).ok());
  EXPECT_EQ(fake_cuda().calls("cuStreamSynchronize"), before + 1);
}

TEST_F(CudaBuffer, an_array_on_a_gpu_can_be_saved) {
  const Result<Buffer> x = numbers({1, 2}).to(gpu());
  ASSERT_TRUE(save_npy(cache_.file("x.npy"), *x).ok());
  const Result<Buffer> read = load_npy(cache_.file("x.npy"));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->number(1), 2);
}

TEST_F(CudaBuffer, the_interpreter_refuses_it_with_a_way_out) {
  const Result<Buffer> x = Buffer::zeros(DType::F32, {8}, gpu());
  const Error error = launch_error(Device::interpreter(), kernel(copy_text()), {*x, *x, 8});
  EXPECT_EQ(error.kind, ErrorKind::Usage);
  EXPECT_NE(error.message.find("`x` lies on cuda:0"), std::string::npos) << error.message;
  EXPECT_NE(error.message.find("buffer.to(Device::interpreter())"), std::string::npos);
}

}  // namespace
}  // namespace tilery
