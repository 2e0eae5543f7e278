#include "codegen/passes/choose_warps.h"

#include "codegen/layout/layout.h"
#include "ir/builder.h"
#include "ir/support/plural.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

namespace tilery::codegen {
namespace {

/// What the choice depends on.
struct Sizes {
  std::int64_t largest = 1;      ///< elements of the largest tile
  std::int64_t accumulator = 0;  ///< of the largest result of a dot
  bool reduces = false;
  int narrowest = 8;  ///< bytes of the narrowest element in memory
};

Sizes sizes_of(const Function& function) {
  Sizes sizes;
  for_each_inst(function, function.body, [&](InstId id) {
    const Inst& inst = function.inst(id);
    sizes.reduces = sizes.reduces || inst.op == Op::Reduce || inst.op == Op::Scan;
    if (inst.op == Op::Load && !function.type(inst.result()).is_scalar()) {
      sizes.narrowest = std::min(sizes.narrowest, function.type(inst.result()).element.byte_size());
    }
    for (std::uint32_t i = 0; i < inst.result_count; ++i) {
      const std::int64_t elements = function.type(inst.result(i)).numel();
      sizes.largest = std::max(sizes.largest, elements);
      if (inst.op == Op::Dot) {
        sizes.accumulator = std::max(sizes.accumulator, elements);
      }
    }
  });
  return sizes;
}

/// The power of two at or below `elements / per_thread` threads, as warps from 1 to `most`.
int warps_for(std::int64_t elements, std::int64_t per_thread, int most = kMostWarps) {
  const std::int64_t warps = std::max<std::int64_t>(1, elements / (per_thread * kWarpSize));
  return static_cast<int>(
      std::min<std::uint64_t>(std::bit_floor(static_cast<std::uint64_t>(warps)), most));
}

/// A number of warps and the rule that gave it.
struct Rule {
  int warps = 1;
  std::string why;
};

Rule warps_of(const Sizes& sizes) {
  if (sizes.accumulator != 0) {
    constexpr std::int64_t kLarge = 128 * 128;
    return {sizes.accumulator >= kLarge ? 8 : warps_for(sizes.accumulator, 16, 4),
            fmt::format("the largest result of a dot has {} elements", sizes.accumulator)};
  }
  if (sizes.reduces) {
    constexpr std::int64_t kOneWarp = 1024;
    // A thread's vector of narrow elements is longer, and sums keep a partial result for each of
    // its places.
    const std::int64_t per_thread = sizes.narrowest <= 2 ? 32 : 16;
    if (sizes.largest <= kOneWarp) {
      return {1, fmt::format(
                     "one warp reduces or scans the largest tile, {} elements, without a barrier",
                     sizes.largest)};
    }
    // More numbers a thread rather than more warps, which wait for each other in every reduction.
    const int warps =
        std::max({warps_for(sizes.largest, per_thread, 8), warps_for(sizes.largest, 64, 16),
                  warps_for(sizes.largest, kMostElements)});
    return {warps,
            fmt::format(
                "{} elements of the largest tile, {}, in each thread, as it is reduced or scanned",
                sizes.largest / (warps * kWarpSize), sizes.largest)};
  }
  return {std::max(warps_for(sizes.largest, 8, 4), warps_for(sizes.largest, 32)),
          fmt::format("the largest tile has {}, and nothing is reduced or scanned",
                      plural(sizes.largest, "element"))};
}

/// The fewest warps, from `warps` on, with at most kMostElements a thread.
int warps_that_hold(std::int64_t elements, int warps) {
  while (warps < kMostWarps && elements > kMostElements * kWarpSize * warps) {
    warps *= 2;
  }
  return warps;
}

}  // namespace

WarpChoice choose_warps(const Function& function, std::optional<int> asked) {
  const Sizes sizes = sizes_of(function);
  Rule rule = asked ? Rule{*asked, fmt::format("the launch asks for {}", *asked)} : warps_of(sizes);
  const int warps = warps_that_hold(sizes.largest, rule.warps);
  if (warps != rule.warps) {
    rule.why +=
        fmt::format("; raised so that a thread holds at most {} elements of a tile", kMostElements);
  }
  if (!asked || *asked == warps) {
    return {warps, "", std::move(rule.why)};
  }
  return {warps,
          fmt::format("num_warps raised from {} to {}: a tile of {} elements would put {} "
                      "into each thread",
                      *asked, warps, sizes.largest, sizes.largest / (*asked * kWarpSize)),
          std::move(rule.why)};
}

}  // namespace tilery::codegen
