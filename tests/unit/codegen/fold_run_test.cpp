// What is emitted for reduce and scan, run on the CPU with all threads of a block in step: the bits
// are those of the declared trees, written down here once more, and no thread races another.
#include "codegen/codegen.h"
#include "ir/analysis/combine_kind.h"
#include "tests/unit/codegen/emitted_llvm.h"
#include "tests/unit/codegen/fold_kernels.h"
#include "tests/unit/codegen/simt.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace tilery::codegen {
namespace {

constexpr std::array kTiles{
    Tile{1, 1024, 4, 4},   // over warps
    Tile{1, 4096, 4, 16},  // warps that share the vector out, and idle
    Tile{1, 2048, 1, 32},  // many warps
    Tile{16, 64, 2, 8},    // rows in registers, lanes and warps
    Tile{64, 16, 2, 8},    //
    Tile{8, 16, 4, 1},     // copies in lanes
    Tile{3, 40, 4, 2},     // ragged
    Tile{2, 24, 1, 4},     // copies in warps
};

std::uint64_t address(const void* data) {
  return reinterpret_cast<std::uint64_t>(data);
}

/// Runs a kernel of fold_kernels.h.
template <class T>
void run(const Tile& tile, const GpuFunction& gpu, const std::vector<T>& in, std::vector<T>& out,
         std::vector<std::int64_t>& indices) {
  const testing::SimtKernel simt(emitted_llvm(gpu));
  EXPECT_EQ(simt.run({address(in.data()), address(out.data()), address(indices.data())},
                     tile.warps * kWarpSize, gpu.shared_bytes),
            "");
}

/// The lines along an axis of a [rows, columns] tile, as indices into it.
std::vector<std::vector<std::size_t>> lines_of(const Tile& tile, int axis) {
  const auto rows = static_cast<std::size_t>(tile.rows);
  const auto columns = static_cast<std::size_t>(tile.columns);
  std::vector<std::vector<std::size_t>> lines(axis == 1 ? rows : columns);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      lines[axis == 1 ? i : j].push_back(i * columns + j);
    }
  }
  return lines;
}

template <class T, class Fold>
T halving_tree(std::vector<T> x, const Fold& fold) {
  while (x.size() > 1) {
    const std::size_t half = std::bit_ceil(x.size()) / 2;
    for (std::size_t i = 0; i + half < x.size(); ++i) {
      x[i] = fold(x[i], x[i + half]);
    }
    x.resize(half);
  }
  return x[0];
}

template <class T, class Fold>
void block_doubling(std::vector<T>& x, const Fold& fold) {
  for (std::size_t block = 1; block < x.size(); block *= 2) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (i / block % 2 == 1) {
        x[i] = fold(x[i / block * block - 1], x[i]);
      }
    }
  }
}

template <class T>
std::vector<T> gathered(const std::vector<T>& from, const std::vector<std::size_t>& line) {
  std::vector<T> x;
  for (const std::size_t i : line) {
    x.push_back(from[i]);
  }
  return x;
}

/// Equal bits, any NaN for a NaN.
template <class T>
bool same(T a, T b) {
  return (a != a && b != b) || std::memcmp(&a, &b, sizeof(T)) == 0;
}

/// Random values that round in sums of floats.
template <class T>
std::vector<T> random_values(const Tile& tile) {
  std::mt19937 random(11);
  std::vector<T> values(static_cast<std::size_t>(tile.rows) *
                        static_cast<std::size_t>(tile.columns));
  for (T& value : values) {
    const auto number = static_cast<std::int64_t>(random());
    value = std::numeric_limits<T>::is_integer
                ? static_cast<T>(number)
                : static_cast<T>(static_cast<double>(number) / 4.0e9 + 0.25);
  }
  return values;
}

template <class T>
void expect_reduces(const Tile& tile, int axis, std::string_view type, std::string_view combine,
                    const std::vector<T>& in, const std::function<T(T, T)>& with) {
  SCOPED_TRACE(fmt::format("{} {} of [{}, {}] by {} warps, axis {}", type, combine, tile.rows,
                           tile.columns, tile.warps, axis));
  const std::string stored = fmt::format("[{}]", axis == 1 ? tile.rows : tile.columns);
  const std::string text =
      fold("s", "reduce", "v", combine, type, stored, fmt::format("axis={}", axis));
  const GpuFunction gpu = placed(tile, kernel(tile, type, text, stored), "sm_90a");
  const auto lines = lines_of(tile, axis);
  std::vector<T> out(lines.size());
  std::vector<std::int64_t> none;
  run(tile, gpu, in, out, none);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const T expected = halving_tree(gathered(in, lines[i]), with);
    EXPECT_TRUE(same(out[i], expected)) << "line " << i << ": " << +out[i] << ", not " << +expected;
  }
}

template <class T>
void expect_scans(const Tile& tile, int axis, bool reverse, std::string_view type,
                  std::string_view combine, const std::function<T(T, T)>& with) {
  SCOPED_TRACE(fmt::format("{} {} scan of [{}, {}] by {} warps, axis {}, reverse {}", type, combine,
                           tile.rows, tile.columns, tile.warps, axis, reverse));
  const std::string stored = fmt::format("[{}, {}]", tile.rows, tile.columns);
  const std::string text =
      fold("s", "scan", "v", combine, type, stored,
           fmt::format("axis={} reverse={}", axis, reverse ? "true" : "false"));
  const GpuFunction gpu = placed(tile, kernel(tile, type, text, stored), "sm_90a");
  const std::vector<T> in = random_values<T>(tile);
  std::vector<T> out(in.size());
  std::vector<std::int64_t> none;
  run(tile, gpu, in, out, none);
  for (std::vector<std::size_t> line : lines_of(tile, axis)) {
    if (reverse) {
      std::reverse(line.begin(), line.end());
    }
    std::vector<T> expected = gathered(in, line);
    block_doubling(expected, with);
    for (std::size_t k = 0; k < line.size(); ++k) {
      ASSERT_TRUE(same(out[line[k]], expected[k]))
          << "position " << k << ": " << +out[line[k]] << ", not " << +expected[k];
    }
  }
}

template <class T>
T plus(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  } else {
    return static_cast<T>(a + b);
  }
}

template <class T>
T minus(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
  } else {
    return static_cast<T>(a - b);
  }
}

// ---- reduce ----

TEST(FoldRun, FloatSumsFollowTheTree) {
  for (const Tile& tile : kTiles) {
    for (const int axis : {0, 1}) {
      expect_reduces<float>(tile, axis, "f32", "add", random_values<float>(tile), plus<float>);
    }
  }
}

TEST(FoldRun, TheLeftOperandIsTheLowerIndex) {
  for (const Tile& tile : kTiles) {
    for (const int axis : {0, 1}) {
      expect_reduces<float>(tile, axis, "f32", "sub", random_values<float>(tile), minus<float>);
    }
  }
}

TEST(FoldRun, EveryWidth) {
  const Tile tile{4, 256, 4, 2};
  expect_reduces<double>(tile, 1, "f64", "add", random_values<double>(tile), plus<double>);
  expect_reduces<double>(tile, 1, "f64", "sub", random_values<double>(tile), minus<double>);
  expect_reduces<std::int64_t>(tile, 1, "i64", "sub", random_values<std::int64_t>(tile),
                               minus<std::int64_t>);
  expect_reduces<std::uint32_t>(tile, 1, "u32", "add", random_values<std::uint32_t>(tile),
                                plus<std::uint32_t>);
  expect_reduces<std::int16_t>(tile, 1, "i16", "sub", random_values<std::int16_t>(tile),
                               minus<std::int16_t>);
  expect_reduces<std::int8_t>(tile, 1, "i8", "sub", random_values<std::int8_t>(tile),
                              minus<std::int8_t>);
  expect_reduces<std::int8_t>(tile, 0, "i8", "add", random_values<std::int8_t>(tile),
                              plus<std::int8_t>);
}

template <class T>
void expect_integer_folds(const Tile& tile, std::string_view type) {
  const std::vector<T> in = random_values<T>(tile);
  expect_reduces<T>(tile, 1, type, "maximum", in, [](T a, T b) { return std::max(a, b); });
  expect_reduces<T>(tile, 1, type, "minimum", in, [](T a, T b) { return std::min(a, b); });
  expect_reduces<T>(tile, 1, type, "and", in, [](T a, T b) { return static_cast<T>(a & b); });
  expect_reduces<T>(tile, 1, type, "or", in, [](T a, T b) { return static_cast<T>(a | b); });
  expect_reduces<T>(tile, 1, type, "xor", in, [](T a, T b) { return static_cast<T>(a ^ b); });
  expect_reduces<T>(tile, 1, type, "add", in, plus<T>);
}

TEST(FoldRun, IntegersFoldAWarpAtOnce) {
  const Tile tile{2, 512, 4, 2};
  expect_integer_folds<std::int32_t>(tile, "i32");
  expect_integer_folds<std::uint32_t>(tile, "u32");
  expect_integer_folds<std::int8_t>(tile, "i8");
  expect_integer_folds<std::uint16_t>(tile, "u16");
  expect_integer_folds<std::int64_t>(tile, "i64");
}

/// The language's max and min: NaN loses, -0 is below +0.
float maximum(float a, float b) {
  if (a == b) {
    return std::signbit(a) ? b : a;
  }
  return a != a || a < b ? b : a;
}

float minimum(float a, float b) {
  if (a == b) {
    return std::signbit(a) ? a : b;
  }
  return a != a || a > b ? b : a;
}

TEST(FoldRun, MaximaOfSpecialFloats) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInf = std::numeric_limits<float>::infinity();
  const Tile tile{8, 128, 4, 1};
  std::vector<float> in(8 * 128, -0.0F);
  const auto row = [&](std::size_t i) { return in.begin() + static_cast<std::ptrdiff_t>(128 * i); };
  in[77] = 0.0F;                     // row 0: zeros of both signs
  in[128 + 3] = kNan;                // row 1: NaN among zeros
  std::fill(row(2), row(3), kNan);   // row 2: nothing but NaN
  std::fill(row(3), row(4), -kInf);  // row 3
  std::fill(row(4), row(5), kNan);   // row 4: one number among NaN
  in[4 * 128 + 100] = -5.0F;
  std::fill(row(5), row(6), 1.0e-45F);  // row 5: subnormals
  in[5 * 128 + 64] = -1.0e-45F;
  std::fill(row(6), row(7), kInf);
  const std::vector<float> random = random_values<float>(tile);
  std::copy(random.begin(), random.begin() + 128, row(7));
  expect_reduces<float>(tile, 1, "f32", "maximum", in, maximum);
  expect_reduces<float>(tile, 1, "f32", "minimum", in, minimum);
}

/// Replaces the combine function of the only fold by that of a known kind.
void set_kind(Function& function, CombineKind kind, std::span<const Type> types) {
  for (std::size_t i = 0; i < function.insts.size(); ++i) {
    if (function.insts[i].op == Op::Reduce) {
      const RegionId region = build_combine(function, kind, types, LocId());
      function.region(region).owner = InstId(i);
      function.insts[i].regions[0] = region;
    }
  }
}

/// `%s, %n = op %v, index along the axis`, with a combine function of two members.
std::string pair_fold(const Tile& tile, std::string_view op, std::string_view shape) {
  return fmt::format(
      "  %k = cast %j2 : i64[{0}, {1}]\n"
      "  %s, %n = {2} %v, %k axis=1 : f32{3}, i64{3} {{\n"
      "  combine(%a: f32, %b: i64, %c: f32, %d: i64):\n"
      "    %g = gt %a, %c : i1\n    %t = sub %b, %d : i64\n"
      "    %u = select %g, %a, %c : f32\n    yield %u, %t\n  }}\n",
      tile.rows, tile.columns, op, shape);
}

struct Pair {
  float value;
  std::int64_t index;
};

TEST(FoldRun, LeftmostMaximumOfEveryRow) {
  const std::array types{Type(Scalar::F32), Type(Scalar::I64)};
  for (const CombineKind kind : {CombineKind::ArgMaxLeft, CombineKind::ArgMaxAny}) {
    for (const Tile& tile : kTiles) {
      SCOPED_TRACE(fmt::format("[{}, {}] by {} warps", tile.rows, tile.columns, tile.warps));
      const std::string stored = fmt::format("[{}]", tile.rows);
      Function function = kernel(tile, "f32", pair_fold(tile, "reduce", stored), stored, true);
      set_kind(function, kind, types);
      // Few different values, so that many are equal.
      std::vector<float> in = random_values<float>(tile);
      for (float& x : in) {
        x = std::floor(x * 4.0F);
      }
      in[0] = std::numeric_limits<float>::quiet_NaN();
      std::vector<float> out(static_cast<std::size_t>(tile.rows));
      std::vector<std::int64_t> indices(out.size());
      run(tile, placed(tile, std::move(function), "sm_90a"), in, out, indices);
      for (std::size_t row = 0; row < out.size(); ++row) {
        const auto columns = static_cast<std::size_t>(tile.columns);
        std::size_t best = row == 0 ? 1 : 0;
        for (std::size_t k = best; k < columns; ++k) {
          best = in[row * columns + k] > in[row * columns + best] ? k : best;
        }
        EXPECT_EQ(indices[row], static_cast<std::int64_t>(best));
        EXPECT_EQ(out[row], in[row * columns + best]);
      }
    }
  }
}

TEST(FoldRun, PairsOfAnyFold) {
  const auto with = [](const Pair& left, const Pair& right) {
    return Pair{left.value > right.value ? left.value : right.value, left.index - right.index};
  };
  for (const Tile& tile : kTiles) {
    for (const bool is_scan : {false, true}) {
      SCOPED_TRACE(fmt::format("[{}, {}] by {} warps, scan {}", tile.rows, tile.columns, tile.warps,
                               is_scan));
      const std::string stored = is_scan ? fmt::format("[{}, {}]", tile.rows, tile.columns)
                                         : fmt::format("[{}]", tile.rows);
      const std::string text = pair_fold(tile, is_scan ? "scan" : "reduce", stored);
      const std::vector<float> in = random_values<float>(tile);
      std::vector<float> out(in.size());
      std::vector<std::int64_t> indices(in.size());
      run(tile, placed(tile, kernel(tile, "f32", text, stored, true), "sm_90a"), in, out, indices);
      const auto lines = lines_of(tile, 1);
      for (std::size_t row = 0; row < lines.size(); ++row) {
        std::vector<Pair> x;
        for (std::size_t k = 0; k < lines[row].size(); ++k) {
          x.push_back({in[lines[row][k]], static_cast<std::int64_t>(k)});
        }
        if (!is_scan) {
          const Pair expected = halving_tree(x, with);
          ASSERT_EQ(out[row], expected.value);
          ASSERT_EQ(indices[row], expected.index);
          continue;
        }
        block_doubling(x, with);
        for (std::size_t k = 0; k < x.size(); ++k) {
          ASSERT_EQ(out[lines[row][k]], x[k].value);
          ASSERT_EQ(indices[lines[row][k]], x[k].index);
        }
      }
    }
  }
}

// ---- scan ----

TEST(FoldRun, ScansOfFloats) {
  for (const Tile& tile : kTiles) {
    for (const int axis : {0, 1}) {
      expect_scans<float>(tile, axis, false, "f32", "add", plus<float>);
      expect_scans<float>(tile, axis, true, "f32", "sub", minus<float>);
    }
  }
}

TEST(FoldRun, LargeTilesGoThroughSharedMemoryInRounds) {
  expect_scans<double>({32, 256, 4, 8}, 0, false, "f64", "sub", minus<double>);
}

TEST(FoldRun, ScansOfEveryWidth) {
  const Tile tile{4, 96, 4, 4};
  for (const int axis : {0, 1}) {
    expect_scans<double>(tile, axis, true, "f64", "sub", minus<double>);
    expect_scans<std::int64_t>(tile, axis, false, "i64", "sub", minus<std::int64_t>);
    expect_scans<std::int16_t>(tile, axis, true, "i16", "sub", minus<std::int16_t>);
    expect_scans<std::int8_t>(tile, axis, false, "i8", "sub", minus<std::int8_t>);
  }
}

}  // namespace
}  // namespace tilery::codegen
