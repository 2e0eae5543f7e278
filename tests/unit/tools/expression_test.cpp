#include "tools/expression.h"

#include <gtest/gtest.h>

#include <string>

namespace tilery::tools {
namespace {

ExpressionNames names() {
  return {[](std::string_view name) -> std::optional<std::int64_t> {
            return name == "N" ? std::optional<std::int64_t>(1000) : std::nullopt;
          },
          [](std::string_view name) -> std::optional<std::vector<std::int64_t>> {
            return name == "x" ? std::optional<std::vector<std::int64_t>>({4, 6}) : std::nullopt;
          }};
}

std::int64_t value(const std::string& text) {
  const Result<std::int64_t> result = evaluate(text, names());
  EXPECT_TRUE(result.ok()) << (result ? "" : result.error().message);
  return result ? *result : INT64_MIN;
}

std::string error(const std::string& text) {
  const Result<std::int64_t> result = evaluate(text, names());
  EXPECT_FALSE(result.ok()) << text;
  return result ? "" : result.error().message;
}

TEST(Expression, follows_python) {
  EXPECT_EQ(value("1 + 2 * 3"), 7);
  EXPECT_EQ(value("(1 + 2) * 3"), 9);
  EXPECT_EQ(value("10 - 3 - 2"), 5);
  EXPECT_EQ(value("-7 // 2"), -4);
  EXPECT_EQ(value("-7 % 2"), 1);
  EXPECT_EQ(value("7 // -2"), -4);
  EXPECT_EQ(value("8 / 2"), 4);
  EXPECT_EQ(value("--3"), 3);
  EXPECT_EQ(value("0x10"), 16);
  EXPECT_EQ(value("1_000"), 1000);
}

TEST(Expression, knows_functions_and_names) {
  EXPECT_EQ(value("cdiv(N, 128)"), 8);
  EXPECT_EQ(value("cdiv(-7, 2)"), -3);
  EXPECT_EQ(value("min(3, N, 5)"), 3);
  EXPECT_EQ(value("max(1, cdiv(N, 3))"), 334);
  EXPECT_EQ(value("next_power_of_2(N)"), 1024);
  EXPECT_EQ(value("next_power_of_2(0)"), 0);
  EXPECT_EQ(value("x.shape[0] * x.shape[-1]"), 24);
  EXPECT_EQ(value("x.numel()"), 24);
  EXPECT_EQ(value("x.numel"), 24);
}

TEST(Expression, says_what_is_wrong) {
  EXPECT_NE(error("").find("missing"), std::string::npos);
  EXPECT_NE(error("2.5").find("no whole number"), std::string::npos);
  EXPECT_NE(error("7 / 2").find("use //"), std::string::npos);
  EXPECT_NE(error("1 // 0").find("division by zero"), std::string::npos);
  EXPECT_NE(error("M").find("no argument `M` with a whole number is given"), std::string::npos);
  EXPECT_NE(error("x").find("`x` is an array; sizes of it are x.shape[0]"), std::string::npos);
  EXPECT_NE(error("y.shape[0]").find("no array"), std::string::npos);
  EXPECT_NE(error("x.shape[2]").find("no axis 2"), std::string::npos);
  EXPECT_NE(error("(1").find("`)` is missing"), std::string::npos);
  EXPECT_NE(error("1 2").find("not expected"), std::string::npos);
  EXPECT_NE(error("foo(1)").find("there are cdiv"), std::string::npos);
}

TEST(Expression, hostile_ones_end_in_an_error) {
  EXPECT_NE(error("9223372036854775807 + 1").find("64 bits"), std::string::npos);
  EXPECT_NE(error("99999999999999999999").find("64 bits"), std::string::npos);
  EXPECT_NE(error("-9223372036854775807 - 2").find("64 bits"), std::string::npos);
  EXPECT_NE(error("(-9223372036854775807 - 1) // -1").find("64 bits"), std::string::npos);
  EXPECT_EQ(value("(-9223372036854775807 - 1) % -1"), 0);
  EXPECT_NE(error(std::string(100000, '(')).find("deeply"), std::string::npos);
  EXPECT_NE(error(std::string(100000, '-') + "1").find("deeply"), std::string::npos);
}

TEST(SplitTopLevel, leaves_brackets_and_quotes_whole) {
  using Parts = std::vector<std::string>;
  EXPECT_EQ(split_top_level("cdiv(N, 2), 3"), (Parts{"cdiv(N, 2)", "3"}));
  EXPECT_EQ(split_top_level("\"a,b\",x[1,2]"), (Parts{"\"a,b\"", "x[1,2]"}));
  EXPECT_EQ(split_top_level(""), (Parts{""}));
  EXPECT_EQ(split_top_level("1,"), (Parts{"1", ""}));
}

}  // namespace
}  // namespace tilery::tools
