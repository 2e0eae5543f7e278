#include "frontend/grammar/expression_def.h"

namespace tilery::grammar {

BOOST_SPIRIT_INSTANTIATE(Expression, Iterator, Context)
BOOST_SPIRIT_INSTANTIATE(NamedExpression, Iterator, Context)
BOOST_SPIRIT_INSTANTIATE(Operators, Iterator, Context)
BOOST_SPIRIT_INSTANTIATE(Primary, Iterator, Context)
BOOST_SPIRIT_INSTANTIATE(BareList, Iterator, Context)
BOOST_SPIRIT_INSTANTIATE(Targets, Iterator, Context)

}  // namespace tilery::grammar
