// Strings: prefixes, escapes, adjacent literals, f-strings.
#include "frontend/grammar/builder_inl.h"
#include "frontend/text.h"

#include <algorithm>
#include <optional>

namespace tilery::grammar {

namespace {

/// A literal's token taken apart: where its body begins and ends, and whether its prefix has an
/// `r`.
struct LiteralParts {
  std::string_view body;
  std::uint32_t body_offset = 0;
  bool is_raw = false;
};

std::size_t prefix_length(std::string_view literal) {
  return literal.find_first_of("\"'");
}

bool has_raw_prefix(std::string_view literal) {
  return literal.substr(0, prefix_length(literal)).find_first_of("rR") != std::string_view::npos;
}

LiteralParts split_literal(std::string_view literal) {
  const std::size_t prefix = prefix_length(literal);
  const std::string_view quoted = literal.substr(prefix);
  const bool triple = quoted.size() >= 6 && quoted[1] == quoted[0] && quoted[2] == quoted[0];
  const std::size_t quote = triple ? 3 : 1;
  return {quoted.substr(quote, quoted.size() - 2 * quote),
          static_cast<std::uint32_t>(prefix + quote), has_raw_prefix(literal)};
}

std::optional<std::uint32_t> digit_value(char c, std::uint32_t base) {
  std::uint32_t value = base;
  if (c >= '0' && c <= '9') {
    value = static_cast<std::uint32_t>(c - '0');
  } else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f') {
    value = static_cast<std::uint32_t>((c | 0x20) - 'a' + 10);
  }
  return value < base ? std::optional(value) : std::nullopt;
}

/// The outcome of reading one escape: what it stands for, its length, and what is wrong with it.
struct Escape {
  std::string text;
  std::size_t length = 2;
  std::string_view error;
};

// `\x41`, `\u0041`, `\U00000041`: exactly `num_digits` digits.
Escape hex_escape(std::string_view at, std::size_t num_digits) {
  char32_t value = 0;
  Escape result;
  for (; result.length < num_digits + 2; ++result.length) {
    const auto digit =
        result.length < at.size() ? digit_value(at[result.length], 16) : std::nullopt;
    if (!digit) {
      result.error = num_digits == 2   ? "`\\x` takes two hexadecimal digits"
                     : num_digits == 4 ? "`\\u` takes four hexadecimal digits"
                                       : "`\\U` takes eight hexadecimal digits";
      return result;
    }
    value = value * 16 + *digit;
  }
  if (value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) {
    result.error = "there is no character with this number";
    return result;
  }
  append_utf8(result.text, value);
  return result;
}

Escape octal_escape(std::string_view at) {
  char32_t value = 0;
  Escape result;
  for (result.length = 1; result.length < 4 && result.length < at.size(); ++result.length) {
    const auto digit = digit_value(at[result.length], 8);
    if (!digit) {
      break;
    }
    value = value * 8 + *digit;
  }
  append_utf8(result.text, value);
  return result;
}

Escape named_escape(std::string_view at) {
  Escape result;
  const std::size_t close = at.find('}');
  result.length = close == std::string_view::npos ? 2 : close + 1;
  result.error = "characters by name are not supported: write their number, `\\u0041`";
  return result;
}

// `at` begins with the backslash. An unknown escape stands for itself, backslash included.
Escape read_escape(std::string_view at) {
  const char c = at.size() > 1 ? at[1] : '\0';
  switch (c) {
    case '\n':
      return {"", 2, {}};
    case '\r':
      return {"", at.size() > 2 && at[2] == '\n' ? 3U : 2U, {}};
    case '\\':
      return {"\\", 2, {}};
    case '\'':
      return {"'", 2, {}};
    case '"':
      return {"\"", 2, {}};
    case 'a':
      return {"\a", 2, {}};
    case 'b':
      return {"\b", 2, {}};
    case 'f':
      return {"\f", 2, {}};
    case 'n':
      return {"\n", 2, {}};
    case 'r':
      return {"\r", 2, {}};
    case 't':
      return {"\t", 2, {}};
    case 'v':
      return {"\v", 2, {}};
    case 'x':
      return hex_escape(at, 2);
    case 'u':
      return hex_escape(at, 4);
    case 'U':
      return hex_escape(at, 8);
    case 'N':
      return named_escape(at);
    default:
      break;
  }
  return c >= '0' && c <= '7' ? octal_escape(at) : Escape{"\\", 1, {}};
}

}  // namespace

ast::FStringPart& Builder::text_part() {
  std::vector<ast::FStringPart>& parts = strings_.back().parts;
  if (parts.empty() || parts.back().value) {
    parts.emplace_back();
  }
  return parts.back();
}

// Appends a piece of source text, decoded, to the string being read. Line ends become "\n".
void Builder::append_text(std::string_view body, std::uint32_t offset, bool raw, bool is_f_string) {
  if (body.empty()) {
    return;
  }
  std::string& out = text_part().text;
  const std::string_view special = is_f_string ? "\\\r{}" : "\\\r";
  std::size_t i = 0;
  while (i < body.size()) {
    const std::size_t next = std::min(body.find_first_of(special, i), body.size());
    out += body.substr(i, next - i);
    i = next;
    if (i == body.size()) {
      break;
    }
    if (body[i] == '\r') {
      out += '\n';
      i += i + 1 < body.size() && body[i + 1] == '\n' ? 2 : 1;
    } else if (body[i] != '\\') {
      // `{{` or `}}`
      out += body[i];
      i += 2;
    } else if (raw) {
      out += body[i++];
    } else {
      const Escape escape = read_escape(body.substr(i));
      if (!escape.error.empty()) {
        const auto at = offset + static_cast<std::uint32_t>(i);
        const auto length = static_cast<std::uint32_t>(std::min(escape.length, body.size() - i));
        report(DiagId::InvalidEscape, {file_, at, at + length}, body.substr(i, length),
               escape.error);
      }
      out += escape.text;
      i += escape.length;
    }
  }
}

void Builder::begin_strings(const Token& at) {
  strings_.emplace_back();
  strings_.back().begin = (&at + 1)->begin;
}

void Builder::string_piece(const Token& at) {
  const LiteralParts parts = split_literal(text(at));
  append_text(parts.body, at.begin + parts.body_offset, parts.is_raw, false);
}

void Builder::begin_f_string(const Token& at) {
  strings_.back().is_f_string = true;
  strings_.back().is_raw = has_raw_prefix(text(at));
}

void Builder::f_string_text(const Token& at) {
  append_text(text(at), at.begin, strings_.back().is_raw, true);
}

void Builder::begin_field(const Token& at) {
  fields_.emplace_back();
  fields_.back().begin = at.end;
}

// `{x=}` is the text `x=` and then the value, by `repr` unless something else is asked for.
void Builder::field_debug(const Token& at) {
  const std::uint32_t begin = fields_.back().begin;
  text_part().text += std::string_view(source_).substr(begin, at.end - begin);
  fields_.back().is_debug = true;
}

void Builder::field_conversion(const Token& at) {
  const std::string_view spelling = text(at);
  if (spelling == "!r" || spelling == "!s" || spelling == "!a") {
    fields_.back().part.conversion = spelling[1];
  } else {
    report(DiagId::FStringConversion, range(at), spelling);
  }
}

void Builder::field_spec(const Token& at) {
  fields_.back().part.spec = std::string(text(at));
  fields_.back().has_spec = true;
}

void Builder::end_field(const Token& /*at*/) {
  OpenField field = std::move(fields_.back());
  fields_.pop_back();
  if (field.is_debug && !field.has_spec && field.part.conversion == '\0') {
    field.part.conversion = 'r';
  }
  field.part.value = pop().id;
  strings_.back().parts.push_back(std::move(field.part));
}

void Builder::end_strings(const Token& at) {
  OpenStrings strings = std::move(strings_.back());
  strings_.pop_back();
  if (!strings.is_f_string) {
    std::string value =
        strings.parts.empty() ? std::string() : std::move(strings.parts.front().text);
    push(ast::StringLiteral{std::move(value)}, strings.begin, at.end);
    return;
  }
  std::uint32_t child_depth = 0;
  for (const ast::FStringPart& part : strings.parts) {
    child_depth = std::max(child_depth, depth(part.value));
  }
  push(ast::FString{std::move(strings.parts)}, strings.begin, at.end, child_depth);
}

}  // namespace tilery::grammar
