// Throughput of the front end's first half on the project's own kernels: tokens, tree, printed
// text.
//
//     parse_bench --benchmark_filter=parse
#include "frontend/ast_printer.h"
#include "frontend/lexer.h"
#include "frontend/parser.h"

#include <benchmark/benchmark.h>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace {

using namespace tilery;  // NOLINT(google-build-using-namespace)

namespace fs = std::filesystem;

constexpr std::size_t kBytes = 1'000'000;

/// The kernels of kernels/, one after the other, until there is about a megabyte.
const SourceMap& kernel_text() {
  static const SourceMap sources = [] {
    std::string all;
    for (const auto& entry : fs::directory_iterator(fs::path(TILERY_SOURCE_DIR) / "kernels")) {
      if (entry.path().extension() == ".tl") {
        std::ostringstream text;
        text << std::ifstream(entry.path(), std::ios::binary).rdbuf();
        all += text.str();
      }
    }
    if (all.empty()) {
      std::abort();
    }
    const std::string once = all;
    while (all.size() < kBytes) {
      all += once;
    }
    SourceMap map;
    map.add("kernels.tl", 1, all);
    return map;
  }();
  return sources;
}

void set_bytes(benchmark::State& state) {
  const auto bytes = static_cast<std::int64_t>(kernel_text().file(0).text.size());
  state.SetBytesProcessed(state.iterations() * bytes);
}

void tokenize_kernels(benchmark::State& state) {
  for (auto _ : state) {
    Diagnostics diagnostics;
    benchmark::DoNotOptimize(tokenize(kernel_text(), 0, diagnostics));
  }
  set_bytes(state);
}

void parse_kernels(benchmark::State& state) {
  for (auto _ : state) {
    Diagnostics diagnostics;
    benchmark::DoNotOptimize(parse(kernel_text(), 0, ModuleKind::Tilery, diagnostics));
  }
  set_bytes(state);
}

void parse_kernels_as_python(benchmark::State& state) {
  for (auto _ : state) {
    Diagnostics diagnostics;
    benchmark::DoNotOptimize(parse(kernel_text(), 0, ModuleKind::Python, diagnostics));
  }
  set_bytes(state);
}

void print_kernels(benchmark::State& state) {
  Diagnostics diagnostics;
  const auto module = parse(kernel_text(), 0, ModuleKind::Tilery, diagnostics);
  for (auto _ : state) {
    benchmark::DoNotOptimize(ast::print(*module));
  }
  set_bytes(state);
}

BENCHMARK(tokenize_kernels);
BENCHMARK(parse_kernels);
BENCHMARK(parse_kernels_as_python);
BENCHMARK(print_kernels);

}  // namespace

BENCHMARK_MAIN();
