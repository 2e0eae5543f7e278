// The operations of dots, counted by hand: 2·16·16·16 = 8192 for each time that one runs.
#include "ir/analysis/dot_work.h"

#include "tests/support/ir_text.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace tilery {
namespace {

constexpr std::int64_t kOne = 2 * 16 * 16 * 16;

std::string kernel(const std::string& body) {
  return R"(func @k(%p: *i32, %n: i32) {
  %zero = constant 0 : i32
  %one = constant 1 : i32
  %a = constant 1.0 : f16[16, 16]
  %acc = constant 0.0 : f32[16, 16]
)" + body +
         "}";
}

std::optional<std::int64_t> counted(const std::string& body, std::optional<std::uint64_t> n,
                                    std::array<std::int64_t, 3> grid = {1, 1, 1}) {
  const std::vector<std::optional<std::uint64_t>> arguments{std::nullopt, n};
  return dot_operations(testing::read_ir(kernel(body)), arguments, grid);
}

TEST(DotWork, nothing_without_a_dot) {
  EXPECT_EQ(counted("", std::nullopt, {1000, 1000, 1000}), 0);
}

TEST(DotWork, a_dot_counts_for_each_program) {
  EXPECT_EQ(counted("  %d = dot %a, %a, %acc : f32[16, 16]\n", std::nullopt, {3, 2, 5}), 30 * kOne);
}

TEST(DotWork, batches_count) {
  EXPECT_EQ(counted(R"(  %b = constant 1.0 : f32[3, 16, 4]
  %c = constant 1.0 : f32[3, 4, 8]
  %z = constant 0.0 : f32[3, 16, 8]
  %d = dot %b, %c, %z : f32[3, 16, 8]
)",
                    std::nullopt),
            2 * 3 * 16 * 4 * 8);
}

// for i in range(0, n // 32): one dot, and in the loop around it two.
constexpr const char* kLoops = R"(  %block = constant 32 : i32
  %count = idiv %n, %block : i32
  %two = constant 2 : i32
  %r = for %zero, %count, %one, %acc : f32[16, 16] {
  body(%i: i32, %x: f32[16, 16]):
    %y = dot %a, %a, %x : f32[16, 16]
    %z = for %zero, %two, %one, %y : f32[16, 16] {
    body(%j: i32, %v: f32[16, 16]):
      %w = dot %a, %a, %v : f32[16, 16]
      yield %w
    }
    yield %z
  }
)";

TEST(DotWork, loops_are_followed_with_the_arguments) {
  EXPECT_EQ(counted(kLoops, 320, {4, 1, 1}), 4 * 10 * 3 * kOne);
  EXPECT_EQ(counted(kLoops, 31), 0);
  EXPECT_EQ(counted(kLoops, static_cast<std::uint32_t>(-64)), 0);
  EXPECT_EQ(counted(kLoops, std::nullopt), std::nullopt);
}

// for i in range(0, program_id + 1), and one more where the program is even.
constexpr const char* kCausal = R"(  %pid = program_id axis=0 : i32
  %end = add %pid, %one : i32
  %r = for %zero, %end, %one, %acc : f32[16, 16] {
  body(%i: i32, %x: f32[16, 16]):
    %y = dot %a, %a, %x : f32[16, 16]
    yield %y
  }
  %odd = and %pid, %one : i32
  %even = eq %odd, %zero : i1
  %s = if %even : f32[16, 16] {
  then:
    %y2 = dot %a, %a, %r : f32[16, 16]
    yield %y2
  else:
    yield %r
  }
)";

TEST(DotWork, programs_are_followed_one_by_one_where_they_differ) {
  // 1 + 2 + 3 + 4 + 5, and programs 0, 2 and 4; twice.
  EXPECT_EQ(counted(kCausal, 0, {5, 2, 1}), 2 * (15 + 3) * kOne);
}

std::string loop_between(const std::string& lower, const std::string& upper,
                         const std::string& step, const std::string& type) {
  return "  %lower = constant " + lower + " : " + type + "\n  %upper = constant " + upper + " : " +
         type + "\n  %step = constant " + step + " : " + type + R"(
  %r = for %lower, %upper, %step, %acc : f32[16, 16] {
  body(%i: )" +
         type + R"(, %x: f32[16, 16]):
    %y = dot %a, %a, %x : f32[16, 16]
    yield %y
  }
)";
}

TEST(DotWork, a_counter_may_come_to_the_end_of_its_type) {
  // 2^63 - 8, 2^63 - 3; the next one would be past 2^63.
  EXPECT_EQ(
      counted(loop_between("9223372036854775800", "9223372036854775807", "5", "i64"), std::nullopt),
      2 * kOne);
  EXPECT_EQ(counted(loop_between("-9223372036854775800", "-9223372036854775808", "-5", "i64"),
                    std::nullopt),
            2 * kOne);
  // 2^63 - 1, 2^63, 2^63 + 1: the last two are negative to a signed comparison.
  EXPECT_EQ(
      counted(loop_between("9223372036854775807", "9223372036854775810", "1", "u64"), std::nullopt),
      3 * kOne);
}

TEST(DotWork, a_while_is_followed) {
  EXPECT_EQ(counted(R"(  %r, %s = while %zero, %acc : i32, f32[16, 16] {
  cond(%i: i32, %x: f32[16, 16]):
    %go = lt %i, %n : i1
    condition %go, %i, %x
  body(%j: i32, %y: f32[16, 16]):
    %z = dot %a, %a, %y : f32[16, 16]
    %k = add %j, %one : i32
    yield %k, %z
  }
)",
                    7),
            7 * kOne);
}

TEST(DotWork, memory_may_decide_only_what_has_no_dot) {
  EXPECT_EQ(counted(R"(  %m = load %p : i32
  %end = for %zero, %m, %one, %zero : i32 {
  body(%i: i32, %x: i32):
    yield %i
  }
  %d = dot %a, %a, %acc : f32[16, 16]
)",
                    0),
            kOne);
  EXPECT_EQ(counted(R"(  %m = load %p : i32
  %r = for %zero, %m, %one, %acc : f32[16, 16] {
  body(%i: i32, %x: f32[16, 16]):
    %y = dot %a, %a, %x : f32[16, 16]
    yield %y
  }
)",
                    0),
            std::nullopt);
}

TEST(DotWork, what_takes_too_long_is_given_up) {
  EXPECT_EQ(counted(kLoops, 2147483647), std::nullopt);
  EXPECT_EQ(counted(kCausal, 0, {2147483647, 1, 1}), std::nullopt);
}

}  // namespace
}  // namespace tilery
