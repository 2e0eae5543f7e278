#include "tests/unit/interpreter/kernel_reference.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>

namespace tilery::interpreter {
namespace {

constexpr std::size_t kLengths[] = {0, 1, 3, 17, 64, 129, 1000};

/// Calls check(kernel set, length, splat bits) for every combination.
void for_each_form(int operands,
                   const std::function<void(const Kernels&, std::size_t, unsigned)>& check) {
  for (const Kernels* set : all_levels()) {
    for (const std::size_t n : kLengths) {
      for (unsigned splats = 0; splats < (1U << operands); ++splats) {
        check(*set, n, splats);
      }
    }
  }
}

/// Runs `map` on up to three arrays of T and compares element by element with `expected`.
template <class R, class T>
void expect_map(Op op, Scalar dtype, int operands, const std::function<R(T, T, T)>& expected,
                bool propagate_nan = false) {
  const std::vector<T> inputs[] = {interesting<T>(1000, 1), interesting<T>(1000, 2),
                                   interesting<T>(1000, 3)};
  for_each_form(operands, [&](const Kernels& set, std::size_t n, unsigned splats) {
    const MapFn map = set.map(op, dtype, propagate_nan);
    ASSERT_NE(map, nullptr) << op_def(op).id;
    Operand in[3];
    for (int i = 0; i < 3; ++i) {
      in[i] = {inputs[i].data(), (splats >> i & 1U) != 0};
    }
    std::vector<R> out(n + 1, R(77));
    map(out.data(), in, n);
    for (std::size_t i = 0; i < n; ++i) {
      const auto at = [&](int k) { return inputs[k][in[k].is_splat ? 0 : i]; };
      const R want = expected(at(0), at(1), at(2));
      ASSERT_TRUE(is_same_number(out[i], want))
          << set.isa << ' ' << op_def(op).id << ' ' << ir_name(dtype) << " n=" << n << " i=" << i
          << ": " << +at(0) << ", " << +at(1) << " gave " << +out[i] << ", not " << +want;
    }
    ASSERT_TRUE(is_same_number(out[n], R(77))) << "wrote past the end";
  });
}

// ---- integers, by way of 128-bit arithmetic ----

template <class T>
struct IntegerType;

template <>
struct IntegerType<std::int8_t> {
  static constexpr Scalar kScalar = Scalar::I8;
};

template <>
struct IntegerType<std::int16_t> {
  static constexpr Scalar kScalar = Scalar::I16;
};

template <>
struct IntegerType<std::int32_t> {
  static constexpr Scalar kScalar = Scalar::I32;
};

template <>
struct IntegerType<std::int64_t> {
  static constexpr Scalar kScalar = Scalar::I64;
};

template <>
struct IntegerType<std::uint8_t> {
  static constexpr Scalar kScalar = Scalar::U8;
};

template <>
struct IntegerType<std::uint16_t> {
  static constexpr Scalar kScalar = Scalar::U16;
};

template <>
struct IntegerType<std::uint32_t> {
  static constexpr Scalar kScalar = Scalar::U32;
};

template <>
struct IntegerType<std::uint64_t> {
  static constexpr Scalar kScalar = Scalar::U64;
};

template <class T>
class IntegerMapTest : public ::testing::Test {
 protected:
  static constexpr Scalar kScalar = IntegerType<T>::kScalar;
  static constexpr int kBits = sizeof(T) * 8;

  /// The low bits of an exact result.
  static T wrap(Wide value) { return static_cast<T>(static_cast<WideBits>(value)); }

  static Wide as_unsigned(T value) { return static_cast<std::make_unsigned_t<T>>(value); }

  static void expect(Op op, int operands, const std::function<Wide(Wide, Wide, Wide)>& exact) {
    expect_map<T, T>(op, kScalar, operands, [&](T a, T b, T c) { return wrap(exact(a, b, c)); });
  }

  static void expect_truth(Op op, const std::function<bool(Wide, Wide)>& holds) {
    expect_map<std::uint8_t, T>(op, kScalar, 2, [&](T a, T b, T) { return holds(a, b) ? 1 : 0; });
  }
};

using IntegerTypes = ::testing::Types<std::int8_t, std::int16_t, std::int32_t, std::int64_t,
                                      std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(IntegerMapTest, IntegerTypes);

TYPED_TEST(IntegerMapTest, ArithmeticWraps) {
  this->expect(Op::Add, 2, [](Wide a, Wide b, Wide) { return a + b; });
  this->expect(Op::Sub, 2, [](Wide a, Wide b, Wide) { return a - b; });
  this->expect(Op::Mul, 2, [](Wide a, Wide b, Wide) {
    return static_cast<Wide>(static_cast<WideBits>(a) * static_cast<WideBits>(b));
  });
  this->expect(Op::Fma, 3, [](Wide a, Wide b, Wide c) {
    return static_cast<Wide>((static_cast<WideBits>(a) * static_cast<WideBits>(b)) +
                             static_cast<WideBits>(c));
  });
  this->expect(Op::Neg, 1, [](Wide a, Wide, Wide) { return -a; });
  this->expect(Op::Abs, 1, [](Wide a, Wide, Wide) { return a < 0 ? -a : a; });
}

TYPED_TEST(IntegerMapTest, DivisionTruncatesAndZeroDivisorGivesZero) {
  this->expect(Op::IDiv, 2, [](Wide a, Wide b, Wide) { return b == 0 ? 0 : a / b; });
  this->expect(Op::Rem, 2, [](Wide a, Wide b, Wide) { return b == 0 ? 0 : a % b; });
}

TYPED_TEST(IntegerMapTest, BitOperations) {
  this->expect(Op::And, 2, [](Wide a, Wide b, Wide) { return a & b; });
  this->expect(Op::Or, 2, [](Wide a, Wide b, Wide) { return a | b; });
  this->expect(Op::Xor, 2, [](Wide a, Wide b, Wide) { return a ^ b; });
  this->expect(Op::Not, 1, [](Wide a, Wide, Wide) { return ~a; });
}

TYPED_TEST(IntegerMapTest, ShiftsPastTheWidthLeaveZeroOrTheSign) {
  this->expect(Op::Shl, 2, [](Wide a, Wide b, Wide) -> Wide {
    const Wide count = TestFixture::as_unsigned(static_cast<TypeParam>(b));
    return count >= TestFixture::kBits
               ? 0
               : static_cast<Wide>(static_cast<WideBits>(a) << static_cast<int>(count));
  });
  this->expect(Op::Shr, 2, [](Wide a, Wide b, Wide) -> Wide {
    const Wide count = TestFixture::as_unsigned(static_cast<TypeParam>(b));
    return a >> static_cast<int>(count >= TestFixture::kBits ? 100 : count);
  });
}

TYPED_TEST(IntegerMapTest, Order) {
  this->expect(Op::Minimum, 2, [](Wide a, Wide b, Wide) { return a < b ? a : b; });
  this->expect(Op::Maximum, 2, [](Wide a, Wide b, Wide) { return a > b ? a : b; });
  this->expect_truth(Op::Eq, [](Wide a, Wide b) { return a == b; });
  this->expect_truth(Op::Ne, [](Wide a, Wide b) { return a != b; });
  this->expect_truth(Op::Lt, [](Wide a, Wide b) { return a < b; });
  this->expect_truth(Op::Le, [](Wide a, Wide b) { return a <= b; });
  this->expect_truth(Op::Gt, [](Wide a, Wide b) { return a > b; });
  this->expect_truth(Op::Ge, [](Wide a, Wide b) { return a >= b; });
}

TYPED_TEST(IntegerMapTest, HighHalfOfTheUnsignedProduct) {
  if constexpr (sizeof(TypeParam) >= 4) {
    this->expect(Op::UMulHi, 2, [](Wide a, Wide b, Wide) {
      const auto x = static_cast<WideBits>(TestFixture::as_unsigned(static_cast<TypeParam>(a)));
      const auto y = static_cast<WideBits>(TestFixture::as_unsigned(static_cast<TypeParam>(b)));
      return static_cast<Wide>((x * y) >> TestFixture::kBits);
    });
  } else {
    EXPECT_EQ(kernels().map(Op::UMulHi, TestFixture::kScalar), nullptr);
  }
}

TEST(KernelMapTest, EveryPairOfEightBitQuotients) {
  for (const Kernels* set : all_levels()) {
    for (int b = -128; b < 128; ++b) {
      std::vector<std::int8_t> a(256);
      std::vector<std::int8_t> out(256);
      for (int i = 0; i < 256; ++i) {
        a[static_cast<std::size_t>(i)] = static_cast<std::int8_t>(i - 128);
      }
      const auto divisor = static_cast<std::int8_t>(b);
      const Operand in[] = {{a.data(), false}, {&divisor, true}};
      set->map(Op::IDiv, Scalar::I8)(out.data(), in, a.size());
      for (std::size_t i = 0; i < a.size(); ++i) {
        const int want = b == 0 ? 0 : a[i] / b;
        ASSERT_EQ(out[i], static_cast<std::int8_t>(want)) << +a[i] << " // " << b;
      }
    }
  }
}

TEST(KernelMapTest, BooleansAreArithmeticModuloTwo) {
  const std::vector<std::uint8_t> a = {0, 0, 1, 1};
  const std::vector<std::uint8_t> b = {0, 1, 0, 1};
  const std::vector<std::pair<Op, std::vector<std::uint8_t>>> cases = {
      {Op::Add, {0, 1, 1, 0}}, {Op::Sub, {0, 1, 1, 0}},     {Op::Mul, {0, 0, 0, 1}},
      {Op::And, {0, 0, 0, 1}}, {Op::Or, {0, 1, 1, 1}},      {Op::Xor, {0, 1, 1, 0}},
      {Op::Not, {1, 1, 0, 0}}, {Op::Neg, {0, 0, 1, 1}},     {Op::Abs, {0, 0, 1, 1}},
      {Op::Shl, {0, 0, 1, 0}}, {Op::Shr, {0, 0, 1, 0}},     {Op::IDiv, {0, 0, 0, 1}},
      {Op::Rem, {0, 0, 0, 0}}, {Op::Minimum, {0, 0, 0, 1}}, {Op::Maximum, {0, 1, 1, 1}},
      {Op::Eq, {1, 0, 0, 1}},  {Op::Ne, {0, 1, 1, 0}},      {Op::Lt, {0, 1, 0, 0}},
      {Op::Ge, {1, 0, 1, 1}},
  };
  for (const Kernels* set : all_levels()) {
    for (const auto& [op, want] : cases) {
      std::vector<std::uint8_t> out(4);
      const Operand in[] = {{a.data(), false}, {b.data(), false}};
      set->map(op, Scalar::I1)(out.data(), in, 4);
      EXPECT_EQ(out, want) << op_def(op).id;
    }
  }
}

// ---- floats ----

template <class T>
T larger(T a, T b, bool propagate_nan) {
  if (std::isnan(a) || std::isnan(b)) {
    return propagate_nan || (std::isnan(a) && std::isnan(b)) ? std::numeric_limits<T>::quiet_NaN()
                                                             : (std::isnan(a) ? b : a);
  }
  if (a == 0 && b == 0) {
    return std::signbit(a) && std::signbit(b) ? T(-0.0) : T(0.0);
  }
  return a > b ? a : b;
}

template <class T>
T smaller(T a, T b, bool propagate_nan) {
  return -larger(-a, -b, propagate_nan);
}

template <class T>
class FloatMapTest : public ::testing::Test {
 protected:
  static constexpr Scalar kScalar = sizeof(T) == 4 ? Scalar::F32 : Scalar::F64;

  static void expect(Op op, int operands, const std::function<T(T, T, T)>& want,
                     bool propagate_nan = false) {
    expect_map<T, T>(op, kScalar, operands, want, propagate_nan);
  }

  static void expect_truth(Op op, const std::function<bool(T, T)>& holds) {
    expect_map<std::uint8_t, T>(op, kScalar, 2, [&](T a, T b, T) { return holds(a, b) ? 1 : 0; });
  }
};

using FloatTypes = ::testing::Types<float, double>;
TYPED_TEST_SUITE(FloatMapTest, FloatTypes);

TYPED_TEST(FloatMapTest, ArithmeticIsCorrectlyRounded) {
  using T = TypeParam;
  this->expect(Op::Add, 2, [](T a, T b, T) { return a + b; });
  this->expect(Op::Sub, 2, [](T a, T b, T) { return a - b; });
  this->expect(Op::Mul, 2, [](T a, T b, T) { return a * b; });
  this->expect(Op::Div, 2, [](T a, T b, T) { return a / b; });
  this->expect(Op::Fma, 3, [](T a, T b, T c) { return std::fma(a, b, c); });
  this->expect(Op::Sqrt, 1, [](T a, T, T) { return std::sqrt(a); });
  this->expect(Op::Rem, 2, [](T a, T b, T) { return std::fmod(a, b); });
}

TYPED_TEST(FloatMapTest, SignsAndWholeNumbers) {
  using T = TypeParam;
  this->expect(Op::Neg, 1,
               [](T a, T, T) { return std::copysign(a, std::signbit(a) ? T(1) : T(-1)); });
  this->expect(Op::Abs, 1, [](T a, T, T) { return std::fabs(a); });
  this->expect(Op::Floor, 1, [](T a, T, T) { return std::floor(a); });
  this->expect(Op::Ceil, 1, [](T a, T, T) { return std::ceil(a); });
}

TYPED_TEST(FloatMapTest, Order) {
  using T = TypeParam;
  for (const bool propagate_nan : {false, true}) {
    this->expect(
        Op::Maximum, 2, [&](T a, T b, T) { return larger(a, b, propagate_nan); }, propagate_nan);
    this->expect(
        Op::Minimum, 2, [&](T a, T b, T) { return smaller(a, b, propagate_nan); }, propagate_nan);
  }
  this->expect_truth(Op::Eq, [](T a, T b) { return a == b; });
  this->expect_truth(Op::Ne, [](T a, T b) { return a != b; });
  this->expect_truth(Op::Lt, [](T a, T b) { return a < b; });
  this->expect_truth(Op::Le, [](T a, T b) { return a <= b; });
  this->expect_truth(Op::Gt, [](T a, T b) { return a > b; });
  this->expect_truth(Op::Ge, [](T a, T b) { return a >= b; });
}

TEST(KernelMapTest, SelectTakesEitherSideBitForBit) {
  const std::vector<float> a = interesting<float>(1000, 1);
  const std::vector<float> b = interesting<float>(1000, 2);
  std::vector<std::uint8_t> condition(1000);
  for (std::size_t i = 0; i < condition.size(); ++i) {
    condition[i] = i % 3 == 0 ? 1 : 0;
  }
  for_each_form(3, [&](const Kernels& set, std::size_t n, unsigned splats) {
    const Operand in[] = {{condition.data(), (splats & 1U) != 0},
                          {a.data(), (splats & 2U) != 0},
                          {b.data(), (splats & 4U) != 0}};
    std::vector<float> out(n);
    set.map(Op::Select, Scalar::F32)(out.data(), in, n);
    for (std::size_t i = 0; i < n; ++i) {
      const bool is_true = condition[in[0].is_splat ? 0 : i] != 0;
      const float want = is_true ? a[in[1].is_splat ? 0 : i] : b[in[2].is_splat ? 0 : i];
      ASSERT_EQ(std::memcmp(&out[i], &want, sizeof want), 0);
    }
  });
}

// ---- halves, by way of quadruple precision and a search for the nearest ----

class HalfMapTest : public ::testing::TestWithParam<Scalar> {
 protected:
  using Exact = std::function<Quad(Quad, Quad, Quad)>;

  [[nodiscard]] const SmallFormat& format() const { return small_format(GetParam()); }

  [[nodiscard]] double value(std::uint16_t code) const { return value_of_code(format(), code); }

  void expect(Op op, int operands, const Exact& exact) const {
    const std::vector<std::uint16_t> inputs[] = {interesting<std::uint16_t>(600, 1),
                                                 interesting<std::uint16_t>(600, 2),
                                                 interesting<std::uint16_t>(600, 3)};
    for (const Kernels* set : all_levels()) {
      std::vector<std::uint16_t> out(600);
      const Operand in[] = {
          {inputs[0].data(), false}, {inputs[1].data(), false}, {inputs[2].data(), false}};
      set->map(op, GetParam())(out.data(), in, out.size());
      for (std::size_t i = 0; i < out.size(); ++i) {
        const double a = value(inputs[0][i]);
        const double b = operands > 1 ? value(inputs[1][i]) : 0;
        const double c = operands > 2 ? value(inputs[2][i]) : 0;
        expect_rounded(*set, out[i], exact(a, b, c), a, b, c);
      }
    }
  }

  void expect_rounded(const Kernels& set, std::uint16_t code, Quad exact, double a, double b,
                      double c) const {
    if (exact == 0) {
      EXPECT_EQ(value(code), 0.0);  // the sign is tested on its own
      return;
    }
    EXPECT_TRUE(is_same_code(format(), code, code_of_value(format(), exact, exact < 0)))
        << set.isa << ' ' << ir_name(GetParam()) << ": " << a << ", " << b << ", " << c << " gave "
        << value(code);
  }
};

TEST_P(HalfMapTest, ArithmeticRoundsOnce) {
  expect(Op::Add, 2, [](Quad a, Quad b, Quad) { return a + b; });
  expect(Op::Sub, 2, [](Quad a, Quad b, Quad) { return a - b; });
  expect(Op::Mul, 2, [](Quad a, Quad b, Quad) { return a * b; });
  expect(Op::Div, 2, [](Quad a, Quad b, Quad) { return a / b; });
}

TEST_P(HalfMapTest, FmaRoundsOnce) {
  // Exponents within 40 of each other, so that 113 bits hold the exact sum.
  std::mt19937 generator(5);
  const auto draw = [&] {
    const double size = std::ldexp(1.0 + (static_cast<int>(generator() % 1024) / 1024.0),
                                   static_cast<int>(generator() % 20) - 10);
    const double sign = generator() % 2 == 0 ? 1.0 : -1.0;
    return static_cast<std::uint16_t>(code_of_value(format(), sign * size));
  };
  constexpr std::size_t kCount = 20000;
  std::vector<std::uint16_t> a(kCount);
  std::vector<std::uint16_t> b(kCount);
  std::vector<std::uint16_t> c(kCount);
  for (std::size_t i = 0; i < kCount; ++i) {
    a[i] = draw();
    b[i] = draw();
    c[i] = draw();
  }
  for (const Kernels* set : all_levels()) {
    std::vector<std::uint16_t> out(kCount);
    const Operand in[] = {{a.data(), false}, {b.data(), false}, {c.data(), false}};
    set->map(Op::Fma, GetParam())(out.data(), in, kCount);
    for (std::size_t i = 0; i < kCount; ++i) {
      const Quad exact =
          (static_cast<Quad>(value(a[i])) * value(b[i])) + static_cast<Quad>(value(c[i]));
      expect_rounded(*set, out[i], exact, value(a[i]), value(b[i]), value(c[i]));
    }
  }
}

TEST_P(HalfMapTest, FmaSeesWhatNoWiderTypeHolds) {
  // The product lies exactly between two halves, 1 + ulp/2 (times 2^6, as (1 + ulp) is no half
  // square); the tiniest addend decides. A sum in double, let alone in float, would lose it and tie
  // to even.
  const int bits = format().mantissa_bits;
  // (2^k + 1)(2^k + 1) with 2k = bits + 1 for odd bits, else (2^k + 1)(2^(k+1) + 1): the last bit
  // is the half.
  const int k = (bits + 1) / 2;
  const double x = std::ldexp(1.0, k) + 1;
  const double y = std::ldexp(1.0, bits + 1 - k) + 1;
  const double product = x * y;
  const std::uint32_t below = nearest_magnitude(format(), static_cast<Quad>(product) - 1);
  const double next = value_of_code(format(), below + 1);
  const double midpoint = (value_of_code(format(), below) + next) / 2;
  // c brings the product to the midpoint, but for the least number of the format.
  const std::uint16_t a = static_cast<std::uint16_t>(code_of_value(format(), x));
  const std::uint16_t b = static_cast<std::uint16_t>(code_of_value(format(), y));
  const bool is_midpoint = product == midpoint;
  ASSERT_TRUE(is_midpoint) << product << " against " << midpoint;
  const std::uint16_t tiny[] = {0x0001, 0x8001};
  for (const Kernels* set : all_levels()) {
    std::uint16_t out[2];
    const Operand in[] = {{&a, true}, {&b, true}, {tiny, false}};
    set->map(Op::Fma, GetParam())(out, in, 2);
    EXPECT_EQ(out[0], below + 1) << set->isa;
    EXPECT_EQ(out[1], below) << set->isa;
  }
}

TEST_P(HalfMapTest, UnaryOpsOnEveryCode) {
  std::vector<std::uint16_t> codes(65536);
  for (std::size_t i = 0; i < codes.size(); ++i) {
    codes[i] = static_cast<std::uint16_t>(i);
  }
  const Operand in{codes.data(), false};
  std::vector<std::uint16_t> out(codes.size());
  for (const Kernels* set : all_levels()) {
    set->map(Op::Neg, GetParam())(out.data(), &in, out.size());
    for (std::size_t i = 0; i < out.size(); ++i) {
      ASSERT_EQ(out[i], i ^ 0x8000U);
    }
    set->map(Op::Abs, GetParam())(out.data(), &in, out.size());
    for (std::size_t i = 0; i < out.size(); ++i) {
      ASSERT_EQ(out[i], i & 0x7FFFU);
    }
    set->map(Op::Floor, GetParam())(out.data(), &in, out.size());
    for (std::size_t i = 0; i < out.size(); ++i) {
      const double want = std::floor(value(codes[i]));
      ASSERT_TRUE(value(out[i]) == want || std::isnan(want)) << i;
    }
  }
}

TEST_P(HalfMapTest, Order) {
  const std::vector<std::uint16_t> a = interesting<std::uint16_t>(2000, 7);
  const std::vector<std::uint16_t> b = interesting<std::uint16_t>(2000, 8);
  const Operand in[] = {{a.data(), false}, {b.data(), false}};
  for (const Kernels* set : all_levels()) {
    std::vector<std::uint8_t> less(a.size());
    std::vector<std::uint16_t> greatest(a.size());
    set->map(Op::Lt, GetParam())(less.data(), in, a.size());
    set->map(Op::Maximum, GetParam())(greatest.data(), in, a.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      ASSERT_EQ(less[i] != 0, value(a[i]) < value(b[i]));
      ASSERT_TRUE(is_same_number(value(greatest[i]), larger(value(a[i]), value(b[i]), false)));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Halves, HalfMapTest, ::testing::Values(Scalar::F16, Scalar::BF16),
                         [](const auto& half) { return std::string(ir_name(half.param)); });

}  // namespace
}  // namespace tilery::interpreter
