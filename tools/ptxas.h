// NVIDIA's assembler, where the toolkit is installed: it tells how many registers code takes.
#pragma once

#include "tilery/explain.h"

#include <optional>
#include <string>

namespace tilery::tools {

/// What `ptxas -v` says of a kernel.
struct PtxasReport {
  std::string version;  ///< "13.0"; empty if it does not say
  int registers = 0;
  int spill_store_bytes = 0;
  int spill_load_bytes = 0;
};

/// Assembles the PTX for a chip and throws the code away. Nothing if there is no ptxas or it
/// refuses the code.
[[nodiscard]] std::optional<PtxasReport> ask_ptxas(const std::string& ptx,
                                                   const std::string& target);

/// What a multiprocessor of a chip holds at once.
struct Occupancy {
  int blocks = 0;
  int warps = 0;
  int most_warps = 0;
  std::string limit;  ///< "registers", "shared memory", "warps", "blocks"
};

/// Thread blocks of so many warps that fit a multiprocessor of the chip.
[[nodiscard]] Occupancy occupancy_of(const MultiprocessorLimits& chip, int num_warps, int registers,
                                     std::size_t shared_bytes);

}  // namespace tilery::tools
