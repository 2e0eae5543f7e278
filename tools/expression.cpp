#include "tools/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace tilery::tools {

namespace {

using Number = std::optional<std::int64_t>;

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// Python's floor division and remainder; the caller has checked b and the one overflow.
std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  const std::int64_t q = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

/// Recursive descent; the first problem is kept and ends everything.
class Evaluator {
 public:
  Evaluator(std::string_view text, const ExpressionNames& names) : text_(text), names_(names) {}

  Result<std::int64_t> run() {
    const Number value = sum();
    skip_blanks();
    if (value && at_ < text_.size()) {
      fail(fmt::format("`{}` is not expected here", text_.substr(at_)));
    }
    if (!problem_.empty()) {
      return Error{ErrorKind::Usage, fmt::format("in `{}`: {}", text_, problem_), {}};
    }
    return *value;
  }

 private:
  static constexpr int kMaxDepth = 100;

  Number fail(std::string problem) {
    if (problem_.empty()) {
      problem_ = std::move(problem);
    }
    return std::nullopt;
  }

  void skip_blanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) {
      ++at_;
    }
  }

  bool accept(std::string_view token) {
    skip_blanks();
    if (!text_.substr(at_).starts_with(token)) {
      return false;
    }
    at_ += token.size();
    return true;
  }

  Number sum() {
    Number left = product();
    while (left) {
      if (accept("+")) {
        left = apply('+', left, product());
      } else if (accept("-")) {
        left = apply('-', left, product());
      } else {
        break;
      }
    }
    return left;
  }

  Number product() {
    Number left = unary();
    while (left) {
      if (accept("*")) {
        left = apply('*', left, unary());
      } else if (accept("//")) {
        left = divide(left, unary(), '/');
      } else if (accept("/")) {
        left = divide(left, unary(), 'e');
      } else if (accept("%")) {
        left = divide(left, unary(), '%');
      } else {
        break;
      }
    }
    return left;
  }

  Number apply(char op, Number a, Number b) {
    if (!b) {
      return b;
    }
    std::int64_t r = 0;
    const bool overflows = op == '+'   ? __builtin_add_overflow(*a, *b, &r)
                           : op == '-' ? __builtin_sub_overflow(*a, *b, &r)
                                       : __builtin_mul_overflow(*a, *b, &r);
    return overflows ? fail("the value needs more than 64 bits") : r;
  }

  /// '/' floors, '%' is its remainder, 'e' must be exact.
  Number divide(Number a, Number b, char op) {
    if (!b) {
      return b;
    }
    if (*b == 0) {
      return fail("division by zero");
    }
    if (*b == -1) {
      return op == '%' ? Number(0) : apply('-', 0, a);
    }
    if (op == 'e' && *a % *b != 0) {
      return fail(fmt::format("{} / {} is no whole number; use // or cdiv()", *a, *b));
    }
    return op == '%' ? *a - floor_div(*a, *b) * *b : floor_div(*a, *b);
  }

  Number unary() {
    if (++depth_ > kMaxDepth) {
      return fail("it is nested too deeply");
    }
    Number value;
    if (accept("-")) {
      value = unary();
      value = value ? apply('-', 0, value) : value;
    } else if (accept("+")) {
      value = unary();
    } else {
      value = primary();
    }
    --depth_;
    return value;
  }

  Number primary() {
    if (accept("(")) {
      const Number value = sum();
      return value && !accept(")") ? fail("a `)` is missing") : value;
    }
    skip_blanks();
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_word(text_[at_])) {
      ++at_;
    }
    const std::string_view word = text_.substr(begin, at_ - begin);
    if (word.empty()) {
      return fail(at_ == text_.size() ? "a value is missing at its end"
                                      : fmt::format("`{}` is not expected here", text_[at_]));
    }
    if (std::isdigit(static_cast<unsigned char>(word.front())) != 0) {
      return literal(word);
    }
    if (accept("(")) {
      return function(word);
    }
    return accept(".") ? member(word) : name(word);
  }

  Number literal(std::string_view word) {
    if (at_ < text_.size() && text_[at_] == '.') {
      return fail(fmt::format("`{}` is no whole number", text_.substr(at_ - word.size())));
    }
    const bool is_hex = word.starts_with("0x") || word.starts_with("0X");
    const std::int64_t base = is_hex ? 16 : 10;
    std::int64_t v = 0;
    for (const char c : word.substr(is_hex ? 2 : 0)) {
      const int digit = c <= '9' ? c - '0' : (std::tolower(c) - 'a' + 10);
      if (c == '_') {
        continue;
      }
      if (digit < 0 || digit >= base) {
        return fail(fmt::format("`{}` is no whole number", word));
      }
      if (__builtin_mul_overflow(v, base, &v) || __builtin_add_overflow(v, digit, &v)) {
        return fail("the value needs more than 64 bits");
      }
    }
    return v;
  }

  Number function(std::string_view word) {
    std::vector<std::int64_t> arguments;
    do {
      const Number value = sum();
      if (!value) {
        return value;
      }
      arguments.push_back(*value);
    } while (accept(","));
    if (!accept(")")) {
      return fail("a `)` is missing");
    }
    return call(word, arguments);
  }

  Number call(std::string_view word, const std::vector<std::int64_t>& arguments) {
    if (word == "min") {
      return *std::ranges::min_element(arguments);
    }
    if (word == "max") {
      return *std::ranges::max_element(arguments);
    }
    if (word == "cdiv" && arguments.size() == 2) {
      const Number floor = divide(apply('-', 0, arguments[0]), arguments[1], '/');
      return floor ? apply('-', 0, floor) : floor;
    }
    if (word == "next_power_of_2" && arguments.size() == 1) {
      return next_power_of_2(arguments[0]);
    }
    return fail(
        fmt::format("`{}` with {} arguments is not known; there are cdiv(a, b), min(), "
                    "max() and next_power_of_2(a)",
                    word, arguments.size()));
  }

  Number next_power_of_2(std::int64_t n) {
    std::int64_t v = n <= 0 ? 0 : 1;
    while (v < n) {
      if (__builtin_mul_overflow(v, std::int64_t{2}, &v)) {
        return fail("the value needs more than 64 bits");
      }
    }
    return v;
  }

  Number member(std::string_view array) {
    const auto shape = names_.shape(array);
    if (!shape) {
      return fail(fmt::format("`{}` is no array among the arguments", array));
    }
    if (accept("numel")) {
      if (accept("(") && !accept(")")) {
        return fail("a `)` is missing");
      }
      Number count = 1;
      for (const std::int64_t extent : *shape) {
        count = count ? apply('*', count, extent) : count;
      }
      return count;
    }
    if (!accept("shape") || !accept("[")) {
      return fail("of an array there are .shape[i] and .numel()");
    }
    const Number axis = sum();
    if (!axis || !accept("]")) {
      return axis ? fail("a `]` is missing") : axis;
    }
    const auto rank = static_cast<std::int64_t>(shape->size());
    if (*axis < -rank || *axis >= rank) {
      return fail(fmt::format("`{}` has {} axes, so no axis {}", array, rank, *axis));
    }
    return (*shape)[static_cast<std::size_t>(*axis < 0 ? *axis + rank : *axis)];
  }

  Number name(std::string_view word) {
    const Number value = names_.number(word);
    if (!value && names_.shape(word)) {
      return fail(
          fmt::format("`{0}` is an array; sizes of it are {0}.shape[0] and {0}.numel()", word));
    }
    return value
               ? value
               : fail(fmt::format("no argument `{0}` with a whole number is given; add {0}=NUMBER, "
                                  "or check the spelling",
                                  word));
  }

  std::string_view text_;
  const ExpressionNames& names_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::string problem_;
};

std::string trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) {
    text.remove_prefix(1);
  }
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) {
    text.remove_suffix(1);
  }
  return std::string(text);
}

}  // namespace

Result<std::int64_t> evaluate(std::string_view expression, const ExpressionNames& names) {
  return Evaluator(expression, names).run();
}

std::vector<std::string> split_top_level(std::string_view text) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  int depth = 0;
  char quote = '\0';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != '\0') {
      quote = c == quote ? '\0' : quote;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '(' || c == '[') {
      ++depth;
    } else if (c == ')' || c == ']') {
      --depth;
    } else if (c == ',' && depth <= 0) {
      parts.push_back(trimmed(text.substr(begin, i - begin)));
      begin = i + 1;
    }
  }
  parts.push_back(trimmed(text.substr(begin)));
  return parts;
}

}  // namespace tilery::tools
