#include "frontend/ast_printer.h"

#include "tests/unit/frontend/parse_helpers.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace tilery {
namespace {

namespace fs = std::filesystem;

std::string printed(std::string_view text) {
  const testing::Parsed parsed = testing::parse_text(text);
  return parsed.module ? ast::print(*parsed.module)
                       : "error: " + parsed.diagnostics.all().front().message;
}

/// Fails unless printing gives text with an equal tree, and printing that again the same text.
void expect_round_trip(std::string_view text, ModuleKind kind = ModuleKind::Tilery) {
  const testing::Parsed parsed = testing::parse_text(text, kind);
  ASSERT_TRUE(parsed.module) << text;
  const std::string once = ast::print(*parsed.module);
  const testing::Parsed again = testing::parse_text(once);
  ASSERT_TRUE(again.module) << once << "\n" << again.diagnostics.all().front().message;
  EXPECT_TRUE(ast::equal(*parsed.module, *again.module)) << once;
  EXPECT_EQ(ast::print(*again.module), once);
}

TEST(AstPrinter, parentheses_stand_only_where_precedence_needs_them) {
  for (const char* text : {"(a + b) * c\n",
                           "a + b * c\n",
                           "a - (b - c)\n",
                           "a - b - c\n",
                           "(a ** b) ** c\n",
                           "a ** b ** c\n",
                           "(-a) ** b\n",
                           "-a ** b\n",
                           "a ** -b\n",
                           "not (a and b)\n",
                           "not a == b\n",
                           "(not a) == b\n",
                           "(a < b) < c\n",
                           "a < b < c\n",
                           "a and (b and c)\n",
                           "(a or b) and c\n",
                           "(a if b else c) if d else e\n",
                           "a if b else c if d else e\n",
                           "a if (b if c else d) else e\n",
                           "(lambda: a) if b else c\n",
                           "a if b else lambda: c\n",
                           "(lambda: a)()\n",
                           "(a, b)[0]\n",
                           "(1).real\n",
                           "1.5.real\n",
                           "(-1).x\n",
                           "[*a, *(b or c)]\n",
                           "f(*a or b)\n",
                           "(a := b)\n",
                           "x[(a, b)]\n",
                           "x[a, b]\n",
                           "x[a,]\n",
                           "x[()]\n",
                           "x[a:b, ::c]\n",
                           "((a, b), c)\n",
                           "f(x for x in y)\n",
                           "f((x for x in y), z)\n",
                           "[(x for x in y)]\n",
                           "[x for x in (a if b else c) if (lambda: d)]\n",
                           "{**(a or b)}\n",
                           "{(a := 1): b}\n"}) {
    const std::string expected = std::string(text) == "((a, b), c)\n" ? "(a, b), c\n" : text;
    EXPECT_EQ(printed(text), expected);
    expect_round_trip(text);
  }
}

TEST(AstPrinter, redundant_parentheses_go) {
  EXPECT_EQ(printed("x = ((a) + (b))\nreturn_ = (a, b)\nf((a), k=(b))\n"),
            "x = a + b\nreturn_ = a, b\nf(a, k=b)\n");
}

TEST(AstPrinter, strings_get_double_quotes_and_few_escapes) {
  EXPECT_EQ(printed(R"(x = 'a"b\'c\n\t\\\x01é')"), "x = \"a\\\"b'c\\n\\t\\\\\\x01é\"\n");
  EXPECT_EQ(printed("x = r'\\d' '\\d'\n"), "x = \"\\\\d\\\\d\"\n");
}

TEST(AstPrinter, f_strings) {
  EXPECT_EQ(printed("x = f'{{a}}{b!r:>{w}}\\n{c[\"k\"]}'\n"),
            "x = f\"{{a}}{b!r:>{w}}\\n{c['k']}\"\n");
  for (const char* text : {"f''\n", "f'{ {1: 2} }'\n", "f'{(lambda: 1)()}{a, b}{*a, b}'\n",
                           "f'{(a if b else lambda: c)}'\n", "f'{a != b}{(x := 1)}{a = }'\n",
                           "f\"{a:'}\"\n", "f'{a:\"}'\n", "f'{f'{f'{a}'}'}'\n", "f'''{a:\n}'''\n",
                           "f'\\\\{a}\\\\'\n", "rf'\\N{a}'\n", "f'{a!r}' 'b' f'{c}{{'\n"}) {
    expect_round_trip(text);
  }
}

TEST(AstPrinter, statements) {
  const std::string text =
      "import a.b as c, d\n"
      "from ..e import f as g, h\n"
      "from . import *\n"
      "N: tl.constexpr = 4\n"
      "a = b, *c = d\n"
      "x[0] += 1\n"
      "@jit\n"
      "@auto(key=[\"n\"])\n"
      "def k(x, n: tl.int32, b: tl.constexpr = 4, c=1, *, d, **kw) -> int:\n"
      "    \"\"\"Two\n"
      "    lines.\"\"\"\n"
      "    for i, (j, k) in range(n):\n"
      "        if a:\n"
      "            break\n"
      "        elif b:\n"
      "            continue\n"
      "        else:\n"
      "            pass\n"
      "    else:\n"
      "        return\n"
      "    while (n := n - 1) > 0:\n"
      "        assert n, \"why\"\n"
      "    with a as b, c:\n"
      "        raise E(1)\n"
      "    return a, b\n"
      "def v(*args, last):\n"
      "    return lambda x, *y, z=1: x\n";
  EXPECT_EQ(printed(text), text.substr(0));
  expect_round_trip(text);
}

TEST(AstPrinter, else_with_one_if_is_an_elif) {
  EXPECT_EQ(printed("if a:\n  b\nelse:\n  if c: d\n"), "if a:\n    b\nelif c:\n    d\n");
}

TEST(AstPrinter, docstrings_survive_whatever_they_contain) {
  for (const char* doc : {"'\"'", "'a\"'", "'\"\"\"'", "'a\\\\'", "'\\n x\\n'", "'\\r\\t\\x00'",
                          "'é'", "'\\\\N{a}'"}) {
    expect_round_trip("def f():\n  " + std::string(doc) + "\n");
    expect_round_trip("def f():\n  " + std::string(doc) + "\n  'second'\n");
  }
  expect_round_trip("def f():\n  ''\n");
  expect_round_trip("def f():\n  ''\n  'x'\n");
}

TEST(AstPrinter, unsupported_statements_stand_for_themselves) {
  expect_round_trip(
      "def f():\n  try: a\n  except: b\n  del x\n  global y\n  nonlocal z\n  yield\n  await w\n"
      "  class C: pass\n  async def g(): pass\n  async for a in b: pass\n  async with a: pass\n"
      "  match x:\n    case 1: pass\n  type T = int\n");
}

TEST(AstPrinter, one_expression_prints_alone) {
  const testing::Parsed parsed = testing::parse_text("x = (a + b) * c\n");
  const auto value = parsed.module->as<ast::Assign>(parsed.module->body[0])->value;
  EXPECT_EQ(ast::print(*parsed.module, value), "(a + b) * c");
}

TEST(AstPrinter, sample_and_every_kernel_file_of_the_project) {
  expect_round_trip(testing::sample_kernels());
  expect_round_trip(testing::sample_kernels(), ModuleKind::Python);
  int files = 0;
  for (const char* folder : {"kernels", "tests"}) {
    for (const auto& entry :
         fs::recursive_directory_iterator(fs::path(TILERY_SOURCE_DIR) / folder)) {
      if (entry.path().extension() != ".tl" ||
          entry.path().string().find("/diag/") != std::string::npos) {
        continue;
      }
      SCOPED_TRACE(entry.path());
      std::ifstream in(entry.path(), std::ios::binary);
      std::ostringstream text;
      text << in.rdbuf();
      expect_round_trip(text.str());
      ++files;
    }
  }
  EXPECT_GT(files, 10);
}

TEST(AstEqual, differences_of_every_size_are_seen) {
  const auto same = [](std::string_view a, std::string_view b) {
    return ast::equal(*testing::parse_text(a).module, *testing::parse_text(b).module);
  };
  EXPECT_TRUE(same("x = (a)\n", "x=a # why\n"));
  for (const auto& [a, b] :
       std::vector<std::pair<const char*, const char*>>{{"a\n", "b\n"},
                                                        {"a\n", "a\na\n"},
                                                        {"a + b\n", "a - b\n"},
                                                        {"a < b\n", "a <= b\n"},
                                                        {"1\n", "1.0\n"},
                                                        {"x[a]\n", "x[a,]\n"},
                                                        {"x[a:]\n", "x[:a]\n"},
                                                        {"f(a)\n", "f(*a)\n"},
                                                        {"f(a=b)\n", "f(c=b)\n"},
                                                        {"'a'\n", "f'a'\n"},
                                                        {"f'{a}'\n", "f'{a!r}'\n"},
                                                        {"f'{a}'\n", "f'{a:x}'\n"},
                                                        {"[x for x in y]\n", "(x for x in y)\n"},
                                                        {"a = b\n", "a += b\n"},
                                                        {"lambda a: 0\n", "lambda *a: 0\n"},
                                                        {"import a\n", "import a as b\n"},
                                                        {"from . import a\n", "from .. import a\n"},
                                                        {"if a: b\n", "if a: b\nelse: c\n"},
                                                        {"not a\n", "~a\n"},
                                                        {"def f(): return\n", "def f(): pass\n"},
                                                        {"def f(): 'a'\n", "def f(): 'b'\n"},
                                                        {"@a\ndef f(): b\n", "def f(): b\n"},
                                                        {"def f(a): b\n", "def f(a=1): b\n"},
                                                        {"True\n", "False\n"},
                                                        {"a and b\n", "a or b\n"}}) {
    EXPECT_FALSE(same(a, b)) << a << b;
  }
}

}  // namespace
}  // namespace tilery
