#include "runtime/gpu_kernels.h"

#include "ir/printer.h"
#include "runtime/build_id.h"
#include "runtime/gpu_compile.h"
#include "runtime/kernel_cache.h"
#include "runtime/messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <ranges>
#include <utility>

namespace tilery {

namespace {

using codegen::KernelBinary;

std::string text_of(const std::optional<int>& number) {
  return number ? fmt::format("{}", *number) : "-";
}

Error compile_error(const GpuCompileResult& result, const Function& function,
                    const SourceMap& sources) {
  if (result.diagnostics.has_errors()) {
    return error_of(ErrorKind::Kernel, messages_of(result.diagnostics, sources, Phase::Compile));
  }
  return {result.is_machine_fault ? ErrorKind::Machine : ErrorKind::Usage,
          fmt::format("kernel `{}`: {}", function.name, result.error),
          {}};
}

/// True if the binary is code for this target that takes the function's parameters.
bool fits(const KernelBinary& binary, const Function& function, const codegen::Target& target) {
  return binary.target == target.name() && binary.form == KernelBinary::Form::Cubin &&
         is_whole_elf(binary.code) &&
         binary.parameters.size() ==
             function.params.size() + codegen::hidden_parameter_count(binary) &&
         std::ranges::equal(binary.parameters | std::views::take(function.params.size()),
                            function.params, {}, &codegen::KernelParameter::is_pointer,
                            [](const Param& p) { return p.type.is_pointer(); });
}

/// The making of one kernel in one context.
class KernelMaker {
 public:
  KernelMaker(CudaContext& context, const codegen::Target& target,
              const codegen::CodegenOptions& options, const Function& function,
              const SourceMap& sources)
      : context_(context),
        target_(target),
        options_(options),
        function_(function),
        sources_(sources),
        key_(kernel_cache_key(function, target, options, context.device->info().driver_version,
                              &sources)) {}

  Result<std::shared_ptr<const CudaKernel>> make() {
    if (std::shared_ptr<const CudaKernel> kernel = load_cached()) {
      return kernel;
    }
    // Another process may be compiling the same kernel; then its result is there after the wait.
    const CacheLock lock = cache_.lock(key_);
    if (std::shared_ptr<const CudaKernel> kernel = load_cached()) {
      return kernel;
    }
    return compile();
  }

 private:
  /// nullptr if the cache has none, or one that is damaged so that only the driver sees it.
  std::shared_ptr<const CudaKernel> load_cached() const {
    const std::optional<KernelBinary> cubin = cache_.load(key_);
    if (!cubin || !fits(*cubin, function_, target_)) {
      return nullptr;
    }
    const auto kernel = CudaKernel::load(context_, *cubin, function_.name, true);
    return kernel ? *kernel : nullptr;
  }

  Result<std::shared_ptr<const CudaKernel>> compile() const {
    GpuCompileResult compiled = compile_for_gpu(function_, target_, options_, &sources_);
    if (!compiled.binary) {
      return compile_error(compiled, function_, sources_);
    }
    const Result<KernelBinary> cubin =
        assemble(context_, *std::move(compiled.binary), function_.name);
    if (!cubin) {
      return cubin.error();
    }
    cache_.store(key_, *cubin);
    return CudaKernel::load(context_, *cubin, function_.name, false);
  }

  CudaContext& context_;
  const codegen::Target& target_;
  const codegen::CodegenOptions& options_;
  const Function& function_;
  const SourceMap& sources_;
  KernelCache cache_ = KernelCache::from_environment();
  Sha256Digest key_;
};

}  // namespace

codegen::CodegenOptions codegen_options(const LaunchOptions& options, bool reads_num_warps) {
  codegen::CodegenOptions result;
  result.num_warps = options.num_warps;
  if (reads_num_warps && !result.num_warps) {
    result.num_warps = SpecializeOptions{}.num_warps;
  }
  result.num_stages = options.num_stages;
  result.math = options.math == MathMode::Reproducible ? codegen::GpuMath::Reproducible
                                                       : codegen::GpuMath::Fast;
  result.maxnreg = options.maxnreg;
  result.debug = options.debug;
  return result;
}

void warn_before_compiling(const Function& function, const SourceMap& sources,
                           const LaunchOptions& options, std::vector<Message>& messages) {
  for (Message& message :
       messages_of(warnings_before_compiling(function), sources, Phase::Compile)) {
    if (options.warn) {
      options.warn(message);
    }
    messages.push_back(std::move(message));
  }
}

Sha256Digest kernel_cache_key(const Function& function, const codegen::Target& target,
                              const codegen::CodegenOptions& options, int driver_version,
                              const SourceMap* sources) {
  // By name, so that an option that is added does not compile before it is in the key.
  const auto& [num_warps, num_stages, math, maxnreg, debug] = options;
  Sha256 hash;
  hash.add(fmt::format("{}\ndriver {}\n{} ptx {}\nwarps {} stages {} math {} maxnreg {} debug {}\n",
                       build_fingerprint(), driver_version, target.name(), target.ptx,
                       text_of(num_warps), num_stages, static_cast<int>(math), text_of(maxnreg),
                       debug));
  // With the lines, because the code tells them to profilers and debuggers.
  hash.add(print(function, {sources}));
  return hash.finish();
}

std::shared_ptr<const CudaKernel> GpuKernels::find(CudaContext& context,
                                                   const codegen::CodegenOptions& options) {
  Entry& entry = entry_of(context, options);
  const std::scoped_lock lock(entry.mutex);
  return entry.kernel;
}

Result<std::shared_ptr<const CudaKernel>> GpuKernels::find_or_load(
    CudaContext& context, const codegen::CodegenOptions& options, const Function& function,
    const SourceMap& sources) {
  Entry& entry = entry_of(context, options);
  const std::scoped_lock making(entry.mutex);
  if (entry.kernel != nullptr) {
    return entry.kernel;
  }
  const Result<codegen::Target> target = context.device->target();
  if (!target) {
    return target.error();
  }
  Result<std::shared_ptr<const CudaKernel>> kernel =
      KernelMaker(context, *target, options, function, sources).make();
  if (kernel) {
    entry.kernel = *kernel;
  }
  return kernel;
}

GpuKernels::Entry& GpuKernels::entry_of(CudaContext& context,
                                        const codegen::CodegenOptions& options) {
  const std::scoped_lock lock(mutex_);
  for (const auto& entry : entries_) {
    if (entry->context == &context && entry->options == options) {
      return *entry;
    }
  }
  auto entry = std::make_unique<Entry>();
  entry->context = &context;
  entry->options = options;
  return *entries_.emplace_back(std::move(entry));
}

}  // namespace tilery
