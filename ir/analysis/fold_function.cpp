#include "ir/analysis/fold.h"
#include "ir/math/erf.h"
#include "ir/math/exp.h"
#include "ir/math/log.h"
#include "ir/math/rsqrt.h"
#include "ir/math/scalar_value.h"
#include "ir/math/trig.h"

#include <array>
#include <bit>

namespace tilery {
namespace {

template <class T>
using Scalars = math::ScalarValue<T>;

/// One function, in both precisions that ir/math has.
struct FunctionOp {
  Op op;
  Scalars<float> (*single)(Scalars<float>);
  Scalars<double> (*dual)(Scalars<double>);
};

constexpr std::array kFunctions{
    FunctionOp{Op::Exp, math::exp<Scalars<float>>, math::exp<Scalars<double>>},
    FunctionOp{Op::Exp2, math::exp2<Scalars<float>>, math::exp2<Scalars<double>>},
    FunctionOp{Op::Log, math::log<Scalars<float>>, math::log<Scalars<double>>},
    FunctionOp{Op::Log2, math::log2<Scalars<float>>, math::log2<Scalars<double>>},
    FunctionOp{Op::Rsqrt, math::rsqrt<Scalars<float>>, math::rsqrt<Scalars<double>>},
    FunctionOp{Op::Sin, math::sin<Scalars<float>>, math::sin<Scalars<double>>},
    FunctionOp{Op::Cos, math::cos<Scalars<float>>, math::cos<Scalars<double>>},
    FunctionOp{Op::Erf, math::erf<Scalars<float>>, math::erf<Scalars<double>>},
};

std::uint64_t evaluate(const FunctionOp& function, Number x) {
  if (x.type == Scalar::F32) {
    const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(x.bits));
    return std::bit_cast<std::uint32_t>(function.single({value}).value);
  }
  return std::bit_cast<std::uint64_t>(function.dual({std::bit_cast<double>(x.bits)}).value);
}

}  // namespace

std::optional<std::uint64_t> fold_function(Op op, Number x) {
  if (x.type != Scalar::F32 && x.type != Scalar::F64) {
    return std::nullopt;
  }
  for (const FunctionOp& function : kFunctions) {
    if (function.op == op) {
      return evaluate(function, x);
    }
  }
  return std::nullopt;
}

}  // namespace tilery
