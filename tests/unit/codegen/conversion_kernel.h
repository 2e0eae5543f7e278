// Kernels around one conversion: element number e of a tile is made in one layout, converted, and
// stored in another, so that the result is 0, 1, 2, … in memory.
#pragma once

#include "codegen/gpu_function.h"

#include <string_view>

namespace tilery::codegen {

/// What is converted: the number as a value of a type, or the pointer that is then stored through.
struct Converted {
  std::string_view type = "i32";
  bool is_pointer = false;
};

/// "func @f(%o: *T)". Shapes may differ where their numbers of elements agree: then it is a
/// reshape. i1 is `number mod 4 = 3`. Shared memory and barriers are placed.
[[nodiscard]] GpuFunction conversion_kernel(const Layout& from, const Layout& to,
                                            const Converted& converted, std::string_view chip);

}  // namespace tilery::codegen
