// What a caller may ask of code generation.
#pragma once

#include <cstdint>
#include <optional>

namespace tilery::codegen {

/// How `exp`, `/` and their like are computed: with the hardware's approximations, or with ir/math,
/// which gives the interpreter's bits.
enum class GpuMath : std::uint8_t { Fast, Reproducible };

struct CodegenOptions {
  std::optional<int> num_warps;  ///< a power of two from 1 to 32; none: chosen from the tiles
  int num_stages = 3;            ///< pipelining depth of loops over dots
  GpuMath math = GpuMath::Fast;
  std::optional<int> maxnreg;
  bool debug = false;  ///< device_assert makes code
  friend bool operator==(const CodegenOptions&, const CodegenOptions&) = default;
};

}  // namespace tilery::codegen
