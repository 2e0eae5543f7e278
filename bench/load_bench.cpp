// How long it takes from a kernel's text to a kernel that can be launched, in one process whose
// context exists. Needs a GPU; ends with 1 if a goal is missed.
//
//     load_bench KERNELS [ROUNDS [TEXT]]     the folder kernels/; only cases with TEXT in their
//     names
//
// Milliseconds, medians of all rounds:
//   PTX      text to PTX, by a process that has compiled before
//   driver   the driver's assembler on that PTX, and loading its result
//   first    text to loaded kernel with an empty cache on disk
//   over     by how much a round's `first` is longer than its `driver`; goal: 20 ms
//   cached   text to loaded kernel from the cache on disk; goal: 2 ms
#include "bench/compile_cases.h"
#include "runtime/cuda_device.h"
#include "runtime/cuda_module.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

using namespace tilery;  // NOLINT(google-build-using-namespace)
using bench::Case;
using bench::good;

constexpr double kGoalOverDriver = 20;
constexpr double kGoalCached = 2;

double median(std::vector<double> times) {
  std::ranges::sort(times);
  return times[times.size() / 2];
}

template <class Work>
double milliseconds(Work work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

/// Text to loaded kernel; the grid is never launched.
void load(const Device& device, const std::string& folder, const Case& one) {
  const Library library = good(Library::parse_file(folder + "/" + one.file));
  (void)good(prepare(device, good(library.only_kernel()), std::array<std::int64_t, 1>{1},
                     one.arguments, one.options));
}

/// PTX of the case, and how long the driver takes for it.
double driver_time(const Device& device, const GpuCode& code) {
  CudaContext& context = *good(device.cuda_device()->context());
  const ContextScope scope(context);
  return milliseconds([&] {
    codegen::KernelBinary binary;
    binary.entry = code.entry;
    binary.code = code.ptx;
    binary.target = code.target;
    const auto cubin = good(assemble(context, binary, "bench"));
    (void)good(CudaKernel::load(context, cubin, "bench", false));
  });
}

bool measure(const Device& device, const std::string& folder, const Case& one, int rounds,
             const std::filesystem::path& cache) {
  std::vector<double> ptx;
  std::vector<double> driver;
  std::vector<double> first;
  std::vector<double> over;
  std::vector<double> cached;
  const std::string target = good(device.cuda_device()->target()).name();
  for (int round = 0; round < rounds; ++round) {
    GpuCode code;
    ptx.push_back(milliseconds([&] {
      const Library library = good(Library::parse_file(folder + "/" + one.file));
      code =
          good(compile_for_target(good(library.only_kernel()), one.arguments, target, one.options));
    }));
    driver.push_back(driver_time(device, code));
    std::filesystem::remove_all(cache);
    first.push_back(milliseconds([&] { load(device, folder, one); }));
    over.push_back(first.back() - driver.back());
    cached.push_back(milliseconds([&] { load(device, folder, one); }));
  }
  const bool is_good = median(over) <= kGoalOverDriver && median(cached) <= kGoalCached;
  std::printf("%-44s %8.1f %8.1f %8.1f %8.1f %8.2f  %s\n", one.name.c_str(), median(ptx),
              median(driver), median(first), median(over), median(cached),
              is_good ? "ok" : "MISSED");
  std::fflush(stdout);
  return is_good;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) {
    std::printf("usage: load_bench KERNELS [ROUNDS [TEXT]]\n");
    return 2;
  }
  const int rounds = count > 2 ? std::max(1, std::atoi(arguments[2])) : 9;
  const std::string text = count > 3 ? arguments[3] : "";
  const std::filesystem::path cache =
      std::filesystem::temp_directory_path() / fmt::format("tilery-load-bench-{}", getpid());
  setenv("CUDA_CACHE_DISABLE", "1", 1);
  setenv("TILERY_CACHE_DIR", cache.c_str(), 1);
  const Device device = good(Device::cuda());
  (void)good(Buffer::zeros(DType::F32, {1}, device));  // makes the context
  std::printf("%-44s %8s %8s %8s %8s %8s\n", "milliseconds", "PTX", "driver", "first", "over",
              "cached");
  bool is_good = true;
  for (const Case& one : bench::compile_cases(device)) {
    if (one.name.find(text) != std::string::npos) {
      is_good = measure(device, arguments[1], one, rounds, cache) && is_good;
    }
  }
  std::filesystem::remove_all(cache);
  return is_good ? 0 : 1;
}
