// What the files of the stand-in share; fake_cuda.h says what it can do.
#pragma once

#include "runtime/cuda_types.h"
#include "tests/fake_cuda/fake_cuda.h"

#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace fake_cuda {

using namespace tilery::cuda;

/// The text of an environment variable; empty if it is unset.
std::string variable(const char* name);
long number_of(const char* name, long otherwise);

struct FakeKernel {
  std::string text;
  int dynamic_shared_limit = 48 * 1024;
};

struct FakeModule {
  std::string text;
  std::vector<std::unique_ptr<FakeKernel>> kernels;
};

struct State {
  std::mutex mutex;
  std::map<std::string, long, std::less<>> calls;
  std::map<DevicePointer, std::size_t> memory;
  std::set<FakeModule*> modules;
  std::set<FakeKernel*> kernels;
  std::atomic<bool> is_lost{false};
  std::atomic<bool> is_capturing{false};
  FakeLaunch last;
};

/// Of the whole process.
State& state();
/// Counts the call and says whether it is to fail.
Code enter(const char* call, bool needs_context = false);
/// True if the bytes lie in one allocation. The state is locked.
bool is_allocated(DevicePointer pointer, std::size_t bytes);

}  // namespace fake_cuda

#define FAKE __attribute__((visibility("default")))
/// Returns from the call if it is to fail.
#define ENTER(...)                                                       \
  if (const Code wanted = enter(__VA_ARGS__); wanted != Code::Success) { \
    return wanted;                                                       \
  }
