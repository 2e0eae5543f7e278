// Texts of compile-time values: str, repr and format, as Python writes them.
#include "frontend/sema/constexpr_ops.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tilery::sema {
namespace {

std::string float_text(double x) {
  if (std::isnan(x)) {
    return "nan";
  }
  std::string text = fmt::format("{}", x);
  const bool is_plain = text.find_first_of(".en") == std::string::npos;
  return is_plain ? text + ".0" : text;
}

std::string quoted(const std::string& text) {
  const bool has_single = text.find('\'') != std::string::npos;
  const char quote = has_single && text.find('"') == std::string::npos ? '"' : '\'';
  std::string out(1, quote);
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\r') {
      out += "\\r";
    } else {
      if (c == quote || c == '\\') {
        out += '\\';
      }
      out += c;
    }
  }
  return out + quote;
}

std::string tuple_text(const TupleValue& tuple) {
  std::string out = tuple.type_name + "(";
  for (std::size_t i = 0; i < tuple.elements.size(); ++i) {
    out += i == 0 ? "" : ", ";
    if (i < tuple.field_names.size()) {
      out += tuple.field_names[i] + "=";
    }
    out += python_repr(tuple.elements[i]);
  }
  const bool needs_comma = tuple.elements.size() == 1 && tuple.field_names.empty();
  return out + (needs_comma ? ",)" : ")");
}

/// Inserts `,` between groups of three digits of the number that begins at the first digit.
void group_digits(std::string& text) {
  const std::size_t first = text.find_first_of("0123456789");
  if (first == std::string::npos) {
    return;
  }
  std::size_t end = text.find_first_not_of("0123456789", first);
  end = end == std::string::npos ? text.size() : end;
  for (std::size_t i = end; i > first + 3;) {
    i -= 3;
    text.insert(i, ",");
  }
}

/// A format specification split into the part that pads and the part that writes the number.
struct FormatSpec {
  std::string padding;  ///< fill, alignment and width
  std::string number;   ///< sign, precision and type
  bool has_commas = false;
  bool is_percent = false;
};

FormatSpec split_spec(std::string_view spec) {
  FormatSpec result;
  const auto is_align = [](char c) { return c == '<' || c == '>' || c == '^'; };
  std::size_t i = 0;
  if (spec.size() > 1 && is_align(spec[1])) {
    i = 2;
  } else if (!spec.empty() && is_align(spec[0])) {
    i = 1;
  }
  result.padding = spec.substr(0, i);
  while (i < spec.size() &&
         (spec[i] == '+' || spec[i] == '-' || spec[i] == ' ' || spec[i] == '#')) {
    result.number += spec[i++];
  }
  const std::size_t digits = i;
  while (i < spec.size() && spec[i] >= '0' && spec[i] <= '9') {
    ++i;
  }
  // A zero before the width pads after the sign, which only the number's own format can do.
  const bool has_zero = digits < spec.size() && spec[digits] == '0';
  (has_zero && result.padding.empty() ? result.number : result.padding) +=
      spec.substr(digits, i - digits);
  for (; i < spec.size(); ++i) {
    if (spec[i] == ',' || spec[i] == '_') {
      result.has_commas = true;
    } else if (spec[i] == '%' && i + 1 == spec.size()) {
      result.is_percent = true;
    } else {
      result.number += spec[i];
    }
  }
  return result;
}

/// Whether a specification is one that {fmt} may see: a brace would be its own syntax, and a width
/// of five digits a text that nobody reads but everybody waits for.
bool is_sane_spec(std::string_view spec) {
  constexpr std::size_t kLongestSpec = 12;
  constexpr int kMostDigits = 4;
  int digits = 0;
  for (const char c : spec) {
    digits = c >= '0' && c <= '9' ? digits + 1 : 0;
    if (c == '{' || c == '}' || digits > kMostDigits) {
      return false;
    }
  }
  return spec.size() <= kLongestSpec;
}

std::string format_number(const Value& value, const FormatSpec& spec) {
  const std::string pattern = "{:" + spec.number + (spec.is_percent ? "f}" : "}");
  const bool has_float_type =
      spec.is_percent || spec.number.find_first_of(".efgEFG") != std::string::npos;
  std::string text;
  if (value.is<double>() || has_float_type) {
    const double* real = value.as<double>();
    const BigInt* integer = value.as<BigInt>();
    const double x = real != nullptr      ? *real
                     : integer != nullptr ? static_cast<double>(*integer)
                                          : static_cast<double>(*value.as<bool>());
    text = spec.number.empty() && !spec.is_percent
               ? float_text(x)
               : fmt::format(fmt::runtime(pattern), spec.is_percent ? x * 100 : x);
  } else if (const bool* flag = value.as<bool>()) {
    text = fmt::format(fmt::runtime(pattern), static_cast<int>(*flag));
  } else {
    text = fmt::format(fmt::runtime(pattern), *value.as<BigInt>());
  }
  if (spec.has_commas) {
    group_digits(text);
  }
  return spec.is_percent ? text + "%" : text;
}

}  // namespace

std::string to_string(BigInt value) {
  return fmt::format("{}", value);
}

std::string python_str(const Value& value) {
  if (const bool* flag = value.as<bool>()) {
    return *flag ? "True" : "False";
  }
  if (const auto* integer = value.as<BigInt>()) {
    return to_string(*integer);
  }
  if (const auto* real = value.as<double>()) {
    return float_text(*real);
  }
  if (const auto* text = value.as<std::string>()) {
    return *text;
  }
  if (const auto* tuple = value.as<TupleValue>()) {
    return tuple_text(*tuple);
  }
  if (const auto* type = value.as<TypeObject>()) {
    return type_text(type->type);
  }
  return describe(value);
}

std::string python_repr(const Value& value) {
  const auto* text = value.as<std::string>();
  return text != nullptr ? quoted(*text) : python_str(value);
}

std::optional<std::string> python_format(Sema& sema, const Value& value, std::string_view spec,
                                         SourceRange range) {
  if (spec.empty()) {
    return python_str(value);
  }
  try {
    if (!is_sane_spec(spec)) {
      throw fmt::format_error("too long, too wide or with braces");
    }
    if (value.is_number()) {
      const FormatSpec parts = split_spec(spec);
      const std::string text = format_number(value, parts);
      const bool has_alignment = parts.padding.find_first_of("<>^") != std::string::npos;
      const std::string padding =
          (has_alignment || parts.padding.empty() ? "" : ">") + parts.padding;
      return fmt::format(fmt::runtime("{:" + padding + "}"), text);
    }
    return fmt::format(fmt::runtime("{:" + std::string(spec) + "}"), python_str(value));
  } catch (const fmt::format_error&) {
    sema.report(DiagId::FormatSpec, range, spec, describe(value))
        .helped(value.is_number() ? "such as `04d`, `x`, `.3f` or `>8`" : "such as `>8` or `<20`");
    return {};
  }
}

}  // namespace tilery::sema
