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

}  // namespace
}  // namespace tilery
