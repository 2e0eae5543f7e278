// A test on the stand-in for libcuda: what it can ask, and a fixture that puts everything in its
// place.
#pragma once

#include "tests/fake_cuda/fake_cuda.h"
#include "tests/support/temp_dir.h"
#include "tilery/device.h"
#include "tilery/launch.h"
#include "tilery/library.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tilery::testing {

/// Sets an environment variable for the life of the object.
class Variable {
 public:
  Variable(const char* name, const std::string& value);
  ~Variable();
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  std::string name_;
  std::string before_;
  bool was_set_;
};

/// The functions of fake_cuda.h, found in the loaded library.
struct FakeCuda {
  decltype(&fake_cuda_calls) calls;
  decltype(&fake_cuda_modules) modules;
  decltype(&fake_cuda_allocations) allocations;
  decltype(&fake_cuda_last_launch) last_launch;
  decltype(&fake_cuda_capture) capture;
  decltype(&fake_cuda_set_current) set_current;
  decltype(&fake_cuda_current) current;
  decltype(&fake_cuda_reset) reset;
};

[[nodiscard]] const FakeCuda& fake_cuda();

/// Launch facts that the compiler of these tests puts into every kernel.
struct FakeFacts {
  std::uint32_t shared_bytes = 0;
  int num_warps = 4;  ///< where the launch leaves it open
  int num_ctas = 1;
  int programs_per_block = 1;
  std::string code;  ///< in the place of PTX
  /// How often it compiled, and how long it takes.
  std::atomic<int> compiled{0};
  int milliseconds = 0;
};

/// A machine with the stand-in's GPUs, an empty cache, and a compiler whose kernels do what
/// fake_cuda.h offers: a kernel whose name begins with "copy" copies its first argument to its
/// second, the third counts elements; one named "assert_false" loses the context.
class FakeGpu : public ::testing::Test {
 protected:
  FakeGpu();
  ~FakeGpu() override;

  /// The only kernel of a text.
  static Kernel kernel(const std::string& text);
  /// The text of a copying kernel of this name.
  static std::string copy_text(const std::string& name = "copy");
  static Device gpu(int ordinal = 0);
  /// An fp32 array in host memory.
  static Buffer numbers(const std::vector<float>& values);
  /// The error of a launch that must fail.
  static Error launch_error(const Device& device, const Kernel& kernel, const Arguments& arguments,
                            std::vector<std::int64_t> grid = {1},
                            const LaunchOptions& options = {});

  FakeFacts& facts_;
  TempDir cache_;

 private:
  Variable library_;
  Variable cache_variable_;
};

/// The library that stands in for libcuda.
[[nodiscard]] std::string fake_cuda_path();

}  // namespace tilery::testing
