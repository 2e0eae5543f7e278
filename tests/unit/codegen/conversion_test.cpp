// Plans of conversions, carried out on arrays: every thread must end up with its elements, however
// the plan gets there; and the banks of shared memory counted one by one.
#include "codegen/layout/conversion.h"

#include "codegen/layout/f2.h"
#include "tests/unit/codegen/layout_cases.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <random>
#include <set>

namespace tilery::codegen {
namespace {

/// What every thread holds, register by register: [thread][register].
using Held = std::vector<std::vector<std::int64_t>>;

Held held_by(const Layout& layout) {
  Held result(layout.threads());
  for_threads(layout, [&](int lane, int warp) {
    for (int reg = 0; reg < layout.registers(); ++reg) {
      result[warp * kWarpSize + lane].push_back(layout.element_number(reg, lane, warp));
    }
  });
  return result;
}

Held carried_out(const RenamePlan& plan, const Held& before, const Layout&, const Layout&) {
  Held after(before.size());
  for (std::size_t thread = 0; thread < before.size(); ++thread) {
    for (const int reg : plan.registers) {
      after[thread].push_back(before[thread][reg]);
    }
  }
  return after;
}

std::uint32_t chosen(const std::vector<ThreadSelect>& selects, std::uint32_t thread) {
  std::uint32_t registers = 0;
  for (const ThreadSelect& select : selects) {
    registers ^= std::popcount(thread & select.thread) % 2 != 0 ? select.registers : 0;
  }
  return registers;
}

Held carried_out(const ShufflePlan& plan, const Held& before, const Layout& from,
                 const Layout& to) {
  Held after(before.size(), std::vector<std::int64_t>(to.registers(), -1));
  for (std::uint32_t thread = 0; thread < before.size(); ++thread) {
    std::uint32_t lane_base = sum_of(plan.lane_of_lane, thread % kWarpSize);
    lane_base ^= sum_of(plan.lane_of_warp, thread / kWarpSize);
    for (int repeat = 0; repeat < to.repeats(); ++repeat) {
      const int from_first = repeat << from.bits(Place::Register);
      const int to_first = repeat << to.bits(Place::Register);
      for (const ShufflePlan::Round& round : plan.rounds) {
        const std::uint32_t source = (lane_base ^ round.lane_flip) | (thread & ~31U);
        const std::uint32_t sent = round.from_register ^ chosen(plan.send, source);
        const std::uint32_t placed = round.to_register ^ chosen(plan.place, thread);
        for (std::size_t i = 0; i < plan.to_pack.size(); ++i) {
          after[thread][to_first + (placed ^ plan.to_pack[i])] =
              before[source][from_first + (sent ^ plan.from_pack[i])];
        }
      }
    }
  }
  return after;
}

std::uint32_t thread_offset(const SharedSide& side, std::uint32_t thread) {
  return sum_of(side.lane_offsets, thread % kWarpSize) ^
         sum_of(side.warp_offsets, thread / kWarpSize);
}

std::uint32_t address(const SharedSide& side, const SharedAccess& access, std::uint32_t thread) {
  return (thread_offset(side, thread) ^ access.flip) + access.add;
}

/// The times the banks are busy for one access of a warp: per group of lanes served at once, the
/// most words that one bank has to give.
int busy_banks(const SharedSide& side, const SharedAccess& access, std::uint32_t warp,
               int element_bytes) {
  const int bytes = static_cast<int>(access.registers.size()) * element_bytes;
  const int group = std::min(32, 128 / std::max(bytes, 4));
  int total = 0;
  for (int first = 0; first < 32; first += group) {
    std::map<std::uint32_t, std::set<std::uint32_t>> words;
    for (int lane = first; lane < first + group; ++lane) {
      const std::uint32_t start =
          address(side, access, warp * 32 + static_cast<std::uint32_t>(lane));
      for (std::uint32_t word = start / 4;
           word <= (start + static_cast<std::uint32_t>(bytes) - 1) / 4; ++word) {
        words[word % 32].insert(word);
      }
    }
    std::size_t most = 0;
    for (const auto& [bank, asked] : words) {
      most = std::max(most, asked.size());
    }
    total += static_cast<int>(most);
  }
  return total;
}

void expect_wavefronts(const SharedSide& side, std::uint32_t warps, int element_bytes) {
  for (const SharedAccess& access : side.accesses) {
    for (std::uint32_t warp = 0; warp < warps; ++warp) {
      ASSERT_LE(busy_banks(side, access, warp, element_bytes), side.wavefronts);
    }
  }
}

/// Element sizes are those of the test in progress.
Held carried_out(const SharedPlan& plan, const Held& before, const Layout& from, const Layout& to,
                 int element_bytes) {
  Held after(before.size(), std::vector<std::int64_t>(to.registers(), -1));
  const auto for_accesses = [&](const SharedSide& side, int round, const auto& body) {
    for (const SharedAccess& access : side.accesses) {
      const std::size_t width = access.registers.size() * static_cast<std::size_t>(element_bytes);
      EXPECT_LE(width, 16U);
      for (std::uint32_t thread = 0; access.round == round && thread < before.size(); ++thread) {
        const std::uint32_t start = address(side, access, thread);
        EXPECT_EQ(start % width, 0U) << "not aligned";
        EXPECT_LE(start + width, plan.bytes);
        for (std::size_t i = 0; i < access.registers.size(); ++i) {
          body(thread, access.registers[i], start / static_cast<std::uint32_t>(element_bytes) + i);
        }
      }
    }
  };
  for (int round = 0; round < plan.rounds; ++round) {
    std::vector<std::int64_t> memory(plan.bytes / static_cast<std::uint32_t>(element_bytes), -2);
    for_accesses(plan.store, round, [&](std::uint32_t thread, int reg, std::size_t place) {
      EXPECT_TRUE(memory[place] == -2 || memory[place] == before[thread][reg]) << "overwritten";
      memory[place] = before[thread][reg];
    });
    for_accesses(plan.load, round, [&](std::uint32_t thread, int reg, std::size_t place) {
      after[thread][reg] = memory[place];
    });
  }
  expect_wavefronts(plan.store, static_cast<std::uint32_t>(from.warps()), element_bytes);
  expect_wavefronts(plan.load, static_cast<std::uint32_t>(to.warps()), element_bytes);
  return after;
}

void expect_converted(const Layout& from, const Layout& to, int element_bytes) {
  SCOPED_TRACE(describe(from) + " to " + describe(to) + " of " + std::to_string(element_bytes));
  const Held before = held_by(from);
  const Held wanted = held_by(to);
  ASSERT_EQ(carried_out(plan_shared(from, to, element_bytes), before, from, to, element_bytes),
            wanted);
  if (const auto shuffles = plan_shuffles(from, to, element_bytes)) {
    ASSERT_EQ(carried_out(*shuffles, before, from, to), wanted);
  }
  const ConversionPlan plan = plan_conversion(from, to, element_bytes);
  if (const auto* rename = std::get_if<RenamePlan>(&plan)) {
    ASSERT_EQ(carried_out(*rename, before, from, to), wanted);
  }
}

std::vector<Layout> layouts_for(const Shape& shape, int warps) {
  std::vector<Layout> result;
  for (const std::vector<int>& order : orders_of(shape.rank())) {
    for (const int per_thread : {1, 4, 8}) {
      result.push_back(blocked_layout(shape, order, per_thread, warps));
    }
  }
  return result;
}

TEST(Conversion, BlockedToBlocked) {
  for (const Shape& shape : {Shape{},
                             {7},
                             {64},
                             {96},
                             {1024},
                             {32, 32},
                             {64, 48},
                             {6, 20},
                             {128, 8},
                             {2, 3, 4},
                             {4, 8, 16},
                             {2, 4, 2, 16}}) {
    for (const int warps : {1, 4, 32}) {
      const std::vector<Layout> layouts = layouts_for(shape, warps);
      for (const Layout& from : layouts) {
        for (const Layout& to : layouts) {
          expect_converted(from, to, 4);
          if (HasFatalFailure()) {
            return;
          }
        }
      }
    }
  }
}

TEST(Conversion, AllWidthsOfElements) {
  for (const int bytes : {1, 2, 4, 8}) {
    const std::vector<Layout> layouts = layouts_for({16, 96}, 2);
    for (const Layout& from : layouts) {
      for (const Layout& to : layouts) {
        expect_converted(from, to, bytes);
        if (HasFatalFailure()) {
          return;
        }
      }
    }
  }
}

TEST(Conversion, SlicesOfMatricesToBlocked) {
  for (const int warps : {1, 4}) {
    for (const Layout& parent : layouts_for({64, 32}, warps)) {
      for (const int axis : {0, 1}) {
        const Layout slice = slice_layout(parent, axis);
        for (const Layout& to : layouts_for(slice.shape(), warps)) {
          expect_converted(slice, to, 4);
          expect_converted(to, slice, 4);
        }
      }
    }
  }
}

TEST(Conversion, FragmentsToBlockedAndBack) {
  for (const auto& [warps_m, warps_n] : {std::pair{1, 1}, {4, 1}, {2, 2}}) {
    const Layout acc = mma_accumulator_layout({64, 96}, warps_m, warps_n);
    for (const Layout& blocked : layouts_for({64, 96}, warps_m * warps_n)) {
      for (const int bytes : {2, 4}) {
        expect_converted(acc, blocked, bytes);
        expect_converted(blocked, mma_a_layout({64, 96}, 16, warps_m, warps_n), bytes);
        expect_converted(blocked, mma_b_layout({64, 96}, 16, warps_m, warps_n), bytes);
      }
    }
    expect_converted(acc, mma_a_layout({64, 96}, 8, warps_m, warps_n), 1);
  }
}

/// A layout whose bases are any vectors: copies, XORs and all.
Layout random_layout(const Shape& shape, int warps, std::mt19937& random) {
  const int bits = scalar_layout(1).base_bits() +
                   blocked_layout(shape, std::vector<int>{0, 1}, 1, 1).base_bits();
  Layout::Bases bases;
  for (int i = 0; i < kLaneBits; ++i) {
    bases[1].push_back(random() % 3 == 0 ? 0 : random() % (1U << bits));
  }
  for (int i = 0; i < std::countr_zero(static_cast<unsigned>(warps)); ++i) {
    bases[2].push_back(random() % 2 == 0 ? 0 : random() % (1U << bits));
  }
  // Registers get what is missing, sometimes what threads have too, in any order.
  F2Span all;
  F2Span registers;
  for (const int place : {1, 2}) {
    for (const std::uint32_t base : bases[place]) {
      all.insert(base);
    }
  }
  for (int tries = 0; tries < 64 || all.dimension() < bits; ++tries) {
    const std::uint32_t base = random() % (1U << bits);
    if (!registers.contains(base) && (!all.contains(base) || (tries < 2 && random() % 2 == 0))) {
      registers.insert(base);
      all.insert(base);
      bases[0].push_back(base);
    }
  }
  return {shape, bases};
}

TEST(Conversion, AnyLinearLayouts) {
  std::mt19937 random(11);
  int shuffled = 0;
  for (int round = 0; round < 1500; ++round) {
    const Shape shape = std::vector<Shape>{{8, 4}, {16, 24}, {32, 16}, {2, 2}}[random() % 4];
    const int warps = 1 << random() % 3;
    const Layout from = random_layout(shape, warps, random);
    const Layout to = random_layout(shape, warps, random);
    expect_converted(from, to, 1 << random() % 4);
    shuffled += plan_shuffles(from, to, 4).has_value() ? 1 : 0;
    if (HasFatalFailure()) {
      return;
    }
  }
  EXPECT_GT(shuffled, 100);
}

// ---- what the plans cost ----

template <class Plan>
const Plan& plan_of(const ConversionPlan& plan) {
  EXPECT_TRUE(std::holds_alternative<Plan>(plan));
  return std::get<Plan>(plan);
}

const std::vector<int> kRows = {1, 0};
const std::vector<int> kColumns = {0, 1};

TEST(Conversion, NothingToDoIsRenaming) {
  const Layout layout = blocked_layout({64, 32}, kRows, 4, 4);
  const ConversionPlan plan = plan_conversion(layout, layout, 4);
  std::vector<int> same(layout.registers());
  std::iota(same.begin(), same.end(), 0);
  EXPECT_EQ(plan_of<RenamePlan>(plan).registers, same);
  EXPECT_EQ(conversion_scratch_bytes(layout, layout, Scalar::F32), 0U);
}

TEST(Conversion, WarpsSplitWhatAllHoldBySelects) {
  // Row sums are in every warp; a store wants each row once: no data has to move between lanes.
  const Layout sums({32}, {{{1, 2}, {4, 8, 16, 0, 0}, {0, 0}, {}}});
  const Layout stored({32}, {{{}, {4, 8, 16, 0, 0}, {1, 2}, {}}});
  const auto plan = plan_conversion(sums, stored, 4);
  EXPECT_EQ(plan_of<ShufflePlan>(plan).shuffles(1), 0);
}

TEST(Conversion, TransposingARegisterBitWithALaneBitIsOneShuffleOfTwo) {
  const Layout from({64}, {{{1}, {2, 4, 8, 16, 32}, {}, {}}});
  const Layout to({64}, {{{2}, {1, 4, 8, 16, 32}, {}, {}}});
  EXPECT_EQ(plan_of<ShufflePlan>(plan_conversion(from, to, 4)).shuffles(1), 1);
}

TEST(Conversion, TransposingEightByEightTakesSevenShuffles) {
  const Layout from({256}, {{{1, 2, 4}, {8, 16, 32, 64, 128}, {}, {}}});
  const Layout to({256}, {{{8, 16, 32}, {1, 2, 4, 64, 128}, {}, {}}});
  EXPECT_EQ(plan_shuffles(from, to, 4)->shuffles(1), 7);
}

TEST(Conversion, CopiesToAllLanesTakeNoSelects) {
  // Every lane gets all that the lanes of the warp hold.
  const Layout from({32}, {{{}, {1, 2, 4, 8, 16}, {}, {}}});
  const Layout to({32}, {{{1, 2, 4, 8, 16}, {0, 0, 0, 0, 0}, {}, {}}});
  const auto plan = plan_shuffles(from, to, 4);
  ASSERT_TRUE(plan.has_value());
  EXPECT_EQ(plan->shuffles(1), 32);
  EXPECT_TRUE(plan->send.empty() && plan->place.empty());
}

TEST(Conversion, NarrowElementsShareShuffles) {
  // Lanes 0 and 1 swap what they hold, eight elements each.
  const Layout from({256}, {{{1, 2, 4}, {8, 16, 32, 64, 128}, {}, {}}});
  const Layout to({256}, {{{1, 2, 4}, {16, 8, 32, 64, 128}, {}, {}}});
  EXPECT_EQ(plan_shuffles(from, to, 8)->shuffles(1), 8);
  EXPECT_EQ(plan_shuffles(from, to, 4)->shuffles(1), 8);
  EXPECT_EQ(plan_shuffles(from, to, 2)->shuffles(1), 4);
  EXPECT_EQ(plan_shuffles(from, to, 1)->shuffles(1), 2);
}

/// Accesses of a side and how wide they are, in bytes.
int width(const SharedSide& side, int element_bytes) {
  return static_cast<int>(side.accesses.front().registers.size()) * element_bytes;
}

TEST(Conversion, AccumulatorsReachRowsWithoutConflictsAndWithWholeWords) {
  // 2 neighbours a thread become 8.
  const Layout acc = mma_accumulator_layout({128, 128}, 4, 2);
  const Layout rows = blocked_layout({128, 128}, kRows, 8, 8);
  const SharedPlan plan = plan_shared(acc, rows, 2);
  EXPECT_GE(width(plan.store, 2), 8);
  EXPECT_GE(width(plan.load, 2), 8);
  EXPECT_EQ(plan.store.wavefronts, plan.store.least_wavefronts);
  EXPECT_EQ(plan.load.wavefronts, plan.load.least_wavefronts);
}

TEST(Conversion, TransposesHaveNoConflicts) {
  for (const int bytes : {4, 8}) {
    const Layout rows = blocked_layout({128, 64}, kRows, 16 / bytes, 4);
    const Layout columns = blocked_layout({128, 64}, kColumns, 16 / bytes, 4);
    const SharedPlan plan = plan_shared(rows, columns, bytes);
    EXPECT_EQ(plan.store.wavefronts, plan.store.least_wavefronts);
    EXPECT_EQ(plan.load.wavefronts, plan.load.least_wavefronts);
  }
}

TEST(Conversion, EqualRegistersAreMovedSixteenBytesAtATime) {
  // The same 4 neighbours a thread, other warps.
  const Layout from = blocked_layout({64, 64}, kRows, 4, 4);
  Layout::Bases bases = from.bases();
  std::swap(bases[2][0], bases[0].back());
  const SharedPlan plan = plan_shared(from, Layout({64, 64}, bases), 4);
  EXPECT_EQ(width(plan.store, 4), 16);
  EXPECT_EQ(width(plan.load, 4), 16);
  EXPECT_EQ(plan.store.wavefronts, 4);
  EXPECT_EQ(plan.load.wavefronts, 4);
}

TEST(Conversion, LargeTilesGoInRounds) {
  const Layout acc = mma_accumulator_layout({128, 256}, 4, 2);
  const Layout rows = blocked_layout({128, 256}, kRows, 4, 8);
  const SharedPlan plan = plan_shared(acc, rows, 4);
  EXPECT_EQ(plan.bytes, kScratchLimitBytes);
  EXPECT_EQ(plan.rounds, 4);
  expect_converted(acc, rows, 4);
  // Repeats are rounds as well.
  const Shape odd{128, 96};
  const SharedPlan repeated =
      plan_shared(blocked_layout(odd, kRows, 4, 4), blocked_layout(odd, kColumns, 4, 4), 4);
  EXPECT_EQ(repeated.bytes, 128U * 32 * 4);
  EXPECT_EQ(repeated.rounds, 3);
}

TEST(Conversion, OddReshapesGoByRowMajorNumber) {
  const Layout from = blocked_layout({4, 96}, kRows, 8, 4);
  const Layout to = blocked_layout({96, 4}, kRows, 4, 4);
  const auto plan = plan_conversion(from, to, 2);
  EXPECT_EQ(plan_of<RowMajorPlan>(plan).store_vector, 8);
  EXPECT_EQ(plan_of<RowMajorPlan>(plan).load_vector, 4);
  EXPECT_EQ(conversion_scratch_bytes(from, to, Scalar::BF16), 4U * 96 * 2);
  EXPECT_EQ(conversion_scratch_bytes(from, to, Scalar::I1), 4U * 96);
  EXPECT_EQ(conversion_scratch_bytes(from, to, ElementType(Scalar::F32, 1)), 4U * 96 * 8);
}

// ---- swizzles ----

TEST(SharedSwizzle, EightRowsOfAColumnOfChunksAreInDifferentBanks) {
  for (int row_bytes = 16; row_bytes <= 512; row_bytes += 16) {
    const SharedSwizzle swizzle = shared_swizzle(row_bytes);
    std::set<std::uint32_t> places;
    for (std::uint32_t row = 0; row < 64; ++row) {
      for (std::uint32_t byte = 0; byte < static_cast<std::uint32_t>(row_bytes); byte += 16) {
        const std::uint32_t offset = swizzle.offset(row, byte);
        EXPECT_EQ(offset / static_cast<std::uint32_t>(row_bytes), row) << "outside its row";
        EXPECT_EQ(swizzle.offset(row, byte + 5), offset + 5);
        EXPECT_TRUE(places.insert(offset).second);
      }
    }
    for (std::uint32_t byte = 0; byte < static_cast<std::uint32_t>(row_bytes); byte += 16) {
      for (std::uint32_t first = 0; first < 64; first += 8) {
        std::set<std::uint32_t> banks;
        for (std::uint32_t row = first; row < first + 8; ++row) {
          banks.insert(swizzle.offset(row, byte) % 128 / 16);
        }
        EXPECT_EQ(banks.size(), 8U) << "rows of " << row_bytes;
      }
    }
  }
}

TEST(SharedSwizzle, IsThatOfTheHardwareFor128Bytes) {
  const SharedSwizzle swizzle = shared_swizzle(128);
  EXPECT_EQ(swizzle.offset(0, 48), 48U);
  EXPECT_EQ(swizzle.offset(3, 16), 3U * 128 + (1 ^ 3) * 16);
  EXPECT_EQ(swizzle.offset(9, 0), 9U * 128 + 16);
}

}  // namespace
}  // namespace tilery::codegen
