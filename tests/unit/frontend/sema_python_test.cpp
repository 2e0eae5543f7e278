// Compile-time Python: numbers, texts, names, assignment.
#include "frontend/sema/python_number.h"
#include "tests/support/sema_fixture.h"

#include <cmath>

namespace tilery {
namespace {

using testing::contains;
using testing::SemaRun;

/// What `tl.static_print(expr)` writes in a kernel with these arguments.
std::string printed(const std::string& expr, const std::string& prelude = {}) {
  const SemaRun run(prelude + "\ndef k(x):\n    tl.static_print(" + expr + ")\n", "x=*f32");
  return run.ok() ? run.static_output() : run.messages();
}

// Expected values are CPython's.
TEST(CompileTimePython, integers) {
  EXPECT_EQ(printed("7 // 2, -7 // 2, 7 // -2, -7 // -2"), "3 -4 -4 3\n");
  EXPECT_EQ(printed("7 % 3, -7 % 3, 7 % -3, -7 % -3"), "1 2 -2 -1\n");
  EXPECT_EQ(printed("7 / 2, 6 / 3"), "3.5 2.0\n");
  EXPECT_EQ(printed("2 ** 10, 2 ** -1, (-2) ** 3, 0 ** 0"), "1024 0.5 -8 1\n");
  EXPECT_EQ(printed("1 << 40, -5 >> 1, 6 & 3, 6 | 3, 6 ^ 3, ~5"), "1099511627776 -3 2 7 5 -6\n");
  EXPECT_EQ(printed("2 ** 100"), "1267650600228229401496703205376\n");
  EXPECT_EQ(printed("0xff, 0o17, 0b101, 1_000"), "255 15 5 1000\n");
  EXPECT_EQ(printed("True + True, True & False, not 3"), "2 False False\n");
}

TEST(CompileTimePython, floats) {
  EXPECT_EQ(printed("7.5 // 2, -7.5 // 2, 7.5 % 2, -7.5 % 2"), "3.0 -4.0 1.5 0.5\n");
  EXPECT_EQ(printed("0.1 + 0.2, 1e16, 1e-5, 100.0"), "0.30000000000000004 1e+16 1e-05 100.0\n");
  EXPECT_EQ(printed("float('inf'), -float('inf'), float('nan')"), "inf -inf nan\n");
  EXPECT_EQ(printed("2.0 ** 0.5"), "1.4142135623730951\n");
}

TEST(CompileTimePython, comparisons_and_logic) {
  EXPECT_EQ(printed("1 < 2 < 3, 3 > 2 > 2, 1 == 1.0, 'a' < 'b'"), "True False True True\n");
  EXPECT_EQ(printed("2 in (1, 2), 'x' not in 'abc', None is None"), "True True True\n");
  EXPECT_EQ(printed("0 or 5, 0 and 5, 3 and 5, None or 'd'"), "5 0 5 d\n");
  EXPECT_EQ(printed("(1, 2) == (1, 2), (1, 2) < (1, 3)"), "True True\n");
}

TEST(CompileTimePython, sequences_and_strings) {
  EXPECT_EQ(printed("(1, 2) + (3,), (0,) * 3, 'ab' * 2, 'a' + 'b'"),
            "(1, 2, 3) (0, 0, 0) abab ab\n");
  EXPECT_EQ(printed("(1, 'a', None, 2.0)"), "(1, 'a', None, 2.0)\n");
  EXPECT_EQ(printed("[i * 2 for i in (1, 2, 3) if i != 2]"), "(2, 6)\n");
  EXPECT_EQ(printed("[a + b for a in (1, 2) for b in (10, 20)]"), "(11, 21, 12, 22)\n");
  EXPECT_EQ(printed("[i for i in range(4)]"), "(0, 1, 2, 3)\n");
  EXPECT_EQ(printed("(*(1, 2), 3)"), "(1, 2, 3)\n");
}

TEST(CompileTimePython, f_strings) {
  EXPECT_EQ(printed("f'{3:04d}|{1.5:.3f}|{255:#x}|{\"a\":>3}|{1234567:,}|{0.25:.1%}'"),
            "0003|1.500|0xff|  a|1,234,567|25.0%\n");
  EXPECT_EQ(printed("f'{\"a\"!r} {(1,)} {{}}'"), "'a' (1,) {}\n");
  EXPECT_EQ(printed("f'{-5:>6}|{-5:<6}|{5:^5}|{5:+d}|{2.0}'"), "    -5|-5    |  5  |+5|2.0\n");
}

TEST(PythonNumber, large_integers_are_reported) {
  using sema::Arithmetic;
  const sema::BigInt big = sema::BigInt{1} << 126;
  const auto sum = sema::integer_arithmetic(ast::BinaryOp::Add, big, big);
  EXPECT_EQ(sum.status, Arithmetic::Status::Failed);
  const auto fits = sema::integer_arithmetic(ast::BinaryOp::Sub, big, big);
  EXPECT_EQ(fits.status, Arithmetic::Status::Ok);
}

TEST(PythonNumber, float_literals) {
  EXPECT_EQ(sema::parse_float("1e400"), INFINITY);
  EXPECT_EQ(sema::parse_float("1e-400"), 0.0);
  EXPECT_EQ(sema::parse_float("5e-324"), 5e-324);
  EXPECT_EQ(sema::parse_float(".5"), 0.5);
  EXPECT_EQ(sema::parse_float("1."), 1.0);
}

// ---- names ----

TEST(SemaNames, imports_are_honoured) {
  const SemaRun run(R"(
import triton
import triton.language as T
from triton import language as L
from triton.language import sum as s, constexpr
from math import sqrt as root

@triton.jit
def k(x, B: constexpr):
    i = T.arange(0, B)
    L.store(x, s(T.load(x + i), 0) * root(16.0))
)",
                    "x=*f32 B=8", "test.py");
  EXPECT_TRUE(run.ok()) << run.ir();
}

TEST(SemaNames, a_py_file_needs_its_imports) {
  const SemaRun run("import triton\n@triton.jit\ndef k(x):\n    tl.store(x, 1)\n", "x=*i32",
                    "test.py");
  EXPECT_TRUE(contains(run.messages(), "add `import triton.language as tl`"));
}

TEST(SemaNames, plain_function_of_a_py_file_is_refused) {
  const SemaRun run(R"(
import triton
import triton.language as tl

def twice(a):
    return a * 2

@triton.jit
def k(x, n):
    tl.store(x, twice(n))
)",
                    "x=*i32 n=i32", "test.py");
  ASSERT_EQ(run.diagnostics().size(), 1U) << run.messages();
  EXPECT_EQ(run.diagnostics()[0].id, DiagId::PlainFunction);
  EXPECT_TRUE(contains(run.messages(), "`@triton.jit`"));
}

TEST(SemaNames, module_constants) {
  const SemaRun run(R"(
A = tl.constexpr(4)
B: tl.constexpr = A * 2
C = 3
DT = tl.float32
FS = (2, 3)

def k(x):
    i = tl.arange(0, A * B)
    tl.store(x + i, (i * C + FS[1]).to(DT))
)",
                    "x=*f32");
  EXPECT_TRUE(run.ok()) << run.ir();
}

TEST(SemaNames, plain_constants_of_a_py_file_are_refused) {
  const std::string head = "import triton\nimport triton.language as tl\n";
  const std::string tail = "@triton.jit\ndef k(x):\n    tl.store(x, N)\n";
  EXPECT_FALSE(SemaRun(head + "N = 4\n" + tail, "x=*i32", "t.py").ok());
  EXPECT_TRUE(SemaRun(head + "N = tl.constexpr(4)\n" + tail, "x=*i32", "t.py").ok());
  EXPECT_TRUE(SemaRun(head + "M = tl.constexpr(4)\nN = M + 1\n" + tail, "x=*i32", "t.py").ok());
}

TEST(SemaNames, misspelt_names_get_a_proposal) {
  const SemaRun run("def k(offset_ptr):\n    tl.store(ofset_ptr, 1)\n", "offset_ptr=*i32");
  EXPECT_TRUE(contains(run.messages(), "did you mean `offset_ptr`?"));
}

TEST(SemaNames, host_constants_functions_and_types) {
  Unit environment;
  environment.constants.emplace_back("SIZE", HostValue{std::int64_t{8}});
  environment.constants.emplace_back("FN", HostValue{HostFunction{"twice"}});
  environment.host_types.push_back({"Pair", {"lo", "hi"}});
  const SemaRun run(R"(
def twice(a):
    return a * 2

def bounds(v):
    return Pair(tl.min(v, axis=0), hi=tl.max(v, axis=0))

def k(x):
    r = bounds(tl.load(x + tl.arange(0, SIZE)))
    tl.store(x, FN(r.lo) + r.hi)
)",
                    "x=*i32", "test.tl", std::move(environment));
  EXPECT_TRUE(run.ok()) << run.ir();
}

TEST(SemaNames, functions_of_another_unit) {
  SourceMap sources;
  Diagnostics diagnostics;
  const FileId file = sources.add("lib.tl", 1, "K = 3\ndef triple(a):\n    return a * K\n");
  auto library = std::make_shared<Unit>();
  library->module = *parse(sources, file, ModuleKind::Tilery, diagnostics);
  Unit environment;
  environment.imports.emplace_back("lib", library);
  const SemaRun run(R"(
import lib
from lib import triple as t3

def k(x, n):
    tl.store(x, lib.triple(n) + t3(n) + lib.K)
)",
                    "x=*i32 n=i32", "test.tl", std::move(environment));
  EXPECT_TRUE(run.ok()) << run.ir();
}

// ---- assignment ----

TEST(SemaAssign, literals_decay_and_annotated_ones_do_not) {
  const SemaRun run(R"(
def k(x):
    h = tl.load(x)
    s = 2.0
    c: tl.constexpr = 2.0
    t: tl.int64 = 3
    tl.static_print((h * 2.0).dtype, (h * s).dtype, (h * c).dtype, t.dtype)
)",
                    "x=*f16");
  ASSERT_TRUE(run.ok()) << run.ir();
  EXPECT_EQ(run.static_output(), "fp16 fp32 fp16 int32\n");
}

TEST(SemaAssign, announced_constexpr) {
  const SemaRun run(R"(
def k(x):
    B: tl.constexpr
    B = 8
    tl.store(x + tl.arange(0, B), 1)
)",
                    "x=*i32");
  EXPECT_TRUE(run.ok()) << run.ir();
}

TEST(SemaAssign, unpacking) {
  const SemaRun run(R"(
def k(x, n):
    (a, b), [c, *d] = (n, n + 1), (1, 2, 3)
    a, b = b, a
    e = f = a + len(d)
    tl.store(x, a + b + c + d[1] + e + f)
)",
                    "x=*i32 n=i32");
  EXPECT_TRUE(run.ok()) << run.ir();
}

TEST(SemaAssign, values_carry_the_names_of_variables) {
  const SemaRun run("def k(x, n):\n    total = n + 1\n    tl.store(x, total)\n", "x=*i32 n=i32");
  EXPECT_TRUE(contains(run.ir(), "%total = add"));
}

TEST(SemaAssign, constexpr_in_an_unrolled_loop_is_one_definition) {
  const std::string text = R"(
def k(x):
    for i in tl.static_range(3):
        w: tl.constexpr = i + 1
        tl.store(x + tl.arange(0, w), i)
)";
  EXPECT_TRUE(SemaRun(text, "x=*i32").ok()) << SemaRun(text, "x=*i32").ir();
}

TEST(SemaAssign, poisoned_variables_are_silent) {
  const SemaRun run(R"(
def k(x, n):
    a = missing + 1
    b = a * 2
    tl.store(x, b)
    c = other
    tl.store(x, c)
)",
                    "x=*i32 n=i32");
  EXPECT_EQ(run.diagnostics().size(), 2U) << run.messages();
}

}  // namespace
}  // namespace tilery
