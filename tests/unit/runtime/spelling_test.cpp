#include "runtime/spelling.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tilery {
namespace {

const std::vector<std::string> kNames = {"num_warps", "num_stages", "x_ptr", "n"};

TEST(Spelling, finds_the_closest_name) {
  EXPECT_EQ(closest_spelling("num_warp", kNames), "num_warps");
  EXPECT_EQ(closest_spelling("NUM_WARPS", kNames), "num_warps");
  EXPECT_EQ(closest_spelling("num_stagse", kNames), "num_stages");
  EXPECT_EQ(closest_spelling("xptr", kNames), "x_ptr");
}

TEST(Spelling, guesses_nothing_far_away) {
  EXPECT_EQ(closest_spelling("block_size", kNames), "");
  EXPECT_EQ(closest_spelling("m", kNames), "") << "one letter for another is no misspelling";
  EXPECT_EQ(closest_spelling(std::string(100000, 'a'), kNames), "");
  EXPECT_EQ(closest_spelling("x", {}), "");
}

}  // namespace
}  // namespace tilery
