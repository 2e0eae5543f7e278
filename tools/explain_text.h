// The text of `tilery explain`.
#pragma once

#include "tilery/explain.h"
#include "tilery/kernel.h"

#include <optional>
#include <string>

namespace tilery::tools {

/// What the kernel's code takes of a multiprocessor, and who says so.
struct Resources {
  std::string source;  ///< "ptxas 13.0"
  int registers = 0;   ///< of one thread
  /// ptxas tells what is spilled; the driver all local memory, arrays of seldom run code included.
  std::optional<int> spill_bytes;
  std::optional<int> local_bytes;
  int blocks = 0;  ///< on a multiprocessor at once
  int warps = 0;
  int most_warps = 0;
  std::string limit;  ///< what allows no more
};

/// "load", "store", "async copy".
[[nodiscard]] const char* access_name(ExplainedAccess::Kind kind);

[[nodiscard]] std::string explanation_text(const KernelExplanation& explanation,
                                           const std::optional<Resources>& resources,
                                           const Kernel& kernel);

}  // namespace tilery::tools
