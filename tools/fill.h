// Arrays made on the spot: `zeros:f32[4,6]`, `randn:f16[128]`.
#pragma once

#include "tilery/buffer.h"
#include "tilery/result.h"
#include "tools/value.h"

#include <cstdint>
#include <string_view>

namespace tilery::tools {

/// The array that `fill` describes. Random ones depend on the seed and the argument's name only, so
/// that adding an argument changes no other. rand: uniform in [0, 1), never 1 after rounding;
/// randn: normal with mean 0 and deviation 1; randint: uniform in [low, high).
[[nodiscard]] Result<Buffer> make_array(const FillValue& fill, const Extents& shape,
                                        std::uint64_t seed, std::string_view name);

}  // namespace tilery::tools
