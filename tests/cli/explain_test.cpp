// `tilery explain`: needs no GPU; with one (the stand-in for the driver) it asks the driver.
#include "tests/cli/command.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace tilery::testing {
namespace {

using nlohmann::json;

constexpr const char* kRows = R"(@triton.jit
def scale(x, out, stride, n, B: tl.constexpr):
    i = tl.arange(0, B)
    row = tl.program_id(0) * stride
    two = 1 + 1
    v = tl.load(x + row + i, mask=i < n)
    tl.store(out + row + i, v * two, mask=i < n)
)";

class Explain : public ::testing::Test {
 protected:
  /// explain on kRows with rows of this length.
  ProcessResult explain(const std::string& stride, std::vector<std::string> more = {}) {
    std::vector<std::string> words{"explain",
                                   folder_.write("rows.tl", kRows),
                                   "x=ones:f32[4*stride]",
                                   "out=zeros:f32[4*stride]",
                                   "stride=" + stride,
                                   "n=" + stride,
                                   "B=1024"};
    words.insert(words.end(), more.begin(), more.end());
    ProcessOptions options;
    options.environment = {{"TILERY_LIBCUDA", library_}, {"TILERY_CACHE_DIR", folder_.file("c")}};
    return tilery(std::move(words), options);
  }

  json explained(const std::string& stride, std::vector<std::string> more = {}) {
    more.emplace_back("--json");
    const ProcessResult r = explain(stride, std::move(more));
    EXPECT_EQ(r.exit_code, 0) << r.out << r.err;
    return json::parse(r.out, nullptr, false);
  }

  TempDir folder_;
  std::string library_ = folder_.file("none.so");
};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_F(Explain, needs_no_gpu_and_shows_lines_with_types) {
  const ProcessResult r = explain("1024");
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_TRUE(contains(r.out, "    6 |     v = tl.load(x + row + i, mask=i < n)\n")) << r.out;
  EXPECT_TRUE(contains(r.out, "f32[1024]")) << r.out;
  EXPECT_FALSE(contains(r.out, "narrow:")) << r.out;
}

TEST_F(Explain, a_regular_access_has_16_bytes_in_facts_and_code) {
  const json report = explained("1024", {"num_warps=4"});
  ASSERT_TRUE(report.is_object());
  ASSERT_EQ(report["accesses"].size(), 2U);
  // 1024 · 4 bytes = 2 · 16 bytes · 128 threads
  for (const json& access : report["accesses"]) {
    EXPECT_EQ(access["bytes_at_once"], 16);
    EXPECT_EQ(access["instructions"], 2);
    EXPECT_EQ(access["why"], "");
    // 32 lanes of 16 bytes are 16 sectors of 32
    EXPECT_EQ(access["sectors"], 16);
    EXPECT_EQ(access["sectors_at_least"], 16);
  }
  EXPECT_EQ(report["accesses"][0]["access"], "load");
  EXPECT_EQ(report["accesses"][0]["arguments"], json::array({"x"}));
  EXPECT_EQ(report["accesses"][1]["arguments"], json::array({"out"}));
  bool found = false;
  for (const json& line : report["lines"]) {
    if (line["line"] == 6) {
      found = true;
      EXPECT_EQ(line["instructions"]["loads"],
                json::array({json{{"bytes", 16}, {"instructions", 2}}}));
    }
  }
  EXPECT_TRUE(found) << report["lines"];
}

TEST_F(Explain, instructions_stand_at_their_line_however_the_file_is_named) {
  folder_.write("rows.tl", kRows);
  folder_.write("zoë.tl", kRows);
  for (const char* file : {"rows.tl", "./rows.tl", "zoë.tl"}) {
    ProcessOptions options;
    options.working_directory = folder_.file("");
    const ProcessResult r = tilery({"explain", file, "x=ones:f32[4096]", "out=zeros:f32[4096]",
                                    "stride=1024", "n=1024", "B=1024", "--json"},
                                   options);
    const json report = json::parse(r.out, nullptr, false);
    ASSERT_TRUE(report.is_object()) << r.out << r.err;
    ASSERT_EQ(report["lines"].size(), 2U) << file;
    EXPECT_EQ(report["lines"][0]["file"], file);
    EXPECT_EQ(report["lines"][0]["line"], 6);
  }
}

// ptxas ends the string at `\"` and refuses the rest.
TEST_F(Explain, ptx_has_no_quotation_mark_of_a_file_name) {
  const ProcessResult r = tilery({"emit", folder_.write("two\"rows.tl", kRows), "x=ones:f32[8]",
                                  "out=zeros:f32[8]", "stride=8", "n=8", "B=8", "--stage", "ptx"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_TRUE(contains(r.out, "two'rows.tl\"")) << r.out;
  EXPECT_FALSE(contains(r.out, "\\\"")) << r.out;
}

TEST_F(Explain, a_narrow_access_says_why_and_what_to_change) {
  const json report = explained("1000", {"num_warps=4"});
  ASSERT_TRUE(report.is_object());
  const json& load = report["accesses"][0];
  EXPECT_EQ(load["bytes_at_once"], 4);
  EXPECT_EQ(load["instructions"], 8);
  EXPECT_TRUE(contains(load["why"], "`stride` is not known to be a multiple of 16"));
  EXPECT_TRUE(contains(load["help"], "a multiple of 16 as `stride`"));
  EXPECT_EQ(report["notes"].size(), 2U);
}

TEST_F(Explain, arguments_say_what_the_code_relies_on) {
  const json report = explained("1024");
  ASSERT_EQ(report["arguments"].size(), 4U);
  const json& x = report["arguments"][0];
  EXPECT_EQ(x["name"], "x");
  EXPECT_EQ(x["type"], "*f32");
  EXPECT_EQ(x["divisible_by_16"], true);
  EXPECT_EQ(x["read"], true);
  EXPECT_EQ(x["written"], false);
  EXPECT_EQ(report["arguments"][1]["written"], true);
  EXPECT_EQ(report["arguments"][2]["divisible_by_16"], true);
}

TEST_F(Explain, the_reason_of_num_warps_is_told) {
  // 1024 elements, 8 a thread: 4 warps
  const json report = explained("1024");
  EXPECT_EQ(report["num_warps"], 4);
  EXPECT_EQ(report["num_warps_reason"],
            "the largest tile has 1024 elements, and nothing is reduced or scanned");
  EXPECT_EQ(explained("1024", {"num_warps=8"})["num_warps_reason"], "the launch asks for 8");
}

TEST_F(Explain, the_chip_is_chosen_by_target) {
  EXPECT_EQ(explained("1024")["target"], "sm_90a");
  EXPECT_EQ(explained("1024", {"--target", "sm_80"})["target"], "sm_80");
  const ProcessResult r = explain("1024", {"--target", "sm_12"});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_TRUE(contains(r.err, "there is no target `sm_12`")) << r.err;
}

TEST_F(Explain, a_device_that_is_not_there_is_the_machines_fault) {
  EXPECT_EQ(explain("1024", {"--on", "cuda"}).exit_code, 3);
}

TEST_F(Explain, a_device_is_asked_for_registers) {
  library_ = TILERY_FAKE_CUDA;
  const json report = explained("1024", {"--on", "cuda"});
  ASSERT_TRUE(report["resources"].is_object()) << report;
  EXPECT_TRUE(contains(report["resources"]["source"], "the driver, cuda:0"));
  EXPECT_GT(report["resources"]["registers"], 0);
}

TEST_F(Explain, a_kernel_that_does_not_compile_is_at_fault) {
  const std::string file = folder_.write("bad.tl", "def k(x):\n    tl.store(x, undefined)\n");
  EXPECT_EQ(tilery({"explain", file, "x=zeros:f32[4]"}).exit_code, 1);
}

TEST_F(Explain, a_loop_that_is_not_pipelined_says_why) {
  const std::string file = folder_.write("dot.tl", R"(def k(a, b, c, n):
    i = tl.arange(0, 32)
    acc = tl.zeros((32, 32), tl.float32)
    for k in range(0, n, 32):
        x = tl.load(a + i[:, None] * 32 + i[None, :] + k)
        y = tl.load(b + i[:, None] * 32 + i[None, :] + k)
        acc = tl.dot(x, y, acc)
        tl.store(c + i, 1.0)
    tl.store(c + i[:, None] * 32 + i[None, :], acc)
)");
  const ProcessResult r = tilery(
      {"explain", file, "a=zeros:f16[32,32]", "b=zeros:f16[32,32]", "c=zeros:f32[32,32]", "n=32"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_TRUE(contains(r.out, "loop: not pipelined")) << r.out;
  EXPECT_TRUE(contains(r.out, "because: it stores")) << r.out;
  EXPECT_TRUE(contains(r.out, "on tensor cores")) << r.out;
}

}  // namespace
}  // namespace tilery::testing
