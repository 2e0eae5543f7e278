// The checks that every launch makes before anything is compiled.
#pragma once

#include "ir/support/diagnostic.h"
#include "runtime/bind.h"
#include "runtime/library_impl.h"
#include "tilery/launch.h"

#include <cstdint>
#include <span>

namespace tilery {

/// Reports a grid that no device could run.
void check_grid(std::span<const std::int64_t> grid, Diagnostics& diagnostics);

/// Binds and checks what the caller gave, the grid too unless it is nullptr; an error has
/// ErrorKind::Usage.
[[nodiscard]] Result<BoundCall> checked_call(const Kernel::Impl& kernel, const Arguments& arguments,
                                             const LaunchOptions& options,
                                             const std::span<const std::int64_t>* grid);

}  // namespace tilery
