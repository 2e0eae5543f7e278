// The rules of parameters and function definitions. Their definitions are in function_def.h.
#pragma once

#include "frontend/grammar/config.h"

namespace tilery::grammar {

struct LambdaParametersRule;
struct FunctionRule;

using LambdaParameters = x3::rule<LambdaParametersRule>;
using Function = x3::rule<FunctionRule>;

/// The parameters of a lambda, perhaps none; they have no annotations.
const LambdaParameters lambda_parameters = "a parameter";
/// A def with its decorators.
const Function function = "a function";

BOOST_SPIRIT_DECLARE(LambdaParameters, Function)

}  // namespace tilery::grammar
