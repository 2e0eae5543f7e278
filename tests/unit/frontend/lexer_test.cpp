#include "frontend/lexer.h"

#include "tests/unit/frontend/parse_helpers.h"

#include <gtest/gtest.h>

#include <string>

namespace tilery {
namespace {

/// The tokens after the leading Newline, by their text; layout as NL, IN, DE, END.
std::string tokens_of(const std::string& text) {
  SourceMap sources;
  const FileId file = sources.add("test.tl", 1, text);
  Diagnostics diagnostics;
  const TokenList list = tokenize(sources, file, diagnostics);
  std::string result;
  for (std::size_t i = 1; i < list.tokens.size(); ++i) {
    const Token& token = list.tokens[i];
    result += result.empty() ? "" : " ";
    switch (token.kind) {
      case TokenKind::Newline:
        result += "NL";
        break;
      case TokenKind::Indent:
        result += "IN";
        break;
      case TokenKind::Dedent:
        result += "DE";
        break;
      case TokenKind::EndOfFile:
        result += "END";
        break;
      case TokenKind::Error:
        result += "ERR";
        break;
      default:
        result += text.substr(token.begin, token.end - token.begin);
    }
  }
  return result;
}

TokenKind kind_of(const std::string& text) {
  SourceMap sources;
  const FileId file = sources.add("test.tl", 1, text);
  Diagnostics diagnostics;
  return tokenize(sources, file, diagnostics).tokens.at(1).kind;
}

TEST(Lexer, blocks_become_tokens) {
  EXPECT_EQ(tokens_of("if x:\n  y\n  if z:\n    w\nv\n"),
            "if x : NL IN y NL if z : NL IN w NL DE DE v NL END");
}

TEST(Lexer, file_without_final_newline_ends_its_line_and_blocks) {
  EXPECT_EQ(tokens_of("if x:\n  y"), "if x : NL IN y NL DE END");
}

TEST(Lexer, nothing_but_comments_and_blank_lines_has_no_tokens) {
  EXPECT_EQ(tokens_of(""), "END");
  EXPECT_EQ(tokens_of("\n  \n# a\n\t# b"), "END");
}

TEST(Lexer, blank_lines_and_comments_do_not_change_the_indentation) {
  EXPECT_EQ(tokens_of("if x:\n  y\n\n# out here\n      # far in\n  z\n"),
            "if x : NL IN y NL z NL DE END");
}

TEST(Lexer, brackets_join_lines) {
  EXPECT_EQ(tokens_of("f(a,  # first\n\n b,\nc)\nd\n"), "f ( a , b , c ) NL d NL END");
}

TEST(Lexer, backslash_joins_lines) {
  EXPECT_EQ(tokens_of("a = \\\n  b\\\r\n + c\n"), "a = b + c NL END");
}

TEST(Lexer, all_line_ends_count) {
  EXPECT_EQ(tokens_of("a\r\nb\rc\nd"), "a NL b NL c NL d NL END");
}

TEST(Lexer, byte_order_mark_is_skipped) {
  EXPECT_EQ(tokens_of("\xEF\xBB\xBFx\n"), "x NL END");
}

TEST(Lexer, tab_moves_to_the_next_multiple_of_eight) {
  EXPECT_EQ(tokens_of("if x:\n\ty\n\tz\n"), "if x : NL IN y NL z NL DE END");
  EXPECT_EQ(tokens_of("if x:\n  \ty\n  \tz\n"), "if x : NL IN y NL z NL DE END");
}

TEST(Lexer, form_feed_starts_the_indentation_anew) {
  EXPECT_EQ(tokens_of("a\n  \fb\n"), "a NL b NL END");
}

TEST(Lexer, longest_operator_wins) {
  EXPECT_EQ(tokens_of("a**=b//=c>>=d<<=e->f:=g...h!=i@=j==k<=l"),
            "a **= b //= c >>= d <<= e -> f := g ... h != i @= j == k <= l NL END");
}

TEST(Lexer, keywords_are_not_names_and_soft_keywords_are) {
  EXPECT_EQ(kind_of("nonlocal"), TokenKind::Nonlocal);
  EXPECT_EQ(kind_of("None"), TokenKind::None);
  EXPECT_EQ(kind_of("none"), TokenKind::Name);
  EXPECT_EQ(kind_of("ifx"), TokenKind::Name);
  for (const char* word : {"match", "case", "type", "print", "exec", "_"}) {
    EXPECT_EQ(kind_of(word), TokenKind::Name) << word;
  }
}

TEST(Lexer, every_number_form) {
  for (const char* text : {"0", "00", "12", "1_000", "0x1F", "0XfF_fF", "0o17", "0B1_0", "0x_1"}) {
    EXPECT_EQ(kind_of(text), TokenKind::Integer) << text;
    EXPECT_EQ(tokens_of(text), std::string(text) + " NL END");
  }
  for (const char* text :
       {"1.", ".5", "1.5", "1e5", "1E-5", "1_0.2_5e+1_0", "0.0", "012.5", "1e5"}) {
    EXPECT_EQ(kind_of(text), TokenKind::Float) << text;
    EXPECT_EQ(tokens_of(text), std::string(text) + " NL END");
  }
  for (const char* text : {"3j", "1.5J", "1e3j", "012j"}) {
    EXPECT_EQ(kind_of(text), TokenKind::Imaginary) << text;
  }
}

TEST(Lexer, keyword_may_follow_a_number_directly) {
  EXPECT_EQ(tokens_of("1if x else 2"), "1 if x else 2 NL END");
  EXPECT_EQ(tokens_of("0x1for x"), "0x1f or x NL END");
  EXPECT_EQ(tokens_of("1..real"), "1. . real NL END");
}

TEST(Lexer, string_prefixes_and_quotes) {
  for (const char* text : {"'a'", "\"a\"", "'''a\n'b''c'''", "\"\"\"\"a\\\"\"\"\"", "r'\\'",
                           "R\"\\\"\"", "u'a'", "'a\\'b'", "'\\\n'"}) {
    EXPECT_EQ(kind_of(std::string(text) == "r'\\'" ? "r'\\''" : text), TokenKind::String) << text;
  }
  for (const char* text : {"b'a'", "rb'a'", "Br'a'"}) {
    EXPECT_EQ(kind_of(text), TokenKind::Bytes) << text;
  }
  for (const char* text : {"f'a'", "rf'a'", "Fr'a'"}) {
    EXPECT_EQ(kind_of(text), TokenKind::FStringStart) << text;
  }
}

TEST(Lexer, f_string_is_cut_into_pieces) {
  EXPECT_EQ(tokens_of("f'a{b}c'"), "f' a { b } c ' NL END");
  EXPECT_EQ(tokens_of("f'{{a}}{b!r:>{w}}'"), "f' {{a}} { b !r >{w} } ' NL END");
  EXPECT_EQ(tokens_of("f'{a != b}{d[\"k\"]}{x = }'"),
            "f' { a != b } { d [ \"k\" ] } { x =  } ' NL END");
  EXPECT_EQ(tokens_of("f'{f'{a}'}'"), "f' { f' { a } ' } ' NL END");
  EXPECT_EQ(tokens_of("f'''{\na # b\n}'''"), "f''' { a } ''' NL END");
}

TEST(Lexer, names_may_lie_outside_ascii) {
  EXPECT_EQ(tokens_of("größe = π2"), "größe = π2 NL END");
  EXPECT_EQ(kind_of("変数"), TokenKind::Name);
}

TEST(Lexer, layout_tokens_lie_beside_what_they_separate) {
  SourceMap sources;
  const FileId file = sources.add("test.tl", 1, "if x:  # why\n    y\n");
  Diagnostics diagnostics;
  const TokenList list = tokenize(sources, file, diagnostics);
  // NL if x : NL IN y NL DE END
  EXPECT_EQ(list.tokens[4].begin, 5U);
  EXPECT_EQ(list.tokens[5].begin, 17U);
  EXPECT_EQ(list.tokens[7].begin, 18U);
}

TEST(Lexer, mistakes_leave_an_error_token_and_the_rest_goes_on) {
  EXPECT_EQ(tokens_of("a = $b\nc\n"), "a = ERR b NL c NL END");
  EXPECT_EQ(tokens_of("a = 'b\nc\n"), "a = ERR NL c NL END");
  EXPECT_EQ(tokens_of("f(a\ndef g"), "f ( a ERR NL def g NL END");
}

TEST(Lexer, yield_is_noticed) {
  SourceMap sources;
  Diagnostics diagnostics;
  EXPECT_TRUE(tokenize(sources, sources.add("a", 1, "yield x"), diagnostics).has_yield);
  EXPECT_FALSE(tokenize(sources, sources.add("b", 1, "yields = 'yield'"), diagnostics).has_yield);
}

}  // namespace
}  // namespace tilery
