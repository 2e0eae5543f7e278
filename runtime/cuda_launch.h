// Launches on a GPU: arguments packed once, then handed to the driver.
#pragma once

#include "ir/support/source.h"
#include "runtime/bind.h"
#include "runtime/cuda_module.h"
#include "runtime/specialization.h"
#include "tilery/launch.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace tilery {

/// The extents of a checked grid as the driver takes them. Fails with ErrorKind::Usage past the
/// limits of a GPU, which are narrower than the interpreter's.
[[nodiscard]] Result<std::array<unsigned, 3>> cuda_grid(const CudaKernel& kernel,
                                                        std::span<const std::int64_t> grid);

/// A kernel with its grid and its parameters in the form of its entry: one block of bytes, each
/// parameter at its natural alignment.
class CudaLaunch {
 public:
  explicit CudaLaunch(std::shared_ptr<const CudaKernel> kernel);

  [[nodiscard]] const CudaKernel& kernel() const { return *kernel_; }

  /// In programs.
  void set_grid(const std::array<unsigned, 3>& grid);
  /// Run-time value `index`: a scalar's bits or an address on the GPU.
  void set_value(std::size_t index, std::uint64_t bits);
  /// Hands it to the driver. Does not allocate, wait or ask for anything; nothing if the grid is
  /// empty. The kernel's context must be current.
  [[nodiscard]] cuda::Code queue(cuda::Stream stream) const;
  /// What to tell if `queue` failed.
  [[nodiscard]] Error queue_failure(cuda::Code code) const;

 private:
  [[nodiscard]] cuda::Code queue_cluster(cuda::Stream stream, void** extra) const;

  std::shared_ptr<const CudaKernel> kernel_;
  std::array<unsigned, 3> programs_{};
  std::array<unsigned, 3> blocks_{};
  std::vector<std::size_t> offsets_;
  /// Elements of 8 bytes, so that the block is aligned.
  std::vector<std::uint64_t> block_;
  std::size_t block_bytes_ = 0;
};

/// Fails unless the array lies on the GPU of the kernel's context; `name` is the argument's.
[[nodiscard]] Status check_place(const BoundBuffer& bound, const CudaContext& context);

/// Runs the specialisation on the GPU over the grid, which was checked. Arrays in host memory are
/// copied there and back. Waits for the end unless a stream was given and all arrays lie on the
/// GPU.
[[nodiscard]] Status run_on_cuda(CudaDevice& device, const Specialization& specialization,
                                 const BoundCall& call, std::span<const std::int64_t> grid,
                                 const SourceMap& sources, LaunchReport& report);

}  // namespace tilery
