// The kernels of which compilation is timed: rows of 32 and of 64 elements a thread in both kinds
// of math, and a matmul.
#pragma once

#include "tilery/tilery.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

namespace tilery::bench {

template <class T>
T good(Result<T> result) {
  if (!result) {
    std::printf("%s\n", result.error().message.c_str());
    std::exit(result.error().kind == ErrorKind::Machine ? 3 : 1);
  }
  return std::move(*result);
}

/// A kernel's file in kernels/ and what it is compiled for.
struct Case {
  std::string name;
  std::string file;
  Arguments arguments;
  LaunchOptions options;
};

inline Buffer array(const Device& device, DType type) {
  return good(Buffer::uninitialised(type, {std::int64_t{1} << 16}, device));
}

inline Case row_case(const Device& device, int n, int warps, MathMode math) {
  LaunchOptions options;
  options.num_warps = warps;
  options.math = math;
  return {fmt::format("stable_softmax {}, {} warps, {}", n, warps,
                      math == MathMode::Fast ? "fast" : "reproducible"),
          "stable_softmax.tl",
          {array(device, DType::F32), array(device, DType::F32), n, n, n},
          options};
}

inline Case matmul_case(const Device& device) {
  LaunchOptions options;
  options.num_warps = 8;
  options.num_stages = 3;
  const auto matrix = [&] { return array(device, DType::BF16); };
  return {"matmul 128x256x64, 8 warps",
          "matmul.tl",
          {matrix(), matrix(), matrix(), 4096, 4096, 4096, 4096, 1, 4096, 1, 4096, 1, 128, 256, 64,
           8, "tf32"},
          options};
}

inline std::vector<Case> compile_cases(const Device& device) {
  std::vector<Case> cases;
  for (const MathMode math : {MathMode::Fast, MathMode::Reproducible}) {
    cases.push_back(row_case(device, 1024, 1, math));
    cases.push_back(row_case(device, 1024, 4, math));
    cases.push_back(row_case(device, 4096, 4, math));
    cases.push_back(row_case(device, 16384, 8, math));
    cases.push_back(row_case(device, 65536, 32, math));
  }
  cases.push_back(matmul_case(device));
  return cases;
}

}  // namespace tilery::bench
