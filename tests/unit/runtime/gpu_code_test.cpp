// What a launcher of compiled code is told, and machine code by the driver (the stand-in).
#include "tilery/gpu_code.h"

#include "tests/fake_cuda/fake_gpu.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

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

TEST_F(GpuCodeTest, too_much_shared_memory_is_told_at_its_line) {
  const Buffer x = numbers(std::vector<float>(32, 1.0F));
  const Kernel wide = kernel(
      "def product(a, b):\n"
      "    return tl.dot(a, b, input_precision='ieee')\n"
      "def k(x):\n"
      "    a = tl.load(x + tl.arange(0, 64)[:, None] * 1024 + tl.arange(0, 1024)[None, :])\n"
      "    c = product(a, tl.trans(a))\n"
      "    tl.store(x + tl.arange(0, 64)[:, None] * 64 + tl.arange(0, 64)[None, :], c)\n");
  const Result<GpuCode> code = compile_for_target(wide, {{"x", x}}, "sm_90a");
  ASSERT_FALSE(code.ok());
  EXPECT_EQ(code.error().kind, ErrorKind::Kernel);
  ASSERT_EQ(code.error().messages.size(), 1U);
  const Message& message = code.error().messages[0];
  EXPECT_EQ(message.kind, "SharedMemory");
  EXPECT_EQ(message.place.line, 2);
  EXPECT_EQ(message.place.column, 12);
  ASSERT_EQ(message.calls.size(), 1U);
  EXPECT_EQ(message.calls[0].place.line, 5);
  EXPECT_NE(message.message.find("232448"), std::string::npos) << message.message;
}

TEST_F(GpuCodeTest, an_enormous_tile_is_told_before_it_is_compiled) {
  const Buffer x = numbers(std::vector<float>(32, 1.0F));
  const Kernel large = kernel(
      "def k(x):\n"
      "    i = tl.arange(0, 524288)\n"
      "    tl.store(x + i % 32, 1.0, mask=i < 32)\n");
  LaunchOptions options;
  std::vector<Message> told;
  options.warn = [&](const Message& message) { told.push_back(message); };
  // No such chip: nothing is compiled. Then a real one.
  EXPECT_FALSE(compile_for_target(large, {{"x", x}}, "sm_1", options).ok());
  EXPECT_TRUE(told.empty());
  const Result<GpuCode> code = compile_for_target(large, {{"x", x}}, "sm_90a", options);
  ASSERT_TRUE(code.ok()) << code.error().message;
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].kind, "TileFillsRegisters");
  EXPECT_EQ(told[0].place.line, 2);
  ASSERT_EQ(code->messages.size(), 1U) << "the report has it too";
  EXPECT_EQ(code->messages[0].text, told[0].text);
}

/// What is told of the kernel, kind by kind, before the chip's code is made.
std::vector<std::string> kinds_told(const Kernel& kernel, const Arguments& arguments) {
  std::vector<std::string> kinds;
  LaunchOptions options;
  options.warn = [&](const Message& message) {
    kinds.push_back(fmt::format("{} {}", message.kind, message.place.line));
  };
  EXPECT_TRUE(compile_for_target(kernel, arguments, "sm_90a", options).ok());
  return kinds;
}

TEST_F(GpuCodeTest, thousands_of_unrolled_turns_are_told_at_their_line) {
  const Buffer x = numbers(std::vector<float>(32, 1.0F));
  const auto unrolled = [&](int turns) {
    return kernel(
        fmt::format("def k(x):\n"
                    "    v = tl.load(x + tl.arange(0, 32))\n"
                    "    for i in tl.static_range({}):\n"
                    "        v = v * v\n"
                    "    tl.store(x + tl.arange(0, 32), v)\n",
                    turns));
  };
  EXPECT_EQ(kinds_told(unrolled(2000), {{"x", x}}), std::vector<std::string>{});
  EXPECT_EQ(kinds_told(unrolled(2001), {{"x", x}}), std::vector<std::string>{"CodeRepeated 4"});
}

// 512 * 512 * 256 products are 1,024 of m16n8k16 in each of 32 warps; half of them are no news.
TEST_F(GpuCodeTest, a_dot_of_a_thousand_instructions_a_warp_is_told_at_its_line) {
  const Buffer x = numbers(std::vector<float>(32, 1.0F));
  const auto dot = [&](int m) {
    return kernel(
        fmt::format("def k(x):\n"
                    "    a = tl.full((512, 256), 1.0, tl.float16)\n"
                    "    b = tl.full((256, {0}), 1.0, tl.float16)\n"
                    "    c = tl.dot(a, b)\n"
                    "    tl.store(x, tl.sum(tl.sum(c, axis=1), axis=0))\n",
                    m));
  };
  EXPECT_EQ(kinds_told(dot(256), {{"x", x}, {"num_warps", 32}}), std::vector<std::string>{});
  EXPECT_EQ(kinds_told(dot(512), {{"x", x}, {"num_warps", 32}}),
            std::vector<std::string>{"DotFillsCode 4"});
}

TEST_F(GpuCodeTest, options_without_effect_are_the_first_notes) {
  const Buffer x = numbers(std::vector<float>(32, 1.0F));
  const Result<GpuCode> code = compile_for_target(
      kernel("def k(x):\n    tl.store(x, 1.0)\n"),
      {{"x", x}, {"num_ctas", 2}, {"launch_pdl", true}, {"sanitize_overflow", false}}, "sm_90a");
  ASSERT_TRUE(code.ok()) << code.error().message;
  ASSERT_EQ(code->option_notes, 2U);
  EXPECT_EQ(code->notes[0],
            "launch_pdl=True changes nothing yet: the kernel waits for the one before it");
  EXPECT_EQ(code->notes[1], "num_ctas=2 changes nothing yet: one thread block runs a program");
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
