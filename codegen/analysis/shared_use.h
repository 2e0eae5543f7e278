// What each instruction does with shared memory.
#pragma once

#include "codegen/gpu_function.h"

#include <cstdint>
#include <vector>

namespace tilery::codegen {

/// The block of shared memory that an instruction needs for itself, before it has a place: scratch
/// of conversions, reductions, scans and dots, or a ring. 0 for all others.
[[nodiscard]] std::uint32_t own_block_bytes(const GpuFunction& gpu, InstId inst);

/// Bytes [begin, end) of a block; `owner` is the instruction whose block it is.
struct SharedRange {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  InstId owner;

  [[nodiscard]] bool overlaps(const SharedRange& other) const {
    return begin < other.end && other.begin < end;
  }

  friend auto operator<=>(const SharedRange&, const SharedRange&) = default;
};

/// The accesses of one instruction, split at the barriers inside it: what comes before the first
/// one, or all if there is none, and what comes after the last one.
struct SharedUse {
  std::vector<SharedRange> reads;
  std::vector<SharedRange> writes;
  bool has_barrier = false;
  std::vector<SharedRange> late_reads;
};

/// Needs the places that allocate_shared gives.
[[nodiscard]] SharedUse shared_use_of(const GpuFunction& gpu, InstId inst);

}  // namespace tilery::codegen
