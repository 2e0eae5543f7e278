// Launches in interpret mode: from bound arguments to a run, and from findings to messages.
#pragma once

#include "ir/support/source.h"
#include "runtime/bind.h"
#include "runtime/specialization.h"
#include "tilery/launch.h"

#include <cstdint>
#include <span>

namespace tilery {

/// Runs the specialisation over the grid, which was checked, and adds to `report` what happened.
/// Fails if a buffer does not lie in host memory.
[[nodiscard]] Status run_in_interpreter(const Specialization& specialization, const BoundCall& call,
                                        std::span<const std::int64_t> grid,
                                        const SourceMap& sources, LaunchReport& report);

}  // namespace tilery
