#include "tools/case_json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>
#include <limits>
#include <set>
#include <utility>

namespace tilery::tools {

using Json = nlohmann::json;

void bad(std::string message) {
  throw BadCase{std::move(message)};
}

namespace {

/// Follows the parser through the text.
class TreeGuard {
 public:
  void see(int depth, Json::parse_event_t event, const Json& value) {
    static constexpr int kMaxDepth = 64;
    if (depth > kMaxDepth) {
      bad(fmt::format("it nests deeper than {}", kMaxDepth));
    }
    if (event == Json::parse_event_t::object_start) {
      open_.emplace_back();
    } else if (event == Json::parse_event_t::object_end) {
      open_.pop_back();
    } else if (event == Json::parse_event_t::key) {
      add(value.get<std::string>());
    }
  }

 private:
  void add(const std::string& key) {
    if (!open_.back().insert(key).second) {
      bad(fmt::format("an object has the key `{}` twice; keep the one that is meant", key));
    }
  }

  std::vector<std::set<std::string>> open_;  ///< the keys so far of each object around
};

[[noreturn]] void bad_type(const std::string& what, const char* wanted, const Json& json) {
  constexpr std::size_t kMaxShown = 40;
  std::string shown = json.dump();
  if (shown.size() > kMaxShown) {
    shown = json.is_array() ? "a list" : json.is_object() ? "an object" : "a long text";
  } else {
    shown = fmt::format("`{}`", shown);
  }
  bad(fmt::format("{} must be {}, but is {}", what, wanted, shown));
}

std::string quoted(const char* key) {
  return fmt::format("`{}`", key);
}

}  // namespace

Json parse_json(const std::string& text) {
  TreeGuard guard;
  return Json::parse(text, [&](int depth, Json::parse_event_t event, Json& value) {
    guard.see(depth, event, value);
    return true;
  });
}

void check_keys(const Json& json, const std::string& where,
                std::initializer_list<std::string_view> known) {
  for (const auto& [key, value] : object_of(json, where).items()) {
    if (std::ranges::find(known, key) == known.end()) {
      bad(fmt::format("{} has an unknown key `{}`; there are {}", where, key,
                      fmt::join(known, ", ")));
    }
  }
}

void need_one_of(const Json& json, const std::string& where,
                 std::initializer_list<std::string_view> keys) {
  std::vector<std::string_view> given;
  std::ranges::copy_if(keys, std::back_inserter(given),
                       [&](std::string_view key) { return json.contains(key); });
  if (given.empty()) {
    bad(fmt::format("{} needs `{}`", where, fmt::join(keys, "` or `")));
  }
  if (given.size() > 1) {
    bad(fmt::format("{} has `{}`; keep one of them", where, fmt::join(given, "` and `")));
  }
}

const Json& at(const Json& json, const char* key) {
  if (!json.is_object()) {
    bad_type(fmt::format("what has {}", quoted(key)), "an object", json);
  }
  if (!json.contains(key)) {
    bad(fmt::format("the key {} is missing", quoted(key)));
  }
  return json.at(key);
}

const Json& object_of(const Json& json, const std::string& what) {
  if (!json.is_object()) {
    bad_type(what, "an object", json);
  }
  return json;
}

const Json& list_of(const Json& json, const std::string& what) {
  if (!json.is_array()) {
    bad_type(what, "a list", json);
  }
  return json;
}

const Json& list_at(const Json& json, const char* key) {
  return list_of(at(json, key), quoted(key));
}

Json list_or_none(const Json& json, const char* key) {
  return json.contains(key) ? list_at(json, key) : Json::array();
}

Json object_or_none(const Json& json, const char* key) {
  return json.contains(key) ? object_of(json.at(key), quoted(key)) : Json::object();
}

std::string text_of(const Json& json, const std::string& what) {
  if (!json.is_string()) {
    bad_type(what, "a text", json);
  }
  return json.get<std::string>();
}

std::string text_at(const Json& json, const char* key) {
  return text_of(at(json, key), quoted(key));
}

std::string text_or_none(const Json& json, const char* key) {
  return json.contains(key) ? text_at(json, key) : std::string();
}

std::vector<std::string> texts(const Json& json, const char* key) {
  std::vector<std::string> list;
  for (const Json& entry : list_or_none(json, key)) {
    list.push_back(text_of(entry, fmt::format("an entry of {}", quoted(key))));
  }
  return list;
}

bool flag(const Json& json, const char* key, bool otherwise) {
  if (!json.contains(key)) {
    return otherwise;
  }
  if (!json.at(key).is_boolean()) {
    bad_type(quoted(key), "true or false", json.at(key));
  }
  return json.at(key).get<bool>();
}

const std::string& known_mode(const std::string& mode) {
  if (mode != "interpret" && mode != "frontend" && mode != "cuda") {
    bad(fmt::format("`{}` is no mode; there are interpret, frontend and cuda", mode));
  }
  return mode;
}

std::vector<std::string> modes(const Json& json, const char* key) {
  const std::vector<std::string> list = texts(json, key);
  std::ranges::for_each(list, known_mode);
  return list;
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
