#include "tests/support/sema_fixture.h"

namespace tilery {
namespace {

using Types = std::vector<std::string>;
using testing::contains;
using testing::SemaRun;

// ---- if ----

TEST(SemaIf, compile_time_condition_compiles_the_taken_branch_only) {
  const SemaRun run(R"(
def k(x, FAST: tl.constexpr):
    if FAST:
        tl.store(x, 1)
    else:
        tl.store(x, undefined_name)
)",
                    "x=*i32 FAST=true");
  ASSERT_TRUE(run.ok()) << run.ir();
  EXPECT_EQ(run.count(Op::If), 0);
  EXPECT_EQ(run.count(Op::Store), 1);
}

TEST(SemaIf, types_may_differ_between_compile_time_branches) {
  const SemaRun run(R"(
def k(x, n, WIDE: tl.constexpr):
    if WIDE:
        y = tl.arange(0, 8)
    else:
        y = n
    tl.store(x + y, y)
)",
                    "x=*i32 n=i32 WIDE=false");
  ASSERT_TRUE(run.ok()) << run.ir();
  EXPECT_EQ(run.count(Op::Arange), 0);
}

TEST(SemaIf, run_time_condition_merges_reassigned_variables) {
  const SemaRun run(R"(
def k(x, n):
    y = 1
    z = 2
    if n > 3:
        y = n
    tl.store(x, y + z)
)",
                    "x=*i32 n=i32");
  ASSERT_TRUE(run.ok()) << run.ir();
  EXPECT_EQ(run.result_types(run.only(Op::If)), (Types{"i32"}));
}

TEST(SemaIf, variable_new_in_both_branches_is_defined_after) {
  const SemaRun run(R"(
def k(x, n):
    if n > 3:
        y = 1.0
    else:
        y = 2.0
    tl.store(x, y)
)",
                    "x=*f32 n=i32");
  ASSERT_TRUE(run.ok()) << run.ir();
  EXPECT_EQ(run.result_types(run.only(Op::If)), (Types{"f32"}));
}

TEST(SemaIf, int_condition_is_compared_with_zero) {
  const SemaRun run(R"(
def k(x, n):
    if n:
        tl.store(x, 1)
)",
                    "x=*i32 n=i32");
  ASSERT_TRUE(run.ok()) << run.ir();
  EXPECT_EQ(run.function().type(run.only(Op::If).operand(0)).str(), "i1");
}

TEST(SemaIf, tuples_merge_element_by_element) {
  const SemaRun run(R"(
def k(x, n):
    t = (1, 2.0)
    if n > 3:
        t = (n, 3.0)
    tl.store(x, t[0])
)",
                    "x=*i32 n=i32");
  ASSERT_TRUE(run.ok()) << run.ir();
  EXPECT_EQ(run.result_types(run.only(Op::If)), (Types{"i32", "f32"}));
}

TEST(SemaIf, variable_of_the_branch_that_does_not_return_is_defined) {
  const SemaRun run(R"(
def k(x, n):
    if n > 3:
        return
    else:
        y = 1
    tl.store(x, y)
)",
                    "x=*i32 n=i32");
  ASSERT_TRUE(run.ok()) << run.ir();
  // What follows moves into the branch that falls through: no results, no flag.
  EXPECT_EQ(run.only(Op::If).result_count, 0U);
}

TEST(SemaIf, reports_where_a_variable_was_defined_conditionally) {
  const SemaRun run(R"(
def k(x, n):
    if n > 3:
        y = 1
    tl.store(x, y)
    tl.store(x, y)
)",
                    "x=*i32 n=i32");
  EXPECT_FALSE(run.ok());
  ASSERT_EQ(run.diagnostics().size(), 1U) << run.messages();
  EXPECT_TRUE(contains(run.messages(), "test.tl:4:9"));
}

TEST(SemaIf, strict_mode_keeps_the_type_even_if_both_branches_agree) {
  const std::string text = R"(
def k(x, n):
    y = 1
    if n > 3:
        y = 1.0
    else:
        y = 2.0
    tl.store(x, y)
)";
  EXPECT_TRUE(SemaRun(text, "x=*f32 n=i32").ok());
  EXPECT_FALSE(SemaRun(text, "x=*f32 n=i32 strict").ok());
}

// ---- conditional expressions, and, or ----

TEST(SemaConditional, run_time_condition_evaluates_each_side_in_its_branch) {
  const SemaRun run(R"(
def k(x, n):
    y = tl.load(x + n) if n > 3 else 0
    tl.store(x, y)
)",
                    "x=*i32 n=i32");
  ASSERT_TRUE(run.ok()) << run.ir();
  const Inst& branch = run.only(Op::If);
  const Inst& load = run.only(Op::Load);
  EXPECT_EQ(load.parent, branch.regions[0]);
}

TEST(SemaConditional, compile_time_condition_evaluates_one_side) {
  const SemaRun run(R"(
def k(x, bias):
    y = 0 if bias is None else tl.load(bias)
    tl.store(x, y)
)",
                    "x=*i32 bias=none");
  ASSERT_TRUE(run.ok()) << run.ir();
  EXPECT_EQ(run.count(Op::If), 0);
}

TEST(SemaLogical, compile_time_operand_guards_the_rest) {
  const SemaRun run(R"(
def k(x, bias, HAS: tl.constexpr):
    if HAS and tl.load(bias) > 0:
        tl.store(x, 1)
    if bias is None or tl.load(bias) > 0:
        tl.store(x, 2)
)",
                    "x=*i32 bias=none HAS=false");
  ASSERT_TRUE(run.ok()) << run.ir();
  EXPECT_EQ(run.count(Op::Load), 0);
  EXPECT_EQ(run.count(Op::Store), 1);
}

TEST(SemaLogical, run_time_scalars_skip_a_load) {
  const SemaRun run(R"(
def k(x, n):
    if n > 0 and tl.load(x + n) > 0:
        tl.store(x, 1)
)",
                    "x=*i32 n=i32");
  ASSERT_TRUE(run.ok()) << run.ir();
  EXPECT_EQ(run.count(Op::If), 2);
  const Inst& load = run.only(Op::Load);
  EXPECT_NE(load.parent, run.function().body);
}

TEST(SemaLogical, run_time_scalars_without_effects_need_no_branch) {
  const SemaRun run(R"(
def k(x, n):
    ok = n > 0 and n < 8
    tl.store(x, n, mask=ok)
)",
                    "x=*i32 n=i32");
  ASSERT_TRUE(run.ok()) << run.ir();
  EXPECT_EQ(run.count(Op::If), 0);
  EXPECT_EQ(run.count(Op::And), 1);
}

TEST(SemaLogical, blocks_work_element_by_element_with_a_warning) {
  const SemaRun run(R"(
def k(x, n):
    i = tl.arange(0, 8)
    tl.store(x + i, i, mask=(i > 0) and (i < n))
)",
                    "x=*i32 n=i32");
  ASSERT_TRUE(run.ok()) << run.ir();
  ASSERT_EQ(run.diagnostics().size(), 1U);
  EXPECT_EQ(run.diagnostics()[0].severity, Severity::Warning);
}

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
  EXPECT_FALSE(loop.bool_attr(attr_index(Op::For, "has_exit")));
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
  EXPECT_EQ(loop.int_attr(attr_index(Op::For, "stages")), 3);
  EXPECT_EQ(loop.int_attr(attr_index(Op::For, "unroll")), 4);
  EXPECT_TRUE(loop.bool_attr(attr_index(Op::For, "flatten")));
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
  EXPECT_TRUE(contains(text, "test.tl:3:5"));
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
  EXPECT_TRUE(loop.bool_attr(attr_index(Op::For, "has_exit")));
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
  EXPECT_FALSE(loop.bool_attr(attr_index(Op::For, "has_exit")));
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
  EXPECT_TRUE(run.only(Op::For).bool_attr(attr_index(Op::For, "has_exit")));
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
