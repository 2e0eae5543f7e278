// Kernels of one dot, of every type that tensor cores take.
#pragma once

#include "ir/type.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tilery::codegen {

/// The dot of a `batch` of [m, k] by [k, n].
struct DotCase {
  Scalar factor = Scalar::F16;
  Scalar acc = Scalar::F32;
  std::string_view precision = "ieee";
  int batch = 1;
  int m = 16;
  int n = 8;
  int k = 16;
  int warps = 1;
  const char* target = "sm_90a";

  [[nodiscard]] std::size_t a_count() const { return count(batch, m, k); }

  [[nodiscard]] std::size_t b_count() const { return count(batch, k, n); }

  [[nodiscard]] std::size_t out_count() const { return count(batch, m, n); }

 private:
  static std::size_t count(int x, int y, int z) {
    return static_cast<std::size_t>(x) * static_cast<std::size_t>(y) * static_cast<std::size_t>(z);
  }
};

[[nodiscard]] std::string describe(const DotCase& c);

/// The IR of a function of three pointers that sets c = a·b + c, all of them row-major.
[[nodiscard]] std::string dot_kernel(const DotCase& c);

/// A kind of dot that goes on tensor cores.
struct Types {
  Scalar factor;
  Scalar acc;
  std::string_view precision;
  const char* target = "sm_90a";
};

[[nodiscard]] const std::vector<Types>& all_types();

[[nodiscard]] DotCase case_of(const Types& types, int m, int n, int k, int warps = 1,
                              int batch = 1);

}  // namespace tilery::codegen
