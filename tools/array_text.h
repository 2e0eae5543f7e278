// Arrays as text, the way NumPy shows them.
#pragma once

#include "tilery/buffer.h"

#include <cstdint>
#include <string>

namespace tilery::tools {

/// One element in the fewest digits that read back as the same value of its type: "0.1", "1e-45",
/// "nan", "True", "-3".
[[nodiscard]] std::string element_text(DType dtype, const void* element);
[[nodiscard]] std::string element_text(const Buffer& buffer, std::int64_t index);

/// The whole array in nested brackets, columns aligned. Of an array with more than 1,000 elements
/// the first and last three along each axis are shown, with dots between. Elements that were never
/// written show as `?`.
[[nodiscard]] std::string array_text(const Buffer& buffer);

/// "f32[4, 6]".
[[nodiscard]] std::string array_type_text(const Buffer& buffer);

}  // namespace tilery::tools
