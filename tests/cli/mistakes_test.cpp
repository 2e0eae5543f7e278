// Mistakes in the words of a command line: what is told, that all of it is, and before a GPU is
// asked for.
#include "tests/cli/command.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tilery::testing {
namespace {

class Mistakes : public ::testing::Test {
 protected:
  void SetUp() override { file_ = dir_.write("add.tl", kAdd); }

  ProcessResult add(const std::string& command, const std::vector<std::string>& words) {
    std::vector<std::string> all = {command, file_};
    all.insert(all.end(), words.begin(), words.end());
    return tilery(all);
  }

  /// All parts are told in one go, with exit code 2.
  void expect_told(const std::string& command, const std::vector<std::string>& words,
                   const std::vector<std::string>& parts) {
    const ProcessResult result = add(command, words);
    EXPECT_EQ(result.exit_code, 2) << result.err;
    for (const std::string& part : parts) {
      EXPECT_NE(result.err.find(part), std::string::npos) << part << " in:\n" << result.err;
    }
  }

  static std::vector<std::string> good_arguments(const std::vector<std::string>& more) {
    std::vector<std::string> words = {"x=ones:f32[8]", "y=ones:f32[8]", "out=empty:f32[8]", "n=8",
                                      "BLOCK=8"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  TempDir dir_;
  std::string file_;
};

TEST_F(Mistakes, wrong_pointer_types_are_named) {
  expect_told("emit", {"x=*f32:3"}, {"only `:16` can stand", "write *f32 or *f32:16"});
  expect_told("lint", {"x=*f23"}, {"`f23` is no element type", "did you mean `f32`?"});
  expect_told("emit", {"BLOCK=*f32"}, {"a compile-time parameter needs a value"});
}

TEST_F(Mistakes, every_wrong_argument_and_the_missing_grid_are_told_together) {
  for (const char* command : {"run", "compare", "bench"}) {
    expect_told(command, {"x=one:f32[8]", "y=zeros:f31[8]"},
                {"argument `x`", "argument `y`", "--grid is missing"});
    expect_told(command, {"x=ones:f32[8]", "zz=1"},
                {"`zz` is neither", "argument `y`", "--grid is missing"});
  }
}

TEST_F(Mistakes, unknown_outputs_are_told_beside_the_grid) {
  expect_told("run", good_arguments({"--print", "q"}), {"--grid is missing", "--print q"});
}

// Exit code 3, of the machine, would hide them where there is no GPU.
TEST_F(Mistakes, the_input_is_read_before_a_gpu_is_asked_for) {
  expect_told("compare", good_arguments({"--grid", "foo"}), {"--grid: in `foo`"});
  expect_told("bench", good_arguments({"--grid", "foo"}), {"--grid: in `foo`"});
  expect_told("bench", good_arguments({"--grid", "1", "--flops", "zz"}), {"--flops: in `zz`"});
}

TEST_F(Mistakes, empty_words_are_no_absent_ones) {
  for (const char* option : {"--grid", "--print", "--out", "--expect", "--on"}) {
    expect_told("run", good_arguments({option, ""}), {std::string(option) + ": the word is empty"});
  }
  expect_told("build", {"--out", "a", "--name", ""}, {"--name: the word is empty"});
  expect_told("run", good_arguments({"--grid", "1", "--print", "x,"}), {"a name is missing"});
  EXPECT_NE(tilery({"list", ""}).err.find("the word is empty"), std::string::npos);
  EXPECT_NE(tilery({"list", "k.tl::k"}).err.find("give the file alone"), std::string::npos);
  EXPECT_NE(tilery({"run", ""}).err.find("the kernel's file is empty"), std::string::npos);
  EXPECT_NE(tilery({"run", file_ + "::"}).err.find("no kernel after the `::`"), std::string::npos);
  EXPECT_NE(tilery({"run", "::add"}).err.find("no file before the `::`"), std::string::npos);
}

TEST_F(Mistakes, wrong_numbers_of_warps_name_the_option) {
  expect_told("bench", good_arguments({"--grid", "1", "--warps", "1,"}), {"--warps 1,: ``"});
  expect_told("bench", good_arguments({"--grid", "1", "--warps", "3"}), {"--warps 3: `3`"});
}

TEST_F(Mistakes, circles_are_called_so) {
  expect_told("run", {"x=like(out)", "out=like(x)", "--grid", "1"}, {"in a circle"});
  expect_told("run", {"x=y", "y=x", "--grid", "1"}, {"in a circle"});
  // A chain that ends is none.
  expect_told("run", {"x=like(y)", "y=like(q)", "--grid", "1"}, {"no array argument"});
}

TEST_F(Mistakes, ops_without_a_match_fail_in_json_too) {
  const ProcessResult json = tilery({"ops", "--json", "bogus"});
  EXPECT_EQ(json.exit_code, 2);
  EXPECT_NE(json.out.find("no function and no op has `bogus`"), std::string::npos) << json.out;
}

// CUDA's limit of the second and third extent is 65,535.
TEST_F(Mistakes, a_grid_that_no_gpu_takes_gets_one_note) {
  const auto notes = [&](const char* grid) {
    const std::string err = add("run", good_arguments({"--grid", grid})).err;
    std::size_t count = 0;
    for (std::size_t at = err.find("no GPU takes"); at != std::string::npos;
         at = err.find("no GPU takes", at + 1)) {
      ++count;
    }
    return count;
  };
  EXPECT_EQ(notes("1,65535"), 0U);
  EXPECT_EQ(notes("1,65536"), 1U);
  EXPECT_EQ(notes("70000"), 0U);
}

}  // namespace
}  // namespace tilery::testing
