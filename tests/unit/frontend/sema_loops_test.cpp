#include "ir/attributes.h"
#include "tests/support/sema_fixture.h"

namespace tilery {
namespace {

using Types = std::vector<std::string>;
using testing::contains;
using testing::SemaRun;

// ---- for ----

TEST(SemaFor, carries_what_the_body_changes_and_nothing_else) {
  const SemaRun run(R"(
def k(x, n):
    acc = 0
    same = n + 1
    for i in range(n):
        same = same
        acc += i * same
    tl.store(x, acc)
)",
                    "x=*i32 n=i32");
  ASSERT_TRUE(run.ok()) << run.ir();
  const Inst& loop = run.only(Op::For);
  EXPECT_EQ(loop.result_count, 2U);  // `same = same` is an assignment
  EXPECT_FALSE(bool_attr<"has_exit">(loop));
}

TEST(SemaFor, variable_assigned_in_a_dead_branch_is_not_carried) {
  const SemaRun run(R"(
def k(x, n, SCALE: tl.constexpr):
    acc = 0
    f = n
    for i in range(n):
        if SCALE:
            f = f * 2
        acc += f
    tl.store(x, acc)
)",
                    "x=*i32 n=i32 SCALE=false");
  ASSERT_TRUE(run.ok()) << run.ir();
  EXPECT_EQ(run.result_types(run.only(Op::For)), (Types{"i32"}));
}

TEST(SemaFor, loop_variable_has_the_promoted_type_of_the_bounds) {
  const SemaRun run(R"(
def k(x, n):
    for i in range(0, n):
        tl.store(x, i)
)",
                    "x=*i64 n=i64");
  ASSERT_TRUE(run.ok()) << run.ir();
  const Function& f = run.function();
  const RegionId body = run.only(Op::For).regions[0];
  EXPECT_EQ(f.type(f.region(body).args[0]).str(), "i64");
}

TEST(SemaFor, assigning_the_loop_variable_does_not_change_the_iteration) {
  const SemaRun run(R"(
def k(x, n):
    for i in range(n):
        i = i + 1
        tl.store(x + i, i)
)",
                    "x=*i32 n=i32");
  ASSERT_TRUE(run.ok()) << run.ir();
  EXPECT_EQ(run.only(Op::For).result_count, 0U);
}

TEST(SemaFor, hints_become_attributes) {
  const SemaRun run(R"(
def k(x, n):
    for i in tl.range(0, n, 2, num_stages=3, loop_unroll_factor=4, flatten=True):
        tl.store(x + i, i)
)",
                    "x=*i32 n=i32");
  ASSERT_TRUE(run.ok()) << run.ir();
  const Inst& loop = run.only(Op::For);
  EXPECT_EQ(int_attr<"stages">(loop), 3);
  EXPECT_EQ(int_attr<"unroll">(loop), 4);
  EXPECT_TRUE(bool_attr<"flatten">(loop));
}

TEST(SemaFor, static_print_in_a_loop_prints_once) {
  const SemaRun run(R"(
def k(x, n):
    acc = 0
    for i in range(n):
        tl.static_print("body")
        acc += i
    tl.store(x, acc)
)",
                    "x=*i32 n=i32");
  ASSERT_TRUE(run.ok()) << run.ir();
  EXPECT_EQ(run.static_output(), "body\n");
}

TEST(SemaFor, tuples_are_carried_element_by_element) {
  const SemaRun run(R"(
def k(x, n):
    t = (0, 1.0)
    for i in range(n):
        t = (t[0] + i, t[1] * 2.0)
    tl.store(x, t[0])
)",
                    "x=*i32 n=i32");
  ASSERT_TRUE(run.ok()) << run.ir();
  EXPECT_EQ(run.result_types(run.only(Op::For)), (Types{"i32", "f32"}));
}

TEST(SemaFor, type_change_names_both_types_lines_and_a_way_out) {
  const SemaRun run(R"(
def k(x, o, n):
    acc = 0
    for i in range(0, n):
        acc = acc + tl.load(x + i)
    tl.store(o, acc)
)",
                    "x=*f32 o=*f32 n=i32");
  ASSERT_EQ(run.diagnostics().size(), 1U) << run.messages();
  const std::string text = run.messages();
  EXPECT_TRUE(contains(text, "test.tl:5:9: error: `acc` is int32 before the loop but fp32"));
  EXPECT_TRUE(contains(text, "    3 |     acc = 0\n")) << text;
  EXPECT_TRUE(contains(text, "~~~   `acc` is int32 before the loop\n")) << text;
  EXPECT_TRUE(contains(text, "start with `acc = 0.0`"));
}

TEST(SemaFor, shape_change_proposes_zeros) {
  const SemaRun run(R"(
def k(x, n):
    acc = 0.0
    for i in range(0, n):
        acc += tl.load(x + tl.arange(0, 8))
    tl.store(x + tl.arange(0, 8), acc)
)",
                    "x=*f32 n=i32");
  EXPECT_TRUE(contains(run.messages(), "start with `acc = tl.zeros([8], dtype=tl.float32)`"));
}

// ---- while ----

TEST(SemaWhile, carries_its_variables_through_the_condition) {
  const SemaRun run(R"(
def k(x, n):
    count = 0
    while n > 1:
        n = n // 2
        count += 1
    tl.store(x, count)
)",
                    "x=*i32 n=i32");
  ASSERT_TRUE(run.ok()) << run.ir();
  EXPECT_EQ(run.result_types(run.only(Op::While)), (Types{"i32", "i32"}));
}

TEST(SemaWhile, int_condition_is_compared_with_zero) {
  const SemaRun run(R"(
def k(x, n):
    while n:
        n -= 1
    tl.store(x, n)
)",
                    "x=*i32 n=i32");
  EXPECT_TRUE(run.ok()) << run.ir();
}

TEST(SemaWhile, break_joins_the_condition) {
  const SemaRun run(R"(
def k(x, n):
    i = 0
    while i < n:
        if tl.load(x + i) == 0:
            break
        i += 1
    tl.store(x, i)
)",
                    "x=*i32 n=i32");
  ASSERT_TRUE(run.ok()) << run.ir();
  EXPECT_EQ(run.result_types(run.only(Op::While)), (Types{"i1", "i32"}));
}

TEST(SemaWhile, while_true_with_break) {
  const std::string text = R"(
def k(x, n):
    i = 0
    while True:
        i += 1
        if i >= n:
            break
    tl.store(x, i)
)";
  EXPECT_TRUE(SemaRun(text, "x=*i32 n=i32").ok()) << SemaRun(text, "x=*i32 n=i32").ir();
  EXPECT_FALSE(SemaRun(text, "x=*i32 n=i32 strict").ok());
}

TEST(SemaWhile, false_condition_leaves_the_loop_out) {
  const SemaRun run(R"(
def k(x, ON: tl.constexpr):
    while ON:
        undefined()
    tl.store(x, 1)
)",
                    "x=*i32 ON=false");
  ASSERT_TRUE(run.ok()) << run.ir();
  EXPECT_EQ(run.count(Op::While), 0);
}

TEST(SemaWhile, assignment_expression_in_the_condition_is_carried) {
  const SemaRun run(R"(
def k(x, n):
    i = 0
    v = 0
    while (v := tl.load(x + i)) > 0:
        i += 1
    tl.store(x, v)
)",
                    "x=*i32 n=i32");
  ASSERT_TRUE(run.ok()) << run.ir();
  EXPECT_EQ(run.result_types(run.only(Op::While)), (Types{"i32", "i32"}));
}

// ---- static loops ----

TEST(SemaStaticRange, unrolls_with_a_compile_time_variable) {
  const SemaRun run(R"(
def k(x):
    for i in tl.static_range(6, 0, -2):
        tl.store(x + i, tl.full([i * 2 - i], i, tl.int32).sum(0))
)",
                    "x=*i32");
  ASSERT_TRUE(run.ok()) << run.ir();
  EXPECT_EQ(run.count(Op::Store), 3);
}

TEST(SemaStaticRange, types_may_change_from_iteration_to_iteration) {
  const SemaRun run(R"(
def k(x):
    v = tl.load(x + tl.arange(0, 8))
    for _ in tl.static_range(3):
        v = tl.sum(tl.reshape(v, (v.shape[0] // 2, 2)), 1)
    tl.store(x + tl.arange(0, 1), v)
)",
                    "x=*i32");
  EXPECT_TRUE(run.ok()) << run.ir();
}

TEST(SemaStaticRange, sibling_loops_inside_a_run_time_loop_share_a_variable_name) {
  const SemaRun run(R"(
def k(x, n):
    for s in tl.static_range(2):
        tl.store(x + s, s)
    for i in range(n):
        for s in tl.static_range(2):
            tl.store(x + s, i)
)",
                    "x=*i32 n=i32");
  EXPECT_TRUE(run.ok()) << run.ir();
}

TEST(SemaStaticRange, the_same_mistake_is_reported_once) {
  const SemaRun run(R"(
def helper(x):
    return x + missing

def k(x):
    for i in tl.static_range(10):
        tl.store(x + i, helper(i))
)",
                    "x=*i32");
  EXPECT_EQ(run.diagnostics().size(), 1U) << run.messages();
}

}  // namespace
}  // namespace tilery
