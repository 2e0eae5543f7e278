// Damaged kernels, and how fast whole ones are read.
#include "frontend/ast_printer.h"
#include "tests/unit/frontend/parse_helpers.h"

#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <string>

namespace tilery {
namespace {

using Clock = std::chrono::steady_clock;

/// One random change: a byte, a token-like piece, a cut or a copy.
void damage(std::string& text, std::mt19937& random) {
  static constexpr std::string_view kPieces[] = {
      "(",      ")",      "[",    "]",       "{",     "}",     "'",    "\"",  "\"\"\"",
      "f'{",    "}'",     "\\",   "\n",      "\t",    "  ",    ":",    ",",   "=",
      ":=",     "**",     "not ", "lambda ", "if ",   "else ", "for ", "in ", "def ",
      "@",      "#",      "\r",   "\f",      "é",     "\xFF",  "0x",   "1_",  "...",
      "yield ", "class ", "try:", "async ",  "match "};
  const auto below = [&](std::size_t n) {
    return n == 0 ? 0 : std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
  };
  const std::size_t at = below(text.size());
  switch (below(4)) {
    case 0:
      text.insert(at, kPieces[below(std::size(kPieces))]);
      break;
    case 1:
      text.erase(at, below(12));
      break;
    case 2:
      text[at] = static_cast<char>(below(256));
      break;
    default:
      text.insert(below(text.size()), text.substr(at, below(40)));
      break;
  }
}

TEST(ParseRobustness, damaged_kernels_parse_or_get_an_error) {
  std::mt19937 random(20240607);
  const Clock::time_point end = Clock::now() + std::chrono::seconds(1);
  int parsed_count = 0;
  int count = 0;
  for (; Clock::now() < end; ++count) {
    std::string text(testing::sample_kernels());
    for (int i = 0; i <= count % 6; ++i) {
      damage(text, random);
    }
    const ModuleKind kind = count % 2 == 0 ? ModuleKind::Tilery : ModuleKind::Python;
    const testing::Parsed parsed = testing::parse_text(text, kind);
    for (const Diagnostic& d : parsed.diagnostics.all()) {
      ASSERT_LE(d.range.begin, d.range.end);
      ASSERT_LE(d.range.end, text.size());
    }
    if (!parsed.module) {
      continue;
    }
    ++parsed_count;
    const testing::Parsed again = testing::parse_text(ast::print(*parsed.module));
    ASSERT_TRUE(again.module) << text << "\n" << ast::print(*parsed.module);
    ASSERT_TRUE(ast::equal(*parsed.module, *again.module)) << text;
  }
  EXPECT_GT(count, 20);
  EXPECT_GT(parsed_count, 0);
}

TEST(ParseRobustness, every_prefix_of_a_kernel_gets_an_answer) {
  const std::string_view text = testing::sample_kernels();
  for (std::size_t size = 0; size < text.size(); size += 3) {
    (void)testing::parse_text(text.substr(0, size));
  }
}

// The goal is 5 MB/s in Release on a quiet machine; bench/parse_bench.cpp measures. This bound also
// holds in a debug build with sanitizers on a busy one, and catches what has become quadratic.
TEST(ParseRobustness, speed_does_not_collapse) {
  std::string text;
  while (text.size() < 500'000) {
    text += testing::sample_kernels();
  }
  const Clock::time_point begin = Clock::now();
  const testing::Parsed parsed = testing::parse_text(text);
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  EXPECT_TRUE(parsed.module);
  EXPECT_LT(seconds, 10.0);
}

}  // namespace
}  // namespace tilery
