// Assembling PTX in tests, where a ptxas is found.
#pragma once

#include <string>
#include <string_view>

namespace tilery::testing {

/// The assembler: TILERY_PTXAS, the first on the PATH, or that of a CUDA toolkit in /usr/local; empty if there is none.
[[nodiscard]] const std::string& ptxas_path();

/// Fails the calling test with the assembler's words if it refuses the PTX. Without an assembler nothing is checked.
void expect_assembles(const std::string& ptx, std::string_view target);

}  // namespace tilery::testing
