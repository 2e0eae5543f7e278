// Conversions as PTX: all types and ways assemble, and the instructions that cost are as many as
// the plan says, counted by hand.
#include "codegen/codegen.h"
#include "tests/support/ptxas.h"
#include "tests/unit/codegen/conversion_kernel.h"
#include "tests/unit/codegen/ptx_text.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <string>

namespace tilery::codegen {
namespace {

const std::vector<int> kRows = {1, 0};
const std::vector<int> kColumns = {0, 1};

std::string ptx_of(const Layout& from, const Layout& to, const Converted& converted,
                   std::string_view chip = "sm_90a") {
  return ptx_of(conversion_kernel(from, to, converted, chip));
}

TEST(ConversionPtx, RenamingIsNothing) {
  const Layout from = blocked_layout({64, 64}, kRows, 4, 4);
  Layout::Bases bases = from.bases();
  std::swap(bases[0][0], bases[0][2]);
  EXPECT_EQ(exchange_counts(ptx_of(from, Layout({64, 64}, bases), {})), ExchangeCounts());
}

TEST(ConversionPtx, NarrowElementsShareShuffles) {
  // 8 registers; lane bits 0 and 1 trade places.
  const Layout from({256}, {{{1, 2, 4}, {8, 16, 32, 64, 128}, {}, {}}});
  const Layout to({256}, {{{1, 2, 4}, {16, 8, 32, 64, 128}, {}, {}}});
  EXPECT_EQ(exchange_counts(ptx_of(from, to, {"i64"})).shuffles, 16);
  EXPECT_EQ(exchange_counts(ptx_of(from, to, {"f32"})).shuffles, 8);
  EXPECT_EQ(exchange_counts(ptx_of(from, to, {"bf16"})).shuffles, 4);
  EXPECT_EQ(exchange_counts(ptx_of(from, to, {"u8"})).shuffles, 2);
  EXPECT_EQ(exchange_counts(ptx_of(from, to, {"i1"})).shuffles, 2);
}

TEST(ConversionPtx, SixteenBytesAtATimeOnBothSides) {
  // 16 registers of f32 a thread, 4 neighbours each: warps trade with registers.
  const Layout from = blocked_layout({64, 32}, kRows, 4, 4);
  Layout::Bases bases = from.bases();
  std::swap(bases[2][0], bases[0].back());
  const std::string ptx = ptx_of(from, Layout({64, 32}, bases), {"f32"});
  EXPECT_EQ(exchange_counts(ptx), (ExchangeCounts{0, 1, 4, 4}));
  // Of b32; LLVM 20 says f32.
  EXPECT_EQ(occurrences(ptx, "st.shared.v4."), 4);
  EXPECT_EQ(occurrences(ptx, "ld.shared.v4."), 4);
}

TEST(ConversionPtx, HalvesAndBytesGoInWords) {
  const Layout from = blocked_layout({64, 64}, kRows, 8, 4);
  Layout::Bases bases = from.bases();
  std::swap(bases[2][0], bases[0].back());
  const std::string halves = ptx_of(from, Layout({64, 64}, bases), {"bf16"});
  EXPECT_EQ(occurrences(halves, "st.shared.v4.b32"), 4);
  EXPECT_EQ(occurrences(halves, "ld.shared.v4.b32"), 4);
  const std::string bytes = ptx_of(from, Layout({64, 64}, bases), {"u8"});
  EXPECT_EQ(exchange_counts(bytes).stores, occurrences(bytes, "st.shared.v4.b32"));
  EXPECT_EQ(exchange_counts(bytes).loads, occurrences(bytes, "ld.shared.v4.b32"));
}

TEST(ConversionPtx, RoundsAreKeptApart) {
  // 128 KiB in 4 rounds: a barrier in each, and between two of them.
  const Layout acc = mma_accumulator_layout({128, 256}, 4, 2);
  EXPECT_EQ(exchange_counts(ptx_of(acc, blocked_layout({128, 256}, kRows, 4, 8), {"f32"})).barriers,
            7);
}

TEST(ConversionPtx, CopiesInOtherWarpsDoNotStore) {
  const Layout sums = slice_layout(blocked_layout({256, 64}, kRows, 2, 8), 1);
  Layout::Bases bases = sums.bases();
  // Every element in several warps, which a branch keeps from storing.
  bases[2] = {0, 0, bases[2][2]};
  for (const std::uint32_t base : {sums.bases(Place::Warp)[0], sums.bases(Place::Warp)[1]}) {
    if (base != 0) {
      bases[0].push_back(base);
    }
  }
  const Layout spread = blocked_layout({256}, std::vector<int>{0}, 1, 8);
  const std::string ptx = ptx_of(Layout({256}, bases), spread, {"f32"});
  EXPECT_EQ(exchange_counts(ptx).barriers, 1);
  EXPECT_GE(occurrences(ptx, "bra"), 1);
}

TEST(ConversionPtx, EverythingAssembles) {
  const std::array types{"i1", "u8", "i16", "f16", "bf16", "f32", "i64", "f64"};
  const Layout acc = mma_accumulator_layout({64, 32}, 2, 2);
  const std::array<std::pair<Layout, Layout>, 4> pairs = {{
      {blocked_layout({32, 32}, kRows, 4, 1), blocked_layout({32, 32}, kColumns, 2, 1)},
      {acc, blocked_layout({64, 32}, kRows, 8, 4)},
      {blocked_layout({16, 24}, kRows, 4, 2), blocked_layout({16, 24}, kColumns, 4, 2)},
      {blocked_layout({384}, std::vector<int>{0}, 1, 4), blocked_layout({6, 64}, kRows, 2, 4)},
  }};
  for (const std::string_view chip : {"sm_80", "sm_90a"}) {
    for (const char* type : types) {
      for (const auto& [from, to] : pairs) {
        for (const bool is_pointer : {false, true}) {
          const std::string ptx = ptx_of(from, to, {type, is_pointer}, chip);
          const auto result = testing::assemble(ptx, chip, 0);
          if (!result.has_ptxas) {
            GTEST_SKIP() << "no ptxas on this machine";
          }
          ASSERT_EQ(result.errors, "") << type << "\n" << ptx;
        }
      }
    }
  }
}

}  // namespace
}  // namespace tilery::codegen
