#include "tests/unit/interpreter/kernel_reference.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

namespace tilery::interpreter {
namespace {

template <class To, class From>
std::vector<To> cast(const Kernels& set, Scalar from, Scalar to, const std::vector<From>& values,
                     bool round_to_zero = false) {
  const MapFn fn = set.cast(from, to, round_to_zero);
  EXPECT_NE(fn, nullptr) << ir_name(from) << " to " << ir_name(to);
  std::vector<To> out(values.size());
  const Operand in{values.data(), false};
  fn(out.data(), &in, values.size());
  return out;
}

class SmallFormatTest : public ::testing::TestWithParam<Scalar> {
 protected:
  [[nodiscard]] const SmallFormat& format() const { return small_format(GetParam()); }

  [[nodiscard]] double value(std::uint32_t code) const { return value_of_code(format(), code); }

  /// The cells of every code, and their number.
  template <class Cell>
  [[nodiscard]] std::vector<Cell> all_codes() const {
    std::vector<Cell> codes(std::size_t{1} << format().width);
    for (std::size_t i = 0; i < codes.size(); ++i) {
      codes[i] = static_cast<Cell>(i);
    }
    return codes;
  }

  /// Every number of the format, every point halfway to the next, and both neighbours of each in T;
  /// both signs.
  template <class T>
  [[nodiscard]] std::vector<T> points_of_decision() const {
    std::vector<T> points = {T(0),
                             T(-0.0),
                             std::numeric_limits<T>::infinity(),
                             -std::numeric_limits<T>::infinity(),
                             std::numeric_limits<T>::quiet_NaN(),
                             std::numeric_limits<T>::max(),
                             std::numeric_limits<T>::denorm_min()};
    for (std::uint32_t code = 0; code <= format().largest_code; ++code) {
      const double here = value(code);
      const double step =
          code == format().largest_code ? here - value(code - 1) : value(code + 1) - here;
      for (const double point : {here, here + (step / 2), here + (step / 4)}) {
        const auto exact = static_cast<T>(point);
        for (const T near : {exact, std::nextafter(exact, T(0)), std::nextafter(exact, T(1e39))}) {
          points.push_back(near);
          points.push_back(-near);
        }
      }
    }
    return points;
  }

  template <class Cell, class T>
  void expect_encoded(Scalar from) const {
    const std::vector<T> points = points_of_decision<T>();
    std::vector<std::uint32_t> want;
    for (const T point : points) {
      want.push_back(code_of_value(format(), static_cast<double>(point)));
    }
    for (const Kernels* set : all_levels()) {
      const std::vector<Cell> codes = cast<Cell>(*set, from, GetParam(), points);
      for (std::size_t i = 0; i < points.size(); ++i) {
        ASSERT_TRUE(is_same_code(format(), codes[i], want[i]))
            << set->isa << ' ' << ir_name(from) << ' ' << points[i] << " gave code " << +codes[i]
            << ", not " << want[i];
      }
    }
  }

  template <class Cell>
  void expect_decoded() const {
    const std::vector<Cell> codes = all_codes<Cell>();
    for (const Kernels* set : all_levels()) {
      const std::vector<float> floats = cast<float>(*set, GetParam(), Scalar::F32, codes);
      const std::vector<double> doubles = cast<double>(*set, GetParam(), Scalar::F64, codes);
      for (std::size_t i = 0; i < codes.size(); ++i) {
        ASSERT_TRUE(is_same_number(static_cast<double>(floats[i]), value(codes[i]))) << i;
        ASSERT_TRUE(is_same_number(doubles[i], value(codes[i]))) << i;
      }
    }
  }
};

TEST_P(SmallFormatTest, EveryCodeDecodesToItsNumber) {
  if (format().width == 16) {
    expect_decoded<std::uint16_t>();
  } else {
    expect_decoded<std::uint8_t>();
  }
}

TEST_P(SmallFormatTest, FloatsRoundOnceAtEveryPointOfDecision) {
  if (format().width == 16) {
    expect_encoded<std::uint16_t, float>(Scalar::F32);
    expect_encoded<std::uint16_t, double>(Scalar::F64);
  } else {
    expect_encoded<std::uint8_t, float>(Scalar::F32);
    expect_encoded<std::uint8_t, double>(Scalar::F64);
  }
}

TEST_P(SmallFormatTest, HalvesConvertFromEveryCode) {
  for (const Scalar half : {Scalar::F16, Scalar::BF16}) {
    if (half == GetParam()) {
      continue;
    }
    std::vector<std::uint16_t> codes(65536);
    for (std::size_t i = 0; i < codes.size(); ++i) {
      codes[i] = static_cast<std::uint16_t>(i);
    }
    for (const Kernels* set : all_levels()) {
      std::vector<std::uint32_t> results;
      if (format().width == 16) {
        const auto cells = cast<std::uint16_t>(*set, half, GetParam(), codes);
        results.assign(cells.begin(), cells.end());
      } else {
        const auto cells = cast<std::uint8_t>(*set, half, GetParam(), codes);
        results.assign(cells.begin(), cells.end());
      }
      for (std::size_t i = 0; i < codes.size(); ++i) {
        const double exact = value_of_code(small_format(half), codes[i]);
        ASSERT_TRUE(is_same_code(format(), results[i], code_of_value(format(), exact))) << exact;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, SmallFormatTest,
                         ::testing::Values(Scalar::F16, Scalar::BF16, Scalar::F8E5, Scalar::F8E4NV,
                                           Scalar::F8E4B15, Scalar::F8E4B8, Scalar::F8E5B16),
                         [](const auto& format) { return std::string(ir_name(format.param)); });

TEST(KernelCastTest, RoundingToZeroNeverGrows) {
  // 1 + 2^-11 is half a step above 1 in fp16; 65519 is below the first number that is too large,
  // 65520.
  const std::vector<float> values = {1.0F + 0x1p-11F, 1.0F + 0x1.8p-10F, 65519.0F, 1e9F,
                                     -1e9F,           INFINITY,          0x1p-25F, -0x1.FFFFFEp0F};
  const std::vector<std::uint16_t> want = {0x3C00, 0x3C01, 0x7BFF, 0x7BFF,
                                           0xFBFF, 0x7C00, 0x0000, 0xBFFF};
  for (const Kernels* set : all_levels()) {
    EXPECT_EQ(cast<std::uint16_t>(*set, Scalar::F32, Scalar::F16, values, true), want);
    const std::vector<float> bf16 = {0x1.FFFFFEp0F, -0x1.01p0F, 3.4e38F};
    const std::vector<std::uint16_t> bf16_want = {0x3FFF, 0xBF80, 0x7F7F};
    EXPECT_EQ(cast<std::uint16_t>(*set, Scalar::F32, Scalar::BF16, bf16, true), bf16_want);
    const std::vector<float> e5 = {1.9F, -60000.0F, 1e9F};
    const std::vector<std::uint8_t> e5_want = {0x3F, 0xFB, 0x7B};  // 1.75, -57344, 57344
    EXPECT_EQ(cast<std::uint8_t>(*set, Scalar::F32, Scalar::F8E5, e5, true), e5_want);
    const std::vector<double> doubles = {1 + 0x1.8p-23, -1e300, 0x1.8p-149};
    const std::vector<float> floats_want = {1 + 0x1p-23F, -0x1.FFFFFEp127F, 0x1p-149F};
    EXPECT_EQ(cast<float>(*set, Scalar::F64, Scalar::F32, doubles, true), floats_want);
    // 1.625 lies between 1.5 and 1.75 in e5m2.
    EXPECT_EQ(cast<std::uint8_t>(*set, Scalar::F16, Scalar::F8E5,
                                 std::vector<std::uint16_t>{0x3E80}, true),
              std::vector<std::uint8_t>{0x3E});
    EXPECT_EQ(set->cast(Scalar::F32, Scalar::F64, true), nullptr);
    EXPECT_EQ(set->cast(Scalar::F16, Scalar::BF16, true), nullptr);
  }
}

TEST(KernelCastTest, DoublesDoNotRoundTwiceOnTheirWayToHalves) {
  // Just above the midpoint of 1 and 1 + 2^-10: by way of fp32 it would become the midpoint and tie
  // to 1.
  const std::vector<double> values = {1 + 0x1p-11 + 0x1p-40, 1 + 0x1p-11, 1 + 0x3p-11 - 0x1p-40};
  const std::vector<std::uint16_t> want = {0x3C01, 0x3C00, 0x3C01};
  const std::vector<double> bf16_values = {1 + 0x1p-8 + 0x1p-40, 1 + 0x1p-8};
  const std::vector<std::uint16_t> bf16_want = {0x3F81, 0x3F80};
  for (const Kernels* set : all_levels()) {
    EXPECT_EQ(cast<std::uint16_t>(*set, Scalar::F64, Scalar::F16, values), want);
    EXPECT_EQ(cast<std::uint16_t>(*set, Scalar::F64, Scalar::BF16, bf16_values), bf16_want);
  }
}

TEST(KernelCastTest, IntegersRoundOnce) {
  // 2^24 + 1 and 2^60 + 2^36 + 1: midpoints of fp32 and just above.
  const std::vector<std::int64_t> values = {(1 << 24) + 1,
                                            (std::int64_t{1} << 60) + (std::int64_t{1} << 36) + 1,
                                            std::numeric_limits<std::int64_t>::min()};
  const std::vector<float> want = {0x1p24F, 0x1.000002p60F, -0x1p63F};
  const std::vector<std::uint64_t> unsigned_values = {~std::uint64_t{0},
                                                      (std::uint64_t{1} << 63) + 1};
  const std::vector<float> unsigned_want = {0x1p64F, 0x1p63F};
  // 2^30 + 2^22 + 1 is just above the midpoint of two bf16 numbers; fp32 would drop the 1.
  const std::vector<std::int32_t> for_bf16 = {(1 << 30) + (1 << 22) + 1, (1 << 30) + (1 << 22),
                                              -257};
  const std::vector<std::uint16_t> bf16_want = {0x4E81, 0x4E80, 0xC380};
  const std::vector<std::int32_t> for_f16 = {65519, 65520, -70000, 2049, 2147483647};
  const std::vector<std::uint16_t> f16_want = {0x7BFF, 0x7C00, 0xFC00, 0x6800, 0x7C00};
  for (const Kernels* set : all_levels()) {
    EXPECT_EQ(cast<float>(*set, Scalar::I64, Scalar::F32, values), want);
    EXPECT_EQ(cast<float>(*set, Scalar::U64, Scalar::F32, unsigned_values), unsigned_want);
    EXPECT_EQ(cast<std::uint16_t>(*set, Scalar::I32, Scalar::BF16, for_bf16), bf16_want);
    EXPECT_EQ(cast<std::uint16_t>(*set, Scalar::I32, Scalar::F16, for_f16), f16_want);
  }
}

template <class T>
void expect_saturation(Scalar to) {
  std::vector<double> values = {0.0,  -0.0,  0.9,      -0.9,      1.5, -1.5,
                                1e30, -1e30, INFINITY, -INFINITY, NAN};
  for (const int power : {7, 8, 15, 16, 31, 32, 63, 64}) {
    for (const double sign : {1.0, -1.0}) {
      const double edge = sign * std::ldexp(1.0, power);
      values.insert(values.end(), {edge, edge - 1, edge + 1, edge - 0.5, edge + 0.5});
    }
  }
  const auto low = static_cast<Quad>(std::numeric_limits<T>::min());
  const auto high = static_cast<Quad>(std::numeric_limits<T>::max());
  const auto want = [&](double x) -> T {
    if (std::isnan(x)) {
      return 0;
    }
    const Quad whole = static_cast<Quad>(std::trunc(x));
    return whole < low ? std::numeric_limits<T>::min()
                       : (whole > high ? std::numeric_limits<T>::max() : static_cast<T>(whole));
  };
  const std::vector<float> floats(values.begin(), values.end());
  for (const Kernels* set : all_levels()) {
    const std::vector<T> from_double = cast<T>(*set, Scalar::F64, to, values);
    const std::vector<T> from_float = cast<T>(*set, Scalar::F32, to, floats);
    for (std::size_t i = 0; i < values.size(); ++i) {
      EXPECT_EQ(from_double[i], want(values[i])) << set->isa << ' ' << values[i];
      EXPECT_EQ(from_float[i], want(static_cast<double>(floats[i])))
          << set->isa << ' ' << floats[i];
    }
  }
}

TEST(KernelCastTest, FloatsSaturateToIntegersAndNanIsZero) {
  expect_saturation<std::int8_t>(Scalar::I8);
  expect_saturation<std::int16_t>(Scalar::I16);
  expect_saturation<std::int32_t>(Scalar::I32);
  expect_saturation<std::int64_t>(Scalar::I64);
  expect_saturation<std::uint8_t>(Scalar::U8);
  expect_saturation<std::uint16_t>(Scalar::U16);
  expect_saturation<std::uint32_t>(Scalar::U32);
  expect_saturation<std::uint64_t>(Scalar::U64);
}

TEST(KernelCastTest, IntegersExtendAndTruncate) {
  const std::vector<std::int8_t> small = {-128, -1, 0, 1, 127};
  const std::vector<std::uint8_t> bits = {0, 1};
  const std::vector<std::int64_t> large = {-1, 256, 0x123456789ABCDEF0};
  for (const Kernels* set : all_levels()) {
    EXPECT_EQ(cast<std::int64_t>(*set, Scalar::I8, Scalar::I64, small),
              (std::vector<std::int64_t>{-128, -1, 0, 1, 127}));
    EXPECT_EQ(cast<std::uint32_t>(*set, Scalar::I8, Scalar::U32, small),
              (std::vector<std::uint32_t>{0xFFFFFF80, 0xFFFFFFFF, 0, 1, 127}));
    EXPECT_EQ(cast<std::int32_t>(*set, Scalar::I1, Scalar::I32, bits),
              (std::vector<std::int32_t>{0, 1}));
    EXPECT_EQ(cast<std::uint8_t>(*set, Scalar::I64, Scalar::U8, large),
              (std::vector<std::uint8_t>{0xFF, 0, 0xF0}));
    EXPECT_EQ(cast<std::uint8_t>(*set, Scalar::I64, Scalar::I1, large),
              (std::vector<std::uint8_t>{1, 1, 1}));
    EXPECT_EQ(
        cast<std::int32_t>(*set, Scalar::U32, Scalar::I32, std::vector<std::uint32_t>{0xFFFFFFFF}),
        (std::vector<std::int32_t>{-1}));
  }
}

TEST(KernelCastTest, AnythingButZeroIsTrue) {
  const std::vector<float> values = {0.0F, -0.0F, NAN, 1e-45F, -3.0F, INFINITY};
  for (const Kernels* set : all_levels()) {
    EXPECT_EQ(cast<std::uint8_t>(*set, Scalar::F32, Scalar::I1, values),
              (std::vector<std::uint8_t>{0, 0, 1, 1, 1, 1}));
    EXPECT_EQ(
        cast<std::uint8_t>(*set, Scalar::F16, Scalar::I1, std::vector<std::uint16_t>{0, 0x8000, 1}),
        (std::vector<std::uint8_t>{0, 0, 1}));
  }
}

TEST(KernelCastTest, EveryPairButIntegerAndFp8HasAKernel) {
  for (int from = 0; from < kScalarCount; ++from) {
    for (int to = 0; to < kScalarCount; ++to) {
      const auto a = static_cast<Scalar>(from);
      const auto b = static_cast<Scalar>(to);
      const bool is_left_out =
          from == to || (is_fp8(a) && is_integer(b)) || (is_integer(a) && is_fp8(b));
      EXPECT_EQ(kernels().cast(a, b) == nullptr, is_left_out) << ir_name(a) << " to " << ir_name(b);
    }
  }
}

}  // namespace
}  // namespace tilery::interpreter
