// The rules of expressions that other rules use. Their definitions are in expression_def.h.
#pragma once

#include "frontend/grammar/config.h"

namespace tilery::grammar {

struct ExpressionRule;
struct NamedExpressionRule;
struct OperatorsRule;
struct PrimaryRule;
struct BareListRule;
struct TargetsRule;

using Expression = x3::rule<ExpressionRule>;
using NamedExpression = x3::rule<NamedExpressionRule>;
using Operators = x3::rule<OperatorsRule>;
using Primary = x3::rule<PrimaryRule>;
using BareList = x3::rule<BareListRule>;
using Targets = x3::rule<TargetsRule>;

/// One operand.
const Expression expression = "an expression";
/// The same, or `name := value`.
const NamedExpression named_expression = "an expression";
/// Without conditional expressions and lambdas at the outermost level.
const Operators operators = "an expression";
/// An atom and what is attached to it: `a.b(c)[d]`.
const Primary primary = "an expression";
/// `a`, or `a, b` and `a,` as a tuple without parentheses.
const BareList bare_list = "an expression";
/// What a `for` assigns to: like a bare list, but without operators, of which `in` is one.
const Targets targets = "the loop variable";

BOOST_SPIRIT_DECLARE(Expression, NamedExpression, Operators, Primary, BareList, Targets)

}  // namespace tilery::grammar
