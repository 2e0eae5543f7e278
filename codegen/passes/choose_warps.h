// How many warps run one program.
//
// A thread should move at least one 16-byte vector and hold so few elements that registers suffice
// and ptxas stays quick (65,536 elements at 4 warps take it 5 s):
//
//   dots            by the largest accumulator: 8 warps from 128x128 elements on, 4 for what is
//                   smaller, fewer for tiles of one or two instructions
//   reductions      one warp up to 1,024 elements, which then needs no barrier; above 16 elements a
//                   thread (32 narrow ones) up to 8 warps, 64 up to 16 warps, then 128
//   element-wise    8 elements a thread, up to 4 warps; 32 a thread above
//
// The author's number is taken as it is, unless a thread would hold more than 128 elements of a
// tile.
#pragma once

#include "ir/function.h"

#include <cstdint>
#include <optional>
#include <string>

namespace tilery::codegen {

/// Of a thread block.
inline constexpr int kMostWarps = 32;
/// Of one tile in one thread, where there are warps enough.
inline constexpr std::int64_t kMostElements = 128;

struct WarpChoice {
  int num_warps = 4;  ///< a power of two, at most kMostWarps
  std::string note;   ///< why it is not what the author asked for; empty if it is
  std::string why;    ///< what it follows from, as a phrase: "the launch asks for 8"
};

[[nodiscard]] WarpChoice choose_warps(const Function& function, std::optional<int> asked);

}  // namespace tilery::codegen
