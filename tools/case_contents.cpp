#include "tools/case_contents.h"

#include "tools/case_json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <limits>
#include <string>

namespace tilery::tools {

namespace {

using Json = nlohmann::json;

double special_number(const std::string& text) {
  if (text == "inf") {
    return std::numeric_limits<double>::infinity();
  }
  if (text == "-inf") {
    return -std::numeric_limits<double>::infinity();
  }
  if (text != "nan") {
    bad(fmt::format("`{}` is no number", text));
  }
  return std::numeric_limits<double>::quiet_NaN();
}

void read_arange(const Json& json, CaseContents& contents) {
  const Json& range = list_at(json, "arange");
  if (range.size() != 2) {
    bad("`arange` takes [start, step]");
  }
  contents.is_arange = true;
  contents.start = number(range[0]).value();
  contents.step = number(range[1]).value();
  if (json.contains("mod")) {
    contents.mod = whole(json["mod"]);
    if (*contents.mod <= 0) {
      bad("`mod` must be positive");
    }
  }
  contents.add = whole_or(json, "add", 0);
}

}  // namespace

CaseNumber number(const Json& json) {
  CaseNumber n;
  if (json.is_number_unsigned()) {
    n.bits = json.get<std::uint64_t>();
  } else if (json.is_number_integer()) {
    n.bits = static_cast<std::uint64_t>(json.get<std::int64_t>());
    n.is_negative = json.get<std::int64_t>() < 0;
  } else if (json.is_boolean()) {
    n.bits = json.get<bool>() ? 1 : 0;
  } else if (json.is_number_float()) {
    n.is_float = true;
    n.real = json.get<double>();
  } else if (json.is_string()) {
    n.is_float = true;
    n.real = special_number(json.get<std::string>());
  } else {
    bad(fmt::format("`{}` is no number", json.dump()));
  }
  return n;
}

bool fits(DType dtype, const CaseNumber& number) {
  if (is_float(dtype)) {
    return true;
  }
  // i1 has one byte in memory and one bit.
  const int bits = dtype == DType::I1 ? 1 : static_cast<int>(byte_size(dtype)) * 8;
  const bool has_sign = is_signed(dtype);
  if (number.is_float) {
    const double end = std::ldexp(1.0, has_sign ? bits - 1 : bits);
    return number.real == std::trunc(number.real) && number.real < end &&
           number.real >= (has_sign ? -end : 0.0);
  }
  if (number.is_negative) {
    return has_sign && static_cast<std::int64_t>(number.bits) >> (bits - 1) == -1;
  }
  const int width = has_sign ? bits - 1 : bits;
  return width == 64 || number.bits >> width == 0;
}

std::string number_text(const CaseNumber& number) {
  if (number.is_float) {
    return fmt::format("{}", number.real);
  }
  return number.is_negative ? fmt::format("{}", static_cast<std::int64_t>(number.bits))
                            : fmt::format("{}", number.bits);
}

CaseContents contents_of(const Json& json) {
  CaseContents contents;
  need_one_of(json, "a buffer", {"data", "fill", "arange"});
  if (json.contains("data")) {
    for (const Json& element : list_at(json, "data")) {
      contents.data.push_back(number(element));
    }
  } else if (json.contains("fill")) {
    contents.fill = number(json["fill"]);
  } else {
    read_arange(json, contents);
  }
  return contents;
}

}  // namespace tilery::tools
