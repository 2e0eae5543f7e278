// Deep and large input: an answer or an error, never a stack overflow and never a long wait. (An
// overflow would end the test program.)
#include "frontend/ast_printer.h"
#include "tests/unit/frontend/parse_helpers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tilery {
namespace {

using ::testing::ElementsAre;
using testing::errors_of;
using ::testing::IsEmpty;

std::string repeated(std::string_view text, int count) {
  std::string result;
  for (int i = 0; i < count; ++i) {
    result += text;
  }
  return result;
}

constexpr const char* kTooDeep = "nests more than 1000 operations deep";

TEST(ParseLimits, brackets_nest_two_hundred_deep) {
  EXPECT_THAT(errors_of(repeated("(", 200) + "1" + repeated(")", 200) + "\n"), IsEmpty());
  EXPECT_THAT(errors_of(repeated("(", 201) + "1" + repeated(")", 201) + "\n"),
              ElementsAre("1:201: brackets nest more than 200 deep here"));
  EXPECT_THAT(errors_of(repeated("[{(", 10000)),
              ElementsAre("1:201: brackets nest more than 200 deep here"));
  EXPECT_THAT(errors_of(repeated("f'{", 10000)),
              ElementsAre("1:603: brackets nest more than 200 deep here"));
}

TEST(ParseLimits, lambdas_nest_like_brackets) {
  EXPECT_THAT(errors_of(repeated("lambda: ", 200) + "1\n"), IsEmpty());
  EXPECT_THAT(errors_of(repeated("lambda: ", 5000) + "1\n").size(), 1U);
  EXPECT_THAT(errors_of(repeated("lambda a=", 5000) + "1\n").size(), 1U);
  EXPECT_THAT(errors_of(repeated("(lambda: ", 150) + "1\n").size(), 1U);
  EXPECT_THAT(errors_of("[" + repeated("lambda x, y: 0, ", 5000) + "]\n"), IsEmpty())
      << "side by side";
}

TEST(ParseLimits, blocks_nest_a_hundred_deep) {
  const auto blocks = [](int count) {
    std::string text;
    for (int i = 0; i < count; ++i) {
      text += std::string(static_cast<std::size_t>(i), ' ') + "if a:\n";
    }
    return text + std::string(static_cast<std::size_t>(count), ' ') + "b\n";
  };
  EXPECT_THAT(errors_of(blocks(100)), IsEmpty());
  EXPECT_THAT(errors_of(blocks(101)), ElementsAre("102:102: blocks nest more than 100 deep here"));
  EXPECT_THAT(errors_of(blocks(3000)), ElementsAre("102:102: blocks nest more than 100 deep here"));
}

TEST(ParseLimits, trees_are_a_thousand_deep) {
  // An Assign above 998 sums above a name are 1,000 levels.
  EXPECT_THAT(errors_of("y = x" + repeated(" + x", 998) + "\n"), IsEmpty());
  EXPECT_THAT(errors_of("y = x" + repeated(" + x", 999) + "\n").size(), 1U);
}

TEST(ParseLimits, long_chains_of_every_kind_get_an_error) {
  const std::string chains[] = {
      "x" + repeated(" + x", 5000),
      "x" + repeated(" ** x", 50000),
      repeated("-", 50000) + "x",
      repeated("not ", 50000) + "x",
      repeated("~-+", 50000) + "x",
      "x" + repeated(".y", 50000),
      "x" + repeated("()", 50000),
      "x" + repeated("[0]", 50000),
      repeated("a if b else ", 50000) + "c",
      "a" + repeated(" if b else c", 50000),
      "x" + repeated(" * -x", 50000),
      "(" + repeated("x + ", 999) + "(" + repeated("x + ", 999) + "x))",
  };
  for (const std::string& chain : chains) {
    const std::vector<std::string> errors = errors_of("y = " + chain + "\n");
    ASSERT_EQ(errors.size(), 1U) << chain.substr(0, 40);
    EXPECT_THAT(errors[0], ::testing::HasSubstr(kTooDeep));
  }
}

TEST(ParseLimits, long_flat_things_are_fine) {
  EXPECT_THAT(errors_of("x = a" + repeated(" and a", 50000) + "\n"), IsEmpty());
  EXPECT_THAT(errors_of("x = a" + repeated(" < a", 50000) + "\n"), IsEmpty());
  EXPECT_THAT(errors_of("x = [" + repeated("a, ", 50000) + "]\n"), IsEmpty());
  EXPECT_THAT(errors_of("x = " + repeated("'a' ", 50000) + "\n"), IsEmpty());
  EXPECT_THAT(errors_of(repeated("x = ", 50000) + "y\n"), IsEmpty());
  EXPECT_THAT(errors_of("f(" + repeated("a, ", 50000) + ")\n"), IsEmpty());
  EXPECT_THAT(errors_of(repeated("a;", 50000) + "\n"), IsEmpty());
}

TEST(ParseLimits, many_names_to_compare_take_no_long_time) {
  std::string parameters;
  std::string arguments;
  for (int i = 0; i < 100000; ++i) {
    parameters += fmt::format("a{}, ", i);
    arguments += fmt::format("a{}=1, ", i);
  }
  EXPECT_THAT(errors_of("def f(" + parameters + "): pass\n"), IsEmpty());
  EXPECT_THAT(errors_of("f(" + arguments + ")\n"), IsEmpty());
}

TEST(ParseLimits, elif_chains_count_as_depth) {
  EXPECT_THAT(errors_of("if a: b\n" + repeated("elif a: b\n", 900)), IsEmpty());
  const std::vector<std::string> errors = errors_of("if a: b\n" + repeated("elif a: b\n", 20000));
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_THAT(errors[0], ::testing::HasSubstr(kTooDeep));
}

TEST(ParseLimits, deepest_tree_prints_and_compares) {
  const testing::Parsed parsed = testing::parse_text("y = x" + repeated(" + x", 998) + "\n");
  const testing::Parsed again = testing::parse_text(ast::print(*parsed.module));
  ASSERT_TRUE(again.module);
  EXPECT_TRUE(ast::equal(*parsed.module, *again.module));
}

TEST(ParseLimits, files_have_at_most_sixteen_mebibytes) {
  const std::string comment(63, '#');
  EXPECT_THAT(errors_of(repeated(comment + "\n", (16 << 20) / 64)), IsEmpty());
  EXPECT_THAT(
      errors_of(repeated(comment + "\n", (16 << 20) / 64) + "#"),
      ElementsAre("1:1: the file has 16777217 bytes; at most 16 MiB (16777216 bytes) are read"));
}

TEST(ParseLimits, depth_of_one_line_does_not_hide_the_next_mistake) {
  EXPECT_EQ(errors_of("y = " + repeated("-", 2000) + "x\nz = )\n").size(), 2U);
}

}  // namespace
}  // namespace tilery
