// Launching the same kernel on a GPU many times.
#pragma once

#include "tilery/argument.h"
#include "tilery/device.h"
#include "tilery/kernel.h"
#include "tilery/launch.h"
#include "tilery/result.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilery::inline v0 {

/// What is known of a kernel's code on a GPU.
struct GpuKernelFacts {
  std::string target;  ///< "sm_90a"
  int num_warps = 0;   ///< of one thread block
  int num_ctas = 0;    ///< thread blocks of one cluster
  int programs_per_block = 0;
  int registers = 0;                  ///< of one thread
  int local_bytes = 0;                ///< of one thread: registers that did not fit, and arrays
  std::size_t shared_bytes = 0;       ///< of one thread block
  int blocks_per_multiprocessor = 0;  ///< how many run there at once
  bool is_from_cache = false;         ///< read from the disk rather than compiled
  /// Sentences of code generation: why so many warps, what was decided otherwise than asked, which
  /// accesses are narrow and why.
  std::vector<std::string> notes;
};

/// A launch whose kernel is compiled and loaded and whose arguments are packed: calling it does
/// nothing but hand it to the driver. It may be called while a CUDA graph is captured from the
/// stream. Keeps the kernel and the buffers alive, so it must outlive the work that it queued.
///
/// Calls from several threads at once are allowed; the setters must not run at the same time.
class TILERY_API PreparedLaunch {
 public:
  PreparedLaunch(PreparedLaunch&&) noexcept = default;
  PreparedLaunch& operator=(PreparedLaunch&&) noexcept = default;
  PreparedLaunch(const PreparedLaunch&) = delete;
  PreparedLaunch& operator=(const PreparedLaunch&) = delete;
  ~PreparedLaunch() = default;

  /// Queues the launch on a CUDA stream (CUstream, cudaStream_t; nullptr: CUDA's default stream)
  /// and returns at once. A fault of the kernel shows in a later call.
  Status operator()(void* stream) const;
  /// On Tilery's own stream; returns when the kernel is done.
  Status run() const;

  /// Another grid for the same kernel.
  Status set_grid(std::span<const std::int64_t> grid);
  /// Another value for a run-time argument. The code was made for the old one's type and facts
  /// (divisible by 16, equal to 1); fails with ErrorKind::Usage if the new one's differ: then the
  /// launch must be prepared anew.
  Status set_argument(std::string_view parameter, const Argument& value);

  [[nodiscard]] const GpuKernelFacts& facts() const;

  struct Impl;

  [[nodiscard]] const std::shared_ptr<Impl>& impl() const { return impl_; }

  explicit PreparedLaunch(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

 private:
  std::shared_ptr<Impl> impl_;
};

/// Compiles (or finds) and loads the kernel for these arguments and packs them. `device` must be a
/// GPU and all buffers lie on it. Fails as `launch` does.
TILERY_API Result<PreparedLaunch> prepare(const Device& device, const Kernel& kernel,
                                          std::span<const std::int64_t> grid,
                                          const Arguments& arguments,
                                          const LaunchOptions& options = {});

}  // namespace tilery::inline v0
