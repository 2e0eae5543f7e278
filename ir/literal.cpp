#include "ir/literal.h"

#include "ir/builder.h"
#include "ir/support/number.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>

namespace tilery {
namespace {

int width_of(ElementType element) {
  return element.is_pointer() ? 64 : bit_width(element.scalar);
}

std::string hex_text(ElementType element, std::uint64_t bits) {
  return element.is_pointer() ? fmt::format("0x{:x}", bits)
                              : fmt::format("0x{:0{}x}", bits, (width_of(element) + 3) / 4);
}

/// A decimal number that shows that it is a float.
template <class T>
std::string decimal_text(T value) {
  std::string text = fmt::format("{}", value);
  const bool looks_whole = text.find_first_not_of("-0123456789") == std::string::npos;
  return looks_whole ? text + ".0" : text;
}

std::string number_text(Scalar scalar, std::uint64_t bits) {
  if (scalar == Scalar::I1) {
    return bits == 0 ? "false" : "true";
  }
  if (is_signed_integer(scalar)) {
    return fmt::format("{}", decode_int(scalar, bits));
  }
  if (is_integer(scalar)) {
    return fmt::format("{}", bits);
  }
  const double value = decode_float(scalar, bits);
  if (std::isnan(value)) {
    return "nan";
  }
  return scalar == Scalar::F64 ? decimal_text(value) : decimal_text(static_cast<float>(value));
}

/// "inf", "-inf" and "nan"; std::from_chars would take other spellings, too.
std::optional<double> special_value(std::string_view text) {
  if (text == "inf") {
    return HUGE_VAL;
  }
  if (text == "-inf") {
    return -HUGE_VAL;
  }
  if (text == "nan") {
    return std::bit_cast<double>(std::uint64_t{0x7FF8000000000000});
  }
  return std::nullopt;
}

std::optional<std::uint64_t> parse_float(Scalar scalar, std::string_view text) {
  if (const std::optional<double> special = special_value(text)) {
    return encode_float(scalar, *special);
  }
  if (text.find_first_not_of("-+.0123456789eE") != std::string_view::npos) {
    return std::nullopt;
  }
  if (scalar == Scalar::F32) {
    // Through double, a number near the middle of two floats would be rounded twice.
    const std::optional<float> value = parse_number<float>(text);
    return value ? std::optional<std::uint64_t>(std::bit_cast<std::uint32_t>(*value))
                 : std::nullopt;
  }
  const std::optional<double> value = parse_number<double>(text);
  return value ? std::optional(encode_float(scalar, *value)) : std::nullopt;
}

std::optional<std::uint64_t> parse_integer(Scalar scalar, std::string_view text) {
  if (scalar == Scalar::I1) {
    return text == "true" || text == "false" ? std::optional<std::uint64_t>(text == "true")
                                             : std::nullopt;
  }
  if (!is_signed_integer(scalar)) {
    const std::optional<std::uint64_t> value = parse_number<std::uint64_t>(text);
    const bool fits = value && (bit_width(scalar) == 64 || *value >> bit_width(scalar) == 0);
    return fits ? value : std::nullopt;
  }
  const std::optional<std::int64_t> value = parse_number<std::int64_t>(text);
  const bool fits = value && decode_int(scalar, encode_int(scalar, *value)) == *value;
  return fits ? std::optional(encode_int(scalar, *value)) : std::nullopt;
}

}  // namespace

std::string literal_text(ElementType element, std::uint64_t bits) {
  if (element.is_pointer()) {
    return hex_text(element, bits);
  }
  std::string text = number_text(element.scalar, bits);
  return parse_literal(element, text) == bits ? text : hex_text(element, bits);
}

std::optional<std::uint64_t> parse_literal(ElementType element, std::string_view text) {
  if (text.starts_with("0x")) {
    const std::optional<std::uint64_t> bits = parse_number<std::uint64_t>(text.substr(2), 16);
    const int width = width_of(element);
    return bits && (width == 64 || *bits >> width == 0) ? bits : std::nullopt;
  }
  if (element.is_pointer()) {
    return std::nullopt;
  }
  return is_float(element.scalar) ? parse_float(element.scalar, text)
                                  : parse_integer(element.scalar, text);
}

}  // namespace tilery
