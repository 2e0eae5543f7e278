// How a tile is laid out in shared memory on its way from one layout to another.
//
// The place of an element is linear over F2 as well: its base index is written as a sum of basis
// vectors ("columns"), and the bits of the byte offset say which. So the offset of a register is
// the XOR of the thread's part, computed once, and a constant. The columns, from the lowest bit:
//
//     vector     what one access moves: directions that are registers of the side(s) it is wide on
//     banks      up to byte 128: different places here are different banks
//     segments   which 128 bytes
//     rounds     directions that are registers on both sides: done one after the other,
//                to save space
//
// Lanes that are served at once (8 of 16 bytes, 16 of 8, 32 of 4 or less) do not meet in a bank if
// no sum of their bases is a sum of segment columns. For both sides at once that asks for segment
// columns which complement both groups of lanes; over any field two spaces of equal dimension have
// a common complement: with D what both have, D + <a1 …> the one and D + <b1 …> the other, it is
// <a1 + b1, …> and whatever neither has. The sums a + b are what is known as an XOR swizzle:
//
//     row-wise stores and column-wise loads of f32[32, 32]: a = column bits, b = row bits, segment
//     columns = column bit + row bit: element (r, c) lies in bank r ^ c of segment r
//
// A side can be wide only along its own registers, and a wide side's threads must not reach into
// the vector, which may force the other side's lanes together. So a few widths are tried and the
// cheapest plan is taken.
#pragma once

#include "codegen/layout/layout.h"

#include <cstdint>
#include <vector>

namespace tilery::codegen {

/// Bytes of a warp that shared memory serves at once; its banks are 4 bytes wide.
inline constexpr int kBankLineBytes = 128;
inline constexpr int kBankBytes = 4;
inline constexpr int kMaxVectorBytes = 16;
/// What one conversion may take; larger ones go in rounds where the layouts allow it.
inline constexpr std::uint32_t kScratchLimitBytes = 32768;

/// One store or load of a thread: `registers` hold consecutive elements from byte
/// (thread's offset ^ flip) + add.
struct SharedAccess {
  int round = 0;
  std::uint32_t flip = 0;
  std::uint32_t add = 0;
  std::vector<int> registers;
};

/// What one layout does with the tile in shared memory.
struct SharedSide {
  /// Bytes that each bit of lane and warp adds (XOR) to the thread's offset.
  std::vector<std::uint32_t> lane_offsets;
  std::vector<std::uint32_t> warp_offsets;
  /// All of the same number of registers, a power of two; by rounds.
  std::vector<SharedAccess> accesses;
  /// Times that the banks are busy for one access of a warp, and for it without any conflict.
  int wavefronts = 1;
  int least_wavefronts = 1;
};

struct SharedPlan {
  SharedSide store;
  SharedSide load;
  int rounds = 1;
  std::uint32_t bytes = 0;

  /// Wavefronts and instructions of a warp, all in all.
  [[nodiscard]] int cost() const;
};

/// Both layouts have the same shape and number of warps. Warps that hold what others do (copies)
/// store too unless the caller keeps them from it.
[[nodiscard]] SharedPlan plan_shared(const Layout& from, const Layout& to, int element_bytes);

/// Where ldmatrix, cp.async and TMA find a row-major matrix whose rows are a multiple of 16 bytes:
/// the 16-byte chunks of a row are permuted so that 8 rows of one column of chunks lie in different
/// banks. A row of 128 bytes and more has its chunk number XORed by row mod 8; one of 64 bytes,
/// two of which share a line of banks, by row / 2 mod 4; and so on.
struct SharedSwizzle {
  int row_bytes = 128;
  int row_shift = 0;
  int chunk_mask = 7;

  /// Byte offset of a byte of a row.
  [[nodiscard]] std::uint32_t offset(std::uint32_t row, std::uint32_t byte) const {
    const std::uint32_t flip = row >> row_shift & static_cast<std::uint32_t>(chunk_mask);
    return row * static_cast<std::uint32_t>(row_bytes) + (byte ^ flip << 4);
  }
};

/// `row_bytes` is a multiple of 16, else the rows must be padded.
[[nodiscard]] SharedSwizzle shared_swizzle(int row_bytes);

}  // namespace tilery::codegen
