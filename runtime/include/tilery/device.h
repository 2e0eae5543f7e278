// Where kernels run.
#pragma once

#include "tilery/export.h"
#include "tilery/result.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace tilery {
class CudaDevice;
}  // namespace tilery

namespace tilery::inline v0 {

/// What the driver tells of a GPU.
struct GpuInfo {
  int ordinal = 0;
  std::string name;  ///< "NVIDIA H200"
  int capability_major = 0;
  int capability_minor = 0;
  /// What code is made for, "sm_90a"; empty if Tilery makes none for this GPU.
  std::string target;
  int multiprocessors = 0;
  std::size_t memory_bytes = 0;
  int shared_bytes_per_block = 0;  ///< at most, for a kernel that asks for it
  int shared_bytes_per_multiprocessor = 0;
  int driver_version = 0;  ///< the CUDA version that the driver offers: 13000 is 13.0
};

/// A place that runs kernels and holds arrays. A plain value.
class TILERY_API Device {
 public:
  enum class Kind : std::uint8_t { Interpreter, Cuda };

  /// The CPU interpreter, which checks every access. Its arrays lie in host memory.
  static Device interpreter();
  /// A GPU, by the number that CUDA gives it. Fails with ErrorKind::Machine if this machine has no
  /// NVIDIA driver or no GPU, with ErrorKind::Usage if it has none of this number.
  ///
  /// Work is done in the CUDA context that is current on the calling thread, if it is one on this
  /// GPU, and otherwise in the GPU's primary context, which PyTorch and the CUDA runtime use.
  static Result<Device> cuda(int ordinal = 0);
  /// Number of GPUs; 0 if there are none. Fails if there is no driver.
  static Result<int> cuda_count();

  [[nodiscard]] Kind kind() const { return kind_; }

  /// "interpret", "cuda:0".
  [[nodiscard]] std::string name() const;
  /// For people: "cuda:0 (NVIDIA H200)"; what `name` gives for the interpreter.
  [[nodiscard]] std::string description() const;
  /// The facts of a GPU; nullptr for the interpreter. Valid until the process ends.
  [[nodiscard]] const GpuInfo* gpu_info() const;

  friend bool operator==(const Device&, const Device&) = default;

  [[nodiscard]] CudaDevice* cuda_device() const { return cuda_; }

 private:
  explicit Device(Kind kind, CudaDevice* cuda = nullptr) : kind_(kind), cuda_(cuda) {}

  Kind kind_;
  CudaDevice* cuda_;
};

}  // namespace tilery::inline v0
