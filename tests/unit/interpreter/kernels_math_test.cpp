// The math kernels against the same templates on single numbers: identical bits at every level.
#include "ir/math/erf.h"
#include "ir/math/exp.h"
#include "ir/math/log.h"
#include "ir/math/rsqrt.h"
#include "ir/math/scalar_value.h"
#include "ir/math/trig.h"
#include "tests/unit/interpreter/kernel_reference.h"

#include <gtest/gtest.h>

#include <string>

namespace tilery::interpreter {
namespace {

using F32 = math::ScalarValue<float>;
using F64 = math::ScalarValue<double>;

struct MathOp {
  Op op;
  F32 (*fp32)(F32);
  F64 (*fp64)(F64);
};

const MathOp kMathOps[] = {
    {Op::Exp, math::exp<F32>, math::exp<F64>}, {Op::Exp2, math::exp2<F32>, math::exp2<F64>},
    {Op::Log, math::log<F32>, math::log<F64>}, {Op::Log2, math::log2<F32>, math::log2<F64>},
    {Op::Sin, math::sin<F32>, math::sin<F64>}, {Op::Cos, math::cos<F32>, math::cos<F64>},
    {Op::Erf, math::erf<F32>, math::erf<F64>}, {Op::Rsqrt, math::rsqrt<F32>, math::rsqrt<F64>},
};

class MathKernelTest : public ::testing::TestWithParam<MathOp> {
 protected:
  template <class T, class V>
  static void expect_same_bits(Scalar dtype, const std::vector<T>& inputs, V (*function)(V)) {
    std::vector<T> want(inputs.size());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      want[i] = function(V{inputs[i]}).value;
    }
    for (const Kernels* set : all_levels()) {
      std::vector<T> out(inputs.size());
      const Operand in{inputs.data(), false};
      set->map(GetParam().op, dtype)(out.data(), &in, inputs.size());
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        ASSERT_TRUE(is_same_number(out[i], want[i]))
            << set->isa << ' ' << inputs[i] << " gave " << out[i] << ", not " << want[i];
      }
    }
  }
};

TEST_P(MathKernelTest, Fp32AgreesOnASampleOfAllInputs) {
  std::vector<float> inputs;
  for (std::uint64_t pattern = 0; pattern < (std::uint64_t{1} << 32); pattern += 65537) {
    const auto bits = static_cast<std::uint32_t>(pattern);
    inputs.push_back(
        math::as_float(math::ScalarBits<std::int32_t>{static_cast<std::int32_t>(bits)}).value);
  }
  expect_same_bits(Scalar::F32, inputs, GetParam().fp32);
}

TEST_P(MathKernelTest, Fp64AgreesOnEveryScale) {
  std::vector<double> inputs = interesting<double>(20000, 1);
  std::mt19937_64 generator(2);
  std::uniform_real_distribution<double> distribution(-100, 100);
  for (int i = 0; i < 20000; ++i) {
    inputs.push_back(distribution(generator));
  }
  expect_same_bits(Scalar::F64, inputs, GetParam().fp64);
}

TEST_P(MathKernelTest, ShortAndSplatOperands) {
  const std::vector<float> inputs = {0.25F, 3.0F, 1e10F, 0.5F, 7.0F};
  for (const Kernels* set : all_levels()) {
    for (std::size_t n = 0; n <= inputs.size(); ++n) {
      for (const bool is_splat : {false, true}) {
        std::vector<float> out(n + 1, 77.0F);
        const Operand in{inputs.data(), is_splat};
        set->map(GetParam().op, Scalar::F32)(out.data(), &in, n);
        for (std::size_t i = 0; i < n; ++i) {
          EXPECT_EQ(out[i], GetParam().fp32(F32{inputs[is_splat ? 0 : i]}).value);
        }
        EXPECT_EQ(out[n], 77.0F);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, MathKernelTest, ::testing::ValuesIn(kMathOps),
                         [](const auto& math_op) {
                           return std::string(op_def(math_op.param.op).id);
                         });

TEST(MathKernelTest, NoMathOnOtherTypes) {
  for (const Scalar dtype : {Scalar::I32, Scalar::F16, Scalar::BF16, Scalar::F8E5}) {
    EXPECT_EQ(kernels().map(Op::Sin, dtype), nullptr);
  }
}

}  // namespace
}  // namespace tilery::interpreter
