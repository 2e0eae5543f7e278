// What a specialisation became on GPUs.
#pragma once

#include "codegen/options.h"
#include "frontend/sema/specialize.h"
#include "ir/function.h"
#include "ir/support/source.h"
#include "runtime/cuda_module.h"
#include "runtime/sha256.h"
#include "tilery/launch.h"
#include "tilery/result.h"

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace tilery {

/// What the launch asks of code generation. A kernel that asked for the number of warps gets the
/// one that it was told, also if the launch leaves the number open.
[[nodiscard]] codegen::CodegenOptions codegen_options(const LaunchOptions& options,
                                                      bool reads_num_warps);

/// Names compiled code in the disk cache: everything that the cubin depends on goes into it.
[[nodiscard]] Sha256Digest kernel_cache_key(const Function& function, const codegen::Target& target,
                                            const codegen::CodegenOptions& options,
                                            int driver_version, const SourceMap* sources);

/// Tells, and adds to `messages`, what should be known before the function is compiled.
void warn_before_compiling(const Function& function, const SourceMap& sources,
                           const LaunchOptions& options, std::vector<Message>& messages);

/// The loaded kernels of one specialisation, one a context and set of options. Made when they are
/// first asked for; of threads that ask for the same one at once, the first compiles and the others
/// wait.
class GpuKernels {
 public:
  /// The kernel in the context if it is loaded already; nullptr else.
  [[nodiscard]] std::shared_ptr<const CudaKernel> find(CudaContext& context,
                                                       const codegen::CodegenOptions& options);
  /// The kernel in the context: loaded before, or from the disk cache, or compiled now.
  [[nodiscard]] Result<std::shared_ptr<const CudaKernel>> find_or_load(
      CudaContext& context, const codegen::CodegenOptions& options, const Function& function,
      const SourceMap& sources);

 private:
  struct Entry {
    CudaContext* context = nullptr;
    codegen::CodegenOptions options;
    std::mutex mutex;
    std::shared_ptr<const CudaKernel> kernel;  ///< nullptr: not made yet, or it failed
  };

  Entry& entry_of(CudaContext& context, const codegen::CodegenOptions& options);

  std::mutex mutex_;
  std::vector<std::unique_ptr<Entry>> entries_;
};

}  // namespace tilery
