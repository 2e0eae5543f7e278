// What tests ask of the stand-in for libcuda.so.1, beside the driver's own interface.
//
// It keeps "GPU" memory on the host, checks what it is given harder than the driver does, and
// counts every call. "Compiling" PTX puts an ELF head before the text. A kernel does what a comment
// in its PTX says, on the parameters as their offsets in the packed block:
//
//     // fake: copy SRC DST COUNT     copies COUNT (an i32) 4-byte elements
//     // fake: assert                 the context is lost from then on
//
// and nothing without one. The environment, read at every call, tells it how to fail:
//
//     FAKE_CUDA_FAIL=cuMemAlloc=2,cuLaunchKernel=701   these calls return these errors
//     FAKE_CUDA_DEVICES=2  FAKE_CUDA_VERSION=11040  FAKE_CUDA_CAPABILITY=75 FAKE_CUDA_SHARED=101376
//     FAKE_CUDA_MEMORY=1000000                         bytes that can be allocated
//     FAKE_CUDA_PRINT=text  FAKE_CUDA_PRINT_ERROR=text what cuStreamSynchronize writes to streams
//     FAKE_CUDA_CRASH=cuMemAlloc                       this call aborts
//     FAKE_CUDA_HANG=cuMemAlloc                        this call never returns
#pragma once

#include <cstddef>
#include <cstdint>

/// The last launch.
struct FakeLaunch {
  unsigned grid[3] = {};
  unsigned block[3] = {};
  unsigned shared_bytes = 0;
  void* stream = nullptr;
  unsigned cluster = 0;  ///< blocks of a cluster; 0: launched without
  std::size_t parameter_bytes = 0;
  unsigned char parameters[256] = {};
};

extern "C" {
/// Calls of the driver function since the library was loaded; -1 if it has no such function.
long fake_cuda_calls(const char* name);
/// Modules loaded, allocations and their bytes that are alive now.
long fake_cuda_modules();
long fake_cuda_allocations();
const FakeLaunch* fake_cuda_last_launch();
/// From now on the stream counts as being captured, or no longer.
void fake_cuda_capture(int is_capturing);
/// Makes a context that is not the primary one current on this thread, or (0) none.
void fake_cuda_set_current(int ordinal_plus_1);
/// The context that is current on this thread.
void* fake_cuda_current();
/// Heals a lost context.
void fake_cuda_reset();
}
