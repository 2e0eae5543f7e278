// `tilery case --on cuda` on the stand-in driver, whose kernels do nothing: a case that expects its
// buffers unchanged passes, any other fails.
#include "tests/cli/command.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace tilery {
namespace {

using nlohmann::json;
using testing::ProcessOptions;
using testing::ProcessResult;
using testing::TempDir;
using testing::tilery;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// A folder with a kernel and cases of it.
class CliGpuCase : public ::testing::Test {
 protected:
  CliGpuCase() {
    dir_.write("k.tl",
               "def k(o):\n"
               "    tl.device_assert(tl.load(o) < 8, \"too large\")\n"
               "    tl.store(o, 5)\n");
  }

  /// A case of one buffer, that holds a 5, with this outcome.
  std::string write(const std::string& id, const std::string& expect, const std::string& more = "",
                    const std::string& modes = R"(["interpret", "cuda"])") {
    return dir_.write(id + ".json", R"({"id": ")" + id + R"(", "title": "t", "modes": )" + modes +
                                        R"(, "file": "k.tl", "kernel": "k", "grid": [1, 1, 1],
        "mode_options": {"cuda": {"debug": true}},
        "args": [{"name": "o", "buffer": {"dtype": "i32", "shape": [1], "data": [5]}}],
        "expect": )" + expect + more + "}");
  }

  ProcessResult run(std::vector<std::string> arguments,
                    std::vector<std::pair<std::string, std::string>> environment = {}) {
    arguments.insert(arguments.begin(), "case");
    environment.emplace_back("TILERY_LIBCUDA", TILERY_FAKE_CUDA);
    environment.emplace_back("TILERY_CACHE_DIR", dir_.file("cache"));
    ProcessOptions options;
    options.environment = std::move(environment);
    return tilery(std::move(arguments), options);
  }

  TempDir dir_;
};

constexpr const char* kFive = R"({"buffers": {"o": [5]}})";

TEST_F(CliGpuCase, what_the_gpu_leaves_is_compared) {
  const ProcessResult r =
      run({"--on", "cuda", write("A", kFive), write("B", R"({"buffers": {"o": [6]}})")});
  EXPECT_EQ(r.exit_code, 1) << r.err;
  EXPECT_EQ(
      r.out,
      "pass       A  t (cuda)\n"
      "FAIL       B  t (cuda)\n"
      "             cuda: buffer `o`: element 0 is 5, expected 6; 1 of 1 elements differ; largest "
      "differences: absolute 1 at element 0, relative 0.167 at element 0\n"
      "2 cases: 1 pass, 1 fail, 0 wait, 0 manual, 0 for other modes\n");
}

TEST_F(CliGpuCase, both_engines_may_be_asked_for) {
  const ProcessResult r = run({"--mode", "interpret", "--mode", "cuda", write("A", kFive)});
  EXPECT_EQ(r.exit_code, 0) << r.out << r.err;
  EXPECT_TRUE(contains(r.out, "pass       A  t (interpret, cuda)")) << r.out;
}

TEST_F(CliGpuCase, findings_of_the_interpreter_are_named_as_not_applicable) {
  const std::string finding = R"({"kind": "numeric-warning", "line": 3})";
  const ProcessResult r = run(
      {"--on", "cuda", write("A", R"({"buffers": {"o": [5]}, "diagnostics": [)" + finding + "]}"),
       write("B", R"({"forbidden_diagnostics": ["race"]})")});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_EQ(r.out,
            "pass       A  t (cuda)\n"
            "             not applicable: cuda: the finding `numeric-warning` in line 3\n"
            "n/a        B  t (cuda)\n"
            "             not applicable: cuda: that `race` is not found\n"
            "2 cases: 1 pass, 0 fail, 0 wait, 0 manual, 0 for other modes, 1 not applicable\n")
      << "a case of which nothing was compared does not pass";
  const json report = json::parse(run({"--on", "cuda", "--json", dir_.file("B.json")}).out);
  EXPECT_EQ(report["cases"][0]["state"], "n/a");
  EXPECT_EQ(report["cases"][0]["not_applicable"][0], "cuda: that `race` is not found");
}

TEST_F(CliGpuCase, quiet_still_names_what_is_not_applicable) {
  const ProcessResult r =
      run({"--on", "cuda", "--quiet", write("A", kFive),
           write("B", R"({"buffers": {"o": [5]}, "forbidden_diagnostics": ["race"]})")});
  EXPECT_FALSE(contains(r.out, "pass       A")) << r.out;
  EXPECT_TRUE(contains(r.out, "`race`")) << r.out;
}

TEST_F(CliGpuCase, cases_and_variants_for_other_modes_are_named) {
  const std::string variant =
      R"(, "variants": [{"title": "v", "modes": ["interpret"], "expect": {"completes": true}}])";
  const ProcessResult r =
      run({"--on", "cuda", write("A", kFive, "", R"(["interpret"])"), write("B", kFive, variant)});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_TRUE(contains(r.out, "other-mode A  t: for interpret only\n")) << r.out;
  EXPECT_TRUE(contains(r.out, "not applicable: cuda, v: for interpret only\n")) << r.out;
}

TEST_F(CliGpuCase, a_fault_is_an_error_of_the_run_and_the_next_case_has_a_new_process) {
  const std::string faults = write("A", R"({"error": {"phase": "run", "must_mention": ["700"]}})");
  const ProcessResult r = run({"--on", "cuda", faults, faults, write("B", kFive)},
                              {{"FAKE_CUDA_FAIL", "cuStreamSynchronize=700"}});
  EXPECT_EQ(r.exit_code, 1) << r.err;
  EXPECT_TRUE(contains(r.out, "3 cases: 2 pass, 1 fail")) << r.out;
  EXPECT_TRUE(contains(r.out, "cuda: unexpected error: kernel `k` on cuda:0")) << r.out;
}

constexpr const char* kAssertion =
    "k.tl:2: k: block: [0,0,0], thread: [0,0,0] Assertion `too large` failed.\n";

TEST_F(CliGpuCase, an_assertion_tells_its_line_and_text) {
  const std::string expected = write(
      "A",
      R"({"error": {"phase": "run", "line": 2, "must_mention": ["too large", "0, 0, 0", "77"]}})");
  const std::vector<std::pair<std::string, std::string>> environment = {
      {"FAKE_CUDA_FAIL", "cuStreamSynchronize=710"}, {"FAKE_CUDA_PRINT_ERROR", kAssertion}};
  const ProcessResult r = run({"--on", "cuda", expected}, environment);
  EXPECT_EQ(r.exit_code, 0) << r.out << r.err;
  EXPECT_TRUE(contains(r.out, "not applicable: cuda: `77` in the error")) << r.out;
  EXPECT_EQ(r.err, "") << "what the driver prints is the case's";
  const ProcessResult elsewhere = run(
      {"--on", "cuda", write("B", R"({"error": {"phase": "run", "line": 3, "must_mention": []}})")},
      environment);
  EXPECT_EQ(elsewhere.exit_code, 1) << elsewhere.out;
  EXPECT_TRUE(contains(elsewhere.out, "line 3 was expected")) << elsewhere.out;
  const ProcessResult other = run(
      {"--on", "cuda", write("C", R"({"error": {"phase": "run", "must_mention": ["too small"]}})")},
      environment);
  EXPECT_TRUE(contains(other.out, "`too small` is not mentioned")) << other.out;
}

TEST_F(CliGpuCase, what_kernels_print_is_compared) {
  const std::string expected =
      write("A", R"({"stdout_values": [{"label": "w", "values": [3, 4]}]})");
  EXPECT_EQ(run({"--on", "cuda", expected}).exit_code, 1);
  const ProcessResult r = run({"--on", "cuda", expected}, {{"FAKE_CUDA_PRINT",
                                                            "pid (0, 0, 0) idx (0) w3\n"
                                                            "pid (0, 0, 0) idx (1) w4\n"}});
  EXPECT_EQ(r.exit_code, 0) << r.out << r.err;
  EXPECT_FALSE(contains(r.out, "idx")) << r.out;
}

TEST_F(CliGpuCase, a_crash_and_a_hang_are_failures_of_their_case) {
  const ProcessResult crash =
      run({"--on", "cuda", write("A", kFive), write("B", kFive, "", R"(["interpret"])")},
          {{"FAKE_CUDA_CRASH", "cuMemAlloc"}});
  EXPECT_EQ(crash.exit_code, 1) << crash.err;
  EXPECT_TRUE(contains(crash.out, "FAIL       A")) << crash.out;
  EXPECT_TRUE(contains(crash.out, "ended by signal 6")) << crash.out;
  EXPECT_TRUE(contains(crash.out, "other-mode B")) << "the others are run: " << crash.out;
  const ProcessResult hang = run({"--on", "cuda", "--timeout", "1", dir_.file("A.json")},
                                 {{"FAKE_CUDA_HANG", "cuStreamSynchronize"}});
  EXPECT_EQ(hang.exit_code, 1) << hang.err;
  EXPECT_TRUE(contains(hang.out, "did not end in time")) << hang.out;
}

TEST_F(CliGpuCase, a_limit_of_the_gpu_is_an_error_of_the_launch) {
  std::string expected =
      R"({"error": {"phase": "launch", "must_mention": ["65537", "65535", "axis 0"]}})";
  const std::string path = write("A", expected);
  std::string text = dir_.read("A.json");
  text.replace(text.find("[1, 1, 1]"), 9, "[1, 65537, 1]");
  const ProcessResult r = run({"--on", "cuda", dir_.write("A.json", text)});
  EXPECT_EQ(r.exit_code, 0) << r.out << r.err;
}

TEST_F(CliGpuCase, without_a_gpu_the_machine_is_at_fault) {
  const std::string path = write("A", kFive);
  const ProcessResult none = run({"--on", "cuda", path}, {{"FAKE_CUDA_FAIL", "cuInit=100"}});
  EXPECT_EQ(none.exit_code, 3) << none.out;
  const ProcessResult other = run({"--on", "cuda:7", path});
  EXPECT_EQ(other.exit_code, 2) << other.out << other.err;
  const ProcessResult memory =
      run({"--on", "cuda", path, "--json"}, {{"FAKE_CUDA_FAIL", "cuMemAlloc=2"}});
  EXPECT_EQ(memory.exit_code, 3) << memory.out;
  EXPECT_EQ(json::parse(memory.out)["status"], "machine-error");
}

TEST_F(CliGpuCase, on_and_mode_must_agree) {
  const std::string path = write("A", kFive);
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"--on", "cuda", "--mode", "frontend", path},
        {"--on", "interpret", "--mode", "cuda", path},
        {"--on", "tpu", path},
        {"--on", "cuda:x", path}}) {
    EXPECT_EQ(run(words).exit_code, 2);
  }
  EXPECT_EQ(run({"--on", "interpret", path}).exit_code, 0);
}

}  // namespace
}  // namespace tilery
