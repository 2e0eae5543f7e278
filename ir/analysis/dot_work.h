// How many operations the dots of a run come to, found before it runs.
#pragma once

#include "ir/function.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>

namespace tilery {

/// Operations of all dots of all programs of a grid: 2·M·N·K each, as the tiles are, padding
/// included; 0 without a dot. Loops and branches around dots are followed with the given bits of
/// the run-time arguments (none: not known), of all programs one by one if the program's index
/// matters. Nothing if memory or an unknown argument decides how often a dot runs, or if following
/// takes too long (some tenths of a second).
[[nodiscard]] std::optional<std::int64_t> dot_operations(
    const Function& function, std::span<const std::optional<std::uint64_t>> arguments,
    const std::array<std::int64_t, 3>& grid);

}  // namespace tilery
