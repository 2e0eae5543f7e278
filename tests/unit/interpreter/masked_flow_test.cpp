// Which loads must be watched: those of whose masked-off lanes a use may see.
#include "interpreter/check/masked_flow.h"

#include "tests/support/ir_text.h"
#include "tests/unit/interpreter/ir_run.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#if defined(__unix__) && !defined(__SANITIZE_ADDRESS__)
#include <sys/resource.h>
#endif

namespace tilery {
namespace {

using interpreter::MaskedFlow;
using testing::find_value;
using testing::read_ir;

/// `body` after the parameters %x, %o: pointers to f32; %m, %m2: masks of 8 lanes; %p, %q: 8
/// pointers from %x and %o on; %zero: 8 zeros.
Function with_masks(std::string_view body) {
  return read_ir(fmt::format(R"(
func @f(%x: *f32, %o: *f32, %n: i32) {{
  %lanes = arange start=0 end=8 : i32[8]
  %0 = splat %n : i32[8]
  %m = lt %lanes, %0 : i1[8]
  %five = constant 5 : i32
  %1 = splat %five : i32[8]
  %m2 = lt %lanes, %1 : i1[8]
  %both = and %m, %m2 : i1[8]
  %2 = splat %x : *f32[8]
  %p = addptr %2, %lanes : *f32[8]
  %3 = splat %o : *f32[8]
  %q = addptr %3, %lanes : *f32[8]
  %z = constant 0.0 : f32
  %zero = splat %z : f32[8]
{}}}
)",
                             body));
}

/// Whether the load that defines %v is watched.
bool is_watched(std::string_view body) {
  const Function function = with_masks(body);
  return MaskedFlow(function).may_leak(function.value(find_value(function, "v")).def);
}

TEST(MaskedFlow, a_store_under_the_same_mask_drops_the_lanes) {
  EXPECT_FALSE(is_watched("  %v = load %p, %m : f32[8]\n  store %q, %v, %m\n"));
  EXPECT_TRUE(is_watched("  %v = load %p, %m : f32[8]\n  store %q, %v, %m2\n"));
  EXPECT_TRUE(is_watched("  %v = load %p, %m : f32[8]\n  store %q, %v\n"));
}

TEST(MaskedFlow, one_that_stores_fewer_lanes_does_too) {
  EXPECT_FALSE(is_watched("  %v = load %p, %m : f32[8]\n  store %q, %v, %both\n"));
  EXPECT_TRUE(is_watched("  %v = load %p, %both : f32[8]\n  store %q, %v, %m\n"));
}

TEST(MaskedFlow, each_of_several_uses_counts) {
  EXPECT_TRUE(
      is_watched("  %v = load %p, %m : f32[8]\n"
                 "  store %q, %v, %m\n"
                 "  store %q, %v, %m2\n"));
  EXPECT_FALSE(
      is_watched("  %v = load %p, %m : f32[8]\n"
                 "  store %q, %v, %m\n"
                 "  store %q, %v, %both\n"));
}

TEST(MaskedFlow, what_is_not_used_does_no_harm) {
  EXPECT_FALSE(is_watched("  %v = load %p, %m : f32[8]\n  %w = add %v, %v : f32[8]\n"));
}

TEST(MaskedFlow, a_select_drops_the_lanes_of_its_first_side) {
  EXPECT_FALSE(
      is_watched("  %v = load %p, %m : f32[8]\n"
                 "  %w = select %m, %v, %zero : f32[8]\n  store %q, %w\n"));
  EXPECT_TRUE(
      is_watched("  %v = load %p, %m : f32[8]\n"
                 "  %w = select %m, %zero, %v : f32[8]\n  store %q, %w\n"));
}

TEST(MaskedFlow, two_masks_on_the_way_hold_together) {
  EXPECT_FALSE(
      is_watched("  %v = load %p, %both : f32[8]\n"
                 "  %w = select %m, %v, %zero : f32[8]\n  store %q, %w, %m2\n"));
}

TEST(MaskedFlow, masks_are_followed_through_shapes) {
  constexpr std::string_view kBody =
      "  %v = load %p, %m : f32[8]\n"
      "  %r = reshape %v : f32[2, 4]\n"
      "  %rq = reshape %q : *f32[2, 4]\n"
      "  %rm = reshape {} : i1[2, 4]\n"
      "  store %rq, %r, %rm\n";
  EXPECT_FALSE(is_watched(fmt::format(fmt::runtime(kBody), "%m")));
  EXPECT_FALSE(is_watched(fmt::format(fmt::runtime(kBody), "%both")));
  EXPECT_TRUE(is_watched(fmt::format(fmt::runtime(kBody), "%m2")));
}

/// A loop that carries what it loaded into its next iteration under `mask`; `%inner` is computed in
/// the loop.
std::string carried_load(std::string_view mask) {
  return fmt::format(R"(  %c0 = constant 0 : i32
  %c1 = constant 1 : i32
  %last = for %c0, %n, %c1, %zero : f32[8] {{
  body(%i: i32, %a: f32[8]):
    %s = splat %i : i32[8]
    %inner = lt %lanes, %s : i1[8]
    store %q, %a, {0}
    %v = load %p, {0} : f32[8]
    yield %v
  }}
)",
                     mask);
}

TEST(MaskedFlow, a_loop_keeps_what_held_before_it) {
  EXPECT_FALSE(is_watched(carried_load("%m")));
  // The next iteration's %inner is another mask.
  EXPECT_TRUE(is_watched(carried_load("%inner")));
}

// Each turn of the loop sees the mask through one `trans` more.
TEST(MaskedFlow, a_tile_that_a_loop_turns_again_and_again_comes_to_an_end) {
  EXPECT_TRUE(is_watched(R"(  %c0 = constant 0 : i32
  %c1 = constant 1 : i32
  %square = reshape %p : *f32[2, 2, 2]
  %square_mask = reshape %m : i1[2, 2, 2]
  %v = load %square, %square_mask : f32[2, 2, 2]
  %turned = for %c0, %n, %c1, %v : f32[2, 2, 2] {
  body(%i: i32, %a: f32[2, 2, 2]):
    %b = trans %a order=[1, 2, 0] : f32[2, 2, 2]
    yield %b
  }
  %square_out = reshape %q : *f32[2, 2, 2]
  store %square_out, %turned, %square_mask
)"));
}

TEST(MaskedFlow, a_chain_of_many_conditions_is_one) {
  std::string body = "  %c0 = and %m, %m2 : i1[8]\n";
  constexpr int kLinks = 300;
  for (int i = 1; i <= kLinks; ++i) {
    body += fmt::format("  %k{0} = constant {0} : i32\n  %s{0} = splat %k{0} : i32[8]\n", i);
    body += fmt::format("  %l{0} = lt %lanes, %s{0} : i1[8]\n", i);
    body += fmt::format("  %c{} = and %c{}, %l{} : i1[8]\n", i, i - 1, i);
  }
  const std::string load = fmt::format("  %v = load %p, %c{} : f32[8]\n", kLinks);
  EXPECT_FALSE(is_watched(body + load + fmt::format("  store %q, %v, %c{}\n", kLinks)));
  EXPECT_TRUE(is_watched(body + load + fmt::format("  store %q, %v, %c{}\n", kLinks - 1)));
}

#if defined(__unix__) && !defined(__SANITIZE_ADDRESS__)

/// The most memory that the process had so far, in bytes.
double peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024;
}

// All loads meet in one sum, whose lanes each came from every load before it. With a list of loads
// for each value this would take 20,000² / 2 entries: 10 GB.
TEST(MaskedFlow, takes_memory_in_proportion_to_the_loads) {
  constexpr int kLoads = 20000;
  std::string body;
  std::string sum = "%zero";
  for (int i = 0; i < kLoads; ++i) {
    body += fmt::format("  %k{0} = constant {0} : i32\n  %s{0} = splat %k{0} : i32[8]\n", i);
    body += fmt::format("  %l{0} = lt %lanes, %s{0} : i1[8]\n", i);
    body += fmt::format("  %v{0} = load %p, %l{0} : f32[8]\n", i);
    body += fmt::format("  %a{0} = add {1}, %v{0} : f32[8]\n", i, sum);
    sum = fmt::format("%a{}", i);
  }
  const Function function = with_masks(body + fmt::format("  store %q, {}, %l7\n", sum));
  const double before = peak_bytes();
  const MaskedFlow flow(function);
  EXPECT_LT(peak_bytes() - before, 2000.0 * kLoads);
  for (int i = 0; i < 10; ++i) {
    const ValueId load = find_value(function, fmt::format("v{}", i));
    EXPECT_EQ(flow.may_leak(function.value(load).def), i != 7) << i;
  }
}

#endif

}  // namespace
}  // namespace tilery
