// Code on a GPU: PTX → cubin → a loaded kernel.
#pragma once

#include "codegen/kernel_binary.h"
#include "runtime/cuda_device.h"
#include "tilery/prepared_launch.h"
#include "tilery/result.h"

#include <memory>
#include <string>

namespace tilery {

/// Has the driver compile PTX for the context's GPU; the result holds a cubin. `kernel` is its
/// name, for messages.
[[nodiscard]] Result<codegen::KernelBinary> assemble(const CudaContext& context,
                                                     codegen::KernelBinary ptx,
                                                     const std::string& kernel);

/// True if the bytes are a whole ELF file, as far as the driver relies on it: it is told an
/// address, not a size, and would read beyond the end of a cut one.
[[nodiscard]] bool is_whole_elf(std::string_view bytes);

/// A kernel loaded into a context, ready to be launched. Unloads with the object.
class CudaKernel {
 public:
  /// `kernel` is its name in the source text, for messages. Fails with ErrorKind::Usage if the GPU
  /// has too little shared memory, with ErrorKind::Machine if the driver refuses the code.
  [[nodiscard]] static Result<std::shared_ptr<const CudaKernel>> load(
      CudaContext& context, const codegen::KernelBinary& binary, const std::string& kernel,
      bool is_from_cache);
  ~CudaKernel();
  CudaKernel(const CudaKernel&) = delete;
  CudaKernel& operator=(const CudaKernel&) = delete;

  [[nodiscard]] CudaContext& context() const { return context_; }

  [[nodiscard]] cuda::KernelHandle handle() const { return handle_; }

  /// All of the binary but its code.
  [[nodiscard]] const codegen::KernelBinary& binary() const { return binary_; }

  [[nodiscard]] const GpuKernelFacts& facts() const { return facts_; }

  /// The kernel's name in the source text.
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  CudaKernel(CudaContext& context, codegen::KernelBinary binary, std::string name);
  Status load_module(const std::string& code);
  Status set_shared_memory();
  Status read_facts();
  Error failure(cuda::Code code, const char* call, const std::string& what) const;

  CudaContext& context_;
  codegen::KernelBinary binary_;
  std::string name_;
  cuda::Module module_ = nullptr;
  cuda::KernelHandle handle_ = nullptr;
  GpuKernelFacts facts_;
};

}  // namespace tilery
