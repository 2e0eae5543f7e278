// "did you mean": the closest of some names.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tilery {

/// The candidate that `name` most likely is a misspelling of (few edits, letter case apart); empty
/// if none is close.
[[nodiscard]] std::string closest_spelling(std::string_view name,
                                           std::span<const std::string> candidates);

}  // namespace tilery
