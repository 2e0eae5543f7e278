// Damaged cases: what is misspelt, contradicts itself or would hold whatever happens must be told,
// and never pass.
#include "tests/support/temp_dir.h"
#include "tools/case_check.h"
#include "tools/case_contents.h"
#include "tools/case_file.h"
#include "tools/case_run.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>

namespace tilery::tools {
namespace {

using ::testing::HasSubstr;

std::string complaint_of(const std::string& json) {
  const testing::TempDir dir;
  dir.write("k.tl", "def k(o):\n    pass\n");
  const Result<CaseFile> file = read_case(dir.write("k.json", json));
  return file ? "" : file.error().message;
}

/// What is said of a case whose arguments, further keys and expectation are these.
std::string complaint(const std::string& expect, const std::string& argument = "",
                      const std::string& more = "") {
  const std::string o =
      R"({"name": "o", "buffer": {"dtype": "i32", "shape": [2], "data": [1, 2]}})";
  return complaint_of(
      R"({"id": "T1", "modes": ["interpret"], "file": "k.tl", "kernel": "k", "grid": [1], "args": [)" +
      (argument.empty() ? o : argument) + "], " + more + R"("expect": )" + expect + "}");
}

const std::string kGood = R"({"buffers": {"o": [1, 2]}})";

TEST(DamagedCase, what_is_whole_is_taken) {
  EXPECT_EQ(complaint(kGood), "");
  EXPECT_EQ(complaint(R"({"buffers": {}})"), "") << "none may change";
  EXPECT_EQ(complaint(R"({"completes": true})"), "");
  EXPECT_EQ(complaint(R"({"error": {"phase": "run"}, "only_if": "a reader's words"})"), "");
}

TEST(DamagedCase, an_expectation_must_say_something) {
  for (const char* empty :
       {"{}", R"({"rtol": 0.5})", R"({"any_of": []})", R"({"by_mode": {}})", R"({"elements": []})",
        R"({"completes": false})", R"({"any_of": [{"buffers": {"o": [1, 2]}}, {}]})"}) {
    EXPECT_THAT(complaint(empty), HasSubstr("holds whatever happens")) << empty;
  }
  EXPECT_THAT(complaint(R"({"elements": [{"buffer": "o", "index": 0}]})"), HasSubstr("needs `eq`"));
  EXPECT_THAT(complaint(R"({"stdout_values": [{"label": "w", "values": []}]})"),
              HasSubstr("`values` is empty"));
  EXPECT_THAT(complaint(R"({"error": {"phase": "run", "must_mention": [""]}})"),
              HasSubstr("empty entry"));
  EXPECT_THAT(complaint(R"({"error": {"phase": "run", "must_mention": [[]]}})"),
              HasSubstr("empty entry"));
  EXPECT_THAT(complaint(kGood, "", R"("launches": [], )"), HasSubstr("`launches` is empty"));
}

TEST(DamagedCase, what_nobody_would_compare_is_refused) {
  EXPECT_THAT(complaint(R"({"error": {"phase": "run"}, "buffers": {"o": [9, 9]}})"),
              HasSubstr("has `error` and `buffers`"));
  EXPECT_THAT(complaint(R"({"completes": true, "buffers": {"o": [9, 9]}})"),
              HasSubstr("has `completes` and `buffers`"));
  EXPECT_THAT(complaint(R"({"any_of": [{"completes": true}], "buffers": {"o": [9, 9]}})"),
              HasSubstr("has `any_of` and `buffers`"));
  EXPECT_THAT(complaint(R"({"by_mode": {"interpret": {"completes": true}}, "rtol": 1})"),
              HasSubstr("has `by_mode` and `rtol`"));
  EXPECT_THAT(complaint(R"({"buffers": {"o": [1, 2]}, "signed_zero": ["p"]})"),
              HasSubstr("`signed_zero` names `p`"));
  EXPECT_THAT(
      complaint(kGood, "", R"("variants": [{"set": {"p": {"constexpr": 1}}, "expect": {}}], )"),
      HasSubstr("`set` names `p`"));
}

TEST(DamagedCase, only_one_of_two_values_can_be_meant) {
  EXPECT_THAT(complaint(R"({"buffers": {"o": {"data": [1, 2], "fill": 7}}})"),
              HasSubstr("has `data` and `fill`"));
  EXPECT_THAT(complaint(kGood, R"({"name": "o", "constexpr": 4, "none": true})"),
              HasSubstr("argument `o` has `constexpr` and `none`"));
  EXPECT_THAT(complaint(R"({"buffers": {"o": [9, 9]}, "buffers": {"o": [1, 2]}})"),
              HasSubstr("has the key `buffers` twice"));
  EXPECT_EQ(complaint(R"({"elements": [{"buffer": "o", "index": 0, "eq": 1},
                                       {"buffer": "o", "index": 1, "eq": 2}]})"),
            "")
      << "two objects may have the same key";
}

TEST(DamagedCase, words_must_be_known) {
  EXPECT_THAT(complaint(R"({"error": {"phase": "runs"}})"), HasSubstr("`runs` is no phase"));
  EXPECT_THAT(complaint(R"({"forbidden_diagnostics": ["out-of-bound"]})"),
              HasSubstr("`out-of-bound` is no kind of report"));
  EXPECT_THAT(complaint(R"({"diagnostics": [{"kind": "rase", "required": false}]})"),
              HasSubstr("`rase` is no kind of report"));
  EXPECT_THAT(complaint(R"({"diagnostics": [{"kind": "race", "details": {"sise": 5}}]})"),
              HasSubstr("`details` has an unknown key `sise`"));
  EXPECT_THAT(complaint(R"({"buffers": {"o": {"fil": 7}}})"), HasSubstr("unknown key `fil`"));
}

TEST(DamagedCase, every_kind_of_finding_can_be_expected) {
  // The table of docs/semantics.md, and what interpreter/check/finding.h has besides.
  for (const char* kind :
       {"out-of-bounds", "uninitialised", "numeric-warning", "broken-promise", "assertion-failed",
        "bad-loop", "timeout", "race", "overflow", "masked-lanes", "ShapesDoNotBroadcast"}) {
    EXPECT_EQ(complaint(fmt::format(R"({{"forbidden_diagnostics": ["{}"]}})", kind)), "");
  }
}

TEST(DamagedCase, json_of_the_wrong_kind_is_told_with_its_key) {
  EXPECT_THAT(complaint(R"({"buffers": null})"), HasSubstr("`buffers` must be an object, but is"));
  EXPECT_THAT(complaint(R"({"error": {"phase": "run", "must_mention": "x"}})"),
              HasSubstr("`must_mention` must be a list, but is `\"x\"`"));
  EXPECT_THAT(complaint(kGood, R"({"name": 3, "none": true})"),
              HasSubstr("`name` must be a text, but is `3`"));
  EXPECT_THAT(complaint(kGood, "5"), HasSubstr("must be an object, but is `5`"));
  EXPECT_THAT(complaint(kGood, "", R"("strict": 1, )"),
              HasSubstr("`strict` must be true or false, but is `1`"));
  EXPECT_THAT(complaint(R"({"buffers": {"o": {"arange": [1]}}})"), HasSubstr("[start, step]"));
}

TEST(DamagedCase, numbers_must_have_a_meaning) {
  EXPECT_THAT(complaint(R"({"buffers": {"o": [1, 2]}, "rtol": -1})"),
              HasSubstr("`rtol` is `-1`; a tolerance"));
  EXPECT_THAT(complaint(R"({"elements": [{"buffer": "o", "index": -1, "eq": 1}]})"),
              HasSubstr("`index` is -1"));
  EXPECT_THAT(complaint(kGood, R"({"name": "o", "scalar": 20.5, "dtype": "i32"})"),
              HasSubstr("`20.5` is no i32"));
}

CaseNumber real(double value) {
  return {.is_float = true, .real = value, .bits = 0, .is_negative = false};
}

CaseNumber integer(std::int64_t value) {
  return {.is_float = false,
          .real = 0,
          .bits = static_cast<std::uint64_t>(value),
          .is_negative = value < 0};
}

TEST(Fits, knows_the_ends_of_each_type) {
  EXPECT_TRUE(fits(DType::I8, integer(127)) && fits(DType::I8, integer(-128)));
  EXPECT_FALSE(fits(DType::I8, integer(128)) || fits(DType::I8, integer(-129)));
  EXPECT_TRUE(fits(DType::U8, integer(255)));
  EXPECT_FALSE(fits(DType::U8, integer(256)) || fits(DType::U8, integer(-1)));
  EXPECT_TRUE(fits(DType::I1, integer(1)));
  EXPECT_FALSE(fits(DType::I1, integer(2)) || fits(DType::I1, integer(-1)));
  EXPECT_TRUE(fits(DType::I64, integer(INT64_MIN)) && fits(DType::I64, integer(INT64_MAX)));
  CaseNumber large = integer(0);
  large.bits = UINT64_MAX;
  EXPECT_TRUE(fits(DType::U64, large));
  EXPECT_FALSE(fits(DType::I64, large));
}

TEST(Fits, a_fraction_is_no_integer) {
  EXPECT_TRUE(fits(DType::I32, real(3)) && fits(DType::I32, real(-2147483648.0)));
  EXPECT_FALSE(fits(DType::I32, real(0.5)) || fits(DType::I32, real(2147483648.0)));
  EXPECT_FALSE(fits(DType::I32, real(NAN)) || fits(DType::U64, real(INFINITY)));
  EXPECT_TRUE(fits(DType::F16, real(1e300))) << "rounded to infinity";
}

TEST(MakeBuffer, refuses_what_the_type_cannot_hold) {
  CaseContents contents;
  contents.data = {integer(1), integer(std::int64_t{1} << 32)};
  const Result<Buffer> buffer = make_buffer(DType::I32, {2}, contents);
  ASSERT_FALSE(buffer.ok());
  EXPECT_THAT(buffer.error().message, HasSubstr("element 1 is given as 4294967296"));
}

/// Whether element 0 of an i64 buffer that holds `value` counts as `eq`.
bool is_element(std::int64_t value, std::int64_t eq) {
  Result<Buffer> buffer = Buffer::zeros(DType::I64, {1});
  std::memcpy(buffer->data(), &value, sizeof value);
  CaseOutcome outcome;
  outcome.is_completed = true;
  outcome.before.emplace("o", *buffer);
  outcome.after.emplace("o", *buffer);
  ExpectedElement element;
  element.buffer = "o";
  element.eq = integer(eq);
  Expectations expect;
  expect.elements = {element};
  return check_outcome(expect, outcome, "interpret", nullptr).failures.empty();
}

TEST(CheckOutcome, elements_of_64_bits_are_exact) {
  const std::int64_t value = (std::int64_t{1} << 53) + 1;  // the first that a double has not
  EXPECT_TRUE(is_element(value, value));
  EXPECT_FALSE(is_element(value, value - 1));
}

}  // namespace
}  // namespace tilery::tools
