// `tilery bench`, on the stand-in for the driver, whose kernels do nothing, and in the interpreter.
#include "tests/cli/command.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <utility>
#include <vector>

namespace tilery::testing {
namespace {

using nlohmann::json;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class Bench : public ::testing::Test {
 protected:
  ProcessResult bench(std::vector<std::string> more) {
    std::vector<std::string> words{"bench",
                                   folder_.write("add.tl", kAdd),
                                   "x=ones:f32[1000]",
                                   y_,
                                   out_,
                                   "n=1000",
                                   "--grid",
                                   grid_,
                                   "--time",
                                   "2",
                                   "--warmup",
                                   "1"};
    words.insert(words.end(), more.begin(), more.end());
    ProcessOptions options;
    options.environment = {{"TILERY_LIBCUDA", library_},
                           {"TILERY_CACHE_DIR", folder_.file("cache")},
                           {"FAKE_CUDA_MEMORY", "100000000"}};
    options.environment.insert(options.environment.end(), variables_.begin(), variables_.end());
    return tilery(std::move(words), options);
  }

  json benched(std::vector<std::string> more) {
    more.emplace_back("--json");
    const ProcessResult r = bench(std::move(more));
    EXPECT_EQ(r.exit_code, 0) << r.out << r.err;
    return json::parse(r.out, nullptr, false);
  }

  TempDir folder_;
  std::string y_ = "y=ones:f32[1000]";
  std::string out_ = "out=zeros:f32[1000]";
  std::string grid_ = "cdiv(n, BLOCK)";
  std::string library_ = TILERY_FAKE_CUDA;
  std::vector<std::pair<std::string, std::string>> variables_;
};

TEST_F(Bench, counts_each_array_once) {
  const json report = benched({"BLOCK=128"});
  ASSERT_TRUE(report.is_object());
  EXPECT_EQ(report["device"], "cuda:0 (Fake GPU 0)");
  // x and y read, out written: 3 · 1000 · 4 bytes
  EXPECT_EQ(report["bytes"], 12000);
  EXPECT_TRUE(contains(report["bytes_counted"], "x read, y read, out written"));
  ASSERT_EQ(report["rows"].size(), 1U);
  const json& row = report["rows"][0];
  EXPECT_EQ(row["grid"], json::array({8}));
  EXPECT_GE(row["runs"], 10);
  EXPECT_LE(row["p20_us"], row["median_us"]);
  EXPECT_LE(row["median_us"], row["p80_us"]);
  const double seconds = row["median_us"].get<double>() / 1e6;
  EXPECT_NEAR(row["bytes_per_second"].get<double>() * seconds, 12000, 1e-3);
  EXPECT_NEAR(row["copy_share"].get<double>() * report["copy_bytes_per_second"].get<double>(),
              row["bytes_per_second"].get<double>(), row["bytes_per_second"].get<double>() * 1e-9);
}

TEST_F(Bench, one_array_in_two_places_counts_once_for_each_direction) {
  // y is x: read once; out is x, too: written once
  y_ = "y=x";
  out_ = "out=x";
  EXPECT_EQ(benched({"BLOCK=128"})["bytes"], 8000);
}

TEST_F(Bench, bytes_and_flops_may_be_given) {
  const json report = benched({"BLOCK=128", "--bytes", "2*x.numel()", "--flops", "n"});
  EXPECT_EQ(report["bytes"], 2000);
  EXPECT_EQ(report["flops"], 1000);
  EXPECT_TRUE(report["rows"][0]["flops_per_second"].is_number());
}

TEST_F(Bench, lists_make_a_row_for_each_combination) {
  const json report = benched({"BLOCK=128,256", "num_warps=1,2,4"});
  ASSERT_EQ(report["rows"].size(), 6U);
  EXPECT_EQ(report["rows"][0]["options"], (json{{"BLOCK", "128"}, {"num_warps", "1"}}));
  EXPECT_EQ(report["rows"][5]["options"], (json{{"BLOCK", "256"}, {"num_warps", "4"}}));
  // The grid is that of the row's BLOCK.
  EXPECT_EQ(report["rows"][0]["grid"], json::array({8}));
  EXPECT_EQ(report["rows"][5]["grid"], json::array({4}));
}

TEST_F(Bench, numbers_of_a_given_type_are_numbers_of_expressions) {
  const json report = benched({"BLOCK=i32:128,i32:256"});
  EXPECT_EQ(report["rows"][0]["grid"], json::array({8}));
  EXPECT_EQ(report["rows"][1]["grid"], json::array({4}));
}

TEST_F(Bench, warps_is_short_for_a_list_of_num_warps) {
  const ProcessResult r = bench({"BLOCK=128", "--warps", "1,2"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_TRUE(contains(r.out, "num_warps")) << r.out;
  EXPECT_TRUE(contains(r.out, "fastest")) << r.out;
}

TEST_F(Bench, a_choice_that_cannot_be_launched_is_a_row_with_its_error) {
  const json report = benched({"BLOCK=128", "num_warps=4,5"});
  ASSERT_EQ(report["rows"].size(), 2U);
  EXPECT_EQ(report["rows"][0]["error"], "");
  EXPECT_TRUE(contains(report["rows"][1]["error"], "`num_warps` must be a power of two"));
  // What fails first does not keep the others from being counted and timed.
  EXPECT_EQ(benched({"BLOCK=128", "num_warps=5,4"})["bytes"], 12000);
  EXPECT_EQ(bench({"BLOCK=128", "num_warps=3,5"}).exit_code, 2);
}

TEST_F(Bench, check_finds_that_the_stand_in_computes_nothing) {
  const ProcessResult r = bench({"BLOCK=128", "--check"});
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_TRUE(contains(r.err, "`out` differs from the interpreter's")) << r.err;
}

TEST_F(Bench, the_interpreter_is_timed_as_well) {
  const json report = benched({"BLOCK=128", "--on", "interpret"});
  EXPECT_EQ(report["device"], "interpret");
  EXPECT_EQ(report["copy_bytes_per_second"], nullptr);
  EXPECT_GE(report["rows"][0]["runs"], 3);
  EXPECT_EQ(report["bytes"], 12000);
}

TEST_F(Bench, a_grid_that_runs_nothing_has_no_rates) {
  grid_ = "0";
  for (const char* on : {"interpret", "cuda"}) {
    const json report = benched({"BLOCK=128", "--on", on});
    EXPECT_EQ(report["rows"][0]["nothing_ran"], true);
    EXPECT_EQ(report["rows"][0]["bytes_per_second"], nullptr);
    const ProcessResult r = bench({"BLOCK=128", "--on", on});
    EXPECT_EQ(r.exit_code, 0) << r.err;
    EXPECT_TRUE(contains(r.out, "nothing ran: an extent of the grid is 0")) << r.out;
  }
}

constexpr const char* kDots = R"(@triton.jit
def dots(o, x, n, B: tl.constexpr):
    i = tl.arange(0, B)
    a = tl.full((B, B), 1.0, tl.float16)
    acc = tl.zeros((B, B), tl.float32)
    for k in range(tl.program_id(0), tl.cdiv(n, B)):
        acc = tl.dot(a, a, acc)
    for k in range(0, tl.load(x)):
        acc += 1.0
    tl.store(o + i[:, None] * B + i[None, :], acc)
)";

TEST_F(Bench, the_dots_of_all_programs_are_counted) {
  const auto run = [&](const std::string& source) {
    return json::parse(
        tilery({"bench", folder_.write("dots.tl", source), "o=zeros:f32[16,16]", "x=zeros:i32[1]",
                "n=50", "B=16", "--grid", "3", "--on", "interpret", "--time", "1", "--json"})
            .out,
        nullptr, false);
  };
  // 4 blocks: 4 + 3 + 2 times 2·16·16·16.
  const json counted = run(kDots);
  EXPECT_EQ(counted["flops"], 9 * 2 * 16 * 16 * 16);
  EXPECT_TRUE(contains(counted["flops_counted"], "padding")) << counted;
  EXPECT_TRUE(counted["rows"][0]["flops_per_second"].is_number());
  // Memory decides.
  std::string unknown = kDots;
  unknown.replace(unknown.find("tl.program_id(0)"), 16, "tl.load(x)");
  EXPECT_EQ(run(unknown)["flops"], nullptr);
}

TEST_F(Bench, a_variable_asks_for_the_interpreter) {
  variables_ = {{"TILERY_INTERPRET", "1"}};
  EXPECT_EQ(benched({"BLOCK=128"})["device"], "interpret");
  EXPECT_EQ(benched({"BLOCK=128", "--on", "cuda"})["device"], "cuda:0 (Fake GPU 0)");
  variables_ = {{"TILERY_INTERPRET", "0"}, {"TRITON_INTERPRET", "1"}};
  EXPECT_EQ(benched({"BLOCK=128"})["device"], "cuda:0 (Fake GPU 0)");
}

TEST_F(Bench, without_a_gpu_it_is_the_machines_fault) {
  library_ = folder_.file("none.so");
  const ProcessResult r = bench({"BLOCK=128"});
  EXPECT_EQ(r.exit_code, 3);
  EXPECT_TRUE(contains(r.err, "no NVIDIA driver")) << r.err;
}

TEST_F(Bench, wrong_expressions_and_too_many_choices_are_wrong_usage) {
  EXPECT_EQ(bench({"BLOCK=128", "--bytes", "2*nothing"}).exit_code, 2);
  EXPECT_EQ(bench({"BLOCK=128", "--flops", "0-1"}).exit_code, 2);
  std::string list = "1";
  for (int i = 2; i <= 300; ++i) {
    list += "," + std::to_string(i);
  }
  const ProcessResult r = bench({"BLOCK=128", "num_stages=" + list});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_TRUE(contains(r.err, "more than 256 combinations")) << r.err;
}

}  // namespace
}  // namespace tilery::testing
