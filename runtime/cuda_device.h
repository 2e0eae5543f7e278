// One GPU, and the CUDA contexts on it that we work in.
//
// Tilery is a guest in programs that use CUDA already (PyTorch, NCCL, MPI): it works in the context
// that is current on the calling thread if that one is on the right GPU, and otherwise in the GPU's
// primary context, which those programs share. What is current on the thread never changes.
#pragma once

#include "codegen/target.h"
#include "runtime/cuda_api.h"
#include "tilery/device.h"
#include "tilery/result.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace tilery {

class CudaDevice;

/// A CUDA context that we met. Lives until the process ends, as code loaded into it may.
struct CudaContext {
  CudaDevice* device = nullptr;
  cuda::Context handle = nullptr;
  /// Never used twice in a process, unlike the handle.
  unsigned long long id = 0;
  /// For launches that name no stream. It waits for CUDA's default stream, and that one for it, so
  /// that work which the caller has queued there comes first.
  cuda::Stream stream = nullptr;
};

/// One GPU. Lives until the process ends; its functions may be called from several threads.
class CudaDevice {
 public:
  /// The GPU with this ordinal. Fails with ErrorKind::Machine if there is no driver or GPU, and
  /// with ErrorKind::Usage if there is no GPU of this number.
  [[nodiscard]] static Result<CudaDevice*> open(int ordinal);

  [[nodiscard]] const CudaApi& api() const { return api_; }

  [[nodiscard]] int ordinal() const { return info_.ordinal; }

  [[nodiscard]] const GpuInfo& info() const { return info_; }

  /// "cuda:0".
  [[nodiscard]] std::string name() const;
  /// "cuda:0 (NVIDIA H200)", for messages.
  [[nodiscard]] std::string full_name() const;
  /// What code for it is made for; fails on a GPU that we make no code for.
  [[nodiscard]] Result<codegen::Target> target() const;
  /// The context to work in on this thread.
  [[nodiscard]] Result<CudaContext*> context();

 private:
  CudaDevice(const CudaApi& api, GpuInfo info, cuda::DeviceId handle);
  static Result<std::unique_ptr<CudaDevice>> describe(const CudaApi& api, int ordinal);
  Result<cuda::Context> primary_context();
  Result<CudaContext*> known_context(cuda::Context handle);

  const CudaApi& api_;
  GpuInfo info_;
  cuda::DeviceId handle_ = 0;
  std::mutex mutex_;
  cuda::Context primary_ = nullptr;
  std::vector<std::unique_ptr<CudaContext>> contexts_;
};

/// Number of GPUs, 0 if there are none; fails only if the driver does.
[[nodiscard]] Result<int> cuda_device_count();

/// Makes a context current on this thread for the life of the object.
class ContextScope {
 public:
  explicit ContextScope(const CudaContext& context);
  ~ContextScope();
  ContextScope(const ContextScope&) = delete;
  ContextScope& operator=(const ContextScope&) = delete;

 private:
  const CudaApi& api_;
  bool is_pushed_ = false;
};

/// Memory on a GPU, freed with the object.
class CudaMemory {
 public:
  CudaMemory() = default;
  /// `purpose` is what it is for: "the array `x`". 0 bytes are allowed and give an address too.
  [[nodiscard]] static Result<CudaMemory> allocate(CudaContext& context, std::size_t bytes,
                                                   const std::string& purpose);

  ~CudaMemory() { release(); }

  CudaMemory(CudaMemory&& other) noexcept;
  CudaMemory& operator=(CudaMemory&& other) noexcept;
  CudaMemory(const CudaMemory&) = delete;
  CudaMemory& operator=(const CudaMemory&) = delete;

  [[nodiscard]] cuda::DevicePointer pointer() const { return pointer_; }

 private:
  void release();

  CudaContext* context_ = nullptr;
  cuda::DevicePointer pointer_ = 0;
};

}  // namespace tilery
