#include "ir/support/diagnostic.h"

#include "ir/support/text_width.h"

#include <gtest/gtest.h>

#include <set>

namespace tilery {
namespace {

/// A text, and ranges of it by what they contain.
class DiagnosticTest : public ::testing::Test {
 protected:
  void source(std::string text, std::uint32_t first_line = 1) {
    sources_ = SourceMap();
    sources_.add("k.tl", first_line, std::move(text));
  }

  /// The first occurrence of `part`.
  [[nodiscard]] SourceRange range_of(std::string_view part) const {
    const std::size_t begin = sources_.file(0).text.find(part);
    return {0, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(begin + part.size())};
  }

  Diagnostic& report(SourceRange range, std::string_view message = "message") {
    return diagnostics_.report(DiagId::SyntaxError, range, message);
  }

  [[nodiscard]] std::string shown() const { return render(diagnostics_.all().back(), sources_); }

  SourceMap sources_;
  Diagnostics diagnostics_;
};

TEST_F(DiagnosticTest, ShowsWhatTheDesignShows) {
  source("    y = x + w\n", 12);
  report(range_of("x"), "shapes `[64]` and `[32]` cannot be broadcast")
      .label(range_of("x"), "`x`: f32[64]")
      .label(range_of("w"), "`w`: f32[32]")
      .note("`w` was loaded", range_of("y"))
      .helped("`w[None, :]` adds an axis");
  EXPECT_EQ(shown(),
            "k.tl:12:9: error: shapes `[64]` and `[32]` cannot be broadcast\n"
            "   12 |     y = x + w\n"
            "      |         ^   ~   `x`: f32[64], `w`: f32[32]\n"
            "      |  note: `w` was loaded at k.tl:12:5\n"
            "      |  help: `w[None, :]` adds an axis\n");
}

TEST_F(DiagnosticTest, MarksTheWholeRange) {
  source("a = foo(1)\n");
  report(range_of("foo(1)"));
  EXPECT_EQ(shown(),
            "k.tl:1:5: error: message\n"
            "    1 | a = foo(1)\n"
            "      |     ^^^^^^\n");
}

TEST_F(DiagnosticTest, MarksAPointPastTheEnd) {
  source("a = (\n");
  report({0, 5, 5});
  EXPECT_EQ(shown(),
            "k.tl:1:6: error: message\n"
            "    1 | a = (\n"
            "      |      ^\n");
}

TEST_F(DiagnosticTest, ShowsTheFirstLineOfALongRange) {
  source("f(a,\n  b)\n");
  report(range_of("f(a,\n  b)"));
  EXPECT_EQ(shown(),
            "k.tl:1:1: error: message\n"
            "    1 | f(a,\n"
            "      | ^^^^\n");
}

TEST_F(DiagnosticTest, ShowsLabelsOfOtherLines) {
  source("x = 1\ny = x\n");
  report(range_of("y")).label(range_of("x"), "`x`: i32");
  EXPECT_EQ(shown(),
            "k.tl:2:1: error: message\n"
            "    1 | x = 1\n"
            "      | ~   `x`: i32\n"
            "    2 | y = x\n"
            "      | ^\n");
  report(range_of("x")).label(range_of("y"), "`y`: i32");
  EXPECT_EQ(shown(),
            "k.tl:1:1: error: message\n"
            "    1 | x = 1\n"
            "      | ^\n"
            "    2 | y = x\n"
            "      | ~   `y`: i32\n");
}

TEST_F(DiagnosticTest, ShowsTheCallChain) {
  source("inner()\nouter()\n");
  Diagnostic& diagnostic = report(range_of("inner"));
  diagnostic.calls.push_back({range_of("outer"), "kernel"});
  EXPECT_EQ(shown(),
            "k.tl:1:1: error: message\n"
            "    1 | inner()\n"
            "      | ^^^^^\n"
            "      |  called from `kernel` at k.tl:2:1\n");
}

TEST_F(DiagnosticTest, StandsWithoutAPlace) {
  report({}).label({}, "`n`: i32").note("why").helped("how");
  EXPECT_EQ(shown(),
            "error: message\n"
            "      |  note: `n`: i32\n"
            "      |  note: why\n"
            "      |  help: how\n");
}

TEST_F(DiagnosticTest, ShowsItsTag) {
  report({}).tag = "out-of-bounds";
  EXPECT_EQ(shown(), "error[out-of-bounds]: message\n");
}

TEST_F(DiagnosticTest, ExpandsTabs) {
  source("\tx = y\n");
  report(range_of("y"));
  EXPECT_EQ(shown(),
            "k.tl:1:6: error: message\n"
            "    1 |     x = y\n"
            "      |         ^\n");
}

TEST_F(DiagnosticTest, KnowsWideAndCombiningCharacters) {
  // Two wide characters, then an e with a combining accent: 2 + 2 + 1 columns.
  source(
      "\xE6\xBC\xA2\xE5\xAD\x97"
      "e\xCC\x81 = y\n");
  report(range_of("y"));
  EXPECT_EQ(shown(),
            "k.tl:1:13: error: message\n"
            "    1 | \xE6\xBC\xA2\xE5\xAD\x97"
            "e\xCC\x81 = y\n"
            "      |         ^\n");
}

TEST_F(DiagnosticTest, EscapesWhatWouldReachTheTerminal) {
  source("a\x1b[31m = \xFF y\n");
  report(range_of("y"), "bad \x07 name");
  EXPECT_EQ(shown(),
            "k.tl:1:12: error: bad \\x07 name\n"
            "    1 | a\\x1b[31m = \\xff y\n"
            "      |                  ^\n");
}

TEST_F(DiagnosticTest, ShowsAWindowOfALongLine) {
  source(std::string(5000, 'a') + "!" + std::string(5000, 'b'));
  report(range_of("!"));
  const std::string text = shown();
  EXPECT_LT(text.size(), 600U);
  const std::size_t caret = text.rfind('^') - text.rfind('\n', text.rfind('^'));
  const std::size_t line = text.find("    1 | ");
  // The ellipsis before the window is three bytes wide in UTF-8 but one column.
  const std::size_t bang = text.find('!') - line + 1 - 2;
  EXPECT_EQ(caret, bang);
}

TEST_F(DiagnosticTest, ColorsOnlyWhenAsked) {
  source("a\n");
  report(range_of("a"));
  EXPECT_EQ(shown().find('\x1b'), std::string::npos);
  const std::string colored = render(diagnostics_.all().back(), sources_, {.color = true});
  EXPECT_NE(colored.find("\x1b[1;31merror:\x1b[0m"), std::string::npos);
}

TEST_F(DiagnosticTest, CountsErrors) {
  source("a\n");
  EXPECT_FALSE(diagnostics_.has_errors());
  report(range_of("a"));
  Diagnostics other;
  other.append(diagnostics_);
  other.append(diagnostics_);
  EXPECT_EQ(other.error_count(), 2U);
  EXPECT_EQ(other.all().size(), 2U);
}

TEST(DiagnosticTable, MessagesFollowTheHouseRules) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < diagnostic_count(); ++i) {
    const auto id = static_cast<DiagId>(i);
    const std::string_view format = diagnostic_format(id);
    EXPECT_TRUE(names.insert(diagnostic_name(id)).second) << diagnostic_name(id);
    ASSERT_FALSE(format.empty());
    const bool begins_high = format[0] >= 'A' && format[0] <= 'Z';
    EXPECT_TRUE(!begins_high || format.starts_with("Python")) << format;
    EXPECT_NE(format.back(), '.') << format;
  }
}

TEST(TextWidth, RefusesOverlongAndCutSequences) {
  // An overlong "/", a surrogate, a cut sequence, a lone continuation byte.
  EXPECT_EQ(printable("\xC0\xAF"), "\\xc0\\xaf");
  EXPECT_EQ(printable("\xED\xA0\x80"), "\\xed\\xa0\\x80");
  EXPECT_EQ(printable("\xE6\xBC"), "\\xe6\\xbc");
  EXPECT_EQ(printable("\x80"), "\\x80");
}

TEST(TextWidth, ShowsHiddenCharacters) {
  // Right-to-left override, zero-width space, byte order mark.
  EXPECT_EQ(printable("a\xE2\x80\xAE"
                      "b"),
            "a\\u202eb");
  EXPECT_EQ(printable("\xE2\x80\x8B"), "\\u200b");
  EXPECT_EQ(printable("\xEF\xBB\xBF"), "\\ufeff");
  EXPECT_EQ(printable("caf\xC3\xA9"), "caf\xC3\xA9");
}

TEST(TextWidth, CellsKeepByteOffsets) {
  const std::vector<TextCell> cells = text_cells("\xC3\xA9\tx");
  ASSERT_EQ(cells.size(), 3U);
  EXPECT_EQ(cells[1].offset, 2U);
  EXPECT_EQ(cells[1].width, 3);
  EXPECT_EQ(cells[2].offset, 3U);
}

}  // namespace
}  // namespace tilery
