// The kernels of which compilation is timed: softmax rows of 32 and of 64 elements a thread in both
// kinds of math, and those of gpu/side_by_side.py, a configuration each. gpu/first_launch.py finds
// them by their names.
#pragma once

#include "bench/good.h"
#include "tilery/tilery.h"

#include <fmt/format.h>

#include <string>
#include <vector>

namespace tilery::bench {

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

inline Case attention_case(const Device& device) {
  LaunchOptions options;
  options.num_warps = 8;
  options.num_stages = 3;
  const auto tensor = [&] { return array(device, DType::BF16); };
  return {"flash_attention 128x64x128, 8 warps",
          "flash_attention.tl",
          {tensor(), tensor(), tensor(), tensor(), array(device, DType::F32), 0.088, 16777216,
           524288, 128, 32, 4096, 128, 128, 64, false, "tf32"},
          options};
}

inline Case layernorm_case(const Device& device) {
  LaunchOptions options;
  options.num_warps = 8;
  const auto numbers = [&] { return array(device, DType::F32); };
  return {
      "layernorm 4096, 8 warps",
      "layernorm.tl",
      {numbers(), numbers(), numbers(), numbers(), numbers(), numbers(), 4096, 4096, 1e-5, 4096},
      options};
}

inline Case vector_add_case(const Device& device) {
  LaunchOptions options;
  options.num_warps = 4;
  const auto numbers = [&] { return array(device, DType::F32); };
  return {"vector_add 1024, 4 warps",
          "vector_add.tl",
          {numbers(), numbers(), numbers(), 65536, 1024},
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
  cases.push_back(vector_add_case(device));
  cases.push_back(layernorm_case(device));
  cases.push_back(matmul_case(device));
  cases.push_back(attention_case(device));
  return cases;
}

}  // namespace tilery::bench
