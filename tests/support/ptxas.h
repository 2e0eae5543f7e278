// NVIDIA's assembler, where the machine has one.
#pragma once

#include <string>
#include <string_view>

namespace tilery::testing {

struct PtxasResult {
  /// False if there is no ptxas where the command looks for one; then nothing was assembled.
  bool has_ptxas = false;
  std::string errors;  ///< what it printed if it failed; empty if not
};

/// Assembles PTX for a chip ("sm_90a"), the result is thrown away. ptxas takes long for large
/// kernels; a low `optimisation` (0 to 3) shortens that where only its acceptance matters.
[[nodiscard]] PtxasResult assemble(std::string_view ptx, std::string_view chip,
                                   int optimisation = 3);

}  // namespace tilery::testing
