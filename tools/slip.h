// Slips of the pen, for "did you mean".
#pragma once

#include <string_view>

namespace tilery::tools {

/// One letter too many, too few or wrong, or two neighbours exchanged.
[[nodiscard]] bool is_one_slip(std::string_view a, std::string_view b);

}  // namespace tilery::tools
