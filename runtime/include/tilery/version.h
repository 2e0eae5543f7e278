// Which Tilery this is, and what it runs on.
#pragma once

#include "tilery/export.h"

#include <string>
#include <string_view>

namespace tilery::inline v0 {

/// "0.1.0".
[[nodiscard]] TILERY_API std::string_view version();

/// What the library found out about the machine that it runs on.
struct HostInfo {
  /// The instruction set chosen for the interpreter's inner loops, such as "x86-64-v3".
  std::string instruction_set;
  /// Threads that a launch uses unless told otherwise.
  int threads = 1;
  /// How the library was built: compiler and build type.
  std::string build;
  /// The version of LLVM that makes its GPU code: "22.1.8".
  std::string llvm;
};

[[nodiscard]] TILERY_API HostInfo host_info();

}  // namespace tilery::inline v0
