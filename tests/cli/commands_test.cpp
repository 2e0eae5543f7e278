// The other subcommands from outside.
#include "tests/cli/command.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

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

TEST(Cli, every_command_has_help_with_an_example) {
  EXPECT_TRUE(contains(tilery({"--help"}).out, "Examples:"));
  for (const char* command :
       {"run", "compare", "case", "lint", "list", "emit", "build", "ops", "doctor"}) {
    const ProcessResult r = tilery({command, "--help"});
    EXPECT_EQ(r.exit_code, 0) << command;
    EXPECT_TRUE(contains(r.out, "Examples:")) << command << ": " << r.out;
    EXPECT_EQ(r.err, "");
  }
}

TEST(Cli, wrong_usage_is_told_with_a_hint) {
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{},
                                                    {"rnu", "x.tl"},
                                                    {"run"},
                                                    {"list"},
                                                    {"ops", "--what"},
                                                    {"emit", "x.tl", "--stage", "wasm"}}) {
    const ProcessResult r = tilery(arguments);
    EXPECT_EQ(r.exit_code, 2);
    EXPECT_TRUE(contains(r.err, "--help")) << r.err;
  }
}

TEST(Cli, an_unknown_subcommand_is_named) {
  const ProcessResult r = tilery({"rnu", "x.tl"});
  EXPECT_TRUE(contains(r.err, "`rnu` is no subcommand; there are run, compare, case")) << r.err;
}

TEST(Cli, version_is_one_line) {
  const ProcessResult r = tilery({"--version"});
  EXPECT_EQ(r.exit_code, 0);
  const json report = json::parse(tilery({"doctor", "--json"}).out);
  EXPECT_EQ(r.out, "tilery " TILERY_VERSION " (LLVM " + report["llvm"].get<std::string>() + ")\n");
}

TEST(Cli, doctor_tells_the_instruction_set) {
  EXPECT_TRUE(contains(tilery({"doctor"}).out, "x86-64-v"));
  const json report = json::parse(tilery({"doctor", "--json"}).out);
  EXPECT_GE(report["threads"], 1);
  const int llvm = std::stoi(report["llvm"].get<std::string>());
  EXPECT_GE(llvm, 20);
  EXPECT_LE(llvm, 22);
  EXPECT_TRUE(report["gpus"].is_array());
  EXPECT_EQ(report["gpus"].empty(), !report["gpu_problem"].get<std::string>().empty());
}

TEST(Cli, list_shows_kernels_and_parameters) {
  const TempDir dir;
  const std::string file = dir.write("add.tl", kAdd);
  EXPECT_EQ(tilery({"list", file}).out,
            "add(x, y, out, n, BLOCK: tl.constexpr)\n    Adds two arrays.\n");
  const json report = json::parse(tilery({"list", file, "--json"}).out);
  EXPECT_EQ(report["kernels"][0]["name"], "add");
  EXPECT_EQ(report["kernels"][0]["parameters"][4]["constexpr"], true);
}

TEST(Cli, list_tells_why_a_kernel_cannot_run) {
  const TempDir dir;
  const std::string file =
      dir.write("bad.tl", "def good(x):\n    pass\ndef bad(x, n=tl.program_id(0)):\n    pass\n");
  const ProcessResult r = tilery({"list", file});
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_TRUE(contains(r.out, "good(x)\n")) << r.out;
  EXPECT_TRUE(contains(r.err, "bad.tl:3:")) << r.err;
  const json report = json::parse(tilery({"list", file, "--json"}).out);
  EXPECT_EQ(report["exit_code"], 1);
  EXPECT_EQ(report["kernels"].size(), 2U);
  EXPECT_EQ(report["messages"].size(), 1U);
}

TEST(Cli, list_names_the_kernels_that_are_out_of_reach) {
  const TempDir dir;
  const std::string file = dir.write(
      "inner.py", "import triton\nclass A:\n    @triton.jit\n    def hidden(x):\n        pass\n");
  const ProcessResult r = tilery({"list", file});
  EXPECT_EQ(r.exit_code, 0);
  EXPECT_TRUE(contains(r.err, "`hidden` in line 4 is not taken")) << r.err;
  EXPECT_TRUE(contains(r.err, "`A`")) << r.err;
  EXPECT_EQ(json::parse(tilery({"list", file, "--json"}).out)["nested"][0]["name"], "hidden");
  const ProcessResult named = tilery({"lint", file + "::hidden", "x=1"});
  EXPECT_EQ(named.exit_code, 2);
  EXPECT_TRUE(contains(named.err, "move it to the module level")) << named.err;
}

TEST(Cli, python_files_may_declare_latin_1) {
  const TempDir dir;
  const std::string text =
      "# -*- coding: latin-1 -*-\nimport triton\n@triton.jit\ndef k(x):\n    \"\"\"Gr\xF6\xDF"
      "e\"\"\"\n";
  EXPECT_TRUE(contains(tilery({"list", dir.write("a.py", text)}).out, "Gr\u00F6\u00DFe"));
  const ProcessResult other = tilery({"list", dir.write("b.py", "# coding=cp1252\nx = '\x93'\n")});
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_TRUE(contains(other.err, "declares the encoding `cp1252`: save it as UTF-8")) << other.err;
}

TEST(Cli, lint_checks_syntax_or_types) {
  const TempDir dir;
  const std::string file = dir.write("add.tl", kAdd);
  EXPECT_EQ(tilery({"lint", file}).exit_code, 0);
  // Nothing runs, so there is nowhere to run it on.
  EXPECT_EQ(tilery({"lint", file, "--on", "cuda"}).exit_code, 2);
  const std::vector<std::string> arguments = {"lint",           file,  "x=zeros:f32[4]",
                                              "y=zeros:f32[4]", "n=4", "out=zeros:f32[4]"};
  std::vector<std::string> good = arguments;
  good.emplace_back("BLOCK=4");
  EXPECT_EQ(tilery(good).exit_code, 0);
  std::vector<std::string> bad = arguments;
  bad.emplace_back("BLOCK=0");
  const ProcessResult r = tilery(bad);
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_TRUE(contains(r.err, "add.tl:4:")) << r.err;
  bad.emplace_back("--json");
  const json report = json::parse(tilery(bad).out);
  EXPECT_EQ(report["messages"][0]["phase"], "compile");
  EXPECT_EQ(report["messages"][0]["range"]["start"]["line"], 4);
}

TEST(Cli, arguments_may_be_types_where_nothing_runs) {
  const TempDir dir;
  const std::string file = dir.write("add.tl", kAdd);
  const std::vector<std::string> arguments = {file,       "x=*f32", "y=*f32:16",
                                              "out=*f32", "n=i32",  "BLOCK=64"};
  std::vector<std::string> lint = arguments;
  lint.insert(lint.begin(), "lint");
  EXPECT_EQ(tilery(lint).exit_code, 0);
  std::vector<std::string> emit = arguments;
  emit.insert(emit.begin(), "emit");
  const ProcessResult ir = tilery(emit);
  EXPECT_TRUE(contains(ir.out, "func @add(%x: *f32, %y: *f32 {div16}")) << ir.out;
  std::vector<std::string> run = arguments;
  run.insert(run.begin(), "run");
  run.insert(run.end(), {"--grid", "1"});
  EXPECT_EQ(tilery(run).exit_code, 2);
}

TEST(Cli, lint_reports_several_errors) {
  const TempDir dir;
  const ProcessResult r =
      tilery({"lint", dir.write("k.tl", "def k(o):\n    tl.store(o, a)\n    tl.store(o, b)\n"),
              "o=zeros:f32[1]"});
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_TRUE(contains(r.err, "k.tl:2:17")) << r.err;
  EXPECT_TRUE(contains(r.err, "k.tl:3:17")) << r.err;
}

TEST(Cli, emit_prints_the_tree_and_the_ir) {
  const TempDir dir;
  const std::string file = dir.write("k.tl", "def  k( o ):\n  tl.store( o,(1+2) )\n");
  EXPECT_EQ(tilery({"emit", file, "--stage", "ast"}).out, "def k(o):\n    tl.store(o, 1 + 2)\n");
  const ProcessResult ir = tilery({"emit", file, "o=zeros:i32[1]"});
  EXPECT_EQ(ir.exit_code, 0) << ir.err;
  EXPECT_TRUE(contains(ir.out, "func @k(%o: *i32")) << ir.out;
  const ProcessResult dump = tilery({"emit", file, "o=zeros:i32[1]", "--dump-after", "sema"});
  EXPECT_TRUE(contains(dump.out, "// ---- after sema ----")) << dump.out;
  const ProcessResult unknown = tilery({"emit", file, "o=zeros:i32[1]", "--dump-after", "foo"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_TRUE(contains(unknown.err, "canonicalise")) << unknown.err;
}

TEST(Cli, emit_makes_code_for_a_gpu_without_one) {
  const TempDir dir;
  const std::string file =
      dir.write("k.tl", "def k(o):\n    tl.store(o + tl.arange(0, 64), tl.arange(0, 64))\n");
  const auto emit = [&](const char* stage, const char* target) {
    return tilery({"emit", file, "o=zeros:i32[64]", "--stage", stage, "--target", target});
  };
  for (const char* target : {"sm_80", "sm_90a", "sm_100"}) {
    const ProcessResult ptx = emit("ptx", target);
    EXPECT_EQ(ptx.exit_code, 0) << ptx.err;
    EXPECT_TRUE(contains(ptx.out, std::string(".target ") + target)) << ptx.out;
    EXPECT_TRUE(contains(ptx.out, ".visible .entry k_kernel(")) << ptx.out;
  }
  EXPECT_TRUE(contains(emit("llvm", "sm_90a").out, "define ptx_kernel void @k_kernel"));
  EXPECT_TRUE(contains(emit("layout", "sm_90a").out, "lane["));
  const ProcessResult unknown = emit("ptx", "sm_42");
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_TRUE(contains(unknown.err, "sm_90a")) << unknown.err;
}

TEST(Cli, compare_and_explain_need_a_gpu_to_speak_of) {
  const TempDir dir;
  const std::string file = dir.write("k.tl", "def k(o):\n    tl.store(o, 1)\n");
  const ProcessResult same =
      tilery({"compare", file, "o=zeros:i32[4]", "--grid", "1", "--on", "interpret"});
  EXPECT_EQ(same.exit_code, 2);
  EXPECT_TRUE(contains(same.err, "--on interpret: that is what the GPU is compared with"))
      << same.err;
  const ProcessResult told = tilery({"explain", file, "o=*i32", "--on", "interpret"});
  EXPECT_EQ(told.exit_code, 2);
  EXPECT_TRUE(contains(told.err, "--on interpret: what lines become is told of GPUs only"))
      << told.err;
}

TEST(Cli, a_misspelt_option_is_recognised) {
  const TempDir dir;
  const std::string file = dir.write("k.tl", "def k(o):\n    tl.store(o, 1)\n");
  const ProcessResult r = tilery({"run", file, "o=zeros:i32[4]", "--gird=1"});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_TRUE(contains(r.err, "did you mean `--grid`?")) << r.err;
  const ProcessResult other = tilery({"run", file, "o=zeros:i32[4]", "--frobnicate", "1"});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_FALSE(contains(other.err, "did you mean")) << other.err;
}

TEST(Cli, source_lines_of_layouts_are_asked_for) {
  const TempDir dir;
  const std::string file =
      dir.write("k.tl", "def k(o):\n    tl.store(o + tl.arange(0, 64), 1.0)\n");
  const auto emit = [&](std::vector<std::string> more) {
    std::vector<std::string> words{"emit", file, "o=*f32", "--stage", "layout"};
    words.insert(words.end(), more.begin(), more.end());
    return tilery(std::move(words)).out;
  };
  EXPECT_FALSE(contains(emit({}), "k.tl:2")) << emit({});
  EXPECT_TRUE(contains(emit({"--lines"}), "k.tl:2")) << emit({"--lines"});
}

TEST(Cli, ops_prints_both_tables) {
  const ProcessResult r = tilery({"ops"});
  EXPECT_EQ(r.exit_code, 0);
  EXPECT_TRUE(contains(r.out, "tl.sum(")) << r.out.substr(0, 500);
  // A method only, which no kernel can call as tl.to.
  EXPECT_TRUE(contains(r.out, "  x.to(dtype, ")) << r.out.substr(0, 500);
  EXPECT_FALSE(contains(r.out, "tl.to(")) << r.out.substr(0, 500);
  EXPECT_TRUE(contains(r.out, "reduce ("));
  EXPECT_FALSE(contains(tilery({"ops", "cumsum"}).out, "tl.dot("));
  EXPECT_EQ(tilery({"ops", "nothing_like_it"}).exit_code, 2);
  EXPECT_FALSE(json::parse(tilery({"ops", "--json"}).out)["ops"].empty());
}

TEST(Cli, ops_tells_what_is_not_supported_yet) {
  EXPECT_TRUE(contains(tilery({"ops", "tl.sort"}).out, "(not supported yet)"));
  EXPECT_FALSE(contains(tilery({"ops", "tl.cumsum"}).out, "not supported"));
  EXPECT_EQ(json::parse(tilery({"ops", "tl.sort", "--json"}).out)["functions"][0]["supported"],
            false);
  EXPECT_EQ(json::parse(tilery({"ops", "tl.cumsum", "--json"}).out)["functions"][0]["supported"],
            true);
  // A kernel that calls it gets the same answer.
  const TempDir dir;
  const std::string file = dir.write("s.tl", "def k():\n    tl.sort(tl.arange(0, 8))\n");
  EXPECT_TRUE(contains(tilery({"run", file, "--grid", "1"}).err, "`tl.sort` is not supported yet"));
}

TEST(Cli, the_page_of_ops_is_up_to_date) {
  std::ifstream in(TILERY_SOURCE_DIR "/docs/ops.md");
  std::ostringstream page;
  page << in.rdbuf();
  EXPECT_TRUE(tilery({"ops", "--markdown"}).out == page.str())
      << "run: tilery ops --markdown > docs/ops.md";
}

TEST(Cli, a_closed_pipe_is_no_crash) {
  const ProcessResult r = testing::run_process(
      {"/bin/sh", "-c", std::string(TILERY_COMMAND) + " ops | head -1 > /dev/null"});
  EXPECT_EQ(r.exit_code, 0);
}

// ---- case ----

constexpr const char* kCase = R"({"id": "T1", "title": "one", "modes": ["interpret", "frontend"],
  "file": "k.tl", "kernel": "k", "grid": [1, 1, 1],
  "args": [{"name": "o", "buffer": {"dtype": "i32", "shape": [1], "data": [0]}}],
  "expect": {"buffers": {"o": [1]}}})";

std::string changed(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

TEST(CliCase, one_line_a_case_and_a_summary) {
  const TempDir dir;
  dir.write("k.tl", "def k(o):\n    tl.store(o, 1)\n");
  const ProcessResult good = tilery({"case", dir.write("T1.json", kCase)});
  EXPECT_EQ(good.exit_code, 0) << good.out << good.err;
  EXPECT_EQ(good.out,
            "pass       T1  one (interpret, frontend)\n"
            "1 case: 1 pass, 0 fail, 0 wait, 0 manual, 0 for other modes\n");
  const ProcessResult bad =
      tilery({"case", dir.write("T2.json", changed(kCase, "[1]}}", "[2]}}"))});
  EXPECT_EQ(bad.exit_code, 1);
  EXPECT_TRUE(contains(bad.out, "FAIL")) << bad.out;
  EXPECT_TRUE(contains(bad.out, "element 0 is 1, expected 2")) << bad.out;
  const json report = json::parse(tilery({"case", "--json", dir.file("T1.json")}).out);
  EXPECT_EQ(report["cases"][0]["state"], "pass");
  // 1 where 2 is expected: 1 apart, half of what is expected.
  const json worse = json::parse(tilery({"case", "--json", dir.file("T2.json")}).out);
  const json difference = worse["cases"][0]["differences"][0];
  EXPECT_EQ(difference["array"], "o");
  EXPECT_EQ(difference["largest_absolute"]["value"], 1);
  EXPECT_EQ(difference["largest_relative"]["value"], 0.5);
}

TEST(CliCase, other_modes_and_manual_cases_are_named) {
  const TempDir dir;
  dir.write("k.tl", "def k(o):\n    tl.store(o, 1)\n");
  const std::string cuda =
      dir.write("a.json", changed(kCase, "[\"interpret\", \"frontend\"]", "[\"cuda\"]"));
  const std::string manual = dir.write(
      "b.json", changed(kCase, "\"id\"", "\"manual\": true, \"procedure\": \"p\", \"id\""));
  const ProcessResult r = tilery({"case", cuda, manual});
  EXPECT_EQ(r.exit_code, 0);
  EXPECT_TRUE(contains(r.out, "other-mode T1")) << r.out;
  EXPECT_TRUE(contains(r.out, "manual     T1")) << r.out;
}

TEST(CliCase, a_case_that_cannot_be_read_is_wrong_usage) {
  const TempDir dir;
  const ProcessResult none = tilery({"case", dir.file("none.json")});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_TRUE(contains(none.err, "none.json`: No such file")) << none.err;
  EXPECT_EQ(tilery({"case", dir.write("x.json", "{")}).exit_code, 2);
  const ProcessResult no_kernel = tilery({"case", dir.write("T1.json", kCase)});
  EXPECT_EQ(no_kernel.exit_code, 2);
  EXPECT_TRUE(contains(no_kernel.err, "k.tl`: No such file")) << no_kernel.err;
}

}  // namespace
}  // namespace tilery
