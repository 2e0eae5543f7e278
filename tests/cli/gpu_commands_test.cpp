// Commands that use a GPU, on the stand-in for the driver: code is made as ever, and a kernel does
// nothing.
#include "tests/cli/command.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace tilery::testing {
namespace {

constexpr const char* kRows = R"(@triton.jit
def scale(x, out, stride, n, B: tl.constexpr):
    i = tl.arange(0, B)
    row = tl.program_id(0) * stride
    v = tl.load(x + row + i, mask=i < n)
    tl.store(out + row + i, v * 2, mask=i < n)
)";

class GpuCommands : public ::testing::Test {
 protected:
  /// `tilery` with the stand-in's GPU and a cache of its own.
  ProcessResult on_gpu(std::vector<std::string> arguments) {
    ProcessOptions options;
    options.environment = {{"TILERY_LIBCUDA", TILERY_FAKE_CUDA},
                           {"TILERY_CACHE_DIR", folder_.file("cache")}};
    return tilery(std::move(arguments), options);
  }

  /// `tilery` where there is no driver.
  ProcessResult without_gpu(std::vector<std::string> arguments) {
    ProcessOptions options;
    options.environment = {{"TILERY_LIBCUDA", folder_.file("none.so")}};
    return tilery(std::move(arguments), options);
  }

  /// The arguments of a launch of kRows with this stride.
  std::vector<std::string> rows(const std::string& command, const std::string& stride,
                                std::vector<std::string> more = {}) {
    std::vector<std::string> words{command,
                                   folder_.write("rows.tl", kRows),
                                   "x=ones:f32[4*stride]",
                                   "out=zeros:f32[4*stride]",
                                   "stride=" + stride,
                                   "n=" + stride,
                                   "B=1024"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  static nlohmann::json parsed(const ProcessResult& result) {
    return nlohmann::json::parse(result.out, nullptr, false);
  }

  TempDir folder_;
};

TEST_F(GpuCommands, run_tells_why_an_access_is_narrow) {
  const ProcessResult r = on_gpu(rows("run", "1000", {"--grid", "4", "--on", "cuda"}));
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_NE(r.err.find("note: num_warps is "), std::string::npos) << r.err;
  EXPECT_NE(r.err.find("rows.tl:5:9: load moves 4 bytes at once, not 16: `stride`"),
            std::string::npos)
      << r.err;
  EXPECT_EQ(r.out, "");
}

TEST_F(GpuCommands, the_notes_come_from_the_cache_as_well) {
  const auto words = rows("run", "1000", {"--grid", "4", "--on", "cuda", "--json"});
  const auto first = parsed(on_gpu(words));
  const auto second = parsed(on_gpu(words));
  ASSERT_TRUE(first.is_object() && second.is_object());
  EXPECT_EQ(first["notes"].size(), 3U);
  EXPECT_EQ(first["notes"], second["notes"]);
}

TEST_F(GpuCommands, compare_tells_by_how_much) {
  // The stand-in's kernel leaves the zeros; the interpreter's gives 2 everywhere.
  const ProcessResult r = on_gpu(rows("compare", "1024", {"--grid", "4", "--json"}));
  EXPECT_EQ(r.exit_code, 1) << r.err;
  const auto report = parsed(r);
  ASSERT_TRUE(report.is_object()) << r.out;
  const auto& d = report["differences"][0];
  EXPECT_EQ(d["run"], 1);
  EXPECT_EQ(d["array"], "out");
  EXPECT_EQ(d["elements"], 4096);
  EXPECT_EQ(d["largest_absolute"], nlohmann::json({{"index", {0}}, {"value", 2.0}}));
  EXPECT_EQ(d["largest_relative"], nlohmann::json({{"index", {0}}, {"value", 1.0}}));
}

TEST_F(GpuCommands, a_regular_kernel_that_names_its_warps_has_no_notes) {
  const auto report =
      parsed(on_gpu(rows("run", "1024", {"--grid", "4", "--on", "cuda", "num_warps=4", "--json"})));
  ASSERT_TRUE(report.is_object());
  EXPECT_TRUE(report["notes"].empty()) << report["notes"];
}

constexpr const char* kWide = R"(@triton.jit
def wide(x):
    a = tl.load(x + tl.arange(0, 64)[:, None] * 1024 + tl.arange(0, 1024)[None, :])
    c = tl.dot(a, tl.trans(a), input_precision="ieee")
    tl.store(x + tl.arange(0, 64)[:, None] * 64 + tl.arange(0, 64)[None, :], c)
)";

TEST_F(GpuCommands, too_much_shared_memory_is_the_kernels_fault) {
  const std::string file = folder_.write("wide.tl", kWide);
  const std::string out = folder_.file("wide");
  const std::vector<std::vector<std::string>> commands{
      {"run", file, "x=ones:f32[65536]", "--grid", "1", "--on", "cuda"},
      {"emit", file, "x=*f32", "--stage", "ptx"},
      {"build", file, "x=*f32", "--out", out},
      {"explain", file, "x=*f32"}};
  for (const auto& words : commands) {
    const ProcessResult r = on_gpu(words);
    EXPECT_EQ(r.exit_code, 1) << words[0] << r.err;
    EXPECT_NE(r.err.find("wide.tl:4:9: error: the kernel needs 524288 bytes of shared memory"),
              std::string::npos)
        << words[0] << r.err;
  }
}

TEST_F(GpuCommands, a_warning_that_was_shown_before_is_not_repeated_with_the_error) {
  std::string source = kWide;
  source += "    i = tl.arange(0, 524288)\n    tl.store(x + i, 1.0)\n";
  const std::string file = folder_.write("wide.tl", source);
  const ProcessResult r = on_gpu({"emit", file, "x=*f32", "--stage", "ptx"});
  EXPECT_EQ(r.exit_code, 1);
  const std::string warning = "wide.tl:6:9: warning: a block of 524288 elements";
  const std::size_t at = r.err.find(warning);
  ASSERT_NE(at, std::string::npos) << r.err;
  EXPECT_EQ(r.err.find(warning, at + 1), std::string::npos) << r.err;
  EXPECT_NE(r.err.find("shared memory", at), std::string::npos) << r.err;
}

TEST_F(GpuCommands, an_option_without_effect_is_noted_everywhere) {
  const std::string note = "num_ctas=2 changes nothing yet: one thread block runs a program";
  for (const char* on : {"interpret", "cuda"}) {
    const ProcessResult r = on_gpu(rows("run", "1024", {"--grid", "4", "--on", on, "num_ctas=2"}));
    EXPECT_EQ(r.exit_code, 0) << r.err;
    EXPECT_NE(r.err.find("note: " + note), std::string::npos) << r.err;
  }
  EXPECT_NE(on_gpu(rows("emit", "1024", {"--stage", "ptx", "num_ctas=2"})).err.find(note),
            std::string::npos);
  EXPECT_NE(
      on_gpu(rows("build", "1024", {"--out", folder_.file("k"), "num_ctas=2"})).err.find(note),
      std::string::npos);
  EXPECT_NE(on_gpu(rows("explain", "1024", {"num_ctas=2"})).out.find(note), std::string::npos);
  EXPECT_EQ(on_gpu(rows("run", "1024", {"--grid", "4", "num_ctas=1"})).err, "");
}

}  // namespace
}  // namespace tilery::testing
