// How long it takes from a kernel's text to PTX, in a process that has compiled before. Needs no
// GPU.
//
//     ptx_bench KERNELS [CHIP [ROUNDS [TEXT]]]
//
// KERNELS is the folder kernels/; sm_90a and 9 rounds unless told; of all cases, those whose names
// contain TEXT. In milliseconds.
#include "bench/compile_cases.h"

#include <algorithm>
#include <chrono>

namespace {

using namespace tilery;  // NOLINT(google-build-using-namespace)

double ptx_time(const bench::Case& one, const std::string& folder, const std::string& chip) {
  const auto start = std::chrono::steady_clock::now();
  const Library library = bench::good(Library::parse_file(folder + "/" + one.file));
  (void)bench::good(
      compile_for_target(bench::good(library.only_kernel()), one.arguments, chip, one.options));
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) {
    std::printf("usage: ptx_bench KERNELS [CHIP [ROUNDS [TEXT]]]\n");
    return 2;
  }
  const std::string chip = count > 2 ? arguments[2] : "sm_90a";
  const int rounds = count > 3 ? std::atoi(arguments[3]) : 9;
  const std::string text = count > 4 ? arguments[4] : "";
  std::printf("%-44s %8s %8s\n", "milliseconds to PTX", "median", "least");
  for (const bench::Case& one : bench::compile_cases(Device::interpreter())) {
    if (one.name.find(text) == std::string::npos) {
      continue;
    }
    std::vector<double> times;
    for (int i = 0; i < std::max(1, rounds); ++i) {
      times.push_back(ptx_time(one, arguments[1], chip));
    }
    std::ranges::sort(times);
    std::printf("%-44s %8.1f %8.1f\n", one.name.c_str(), times[times.size() / 2], times.front());
    std::fflush(stdout);
  }
  return 0;
}
