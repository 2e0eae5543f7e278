// How a reduction is spread over registers, lanes and warps.
//
// A plan is made from the operand's layout alone. It is a list of steps over an array of values in
// every thread, at first the operand's registers. Each step folds some bits of the axis and leaves
// a new, mostly shorter array; at the end `results` says where the registers of the result, which
// has slice_layout(layout, axis), are. Steps move several operands (value and index of an argmax)
// alike.
//
// clang-format off
//     f32[4096] by 4 warps, 4 neighbours a thread
//
//     bit of the axis    11 10 9  |  8 7  |  6 5 4 3 2  |  1 0
//     held by            register |  warp |  lane       |  register
//
// The declared tree folds the axis from its highest bit to its lowest, wherever the bits are:
//
//     RegisterFold x3        32 values a thread become a vector of 4
//     SharedExchange         store the vector, barrier, read the 4 vectors of all warps, fold
//     LaneScatterFold x2     a lane sends the half of its vector that it does not keep: 2 + 1 shuffles
//     LaneFold x3            on one value
//     LaneFold x2            bits 1 and 0, which the two scatters have put into lanes
// clang-format on
//
// With a free order (max, integers, …) the registers go first, and one value a warp is exchanged;
// of 32 warps each lane then reads one, and the lanes fold those. With 4 warps or more along the
// axis and 32 values to read, reading them all in every thread costs too much: each warp takes over
// a part of the vector, the warps without a part idle, and a second exchange hands the results to
// all.
//
// Nothing is assumed of the layout but that it is one: a bit of the axis may be a sum of several
// places' bits, in which case its fold pairs the registers and threads that differ by that sum.
// Scattering is left to bits that have a place of their own.
#pragma once

#include "codegen/layout/layout.h"

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

namespace tilery::codegen {

/// The XOR of some bits of the lane's and the warp's number: a bit that every thread knows.
struct ThreadParity {
  std::uint32_t lanes = 0;
  std::uint32_t warps = 0;

  [[nodiscard]] bool is_zero() const { return lanes == 0 && warps == 0; }

  friend bool operator==(const ThreadParity&, const ThreadParity&) = default;
};

/// New value i = combine(left, right), or just `left` if there is no right one.
struct RegisterFold {
  struct Pair {
    int left = 0;
    int right = -1;
  };

  std::vector<Pair> pairs;
  /// Threads where it is 1 exchange left and right (zero for layouts with a place for each bit).
  ThreadParity swapped;
};

/// New value i = combine of the value `own` and what the lane `lane ^ lane_mask` has as `sent`.
struct LaneFold {
  struct Pair {
    int own = 0;
    int sent =
        0;  ///< the partner's value, as it is numbered there: equal to own but in odd layouts
    bool own_is_right = false;  ///< flips `upper`
  };

  std::uint32_t lane_mask = 0;
  /// 1 in the threads whose own value is the right operand.
  ThreadParity upper;
  std::vector<Pair> pairs;
};

/// A lane with the bit clear keeps `low` of each pair and gets its partner's; the others keep
/// `high`.
struct LaneScatterFold {
  struct Pair {
    int low = 0;
    int high = 0;
  };

  int lane_bit = 0;
  std::vector<Pair> pairs;
};

/// All 32 lanes at once, in any order (an instruction of its own for some kinds): every lane gets
/// the result of each value.
struct WarpFold {};

/// The way back from a scatter: value i becomes two, number `low` from the lane with the bit clear
/// and `high` from the one with it set.
struct LaneGather {
  struct Pair {
    int low = 0;
    int high = 0;
  };

  int lane_bit = 0;
  std::vector<Pair> pairs;
};

/// Values change threads through shared memory, and those of the warps are folded on the way.
///
/// Addresses count elements from the start of the exchange's block. An address is the XOR of a
/// thread's part and a constant, plus a `block` offset that no thread bit reaches.
struct SharedExchange {
  struct Address {
    std::uint32_t block = 0;
    std::uint32_t bits = 0;
  };

  struct Store {
    int value = 0;
    Address to;
  };

  struct Load {
    int value = 0;  ///< number of the new value
    /// In the order of the axis; a power of two. The value is their fold in the halving tree.
    std::vector<Address> from;
  };

  /// What fits shared memory at once; a barrier lies between its stores and its loads, and before
  /// the next round.
  struct Round {
    std::vector<Store> stores;
    std::vector<Load> loads;
  };

  std::vector<std::uint32_t> store_lanes;  ///< address bits of each lane bit, then of warp bits
  std::vector<std::uint32_t> store_warps;
  /// Only threads with all of these bits clear store; the others have copies.
  ThreadParity copies;
  std::vector<std::uint32_t> load_lanes;
  std::vector<std::uint32_t> load_warps;
  std::vector<Round> rounds;
  int values = 0;              ///< after the exchange
  std::uint32_t elements = 0;  ///< room for each operand
  /// Warps with one of these bits set are idle from the loads on until the stores of the next
  /// exchange.
  std::uint32_t idle_warps = 0;
};

using ReductionStep =
    std::variant<RegisterFold, LaneFold, LaneScatterFold, WarpFold, LaneGather, SharedExchange>;

struct ReductionPlan {
  int axis = 0;
  std::vector<ReductionStep> steps;
  /// For each register of the result, the value at the end.
  std::vector<int> results;
};

/// What a plan may assume of the fold.
struct FoldTraits {
  /// The order cannot show in the result: else the tree is the declared one.
  bool order_is_free = false;
  /// The hardware folds a warp in one instruction. Only with a free order.
  bool has_warp_fold = false;
  /// Bytes of an element in shared memory: of the widest operand, and of all together.
  int widest_bytes = 4;
  int total_bytes = 4;
};

/// The plan for a reduction of `layout` along `axis`. The axis must lie within a block.
[[nodiscard]] ReductionPlan plan_reduction(const Layout& layout, int axis,
                                           const FoldTraits& traits);

/// Where the exchanges of one operation lie in its scratch memory, and what a hazard analysis must
/// know of it.
struct ScratchUse {
  std::uint32_t bytes = 0;
  /// Written before the operation's first barrier: [0, first_written).
  std::uint32_t first_written = 0;
  /// Read after its last barrier: [last_read, bytes).
  std::uint32_t last_read = 0;

  /// One more exchange behind the others.
  void add(std::uint32_t exchange_bytes) {
    last_read = bytes;
    bytes += exchange_bytes;
    first_written = first_written == 0 ? bytes : first_written;
  }

  friend bool operator==(const ScratchUse&, const ScratchUse&) = default;
};

/// Bytes of arrays of so many elements, one an operand; each begins at a multiple of 16.
[[nodiscard]] std::uint32_t scratch_bytes(std::uint32_t elements,
                                          std::span<const int> element_bytes);

/// Scratch of a plan for operands of these sizes.
[[nodiscard]] ScratchUse reduction_scratch(const ReductionPlan& plan,
                                           std::span<const int> element_bytes);
/// Byte offset of an operand's block in the exchange that is step `step`.
[[nodiscard]] std::uint32_t exchange_offset(const ReductionPlan& plan, std::size_t step,
                                            std::size_t operand,
                                            std::span<const int> element_bytes);

}  // namespace tilery::codegen
