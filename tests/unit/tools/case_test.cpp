// The pieces of `tilery case` that need no kernel.
#include "tests/support/temp_dir.h"
#include "tools/case_check.h"
#include "tools/case_file.h"
#include "tools/case_match.h"
#include "tools/case_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace tilery::tools {
namespace {

using testing::TempDir;

TEST(MentionsEntry, case_and_blanks_do_not_count) {
  EXPECT_TRUE(mentions_entry("Shapes [64] and [32]", "shapes"));
  EXPECT_TRUE(mentions_entry("program (0,0, 0)", "0, 0, 0"));
  EXPECT_TRUE(mentions_entry("use `acc = 0.0`", "acc = 0.0"));
  EXPECT_TRUE(mentions_entry("acc=0.0", "acc = 0.0"));
}

TEST(MentionsEntry, words_must_be_whole) {
  EXPECT_TRUE(mentions_entry("[4]", "4"));
  EXPECT_FALSE(mentions_entry("[48]", "4"));
  EXPECT_FALSE(mentions_entry("offset 14", "4"));
  EXPECT_FALSE(mentions_entry("x_ptr", "x"));
  EXPECT_TRUE(mentions_entry("48 and 4", "4"));
  EXPECT_TRUE(mentions_entry("a & b", "&"));
}

TEST(MissingMention, one_alternative_is_enough) {
  EXPECT_FALSE(missing_mention("fp32 was given", {{"f32", "fp32"}}).has_value());
  EXPECT_EQ(missing_mention("fp32 was given", {{"fp32"}, {"bf16", "bfloat16"}}), "bf16|bfloat16");
}

TEST(ShownLines, come_in_the_order_of_the_text) {
  EXPECT_EQ(shown_lines("k.tl:12:13: error: no\n   12 |     y = x + w\n      |         ^\n"
                        "      |  note: `w` was loaded at k.tl:9:9\n"),
            (std::vector<std::int64_t>{12, 12, 9}));
}

TEST(ShowsValues, finds_them_in_order) {
  const ExpectedValues want{"w", {1, 2, 3}, false};
  EXPECT_TRUE(shows_values("(0, 0, 0) w: [1 2\nw 3]\n", want));
  EXPECT_FALSE(shows_values("w: 3 2 1", want));
  EXPECT_FALSE(shows_values("v: 1 2 3", want));
  EXPECT_TRUE(shows_values("m: [True False]", {"m", {1, 0}, true}));
  EXPECT_TRUE(shows_values("n: nan -inf", {"n", {NAN, -INFINITY}, false}));
}

// ---- reading ----

Result<CaseFile> read(const std::string& json) {
  const TempDir dir;
  dir.write("k.tl", "def k(o):\n    pass\n");
  return read_case(dir.write("k.json", json));
}

constexpr const char* kSmall = R"({
  "id": "T1", "title": "t", "modes": ["interpret"], "file": "k.tl", "kernel": "k", "grid": [1, 1, 1],
  "args": [{"name": "o", "buffer": {"dtype": "f32", "shape": [2], "data": [1, "nan"]}},
           {"name": "n", "scalar": 18446744073709551615, "dtype": "u64"},
           {"name": "B", "constexpr": [1, 2]}, {"name": "z", "none": true}],
  "expect": {"buffers": {"o": [1, "nan"]}, "rtol": 1e-6}})";

TEST(ReadCase, takes_every_kind_of_argument) {
  const Result<CaseFile> file = read(kSmall);
  ASSERT_TRUE(file.ok()) << file.error().message;
  ASSERT_EQ(file->arguments.size(), 4U);
  EXPECT_EQ(file->arguments[0].buffer->shape, (Extents{2}));
  EXPECT_EQ(file->arguments[1].value->as<TypedScalar>()->bits, UINT64_MAX) << "exact in 64 bits";
  EXPECT_EQ(file->arguments[2].value->as<Argument::Tuple>()->elements.size(), 2U);
  EXPECT_NE(file->arguments[3].value->as<None>(), nullptr);
  EXPECT_EQ(file->launches.size(), 1U);
  EXPECT_EQ(file->expect.rtol, 1e-6);
}

TEST(ReadCase, a_misspelt_key_is_an_error) {
  std::string text = kSmall;
  text.replace(text.find("rtol"), 4, "rtoll");
  const Result<CaseFile> file = read(text);
  ASSERT_FALSE(file.ok());
  EXPECT_NE(file.error().message.find("`rtoll`"), std::string::npos);
}

TEST(ReadCase, a_misspelt_mode_is_an_error) {
  std::string text = kSmall;
  text.replace(text.find("interpret"), 9, "interpreted");
  const Result<CaseFile> file = read(text);
  ASSERT_FALSE(file.ok());
  EXPECT_NE(file.error().message.find("`interpreted` is no mode"), std::string::npos);
}

TEST(ReadCase, a_missing_key_is_told_plainly) {
  std::string text = kSmall;
  text.replace(text.find("\"kernel\""), 8, "\"source\"");
  const Result<CaseFile> file = read(text);
  ASSERT_FALSE(file.ok());
  EXPECT_TRUE(file.error().message.ends_with("k.json`: the key `kernel` is missing"))
      << file.error().message;
}

TEST(ReadCase, bad_files_are_errors) {
  EXPECT_FALSE(read("").ok());
  EXPECT_FALSE(read("[1, 2").ok());
  EXPECT_FALSE(read("[]").ok());
  EXPECT_FALSE(read("{}").ok());
  EXPECT_FALSE(read(R"({"id": 3})").ok());
  EXPECT_FALSE(read(std::string(1 << 20, '[')).ok());
  EXPECT_FALSE(read_case("/nonexistent.json").ok());
}

/// What `read` says of kSmall with `from` replaced by `to`.
std::string complaint(const std::string& from, const std::string& to) {
  std::string text = kSmall;
  text.replace(text.find(from), from.size(), to);
  const Result<CaseFile> file = read(text);
  return file ? "" : file.error().message;
}

TEST(ReadCase, numbers_that_make_no_sense_are_errors) {
  using ::testing::HasSubstr;
  EXPECT_THAT(complaint("[1, 1, 1]", "[1e300]"), HasSubstr("`1e+300` is no signed integer"));
  EXPECT_THAT(complaint("[1, 1, 1]", "[9223372036854775808]"), HasSubstr("is no signed integer"));
  EXPECT_THAT(complaint("[1, 1, 1]", "4"), HasSubstr("`4` is no list of integers"));
  EXPECT_THAT(complaint("[2]", "[4294967296, 4294967296]"), HasSubstr("makes no sense"));
  const std::string rtol = R"("rtol": 1e-6)";
  EXPECT_THAT(complaint(rtol, R"("stdout_values": [{"label": "x", "shape": [-1], "fill": 0}])"),
              HasSubstr("makes no sense"));
  EXPECT_THAT(
      complaint(rtol, R"("stdout_values": [{"label": "x", "shape": [1048577], "fill": 0}])"),
      HasSubstr("wants 1048577 values"));
  EXPECT_THAT(complaint(R"("expect")", R"("repeat": {"times": 0}, "expect")"),
              HasSubstr("cannot be repeated 0 times"));
}

TEST(ReadCase, null_needs_a_type) {
  EXPECT_THAT(complaint(R"("none": true)", R"("null": true, "alias": "o")"),
              ::testing::HasSubstr("argument `z` is null"));
}

TEST(ReadCase, deep_trees_are_errors) {
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  EXPECT_THAT(complaint("[1, 2]", deep), ::testing::HasSubstr("nests deeper than 64"));
}

TEST(MakeBuffer, follows_the_rules) {
  CaseContents arange;
  arange.is_arange = true;
  arange.start = -1;
  arange.step = 2;
  arange.mod = 5;
  arange.add = 10;
  const Result<Buffer> x = make_buffer(DType::I32, {4}, arange);
  // ((-1 + 2i) mod 5) + 10 with Python's mod: -1 → 4, 1, 3, 5 → 0
  EXPECT_EQ(x->number(0), 14);
  EXPECT_EQ(x->number(1), 11);
  EXPECT_EQ(x->number(2), 13);
  EXPECT_EQ(x->number(3), 10);
}

// ---- checking ----

CaseOutcome outcome_with(std::vector<Message> messages, bool is_completed = true) {
  CaseOutcome outcome;
  outcome.messages = std::move(messages);
  outcome.is_completed = is_completed;
  return outcome;
}

Message message(Message::Severity severity, Phase phase, const char* kind, std::uint32_t line,
                const char* text) {
  Message m;
  m.severity = severity;
  m.phase = phase;
  m.kind = kind;
  m.place = {"k.tl", line, 5, line, 9};
  m.message = text;
  m.text = text;
  return m;
}

Buffer buffer_of(const std::vector<double>& values) {
  Result<Buffer> buffer = Buffer::zeros(DType::F32, {static_cast<std::int64_t>(values.size())});
  for (std::size_t i = 0; i < values.size(); ++i) {
    buffer->set_number(static_cast<std::int64_t>(i), values[i]);
  }
  return *buffer;
}

bool passes(const Expectations& expect, const CaseOutcome& outcome,
            const char* mode = "interpret") {
  return check_outcome(expect, outcome, mode, nullptr).failures.empty();
}

TEST(CheckOutcome, an_expected_error_must_come_in_time_and_place) {
  Expectations expect;
  expect.error = ExpectedError{"compile", 4, {}, 5, 1, {{"arange"}}};
  const auto error = [](Phase phase, std::uint32_t line, const char* text) {
    return outcome_with({message(Message::Severity::Error, phase, "X", line, text)}, false);
  };
  EXPECT_TRUE(passes(expect, error(Phase::Compile, 4, "arange of 0")));
  EXPECT_TRUE(passes(expect, error(Phase::Parse, 4, "arange of 0"))) << "earlier is as good";
  EXPECT_FALSE(passes(expect, error(Phase::Run, 4, "arange of 0")));
  EXPECT_FALSE(passes(expect, error(Phase::Compile, 5, "arange of 0")));
  EXPECT_FALSE(passes(expect, error(Phase::Compile, 4, "range of 0")));
  EXPECT_FALSE(passes(expect, outcome_with({})));
}

TEST(CheckOutcome, buffers_that_are_not_named_must_not_change) {
  Expectations expect;
  expect.compares_buffers = true;
  CaseContents contents;
  contents.fill = CaseNumber{true, 2, 0, false};
  expect.buffers.emplace_back("o", contents);
  CaseOutcome outcome;
  outcome.before = {{"o", buffer_of({0})}, {"x", buffer_of({1})}};
  outcome.after = {{"o", buffer_of({2})}, {"x", buffer_of({1})}};
  EXPECT_TRUE(passes(expect, outcome));
  outcome.after.at("x").set_number(0, 5);
  EXPECT_FALSE(passes(expect, outcome));
  EXPECT_TRUE(passes(expect, outcome, "frontend")) << "nothing ran";
}

TEST(CheckOutcome, an_unexpected_error_fails_a_case_of_values) {
  Expectations expect;
  const CaseOutcome outcome = outcome_with(
      {message(Message::Severity::Error, Phase::Run, "out-of-bounds", 3, "load")}, false);
  EXPECT_FALSE(passes(expect, outcome));
  expect.diagnostics.push_back({"out-of-bounds", 3, {}, {{"load"}}, {}, true, {}});
  EXPECT_TRUE(passes(expect, outcome));
  expect.diagnostics[0].line = 4;
  EXPECT_FALSE(passes(expect, outcome));
}

TEST(CheckOutcome, forbidden_reports_fail) {
  Expectations expect;
  expect.forbidden_diagnostics = {"race"};
  EXPECT_FALSE(passes(
      expect, outcome_with({message(Message::Severity::Warning, Phase::Run, "race", 3, "r")})));
}

TEST(CheckOutcome, one_of_several_outcomes_is_enough) {
  Expectations error;
  error.error = ExpectedError{"compile", {}, {}, {}, {}, {}};
  Expectations either;
  either.any_of = {error, Expectations()};
  EXPECT_TRUE(passes(either, outcome_with({})));
  Expectations by_mode;
  by_mode.by_mode["interpret"].push_back(error);
  EXPECT_FALSE(passes(by_mode, outcome_with({})));
  EXPECT_TRUE(passes(by_mode, outcome_with({}), "frontend"));
}

TEST(CheckOutcome, a_variant_may_have_to_differ) {
  Expectations expect;
  expect.differs_from_base = {"o"};
  CaseOutcome base;
  base.after = {{"o", buffer_of({1})}};
  CaseOutcome same = base;
  EXPECT_FALSE(check_outcome(expect, same, "interpret", &base).failures.empty());
  same.after = {{"o", buffer_of({2})}};
  EXPECT_TRUE(check_outcome(expect, same, "interpret", &base).failures.empty());
}

}  // namespace
}  // namespace tilery::tools
