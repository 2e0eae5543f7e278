// Which build of Tilery this is.
#pragma once

#include <string>

namespace tilery {

/// The version, and the build id that the linker gave to the library or program that we are part
/// of: compiled kernels of one build are not taken for those of another.
[[nodiscard]] const std::string& build_fingerprint();

}  // namespace tilery
