// Which bytes of a buffer were written, kept page by page.
#include "interpreter/check/definedness.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <thread>
#include <vector>

namespace tilery {
namespace {

TEST(Definedness, nothing_is_written_at_first) {
  const auto d = Definedness::none_of(10000);
  EXPECT_FALSE(d->is_marked(0, 1));
  EXPECT_FALSE(d->is_marked(9999, 1));
  EXPECT_TRUE(d->is_marked(5000, 0));
}

TEST(Definedness, an_empty_buffer_is_written) {
  EXPECT_TRUE(Definedness::none_of(0)->is_marked(0, 0));
}

TEST(Definedness, a_run_ends_where_it_was_said_to) {
  const auto d = Definedness::none_of(10000);
  // From within a word of the first page to within one of the third.
  d->mark(4095, 4200);
  EXPECT_TRUE(d->is_marked(4095, 4200));
  EXPECT_FALSE(d->is_marked(4094, 1));
  EXPECT_FALSE(d->is_marked(8295, 1));
  EXPECT_FALSE(d->is_marked(4094, 4200));
  EXPECT_FALSE(d->is_marked(4095, 4201));
}

TEST(Definedness, agrees_with_a_byte_for_each_byte) {
  constexpr std::size_t kBytes = 3 * 4096 + 77;
  std::mt19937 random(7);
  const auto d = Definedness::none_of(kBytes);
  std::vector<char> bytes(kBytes, 0);
  for (int i = 0; i < 3000; ++i) {
    const std::size_t first = random() % kBytes;
    const std::size_t longest = std::min<std::size_t>(kBytes - first, i % 50 == 0 ? 6000 : 90);
    const std::size_t count = random() % (longest + 1);
    const auto run = bytes.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end = run + static_cast<std::ptrdiff_t>(count);
    ASSERT_EQ(d->is_marked(first, count), std::find(run, end, 0) == end) << first << " " << count;
    if (i % 3 == 0) {
      d->mark(first, count);
      std::fill(run, end, 1);
    }
  }
}

TEST(Definedness, a_copy_goes_its_own_way) {
  const auto d = Definedness::none_of(9000);
  d->mark(0, 5000);
  const auto copy = d->copy();
  d->mark(5000, 100);
  copy->mark(6000, 100);
  EXPECT_TRUE(copy->is_marked(0, 5000));
  EXPECT_FALSE(copy->is_marked(5000, 1));
  EXPECT_FALSE(d->is_marked(6000, 1));
}

// Rows of 1000 elements of 4 bytes: no row begins or ends with a page.
TEST(Definedness, rows_leave_nothing_behind_but_a_word_a_page) {
  constexpr std::size_t kRow = 4000;
  constexpr std::size_t kRows = 4096;
  const auto d = Definedness::none_of(kRow * kRows);
  const std::size_t least = d->memory_bytes();
  // 8 bytes for each 4096, the locks and the rest within 2 KiB.
  EXPECT_LE(least, kRow * kRows / 512 + 2048);
  for (std::size_t row = 0; row < kRows; ++row) {
    d->mark(row * kRow, kRow);
    // At most the page in the making has bits.
    ASSERT_LE(d->memory_bytes(), least + 1024);
  }
  EXPECT_EQ(d->memory_bytes(), least);
  EXPECT_TRUE(d->is_marked(0, kRow * kRows));
}

TEST(Definedness, threads_mark_neighbours) {
  constexpr std::size_t kBytes = 1 << 18;
  constexpr std::size_t kThreads = 4;
  const auto d = Definedness::none_of(kBytes);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < kThreads; ++t) {
    // Each the same bytes of every word.
    threads.emplace_back([&, t] {
      for (std::size_t at = 2 * t; at < kBytes; at += 2 * kThreads) {
        d->mark(at, 2);
        EXPECT_TRUE(d->is_marked(at, 2));
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_TRUE(d->is_marked(0, kBytes));
}

// All threads write the same bytes: each page is made whole while others are reading its bits.
TEST(Definedness, threads_finish_a_page_that_others_read) {
  constexpr std::size_t kBytes = 1 << 20;
  const auto d = Definedness::none_of(kBytes);
  const std::size_t least = d->memory_bytes();
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (std::size_t tile = 0; tile < kBytes; tile += 1 << 14) {
        Definedness::Access access(*d);
        // 4 bytes here and there in four pages: 1229 is odd, so all come once.
        for (std::size_t i = 0; i < 1 << 12; ++i) {
          access.mark(tile + i * 1229 % (1 << 12) * 4, 4);
        }
        EXPECT_TRUE(access.is_marked(tile, 1 << 14));
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_TRUE(d->is_marked(0, kBytes));
  EXPECT_EQ(d->memory_bytes(), least) << "bits are freed when nobody reads them";
}

TEST(Definedness, needless_bits_stay_while_someone_reads) {
  const auto d = Definedness::none_of(4096);
  const std::size_t least = d->memory_bytes();
  {
    Definedness::Access reader(*d);
    reader.mark(0, 4);
    const std::size_t with_bits = d->memory_bytes();
    EXPECT_GT(with_bits, least);
    d->mark(0, 4096);
    EXPECT_TRUE(reader.is_marked(0, 4096));
    EXPECT_EQ(d->memory_bytes(), with_bits);
  }
  EXPECT_EQ(d->memory_bytes(), least);
}

TEST(Definedness, a_hint_may_be_wrong) {
  const auto d = Definedness::none_of(5000);
  Definedness::Access access(*d);
  access.mark(4999, 1);
  for (const std::size_t byte :
       {std::size_t{0}, std::size_t{4999}, std::size_t{5000}, ~std::size_t{0}}) {
    access.expect(byte);
  }
  EXPECT_FALSE(access.is_marked(0, 1));
  EXPECT_TRUE(access.is_marked(4999, 1));
}

TEST(Definedness, a_word_filled_out_of_order_is_whole) {
  const auto d = Definedness::none_of(100);
  const std::size_t least = d->memory_bytes();
  for (std::size_t i = 100; i-- > 0;) {
    EXPECT_FALSE(d->is_marked(0, 100));
    d->mark(i, 1);
  }
  EXPECT_TRUE(d->is_marked(0, 100));
  EXPECT_EQ(d->memory_bytes(), least);
}

}  // namespace
}  // namespace tilery
