// The error of every fp32 math function over all 2^32 inputs, against the C library in double.
//
//     math_exhaustive [--step N] [FUNCTION…]
//
// Prints one row of the table in results/math_ulp.md a function: the greatest error in units of the
// last place of the result (subnormals have the unit 2^-149), the input that shows it, and how many
// inputs gave a wrong special value (infinity, NaN, the sign of zero). With --step only every N-th
// bit pattern is tried.
#include "interpreter/kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

namespace {

using tilery::Op;
using tilery::Scalar;
using tilery::interpreter::kernels;
using tilery::interpreter::Operand;

struct Function {
  std::string_view name;
  Op op;
  double (*reference)(double);
  double bound;
};

double reference_rsqrt(double x) {
  return 1.0 / std::sqrt(x);
}

constexpr std::array kFunctions = {
    Function{"exp", Op::Exp, std::exp, 1.0},
    Function{"exp2", Op::Exp2, std::exp2, 1.0},
    Function{"log", Op::Log, std::log, 1.0},
    Function{"log2", Op::Log2, std::log2, 1.0},
    Function{"rsqrt", Op::Rsqrt, reference_rsqrt, 1.0},
    Function{"sqrt", Op::Sqrt, std::sqrt, 0.5},
    Function{"sin", Op::Sin, std::sin, 1.5},
    Function{"cos", Op::Cos, std::cos, 1.5},
    Function{"erf", Op::Erf, std::erf, 1.5},
};

struct Worst {
  double ulps = 0.0;
  float input = 0.0F;
  std::uint64_t wrong_specials = 0;
  float wrong_input = 0.0F;
};

void note_wrong(Worst& worst, float x) {
  ++worst.wrong_specials;
  worst.wrong_input = x;
}

/// Infinity counts as 2^128, so that rounding to it is measured like any other.
double finite_value(double x) {
  return std::clamp(x, -0x1p128, 0x1p128);
}

void compare(Worst& worst, float x, float result, double exact) {
  if (std::isnan(exact) || std::isnan(result)) {
    if (std::isnan(exact) != std::isnan(result)) {
      note_wrong(worst, x);
    }
    return;
  }
  const bool is_special = exact == 0.0 || std::isinf(exact);
  if (is_special &&
      (static_cast<double>(result) != exact || std::signbit(result) != std::signbit(exact))) {
    note_wrong(worst, x);
    return;
  }
  const double target = finite_value(exact);
  int exponent = 0;
  std::frexp(target, &exponent);
  const double ulp = std::ldexp(1.0, std::clamp(exponent - 24, -149, 104));
  const double error = std::fabs(finite_value(result) - target) / ulp;
  if (error > worst.ulps) {
    worst.ulps = error;
    worst.input = x;
  }
}

Worst measure(const Function& function, std::uint64_t step) {
  constexpr std::size_t kChunk = 4096;
  std::vector<float> inputs(kChunk);
  std::vector<float> results(kChunk);
  const auto map = kernels().map(function.op, Scalar::F32);
  Worst worst;
  for (std::uint64_t next = 0; next < (std::uint64_t{1} << 32);) {
    for (float& input : inputs) {
      const auto pattern = static_cast<std::uint32_t>(next);
      std::memcpy(&input, &pattern, sizeof input);
      next += step;
    }
    const Operand operand{inputs.data(), false};
    map(results.data(), &operand, kChunk);
    for (std::size_t i = 0; i < kChunk; ++i) {
      compare(worst, inputs[i], results[i], function.reference(inputs[i]));
    }
  }
  return worst;
}

void report(const Function& function, std::uint64_t step) {
  const auto start = std::chrono::steady_clock::now();
  const Worst worst = measure(function, step);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  const bool is_good = worst.ulps <= function.bound && worst.wrong_specials == 0;
  fmt::print("| {} | {:.4f} | {} | {:a} | {} | {:.0f} | {} |\n", function.name, worst.ulps,
             function.bound, worst.input, worst.wrong_specials, seconds.count(),
             is_good ? "yes" : fmt::format("NO ({:a})", worst.wrong_input));
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t step = 1;
  std::vector<std::string_view> wanted;
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--step" && i + 1 < argc) {
      step = std::strtoull(argv[++i], nullptr, 10);
    } else {
      wanted.emplace_back(argv[i]);
    }
  }
  fmt::print("kernels: {}, step {}\n\n", kernels().isa, step);
  fmt::print("| function | worst error (ulp) | bound | at | wrong specials | seconds | holds |\n");
  fmt::print("|---|---|---|---|---|---|---|\n");
  for (const Function& function : kFunctions) {
    if (wanted.empty() || std::find(wanted.begin(), wanted.end(), function.name) != wanted.end()) {
      report(function, step);
    }
  }
  return 0;
}
