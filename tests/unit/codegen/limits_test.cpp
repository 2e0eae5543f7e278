// What a kernel asks of a chip beyond what it has: when it is told, and in which numbers.
#include "codegen/limits.h"

#include "codegen/codegen.h"
#include "tests/support/ir_text.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

namespace tilery::codegen {
namespace {

Function tile(std::int64_t elements) {
  return testing::read_ir(fmt::format(R"(func @f(%p: *i32) {{
  %x = arange start=0 end={0} : i32[{0}]
  %ps = splat %p : *i32[{0}]
  %ptrs = addptr %ps, %x : *i32[{0}]
  store %ptrs, %x
}})",
                                      elements));
}

TEST(LargeTiles, up_to_256_elements_a_thread_are_no_news) {
  Diagnostics diagnostics;
  warn_of_large_tiles(tile(256 * 1024), diagnostics);
  EXPECT_TRUE(diagnostics.all().empty());
}

TEST(LargeTiles, more_are_told_with_what_a_thread_gets) {
  Diagnostics diagnostics;
  warn_of_large_tiles(tile(512 * 1024), diagnostics);
  ASSERT_EQ(diagnostics.all().size(), 1U);
  const Diagnostic& warning = diagnostics.all().front();
  EXPECT_EQ(warning.id, DiagId::TileFillsRegisters);
  EXPECT_EQ(warning.severity, Severity::Warning);
  EXPECT_NE(warning.message.find("a block of 524288 elements puts 512 into each of 1024 threads"),
            std::string::npos)
      << warning.message;
  EXPECT_NE(warning.help.find("at 131072 elements"), std::string::npos) << warning.help;
}

/// A dot of fp64, which chips without fp64 tensor cores compute from shared memory.
Function dot(int m, int k, int n, const char* type, const char* precision) {
  return testing::read_ir(fmt::format(R"(func @f(%p: *{3}) {{
  %a = constant 1.0 : {3}[{0}, {1}]
  %b = constant 1.0 : {3}[{1}, {2}]
  %c = constant 0.0 : {3}[{0}, {2}]
  %d = dot %a, %b, %c precision={4} : {3}[{0}, {2}]
  %r = arange start=0 end={0} : i32[{0}]
  %r2 = expand_dims %r axis=1 : i32[{0}, 1]
  %r3 = broadcast %r2 : i32[{0}, {2}]
  %ps = splat %p : *{3}[{0}, {2}]
  %ptrs = addptr %ps, %r3 : *{3}[{0}, {2}]
  store %ptrs, %d
}})",
                                      m, k, n, type, precision));
}

TEST(SharedMemory, names_the_dot_its_bytes_and_a_way_out) {
  Diagnostics diagnostics;
  const auto gpu =
      lower_to_gpu(dot(64, 1024, 64, "f32", "ieee"), *parse_target("sm_90a"), {}, diagnostics);
  ASSERT_FALSE(gpu);
  ASSERT_EQ(diagnostics.all().size(), 1U);
  const Diagnostic& error = diagnostics.all().front();
  EXPECT_EQ(error.id, DiagId::SharedMemory);
  EXPECT_EQ(error.message, gpu.error().message);
  // 64 · 1024 numbers of 4 bytes, twice.
  EXPECT_NE(error.message.find("needs 524288 bytes of shared memory, and sm_90a has 232448"),
            std::string::npos)
      << error.message;
  ASSERT_EQ(error.notes.size(), 1U);
  EXPECT_NE(error.notes[0].text.find("524288 bytes are for both operands of a dot that takes no "
                                     "tensor cores, f32[64, 1024] and f32[1024, 64]"),
            std::string::npos)
      << error.notes[0].text;
  EXPECT_NE(error.help.find("tf32x3"), std::string::npos) << error.help;
}

TEST(SharedMemory, the_limit_is_the_chips) {
  // 160 KiB: the largest of sm_80 is 163 KiB, of sm_89 99 KiB.
  const Function function = dot(32, 640, 32, "f32", "ieee");
  EXPECT_TRUE(lower_to_gpu(function, *parse_target("sm_80"), {}));
  EXPECT_FALSE(lower_to_gpu(function, *parse_target("sm_89"), {}));
}

TEST(SharedMemory, no_other_precision_is_proposed_for_fp64) {
  Diagnostics diagnostics;
  const auto gpu =
      lower_to_gpu(dot(64, 512, 64, "f64", "ieee"), *parse_target("sm_89"), {}, diagnostics);
  ASSERT_FALSE(gpu);
  EXPECT_EQ(diagnostics.all().front().help.find("tf32"), std::string::npos);
}

}  // namespace
}  // namespace tilery::codegen
