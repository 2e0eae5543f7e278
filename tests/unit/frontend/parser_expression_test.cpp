#include "tests/unit/frontend/parse_helpers.h"

#include <gtest/gtest.h>

namespace tilery {
namespace {

using testing::shape;
using testing::shapes;

TEST(ParseExpression, operators_bind_as_in_python) {
  EXPECT_EQ(shape("a + b * c"), "(+ a (* b c))");
  EXPECT_EQ(shape("a * b + c"), "(+ (* a b) c)");
  EXPECT_EQ(shape("a | b ^ c & d << e + f * -g ** h"),
            "(| a (^ b (& c (<< d (+ e (* f (- (** g h))))))))");
  EXPECT_EQ(shape("a or b and not c == d | e"), "(or a (and b (not (c == (| d e)))))");
  EXPECT_EQ(shape("a < b + c"), "(a < (+ b c))");
  EXPECT_EQ(shape("a & b == c"), "((& a b) == c)");
}

TEST(ParseExpression, equal_operators_group_to_the_left_and_power_to_the_right) {
  EXPECT_EQ(shape("a - b - c"), "(- (- a b) c)");
  EXPECT_EQ(shape("a / b // c % d @ e"), "(@ (% (// (/ a b) c) d) e)");
  EXPECT_EQ(shape("a << b >> c"), "(>> (<< a b) c)");
  EXPECT_EQ(shape("a ** b ** c"), "(** a (** b c))");
}

TEST(ParseExpression, signs_bind_between_power_and_product) {
  EXPECT_EQ(shape("-a ** b"), "(- (** a b))");
  EXPECT_EQ(shape("a ** -b ** c"), "(** a (- (** b c)))");
  EXPECT_EQ(shape("a ** -b * c"), "(* (** a (- b)) c)");
  EXPECT_EQ(shape("-a * +b"), "(* (- a) (+ b))");
  EXPECT_EQ(shape("- -~a"), "(- (- (~ a)))");
  EXPECT_EQ(shape("not not a"), "(not (not a))");
}

TEST(ParseExpression, comparisons_and_logic_are_flat) {
  EXPECT_EQ(shape("a < b <= c != d"), "(a < b <= c != d)");
  EXPECT_EQ(shape("a is not None"), "(a is-not None)");
  EXPECT_EQ(shape("a is (not b)"), "(a is (not b))");
  EXPECT_EQ(shape("a not in b in c"), "(a not-in b in c)");
  EXPECT_EQ(shape("a > b is c >= d == e"), "(a > b is c >= d == e)");
  EXPECT_EQ(shape("a and b and c or d or e"), "(or (and a b c) d e)");
  EXPECT_EQ(shape("(a and b) and (c < d) < e"), "(and (and a b) ((c < d) < e))");
}

TEST(ParseExpression, conditional_groups_to_the_right) {
  EXPECT_EQ(shape("a if p else b"), "(? p a b)");
  EXPECT_EQ(shape("a if p else b if q else c"), "(? p a (? q b c))");
  EXPECT_EQ(shape("(a if p else b) if q else c"), "(? q (? p a b) c)");
  EXPECT_EQ(shape("a + 1 if p or q else lambda: b"), "(? (or p q) (+ a 1) (lambda => b))");
}

TEST(ParseExpression, lambdas) {
  EXPECT_EQ(shape("lambda: 0"), "(lambda => 0)");
  EXPECT_EQ(shape("lambda x, y=1, *a, k, **kw: x if y else k"),
            "(lambda x y=1 *a kw k **kw => (? y x k))");
  EXPECT_EQ(shape("lambda a=lambda: 1: lambda *, b: a"),
            "(lambda a=(lambda => 1) => (lambda kw b => a))");
}

TEST(ParseExpression, calls) {
  EXPECT_EQ(shape("f()"), "(call f)");
  EXPECT_EQ(shape("f(a, *b, k=c, **d,)"), "(call f a *b k=c **d)");
  EXPECT_EQ(shape("f(x for x in y)"), "(call f (gen x (for x y)))");
  EXPECT_EQ(shape("f((x for x in y), z)"), "(call f (gen x (for x y)) z)");
  EXPECT_EQ(shape("f(a := 1, b == c)"), "(call f (:= a 1) (b == c))");
  EXPECT_EQ(shape("a.b(c)(d)[e].f"), "(at (call (call a.b c) d) e).f");
  EXPECT_EQ(shape("x.to(tl.float32).sum(0)"), "(call (call x.to tl.float32).sum 0)");
}

TEST(ParseExpression, subscripts) {
  EXPECT_EQ(shape("x[i]"), "(at x i)");
  EXPECT_EQ(shape("x[i,]"), "(at x i,)");
  EXPECT_EQ(shape("x[:, None]"), "(at x _:_:_ None,)");
  EXPECT_EQ(shape("x[..., 0]"), "(at x ... 0,)");
  EXPECT_EQ(shape("x[a:b, ::c, a::, :b:c]"), "(at x a:b:_ _:_:c a:_:_ _:b:c,)");
  EXPECT_EQ(shape("x[(a, b)]"), "(at x (tuple a b))");
  EXPECT_EQ(shape("x[*a, b]"), "(at x *a b,)");
  EXPECT_EQ(shape("kernel[(1,)](x)"), "(call (at kernel (tuple 1)) x)");
  EXPECT_EQ(shape("x[a if b else c:d]"), "(at x (? b a c):d:_)");
}

TEST(ParseExpression, displays) {
  EXPECT_EQ(shape(""), "(tuple)");
  EXPECT_EQ(shape("a,"), "(tuple a)");
  EXPECT_EQ(shape("a, *b, (c, d)"), "(tuple a *b (tuple c d))");
  EXPECT_EQ(shape("((a))"), "a");
  EXPECT_EQ(shape("[]"), "(list)");
  EXPECT_EQ(shape("[a, [b],]"), "(list a (list b))");
  EXPECT_EQ(shape("{}"), "(set)");
  EXPECT_EQ(shape("{'a': 1, **b}"), "(dict \"a\":1 _:b)");
  EXPECT_EQ(shape("{a, b}"), "(set a b)");
  EXPECT_EQ(shape("(n := 10) + n"), "(+ (:= n 10) n)");
}

TEST(ParseExpression, comprehensions) {
  EXPECT_EQ(shape("[x * y for x, y in z if x if y > 0 for w in x]"),
            "(comp (* x y) (for (tuple x y) z x (y > 0)) (for w x))");
  EXPECT_EQ(shape("(x for x in a or b)"), "(gen x (for x (or a b)))");
  EXPECT_EQ(shape("[x if a else b for x in y]"), "(comp (? a x b) (for x y))");
}

TEST(ParseExpression, literals) {
  EXPECT_EQ(shape("1_000"), "1000");
  EXPECT_EQ(shape("0x_Ff"), "0xFf");
  EXPECT_EQ(shape("1_0.5e-1_0"), "10.5e-10");
  EXPECT_EQ(shape(".5"), ".5");
  EXPECT_EQ(shape("True, False, None, ..."), "(tuple True False None ...)");
}

TEST(ParseExpression, string_escapes) {
  EXPECT_EQ(shape(R"('\n\t\\\'\"\a\b\f\v\r')"), "\"\n\t\\'\"\a\b\f\v\r\"");
  EXPECT_EQ(shape(R"('\x41\101\7\u00e9\U0001F600')"), "\"AA\aé😀\"");
  EXPECT_EQ(shape(R"('\400')"), "\"Ā\"");
  EXPECT_EQ(shape("'a\\\nb'"), "\"ab\"");
  EXPECT_EQ(shape(R"('\d\_')"), R"("\d\_")");
  EXPECT_EQ(shape(R"(r'\n\'')"), R"("\n\'")");
  EXPECT_EQ(shape("'''a\r\nb\rc'''"), "\"a\nb\nc\"");
}

TEST(ParseExpression, adjacent_strings_are_one) {
  EXPECT_EQ(shape("'a' \"b\"\n r'\\c'"), "\"ab\\c\"");
  EXPECT_EQ(shape("'a' f'b{c}' 'd' f'e'"), "(f \"ab\" {c} \"de\")");
  EXPECT_EQ(shape("u'a'"), "\"a\"");
}

TEST(ParseExpression, f_strings) {
  EXPECT_EQ(shape("f''"), "(f)");
  EXPECT_EQ(shape("f'{{a}}\\n{b + c}'"), "(f \"{a}\n\" {(+ b c)})");
  EXPECT_EQ(shape("f'{a!r}{b:>{w}.2f}{c!s:x}'"), "(f {a!r} {b:>{w}.2f} {c!s:x})");
  EXPECT_EQ(shape("f'{a, b}{ {1} }'"), "(f {(tuple a b)} {(set 1)})");
  EXPECT_EQ(shape("f'{a = }{b=:x}'"), "(f \"a = \" {a!r} \"b=\" {b:x})");
  EXPECT_EQ(shape("f'{(lambda: 1)()}{x[a:b]}'"), "(f {(call (lambda => 1))} {(at x a:b:_)})");
  EXPECT_EQ(shape("rf'\\d{a}'"), "(f \"\\d\" {a})");
  EXPECT_EQ(shape("f'{x!r:{\"a\"}}{f'{y}'}'"), "(f {x!r:{\"a\"}} {(f {y})})");
}

TEST(ParseExpression, ranges_cover_the_text_with_its_parentheses) {
  const testing::Parsed parsed = testing::parse_text("x = (a + b) * c[0].d\n");
  const ast::Module& m = *parsed.module;
  const auto& product = *m.as<ast::Binary>(m.as<ast::Assign>(m.body[0])->value);
  EXPECT_EQ(parsed.sources.text(m[m.as<ast::Assign>(m.body[0])->value].range), "(a + b) * c[0].d");
  EXPECT_EQ(parsed.sources.text(m[product.lhs].range), "a + b");
  EXPECT_EQ(parsed.sources.text(m[product.rhs].range), "c[0].d");
  EXPECT_EQ(parsed.sources.text(m.as<ast::Attribute>(product.rhs)->name_range), "d");
}

TEST(ParseExpression, children_have_smaller_ids_than_parents) {
  const testing::Parsed parsed = testing::parse_text("x = a if b(c, k=d) else [e, f'{g}'][h:i]\n");
  const ast::Module& m = *parsed.module;
  EXPECT_EQ(m.as<ast::Assign>(m.body[0])->value.index, m.exprs.size() - 1);
}

}  // namespace
}  // namespace tilery
