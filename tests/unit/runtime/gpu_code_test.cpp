// What a launcher of compiled code is told, and machine code by the driver (the stand-in).
#include "tilery/gpu_code.h"

#include "tests/fake_cuda/fake_gpu.h"

#include <gtest/gtest.h>

#include <string>

namespace tilery {
namespace {

class GpuCodeTest : public testing::FakeGpu {
 protected:
  static Result<GpuCode> compiled(const std::string& target) {
    const Buffer x = numbers(std::vector<float>(32, 1.0F));
    return compile_for_target(kernel("def k(x, n, s, C: tl.constexpr, D: tl.constexpr=None):\n"
                                     "    tl.store(x + n * s, C)\n"),
                              {{"x", Argument::pointer(x, 1)}, {"n", 48}, {"s", 1}, {"C", -7}},
                              target);
  }
};

TEST_F(GpuCodeTest, tells_types_facts_and_constants) {
  const Result<GpuCode> code = compiled("sm_90a");
  ASSERT_TRUE(code.ok()) << code.error().message;
  EXPECT_EQ(code->kernel, "k");
  ASSERT_EQ(code->parameters.size(), 3U);
  const GpuParameter& x = code->parameters[0];
  EXPECT_EQ(x.type, "*fp32");
  EXPECT_TRUE(x.is_pointer);
  EXPECT_FALSE(x.is_divisible_by_16) << "one element behind an aligned address";
  const GpuParameter& n = code->parameters[1];
  EXPECT_EQ(n.type, "int32");
  EXPECT_EQ(n.dtype, DType::I32);
  EXPECT_TRUE(n.is_divisible_by_16);
  EXPECT_TRUE(code->parameters[2].is_one);
  ASSERT_EQ(code->constants.size(), 2U);
  EXPECT_EQ(code->constants[0].text, "-7");
  EXPECT_EQ(code->constants[0].integer, -7);
  EXPECT_EQ(code->constants[1].text, "None");
  EXPECT_FALSE(code->constants[1].integer.has_value());
}

TEST_F(GpuCodeTest, the_driver_assembles_for_its_own_gpu_only) {
  const Result<GpuCode> own = compiled("sm_90a");
  const Result<GpuCode> other = compiled("sm_80");
  ASSERT_TRUE(own.ok() && other.ok());
  const Result<std::string> cubin = assemble_with_driver(*own, gpu());
  ASSERT_TRUE(cubin.ok()) << cubin.error().message;
  EXPECT_TRUE(cubin->starts_with("\177ELF"));
  const Result<std::string> refused = assemble_with_driver(*other, gpu());
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, ErrorKind::Usage);
  EXPECT_NE(refused.error().message.find("sm_80"), std::string::npos);
  EXPECT_FALSE(assemble_with_driver(*own, Device::interpreter()).ok());
}

TEST_F(GpuCodeTest, a_driver_that_cannot_assemble_is_the_machines_fault) {
  const Result<GpuCode> code = compiled("sm_90a");
  ASSERT_TRUE(code.ok());
  const testing::Variable failing("FAKE_CUDA_FAIL", "cuLinkComplete=218");
  const Result<std::string> cubin = assemble_with_driver(*code, gpu());
  ASSERT_FALSE(cubin.ok());
  EXPECT_EQ(cubin.error().kind, ErrorKind::Machine);
}

}  // namespace
}  // namespace tilery
