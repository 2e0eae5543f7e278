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

TEST_F(GpuCommands, a_regular_kernel_that_names_its_warps_has_no_notes) {
  const auto report =
      parsed(on_gpu(rows("run", "1024", {"--grid", "4", "--on", "cuda", "num_warps=4", "--json"})));
  ASSERT_TRUE(report.is_object());
  EXPECT_TRUE(report["notes"].empty()) << report["notes"];
}

}  // namespace
}  // namespace tilery::testing
