#include "tests/unit/frontend/parse_helpers.h"

#include <gtest/gtest.h>

namespace tilery {
namespace {

using testing::shapes;

TEST(ParseStatement, assignments) {
  EXPECT_EQ(shapes("a = 1\n"), "(a = 1)");
  EXPECT_EQ(shapes("a = b = c\n"), "(a b = c)");
  EXPECT_EQ(shapes("a, (b, *c) = d\n"), "((tuple a (tuple b *c)) = d)");
  EXPECT_EQ(shapes("[a, b] = c, d\n"), "((list a b) = (tuple c d))");
  EXPECT_EQ(shapes("a[i] = b.c = 1\n"), "((at a i) b.c = 1)");
  EXPECT_EQ(shapes("a, = *b, c\n"), "((tuple a) = (tuple *b c))");
}

TEST(ParseStatement, annotated_and_augmented_assignments) {
  EXPECT_EQ(shapes("a: tl.constexpr = 4\n"), "(a : tl.constexpr = 4)");
  EXPECT_EQ(shapes("a: 'text'\n"), "(a : \"text\" = _)");
  EXPECT_EQ(shapes("a += 1; b -= 1; c *= 1; d /= 1; e //= 1; f %= 1; g **= 1\n"),
            "(a += 1) (b -= 1) (c *= 1) (d /= 1) (e //= 1) (f %= 1) (g **= 1)");
  EXPECT_EQ(shapes("a @= 1; b <<= 1; c >>= 1; d &= 1; e |= 1; f ^= 1, 2\n"),
            "(a @= 1) (b <<= 1) (c >>= 1) (d &= 1) (e |= 1) (f ^= (tuple 1 2))");
}

TEST(ParseStatement, if_elif_else) {
  EXPECT_EQ(shapes("if a:\n  b\n"), "(if a [b] [])");
  EXPECT_EQ(shapes("if a:\n  b\nelif c:\n  d\nelif e: f\nelse:\n  g; h\n"),
            "(if a [b] [(if c [d] [(if e [f] [g h])])])");
  EXPECT_EQ(shapes("if (n := a): pass\n"), "(if (:= n a) [pass] [])");
}

TEST(ParseStatement, loops) {
  EXPECT_EQ(shapes("for i in range(n):\n  break\nelse:\n  a\n"),
            "(for i (call range n) [break] [a])");
  EXPECT_EQ(shapes("for a, (b, c) in 1, 2: continue\n"),
            "(for (tuple a (tuple b c)) (tuple 1 2) [continue] [])");
  EXPECT_EQ(shapes("while a < b:\n  a += 1\nelse: c\n"), "(while (a < b) [(a += 1)] [c])");
}

TEST(ParseStatement, simple_statements) {
  EXPECT_EQ(shapes("assert a\nassert a, 'why'\n"), "(assert a _) (assert a \"why\")");
  EXPECT_EQ(shapes("def f():\n  raise\n  raise E(a)\n  raise E from b\n"),
            "(def f -> _ [(raise _) (raise (call E a)) (raise E)])");
  EXPECT_EQ(shapes("def f():\n  return\n  return a\n  return a, b\n  return *a, b\n"),
            "(def f -> _ [(return _) (return a) (return (tuple a b)) (return (tuple *a b))])");
  EXPECT_EQ(shapes("a; b;\n"), "a b");
}

TEST(ParseStatement, with) {
  EXPECT_EQ(shapes("with a: pass\n"), "(with [a _] [pass])");
  EXPECT_EQ(shapes("with a() as b, c as (d, e):\n  pass\n"),
            "(with [(call a) b] [c (tuple d e)] [pass])");
  EXPECT_EQ(shapes("with (a as b, c,): pass\n"), "(with [a b] [c _] [pass])");
  EXPECT_EQ(shapes("with (a): pass\n"), "(with [a _] [pass])");
  EXPECT_EQ(shapes("with (a, b).c as d: pass\n"), "(with [(tuple a b).c d] [pass])");
}

TEST(ParseStatement, imports) {
  EXPECT_EQ(shapes("import a\n"), "(import a)");
  EXPECT_EQ(shapes("import a.b as c, d\n"), "(import a.b>c d)");
  EXPECT_EQ(shapes("from a.b import c as d, e\n"), "(from a.b import c>d e)");
  EXPECT_EQ(shapes("from ... import (a,\n  b as c,)\n"), "(from ... import a b>c)");
  EXPECT_EQ(shapes("from .. .a import *\n"), "(from ...a import *)");
}

TEST(ParseStatement, functions) {
  EXPECT_EQ(
      shapes("@triton.jit\ndef k(x, n: tl.constexpr, b: 'i32' = 4, *rest: t, c, d=1, **kw) -> "
             "int:\n  pass\n"),
      "(def k @triton.jit x n:tl.constexpr b:\"i32\"=4 *rest:t kw c kw d=1 **kw -> int [pass])");
  EXPECT_EQ(shapes("@a(b=lambda x: x[0])\n@c\ndef f(*, a): return a\n"),
            "(def f @(call a b=(lambda x => (at x 0))) @c kw a -> _ [(return a)])");
  EXPECT_EQ(shapes("def f(\n  a,\n  b,\n): ...\n"), "(def f a b -> _ [...])");
}

TEST(ParseStatement, docstring_is_taken_off_the_body) {
  EXPECT_EQ(shapes("def f():\n  'one' \"two\"\n  pass\n"), "(def f -> _ doc:\"onetwo\" [pass])");
  EXPECT_EQ(shapes("def f(): '''doc'''\n"), "(def f -> _ doc:\"doc\" [])");
  EXPECT_EQ(shapes("def f():\n  a\n  'no doc'\n"), "(def f -> _ [a \"no doc\"])");
  EXPECT_EQ(shapes("'file'\ndef f(): f'{a}'\n"), "\"file\" (def f -> _ [(f {a})])");
}

TEST(ParseStatement, what_no_kernel_may_contain_is_kept_by_its_name) {
  EXPECT_EQ(shapes("def f():\n  try:\n    anything $ goes\n  except:\n    x\n  finally: y\n  z\n"),
            "error: unexpected character `$`");
  EXPECT_EQ(
      shapes(
          "def f():\n  try:\n    a b c\n  except E as e:\n    x\n  else: w\n  finally: y\n  z\n"),
      "(def f -> _ [<try> z])");
  EXPECT_EQ(shapes("def f():\n  del a\n  global b, c\n  nonlocal d; x\n"),
            "(def f -> _ [<del> <global> <nonlocal> x])");
  EXPECT_EQ(shapes("class A(B):\n  x: int\n  def m(self): pass\n@d\nclass C: pass\n"),
            "<class> <class>");
  EXPECT_EQ(shapes("def f():\n  yield a\n  x = yield\n  y = await z\n  g((yield 1))\n"),
            "(def f -> _ [<yield> <yield> <await> <yield>])");
  EXPECT_EQ(shapes("async def f():\n  await x\nasync with a: pass\nasync for a in b: pass\n"),
            "<async def> <async with> <async for>");
  EXPECT_EQ(shapes("match x:\n  case 1: pass\ntype X = int\n"), "<match> <type>");
  EXPECT_EQ(shapes("match = 1\ntype = match(x)\nmatch[x]: int\n"),
            "(match = 1) (type = (call match x)) ((at match x) : int = _)");
}

TEST(ParseStatement, async_stands_before_def_for_and_with_only) {
  EXPECT_EQ(shapes("async x = 1\n"), "error: expected a statement, found `async`");
}

TEST(ParseStatement, nested_functions_are_parsed) {
  EXPECT_EQ(shapes("def f():\n  @jit\n  def g(a): return a\n  return g\n"),
            "(def f -> _ [(def g @jit a -> _ [(return a)]) (return g)])");
}

TEST(ParseStatement, layout_that_python_allows) {
  EXPECT_EQ(shapes("if a:\n\tif b:\n\t\tc\nd"), "(if a [(if b [c] [])] []) d");
  EXPECT_EQ(shapes("if a:\r\n  b\r\nc\r"), "(if a [b] []) c");
  EXPECT_EQ(shapes("\xEF\xBB\xBF# bom\nx = 'é' \\\n  'ü'\n"), "(x = \"éü\")");
  EXPECT_EQ(shapes("if a:\n        b\n        # deep\n# shallow\n        c\n"), "(if a [b c] [])");
}

TEST(ParseStatement, ranges_cover_statements) {
  const testing::Parsed parsed =
      testing::parse_text("@a\ndef f():\n    if x:\n        y  # end\n\nz\n");
  const ast::Module& m = *parsed.module;
  EXPECT_EQ(parsed.sources.text(m[m.body[0]].range), "@a\ndef f():\n    if x:\n        y");
  const auto& function = *m.as<ast::FunctionDef>(m.body[0]);
  EXPECT_EQ(parsed.sources.text(function.name_range), "f");
  EXPECT_EQ(parsed.sources.text(function.decorators[0].range), "@a");
  EXPECT_EQ(parsed.sources.text(m[function.body[0]].range), "if x:\n        y");
}

}  // namespace
}  // namespace tilery
