// Numbers of the IR's text: the bits of a constant as people write them.
#pragma once

#include "ir/type.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tilery {

/// The shortest decimal number that reads as these bits ("1.5", "-7", "true", "inf", "nan"), or the
/// bits in hexadecimal ("0x7fc00001") where there is none: NaNs with a payload, and pointers. Bits
/// beyond the element's width are shown, not lost.
[[nodiscard]] std::string literal_text(ElementType element, std::uint64_t bits);

/// The inverse; also takes hexadecimal bits for every type. Nothing if the text is no number of the
/// type or does not fit it.
[[nodiscard]] std::optional<std::uint64_t> parse_literal(ElementType element,
                                                         std::string_view text);

}  // namespace tilery
