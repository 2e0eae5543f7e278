#include "ir/support/source.h"

#include <gtest/gtest.h>

namespace tilery {
namespace {

void expect_at(const SourceMap& sources, std::uint32_t offset, std::uint32_t line,
               std::uint32_t column) {
  const LineColumn at = sources.line_column(0, offset);
  EXPECT_EQ(at.line, line) << "offset " << offset;
  EXPECT_EQ(at.column, column) << "offset " << offset;
}

TEST(SourceMap, CountsLinesAndBytes) {
  SourceMap sources;
  sources.add("a.tl", 1, "ab\ncd\n");
  expect_at(sources, 0, 1, 1);
  expect_at(sources, 2, 1, 3);
  expect_at(sources, 3, 2, 1);
  expect_at(sources, 6, 3, 1);
  EXPECT_EQ(sources.line_text(0, 1), "ab");
  EXPECT_EQ(sources.line_text(0, 2), "cd");
  EXPECT_EQ(sources.line_text(0, 3), "");
  EXPECT_EQ(sources.line_text(0, 4), "");
}

TEST(SourceMap, TakesEveryLineEnd) {
  SourceMap sources;
  sources.add("a.tl", 1, "ab\r\ncd\ref");
  expect_at(sources, 4, 2, 1);
  expect_at(sources, 7, 3, 1);
  EXPECT_EQ(sources.line_text(0, 1), "ab");
  EXPECT_EQ(sources.line_text(0, 2), "cd");
  EXPECT_EQ(sources.line_text(0, 3), "ef");
}

TEST(SourceMap, StartsAtTheFirstLineGiven) {
  SourceMap sources;
  sources.add("a.py", 41, "x\ny");
  expect_at(sources, 2, 42, 1);
  EXPECT_EQ(sources.line_text(0, 42), "y");
  EXPECT_EQ(sources.line_text(0, 2), "");
}

TEST(SourceMap, LeavesAByteOrderMarkOut) {
  SourceMap sources;
  sources.add("a.tl", 1,
              "\xEF\xBB\xBF"
              "ab\ncd");
  expect_at(sources, 0, 1, 1);
  expect_at(sources, 3, 1, 1);
  expect_at(sources, 4, 1, 2);
  expect_at(sources, 6, 2, 1);
  EXPECT_EQ(sources.line_text(0, 1), "ab");
}

TEST(SourceMap, EmptyTextHasOneLine) {
  SourceMap sources;
  sources.add("a.tl", 1, "");
  expect_at(sources, 0, 1, 1);
  EXPECT_EQ(sources.line_text(0, 1), "");
}

TEST(SourceMap, GivesTheTextOfARange) {
  SourceMap sources;
  sources.add("a.tl", 1, "x = y + z");
  EXPECT_EQ(sources.text({0, 4, 9}), "y + z");
  EXPECT_EQ(sources.text({}), "");
}

}  // namespace
}  // namespace tilery
