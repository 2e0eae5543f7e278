// Bad input of every kind gets an error and an exit code, never a crash, a hang or half a file.
#include "tests/cli/command.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

namespace tilery {
namespace {

using testing::kAdd;
using testing::ProcessResult;
using testing::TempDir;
using testing::tilery;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// The outcome of every command that reads a kernel file must be the same error.
void expect_error(const std::string& file, int exit_code, const std::string& part) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"run", file, "--grid", "1"},
        {"lint", file},
        {"list", file},
        {"emit", file, "--stage", "ast"}}) {
    const ProcessResult r = tilery(arguments);
    EXPECT_EQ(r.exit_code, exit_code) << arguments[0] << ": " << r.err.substr(0, 2000);
    EXPECT_TRUE(contains(r.err, part)) << arguments[0] << ": " << r.err.substr(0, 2000);
    EXPECT_EQ(r.out, "") << arguments[0];
    EXPECT_LT(r.seconds, 10) << arguments[0];
  }
}

TEST(BadInput, a_file_that_is_not_there) {
  expect_error("/nonexistent/k.tl", 2, "No such file");
}

TEST(BadInput, a_directory) {
  const TempDir dir;
  expect_error(dir.path().string(), 2, "is a directory");
}

TEST(BadInput, a_command_line_that_is_none) {
  struct Row {
    std::vector<std::string> arguments;
    const char* part;
  };

  const std::vector<Row> rows = {
      {{"frob", "x"}, "`frob` is no subcommand; there are run, compare, case, lint"},
      {{"run", "k.tl", "--frob"}, "--frob"},
      {{"run", "k.tl", "--timeout", "nan"}, "--timeout: `nan` is no number from 0 to"},
      {{"run", "k.tl", "--rtol", "nan"}, "--rtol: `nan` is no number of at least 0"},
      {{"run", "k.tl", "--atol", "-1"}, "--atol: `-1` is no number of at least 0"},
      {{"run", "k.tl", "--seed", "-1"}, "--seed: `-1` is no whole number from 0"},
      {{"run", "k.tl", "--seed", "18446744073709551616"}, "is no whole number from 0"},
  };
  for (const Row& row : rows) {
    std::vector<std::string> arguments = row.arguments;
    const ProcessResult text = tilery(arguments);
    EXPECT_EQ(text.exit_code, 2) << row.part;
    EXPECT_EQ(text.out, "") << row.part;
    EXPECT_TRUE(contains(text.err, row.part)) << text.err;
    // With --json the same is told as JSON.
    arguments.emplace_back("--json");
    const ProcessResult json = tilery(arguments);
    EXPECT_EQ(json.exit_code, 2) << row.part;
    EXPECT_EQ(json.err, "") << row.part;
    EXPECT_TRUE(contains(json.out, R"("status": "usage-error")")) << json.out;
    EXPECT_TRUE(contains(json.out, row.part)) << json.out;
  }
}

#ifndef TILERY_SANITIZED  // whose own memory is past any limit
// 160 tiles of 8 MiB that are all needed at once, with less than half the memory for them.
TEST(BadInput, tiles_larger_than_the_memory) {
  const TempDir dir;
  std::string text = "def k(x):\n    i = tl.arange(0, 1048576) % 8\n";
  for (int v = 0; v < 160; ++v) {
    text +=
        "    v" + std::to_string(v) + " = tl.sqrt(tl.load(x + i) + " + std::to_string(v) + ")\n";
  }
  text += "    s = v0\n";
  for (int v = 159; v >= 0; --v) {
    text += "    s = s + v" + std::to_string(v) + "\n";
  }
  const std::string file = dir.write("k.tl", text + "    tl.store(x, tl.sum(s))\n");
  for (const char* level : {"none", "fast", "tracked"}) {
    const ProcessResult r = testing::run_process(
        {"sh", "-c",
         "ulimit -v 600000; exec \"$0\" run \"$1\" x=ones:f64[8] --grid 4 --check " +
             std::string(level),
         TILERY_COMMAND, file});
    EXPECT_EQ(r.exit_code, 3) << level << r.err;
    EXPECT_TRUE(contains(r.err, "no memory for the tiles of a program")) << level << r.err;
  }
}
#endif

TEST(BadInput, binary_junk) {
  const TempDir dir;
  std::string junk;
  for (int i = 0; i < 4096; ++i) {
    junk += static_cast<char>((i * 197 + 31) % 256);
  }
  expect_error(dir.write("junk.tl", junk), 1, "error");
}

TEST(BadInput, an_unterminated_string) {
  const TempDir dir;
  expect_error(dir.write("s.tl", "def k(x):\n    y = \"abc\n    z = 1\n"), 1, "s.tl:2:9");
}

TEST(BadInput, ten_thousand_brackets) {
  const TempDir dir;
  const std::string deep = std::string(10000, '(') + "1" + std::string(10000, ')');
  expect_error(dir.write("deep.tl", "def k(x):\n    y = " + deep + "\n"), 1, "deep.tl:2:");
}

TEST(BadInput, a_file_of_17_mebibytes) {
  const TempDir dir;
  std::string big = "def k(x):\n    pass\n";
  big.append((17U << 20) - big.size(), '#');
  expect_error(dir.write("big.tl", big), 1, "16 MiB");
}

TEST(BadInput, deep_indentation) {
  const TempDir dir;
  std::string text = "def k(x):\n";
  for (int i = 1; i < 500; ++i) {
    text += std::string(static_cast<std::size_t>(i), ' ') + "if x:\n";
  }
  expect_error(dir.write("i.tl", text + std::string(500, ' ') + "pass\n"), 1, "error");
}

TEST(BadInput, an_empty_file_has_no_kernel) {
  const TempDir dir;
  const ProcessResult r = tilery({"run", dir.write("e.tl", ""), "--grid", "1"});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_TRUE(contains(r.err, "has no kernel")) << r.err;
}

TEST(BadInput, escape_sequences_do_not_reach_the_terminal) {
  const TempDir dir;
  const ProcessResult r = tilery({"lint", dir.write("x.tl", "def k(x):\n    \x1b[31m = 1\n")});
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_FALSE(contains(r.err, "\x1b")) << r.err;
}

// ---- arrays ----

ProcessResult run_with(const TempDir& dir, const std::string& x) {
  return tilery({"run", dir.write("add.tl", kAdd), "x=" + x, "y=zeros:f32[4]", "out=zeros:f32[4]",
                 "n=4", "BLOCK=4", "--grid", "1", "--out", "out=" + dir.file("o.npy")});
}

std::string npy(const char* descr, const char* order, const char* shape, std::size_t bytes) {
  std::string text = std::string("{'descr': '") + descr + "', 'fortran_order': " + order +
                     ", 'shape': " + shape + ", }";
  text.append(117 - text.size(), ' ');
  std::string head("\x93NUMPY\x01\0\x76\0", 10);
  return head + text + "\n" + std::string(bytes, '\0');
}

void expect_bad_array(const std::string& bytes, const std::string& part) {
  const TempDir dir;
  const ProcessResult r = run_with(dir, "@" + dir.write("x.npy", bytes));
  EXPECT_EQ(r.exit_code, 2) << r.err;
  EXPECT_TRUE(contains(r.err, part)) << r.err;
  EXPECT_TRUE(contains(r.err, "x.npy")) << r.err;
  EXPECT_FALSE(std::filesystem::exists(dir.file("o.npy")));
}

TEST(BadInput, arrays_that_cannot_be_read) {
  expect_bad_array("", "empty");
  expect_bad_array("not an array", "no .npy file");
  expect_bad_array(npy("<f4", "True", "(2, 2)", 16), "ascontiguousarray");
  expect_bad_array(npy(">f4", "False", "(4,)", 16), "big-endian");
  expect_bad_array(npy("<f4", "False", "(4,)", 15), "cut short");
  expect_bad_array(npy("|O", "False", "(4,)", 16), "Python objects");
}

TEST(BadInput, an_array_file_that_is_not_there_or_a_directory) {
  const TempDir dir;
  EXPECT_EQ(run_with(dir, "@/nonexistent.npy").exit_code, 2);
  EXPECT_EQ(run_with(dir, "@" + dir.path().string()).exit_code, 2);
}

TEST(BadInput, an_array_of_the_wrong_type) {
  const TempDir dir;
  const std::string file = dir.write("k.tl", "def k(x: \"*bf16\"):\n    pass\n");
  const ProcessResult r = tilery({"run", file, "x=zeros:f32[4]", "--grid", "1"});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_TRUE(contains(r.err, "fp32") && contains(r.err, "bf16")) << r.err;
  EXPECT_TRUE(contains(r.err, "k.tl:1:7")) << r.err;
}

TEST(BadInput, more_memory_than_there_is) {
  const TempDir dir;
  const ProcessResult r = run_with(dir, "zeros:f32[1000000000000]");
  EXPECT_EQ(r.exit_code, 3) << r.err;
  EXPECT_TRUE(contains(r.err, "no memory")) << r.err;
}

// ---- output ----

TEST(BadInput, an_output_that_cannot_be_written_leaves_nothing) {
  const TempDir dir;
  std::filesystem::create_directory(dir.file("o.npy"));
  const ProcessResult r = run_with(dir, "zeros:f32[4]");
  EXPECT_EQ(r.exit_code, 2) << r.err;
  EXPECT_EQ(dir.count(), 2) << "the kernel and the folder, nothing else";
}

TEST(BadInput, an_output_in_a_folder_that_is_not_there) {
  const TempDir dir;
  const ProcessResult r =
      tilery({"run", dir.write("k.tl", "def k(x):\n    pass\n"), "x=zeros:f32[4]", "--grid", "1",
              "--out", "x=" + dir.file("no/o.npy")});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_TRUE(contains(r.err, "there is no folder `" + dir.file("no") + "`; make it first"))
      << r.err;
}

TEST(BadInput, two_outputs_in_one_file) {
  const TempDir dir;
  const ProcessResult r = tilery({"run", dir.write("k.tl", "def k(x, y):\n    pass\n"),
                                  "x=zeros:f32[4]", "y=ones:f32[4]", "--grid", "1", "--out",
                                  "x=" + dir.file("o.npy"), "--out", "y=" + dir.file("o.npy")});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_TRUE(contains(r.err, "written twice")) << r.err;
}

TEST(BadInput, standard_output_on_a_full_disk) {
  const ProcessResult r =
      testing::run_process({"/bin/sh", "-c", std::string(TILERY_COMMAND) + " ops > /dev/full"});
  EXPECT_EQ(r.exit_code, 3);
  EXPECT_TRUE(contains(r.err, "cannot write to standard output")) << r.err;
}

TEST(BadInput, a_kernel_that_does_not_compile_leaves_no_output) {
  const TempDir dir;
  const std::string file = dir.write("k.tl", "def k(o):\n    tl.store(o, undefined)\n");
  const ProcessResult r =
      tilery({"run", file, "o=zeros:f32[4]", "--grid", "1", "--out", "o=" + dir.file("o.npy")});
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_TRUE(contains(r.err, "k.tl:2:17: error: `undefined` is not defined")) << r.err;
  EXPECT_EQ(dir.count(), 1);
}

}  // namespace
}  // namespace tilery
