#include "frontend/ast_print_string.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace tilery::ast {

namespace {

// One character of a value as it stands in a literal. Line feeds are escaped here; triple_quoted
// passes them by.
void append_escaped(std::string& out, char c, char quote) {
  switch (c) {
    case '\n':
      out += "\\n";
      return;
    case '\t':
      out += "\\t";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\\':
      out += "\\\\";
      return;
    default:
      break;
  }
  if (c == quote) {
    out += '\\';
    out += c;
  } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
    out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  } else {
    out += c;
  }
}

}  // namespace

std::string quoted(std::string_view value, char quote) {
  std::string out(1, quote);
  for (const char c : value) {
    append_escaped(out, c, quote);
  }
  out += quote;
  return out;
}

std::string triple_quoted(std::string_view value) {
  std::string out = R"(""")";
  for (std::size_t i = 0; i < value.size(); ++i) {
    const bool ends_early = i + 1 == value.size() || value[i + 1] == '"';
    if (value[i] == '\n') {
      out += '\n';
    } else {
      append_escaped(out, value[i], ends_early ? '"' : '\0');
    }
  }
  return out + R"(""")";
}

std::string escaped_f_string_text(std::string_view text, char quote) {
  std::string out;
  for (const char c : text) {
    append_escaped(out, c, quote);
    if (c == '{' || c == '}') {
      out += c;
    }
  }
  return out;
}

std::string_view f_string_quote(const FString& node, char preferred) {
  constexpr std::array<std::string_view, 4> kDoubleFirst = {R"(")", "'", R"(""")", "'''"};
  constexpr std::array<std::string_view, 4> kSingleFirst = {"'", R"(")", "'''", R"(""")"};
  const auto& quotes = preferred == '"' ? kDoubleFirst : kSingleFirst;
  const auto fits = [&](std::string_view quote) {
    return std::ranges::all_of(node.parts, [&](const FStringPart& part) {
      const bool has_newline = part.spec.find_first_of("\r\n") != std::string::npos;
      return part.spec.find(quote) == std::string::npos && (quote.size() == 3 || !has_newline);
    });
  };
  const auto* found = std::ranges::find_if(quotes, fits);
  return found == quotes.end() ? quotes.front() : *found;
}

}  // namespace tilery::ast
