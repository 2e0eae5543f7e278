#include "frontend/grammar/function_def.h"

namespace tilery::grammar {

BOOST_SPIRIT_INSTANTIATE(LambdaParameters, Iterator, Context)
BOOST_SPIRIT_INSTANTIATE(Function, Iterator, Context)

}  // namespace tilery::grammar
