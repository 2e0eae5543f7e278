#include "tests/support/sema_fixture.h"

#include <pthread.h>

namespace tilery {
namespace {

using testing::contains;
using testing::SemaRun;

TEST(SemaCalls, positional_keyword_default_and_star) {
  const SemaRun run(R"(
def f(a, b, c=3, *rest, d=4):
    tl.static_print(a, b, c, rest, d)
    return a

def k(x):
    t: tl.constexpr = (1, 2)
    f(*t)
    f(1, b=5, d=6)
    f(1, 2, 7, 8, 9)
    tl.store(x, 0)
)",
                    "x=*i32");
  ASSERT_TRUE(run.ok()) << run.ir();
  EXPECT_EQ(run.static_output(), "1 2 3 () 4\n1 5 3 () 6\n1 2 7 (8, 9) 4\n");
}

TEST(SemaCalls, literal_arguments_stay_compile_time) {
  const SemaRun run(R"(
def f(n):
    if n > 2:
        return tl.arange(0, n)
    return undefined()

def k(x):
    tl.store(x + f(4), 1)
)",
                    "x=*i32");
  EXPECT_TRUE(run.ok()) << run.ir();
}

TEST(SemaCalls, wrong_arguments) {
  const SemaRun run(R"(
def f(a, b):
    return a

def k(x):
    f(1)
    f(1, 2, 3)
    f(1, c=2)
    f(1, a=2)
)",
                    "x=*i32");
  ASSERT_EQ(run.diagnostics().size(), 4U) << run.messages();
  EXPECT_EQ(run.diagnostics()[0].id, DiagId::MissingArgument);
  EXPECT_EQ(run.diagnostics()[1].id, DiagId::TooManyArguments);
  EXPECT_EQ(run.diagnostics()[2].id, DiagId::UnexpectedArgument);
  EXPECT_EQ(run.diagnostics()[3].id, DiagId::DuplicateArgument);
}

TEST(SemaCalls, functions_are_values) {
  const SemaRun run(R"(
def inc(a):
    return a + 1

def dbl(a):
    return a * 2

FNS = [inc, dbl]

def apply(v, fns: tl.constexpr):
    for i in tl.static_range(len(fns)):
        v = fns[i](v)
    return v

def k(x, n):
    tl.store(x, apply(n, FNS) + apply(n, (inc, lambda a: a - 1)))
)",
                    "x=*i32 n=i32");
  ASSERT_TRUE(run.ok()) << run.ir();
  EXPECT_EQ(run.count(Op::Mul), 1);
  EXPECT_EQ(run.count(Op::Sub), 1);
}

TEST(SemaCalls, lambda_sees_its_surroundings) {
  const SemaRun run(R"(
def apply(f: tl.constexpr, v):
    return f(v)

def k(x, n):
    w = n + 5
    tl.store(x, apply(lambda a: a * w, n))
)",
                    "x=*i32 n=i32");
  EXPECT_TRUE(run.ok()) << run.ir();
}

TEST(SemaCalls, recursion_over_shrinking_shapes_ends) {
  const SemaRun run(R"(
def total(v):
    if v.shape[0] == 1:
        return v
    return total(tl.sum(tl.reshape(v, (v.shape[0] // 2, 2)), 1))

def k(x):
    tl.store(x + tl.arange(0, 1), total(tl.load(x + tl.arange(0, 64))))
)",
                    "x=*i32");
  EXPECT_TRUE(run.ok()) << run.ir();
}

TEST(SemaCalls, constexpr_functions_run_statements) {
  const SemaRun run(R"(
@triton.constexpr_function
def largest_divisor(n, limit):
    best = 1
    for i in range(1, limit + 1):
        if n % i == 0:
            best = i
    while best > 8:
        best //= 2
        if best == 6:
            break
    return best

def k(x):
    B: tl.constexpr = largest_divisor(96, 50)
    tl.static_print(B)
    tl.store(x + tl.arange(0, 8), B)
)",
                    "x=*i32");
  ASSERT_TRUE(run.ok()) << run.ir();
  EXPECT_EQ(run.static_output(), "6\n");  // 48 → 24 → 12 → 6
}

TEST(SemaCalls, locations_name_the_call_chain) {
  const SemaRun run(R"(
def inner(a):
    return a * 3

def outer(a):
    return inner(a) + 1

def k(x, n):
    tl.store(x, outer(n))
)",
                    "x=*i32 n=i32");
  ASSERT_TRUE(run.ok()) << run.ir();
  const Function& f = run.function();
  const Location& at = f.locations[run.only(Op::Mul).loc.index];
  EXPECT_EQ(at.function, "inner");
  ASSERT_TRUE(at.caller);
  const Location& caller = f.locations[at.caller.index];
  EXPECT_EQ(caller.function, "outer");
  ASSERT_TRUE(caller.caller);
  EXPECT_EQ(f.locations[caller.caller.index].function, "k");
}

TEST(SemaCalls, errors_show_the_chain_from_the_inside_out) {
  const SemaRun run(R"(
def half(v, N: tl.constexpr):
    tl.static_assert(N % 32 == 0, "N must be a multiple of 32")
    return v

def k(o, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(o + i, half(i, N))
)",
                    "o=*i32 N=16");
  ASSERT_EQ(run.diagnostics().size(), 1U) << run.messages();
  const std::string text = run.messages();
  EXPECT_TRUE(contains(text, "N must be a multiple of 32"));
  const std::size_t inside = text.find("test.tl:3:");
  const std::size_t call = text.find("test.tl:8:");
  EXPECT_NE(call, std::string::npos);
  EXPECT_LT(inside, call);
}

TEST(SemaCalls, user_combine_function) {
  const SemaRun run(R"(
def larger(a, b):
    return tl.where(a > b, a, b)

def pair(av, ai, bv, bi):
    take = av > bv
    return tl.where(take, av, bv), tl.where(take, ai, bi)

def k(x, o):
    i = tl.arange(0, 8)
    v = tl.load(x + i)
    tl.store(x, tl.reduce(v, 0, larger))
    top, at = tl.reduce((v, i), 0, pair)
    tl.store(o, at)
)",
                    "x=*f32 o=*i32");
  ASSERT_TRUE(run.ok()) << run.ir();
  EXPECT_EQ(run.count(Op::Reduce), 2);
}

TEST(SemaCalls, early_return_in_a_helper_merges_values) {
  const SemaRun run(R"(
def clamp_low(v, n):
    if n > 3:
        if n > 5:
            return v * 2
        v = v + 1
    return v

def k(x, n):
    tl.store(x, clamp_low(tl.load(x), n))
)",
                    "x=*i32 n=i32");
  EXPECT_TRUE(run.ok()) << run.ir();
}

TEST(SemaCalls, lambda_defaults_come_from_its_surroundings) {
  const SemaRun run(R"(
def apply(f: tl.constexpr, v):
    return f(v)

def k(x, n):
    w = n + 5
    tl.store(x, apply(lambda a, b=w: a * b, n))
)",
                    "x=*i32 n=i32");
  EXPECT_TRUE(run.ok()) << run.ir();
}

TEST(SemaEntry, unknown_kernel_and_wrong_count) {
  SourceMap sources;
  Diagnostics diagnostics;
  const FileId file = sources.add("t.tl", 1, "def row_sum(x):\n    pass\n");
  Unit unit;
  unit.module = *parse(sources, file, ModuleKind::Tilery, diagnostics);
  EXPECT_FALSE(specialize(unit, sources, "row_sums", {}, {}, diagnostics));
  ASSERT_EQ(diagnostics.all().size(), 1U);
  EXPECT_EQ(diagnostics.all()[0].id, DiagId::UnknownKernel);
  EXPECT_EQ(diagnostics.all()[0].help, "did you mean `row_sum`?");
  EXPECT_FALSE(specialize(unit, sources, "row_sum", {}, {}, diagnostics));
  ASSERT_EQ(diagnostics.all().size(), 2U);
  EXPECT_EQ(diagnostics.all()[1].id, DiagId::KernelArgumentCount);
}

TEST(SemaEntry, constexpr_parameter_needs_a_value) {
  const SemaRun run("def k(x, B: tl.constexpr):\n    tl.store(x, B)\n", "x=*i32 B=i32");
  ASSERT_EQ(run.diagnostics().size(), 1U) << run.messages();
  EXPECT_EQ(run.diagnostics()[0].id, DiagId::ConstexprParameter);
}

TEST(SemaEntry, tuple_arguments_become_parameters) {
  const SemaRun run("def k(x, t):\n    tl.store(x, t[0] + t[2])\n", "x=*i32 t=(i32,5,i64)");
  ASSERT_TRUE(run.ok()) << run.ir();
  const auto& params = run.function().params;
  ASSERT_EQ(params.size(), 3U);
  EXPECT_EQ(params[1].name, "t.0");
  EXPECT_EQ(params[2].name, "t.2");
}

TEST(SemaLimits, deep_nesting_times_recursion_is_an_error) {
  std::string body = "def f(n):\n";
  std::string indent = "    ";
  for (int i = 0; i < 90; ++i) {
    body += indent + "if n > " + std::to_string(i) + ":\n";
    indent += " ";
  }
  body += indent + "return f(n + 1)\n    return n\n";
  const SemaRun run(body + "def k(x, n):\n    tl.store(x, f(n))\n", "x=*i32 n=i32");
  EXPECT_FALSE(run.ok());
  ASSERT_FALSE(run.diagnostics().empty());
  EXPECT_EQ(run.diagnostics()[0].id, DiagId::EvaluationTooDeep);
}

TEST(SemaLimits, recursion_ends_before_a_small_stack_does) {
  // A thread of 1 MiB, and calls that nest as deep as they may.
  std::string body = "def f(n):\n";
  std::string indent = "    ";
  for (int i = 0; i < 40; ++i) {
    body += indent + "if n > " + std::to_string(i) + ":\n";
    indent += " ";
  }
  body += indent + "return f(n + 1)\n    return n\n";
  const std::string text = body + "def k(x, n):\n    tl.store(x, f(n))\n";
  bool is_refused = false;
  const auto specialise = [&] {
    const SemaRun run(text, "x=*i32 n=i32");
    is_refused = !run.ok() && run.diagnostics()[0].id == DiagId::EvaluationTooDeep;
  };
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, 1U << 20), 0);
  using Task = decltype(specialise);
  pthread_t thread{};
  ASSERT_EQ(pthread_create(
                &thread, &attributes,
                [](void* task) -> void* {
                  (*static_cast<const Task*>(task))();
                  return nullptr;
                },
                const_cast<void*>(static_cast<const void*>(&specialise))),
            0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  EXPECT_TRUE(is_refused);
}

TEST(ListKernels, parameters) {
  SourceMap sources;
  Diagnostics diagnostics;
  const FileId file = sources.add("t.tl", 1, R"(
def k(x, y: tl.const, n: tl.int64, m: "i8", p: "*kfp16", q: int, B: tl.constexpr = 4 * 2, z=None):
    """Says what."""
    pass
)");
  Unit unit;
  unit.module = *parse(sources, file, ModuleKind::Tilery, diagnostics);
  const std::vector<KernelInfo> kernels = list_kernels(unit, sources, diagnostics);
  ASSERT_EQ(kernels.size(), 1U);
  const auto& p = kernels[0].parameters;
  ASSERT_EQ(p.size(), 8U);
  EXPECT_EQ(kernels[0].docstring, "Says what.");
  EXPECT_FALSE(p[0].annotated);
  EXPECT_TRUE(p[1].is_const_pointer);
  EXPECT_EQ(p[2].annotated, Type(Scalar::I64));
  EXPECT_EQ(p[3].annotated, Type(Scalar::I8));
  EXPECT_EQ(p[4].annotated, Type(ElementType(Scalar::F16, 1, true)));
  EXPECT_TRUE(p[4].is_const_pointer);
  EXPECT_EQ(p[5].annotated, Type(Scalar::I32));
  EXPECT_TRUE(p[6].is_constexpr);
  EXPECT_EQ(p[6].default_value, HostValue{std::int64_t{8}});
  EXPECT_EQ(p[7].default_value, HostValue{HostNone{}});
}

}  // namespace
}  // namespace tilery
