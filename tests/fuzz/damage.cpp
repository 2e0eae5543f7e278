#include "tests/fuzz/damage.h"

#include <algorithm>

namespace tilery {
namespace {

constexpr std::string_view kPieces[] = {"(",
                                        ")",
                                        "[",
                                        "]",
                                        "{",
                                        "}",
                                        "'",
                                        "\"",
                                        "\"\"\"",
                                        "f'{",
                                        "\\",
                                        "\n",
                                        "\t",
                                        "  ",
                                        ":",
                                        ",",
                                        "=",
                                        ":=",
                                        "**",
                                        "not ",
                                        "if ",
                                        "else ",
                                        "lambda ",
                                        "for ",
                                        "in ",
                                        "def ",
                                        "return",
                                        "break",
                                        "None",
                                        "[None, :]",
                                        "tl.",
                                        "axis=",
                                        "-",
                                        "//",
                                        "%",
                                        "<<",
                                        ">>",
                                        "@",
                                        "#",
                                        "\r",
                                        "\f",
                                        "\xC3\xA9",
                                        "\xFF",
                                        "0x",
                                        "...",
                                        "*x",
                                        "while ",
                                        "== ",
                                        "and ",
                                        "(1,)",
                                        ".to(tl.int1)",
                                        ".to(tl.float16)",
                                        "tl.constexpr",
                                        "mask=",
                                        "other="};
constexpr std::string_view kNumbers[] = {"0",
                                         "1",
                                         "-1",
                                         "2",
                                         "3",
                                         "7",
                                         "16",
                                         "1024",
                                         "65536",
                                         "1048576",
                                         "1048577",
                                         "2147483647",
                                         "2147483648",
                                         "9223372036854775807",
                                         "9223372036854775808",
                                         "1e308",
                                         "1e-45",
                                         "0.5",
                                         "1e400",
                                         "-0.0",
                                         "float('nan')",
                                         "True",
                                         "None"};

/// Where the first word or number behind `at` begins, and its length.
std::pair<std::size_t, std::size_t> word(const std::string& text, std::size_t at) {
  constexpr std::string_view kWord =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789.%";
  const std::size_t begin = std::min(text.find_first_of(kWord, at), text.size());
  return {begin, std::min(text.find_first_not_of(kWord, begin), text.size()) - begin};
}

}  // namespace

std::string Damage::next() {
  std::string text = pick(texts_);
  // Mostly one or two: more seldom leave anything that compiles.
  const std::size_t changes = 1 + below(1 + below(6));
  for (std::size_t i = 0; i < changes; ++i) {
    change(text);
  }
  return text;
}

void Damage::change(std::string& text) {
  const std::size_t at = below(text.size() + 1);
  switch (below(7)) {
    case 0:
      text.insert(at, pick(kPieces));
      break;
    case 1:
      text.erase(at, below(12));
      break;
    case 2:
      if (at < text.size()) {
        text[at] = static_cast<char>(below(256));
      }
      break;
    case 3:
      text.insert(std::min(text.find('\n', at), text.size()), lines_of(pick(texts_)));
      break;
    case 4:
      text.insert(std::min(text.find('\n', at), text.size()), lines_of(text));
      break;
    default:
      replace_word(text, at);
      break;
  }
}

/// One to three whole lines, beginning with the line feed before them.
std::string Damage::lines_of(const std::string& text) {
  const std::size_t begin = std::min(text.find('\n', below(text.size() + 1)), text.size());
  std::size_t end = begin;
  for (std::size_t lines = 1 + below(3); lines != 0 && end < text.size(); --lines) {
    end = std::min(text.find('\n', end + 1), text.size());
  }
  return text.substr(begin, end - begin);
}

/// The word at `at` becomes a word of some text, or a number.
void Damage::replace_word(std::string& text, std::size_t at) {
  const std::string& other = pick(texts_);
  const auto [begin, size] = word(text, at);
  const auto [from, count] = word(other, below(other.size() + 1));
  const bool is_number = below(4) == 0;
  text.replace(begin, size, is_number ? std::string(pick(kNumbers)) : other.substr(from, count));
}

}  // namespace tilery
