// What reading a case needs beyond the JSON library, which trusts its input more than we do.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace tilery::tools {

/// Why a case cannot be read. Thrown and caught within read_case, like the JSON library's own
/// exceptions.
struct BadCase {
  std::string message;
};

[[noreturn]] void bad(std::string message);

/// The text as a tree of at most 64 levels: a deep one would overflow the stack of whatever walks
/// it. A key that an object has twice is bad: the library would take the last and say nothing.
[[nodiscard]] nlohmann::json parse_json(const std::string& text);

// Each of these throws BadCase, with the key, where the JSON is of another kind.

/// The object has no key but these. `where` names it in messages.
void check_keys(const nlohmann::json& json, const std::string& where,
                std::initializer_list<std::string_view> known);
/// The object has exactly one of these keys.
void need_one_of(const nlohmann::json& json, const std::string& where,
                 std::initializer_list<std::string_view> keys);

[[nodiscard]] const nlohmann::json& at(const nlohmann::json& json, const char* key);
[[nodiscard]] const nlohmann::json& object_of(const nlohmann::json& json, const std::string& what);
[[nodiscard]] const nlohmann::json& list_of(const nlohmann::json& json, const std::string& what);
[[nodiscard]] const nlohmann::json& list_at(const nlohmann::json& json, const char* key);
/// A copy, empty without the key.
[[nodiscard]] nlohmann::json list_or_none(const nlohmann::json& json, const char* key);
[[nodiscard]] nlohmann::json object_or_none(const nlohmann::json& json, const char* key);

[[nodiscard]] std::string text_of(const nlohmann::json& json, const std::string& what);
[[nodiscard]] std::string text_at(const nlohmann::json& json, const char* key);
[[nodiscard]] std::string text_or_none(const nlohmann::json& json, const char* key);
[[nodiscard]] std::vector<std::string> texts(const nlohmann::json& json, const char* key);
[[nodiscard]] bool flag(const nlohmann::json& json, const char* key, bool otherwise);

/// A misspelt mode would be one in which nothing is ever run or compared.
const std::string& known_mode(const std::string& mode);
/// The list of modes under `key`; empty if there is none.
[[nodiscard]] std::vector<std::string> modes(const nlohmann::json& json, const char* key);

/// An integer of 64 bits; the library's own conversion makes one of any number.
[[nodiscard]] std::int64_t whole(const nlohmann::json& json);
[[nodiscard]] std::int64_t whole_or(const nlohmann::json& json, const char* key,
                                    std::int64_t otherwise);
[[nodiscard]] std::vector<std::int64_t> wholes(const nlohmann::json& json);

/// The number of elements of a shape; negative extents and more than 64 bits count are bad.
[[nodiscard]] std::int64_t numel_of(const std::vector<std::int64_t>& shape);

}  // namespace tilery::tools
