// Throughput of the interpreter's kernels on data in the first-level cache: elements (or flops) a
// second.
//
//     TILERY_CPU=v3 kernels_bench --benchmark_filter=exp
#include "interpreter/kernels.h"

#include <benchmark/benchmark.h>
#include <cstdint>
#include <random>
#include <vector>

namespace {

using namespace tilery;               // NOLINT(google-build-using-namespace)
using namespace tilery::interpreter;  // NOLINT(google-build-using-namespace)

constexpr std::size_t kCount = 1024;

std::vector<float> random_floats(std::size_t n, float low, float high) {
  std::mt19937 generator(1);
  std::uniform_real_distribution<float> distribution(low, high);
  std::vector<float> values(n);
  for (float& value : values) {
    value = distribution(generator);
  }
  return values;
}

void run_map(benchmark::State& state, Op op, float low, float high) {
  const std::vector<float> a = random_floats(kCount, low, high);
  const std::vector<float> b = random_floats(kCount, 1.0F, 2.0F);
  std::vector<float> out(kCount);
  const Operand operands[] = {{a.data(), false}, {b.data(), false}, {b.data(), true}};
  const MapFn map = kernels().map(op, Scalar::F32);
  for (auto _ : state) {
    map(out.data(), operands, kCount);
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kCount));
}

void run_one_element(benchmark::State& state, Op op) {
  const float x[] = {1.5F, 2.5F, 3.5F};
  float out = 0;
  const Operand operands[] = {{&x[0], false}, {&x[1], false}, {&x[2], false}};
  const MapFn map = kernels().map(op, Scalar::F32);
  for (auto _ : state) {
    map(&out, operands, 1);
    benchmark::DoNotOptimize(out);
  }
}

void run_reduce(benchmark::State& state, ReduceOp op) {
  const std::vector<float> a = random_floats(kCount, -1.0F, 1.0F);
  const AxisView view{1, kCount, 1};
  std::vector<std::byte> scratch(reduce_scratch_bytes(Scalar::F32, view));
  float out = 0;
  const ReduceFn reduce = kernels().reduce(op, Scalar::F32);
  for (auto _ : state) {
    reduce(&out, a.data(), view, scratch.data());
    benchmark::DoNotOptimize(out);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kCount));
}

void run_argmax(benchmark::State& state) {
  const std::vector<float> a = random_floats(kCount, -1.0F, 1.0F);
  std::int32_t position = 0;
  const ArgReduceFn arg_reduce = kernels().arg_reduce(ArgReduceOp::ArgMax, Scalar::F32);
  for (auto _ : state) {
    arg_reduce(nullptr, &position, a.data(), {1, kCount, 1});
    benchmark::DoNotOptimize(position);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kCount));
}

void run_cumsum(benchmark::State& state) {
  const std::vector<float> a = random_floats(kCount, -1.0F, 1.0F);
  std::vector<float> out(kCount);
  const ScanFn scan = kernels().scan(ScanOp::Sum, Scalar::F32);
  for (auto _ : state) {
    scan(out.data(), a.data(), {1, kCount, 1}, false);
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kCount));
}

void run_nonfinite(benchmark::State& state) {
  const std::vector<float> a = random_floats(kCount, -1.0F, 1.0F);
  const NonfiniteFn has_nonfinite = kernels().has_nonfinite(Scalar::F32);
  for (auto _ : state) {
    benchmark::DoNotOptimize(has_nonfinite(a.data(), kCount));
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kCount));
}

void run_dot(benchmark::State& state, Scalar operand, DotPrecision precision) {
  const DotShape shape{1, 64, 64, 32};
  const std::vector<float> a = random_floats(shape.m * shape.k, -1.0F, 1.0F);
  const std::vector<float> b = random_floats(shape.k * shape.n, -1.0F, 1.0F);
  std::vector<float> out(shape.m * shape.n);
  std::vector<std::byte> scratch(dot_scratch_bytes(operand, Scalar::F32, shape));
  const DotFn dot = kernels().dot(operand, Scalar::F32, precision);
  for (auto _ : state) {
    dot(out.data(), out.data(), a.data(), b.data(), shape, scratch.data());
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  state.counters["flops"] =
      benchmark::Counter(2.0 * static_cast<double>(shape.m * shape.n * shape.k),
                         benchmark::Counter::kIsIterationInvariantRate);
}

}  // namespace

BENCHMARK_CAPTURE(run_map, add, Op::Add, -1.0F, 1.0F);
BENCHMARK_CAPTURE(run_map, div, Op::Div, -1.0F, 1.0F);
BENCHMARK_CAPTURE(run_map, maximum, Op::Maximum, -1.0F, 1.0F);
BENCHMARK_CAPTURE(run_map, less, Op::Lt, -1.0F, 1.0F);
BENCHMARK_CAPTURE(run_map, fma, Op::Fma, -1.0F, 1.0F);
BENCHMARK_CAPTURE(run_map, exp, Op::Exp, -10.0F, 10.0F);
BENCHMARK_CAPTURE(run_map, exp2, Op::Exp2, -10.0F, 10.0F);
BENCHMARK_CAPTURE(run_map, log, Op::Log, 0.1F, 10.0F);
BENCHMARK_CAPTURE(run_map, sin, Op::Sin, -10.0F, 10.0F);
BENCHMARK_CAPTURE(run_map, sin_huge, Op::Sin, 1e9F, 1e10F);
BENCHMARK_CAPTURE(run_map, erf, Op::Erf, -3.0F, 3.0F);
BENCHMARK_CAPTURE(run_map, rsqrt, Op::Rsqrt, 0.1F, 10.0F);
BENCHMARK_CAPTURE(run_one_element, add, Op::Add);
BENCHMARK_CAPTURE(run_one_element, exp, Op::Exp);
BENCHMARK_CAPTURE(run_reduce, sum, ReduceOp::Sum);
BENCHMARK_CAPTURE(run_reduce, max, ReduceOp::Max);
BENCHMARK(run_argmax);
BENCHMARK(run_cumsum);
BENCHMARK(run_nonfinite);
BENCHMARK_CAPTURE(run_dot, fp32, Scalar::F32, DotPrecision::Ieee);
BENCHMARK_CAPTURE(run_dot, tf32, Scalar::F32, DotPrecision::Tf32);
BENCHMARK_CAPTURE(run_dot, fp16, Scalar::F16, DotPrecision::Ieee);
BENCHMARK_MAIN();
