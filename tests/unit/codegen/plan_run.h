// Runs the plans of reductions and scans on all threads of a block, with values of any kind.
#pragma once

#include "codegen/layout/reduction.h"
#include "codegen/layout/scan.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace tilery::codegen {

/// A value of a fold: for declared trees the number of an expression, for free orders a sum.
using FoldValue = std::uint64_t;
/// left, right → value.
using Combine = std::function<FoldValue(FoldValue, FoldValue)>;

/// Numbers expressions, so that equal trees have equal numbers and no others do.
class Expressions {
 public:
  FoldValue combine(FoldValue left, FoldValue right) {
    return numbers_.try_emplace({left, right}, (std::uint64_t{1} << 32) + numbers_.size())
        .first->second;
  }

 private:
  std::map<std::pair<FoldValue, FoldValue>, FoldValue> numbers_;
};

/// The values of every thread; none where a thread has nothing that may be used.
class ThreadValues {
 public:
  using Values = std::vector<std::optional<FoldValue>>;

  explicit ThreadValues(int warps) : threads_(static_cast<std::size_t>(warps) * kWarpSize) {}

  Values& of(int lane, int warp) {
    return threads_[static_cast<std::size_t>(warp) * kWarpSize + lane];
  }

  [[nodiscard]] int warps() const { return static_cast<int>(threads_.size() / kWarpSize); }

  template <class Fn>
  void for_each(const Fn& fn) {
    for (int warp = 0; warp < warps(); ++warp) {
      for (int lane = 0; lane < kWarpSize; ++lane) {
        fn(lane, warp, of(lane, warp));
      }
    }
  }

 private:
  std::vector<Values> threads_;
};

inline std::uint32_t xor_bits(const std::vector<std::uint32_t>& bases, int bits) {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < bases.size(); ++i) {
    sum ^= (bits >> i & 1) != 0 ? bases[i] : 0;
  }
  return sum;
}

inline bool parity(const ThreadParity& of, int lane, int warp) {
  return ((std::popcount(of.lanes & static_cast<unsigned>(lane)) +
           std::popcount(of.warps & static_cast<unsigned>(warp))) &
          1) != 0;
}

/// Carries out the steps of a reduction.
class ReductionRun {
 public:
  ReductionRun(const ReductionPlan& plan, ThreadValues values, Combine combine)
      : plan_(plan), values_(std::move(values)), combine_(std::move(combine)) {}

  ThreadValues run() {
    for (const ReductionStep& step : plan_.steps) {
      std::visit([&](const auto& one) { take(one); }, step);
    }
    ThreadValues results(values_.warps());
    values_.for_each([&](int lane, int warp, const Values& values) {
      for (const int result : plan_.results) {
        results.of(lane, warp).push_back(values.at(result));
      }
    });
    return results;
  }

 private:
  using Values = ThreadValues::Values;

  std::optional<FoldValue> fold(std::optional<FoldValue> left, std::optional<FoldValue> right) {
    return left && right ? std::optional(combine_(*left, *right)) : std::nullopt;
  }

  void take(const RegisterFold& step) {
    values_.for_each([&](int lane, int warp, Values& values) {
      Values next;
      for (const auto& pair : step.pairs) {
        if (pair.right < 0) {
          next.push_back(values.at(pair.left));
        } else if (parity(step.swapped, lane, warp)) {
          next.push_back(fold(values.at(pair.right), values.at(pair.left)));
        } else {
          next.push_back(fold(values.at(pair.left), values.at(pair.right)));
        }
      }
      values = next;
    });
  }

  void take(const LaneFold& step) {
    ThreadValues before = values_;
    values_.for_each([&](int lane, int warp, Values& values) {
      Values next;
      for (const auto& pair : step.pairs) {
        const auto own = values.at(pair.own);
        const auto got = before.of(lane ^ static_cast<int>(step.lane_mask), warp).at(pair.sent);
        const bool own_is_right = parity(step.upper, lane, warp) != pair.own_is_right;
        next.push_back(own_is_right ? fold(got, own) : fold(own, got));
      }
      values = next;
    });
  }

  void take(const LaneScatterFold& step) {
    ThreadValues before = values_;
    values_.for_each([&](int lane, int warp, Values& values) {
      Values next;
      const bool is_high = (lane >> step.lane_bit & 1) != 0;
      Values& other = before.of(lane ^ 1 << step.lane_bit, warp);
      for (const auto& pair : step.pairs) {
        const int kept = is_high ? pair.high : pair.low;
        next.push_back(is_high ? fold(other.at(kept), values.at(kept))
                               : fold(values.at(kept), other.at(kept)));
      }
      values = next;
    });
  }

  void take(const WarpFold&) {
    for (int warp = 0; warp < values_.warps(); ++warp) {
      Values total = values_.of(0, warp);
      for (int lane = 1; lane < kWarpSize; ++lane) {
        for (std::size_t i = 0; i < total.size(); ++i) {
          total[i] = fold(total[i], values_.of(lane, warp)[i]);
        }
      }
      for (int lane = 0; lane < kWarpSize; ++lane) {
        values_.of(lane, warp) = total;
      }
    }
  }

  void take(const LaneGather& step) {
    ThreadValues before = values_;
    values_.for_each([&](int lane, int warp, Values& values) {
      Values next(2 * step.pairs.size());
      const int bit = 1 << step.lane_bit;
      for (std::size_t i = 0; i < step.pairs.size(); ++i) {
        next.at(step.pairs[i].low) = before.of(lane & ~bit, warp).at(i);
        next.at(step.pairs[i].high) = before.of(lane | bit, warp).at(i);
      }
      values = next;
    });
  }

  void take(const SharedExchange& step) {
    ThreadValues next(values_.warps());
    for (const SharedExchange::Round& round : step.rounds) {
      Values memory(step.elements);
      store(step, round, memory);
      load(step, round, memory, next);
    }
    values_ = next;
  }

  void store(const SharedExchange& step, const SharedExchange::Round& round, Values& memory) {
    values_.for_each([&](int lane, int warp, Values& values) {
      if ((step.copies.lanes & static_cast<unsigned>(lane)) != 0 ||
          (step.copies.warps & static_cast<unsigned>(warp)) != 0) {
        return;
      }
      const std::uint32_t part =
          xor_bits(step.store_lanes, lane) ^ xor_bits(step.store_warps, warp);
      for (const auto& one : round.stores) {
        auto& cell = memory.at(one.to.block + (one.to.bits ^ part));
        EXPECT_FALSE(cell.has_value()) << "two threads store to one cell";
        EXPECT_TRUE(values.at(one.value).has_value()) << "an idle warp stores";
        cell = values.at(one.value);
      }
    });
  }

  void load(const SharedExchange& step, const SharedExchange::Round& round, const Values& memory,
            ThreadValues& next) {
    next.for_each([&](int lane, int warp, Values& values) {
      values.resize(step.values);
      if ((step.idle_warps & static_cast<unsigned>(warp)) != 0) {
        return;
      }
      const std::uint32_t part = xor_bits(step.load_lanes, lane) ^ xor_bits(step.load_warps, warp);
      for (const auto& one : round.loads) {
        Values parts;
        for (const auto& from : one.from) {
          parts.push_back(memory.at(from.block + (from.bits ^ part)));
        }
        for (std::size_t half = parts.size() / 2; half > 0; half /= 2) {
          for (std::size_t i = 0; i < half; ++i) {
            parts[i] = fold(parts[i], parts[i + half]);
          }
        }
        values.at(one.value) = parts[0];
      }
    });
  }

  const ReductionPlan& plan_;
  ThreadValues values_;
  Combine combine_;
};

/// Carries out the steps of a scan.
class ScanRun {
 public:
  ScanRun(const ScanPlan& plan, ThreadValues values, Combine combine)
      : plan_(plan), values_(std::move(values)), combine_(std::move(combine)) {}

  ThreadValues run() {
    for (const ScanStep& step : plan_.steps) {
      std::visit([&](const auto& one) { take(one); }, step);
    }
    return values_;
  }

 private:
  using Values = ThreadValues::Values;

  void take(const ScanInRegisters& step) {
    values_.for_each([&](int, int, Values& values) {
      const Values before = values;
      for (const auto& pair : step.pairs) {
        values.at(pair.right) = combine_(*before.at(pair.left), *before.at(pair.right));
      }
    });
  }

  void take(const ScanInWarp& step) {
    ThreadValues before = values_;
    values_.for_each([&](int lane, int warp, Values& values) {
      if (step.deciding_bit >= 0 && ((lane >> step.deciding_bit & 1) != 0) != step.deciding_value) {
        return;
      }
      const int source = (lane & ~static_cast<int>(step.cleared)) | static_cast<int>(step.set);
      for (const auto& pair : step.pairs) {
        values.at(pair.right) =
            combine_(*before.of(source, warp).at(pair.left), *values.at(pair.right));
      }
    });
  }

  void take(const ScanTotals& step) {
    Values memory(step.elements);
    values_.for_each([&](int lane, int warp, Values& values) {
      if ((static_cast<unsigned>(lane) & step.mask.lanes) != step.last.lanes ||
          (static_cast<unsigned>(warp) & step.mask.warps) != step.last.warps) {
        return;
      }
      const std::uint32_t part =
          xor_bits(step.store_lanes, lane) ^ xor_bits(step.store_warps, warp);
      for (const auto& one : step.stores) {
        auto& cell = memory.at(one.to.block + (one.to.bits ^ part));
        EXPECT_FALSE(cell.has_value()) << "two threads store to one cell";
        cell = values.at(one.value);
      }
    });
    values_.for_each([&](int lane, int warp, Values& values) {
      const std::uint32_t part = xor_bits(step.load_lanes, lane) ^ xor_bits(step.load_warps, warp);
      for (const auto& row : step.rows) {
        Values totals;
        for (const auto& from : row.totals) {
          totals.push_back(memory.at(from.block + (from.bits ^ part)));
          EXPECT_TRUE(totals.back().has_value()) << "nobody stored this total";
        }
        scan_row(step, row, totals, lane, warp, values);
      }
    });
  }

  void scan_row(const ScanTotals& step, const ScanTotals::Row& row, Values totals, int lane,
                int warp, Values& values) {
    const auto below = [&](std::uint32_t block, std::size_t level) {
      return (block >> level >> 1 << level << 1) | ((1U << level) - 1);
    };
    for (std::size_t level = 0; level < step.levels.size(); ++level) {
      for (const auto& member : row.members) {
        std::uint32_t block = member.block;
        for (std::size_t i = 0; i < step.levels.size(); ++i) {
          const ScanTotals::Level& one = step.levels[i];
          if (!one.thread.is_zero() && parity(one.thread, lane, warp) != one.is_inverted) {
            block |= 1U << i;
          }
        }
        if ((block >> level & 1) != 0) {
          values.at(member.value) =
              combine_(totals.at(below(block, level)).value(), *values.at(member.value));
        }
      }
      const Values before = totals;
      for (std::uint32_t block = 0; block < totals.size(); ++block) {
        if ((block >> level & 1) != 0) {
          totals[block] = combine_(before[below(block, level)].value(), before[block].value());
        }
      }
    }
  }

  const ScanPlan& plan_;
  ThreadValues values_;
  Combine combine_;
};

/// The operand in every thread: `leaf` of each element's row-major number.
inline ThreadValues operand_values(const Layout& layout,
                                   const std::function<FoldValue(std::int64_t)>& leaf) {
  ThreadValues values(layout.warps());
  values.for_each([&](int lane, int warp, ThreadValues::Values& own) {
    for (int reg = 0; reg < layout.registers(); ++reg) {
      own.emplace_back(leaf(layout.element_number(reg, lane, warp)));
    }
  });
  return values;
}

}  // namespace tilery::codegen
