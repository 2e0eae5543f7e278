// How a tile changes layouts by shuffles within warps.
//
// Where the new layout has, in register q of lane l, an element, the old one has it in some
// register r of some lane s, and both are linear over F2 in (q, l, warp):
//
//     s = S·q + N·l + …        r = R·q + P·l + …
//
// A shuffle moves one register of every lane, to which any lane may listen. Round i serves, in lane
// l, register q = i + G·l: with a suitable G no lane is asked for two different registers at once,
// and then a lane s knows by itself which one to send: r = c(i) + M·s. So there are as many rounds
// as the new layout has registers, M chooses among registers before them and G among what came
// after them (both with selects that depend on bits of lane and warp). Rounds in which every lane
// listens to itself cost nothing: transposing 8 registers of 8 lanes takes 7 shuffles.
//
// Two choices of (N, G) are tried: N = 1 (lanes listen to lanes at a fixed XOR distance, so that
// some rounds are free) and the smallest G that works. Elements narrower than a word travel
// together where they come from one lane and go to one lane.
#pragma once

#include "codegen/layout/layout.h"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace tilery::codegen {

/// "If the set bits of `thread` (lane in the low 5 bits, above them the warp) among those of the
/// thread are odd in number, the other register": register ^ registers instead of register.
struct ThreadSelect {
  std::uint32_t thread = 0;
  std::uint32_t registers = 0;
};

/// Numbers of registers are those of one repeat; all repeats are done alike.
struct ShufflePlan {
  struct Round {
    std::uint32_t to_register = 0;
    std::uint32_t from_register = 0;
    /// XORed to the lane that is listened to.
    std::uint32_t lane_flip = 0;
  };

  /// What travels in one word, from its low bits up, as distances (XOR) of registers from the one
  /// that is named: {0} alone, {0, a}, {0, a, b, a ^ b}. Of `from` and of `to`.
  std::vector<std::uint32_t> from_pack;
  std::vector<std::uint32_t> to_pack;
  /// What lane and warp change about the register that is sent: (from_register ^ changes).
  std::vector<ThreadSelect> send;
  /// And about the register that is received: the one of round i is to_register ^ changes.
  std::vector<ThreadSelect> place;
  /// The lane that is listened to: XOR of these for the set bits of lane and warp, and lane_flip.
  std::array<std::uint32_t, kLaneBits> lane_of_lane{};
  std::vector<std::uint32_t> lane_of_warp;
  std::vector<Round> rounds;

  /// Each lane listens to the one at distance lane_flip; with distance 0 nothing moves.
  [[nodiscard]] bool is_butterfly() const;
  /// Shuffles of words, over all repeats.
  [[nodiscard]] int shuffles(int repeats) const;
};

/// None if warps need what only others have, or in rare cases where lanes would have to send two
/// registers at once.
[[nodiscard]] std::optional<ShufflePlan> plan_shuffles(const Layout& from, const Layout& to,
                                                       int element_bytes);

}  // namespace tilery::codegen
