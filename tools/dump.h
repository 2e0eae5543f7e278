// TILERY_DUMP_DIR: every stage of a kernel as files.
#pragma once

#include "tilery/launch.h"
#include "tilery/library.h"

#include <string>

namespace tilery::tools {

/// The folder that TILERY_DUMP_DIR names; empty if it is unset.
[[nodiscard]] std::string dump_directory();

/// Writes `KERNEL.ast.tl` and `KERNEL.00.sema.ir`, `KERNEL.01.PASS.ir`, … into `directory`, which
/// is made if it is missing. Errors of the kernel are not reported here: the command's own compile
/// finds them again.
[[nodiscard]] Status dump_stages(const std::string& directory, const Library& library,
                                 const Kernel& kernel, const Arguments& arguments,
                                 const LaunchOptions& options);

}  // namespace tilery::tools
