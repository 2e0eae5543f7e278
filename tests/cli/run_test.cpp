// `tilery run` from outside.
#include "tests/cli/command.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <tuple>

namespace tilery {
namespace {

using nlohmann::json;
using testing::kAdd;
using testing::ProcessResult;
using testing::TempDir;
using testing::tilery;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Runs `add` over 5 elements with more arguments.
ProcessResult run_add(const TempDir& dir, std::vector<std::string> more,
                      testing::ProcessOptions options = {}) {
  std::vector<std::string> arguments = {"run",
                                        dir.write("add.tl", kAdd),
                                        "x=arange:f32[5]",
                                        "y=full(0.5):f32[5]",
                                        "out=zeros:f32[5]",
                                        "n=5",
                                        "BLOCK=4"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return tilery(arguments, std::move(options));
}

const std::vector<std::string> kGrid = {"--grid", "cdiv(n, BLOCK)"};

std::vector<std::string> with_grid(std::vector<std::string> more) {
  more.insert(more.end(), kGrid.begin(), kGrid.end());
  return more;
}

TEST(CliRun, prints_what_is_asked_for) {
  const TempDir dir;
  const ProcessResult r = run_add(dir, with_grid({"--print", "out,x"}));
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_EQ(r.out, "out: f32[5]\n[0.5 1.5 2.5 3.5 4.5]\nx: f32[5]\n[0. 1. 2. 3. 4.]\n");
  EXPECT_EQ(r.err, "");
}

TEST(CliRun, writes_and_reads_npy_files) {
  const TempDir dir;
  ASSERT_EQ(run_add(dir, with_grid({"--out", "out=" + dir.file("o.npy")})).exit_code, 0);
  const ProcessResult same = run_add(
      dir, with_grid({"--expect", "out=" + dir.file("o.npy"), "--rtol", "0", "--atol", "0"}));
  EXPECT_EQ(same.exit_code, 0) << same.err;
  const ProcessResult other =
      tilery({"run", dir.file("add.tl"), "x=@" + dir.file("o.npy"), "y=zeros:f32[5]", "out=like(x)",
              "n=5", "BLOCK=8", "--grid", "1", "--print", "out"});
  EXPECT_EQ(other.out, "out: f32[5]\n[0.5 1.5 2.5 3.5 4.5]\n") << other.err;
}

TEST(CliRun, a_mismatch_is_shown_and_exits_with_1) {
  const TempDir dir;
  ASSERT_EQ(run_add(dir, with_grid({"--out", "x=" + dir.file("x.npy")})).exit_code, 0);
  const ProcessResult r = run_add(dir, with_grid({"--expect", "out=" + dir.file("x.npy")}));
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_TRUE(contains(r.err, "element 0 is 0.5, expected 0.")) << r.err;
  EXPECT_TRUE(contains(r.err, "5 of 5 elements differ")) << r.err;
  EXPECT_EQ(
      run_add(dir, with_grid({"--expect", "out=" + dir.file("x.npy"), "--atol", "0.5"})).exit_code,
      0);
}

TEST(CliRun, the_largest_differences_are_told) {
  const TempDir dir;
  const std::string want = dir.file("want.npy");
  // [0, 1, 2, 3] is expected; 1, 2, 3, 13 comes.
  const std::string kernel = dir.write("k.tl",
                                       "def k(o):\n    i = tl.arange(0, 4)\n"
                                       "    tl.store(o + i, tl.where(i == 3, 13, i + 1))\n");
  ASSERT_EQ(tilery({"run", dir.write("n.tl", "def n(x):\n    pass\n"), "x=arange:f32[2,2]",
                    "--grid", "1", "--out", "x=" + want})
                .exit_code,
            0);
  const auto run = [&](std::vector<std::string> more) {
    std::vector<std::string> words{"run", kernel,     "o=zeros:f32[2,2]", "--grid",
                                   "1",   "--expect", "o=" + want};
    words.insert(words.end(), more.begin(), more.end());
    return tilery(std::move(words));
  };
  const ProcessResult text = run({});
  EXPECT_EQ(text.exit_code, 1);
  EXPECT_TRUE(contains(text.err,
                       "4 of 4 elements differ; largest differences: absolute 10 at element 3 "
                       "[1, 1], relative 3.33 at element 3 [1, 1]"))
      << text.err;
  const json report = json::parse(run({"--rtol", "0.9", "--json"}).out);
  const json& d = report["differences"][0];
  EXPECT_EQ(d["array"], "o");
  EXPECT_EQ(d["elements"], 3) << "|3 - 2| is within 0.9 * 2";
  EXPECT_EQ(d["of"], 4);
  EXPECT_EQ(d["first"], json({0, 0}));
  EXPECT_EQ(d["largest_absolute"], json({{"index", {1, 1}}, {"value", 10.0}}));
  EXPECT_NEAR(d["largest_relative"]["value"].get<double>(), 10.0 / 3, 1e-12);
}

TEST(CliRun, writing_elements_that_have_no_value_is_told) {
  const TempDir dir;
  const std::string file = dir.write("k.tl", "def k(o):\n    tl.store(o + tl.arange(0, 4), 1.0)\n");
  const auto run = [&](const std::string& o, std::vector<std::string> more) {
    std::vector<std::string> words{
        "run", file, "o=" + o, "--grid", "1", "--out", "o=" + dir.file("o.npy")};
    words.insert(words.end(), more.begin(), more.end());
    return tilery(std::move(words));
  };
  const ProcessResult r = run("empty:f32[2,3]", {});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_TRUE(contains(r.err,
                       "warning: `o` has 2 of 6 elements that were never written, the first at "
                       "[1, 1]"))
      << r.err;
  EXPECT_EQ(run("zeros:f32[2,3]", {}).err, "");
  EXPECT_EQ(run("empty:f32[4]", {}).err, "");
  EXPECT_EQ(run("empty:f32[2,3]", {"--werror"}).exit_code, 1);
  const json report = json::parse(run("empty:f32[2,3]", {"--json"}).out);
  EXPECT_EQ(report["messages"][0]["kind"], "never-written");
}

TEST(CliRun, an_expected_element_that_was_never_written_is_told) {
  const TempDir dir;
  ASSERT_EQ(run_add(dir, with_grid({"--out", "x=" + dir.file("x.npy")})).exit_code, 0);
  // One program of four lanes leaves the fifth element alone.
  const ProcessResult r =
      tilery({"run", dir.file("add.tl"), "x=arange:f32[5]", "y=zeros:f32[5]", "out=empty:f32[5]",
              "n=5", "BLOCK=4", "--grid", "1", "--expect", "out=" + dir.file("x.npy")});
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_TRUE(contains(r.err, "element 4 was never written, expected 4.; 1 of 5")) << r.err;
}

TEST(CliRun, views_look_into_other_arrays) {
  const TempDir dir;
  const ProcessResult r = tilery({"run", dir.write("add.tl", kAdd), "x=arange:i32[8]", "y=x+4",
                                  "out=x", "n=4", "BLOCK=4", "--grid", "1", "--print", "x"});
  EXPECT_EQ(r.out, "x: i32[8]\n[ 4  6  8 10  4  5  6  7]\n") << r.err;
}

// x starts at element 2 + 3 of z, whichever is read first.
TEST(CliRun, views_of_views_add_up) {
  const TempDir dir;
  const std::string file =
      dir.write("k.tl",
                "def k(x, y, z, o):\n    tl.store(o, tl.load(x) - tl.load(y))\n"
                "    tl.store(o + 1, tl.load(x) - tl.load(z))\n");
  for (const auto& [x, y, z] : {std::tuple("x=y+3", "y=z+2", "z=arange:i32[8]"),
                                std::tuple("x=arange:i32[8]", "y=x", "z=y+1")}) {
    const bool is_forward = std::string_view(x) == "x=y+3";
    const ProcessResult r =
        tilery({"run", file, x, y, z, "o=zeros:i32[2]", "--grid", "1", "--print", "o"});
    EXPECT_EQ(r.out, is_forward ? "o: i32[2]\n[3 5]\n" : "o: i32[2]\n[ 0 -1]\n") << r.err;
  }
}

TEST(CliRun, like_takes_any_array_argument_in_any_order) {
  const TempDir dir;
  const std::string file = dir.write("k.tl", "def k(a, b, c, d):\n    pass\n");
  const ProcessResult good = tilery({"run", file, "a=like(b)", "b=like(d)", "c=zeros:i8[3]", "d=c",
                                     "--grid", "1", "--print", "a"});
  EXPECT_EQ(good.out, "a: i8[3]\n[0 0 0]\n") << good.err;
  const ProcessResult circle =
      tilery({"run", file, "a=like(b)", "b=like(a)", "c=zeros:i8[3]", "d=like(q)", "--grid", "1"});
  EXPECT_EQ(circle.exit_code, 2);
  EXPECT_TRUE(contains(circle.err, "argument `a`: `like(b)` leads back to itself")) << circle.err;
}

TEST(CliRun, extents_and_grids_are_expressions) {
  const TempDir dir;
  const ProcessResult r = tilery({"run", dir.write("add.tl", kAdd), "x=ones:f16[n*2]",
                                  "y=ones:f16[x.shape[0]]", "out=zeros:f16[2,n]", "n=4", "BLOCK=4",
                                  "--grid", "x.numel()//n - 1", "--print", "out"});
  EXPECT_EQ(r.out, "out: f16[2, 4]\n[[2. 2. 2. 2.]\n [0. 0. 0. 0.]]\n") << r.err;
}

TEST(CliRun, grids_may_be_written_as_python_does) {
  const TempDir dir;
  const std::string file = dir.write(
      "k.tl", "def k(o):\n    tl.store(o, tl.num_programs(0) * 10 + tl.num_programs(1))\n");
  const auto printed = [&](const std::string& grid) {
    return tilery({"run", file, "o=zeros:i32[1]", "--grid", grid, "--print", "o"});
  };
  EXPECT_EQ(printed("(4,)").out, "o: i32[1]\n[41]\n");
  EXPECT_EQ(printed("(4, 2, )").out, "o: i32[1]\n[42]\n");
  const ProcessResult r = printed("4,");
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_TRUE(contains(r.err, "--grid 4,: an extent is missing; write X[,Y[,Z]]")) << r.err;
}

TEST(CliRun, a_finding_is_shown_like_a_diagnostic) {
  const TempDir dir;
  const ProcessResult r = tilery({"run", dir.write("add.tl", kAdd), "x=ones:f32[3]",
                                  "y=ones:f32[4]", "out=zeros:f32[4]", "n=4", "BLOCK=4", "--grid",
                                  "1", "--out", "out=" + dir.file("o.npy"), "--print", "out"});
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_TRUE(contains(r.err, "add.tl:6:")) << r.err;
  EXPECT_TRUE(contains(r.err, "error[out-of-bounds]")) << r.err;
  EXPECT_TRUE(contains(r.err, "program (0, 0, 0), lane 3")) << r.err;
  EXPECT_TRUE(contains(r.err, "tl.store(out + i, tl.load(x + i, mask=mask)")) << r.err;
  EXPECT_EQ(r.out, "");
  EXPECT_FALSE(std::filesystem::exists(dir.file("o.npy"))) << "the run failed: no output file";
}

TEST(CliRun, warnings_exit_with_0_unless_werror) {
  const TempDir dir;
  const std::string file = dir.write("w.tl",
                                     "def k(x, o):\n    i = tl.arange(0, 4)\n"
                                     "    tl.store(o + i, tl.exp(tl.load(x + i)))\n");
  const std::vector<std::string> arguments = {
      "run", file, "x=full(100):f32[4]", "o=zeros:f32[4]", "--grid", "1"};
  const ProcessResult warned = tilery(arguments);
  EXPECT_EQ(warned.exit_code, 0);
  EXPECT_TRUE(contains(warned.err, "warning[numeric-warning]")) << warned.err;
  EXPECT_TRUE(contains(warned.err, "overflow encountered in exp")) << warned.err;
  std::vector<std::string> strict = arguments;
  strict.insert(strict.end(), {"--werror", "--out", "o=" + dir.file("o.npy")});
  EXPECT_EQ(tilery(strict).exit_code, 1);
  EXPECT_FALSE(std::filesystem::exists(dir.file("o.npy")));
}

TEST(CliRun, the_file_may_choose_the_kernel) {
  const TempDir dir;
  const std::string file =
      dir.write("two.tl", "def a(o):\n    tl.store(o, 1)\n\ndef b(o):\n    tl.store(o, 2)\n");
  const auto run = [&](const std::string& target) {
    return tilery({"run", target, "o=zeros:i32[1]", "--grid", "1", "--print", "o"});
  };
  EXPECT_EQ(run(file + "::b").out, "o: i32[1]\n[2]\n");
  const ProcessResult unsure = run(file);
  EXPECT_EQ(unsure.exit_code, 2);
  EXPECT_TRUE(contains(unsure.err, "`a`, `b`")) << unsure.err;
  EXPECT_EQ(run(file + "::c").exit_code, 2);
}

TEST(CliRun, options_and_settings_are_taken) {
  const TempDir dir;
  EXPECT_EQ(run_add(dir, with_grid({"num_warps=8", "num_stages=2", "math=fast", "maxnreg=none",
                                    "enable_fp_fusion=false", "debug=true", "--threads", "2",
                                    "--check", "tracked", "--timeout", "60", "--seed", "7", "--on",
                                    "interpret", "--strict"}))
                .exit_code,
            0);
  EXPECT_EQ(run_add(dir, with_grid({"num_warps=3"})).exit_code, 2);
  EXPECT_EQ(run_add(dir, with_grid({"num_wraps=4"})).exit_code, 2);
}

TEST(CliRun, a_machine_without_a_driver_says_so) {
  const TempDir dir;
  setenv("TILERY_LIBCUDA", "/nowhere/libcuda.so.1", 1);
  const ProcessResult r = run_add(dir, with_grid({"--on", "cuda:0"}));
  unsetenv("TILERY_LIBCUDA");
  EXPECT_EQ(r.exit_code, 3);
  EXPECT_TRUE(contains(r.err, "no NVIDIA driver")) << r.err;
  EXPECT_TRUE(contains(r.err, "interpret")) << r.err;
  for (const char* nowhere : {"tpu", "cuda:", "cuda:x", "cuda:-1"}) {
    EXPECT_EQ(run_add(dir, with_grid({"--on", nowhere})).exit_code, 2) << nowhere;
  }
}

TEST(CliRun, wrong_calls_exit_with_2) {
  const TempDir dir;
  const std::string file = dir.write("add.tl", kAdd);
  const auto exit_with = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"run", file});
    const ProcessResult r = tilery(arguments);
    EXPECT_NE(r.err, "");
    EXPECT_EQ(r.out, "");
    return r.exit_code;
  };
  const std::vector<std::string> good = {"x=zeros:f32[4]", "y=zeros:f32[4]", "out=zeros:f32[4]",
                                         "n=4", "BLOCK=4"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), good.begin(), good.end());
    return more;
  };
  EXPECT_EQ(exit_with(with({})), 2) << "no grid";
  EXPECT_EQ(exit_with(with({"--grid", "1,1,1,1"})), 2);
  EXPECT_EQ(exit_with(with({"--grid", "-1"})), 2);
  EXPECT_EQ(exit_with(with({"--grid", "3000000000"})), 2);
  EXPECT_EQ(exit_with(with({"--grid", "65536,65536"})), 2);
  EXPECT_EQ(exit_with(with({"--grid", "1.5"})), 2);
  EXPECT_EQ(exit_with(with({"--grid", "m"})), 2);
  EXPECT_EQ(exit_with(with({"--grid", "1", "m=4"})), 2) << "unknown argument";
  EXPECT_EQ(exit_with(with({"--grid", "1", "n=5"})), 2) << "given twice";
  EXPECT_EQ(exit_with(with({"--grid", "1", "novalue"})), 2);
  EXPECT_EQ(exit_with(with({"--grid", "1", "--print", "z"})), 2);
  EXPECT_EQ(exit_with(with({"--grid", "1", "--out", "z=" + dir.file("z.npy")})), 2);
  EXPECT_EQ(exit_with(with({"--grid", "1", "--out", "out=" + dir.file("no/z.npy")})), 2);
  EXPECT_EQ(exit_with(with({"--grid", "1", "--expect", "out=" + dir.file("z.npy")})), 2);
  EXPECT_EQ(exit_with(with({"--grid", "1", "--check", "all"})), 2);
  EXPECT_EQ(exit_with(with({"--grid", "1", "--unknown"})), 2);
  EXPECT_EQ(exit_with({"x=zeros:f32[4]", "--grid", "1"}), 2) << "arguments are missing";
  EXPECT_EQ(exit_with({"x=zeros:f32[1000000000,1000000000,1000000000]", "--grid", "1"}), 2);
}

TEST(CliRun, an_empty_grid_runs_nothing_and_is_good) {
  const TempDir dir;
  const ProcessResult r = run_add(dir, {"--grid", "0", "--print", "out"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_EQ(r.out, "out: f32[5]\n[0. 0. 0. 0. 0.]\n");
}

TEST(CliRun, json_holds_the_whole_report) {
  const TempDir dir;
  const json good = json::parse(run_add(dir, with_grid({"--json", "--print", "out"})).out);
  EXPECT_EQ(good["tool"], "tilery");
  EXPECT_EQ(good["command"], "run");
  EXPECT_EQ(good["status"], "ok");
  EXPECT_EQ(good["exit_code"], 0);
  EXPECT_EQ(good["programs_run"], 2);
  EXPECT_EQ(good["arrays"]["out"]["data"], json({0.5, 1.5, 2.5, 3.5, 4.5}));
  EXPECT_TRUE(good["messages"].empty());
}

TEST(CliRun, json_findings_have_ranges_and_facts) {
  const TempDir dir;
  const ProcessResult r =
      tilery({"run", dir.write("add.tl", kAdd), "x=ones:f32[3]", "y=ones:f32[4]",
              "out=zeros:f32[4]", "n=4", "BLOCK=4", "--grid", "1", "--json"});
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_EQ(r.err, "");
  const json report = json::parse(r.out);
  EXPECT_EQ(report["status"], "kernel-error");
  const json& finding = report["messages"].at(0);
  EXPECT_EQ(finding["kind"], "out-of-bounds");
  EXPECT_EQ(finding["severity"], "error");
  EXPECT_EQ(finding["range"]["start"]["line"], 6);
  EXPECT_EQ(finding["lane"], 3);
  EXPECT_EQ(finding["program"], json({0, 0, 0}));
  EXPECT_EQ(finding["access"]["argument"], "x");
  EXPECT_EQ(finding["access"]["index"], 3);
  EXPECT_EQ(finding["access"]["size"], 3);
}

TEST(CliRun, json_tells_errors_too) {
  const TempDir dir;
  for (const std::vector<std::string>& more : {std::vector<std::string>{"--json"},
                                               {"--json", "--grid", "1", "m=3"},
                                               {"--json", "--grid", "1", "z=@missing.npy"}}) {
    const ProcessResult r = run_add(dir, more);
    EXPECT_EQ(r.exit_code, 2);
    const json report = json::parse(r.out);
    EXPECT_EQ(report["status"], "usage-error");
    EXPECT_NE(report["error"], "");
  }
}

TEST(CliRun, colours_only_on_a_terminal) {
  const TempDir dir;
  const std::vector<std::string> arguments = {"run", dir.write("bad.tl", "def k(:\n"), "--grid",
                                              "1"};
  testing::ProcessOptions terminal;
  terminal.on_terminal = true;
  EXPECT_FALSE(contains(tilery(arguments).err, "\x1b["));
  EXPECT_TRUE(contains(tilery(arguments, terminal).out, "\x1b["));
  terminal.environment = {{"NO_COLOR", "1"}};
  EXPECT_FALSE(contains(tilery(arguments, terminal).out, "\x1b["));
}

TEST(CliRun, stages_are_dumped_into_the_folder_of_the_variable) {
  const TempDir dir;
  testing::ProcessOptions options;
  options.environment = {{"TILERY_DUMP_DIR", dir.file("dump")}};
  ASSERT_EQ(run_add(dir, with_grid({}), options).exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(dir.file("dump/add.ast.tl")));
  EXPECT_TRUE(std::filesystem::exists(dir.file("dump/add.00.sema.ir")));
}

TEST(CliRun, device_print_goes_to_standard_output) {
  const TempDir dir;
  const std::string file = dir.write(
      "p.tl", "def k(n):\n    tl.static_print(\"compiling\")\n    tl.device_print(\"n\", n)\n");
  const ProcessResult r = tilery({"run", file, "n=7", "--grid", "1"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_TRUE(contains(r.out, "compiling\n")) << r.out;
  EXPECT_TRUE(contains(r.out, "7")) << r.out;
  const json report = json::parse(tilery({"run", file, "n=7", "--grid", "1", "--json"}).out);
  EXPECT_TRUE(contains(report["output"], "compiling"));
}

TEST(CliRun, a_timeout_ends_an_endless_loop) {
  const TempDir dir;
  const std::string file = dir.write(
      "loop.tl", "def k(o):\n    i = 0\n    while i < 1:\n        i = i * 1\n    tl.store(o, i)\n");
  const ProcessResult r =
      tilery({"run", file, "o=zeros:i32[1]", "--grid", "1", "--timeout", "0.3"});
  EXPECT_EQ(r.exit_code, 1) << r.err;
  EXPECT_TRUE(contains(r.err, "timeout")) << r.err;
  EXPECT_LT(r.seconds, 5);
}

TEST(CliRun, a_long_run_shows_a_bar_on_terminals_only) {
  const TempDir dir;
  const std::vector<std::string> arguments = {
      "run",        dir.write("k.tl", "def k(n):\n    tl.device_assert(n > 0)\n"),
      "n=1",        "--grid",
      "2000000000", "--timeout",
      "2.8"};
  testing::ProcessOptions terminal;
  terminal.on_terminal = true;
  const ProcessResult shown = tilery(arguments, terminal);
  EXPECT_TRUE(contains(shown.out, "of 2000000000 programs")) << shown.out;
  EXPECT_FALSE(contains(tilery(arguments).err, "programs"));
}

#ifndef TILERY_SANITIZED  // which keeps memory of its own
// Two arrays of 134 MB: a second copy of either would be past what is allowed besides them.
TEST(CliRun, takes_no_more_memory_than_the_arrays_and_100_megabytes) {
  constexpr std::size_t kArrayBytes = std::size_t{4} << 25;
  const TempDir dir;
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (33554432,), }";
  header.resize(117, ' ');
  const std::string x =
      dir.write("x.npy", std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + "\n");
  // Zeros that take no room on the disk.
  std::filesystem::resize_file(x, 128 + kArrayBytes);
  const std::string kernel = dir.write("double.tl",
                                       "def k(x, out, B: tl.constexpr):\n"
                                       "    i = tl.program_id(0) * B + tl.arange(0, B)\n"
                                       "    tl.store(out + i, tl.load(x + i) * 2)\n");
  const double array = 1e-6 * kArrayBytes;
  const auto peak = [&](const std::string& out, const std::string& level) {
    const ProcessResult r = tilery({"run", kernel, "x=@" + x, "out=" + out, "B=4096", "--grid",
                                    "x.numel() // B", "--check", level, "--print", "out"});
    EXPECT_EQ(r.exit_code, 0) << r.err;
    EXPECT_GT(r.peak_megabytes, 2 * array) << level << ": it holds both";
    return r.peak_megabytes;
  };
  for (const char* level : {"none", "fast", "tracked"}) {
    EXPECT_LT(peak("zeros:f32[33554432]", level), 2 * array + 100) << level;
  }
  // Of this one the run also keeps which of it was written.
  for (const char* level : {"fast", "tracked"}) {
    EXPECT_LT(peak("empty:f32[33554432]", level), 2 * array + 100) << level;
  }
}

TEST(CliRun, many_unrolled_loads_take_little_memory) {
  const TempDir dir;
  const std::string kernel = dir.write("sum.tl",
                                       "def sum(x, out, n, N: tl.constexpr):\n"
                                       "    i = tl.arange(0, 16)\n"
                                       "    acc = tl.zeros([16], tl.float32)\n"
                                       "    for j in tl.static_range(N):\n"
                                       "        acc += tl.load(x + i + j, mask=i + j < n)\n"
                                       "    tl.store(out + i, acc, mask=i < 1)\n");
  const ProcessResult r = tilery({"run", kernel, "x=ones:f32[4000]", "out=zeros:f32[16]", "n=2500",
                                  "N=2000", "--grid", "1", "--print", "out"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_TRUE(contains(r.out, "2000")) << r.out;
  EXPECT_LT(r.peak_megabytes, 100);
}
#endif

TEST(CliRun, random_arrays_depend_on_the_seed) {
  const TempDir dir;
  const std::string file = dir.write("k.tl", "def k(x):\n    pass\n");
  const auto run = [&](const char* seed) {
    return tilery({"run", file, "x=randn:f32[4]", "--grid", "1", "--print", "x", "--seed", seed})
        .out;
  };
  EXPECT_EQ(run("3"), run("3"));
  EXPECT_NE(run("3"), run("4"));
}

}  // namespace
}  // namespace tilery
