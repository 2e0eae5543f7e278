// How fast interpret mode runs the chapter's kernels and a matmul.
//
//     interpret_bench --benchmark_repetitions=9 --benchmark_report_aggregates_only=true
//
// The kernels are written in the IR as the specialiser gives them. Each is measured with checks on
// (Fast) and off, on one thread and, for the softmax of 8192 rows, on two. Goals and recorded
// results are in results/interpret.md.
#include "interpreter/interpreter.h"
#include "ir/reader.h"

#include <benchmark/benchmark.h>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

namespace tilery {
namespace {

constexpr std::string_view kStableSoftmax = R"(
func @stable_softmax(%x: *f32, %o: *f32, %stride: i32, %n: i32) {
  %row = program_id axis=0 : i32
  %cols = arange start=0 end=1024 : i32[1024]
  %ns = splat %n : i32[1024]
  %mask = lt %cols, %ns : i1[1024]
  %start = mul %row, %stride : i32
  %xrow = addptr %x, %start : *f32
  %xs = splat %xrow : *f32[1024]
  %xp = addptr %xs, %cols : *f32[1024]
  %lowest = constant -inf : f32[1024]
  %v = load %xp, %mask, %lowest : f32[1024]
  %m = reduce %v axis=0 : f32 {
  combine(%a: f32, %b: f32):
    %c = maximum %a, %b : f32
    yield %c
  }
  %ms = splat %m : f32[1024]
  %d = sub %v, %ms : f32[1024]
  %e = exp %d : f32[1024]
  %zero = constant 0.0 : f32[1024]
  %w = select %mask, %e, %zero : f32[1024]
  %s = reduce %w axis=0 : f32 {
  combine(%d1: f32, %d2: f32):
    %d3 = add %d1, %d2 : f32
    yield %d3
  }
  %ss = splat %s : f32[1024]
  %y = div %w, %ss : f32[1024]
  %orow = addptr %o, %start : *f32
  %os = splat %orow : *f32[1024]
  %op = addptr %os, %cols : *f32[1024]
  store %op, %y, %mask
}
)";

constexpr std::string_view kOnlineSoftmax = R"(
func @online_softmax(%x: *f32, %o: *f32, %stride: i32, %n: i32) {
  %row = program_id axis=0 : i32
  %lanes = arange start=0 end=256 : i32[256]
  %ns = splat %n : i32[256]
  %start = mul %row, %stride : i32
  %xrow = addptr %x, %start : *f32
  %xs = splat %xrow : *f32[256]
  %orow = addptr %o, %start : *f32
  %os = splat %orow : *f32[256]
  %i0 = constant 0 : i32
  %i1 = constant 1 : i32
  %chunks = constant 16 : i32
  %width = constant 256 : i32
  %minus_inf = constant -inf : f32
  %f0 = constant 0.0 : f32
  %lowest = constant -inf : f32[256]
  %zero = constant 0.0 : f32[256]
  %mx, %l = for %i0, %chunks, %i1, %minus_inf, %f0 : f32, f32 {
  body(%k: i32, %m: f32, %sum: f32):
    %first = mul %k, %width : i32
    %firsts = splat %first : i32[256]
    %cols = add %firsts, %lanes : i32[256]
    %mask = lt %cols, %ns : i1[256]
    %p = addptr %xs, %cols : *f32[256]
    %v = load %p, %mask, %lowest : f32[256]
    %cm = reduce %v axis=0 : f32 {
    combine(%a: f32, %b: f32):
      %c = maximum %a, %b : f32
      yield %c
    }
    %m1 = maximum %m, %cm : f32
    %ms = splat %m1 : f32[256]
    %d = sub %v, %ms : f32[256]
    %e = exp %d : f32[256]
    %w = select %mask, %e, %zero : f32[256]
    %cs = reduce %w axis=0 : f32 {
    combine(%d1: f32, %d2: f32):
      %d3 = add %d1, %d2 : f32
      yield %d3
    }
    %dm = sub %m, %m1 : f32
    %scale = exp %dm : f32
    %sum1 = fma %sum, %scale, %cs : f32
    yield %m1, %sum1
  }
  for %i0, %chunks, %i1 {
  body(%k_2: i32):
    %first_2 = mul %k_2, %width : i32
    %firsts_2 = splat %first_2 : i32[256]
    %cols_2 = add %firsts_2, %lanes : i32[256]
    %mask_2 = lt %cols_2, %ns : i1[256]
    %p_2 = addptr %xs, %cols_2 : *f32[256]
    %v_2 = load %p_2, %mask_2, %lowest : f32[256]
    %ms_2 = splat %mx : f32[256]
    %d_2 = sub %v_2, %ms_2 : f32[256]
    %e_2 = exp %d_2 : f32[256]
    %ls = splat %l : f32[256]
    %y = div %e_2, %ls : f32[256]
    %q = addptr %os, %cols_2 : *f32[256]
    store %q, %y, %mask_2
  }
}
)";

constexpr std::string_view kMatmul = R"(
func @matmul(%a: *f32, %b: *f32, %c: *f32, %m: i32, %n: i32, %k: i32) {
  %pm = program_id axis=0 : i32
  %pn = program_id axis=1 : i32
  %tile = constant 64 : i32
  %lanes = arange start=0 end=64 : i32[64]
  %depth = arange start=0 end=32 : i32[32]
  %m0 = mul %pm, %tile : i32
  %m0s = splat %m0 : i32[64]
  %rows = add %m0s, %lanes : i32[64]
  %n0 = mul %pn, %tile : i32
  %n0s = splat %n0 : i32[64]
  %cols = add %n0s, %lanes : i32[64]
  %ms = splat %m : i32[64]
  %row_ok = lt %rows, %ms : i1[64]
  %ns = splat %n : i32[64]
  %col_ok = lt %cols, %ns : i1[64]
  %rows1 = expand_dims %rows axis=1 : i32[64, 1]
  %cols1 = expand_dims %cols axis=0 : i32[1, 64]
  %row_ok1 = expand_dims %row_ok axis=1 : i1[64, 1]
  %col_ok1 = expand_dims %col_ok axis=0 : i1[1, 64]
  %ks = splat %k : i32[64, 1]
  %arow = mul %rows1, %ks : i32[64, 1]
  %arows = broadcast %arow : i32[64, 32]
  %depth1 = expand_dims %depth axis=0 : i32[1, 32]
  %depths = broadcast %depth1 : i32[64, 32]
  %aoff = add %arows, %depths : i32[64, 32]
  %as = splat %a : *f32[64, 32]
  %ap0 = addptr %as, %aoff : *f32[64, 32]
  %depth2 = expand_dims %depth axis=1 : i32[32, 1]
  %nn = splat %n : i32[32, 1]
  %brow = mul %depth2, %nn : i32[32, 1]
  %brows = broadcast %brow : i32[32, 64]
  %bcols = broadcast %cols1 : i32[32, 64]
  %boff = add %brows, %bcols : i32[32, 64]
  %bs = splat %b : *f32[32, 64]
  %bp0 = addptr %bs, %boff : *f32[32, 64]
  %zero = constant 0 : i32
  %step = constant 32 : i32
  %steps = constant 32 : i32[64, 32]
  %bstep = mul %step, %n : i32
  %bsteps = splat %bstep : i32[32, 64]
  %acc0 = constant 0.0 : f32[64, 64]
  %azero = constant 0.0 : f32[64, 32]
  %bzero = constant 0.0 : f32[32, 64]
  %row_oks = broadcast %row_ok1 : i1[64, 32]
  %col_oks = broadcast %col_ok1 : i1[32, 64]
  %apn, %bpn, %acc = for %zero, %k, %step, %ap0, %bp0, %acc0 : *f32[64, 32], *f32[32, 64], f32[64, 64] {
  body(%i: i32, %ap: *f32[64, 32], %bp: *f32[32, 64], %sum: f32[64, 64]):
    %left = sub %k, %i : i32
    %left1 = splat %left : i32[1, 32]
    %k_ok = lt %depth1, %left1 : i1[1, 32]
    %k_oks = broadcast %k_ok : i1[64, 32]
    %amask = and %row_oks, %k_oks : i1[64, 32]
    %at = load %ap, %amask, %azero : f32[64, 32]
    %left2 = splat %left : i32[32, 1]
    %k_ok2 = lt %depth2, %left2 : i1[32, 1]
    %k_oks2 = broadcast %k_ok2 : i1[32, 64]
    %bmask = and %col_oks, %k_oks2 : i1[32, 64]
    %bt = load %bp, %bmask, %bzero : f32[32, 64]
    %sum1 = dot %at, %bt, %sum precision=ieee : f32[64, 64]
    %ap1 = addptr %ap, %steps : *f32[64, 32]
    %bp1 = addptr %bp, %bsteps : *f32[32, 64]
    yield %ap1, %bp1, %sum1
  }
  %ns2 = splat %n : i32[64, 1]
  %crow = mul %rows1, %ns2 : i32[64, 1]
  %crows = broadcast %crow : i32[64, 64]
  %ccols = broadcast %cols1 : i32[64, 64]
  %coff = add %crows, %ccols : i32[64, 64]
  %cs = splat %c : *f32[64, 64]
  %cp = addptr %cs, %coff : *f32[64, 64]
  %rmask = broadcast %row_ok1 : i1[64, 64]
  %cmask = broadcast %col_ok1 : i1[64, 64]
  %mask = and %rmask, %cmask : i1[64, 64]
  store %cp, %acc, %mask
}
)";

std::shared_ptr<const InterpreterProgram> program_of(std::string_view text) {
  SourceMap sources;
  const FileId file = sources.add("bench.ir", 1, std::string(text));
  Diagnostics diagnostics;
  auto function = read_function(sources, file, diagnostics);
  if (!function) {
    std::fputs(render(diagnostics.all().front(), sources).c_str(), stderr);
    std::abort();
  }
  return make_program(std::move(*function));
}

std::vector<float> random_values(std::size_t count) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  for (float& value : values) {
    value = normal(random);
  }
  return values;
}

class Launch {
 public:
  Launch(std::string_view text, std::array<std::int64_t, 3> grid, CheckLevel check, int threads)
      : program_(program_of(text)) {
    options_.grid = grid;
    options_.check = check;
    options_.threads = threads;
  }

  void array(std::vector<float>& data) {
    InterpreterBuffer buffer;
    buffer.name = "buffer";
    buffer.data = data.data();
    buffer.bytes = data.size() * sizeof(float);
    buffer.element = Scalar::F32;
    InterpreterArgument argument;
    argument.is_pointer = true;
    argument.buffer = static_cast<int>(buffers_.size());
    buffers_.push_back(buffer);
    arguments_.push_back(argument);
  }

  void int32(std::int64_t value) {
    InterpreterArgument argument;
    argument.bits = static_cast<std::uint64_t>(value);
    arguments_.push_back(argument);
  }

  void measure(benchmark::State& state) {
    for (auto _ : state) {
      const RunReport report = run(*program_, buffers_, arguments_, options_);
      if (!report.findings.empty() || !report.completed) {
        state.SkipWithError("the run found something");
      }
      benchmark::ClobberMemory();
    }
  }

 private:
  std::shared_ptr<const InterpreterProgram> program_;
  std::vector<InterpreterBuffer> buffers_;
  std::vector<InterpreterArgument> arguments_;
  RunOptions options_;
};

CheckLevel level(bool checked) {
  return checked ? CheckLevel::Fast : CheckLevel::None;
}

void softmax_rows(benchmark::State& state, std::int64_t rows, bool checked, int threads) {
  constexpr std::int64_t kColumns = 1024;
  std::vector<float> x = random_values(static_cast<std::size_t>(rows * kColumns));
  std::vector<float> o(x.size());
  Launch launch(kStableSoftmax, {rows, 1, 1}, level(checked), threads);
  launch.array(x);
  launch.array(o);
  launch.int32(kColumns);
  launch.int32(kColumns);
  launch.measure(state);
}

void stable_softmax_1024x1024(benchmark::State& state) {
  softmax_rows(state, 1024, state.range(0) != 0, 1);
}

void stable_softmax_8192x1024(benchmark::State& state) {
  softmax_rows(state, 8192, true, static_cast<int>(state.range(0)));
}

void online_softmax_256x4096(benchmark::State& state) {
  constexpr std::int64_t kRows = 256;
  constexpr std::int64_t kColumns = 4096;
  std::vector<float> x = random_values(kRows * kColumns);
  std::vector<float> o(x.size());
  Launch launch(kOnlineSoftmax, {kRows, 1, 1}, level(state.range(0) != 0), 1);
  launch.array(x);
  launch.array(o);
  launch.int32(kColumns);
  launch.int32(kColumns);
  launch.measure(state);
}

void matmul_512(benchmark::State& state) {
  constexpr std::int64_t kSize = 512;
  std::vector<float> a = random_values(kSize * kSize);
  std::vector<float> b = random_values(kSize * kSize);
  std::vector<float> c(a.size());
  Launch launch(kMatmul, {kSize / 64, kSize / 64, 1}, level(state.range(0) != 0), 1);
  launch.array(a);
  launch.array(b);
  launch.array(c);
  launch.int32(kSize);
  launch.int32(kSize);
  launch.int32(kSize);
  launch.measure(state);
  state.counters["GFLOP/s"] =
      benchmark::Counter(2e-9 * kSize * kSize * kSize * static_cast<double>(state.iterations()),
                         benchmark::Counter::kIsRate);
}

BENCHMARK(stable_softmax_1024x1024)
    ->ArgName("checked")
    ->Arg(1)
    ->Arg(0)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(online_softmax_256x4096)
    ->ArgName("checked")
    ->Arg(1)
    ->Arg(0)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(matmul_512)->ArgName("checked")->Arg(1)->Arg(0)->Unit(benchmark::kMillisecond);
BENCHMARK(stable_softmax_8192x1024)
    ->ArgName("threads")
    ->Arg(1)
    ->Arg(2)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tilery

BENCHMARK_MAIN();
