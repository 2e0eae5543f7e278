#include "frontend/text.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace tilery {

namespace {

// What a name cannot contain, outside ASCII: first and last code point of each area.
struct Area {
  char32_t first;
  char32_t last;
};

constexpr std::array kNotInNames = {
    Area{0x80, 0xA9},     Area{0xAB, 0xB4},       Area{0xB6, 0xB6},       Area{0xB8, 0xB9},
    Area{0xBB, 0xBF},     Area{0xD7, 0xD7},       Area{0xF7, 0xF7},       Area{0x2C2, 0x2C5},
    Area{0x2D2, 0x2DF},   Area{0x37E, 0x37E},     Area{0x1680, 0x1680},   Area{0x2000, 0x203E},
    Area{0x2041, 0x2053}, Area{0x2055, 0x2070},   Area{0x2074, 0x207E},   Area{0x2080, 0x208F},
    Area{0x20A0, 0x20CF}, Area{0x2190, 0x2BFF},   Area{0x3000, 0x3004},   Area{0x3008, 0x3020},
    Area{0x3030, 0x3030}, Area{0xD800, 0xF8FF},   Area{0xFE10, 0xFE1F},   Area{0xFE30, 0xFE32},
    Area{0xFE35, 0xFE4C}, Area{0xFE50, 0xFE6F},   Area{0xFEFF, 0xFEFF},   Area{0xFF01, 0xFF0F},
    Area{0xFF1A, 0xFF20}, Area{0xFF3B, 0xFF3E},   Area{0xFF40, 0xFF40},   Area{0xFF5B, 0xFF65},
    Area{0xFFE0, 0xFFFF}, Area{0x1F000, 0x1FAFF}, Area{0xE0000, 0xE00FF}, Area{0xF0000, 0x10FFFF},
};

bool is_continuation(unsigned char byte) {
  return (byte & 0xC0U) == 0x80U;
}

// Length of the valid sequence that begins with the byte at `p`, 0 if there is none.
std::size_t sequence_length(const unsigned char* p, std::size_t available) {
  const unsigned char lead = p[0];
  if (lead < 0x80) {
    return 1;
  }
  const std::size_t length = lead < 0xC2   ? 0
                             : lead < 0xE0 ? 2
                             : lead < 0xF0 ? 3
                             : lead < 0xF5 ? 4
                                           : 0;
  if (length == 0 || length > available) {
    return 0;
  }
  for (std::size_t i = 1; i < length; ++i) {
    if (!is_continuation(p[i])) {
      return 0;
    }
  }
  // The second byte rules out overlong forms, surrogates and what lies above U+10FFFF.
  const bool bad = (lead == 0xE0 && p[1] < 0xA0) || (lead == 0xED && p[1] > 0x9F) ||
                   (lead == 0xF0 && p[1] < 0x90) || (lead == 0xF4 && p[1] > 0x8F);
  return bad ? 0 : length;
}

// Whether eight bytes are all ASCII and none is NUL: bit 7 of a byte is set in `word` for
// non-ASCII, and in `word - 0x01…` for a zero byte.
bool plain_ascii(const unsigned char* p) {
  std::uint64_t word = 0;
  std::memcpy(&word, p, sizeof word);
  return ((word | (word - 0x0101010101010101U)) & 0x8080808080808080U) == 0;
}

}  // namespace

std::optional<std::size_t> first_bad_byte(std::string_view text) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  std::size_t i = 0;
  while (i < text.size()) {
    if (i + 8 <= text.size() && plain_ascii(bytes + i)) {
      i += 8;
      continue;
    }
    const std::size_t length = bytes[i] == 0 ? 0 : sequence_length(bytes + i, text.size() - i);
    if (length == 0) {
      return i;
    }
    i += length;
  }
  return std::nullopt;
}

CodePoint decode_utf8(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const unsigned lead = byte(0);
  if (lead < 0x80) {
    return {lead, 1};
  }
  const std::uint32_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  char32_t value = lead & (0x7FU >> length);
  for (std::uint32_t i = 1; i < length; ++i) {
    value = (value << 6U) | (byte(i) & 0x3FU);
  }
  return {value, length};
}

void append_utf8(std::string& out, char32_t code_point) {
  const auto tail = [&](unsigned shift) {
    out += static_cast<char>(0x80U | ((code_point >> shift) & 0x3FU));
  };
  if (code_point < 0x80) {
    out += static_cast<char>(code_point);
  } else if (code_point < 0x800) {
    out += static_cast<char>(0xC0U | (code_point >> 6U));
    tail(0);
  } else if (code_point < 0x10000) {
    out += static_cast<char>(0xE0U | (code_point >> 12U));
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xF0U | (code_point >> 18U));
    tail(12);
    tail(6);
    tail(0);
  }
}

std::string declared_encoding(std::string_view text) {
  for (int line = 0; line < 2 && !text.empty(); ++line) {
    const std::string_view whole = text.substr(0, text.find('\n'));
    const std::size_t hash = whole.find_first_not_of(" \t\f\xEF\xBB\xBF");
    const bool is_comment = hash != std::string_view::npos && whole[hash] == '#';
    const std::size_t word = is_comment ? whole.find("coding", hash) : std::string_view::npos;
    if (word != std::string_view::npos && word + 6 < whole.size() &&
        (whole[word + 6] == ':' || whole[word + 6] == '=')) {
      std::string name;
      for (const char c :
           whole.substr(std::min(whole.find_first_not_of(" \t", word + 7), whole.size()))) {
        if (!is_name_char(c) && c != '-' && c != '.') {
          break;
        }
        name += c == '_' ? '-' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
      }
      return name;
    }
    if (hash != std::string_view::npos && !is_comment) {
      return {};
    }
    text.remove_prefix(std::min(whole.size() + 1, text.size()));
  }
  return {};
}

bool is_latin1(std::string_view encoding) {
  constexpr std::array<std::string_view, 5> kNames{"latin-1", "latin1", "iso-8859-1", "iso8859-1",
                                                   "l1"};
  return std::ranges::find(kNames, encoding) != kNames.end();
}

std::string latin1_to_utf8(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (const char c : text) {
    append_utf8(result, static_cast<unsigned char>(c));
  }
  return result;
}

bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool is_name_char(char c) {
  return is_name_start(c) || (c >= '0' && c <= '9');
}

bool is_name_char(char32_t code_point) {
  const auto* area = std::ranges::lower_bound(kNotInNames, code_point, {}, &Area::last);
  return area == kNotInNames.end() || code_point < area->first;
}

}  // namespace tilery
