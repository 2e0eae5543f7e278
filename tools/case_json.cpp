#include "tools/case_json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

namespace tilery::tools {

using Json = nlohmann::json;

void bad(std::string message) {
  throw BadCase{std::move(message)};
}

Json parse_json(const std::string& text) {
  static constexpr int kMaxDepth = 64;
  return Json::parse(text, [](int depth, Json::parse_event_t /*event*/, Json& /*value*/) {
    if (depth > kMaxDepth) {
      bad(fmt::format("it nests deeper than {}", kMaxDepth));
    }
    return true;
  });
}

std::int64_t whole(const Json& json) {
  const bool is_large =
      json.is_number_unsigned() &&
      std::cmp_greater(json.get<std::uint64_t>(), std::numeric_limits<std::int64_t>::max());
  if (!json.is_number_integer() || is_large) {
    bad(fmt::format("`{}` is no signed integer of 64 bits", json.dump()));
  }
  return json.get<std::int64_t>();
}

std::int64_t whole_or(const Json& json, const char* key, std::int64_t otherwise) {
  return json.contains(key) ? whole(json[key]) : otherwise;
}

std::vector<std::int64_t> wholes(const Json& json) {
  if (!json.is_array()) {
    bad(fmt::format("`{}` is no list of integers", json.dump()));
  }
  std::vector<std::int64_t> list;
  list.reserve(json.size());
  std::ranges::transform(json, std::back_inserter(list), whole);
  return list;
}

std::int64_t numel_of(const std::vector<std::int64_t>& shape) {
  std::int64_t numel = 1;
  for (const std::int64_t extent : shape) {
    if (extent < 0 || __builtin_mul_overflow(numel, extent, &numel)) {
      bad(fmt::format("a shape of [{}] makes no sense", fmt::join(shape, ", ")));
    }
  }
  return numel;
}

}  // namespace tilery::tools
