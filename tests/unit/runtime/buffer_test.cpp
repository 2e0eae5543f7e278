#include "tilery/buffer.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>

namespace tilery {
namespace {

TEST(Buffer, zeros_has_the_shape_and_is_written) {
  const Result<Buffer> x = Buffer::zeros(DType::F32, {2, 3});
  ASSERT_TRUE(x.ok());
  EXPECT_EQ(x->numel(), 6);
  EXPECT_EQ(x->bytes(), 24U);
  EXPECT_EQ(x->number(5), 0.0);
  EXPECT_TRUE(x->is_defined(5));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(x->data()) % 64, 0U);
}

TEST(Buffer, copies_of_the_handle_share_the_memory) {
  Result<Buffer> x = Buffer::zeros(DType::I32, {4});
  Buffer y = *x;
  y.set_number(2, 7);
  EXPECT_EQ(x->number(2), 7);
  EXPECT_EQ(*x, y);
}

TEST(Buffer, uninitialised_elements_are_tracked_one_by_one) {
  Result<Buffer> x = Buffer::uninitialised(DType::F16, {3});
  EXPECT_FALSE(x->is_defined(0));
  x->set_number(1, 0.5);
  EXPECT_FALSE(x->is_defined(0));
  EXPECT_TRUE(x->is_defined(1));
  x->mark_defined();
  EXPECT_TRUE(x->is_defined(2));
}

TEST(Buffer, borrowed_memory_is_used_in_place) {
  std::array<float, 2> memory = {1.5F, 2.0F};
  Result<Buffer> x = Buffer::borrow(DType::F32, {2}, memory.data());
  x->set_number(1, 4);
  EXPECT_EQ(memory[1], 4.0F);
  EXPECT_FALSE(x->is_read_only());
  EXPECT_TRUE(Buffer::borrow_read_only(DType::F32, {2}, memory.data())->is_read_only());
}

TEST(Buffer, impossible_shapes_are_refused) {
  EXPECT_EQ(Buffer::zeros(DType::F32, {-1}).error().kind, ErrorKind::Usage);
  EXPECT_EQ(Buffer::zeros(DType::F64, {INT64_MAX, 2}).error().kind, ErrorKind::Usage);
  // A petabyte: no machine that runs this test has it.
  EXPECT_EQ(Buffer::zeros(DType::U8, {std::int64_t{1} << 50}).error().kind, ErrorKind::Machine);
}

TEST(Buffer, an_array_without_elements_has_an_address) {
  const Result<Buffer> x = Buffer::zeros(DType::F32, {0, INT64_MAX});
  ASSERT_TRUE(x.ok());
  EXPECT_EQ(x->bytes(), 0U);
  EXPECT_NE(x->data(), nullptr);
}

TEST(DType, names_of_all_kinds_are_read) {
  EXPECT_EQ(dtype_named("f32"), DType::F32);
  EXPECT_EQ(dtype_named("fp16"), DType::F16);
  EXPECT_EQ(dtype_named("tl.float16"), DType::F16);
  EXPECT_EQ(dtype_named("int1"), DType::I1);
  EXPECT_EQ(dtype_named("bool"), DType::I1);
  EXPECT_EQ(dtype_named("torch.bfloat16"), DType::BF16);
  EXPECT_EQ(dtype_named("float8_e4m3fn"), DType::F8E4NV);
  EXPECT_EQ(dtype_named("f31"), std::nullopt);
}

TEST(DType, numbers_are_rounded_or_cut_when_stored) {
  std::uint64_t cell = 0;
  store_number(DType::I8, &cell, 300);
  EXPECT_EQ(load_integer(DType::I8, &cell), 127);
  store_number(DType::U8, &cell, -3);
  EXPECT_EQ(load_integer(DType::U8, &cell), 0);
  store_number(DType::U64, &cell, 1e30);
  EXPECT_EQ(cell, UINT64_MAX);
  store_number(DType::I32, &cell, NAN);
  EXPECT_EQ(load_integer(DType::I32, &cell), 0);
  // 1 + 2^-11 lies between two halves and goes to the even one.
  store_number(DType::F16, &cell, 1 + std::ldexp(1.0, -11));
  EXPECT_EQ(load_number(DType::F16, &cell), 1.0);
  store_integer(DType::I8, &cell, 300);
  EXPECT_EQ(load_integer(DType::I8, &cell), 44) << "integers wrap: 300 - 256";
}

}  // namespace
}  // namespace tilery
