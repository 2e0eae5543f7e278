// A launch on a GPU with arrays in host memory: they are copied there before and back after.
#pragma once

#include "runtime/bind.h"
#include "runtime/cuda_launch.h"

namespace tilery {

/// Fills in the launch's values and runs it on the stream of `call.options`, or on the context's.
/// The context must be current.
[[nodiscard]] Status run_staged(CudaContext& context, CudaLaunch& launch, const BoundCall& call);

}  // namespace tilery
