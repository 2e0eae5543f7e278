#include "tools/case_match.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>

namespace tilery::tools {

namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool is_blank(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0;
}

char lowered(char c) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

/// The end of a match of `entry` that begins at `at`, or npos.
std::size_t match_at(std::string_view text, std::size_t at, std::string_view entry) {
  for (const char c : entry) {
    if (c == ' ') {
      while (at < text.size() && is_blank(text[at])) {
        ++at;
      }
    } else if (at == text.size() || lowered(text[at]) != lowered(c)) {
      return std::string_view::npos;
    } else {
      ++at;
    }
  }
  return at;
}

/// A number, `nan`, `inf`, `True` or `False` at the head of `text`; nothing if there is none.
std::optional<double> leading_number(std::string_view text, bool as_bool, std::size_t& length) {
  if (as_bool && text.starts_with("True")) {
    length = 4;
    return 1.0;
  }
  if (as_bool && text.starts_with("False")) {
    length = 5;
    return 0.0;
  }
  const bool is_negative = text.starts_with('-');
  const std::string_view body = text.substr(is_negative ? 1 : 0);
  if (body.empty() || is_blank(body.front())) {
    return std::nullopt;
  }
  double v = 0;
  const auto [stop, error] = std::from_chars(body.data(), body.data() + body.size(), v);
  if (error == std::errc::invalid_argument) {
    return std::nullopt;
  }
  length = static_cast<std::size_t>(stop - text.data());
  return is_negative ? -v : v;
}

bool are_equal(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b)) ||
         static_cast<float>(a) == static_cast<float>(b);
}

}  // namespace

bool mentions_entry(std::string_view text, std::string_view entry) {
  if (entry.empty()) {
    return true;
  }
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (is_word(entry.front()) && at > 0 && is_word(text[at - 1])) {
      continue;
    }
    const std::size_t end = match_at(text, at, entry);
    const bool is_cut = end != std::string_view::npos && is_word(entry.back()) &&
                        end < text.size() && is_word(text[end]);
    if (end != std::string_view::npos && !is_cut) {
      return true;
    }
  }
  return false;
}

std::optional<std::string> missing_mention(std::string_view text, const Mentions& mentions) {
  for (const std::vector<std::string>& alternatives : mentions) {
    if (std::ranges::none_of(
            alternatives, [&](const std::string& entry) { return mentions_entry(text, entry); })) {
      return fmt::format("{}", fmt::join(alternatives, "|"));
    }
  }
  return std::nullopt;
}

std::vector<std::int64_t> shown_lines(std::string_view text) {
  std::vector<std::int64_t> lines;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    // `   12 |     y = x + w`, or `name.tl:9:5` anywhere.
    const std::size_t digits = line.find_first_not_of(' ');
    std::size_t stop = digits;
    while (stop < line.size() && std::isdigit(static_cast<unsigned char>(line[stop])) != 0) {
      ++stop;
    }
    if (digits != std::string_view::npos && stop > digits && line.substr(stop).starts_with(" |")) {
      lines.push_back(std::stoll(std::string(line.substr(digits, stop - digits))));
      continue;
    }
    for (std::size_t at = line.find(':'); at != std::string_view::npos;
         at = line.find(':', at + 1)) {
      std::int64_t number = 0;
      const auto [rest, error] =
          std::from_chars(line.data() + at + 1, line.data() + line.size(), number);
      if (error == std::errc() && rest < line.data() + line.size() && *rest == ':') {
        lines.push_back(number);
        break;
      }
    }
  }
  return lines;
}

std::vector<double> numbers_in(std::string_view text, bool as_bool) {
  std::vector<double> numbers;
  for (std::size_t at = 0; at < text.size();) {
    const bool starts = at == 0 || !is_word(text[at - 1]);
    std::size_t length = 0;
    const std::optional<double> v =
        starts ? leading_number(text.substr(at), as_bool, length) : std::nullopt;
    if (v) {
      numbers.push_back(*v);
      at += std::max<std::size_t>(length, 1);
    } else {
      ++at;
    }
  }
  return numbers;
}

bool shows_values(std::string_view output, const ExpectedValues& expected) {
  std::size_t next = 0;
  std::size_t begin = 0;
  while (begin < output.size() && next < expected.values.size()) {
    const std::size_t end = std::min(output.find('\n', begin), output.size());
    const std::string_view line = output.substr(begin, end - begin);
    begin = end + 1;
    const std::size_t label = line.find(expected.label);
    if (label == std::string_view::npos) {
      continue;
    }
    for (const double v :
         numbers_in(line.substr(label + expected.label.size()), expected.as_bool)) {
      if (next < expected.values.size() && are_equal(v, expected.values[next])) {
        ++next;
      }
    }
  }
  return next == expected.values.size();
}

}  // namespace tilery::tools
