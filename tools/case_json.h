// What reading a case needs beyond the JSON library, which trusts its input more than we do.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace tilery::tools {

/// Why a case cannot be read. Thrown and caught within read_case, like the JSON library's own
/// exceptions.
struct BadCase {
  std::string message;
};

[[noreturn]] void bad(std::string message);

/// The text as a tree of at most 64 levels: a deep one would overflow the stack of whatever walks
/// it.
[[nodiscard]] nlohmann::json parse_json(const std::string& text);

/// An integer of 64 bits; the library's own conversion makes one of any number.
[[nodiscard]] std::int64_t whole(const nlohmann::json& json);
[[nodiscard]] std::int64_t whole_or(const nlohmann::json& json, const char* key,
                                    std::int64_t otherwise);
[[nodiscard]] std::vector<std::int64_t> wholes(const nlohmann::json& json);

/// The number of elements of a shape; negative extents and more than 64 bits count are bad.
[[nodiscard]] std::int64_t numel_of(const std::vector<std::int64_t>& shape);

}  // namespace tilery::tools
