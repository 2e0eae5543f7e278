#include "ir/op_table.h"

#include "ir/function.h"
#include "ir/op_docs.h"

#include <gtest/gtest.h>

#include <set>

namespace tilery {
namespace {

TEST(OpTable, RowsStandAtTheirEnumerator) {
  ASSERT_EQ(all_ops().size(), static_cast<std::size_t>(kOpCount));
  for (int i = 0; i < kOpCount; ++i) {
    const auto op = static_cast<Op>(i);
    EXPECT_EQ(op_def(op).op, op);
    EXPECT_EQ(find_op(op_def(op).id), &op_def(op));
  }
  EXPECT_EQ(find_op("frobnicate"), nullptr);
  EXPECT_EQ(find_op(""), nullptr);
}

TEST(OpTable, IdIsTheNameInSnakeCase) {
  for (const OpDef& def : all_ops()) {
    std::string joined;
    for (const char c : def.id) {
      if (c != '_') {
        joined += c;
      }
    }
    std::string lower;
    for (const char c : def.name) {
      lower += static_cast<char>(std::tolower(c));
    }
    EXPECT_EQ(joined, lower);
  }
}

TEST(OpTable, SummariesAreShortPhrases) {
  for (const OpDef& def : all_ops()) {
    EXPECT_FALSE(def.summary.empty()) << def.id;
    EXPECT_NE(def.summary.back(), '.') << def.id;
  }
}

TEST(OpTable, FindsAttributes) {
  EXPECT_EQ(attr_index(Op::Load, "volatile"), 2);
  EXPECT_EQ(attr_index(Op::For, "has_exit"), 0);
}

TEST(OpTableDeathTest, RefusesAnUnknownAttribute) {
  EXPECT_DEATH((void)attr_index(Op::Load, "speed"), "speed");
}

TEST(OpTable, DefaultsReadAsTheirKind) {
  for (const OpDef& def : all_ops()) {
    for (const AttrPattern& pattern : def.attr_patterns()) {
      if (pattern.has_default) {
        EXPECT_TRUE(attr_fits(pattern, default_attr(pattern))) << def.id << " " << pattern.name;
      }
    }
  }
  EXPECT_EQ(default_attr(op_def(Op::Dot).parts.attrs[0]), Attr(std::int64_t{0}));
  EXPECT_EQ(default_attr(op_def(Op::Load).parts.attrs[2]), Attr(false));
}

TEST(OpTable, MapsAreElementByElement) {
  for (const OpDef& def : all_ops()) {
    if (def.is_map()) {
      EXPECT_TRUE(def.is_pure()) << def.id;
      EXPECT_EQ(def.parts.result_count, 1) << def.id;
      for (const ValuePattern& operand : def.operand_patterns()) {
        EXPECT_EQ(operand.variadic_letter, 'S') << def.id;
        EXPECT_EQ(operand.arity, Arity::One) << def.id;
      }
    }
  }
}

// The reader tells a region's name from an operation by looking at the name.
TEST(OpTable, NoRegionIsCalledLikeAnOp) {
  for (const OpDef& def : all_ops()) {
    for (const RegionPattern& region : def.region_patterns()) {
      EXPECT_EQ(find_op(region.name), nullptr) << region.name;
    }
  }
}

TEST(OpTable, ColumnsHaveTheirSpelling) {
  EXPECT_EQ(level_name(op_def(Op::Add).level), "Tile");
  EXPECT_EQ(family_name(op_def(Op::Reduce).family), "Reduce");
  EXPECT_EQ(effects_name(op_def(Op::Store).effects), "Writes");
}

TEST(OpDocs, HasALineForEveryOp) {
  const std::string page = op_docs_markdown();
  for (const OpDef& def : all_ops()) {
    EXPECT_NE(page.find("\n| `" + std::string(def.id) + "` |"), std::string::npos) << def.id;
  }
}

TEST(OpDocs, EveryTableRowHasFourCells) {
  const std::string page = op_docs_markdown();
  const std::size_t tables = page.find("\n### ");
  for (std::size_t begin = page.find("\n| ", tables); begin != std::string::npos;
       begin = page.find("\n| ", begin + 1)) {
    const std::string row = page.substr(begin + 1, page.find('\n', begin + 1) - begin - 1);
    int bars = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
      bars += row[i] == '|' && (i == 0 || row[i - 1] != '\\') ? 1 : 0;
    }
    EXPECT_EQ(bars, 5) << row;
  }
}

}  // namespace
}  // namespace tilery
