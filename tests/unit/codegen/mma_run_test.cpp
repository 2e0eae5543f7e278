// What is emitted for dots on tensor cores, run on the CPU with all threads of a block in step:
// tiles of every size below the instruction's and above it, every operand type, fp32 in parts.
//
// Expected is the sum in fp64. A result may be off by K · 2^-24 · Σ|a·b| and its own rounding, and
// by what its precision drops of each product (below, by the sizes of the parts).
#include "codegen/codegen.h"
#include "ir/builder.h"
#include "tests/support/lowered_kernel.h"
#include "tests/unit/codegen/emitted_llvm.h"
#include "tests/unit/codegen/mma_kernels.h"
#include "tests/unit/codegen/simt.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace tilery::codegen {
namespace {

/// Elements of one type in memory.
class Array {
 public:
  Array(Scalar scalar, std::size_t count)
      : scalar_(scalar),
        width_(static_cast<std::size_t>(byte_size(scalar))),
        data_(width_ * count) {}

  void set(std::size_t i, double value) {
    const std::uint64_t bits = is_float(scalar_)
                                   ? encode_float(scalar_, value)
                                   : encode_int(scalar_, static_cast<std::int64_t>(value));
    std::memcpy(&data_[i * width_], &bits, width_);
  }

  [[nodiscard]] double at(std::size_t i) const {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &data_[i * width_], width_);
    return is_float(scalar_) ? decode_float(scalar_, bits)
                             : static_cast<double>(decode_int(scalar_, bits));
  }

  [[nodiscard]] std::size_t size() const { return data_.size() / width_; }

  [[nodiscard]] std::uint64_t address() const {
    return reinterpret_cast<std::uint64_t>(data_.data());
  }

 private:
  Scalar scalar_;
  std::size_t width_;
  std::vector<std::byte> data_;
};

struct Matrices {
  Array a;
  Array b;
  Array c;

  explicit Matrices(const DotCase& dot)
      : a(dot.factor, dot.a_count()), b(dot.factor, dot.b_count()), c(dot.acc, dot.out_count()) {}
};

Matrices random_matrices(const DotCase& dot) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> real(-4.0, 4.0);
  std::uniform_int_distribution<int> integer(-128, 127);
  Matrices matrices(dot);
  for (Array* array : {&matrices.a, &matrices.b, &matrices.c}) {
    for (std::size_t i = 0; i < array->size(); ++i) {
      array->set(i, is_float(dot.factor) ? real(random) : integer(random));
    }
  }
  return matrices;
}

/// Runs the dot in place: c becomes a·b + c.
void run(const DotCase& dot, Matrices& matrices) {
  CodegenOptions options;
  options.num_warps = dot.warps;
  const GpuFunction gpu = testing::lowered_ir(dot_kernel(dot), options, *parse_target(dot.target));
  const std::string text = emitted_llvm(gpu);
  EXPECT_NE(text.find("mma."), std::string::npos) << "not on tensor cores";
  const testing::SimtKernel simt(text);
  EXPECT_EQ(simt.run({matrices.a.address(), matrices.b.address(), matrices.c.address()},
                     dot.warps * kWarpSize, gpu.shared_bytes),
            "");
}

/// What a precision may lose of a product. A part of p bits leaves 2^-p of what it is a part of:
/// tf32 has 11 bits, bf16 8.
double lost_of_a_product(std::string_view precision) {
  if (precision == "tf32") {
    return 0;  // the operands are rounded first, exactly
  }
  if (precision == "tf32x3" || precision == "bf16x3") {
    // What is left of either operand after two parts, and small · small.
    return 3 * std::exp2(precision == "tf32x3" ? -22 : -16);
  }
  return precision == "bf16x6" ? 5 * std::exp2(-24) : 0;
}

double rounded_to_tf32(double value) {
  // Nearest, ties away: 10 bits after the leading one.
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  return std::isfinite(value) ? std::ldexp(std::round(std::ldexp(fraction, 11)), exponent - 11)
                              : value;
}

struct Expected {
  double value = 0;
  double bound = 0;
};

/// `steps`: how many dots the sum is made of; each rounds to the accumulator's type.
Expected expected_of(const DotCase& dot, const Matrices& in, std::size_t number, int steps = 1) {
  const auto m = static_cast<std::size_t>(dot.m);
  const auto n = static_cast<std::size_t>(dot.n);
  const auto k = static_cast<std::size_t>(dot.k);
  const std::size_t batch = number / (m * n);
  const std::size_t row = number / n % m;
  const std::size_t column = number % n;
  Expected result{in.c.at(number), 0};
  double magnitude = std::abs(result.value);
  for (std::size_t i = 0; i < k; ++i) {
    double a = in.a.at((batch * m + row) * k + i);
    double b = in.b.at((batch * k + i) * n + column);
    if (dot.precision == "tf32") {
      a = rounded_to_tf32(a);
      b = rounded_to_tf32(b);
    }
    result.value += a * b;
    magnitude += std::abs(a * b);
  }
  const double unit = std::exp2(dot.acc == Scalar::F64 ? -53 : -24);
  const double own = std::exp2(dot.acc == Scalar::F16 ? -11 : dot.acc == Scalar::F64 ? -53 : -24);
  if (is_float(dot.acc)) {
    result.bound = magnitude * (dot.k * unit + lost_of_a_product(dot.precision)) +
                   (steps == 1 ? std::abs(result.value) : steps * magnitude) * own;
  }
  return result;
}

void expect_multiplies(const DotCase& dot) {
  SCOPED_TRACE(describe(dot));
  const Matrices in = random_matrices(dot);
  Matrices out = in;
  run(dot, out);
  for (std::size_t i = 0; i < dot.out_count(); ++i) {
    const Expected expected = expected_of(dot, in, i);
    ASSERT_NEAR(out.c.at(i), expected.value, expected.bound) << "element " << i;
  }
}

TEST(MmaRun, whole_instructions) {
  for (const Types& types : all_types()) {
    expect_multiplies(case_of(types, 32, 16, 32, 1));
    expect_multiplies(case_of(types, 32, 32, 64, 4));
  }
}

TEST(MmaRun, every_smaller_extent) {
  for (const Types& types : all_types()) {
    for (const int m : {1, 2, 4, 8}) {
      expect_multiplies(case_of(types, m, 8, 32));
    }
    for (const int n : {1, 2, 4}) {
      expect_multiplies(case_of(types, 16, n, 32));
    }
    for (const int k : {1, 2, 4, 8, 16}) {
      expect_multiplies(case_of(types, 16, 8, k));
    }
    expect_multiplies(case_of(types, 1, 1, 1));
    expect_multiplies(case_of(types, 2, 4, 2));
    expect_multiplies(case_of(types, 8, 1, 64));
  }
}

TEST(MmaRun, more_warps_than_tiles) {
  for (const Types& types : all_types()) {
    expect_multiplies(case_of(types, 8, 4, 8, 4));
    expect_multiplies(case_of(types, 4, 64, 16, 8));
  }
}

TEST(MmaRun, odd_factors) {
  for (const Types& types : all_types()) {
    expect_multiplies(case_of(types, 24, 12, 20));
    expect_multiplies(case_of(types, 48, 8, 40, 2));
  }
}

TEST(MmaRun, batches) {
  for (const Types& types : all_types()) {
    expect_multiplies(case_of(types, 16, 8, 16, 2, 4));
    expect_multiplies(case_of(types, 4, 4, 8, 4, 2));
    expect_multiplies(case_of(types, 8, 8, 8, 1, 3));
  }
}

std::string_view dtype_text(Scalar acc) {
  if (acc == Scalar::I32) {
    return "tl.int32";
  }
  return acc == Scalar::F16 ? "tl.float16" : acc == Scalar::F64 ? "tl.float64" : "tl.float32";
}

/// The kernel of a product in steps of `c.k` along a depth of `steps` times that; a is [m, depth],
/// b [depth, n] or, transposed, [n, depth].
std::string loop_text(const DotCase& c, int steps, bool is_transposed) {
  return fmt::format(
      R"(@triton.jit
def k(a, b, o):
    m = tl.arange(0, {m})[:, None]
    n = tl.arange(0, {n})
    ks = tl.arange(0, {k})
    acc = tl.zeros(({m}, {n}), {acc})
    for k in range(0, {depth}, {k}):
        x = tl.load(a + m * {depth} + k + ks[None, :])
        y = {load_b}
        acc = tl.dot(x, y, acc, input_precision="{precision}")
    tl.store(o + m * {n} + n[None, :], acc)
)",
      fmt::arg("m", c.m), fmt::arg("n", c.n), fmt::arg("k", c.k), fmt::arg("depth", c.k * steps),
      fmt::arg("precision", c.precision), fmt::arg("acc", dtype_text(c.acc)),
      fmt::arg("load_b", is_transposed ? fmt::format("tl.load(b + n[:, None] * {} + k + "
                                                     "ks[None, :]).T",
                                                     c.k * steps)
                                       : fmt::format("tl.load(b + (k + ks)[:, None] * {} + "
                                                     "n[None, :])",
                                                     c.n)));
}

void expect_loop(const DotCase& dot, bool is_transposed) {
  constexpr int kSteps = 3;
  SCOPED_TRACE(describe(dot) + (is_transposed ? ", transposed" : ""));
  DotCase whole = dot;
  whole.k *= kSteps;
  Matrices in = random_matrices(whole);
  for (std::size_t i = 0; i < in.c.size(); ++i) {
    in.c.set(i, 0);
  }
  Matrices out = in;
  if (is_transposed) {
    const auto columns = static_cast<std::size_t>(dot.n);
    const auto depth = static_cast<std::size_t>(whole.k);
    for (std::size_t i = 0; i < in.b.size(); ++i) {
      out.b.set(i % columns * depth + i / columns, in.b.at(i));
    }
  }
  CodegenOptions options;
  options.num_warps = dot.warps;
  options.num_stages = 3;
  const std::string signature =
      fmt::format("a=*{0}/16 b=*{0}/16 o=*{1}/16", ir_name(dot.factor), ir_name(dot.acc));
  const GpuFunction gpu = testing::lowered_text(loop_text(dot, kSteps, is_transposed), signature,
                                                options, *parse_target(dot.target));
  const std::string text = emitted_llvm(gpu);
  EXPECT_NE(text.find("mma."), std::string::npos) << "not on tensor cores";
  EXPECT_NE(text.find("cp.async.commit"), std::string::npos) << "not pipelined";
  const testing::SimtKernel simt(text);
  ASSERT_EQ(simt.run({out.a.address(), out.b.address(), out.c.address()}, dot.warps * kWarpSize,
                     gpu.shared_bytes),
            "");
  for (std::size_t i = 0; i < whole.out_count(); ++i) {
    const Expected expected = expected_of(whole, in, i, kSteps);
    ASSERT_NEAR(out.c.at(i), expected.value, expected.bound) << "element " << i;
  }
}

TEST(MmaRun, pipelined_loops) {
  for (const Types& types : all_types()) {
    for (const bool is_transposed : {false, true}) {
      expect_loop(case_of(types, 32, 32, 32, 2), is_transposed);
      expect_loop(case_of(types, 16, 8, 8, 1), is_transposed);
      expect_loop(case_of(types, 4, 16, 16, 2), is_transposed);
      expect_loop(case_of(types, 16, 2, 32, 1), is_transposed);
      expect_loop(case_of(types, 8, 8, 4, 1), is_transposed);
    }
  }
}

/// An infinity meets only the products that it is a factor of, not the padding.
TEST(MmaRun, padding_is_zero_on_both_sides) {
  const double inf = std::numeric_limits<double>::infinity();
  for (const Types& types : all_types()) {
    if (!is_float(types.factor) || is_fp8(types.factor)) {
      continue;
    }
    for (const int k : {1, 2, 4, 8}) {
      const DotCase dot = case_of(types, 4, 4, k);
      SCOPED_TRACE(describe(dot));
      Matrices matrices = random_matrices(dot);
      for (std::size_t i = 0; i < matrices.a.size(); ++i) {
        matrices.a.set(i, 1);
      }
      for (std::size_t i = 0; i < matrices.b.size(); ++i) {
        matrices.b.set(i, i % 4 == 1 ? -inf : i % 4 == 2 ? inf : 2);
      }
      run(dot, matrices);
      for (std::size_t i = 0; i < dot.out_count(); ++i) {
        const double found = matrices.c.at(i);
        EXPECT_TRUE(i % 4 == 1   ? found == -inf
                    : i % 4 == 2 ? found == inf
                                 : std::isfinite(found))
            << i << ": " << found;
      }
    }
  }
}

}  // namespace
}  // namespace tilery::codegen
