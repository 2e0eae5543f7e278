// Matching texts as case files ask for it.
#pragma once

#include "tools/case_file.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilery::tools {

/// True if `text` contains `entry`: letter case does not count; a blank matches any white space or
/// none; where the entry begins or ends with a letter, a digit or `_`, the neighbour in the text
/// must be none of those.
[[nodiscard]] bool mentions_entry(std::string_view text, std::string_view entry);

/// The first entry of which no alternative is in the text, as `a|b`; nothing if all are there.
[[nodiscard]] std::optional<std::string> missing_mention(std::string_view text,
                                                         const Mentions& mentions);

/// The source lines that a rendered message shows, in its order.
[[nodiscard]] std::vector<std::int64_t> shown_lines(std::string_view text);

/// The numbers of a text from left to right; True and False count as 1 and 0 if `as_bool`.
[[nodiscard]] std::vector<double> numbers_in(std::string_view text, bool as_bool);

/// True if the lines that show `label` have these values, in this order, other numbers between.
[[nodiscard]] bool shows_values(std::string_view output, const ExpectedValues& expected);

}  // namespace tilery::tools
