#include "ir/attributes.h"
#include "tests/support/sema_fixture.h"

namespace tilery {
namespace {

using Types = std::vector<std::string>;
using testing::contains;
using testing::SemaRun;

// ---- break, continue, return ----

TEST(SemaLeave, break_becomes_the_exit_flag) {
  const SemaRun run(R"(
def k(x, n):
    acc = 0
    for i in range(n):
        if tl.load(x + i) == 0:
            break
        acc += 1
    tl.store(x, acc)
)",
                    "x=*i32 n=i32");
  ASSERT_TRUE(run.ok()) << run.ir();
  const Inst& loop = run.only(Op::For);
  EXPECT_TRUE(bool_attr<"has_exit">(loop));
  EXPECT_EQ(run.result_types(loop), (Types{"i1", "i32"}));
  EXPECT_EQ(run.count(Op::If), 1);
}

TEST(SemaLeave, continue_skips_the_rest_of_the_body_without_a_flag) {
  const SemaRun run(R"(
def k(x, n):
    acc = 0
    for i in range(n):
        if i == 3:
            continue
        acc += i
    tl.store(x, acc)
)",
                    "x=*i32 n=i32");
  ASSERT_TRUE(run.ok()) << run.ir();
  const Inst& loop = run.only(Op::For);
  EXPECT_FALSE(bool_attr<"has_exit">(loop));
  EXPECT_EQ(run.result_types(loop), (Types{"i32"}));
}

TEST(SemaLeave, nested_exits_guard_what_follows) {
  const SemaRun run(R"(
def k(x, n):
    acc = 0
    for i in range(n):
        if i > 2:
            if tl.load(x + i) == 0:
                break
            if i == 7:
                continue
        acc += i
    tl.store(x, acc)
)",
                    "x=*i32 n=i32");
  ASSERT_TRUE(run.ok()) << run.ir();
  EXPECT_TRUE(bool_attr<"has_exit">(run.only(Op::For)));
}

TEST(SemaLeave, return_in_a_loop_gives_its_value) {
  const SemaRun run(R"(
def find(x, n):
    for i in range(n):
        if tl.load(x + i) == 0:
            return i
    return n

def k(x, o, n):
    tl.store(o, find(x, n))
)",
                    "x=*i32 o=*i32 n=i32");
  ASSERT_TRUE(run.ok()) << run.ir();
  EXPECT_EQ(run.result_types(run.only(Op::For)), (Types{"i1", "i32"}));
}

TEST(SemaLeave, return_and_break_in_one_loop) {
  const SemaRun run(R"(
def find(x, n):
    for i in range(n):
        v = tl.load(x + i)
        if v == 0:
            return i
        if v < 0:
            break
    return n

def k(x, o, n):
    tl.store(o, find(x, n))
)",
                    "x=*i32 o=*i32 n=i32");
  ASSERT_TRUE(run.ok()) << run.ir();
  EXPECT_EQ(run.result_types(run.only(Op::For)), (Types{"i1", "i1", "i32"}));
}

TEST(SemaLeave, return_through_two_loops) {
  const SemaRun run(R"(
def k(x, n):
    for i in range(n):
        for j in range(n):
            if tl.load(x + i * n + j) == 0:
                return
        tl.store(x + i, 1)
    tl.store(x, 2)
)",
                    "x=*i32 n=i32");
  ASSERT_TRUE(run.ok()) << run.ir();
  EXPECT_EQ(run.count(Op::For), 2);
}

TEST(SemaLeave, unrolled_loop_breaks_at_run_time) {
  const SemaRun run(R"(
def k(x, n):
    acc = 0
    for i in tl.static_range(3):
        if tl.load(x + i) == 0:
            break
        acc += 1
    tl.store(x, acc)
)",
                    "x=*i32 n=i32");
  ASSERT_TRUE(run.ok()) << run.ir();
  EXPECT_EQ(run.count(Op::Load), 3);
  EXPECT_EQ(run.count(Op::If), 5);  // three conditions, two guards of later iterations
}

TEST(SemaLeave, statements_after_a_return_are_not_checked) {
  const SemaRun run(R"(
def pick(v, KEEP: tl.constexpr):
    if KEEP:
        return v
    tl.static_assert(False, "unreachable")
    return v * 0

def k(x):
    tl.store(x, pick(tl.load(x), True))
    return
    undefined()
)",
                    "x=*i32");
  EXPECT_TRUE(run.ok()) << run.ir();
}

TEST(SemaLeave, strict_mode_refuses_the_extensions) {
  const SemaRun run(R"(
def k(x, n):
    for i in range(n):
        if i == 1:
            continue
        if i == 2:
            break
        if i == 3:
            return
    a = b = n
)",
                    "x=*i32 n=i32 strict");
  EXPECT_EQ(run.diagnostics().size(), 4U) << run.messages();
}

// ---- returns ----

TEST(SemaReturn, early_return_at_the_top_level_wraps_the_rest) {
  const SemaRun run(R"(
def k(x, o, n):
    p = tl.program_id(0)
    if p >= n:
        return
    tl.store(o + p, tl.load(x + p) * 2)
)",
                    "x=*i32 o=*i32 n=i32");
  ASSERT_TRUE(run.ok()) << run.ir();
  const Inst& branch = run.only(Op::If);
  EXPECT_EQ(branch.result_count, 0U);
  EXPECT_EQ(run.only(Op::Store).parent, branch.regions[1]);
}

TEST(SemaReturn, differing_compile_time_values_become_tensors) {
  const SemaRun run(R"(
def sign(n):
    if n > 0:
        return 1
    if n < 0:
        return -1
    return 0

def k(x, n):
    tl.store(x, sign(n))
)",
                    "x=*i32 n=i32");
  ASSERT_TRUE(run.ok()) << run.ir();
}

TEST(SemaReturn, tuples_are_unified_element_by_element) {
  const SemaRun run(R"(
def pair(n):
    if n > 0:
        return n, 1.0
    return 0, 2.0

def k(x, o, n):
    a, b = pair(n)
    tl.store(x, a)
    tl.store(o, b)
)",
                    "x=*i32 o=*f32 n=i32");
  ASSERT_TRUE(run.ok()) << run.ir();
  EXPECT_EQ(run.result_types(run.only(Op::If)), (Types{"i32", "f32"}));
}

TEST(SemaReturn, mismatch_lists_all_returns) {
  const SemaRun run(R"(
def pick(n):
    if n > 3:
        return 1.5
    if n > 2:
        return 2.5
    return n

def k(x, n):
    tl.store(x, pick(n))
)",
                    "x=*f32 n=i32");
  ASSERT_EQ(run.diagnostics().size(), 1U) << run.messages();
  EXPECT_EQ(run.diagnostics()[0].notes.size(), 3U) << run.messages();
}

TEST(SemaReturn, value_on_some_paths_only) {
  const SemaRun run(R"(
def pick(n):
    if n > 3:
        return n

def k(x, n):
    tl.store(x, pick(n))
)",
                    "x=*i32 n=i32");
  ASSERT_EQ(run.diagnostics().size(), 1U) << run.messages();
  EXPECT_TRUE(contains(run.messages(), "None"));
}

}  // namespace
}  // namespace tilery
