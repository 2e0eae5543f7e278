// Messages, their places, and how parsing goes on after them. tests/golden/diag has a file for each
// message; here are what bytes cannot stand in such a file, and the rules of recovery.
#include "tests/unit/frontend/parse_helpers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tilery {
namespace {

using ::testing::ElementsAre;
using testing::errors_of;
using ::testing::IsEmpty;

TEST(ParseError, bytes_that_are_no_text_get_one_message) {
  EXPECT_THAT(errors_of(std::string("x = 1\n\0\0\0", 9)),
              ElementsAre("2:1: the byte at offset 6 is 0x00: this is not a text file"));
  EXPECT_THAT(errors_of("x = '\xC3(\xFF'\n"),
              ElementsAre("1:6: the byte at offset 5 (0xC3) is not valid UTF-8"));
  EXPECT_THAT(errors_of("# \xED\xA0\x80\n"),
              ElementsAre("1:3: the byte at offset 2 (0xED) is not valid UTF-8"));
  EXPECT_THAT(errors_of("# \xC0\x80"),
              ElementsAre("1:3: the byte at offset 2 (0xC0) is not valid UTF-8"));
  EXPECT_THAT(errors_of("# \xF4\x90\x80\x80"),
              ElementsAre("1:3: the byte at offset 2 (0xF4) is not valid UTF-8"));
  EXPECT_THAT(errors_of("# cut \xE2\x82"),
              ElementsAre("1:7: the byte at offset 6 (0xE2) is not valid UTF-8"));
}

TEST(ParseError, several_mistakes_in_a_file_are_all_reported) {
  EXPECT_THAT(errors_of("def f(x):\n"
                        "    if x > 1\n"
                        "        y = 3 +\n"
                        "    z = (1, 2\n"
                        "    return z\n"
                        "def g(x y):\n"
                        "    w = 'a\n"
                        "    1 = w\n"),
              ElementsAre("2:13: expected `:` after the `if` condition",
                          "3:16: expected an expression after `+`",
                          "4:9: `(` opened at 4:9 is never closed",
                          "6:9: expected `,` or `)` after the parameter, found `y`",
                          "7:9: unterminated string", "8:5: cannot assign to a number"));
}

TEST(ParseError, clauses_of_a_broken_statement_raise_no_error_of_their_own) {
  EXPECT_THAT(
      errors_of("if x = 1:\n  a\nelif y:\n  b\nelse:\n  c\nd = $\n"),
      ElementsAre("1:6: `=` in a condition: did you mean `==`?", "7:5: unexpected character `$`"));
}

TEST(ParseError, block_under_a_broken_header_is_still_looked_at) {
  EXPECT_THAT(errors_of("for in x:\n  a = )\n  b\nc\n"),
              ElementsAre("1:5: `in` is a keyword and cannot be used as a name",
                          "2:7: `)` closes nothing: no bracket is open"));
}

TEST(ParseError, open_bracket_ends_at_the_next_statement) {
  EXPECT_THAT(
      errors_of("x = f(a,\n      b\ny = 1\nreturn\n"),
      ElementsAre("1:6: `(` opened at 1:6 is never closed", "4:1: `return` outside a function"));
  EXPECT_THAT(errors_of("x = [a, (b, c\n"), ElementsAre("1:9: `(` opened at 1:9 is never closed"));
}

TEST(ParseError, unterminated_string_leaves_the_rest_of_the_statement_alone) {
  EXPECT_THAT(errors_of("x = f('a, b)\ny = 1\n"), ElementsAre("1:7: unterminated string"));
  EXPECT_THAT(
      errors_of("x = f('a,\n      b)\ny = )\n"),
      ElementsAre("1:7: unterminated string", "3:5: `)` closes nothing: no bracket is open"));
  EXPECT_THAT(
      errors_of("x = f(\n  'a,\n  b)\ny = )\n"),
      ElementsAre("2:3: unterminated string", "4:5: `)` closes nothing: no bracket is open"));
  EXPECT_THAT(errors_of("if f('a:\n  b\nc\n"), ElementsAre("1:6: unterminated string"));
}

TEST(ParseError, a_line_at_a_wrong_column_is_one_mistake) {
  EXPECT_THAT(errors_of("if a:\n    b\n  c\n  d\n    e\nf\n"),
              ElementsAre("3:3: unindent does not match any outer indentation level"));
  EXPECT_THAT(errors_of("a\n  b\n  c\nd\n"),
              ElementsAre("2:3: unexpected indentation: no line above begins a block"));
}

TEST(ParseError, missing_block_is_reported_where_it_should_be) {
  EXPECT_THAT(errors_of("def f():\nx = 1\n"),
              ElementsAre("2:1: expected an indented block after the `def` in line 1"));
  EXPECT_THAT(errors_of("if a:  # why\n"),
              ElementsAre("1:6: expected an indented block after the `if` in line 1"));
  EXPECT_THAT(errors_of("for i in x:\n  if a:\n  b\n"),
              ElementsAre("3:3: expected an indented block after the `if` in line 2"));
}

TEST(ParseError, end_of_file_inside_things) {
  EXPECT_THAT(errors_of("x = 1 + \\\n"),
              ElementsAre("1:9: `\\` joins two lines, but the file ends here"));
  EXPECT_THAT(errors_of("x = 1 + \\"),
              ElementsAre("1:9: `\\` joins two lines, but the file ends here"));
  EXPECT_THAT(errors_of("x = '''a\nb"),
              ElementsAre("1:5: the triple-quoted string opened at 1:5 is never closed"));
  EXPECT_THAT(errors_of("x = f'''{a\nb"), ElementsAre("1:9: f-string: this `{` is never closed"));
  EXPECT_THAT(errors_of("@a"), ElementsAre("1:3: expected `def` after the decorator"));
}

TEST(ParseError, first_line_and_byte_columns_count) {
  SourceMap sources;
  const FileId file = sources.add("k.py", 40, "x = 1\né = $\n");
  Diagnostics diagnostics;
  EXPECT_FALSE(parse(sources, file, ModuleKind::Tilery, diagnostics));
  const LineColumn at = sources.line_column(file, diagnostics.all().at(0).range.begin);
  EXPECT_EQ(at.line, 41U);
  EXPECT_EQ(at.column, 6U);
}

TEST(ParseError, advice_for_other_languages_habits) {
  const auto help_for = [](std::string_view text) {
    const testing::Parsed parsed = testing::parse_text(text);
    return parsed.diagnostics.all().at(0).help;
  };
  EXPECT_EQ(help_for("x = a && b\n"), "write `and`");
  EXPECT_EQ(help_for("x = a || b\n"), "write `or`");
  EXPECT_EQ(help_for("x = !a\n"), "write `not x` or `x != y`");
  EXPECT_EQ(help_for("if a: b\nelse if c: d\n"), "write `elif`");
  EXPECT_EQ(help_for("if a {\n}\n"), "a block begins with `:` and is indented");
  EXPECT_EQ(help_for("x := 1\n"),
            "an assignment inside an expression stands in parentheses: `(x := 1)`");
  EXPECT_EQ(help_for("print 'a'\n"), "`print` is a function: `print(…)`");
  EXPECT_EQ(help_for("x = “a”\n"), "this is a typographic quote: write `\"`");
  EXPECT_EQ(help_for("x = 017\n"), "an octal number is written `0o17`");
}

TEST(ParseError, after_a_hundred_the_rest_is_not_read) {
  std::string lines;
  for (int i = 0; i < 100000; ++i) {
    lines += "+\n";
  }
  EXPECT_EQ(errors_of(lines).size(), 102U);
  EXPECT_EQ(errors_of(lines).back(),
            "101:2: more than 100 errors: the rest of the file is not read");
  EXPECT_EQ(errors_of(std::string(100000, ')')).size(), 102U);
  EXPECT_EQ(errors_of("f'" + std::string(99999, '}') + "'").size(), 1U)
      << "`}}` is text, one is left over";
  std::string statements = "if a:\n ";
  for (int i = 0; i < 100000; ++i) {
    statements += "1=1;";
  }
  EXPECT_EQ(errors_of(statements).size(), 102U);
  EXPECT_EQ(errors_of("  a\n    " + statements).size(), 102U);
}

TEST(ParseError, correct_text_has_no_errors) {
  EXPECT_THAT(errors_of(testing::sample_kernels()), IsEmpty());
  EXPECT_THAT(errors_of(testing::sample_kernels(), ModuleKind::Python), IsEmpty());
}

}  // namespace
}  // namespace tilery
