#include "tests/unit/interpreter/kernel_reference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace tilery::interpreter {
namespace {

const std::vector<AxisView>& views() {
  static const std::vector<AxisView> all = {
      {1, 1, 1},  {1, 2, 1},   {3, 3, 1},   {2, 5, 1},    {1, 16, 1},
      {3, 17, 1}, {1, 100, 1}, {2, 256, 1}, {1, 1000, 1}, {3, 1024, 1},
      {1, 1, 7},  {2, 3, 5},   {1, 64, 16}, {3, 20, 33},  {1, 8, 100},
  };
  return all;
}

std::size_t numel(const AxisView& view) {
  return view.outer * view.length * view.inner;
}

/// The column (o, i) of a tensor.
template <class T>
std::vector<T> column(const std::vector<T>& x, const AxisView& view, std::size_t o, std::size_t i) {
  std::vector<T> out(view.length);
  for (std::size_t k = 0; k < view.length; ++k) {
    out[k] = x[(((o * view.length) + k) * view.inner) + i];
  }
  return out;
}

/// The definition: halve the next power of two; a missing right operand passes the left through.
template <class T>
T halving_tree(std::vector<T> x, const std::function<T(T, T)>& combine) {
  std::size_t width = 1;
  while (width < x.size()) {
    width *= 2;
  }
  for (width /= 2; width >= 1; width /= 2) {
    for (std::size_t i = 0; i < width && i + width < x.size(); ++i) {
      x[i] = combine(x[i], x[i + width]);
    }
    x.resize(std::min(x.size(), width));
  }
  return x[0];
}

/// The definition: at each level the upper half of a pair of blocks combines with the last of the
/// lower.
template <class T>
std::vector<T> block_doubling(std::vector<T> x, const std::function<T(T, T)>& combine) {
  for (std::size_t block = 1; block < x.size(); block *= 2) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      if ((i / block) % 2 == 1) {
        const std::size_t last = ((i / block) * block) - 1;
        x[i] = combine(x[last], x[i]);
      }
    }
  }
  return x;
}

template <class T>
void expect_reduction(ReduceOp op, Scalar dtype, const std::function<T(T, T)>& combine,
                      const std::function<std::vector<T>(std::size_t)>& values) {
  for (const Kernels* set : all_levels()) {
    for (const AxisView& view : views()) {
      const std::vector<T> x = values(numel(view));
      std::vector<T> out(view.outer * view.inner);
      std::vector<std::byte> scratch(reduce_scratch_bytes(dtype, view));
      set->reduce(op, dtype)(out.data(), x.data(), view, scratch.data());
      for (std::size_t o = 0; o < view.outer; ++o) {
        for (std::size_t i = 0; i < view.inner; ++i) {
          const T want = halving_tree<T>(column(x, view, o, i), combine);
          ASSERT_TRUE(is_same_number(out[(o * view.inner) + i], want))
              << set->isa << ' ' << ir_name(dtype) << " length " << view.length << " inner "
              << view.inner;
        }
      }
    }
  }
}

template <class T>
void expect_scan(ScanOp op, Scalar dtype, const std::function<T(T, T)>& combine,
                 const std::function<std::vector<T>(std::size_t)>& values) {
  for (const Kernels* set : all_levels()) {
    for (const AxisView& view : views()) {
      for (const bool reverse : {false, true}) {
        const std::vector<T> x = values(numel(view));
        std::vector<T> out = x;
        set->scan(op, dtype)(out.data(), out.data(), view, reverse);
        for (std::size_t o = 0; o < view.outer; ++o) {
          for (std::size_t i = 0; i < view.inner; ++i) {
            std::vector<T> line = column(x, view, o, i);
            std::vector<T> got = column(out, view, o, i);
            if (reverse) {
              std::reverse(line.begin(), line.end());
              std::reverse(got.begin(), got.end());
            }
            ASSERT_EQ(got, block_doubling<T>(line, combine))
                << set->isa << ' ' << ir_name(dtype) << " length " << view.length << " reverse "
                << reverse;
          }
        }
      }
    }
  }
}

/// Numbers of very different size, so that another order of addition gives other bits.
template <class T>
std::vector<T> spread(std::size_t n) {
  std::mt19937 generator(3);
  std::vector<T> values(n);
  for (T& value : values) {
    value = static_cast<T>(std::ldexp(static_cast<double>(generator() % 2001) - 1000.0,
                                      static_cast<int>(generator() % 24)));
  }
  return values;
}

/// Factors near 1.
template <class T>
std::vector<T> near_one(std::size_t n) {
  std::mt19937 generator(4);
  std::vector<T> values(n);
  for (T& value : values) {
    value = static_cast<T>(1.0 + ((static_cast<double>(generator() % 2001) - 1000.0) / 100000.0));
  }
  return values;
}

TEST(KernelReduceTest, FloatSumsAndProductsFollowTheTree) {
  expect_reduction<float>(ReduceOp::Sum, Scalar::F32, std::plus<float>(), spread<float>);
  expect_reduction<double>(ReduceOp::Sum, Scalar::F64, std::plus<double>(), spread<double>);
  expect_reduction<float>(ReduceOp::Prod, Scalar::F32, std::multiplies<float>(), near_one<float>);
  expect_reduction<double>(ReduceOp::Prod, Scalar::F64, std::multiplies<double>(),
                           near_one<double>);
}

TEST(KernelReduceTest, AnotherOrderWouldShow) {
  // Guards the tests above: on these numbers the tree and the sequence differ.
  const std::vector<float> x = spread<float>(1024);
  float sequential = 0;
  for (const float value : x) {
    sequential += value;
  }
  EXPECT_NE(sequential, halving_tree<float>(x, std::plus<float>()));
}

TEST(KernelReduceTest, HalvesRoundAfterEveryStep) {
  for (const Scalar half : {Scalar::F16, Scalar::BF16}) {
    const SmallFormat& format = small_format(half);
    const auto values = [&](std::size_t n) {
      std::mt19937 generator(6);
      std::vector<std::uint16_t> codes(n);
      for (std::uint16_t& code : codes) {
        code =
            static_cast<std::uint16_t>(code_of_value(format, (generator() % 2001) / 7.0 - 140.0));
      }
      return codes;
    };
    const auto add = [&](std::uint16_t a, std::uint16_t b) {
      const double sum = value_of_code(format, a) + value_of_code(format, b);
      return static_cast<std::uint16_t>(code_of_value(format, sum));
    };
    expect_reduction<std::uint16_t>(ReduceOp::Sum, half, add, values);
    expect_scan<std::uint16_t>(ScanOp::Sum, half, add, values);
  }
}

TEST(KernelReduceTest, IntegersWrapAndCompare) {
  const auto random32 = [](std::size_t n) { return interesting<std::int32_t>(n, 9); };
  const auto wrap_add = [](std::int32_t a, std::int32_t b) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
  };
  expect_reduction<std::int32_t>(ReduceOp::Sum, Scalar::I32, wrap_add, random32);
  expect_scan<std::int32_t>(ScanOp::Sum, Scalar::I32, wrap_add, random32);
  expect_reduction<std::int32_t>(
      ReduceOp::Max, Scalar::I32, [](std::int32_t a, std::int32_t b) { return std::max(a, b); },
      random32);
  expect_reduction<std::int32_t>(ReduceOp::Xor, Scalar::I32, std::bit_xor<std::int32_t>(),
                                 random32);
  const auto random8 = [](std::size_t n) { return interesting<std::uint8_t>(n, 9); };
  expect_reduction<std::uint8_t>(
      ReduceOp::Min, Scalar::U8, [](std::uint8_t a, std::uint8_t b) { return std::min(a, b); },
      random8);
  expect_reduction<std::uint8_t>(ReduceOp::And, Scalar::U8, std::bit_and<std::uint8_t>(), random8);
  expect_reduction<std::uint8_t>(ReduceOp::Or, Scalar::U8, std::bit_or<std::uint8_t>(), random8);
}

TEST(KernelReduceTest, ExtremesDropOrKeepNan) {
  const auto values = [](std::size_t n) { return interesting<float>(n, 12); };
  const auto greatest = [](float a, float b) {
    if (std::isnan(a) || std::isnan(b)) {
      return std::isnan(a) ? b : a;
    }
    return a > b || (a == b && std::signbit(b)) ? a : b;
  };
  const auto greatest_or_nan = [&](float a, float b) {
    return std::isnan(a) || std::isnan(b) ? NAN : greatest(a, b);
  };
  expect_reduction<float>(ReduceOp::Max, Scalar::F32, greatest, values);
  expect_reduction<float>(ReduceOp::MaxNan, Scalar::F32, greatest_or_nan, values);
}

TEST(KernelReduceTest, ScansFollowBlockDoubling) {
  expect_scan<float>(ScanOp::Sum, Scalar::F32, std::plus<float>(), spread<float>);
  expect_scan<double>(ScanOp::Sum, Scalar::F64, std::plus<double>(), spread<double>);
  expect_scan<float>(ScanOp::Prod, Scalar::F32, std::multiplies<float>(), near_one<float>);
  expect_scan<std::int8_t>(
      ScanOp::Prod, Scalar::I8,
      [](std::int8_t a, std::int8_t b) { return static_cast<std::int8_t>(a * b); },
      [](std::size_t n) { return interesting<std::int8_t>(n, 14); });
}

// ---- positions ----

/// The definition: the leftmost of the greatest; NaN never wins; of NaNs only, 0.
template <class T>
std::int32_t leftmost_greatest(const std::vector<T>& x, bool is_least) {
  std::int32_t best = -1;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const auto value = static_cast<double>(x[k]);
    if (std::isnan(value)) {
      continue;
    }
    const auto held = best < 0 ? 0.0 : static_cast<double>(x[static_cast<std::size_t>(best)]);
    if (best < 0 || (is_least ? value < held : value > held)) {
      best = static_cast<std::int32_t>(k);
    }
  }
  return std::max(best, 0);
}

template <class T>
void expect_positions(Scalar dtype, const std::function<std::vector<T>(std::size_t)>& values) {
  for (const Kernels* set : all_levels()) {
    for (const AxisView& view : views()) {
      for (const bool is_least : {false, true}) {
        const std::vector<T> x = values(numel(view));
        std::vector<std::int32_t> positions(view.outer * view.inner);
        std::vector<T> best(positions.size());
        set->arg_reduce(is_least ? ArgReduceOp::ArgMin : ArgReduceOp::ArgMax, dtype)(
            best.data(), positions.data(), x.data(), view);
        for (std::size_t at = 0; at < positions.size(); ++at) {
          const std::vector<T> line = column(x, view, at / view.inner, at % view.inner);
          const std::int32_t want = leftmost_greatest(line, is_least);
          ASSERT_EQ(positions[at], want) << set->isa << ' ' << ir_name(dtype) << ' ' << view.length;
          ASSERT_TRUE(is_same_number(best[at], line[static_cast<std::size_t>(want)]));
        }
      }
    }
  }
}

TEST(KernelReduceTest, PositionsAreLeftmostAndSkipNan) {
  const auto few_values = [](std::size_t n) {
    std::mt19937 generator(8);
    std::vector<float> x(n);
    for (float& value : x) {
      value = generator() % 4 == 0 ? NAN : static_cast<float>(generator() % 5);
    }
    return x;
  };
  expect_positions<float>(Scalar::F32, few_values);
  expect_positions<float>(Scalar::F32, [](std::size_t n) { return std::vector<float>(n, NAN); });
  expect_positions<float>(Scalar::F32,
                          [](std::size_t n) { return std::vector<float>(n, -INFINITY); });
  expect_positions<double>(Scalar::F64, [](std::size_t n) { return spread<double>(n); });
  expect_positions<std::int32_t>(Scalar::I32,
                                 [](std::size_t n) { return interesting<std::int32_t>(n, 2); });
  expect_positions<std::uint8_t>(Scalar::U8,
                                 [](std::size_t n) { return interesting<std::uint8_t>(n, 2); });
}

TEST(KernelReduceTest, PositionsOfHalves) {
  // 1, NaN, 3, -0, 3 in fp16.
  const std::vector<std::uint16_t> x = {0x3C00, 0x7E00, 0x4200, 0x8000, 0x4200};
  for (const Kernels* set : all_levels()) {
    std::int32_t position = -1;
    set->arg_reduce(ArgReduceOp::ArgMax, Scalar::F16)(nullptr, &position, x.data(), {1, 5, 1});
    EXPECT_EQ(position, 2);
    set->arg_reduce(ArgReduceOp::ArgMin, Scalar::F16)(nullptr, &position, x.data(), {1, 5, 1});
    EXPECT_EQ(position, 3);
  }
}

}  // namespace
}  // namespace tilery::interpreter
