// What a PreparedLaunch holds.
#pragma once

#include "runtime/bind.h"
#include "runtime/cuda_launch.h"
#include "tilery/prepared_launch.h"

#include <vector>

namespace tilery::inline v0 {

struct PreparedLaunch::Impl {
  Kernel kernel;
  CudaLaunch launch;
  /// One a parameter: what the code was made for, and what keeps its arrays alive.
  std::vector<ArgumentSpec> specs;
  std::vector<std::vector<BoundBuffer>> buffers;

  [[nodiscard]] CudaContext& context() const { return launch.kernel().context(); }
};

}  // namespace tilery::inline v0
