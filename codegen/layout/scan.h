// How an inclusive scan is spread over registers, lanes and warps.
//
// The declared order is block doubling: at level k the elements whose *position* along the axis has
// bit k set combine, as right operands, with the last element of the block of 2^k below them. The
// position is the index along the axis, counted from the end in a reversed scan. A plan walks the
// levels from the lowest:
//
//     bit k and all below   step              the last element of the block below is
//
//     in registers          ScanInRegisters   a register of the same thread
//     none in warps         ScanInWarp        a register of another lane: a shuffle
//     otherwise             ScanTotals        in shared memory: the last elements of the blocks of
//                                             several levels go there, and every thread scans those
//                                             on its own
//
// The repeats of an extent that is no power of two are further position bits, in registers.
#pragma once

#include "codegen/layout/reduction.h"

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

namespace tilery::codegen {

/// x[right] = combine(x[left], x[right]) for all pairs at once, with the values from before.
struct ScanInRegisters {
  struct Pair {
    int left = 0;
    int right = 0;
  };

  std::vector<Pair> pairs;
};

/// The same, where `left` is the value of the lane (lane & ~cleared) | set. In the lanes where
/// `applies` is false, x[right] stays.
struct ScanInWarp {
  std::uint32_t cleared = 0;
  std::uint32_t set = 0;
  /// Lane bit that decides, and what it must be; none (-1) if all lanes take part.
  int deciding_bit = -1;
  bool deciding_value = true;
  std::vector<ScanInRegisters::Pair> pairs;
};

/// Some levels of blocks that lie in several warps. A *row* is what one thread scans: the last
/// elements of its blocks, of which it has read a copy each, then its own values.
struct ScanTotals {
  using Address = SharedExchange::Address;

  struct Member {
    int value = 0;
    std::uint32_t block = 0;  ///< without the bits that the thread decides
  };

  struct Row {
    std::vector<Address> totals;  ///< by block; fewer than 2^levels at the end of a ragged axis
    std::vector<Member> members;
  };

  /// A level's bit of the block: in the thread's number, or (both masks 0) in `Member::block`.
  struct Level {
    ThreadParity thread;
    bool is_inverted = false;  ///< the thread's bit is the complement
  };

  /// Threads whose (lane, warp) bits within `mask` are `last` store; the others are not at the end
  /// of a block, or have copies.
  ThreadParity mask;
  ThreadParity last;
  std::vector<std::uint32_t> store_lanes;
  std::vector<std::uint32_t> store_warps;
  std::vector<std::uint32_t> load_lanes;
  std::vector<std::uint32_t> load_warps;
  std::vector<SharedExchange::Store> stores;
  std::vector<Level> levels;  ///< from the lowest
  std::vector<Row> rows;
  std::uint32_t elements = 0;  ///< room for each operand
  /// The step before did the same levels of other rows; this one uses its memory again, after a
  /// barrier.
  bool is_next_round = false;
};

using ScanStep = std::variant<ScanInRegisters, ScanInWarp, ScanTotals>;

/// The values are the operand's registers, and are the result's at the end.
struct ScanPlan {
  std::vector<ScanStep> steps;
};

/// Whether every bit of the axis has a place of its own, as in all blocked and mma layouts and what
/// is derived from them. Others must be converted before a scan.
[[nodiscard]] bool can_scan(const Layout& layout, int axis);

/// `element_bytes` is that of all operands together: more than 32 KiB go through shared memory in
/// rounds. Checked: can_scan.
[[nodiscard]] ScanPlan plan_scan(const Layout& layout, int axis, bool reverse,
                                 int element_bytes = 4);

[[nodiscard]] ScratchUse scan_scratch(const ScanPlan& plan, std::span<const int> element_bytes);
/// Byte offset of an operand's array in the ScanTotals that is step `step`.
[[nodiscard]] std::uint32_t totals_offset(const ScanPlan& plan, std::size_t step,
                                          std::size_t operand, std::span<const int> element_bytes);

}  // namespace tilery::codegen
