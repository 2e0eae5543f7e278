// Folding against independent arithmetic: integers against a wide-integer model over every pair of
// 8-bit operands; floats against long double arithmetic with one rounding made by nearest-value
// search; and which ops are folded at all.
#include "ir/analysis/fold.h"

#include "ir/builder.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <set>

namespace tilery {
namespace {

Folded fold(Op op, std::initializer_list<Number> operands, Scalar result,
            std::vector<Attr> attrs = {}) {
  if (attrs.empty() && (op == Op::Maximum || op == Op::Minimum)) {
    attrs.emplace_back(false);
  }
  if (attrs.empty() && op == Op::Cast) {
    attrs.emplace_back(std::int64_t{0});
  }
  const std::vector<Number> list(operands);
  const auto folded = fold_map(op, list, result, attrs);
  EXPECT_TRUE(folded.has_value()) << op_def(op).id;
  return folded.value_or(Folded{});
}

// ---- 8-bit integers, all pairs ----

/// What an op gives in mathematical integers, before it is cut to 8 bits.
struct Model {
  Op op;
  std::function<long(long a, long b)> eval;
  bool can_wrap;  ///< a result outside the type is an event
};

long floor_shift(long a, long count) {
  return static_cast<long>(
      std::floor(std::ldexp(static_cast<double>(a), -static_cast<int>(count))));
}

/// The number that the low 8 bits of `v` are.
long as_8_bits(long v, bool is_signed) {
  const long low = ((v % 256) + 256) % 256;
  return is_signed && low >= 128 ? low - 256 : low;
}

std::vector<Model> models(bool is_signed) {
  const auto unsigned_of = [](long v) { return ((v % 256) + 256) % 256; };
  return {
      {Op::Add, [](long a, long b) { return a + b; }, true},
      {Op::Sub, [](long a, long b) { return a - b; }, true},
      {Op::Mul, [](long a, long b) { return a * b; }, true},
      {Op::IDiv, [](long a, long b) { return b == 0 ? 0 : a / b; }, true},
      {Op::Rem, [](long a, long b) { return b == 0 ? 0 : a % b; }, false},
      {Op::And, [=](long a, long b) { return unsigned_of(a) & unsigned_of(b); }, false},
      {Op::Or, [=](long a, long b) { return unsigned_of(a) | unsigned_of(b); }, false},
      {Op::Xor, [=](long a, long b) { return unsigned_of(a) ^ unsigned_of(b); }, false},
      {Op::Minimum, [](long a, long b) { return a < b ? a : b; }, false},
      {Op::Maximum, [](long a, long b) { return a < b ? b : a; }, false},
      {Op::Shl,
       [=](long a, long b) { return unsigned_of(b) >= 8 ? 0 : a * (1L << unsigned_of(b)); }, false},
      {Op::Shr,
       [=](long a, long b) {
         return floor_shift(is_signed ? a : unsigned_of(a), std::min(unsigned_of(b), 60L));
       },
       false},
  };
}

class EightBits : public ::testing::TestWithParam<Scalar> {};

TEST_P(EightBits, AllPairs) {
  const Scalar type = GetParam();
  const bool is_signed = is_signed_integer(type);
  for (const Model& model : models(is_signed)) {
    for (std::uint64_t x = 0; x < 256; ++x) {
      for (std::uint64_t y = 0; y < 256; ++y) {
        const long a = as_8_bits(static_cast<long>(x), is_signed);
        const long b = as_8_bits(static_cast<long>(y), is_signed);
        const long exact = model.eval(a, b);
        const long wrapped = as_8_bits(exact, is_signed);
        const Folded folded = fold(model.op, {{type, x}, {type, y}}, type);
        const bool divides = model.op == Op::IDiv || model.op == Op::Rem;
        const bool event = (model.can_wrap && exact != wrapped) || (divides && b == 0);
        ASSERT_EQ(as_8_bits(static_cast<long>(folded.bits), is_signed), wrapped)
            << op_def(model.op).id << " " << a << ", " << b;
        ASSERT_LT(folded.bits, 256U);
        ASSERT_EQ(folded.is_event, event) << op_def(model.op).id << " " << a << ", " << b;
      }
    }
  }
}

TEST_P(EightBits, Comparisons) {
  const Scalar type = GetParam();
  for (std::uint64_t x = 0; x < 256; ++x) {
    for (std::uint64_t y = 0; y < 256; ++y) {
      const long a = as_8_bits(static_cast<long>(x), is_signed_integer(type));
      const long b = as_8_bits(static_cast<long>(y), is_signed_integer(type));
      const auto holds = [&](Op op) {
        return fold(op, {{type, x}, {type, y}}, Scalar::I1).bits == 1;
      };
      ASSERT_EQ(holds(Op::Lt), a < b);
      ASSERT_EQ(holds(Op::Le), a <= b);
      ASSERT_EQ(holds(Op::Gt), a > b);
      ASSERT_EQ(holds(Op::Ge), a >= b);
      ASSERT_EQ(holds(Op::Eq), a == b);
      ASSERT_EQ(holds(Op::Ne), a != b);
    }
  }
}

TEST_P(EightBits, OneOperand) {
  const Scalar type = GetParam();
  const bool is_signed = is_signed_integer(type);
  for (std::uint64_t x = 0; x < 256; ++x) {
    const long a = as_8_bits(static_cast<long>(x), is_signed);
    const auto value = [&](Op op) {
      return as_8_bits(static_cast<long>(fold(op, {{type, x}}, type).bits), is_signed);
    };
    ASSERT_EQ(value(Op::Neg), as_8_bits(-a, is_signed));
    ASSERT_EQ(value(Op::Not), as_8_bits(255 - static_cast<long>(x), is_signed));
    ASSERT_EQ(value(Op::Abs), as_8_bits(std::labs(a), is_signed));
  }
}

INSTANTIATE_TEST_SUITE_P(Fold, EightBits, ::testing::Values(Scalar::I8, Scalar::U8),
                         [](const auto& test) { return std::string(ir_name(test.param)); });

// One bit counts modulo 2 and never reports.
TEST(Fold, OneBit) {
  for (std::uint64_t a = 0; a < 2; ++a) {
    for (std::uint64_t b = 0; b < 2; ++b) {
      const Number x{Scalar::I1, a};
      const Number y{Scalar::I1, b};
      EXPECT_EQ(fold(Op::Add, {x, y}, Scalar::I1).bits, (a + b) % 2);
      EXPECT_EQ(fold(Op::Sub, {x, y}, Scalar::I1).bits, (a + b) % 2);
      EXPECT_EQ(fold(Op::Mul, {x, y}, Scalar::I1).bits, a * b);
      EXPECT_EQ(fold(Op::Lt, {x, y}, Scalar::I1).bits, a < b ? 1U : 0U);
      EXPECT_FALSE(fold(Op::Add, {x, y}, Scalar::I1).is_event);
    }
    EXPECT_EQ(fold(Op::Neg, {{Scalar::I1, a}}, Scalar::I1).bits, a);
    EXPECT_EQ(fold(Op::Not, {{Scalar::I1, a}}, Scalar::I1).bits, 1 - a);
  }
}

TEST(Fold, WideIntegers) {
  constexpr std::uint64_t kMin64 = 0x8000000000000000;
  constexpr std::uint64_t kMinusOne = ~std::uint64_t{0};
  const Folded quotient =
      fold(Op::IDiv, {{Scalar::I64, kMin64}, {Scalar::I64, kMinusOne}}, Scalar::I64);
  EXPECT_EQ(quotient.bits, kMin64);
  EXPECT_TRUE(quotient.is_event);
  EXPECT_EQ(fold(Op::Abs, {{Scalar::I64, kMin64}}, Scalar::I64).bits, kMin64);
  // (2^64 - 1)^2 = 2^128 - 2^65 + 1: high half 2^64 - 2, low half 1.
  EXPECT_EQ(
      fold(Op::UMulHi, {{Scalar::U64, kMinusOne}, {Scalar::U64, kMinusOne}}, Scalar::U64).bits,
      kMinusOne - 1);
  EXPECT_EQ(fold(Op::Mul, {{Scalar::U64, kMinusOne}, {Scalar::U64, kMinusOne}}, Scalar::U64).bits,
            1U);
  // The unsigned product, for signed types too: 0xFFFFFFFF · 2 has the high half 1.
  EXPECT_EQ(fold(Op::UMulHi, {{Scalar::I32, 0xFFFFFFFF}, {Scalar::I32, 2}}, Scalar::I32).bits, 1U);
  EXPECT_EQ(fold(Op::Fma, {{Scalar::U64, kMinusOne}, {Scalar::U64, kMinusOne}, {Scalar::U64, 5}},
                 Scalar::U64)
                .bits,
            6U);
  EXPECT_EQ(fold(Op::Shr, {{Scalar::I64, kMin64}, {Scalar::I64, 63}}, Scalar::I64).bits, kMinusOne);
  EXPECT_EQ(fold(Op::Shr, {{Scalar::U64, kMin64}, {Scalar::U64, 63}}, Scalar::U64).bits, 1U);
  EXPECT_EQ(fold(Op::Shl, {{Scalar::I64, 1}, {Scalar::I64, kMinusOne}}, Scalar::I64).bits, 0U);
}

// ---- floats ----

/// Rounds an exact number by searching the type's values, which share nothing with the code under
/// test: to nearest, ties to the even pattern, past the last step to infinity.
class Nearest {
 public:
  explicit Nearest(Scalar type) : type_(type) {}

  std::uint64_t operator()(long double exact) const {
    const std::uint64_t sign = std::signbit(exact) ? std::uint64_t{1} << (bit_width(type_) - 1) : 0;
    const long double magnitude = std::fabs(exact);
    // Positive patterns ascend with their numbers; the one of infinity counts as the next step.
    const std::uint64_t infinity = type_ == Scalar::F16    ? 0x7C00
                                   : type_ == Scalar::BF16 ? 0x7F80
                                                           : 0x7F800000;
    std::uint64_t low = 0;
    std::uint64_t high = infinity;
    while (high - low > 1) {
      const std::uint64_t middle = low + (high - low) / 2;
      (value(middle) <= magnitude ? low : high) = middle;
    }
    const long double below = magnitude - value(low);
    const long double above = value(high) - magnitude;
    const bool up = above < below || (above == below && (low & 1) != 0);
    return sign | (magnitude >= value(high) || up ? high : low);
  }

 private:
  long double value(std::uint64_t pattern) const {
    const int fraction_bits = type_ == Scalar::F16 ? 10 : type_ == Scalar::BF16 ? 7 : 23;
    const int bias = type_ == Scalar::F16 ? 15 : 127;
    const auto exponent = static_cast<int>(pattern >> fraction_bits);
    const auto fraction =
        static_cast<long double>(pattern & ((std::uint64_t{1} << fraction_bits) - 1));
    const long double one = std::ldexp(1.0L, fraction_bits);
    return exponent == 0 ? std::ldexp(fraction, 1 - bias - fraction_bits)
                         : std::ldexp(one + fraction, exponent - bias - fraction_bits);
  }

  Scalar type_;
};

class Floats : public ::testing::TestWithParam<Scalar> {
 protected:
  /// Finite patterns: random ones, with many near each other, tiny and large.
  std::uint64_t random_finite() {
    const Scalar type = GetParam();
    for (;;) {
      std::uint64_t bits = random_() >> (64 - bit_width(type));
      if (random_() % 4 == 0) {
        // Few fraction bits set: sums and products that hit midpoints.
        bits &= ~std::uint64_t{0} << (bit_width(type) / 3);
      }
      if (std::isfinite(decode_float(type, bits))) {
        return bits;
      }
    }
  }

  std::mt19937_64 random_{20261130};
};

TEST_P(Floats, OneRoundingAgainstExactSearch) {
  const Scalar type = GetParam();
  const Nearest nearest(type);
  for (int i = 0; i < 40000; ++i) {
    const std::uint64_t a = random_finite();
    const std::uint64_t b = random_finite();
    const long double x = decode_float(type, a);
    const long double y = decode_float(type, b);
    const Number p{type, a};
    const Number q{type, b};
    ASSERT_EQ(fold(Op::Mul, {p, q}, type).bits, nearest(x * y)) << double(x) << " * " << double(y);
    // Sums whose exponents are far apart need more than 64 bits; then the larger one decides.
    if (std::abs(std::int64_t{std::ilogb(x)} - std::ilogb(y)) < 36) {
      ASSERT_EQ(fold(Op::Add, {p, q}, type).bits, nearest(x + y))
          << double(x) << " + " << double(y);
      ASSERT_EQ(fold(Op::Sub, {p, q}, type).bits, nearest(x - y));
    }
    if (y != 0) {
      // 64 bits are more than twice 24 + 2, so the quotient's own rounding cannot show.
      ASSERT_EQ(fold(Op::Div, {p, q}, type).bits, nearest(x / y))
          << double(x) << " / " << double(y);
    }
    const long double root = std::sqrt(std::fabs(x));
    const Number positive{type, a & ~(std::uint64_t{1} << (bit_width(type) - 1))};
    ASSERT_EQ(fold(Op::Sqrt, {positive}, type).bits, nearest(root));
  }
}

INSTANTIATE_TEST_SUITE_P(Fold, Floats, ::testing::Values(Scalar::F16, Scalar::BF16, Scalar::F32),
                         [](const auto& test) { return std::string(ir_name(test.param)); });

double fma_of(Scalar t, double a, double b, double c) {
  const auto number = [t](double v) { return Number{t, encode_float(t, v)}; };
  return decode_float(t, fold(Op::Fma, {number(a), number(b), number(c)}, t).bits);
}

// A product on a midpoint, and an addend that a wider intermediate would lose: rounded twice, the
// result would go to the even neighbour whatever the addend's sign.
TEST(Fold, FmaRoundsOnce) {
  // fp16 steps by 2 above 2048; 683 · 3 = 2049, and 2^-24 is past the 24 bits of a float.
  EXPECT_EQ(fma_of(Scalar::F16, 683, 3, 0), 2048);
  EXPECT_EQ(fma_of(Scalar::F16, 683, 3, 0x1p-24), 2050);
  EXPECT_EQ(fma_of(Scalar::F16, 683, 3, -0x1p-24), 2048);
  // bf16 steps by 2 above 256; 7 · 37 = 259 lies between 258 and 260, whose pattern is even, and
  // 2^-100 is past the 53 bits of a double.
  EXPECT_EQ(fma_of(Scalar::BF16, 7, 37, 0), 260);
  EXPECT_EQ(fma_of(Scalar::BF16, 7, 37, 0x1p-100), 260);
  EXPECT_EQ(fma_of(Scalar::BF16, 7, 37, -0x1p-100), 258);
}

/// fma in fp16 and bf16 over random operands, against the exact sum in long double where that has
/// the bits.
TEST(Fold, FmaAgainstExactSearch) {
  std::mt19937_64 random(7);
  for (const Scalar type : {Scalar::F16, Scalar::BF16}) {
    const Nearest nearest(type);
    for (int i = 0; i < 200000; ++i) {
      const Number a{type, random() & 0xFFFF};
      const Number b{type, random() & 0xFFFF};
      const Number c{type, random() & 0xFFFF};
      const long double x = decode_float(type, a.bits);
      const long double y = decode_float(type, b.bits);
      const long double z = decode_float(type, c.bits);
      const bool finite = std::isfinite(x) && std::isfinite(y) && std::isfinite(z);
      // The product has at most 22 bits: with exponents at most 40 apart the sum fits the 64 of
      // long double.
      if (!finite || x * y == 0 || z == 0 ||
          std::abs(std::int64_t{std::ilogb(x * y)} - std::ilogb(z)) > 40) {
        continue;
      }
      ASSERT_EQ(fold(Op::Fma, {a, b, c}, type).bits, nearest(x * y + z))
          << double(x) << " * " << double(y) << " + " << double(z);
    }
  }
}

TEST(Fold, SinglePrecisionMatchesTheMachine) {
  std::mt19937_64 random(11);
  for (int i = 0; i < 200000; ++i) {
    const auto pattern = [&] { return static_cast<std::uint32_t>(random()); };
    const std::uint32_t a = pattern();
    const std::uint32_t b = i % 3 == 0 ? a ^ (pattern() & 0x807FFFFFU) : pattern();
    const std::uint32_t c = i % 5 == 0 ? a ^ (pattern() & 0x8000000FU) : pattern();
    const auto x = std::bit_cast<float>(a);
    const auto y = std::bit_cast<float>(b);
    const auto z = std::bit_cast<float>(c);
    const auto check = [&](Op op, std::initializer_list<Number> operands, float expected) {
      const auto bits = static_cast<std::uint32_t>(fold(op, operands, Scalar::F32).bits);
      if (std::isnan(expected)) {
        ASSERT_TRUE(std::isnan(std::bit_cast<float>(bits)));
      } else {
        ASSERT_EQ(bits, std::bit_cast<std::uint32_t>(expected))
            << op_def(op).id << " " << x << ", " << y;
      }
    };
    const Number p{Scalar::F32, a};
    const Number q{Scalar::F32, b};
    check(Op::Add, {p, q}, x + y);
    check(Op::Sub, {p, q}, x - y);
    check(Op::Mul, {p, q}, x * y);
    check(Op::Div, {p, q}, x / y);
    check(Op::Fma, {p, q, {Scalar::F32, c}}, std::fma(x, y, z));
  }
}

TEST(Fold, MaximumAndMinimum) {
  constexpr std::uint64_t kNan = 0x7FC00000;
  constexpr std::uint64_t kNegZero = 0x80000000;
  const Scalar t = Scalar::F32;
  const std::uint64_t one = encode_float(t, 1.0);
  EXPECT_EQ(fold(Op::Maximum, {{t, kNan}, {t, one}}, t).bits, one);
  EXPECT_EQ(fold(Op::Maximum, {{t, one}, {t, kNan}}, t).bits, one);
  EXPECT_EQ(fold(Op::Minimum, {{t, kNan}, {t, kNan}}, t).bits, kNan);
  EXPECT_EQ(fold(Op::Maximum, {{t, kNan}, {t, one}}, t, {Attr(true)}).bits, kNan);
  EXPECT_EQ(fold(Op::Minimum, {{t, one}, {t, kNan}}, t, {Attr(true)}).bits, kNan);
  for (const auto& [a, b] : {std::pair{0UL, kNegZero}, std::pair{kNegZero, 0UL}}) {
    EXPECT_EQ(fold(Op::Maximum, {{t, a}, {t, b}}, t).bits, 0U);
    EXPECT_EQ(fold(Op::Minimum, {{t, a}, {t, b}}, t).bits, kNegZero);
  }
}

TEST(Fold, FloatEvents) {
  const Scalar t = Scalar::F32;
  const auto number = [&](double v) { return Number{t, encode_float(t, v)}; };
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(fold(Op::Div, {number(1), number(0)}, t).is_event);
  EXPECT_TRUE(fold(Op::Mul, {number(1e38), number(10)}, t).is_event);
  EXPECT_TRUE(fold(Op::Sub, {number(inf), number(inf)}, t).is_event);
  EXPECT_TRUE(fold(Op::Sqrt, {number(-1)}, t).is_event);
  EXPECT_TRUE(fold(Op::Rem, {number(1), number(0)}, t).is_event);
  EXPECT_FALSE(fold(Op::Add, {number(inf), number(1)}, t).is_event);
  EXPECT_FALSE(fold(Op::Add, {number(nan), number(1)}, t).is_event);
  EXPECT_FALSE(fold(Op::Mul, {number(1e-30), number(1e-30)}, t).is_event);
}

// ---- casts ----

TEST(Fold, FloatToIntegerSaturates) {
  const auto cast = [](double v, Scalar to) {
    return fold(Op::Cast, {{Scalar::F64, encode_float(Scalar::F64, v)}}, to);
  };
  EXPECT_EQ(cast(-1.9, Scalar::I32).bits, 0xFFFFFFFFU);
  EXPECT_EQ(cast(3e9, Scalar::I32).bits, 0x7FFFFFFFU);
  EXPECT_TRUE(cast(3e9, Scalar::I32).is_event);
  EXPECT_EQ(cast(-3e9, Scalar::I32).bits, 0x80000000U);
  EXPECT_EQ(cast(-1.0, Scalar::U8).bits, 0U);
  EXPECT_TRUE(cast(-1.0, Scalar::U8).is_event);
  EXPECT_FALSE(cast(-0.5, Scalar::U8).is_event);
  EXPECT_EQ(cast(256.0, Scalar::U8).bits, 255U);
  EXPECT_EQ(cast(0x1p63, Scalar::I64).bits, 0x7FFFFFFFFFFFFFFFU);
  EXPECT_TRUE(cast(0x1p63, Scalar::I64).is_event);
  EXPECT_FALSE(cast(-0x1p63, Scalar::I64).is_event);
  EXPECT_EQ(cast(std::numeric_limits<double>::quiet_NaN(), Scalar::I32).bits, 0U);
  EXPECT_EQ(cast(std::numeric_limits<double>::quiet_NaN(), Scalar::I1).bits, 1U);
  EXPECT_EQ(cast(-0.0, Scalar::I1).bits, 0U);
}

TEST(Fold, IntegerToFloatRoundsOnce) {
  const auto cast = [](Scalar from, std::uint64_t bits, Scalar to) {
    return decode_float(to, fold(Op::Cast, {{from, bits}}, to).bits);
  };
  // 2^62 + 2^54 is a bf16 midpoint; one more decides it, and a detour through double would lose
  // that one.
  EXPECT_EQ(cast(Scalar::I64, (1ULL << 62) + (1ULL << 54), Scalar::BF16), 0x1p62);
  EXPECT_EQ(cast(Scalar::I64, (1ULL << 62) + (1ULL << 54) + 1, Scalar::BF16), 0x1.02p62);
  EXPECT_EQ(cast(Scalar::U64, (1ULL << 63) + (1ULL << 55), Scalar::BF16), 0x1p63);
  EXPECT_EQ(cast(Scalar::U64, (1ULL << 63) + (1ULL << 55) + 1, Scalar::BF16), 0x1.02p63);
  EXPECT_EQ(cast(Scalar::U64, ~0ULL, Scalar::F32), 0x1p64);
  // fp64 keeps 53 of the 64 bits: what is past them is less than half, more than half, half.
  EXPECT_EQ(cast(Scalar::U64, (1ULL << 63) + 1, Scalar::F64), 0x1p63);
  EXPECT_EQ(cast(Scalar::U64, ~0ULL, Scalar::F64), 0x1p64);
  EXPECT_EQ(cast(Scalar::U64, (1ULL << 63) + (3ULL << 10), Scalar::F64), 0x1.0000000000002p63);
  EXPECT_EQ(cast(Scalar::I32, 0xFFFFFFFF, Scalar::F32), -1.0);
  EXPECT_EQ(cast(Scalar::I1, 1, Scalar::F16), 1.0);
  EXPECT_TRUE(fold(Op::Cast, {{Scalar::I32, 70000}}, Scalar::F16).is_event);
}

// Toward zero never grows; to nearest gives one of its two neighbours.
TEST(Fold, CastTowardZero) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 100000; ++i) {
    const Number x{Scalar::F32, random() & 0xFFFFFFFF};
    const double v = decode_float(Scalar::F32, x.bits);
    for (const Scalar to : {Scalar::F16, Scalar::BF16}) {
      const std::uint64_t cut = fold(Op::Cast, {x}, to, {Attr(std::int64_t{1})}).bits;
      const double down = decode_float(to, cut);
      if (std::isnan(v)) {
        ASSERT_TRUE(std::isnan(down));
        continue;
      }
      ASSERT_LE(std::fabs(down), std::fabs(v));
      const double next = decode_float(to, cut + 1);
      ASSERT_TRUE(std::isinf(v) ? down == v : std::fabs(next) > std::fabs(v)) << v;
    }
  }
}

TEST(Fold, IntegerCasts) {
  const auto cast = [](Scalar from, std::uint64_t bits, Scalar to) {
    return fold(Op::Cast, {{from, bits}}, to).bits;
  };
  EXPECT_EQ(cast(Scalar::I8, 0x80, Scalar::I32), 0xFFFFFF80U);
  EXPECT_EQ(cast(Scalar::U8, 0x80, Scalar::I32), 0x80U);
  EXPECT_EQ(cast(Scalar::I32, 0x12345678, Scalar::U8), 0x78U);
  EXPECT_EQ(cast(Scalar::I32, 256, Scalar::I1), 1U);
  EXPECT_EQ(cast(Scalar::I1, 1, Scalar::I8), 1U);
}

// ---- coverage ----

// Every Map op is folded in some type, so that a new row is not forgotten.
TEST(Fold, CoversEveryMapOp) {
  for (const OpDef& def : all_ops()) {
    if (!def.is_map()) {
      continue;
    }
    bool folded = false;
    for (const Scalar type : {Scalar::I32, Scalar::F32}) {
      std::vector<Number> operands(static_cast<std::size_t>(def.operand_patterns().size()),
                                   Number{type, 1});
      std::vector<Attr> attrs;
      for (const AttrPattern& pattern : def.attr_patterns()) {
        attrs.push_back(default_attr(pattern));
      }
      folded = folded || fold_map(def.op, operands, type, attrs).has_value() ||
               fold_map(def.op, operands, Scalar::I1, attrs).has_value();
    }
    EXPECT_TRUE(folded) << def.id;
  }
}

// The functions are ir/math's, within its bounds, and not the machine's.
TEST(Fold, FunctionsAreWithinTheirBounds) {
  const auto single = [](Op op, float x) {
    const auto bits = fold(op, {{Scalar::F32, std::bit_cast<std::uint32_t>(x)}}, Scalar::F32).bits;
    return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  };
  for (const float x : {0.25F, 1.0F, 3.5F, 20.0F}) {
    EXPECT_NEAR(single(Op::Exp, x) / std::exp(double{x}), 1, 0x1p-23);
    EXPECT_NEAR(single(Op::Exp2, x) / std::exp2(double{x}), 1, 0x1p-23);
    EXPECT_NEAR(single(Op::Rsqrt, x) * std::sqrt(double{x}), 1, 0x1p-23);
    EXPECT_NEAR(single(Op::Sin, x), std::sin(double{x}), 0x1p-22);
    EXPECT_NEAR(single(Op::Cos, x), std::cos(double{x}), 0x1p-22);
  }
  EXPECT_EQ(single(Op::Log, 1.0F), 0.0);
  EXPECT_EQ(single(Op::Log2, 8.0F), 3.0);
  EXPECT_TRUE(fold(Op::Log, {{Scalar::F32, 0}}, Scalar::F32).is_event);
  EXPECT_FALSE(fold_function(Op::Exp, {Scalar::F16, 0}).has_value());
}

}  // namespace
}  // namespace tilery
