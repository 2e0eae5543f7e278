// What is taken from `.py` files, and what is passed over.
#include "frontend/ast_printer.h"
#include "tests/unit/frontend/parse_helpers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tilery {
namespace {

using ::testing::ElementsAre;
using testing::errors_of;
using ::testing::IsEmpty;
using testing::kept_names;

std::vector<std::string> kept(std::string_view text) {
  return kept_names(text, ModuleKind::Python);
}

TEST(ParsePython, kind_follows_the_file_name) {
  EXPECT_EQ(module_kind("a/b.py"), ModuleKind::Python);
  EXPECT_EQ(module_kind("a/b.tl"), ModuleKind::Tilery);
  EXPECT_EQ(module_kind("py"), ModuleKind::Tilery);
}

TEST(ParsePython, functions_constants_and_imports_are_kept) {
  EXPECT_THAT(kept("import triton\nfrom triton import language as tl\nB = 4\nC: tl.constexpr = 8\n"
                   "@triton.jit\ndef k(x): pass\ndef helper(a): return a\nx, y = 1, 2\n"),
              ElementsAre("<triton", "<language", "=B", "=C", "k", "helper", "=(tuple x y)"));
}

TEST(ParsePython, host_code_of_every_kind_is_passed_over) {
  EXPECT_THAT(kept(R"py(#!/usr/bin/env python
"""Module text with a def in it:
def no(): pass
"""
from __future__ import annotations
import torch

class Model[T](torch.nn.Module, metaclass=M):
    x: int = 3
    @triton.jit
    def method(self): return {k: v for k, v in self.items() if (n := k)}

async def serve(a, /, b, *, c):
    async with a as b, c: await d
    async for x in y: yield x
    return [await z async for z in w]

def generic[T: int, *Ts, **P](x: T) -> T: return x

match torch.device:
    case {"a": [1, *rest], **kw} if rest: print(f"{x!r:>{width}}")
    case Point(x=0) | None: pass

type Pair[T] = tuple[T, T]
try:
    import triton
except* ImportError as e:
    raise SystemExit(1) from e
else:
    pass
finally:
    del torch
while True: break
for i in range(3): print(i)
x: int
lambda: (yield)
print(b"bytes", 3j, f"{'nested' + f"{1 + 1}"}", 0xFF, r"\N", "\N{BULLET}")
if x:=3: pass
assert x, "no"
global_thing.attribute = 5; a[0] = 1
@decorate(lambda x: {1: [2, (3,)]}, key=["a"])
class Decorated: pass
with open("f") as f: data = f.read()
)py"),
              ElementsAre("<annotations", "<torch", "<triton", "=x", "=data"));
}

TEST(ParsePython, any_decorator_called_jit_makes_a_kernel) {
  for (const char* decorator :
       {"jit", "triton.jit", "triton.runtime.jit", "jit()", "triton.jit(noinline=True)"}) {
    EXPECT_THAT(errors_of("@other\n@" + std::string(decorator) + "\ndef k(x): x = = 1\n",
                          ModuleKind::Python),
                ElementsAre("3:15: expected an expression after `=`, found `=`"))
        << decorator;
  }
}

TEST(ParsePython, function_without_jit_is_dropped_if_it_is_no_kernel_syntax) {
  EXPECT_THAT(kept("@jit.other\ndef a(x, /): pass\ndef b(): return 3j\ndef c[T](x: T): pass\ndef "
                   "d(): pass\n"),
              ElementsAre("a", "d"));
}

TEST(ParsePython, big_decorators_above_a_kernel_are_no_obstacle) {
  EXPECT_THAT(
      kept("@triton.autotune(\n  configs=[C({'B': b}, num_warps=w) for b in [1, 2] for w in (4, "
           "8)],\n"
           "  key=['n'], prune={'f': lambda c, n, **kw: [x for x in c if x.b <= n['N']]},\n)\n"
           "@triton.heuristics({'E': lambda args: args['n'] % args['B'] == 0})\n@triton.jit\ndef "
           "k(x): pass\n"),
      ElementsAre("k"));
}

TEST(ParsePython, statements_that_a_kernel_cannot_run_do_not_hide_a_helper) {
  EXPECT_THAT(kept("def helper(x):\n  try:\n    return x\n  except E: pass\n"),
              ElementsAre("helper"));
}

TEST(ParsePython, branches_at_module_level_are_looked_into) {
  EXPECT_THAT(kept("try:\n  import triton.language as tl\nexcept ImportError:\n  tl = None\n"),
              ElementsAre("<triton.language"));
  EXPECT_THAT(kept("if HAS:\n  @triton.jit\n  def k(x): pass\n  B = 1\nelif b:\n  B = 2\n  C = "
                   "3\nelse:\n  def k(x): pass\n"),
              ElementsAre("k", "=B", "=C"));
  EXPECT_THAT(
      kept("if fast:\n  exp = lib.fast_exp\nelse:\n  @triton.jit\n  def exp(x): return x\n"),
      ElementsAre("exp"))
      << "a jit function is preferred";
  EXPECT_THAT(kept("if a:\n  if b:\n    with c:\n      X = 1\n"), ElementsAre("=X"));
  EXPECT_THAT(kept("if __name__ == '__main__':\n  X = 1\n"), IsEmpty());
}

TEST(ParsePython, suites_on_the_line_of_their_header_are_looked_into) {
  EXPECT_THAT(kept("if a[1:2]: X = 1; Y = 2\nelse: Z = 3\ntry: import m\nexcept E: pass\n"),
              ElementsAre("=X", "=Y", "=Z", "<m"));
  EXPECT_THAT(kept("class A: x = 1\ndef f(x): return x\nwith a as b: W = 4\n"),
              ElementsAre("f", "=W"));
  EXPECT_THAT(kept("if __name__ == '__main__': X = 1\n"), IsEmpty());
}

TEST(ParsePython, jit_functions_out_of_reach_are_remembered) {
  const testing::Parsed parsed = testing::parse_text(R"(
@dataclass
class A:
  @triton.jit
  def inner(x): pass
  def plain(self): pass
  class B:
    @other
    @jit
    def deep(x): pass
def make():
  if a:
    @triton.jit(debug=True)
    def made(x): pass
@triton.jit
def taken(x): pass
)",
                                                     ModuleKind::Python);
  ASSERT_TRUE(parsed.module);
  std::vector<std::string> found;
  for (const ast::NestedKernel& kernel : parsed.module->nested_kernels) {
    found.push_back(kernel.owner + "." + kernel.name);
  }
  EXPECT_THAT(found, ElementsAre("A.inner", "A.deep", "make.made"));
}

TEST(ParsePython, positional_only_parameters_are_printed_back) {
  const std::string text = "def f(a, b=1, /, c=2, *, d=3):\n    pass\n\n\ndef g(a, /):\n    pass\n";
  const testing::Parsed parsed = testing::parse_text(text, ModuleKind::Python);
  ASSERT_TRUE(parsed.module);
  EXPECT_THAT(ast::print(*parsed.module), ::testing::HasSubstr("def f(a, b=1, /, c=2, *, d=3):"));
  EXPECT_THAT(ast::print(*parsed.module), ::testing::HasSubstr("def g(a, /):"));
}

TEST(ParsePython, mistakes_of_a_kernel_in_a_branch_are_reported) {
  EXPECT_THAT(errors_of("if a:\n  @triton.jit\n  def k(x):\n    y = (x\n    return x +\n",
                        ModuleKind::Python),
              ElementsAre("4:9: `(` opened at 4:9 is never closed",
                          "5:15: expected an expression after `+`"));
  EXPECT_THAT(
      errors_of("@triton.jit\ndef k(x:\n  y = 1 1\n  z = )\ndef g(: pass\n", ModuleKind::Python)
          .size(),
      2U);
}

TEST(ParsePython, a_dropped_statement_excuses_no_mistake_in_the_next) {
  EXPECT_THAT(errors_of("1 2\n@jit\ndef f():\n  else: a\n", ModuleKind::Python),
              ElementsAre("4:3: `else` without a matching `if`, `for` or `while`"));
  EXPECT_THAT(kept("x y\ndef f():\n  else: a\n"), IsEmpty());
}

TEST(ParsePython, dropped_attempts_leave_no_nodes_behind) {
  const testing::Parsed parsed =
      testing::parse_text("print(1 + 2)\ndef h(a, *): return a + a\nX = 1\n", ModuleKind::Python);
  ASSERT_TRUE(parsed.module);
  EXPECT_TRUE(parsed.module->is_python);
  EXPECT_EQ(ast::print(*parsed.module), "X = 1\n");
}

}  // namespace
}  // namespace tilery
