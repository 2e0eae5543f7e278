#include "runtime/gpu_compile.h"

#include "codegen/codegen.h"
#include "codegen/limits.h"

#include <atomic>
#include <utility>

namespace tilery {

namespace {

GpuCompileResult failure(const Error& error) {
  return {std::nullopt, error.message, error.kind == ErrorKind::Machine, {}};
}

GpuCompileResult compile(const Function& function, const codegen::Target& target,
                         const codegen::CodegenOptions& options, const SourceMap* sources,
                         GpuStages* stages) {
  Diagnostics diagnostics;
  const Result<codegen::GpuFunction> gpu =
      codegen::lower_to_gpu(function, target, options, diagnostics);
  if (!gpu) {
    GpuCompileResult result = failure(gpu.error());
    result.diagnostics = std::move(diagnostics);
    return result;
  }
  codegen::EmitOptions emit;
  emit.sources = sources;
  if (stages != nullptr && stages->wants_layout) {
    stages->layout = codegen::print_gpu(*gpu, stages->wants_lines ? sources : nullptr);
  }
  if (stages != nullptr && stages->wants_llvm) {
    emit.dump = [stages](std::string_view stage, std::string_view text) {
      if (stage == "llvm") {
        stages->llvm = text;
      }
    };
  }
  if (stages != nullptr && stages->wants_facts) {
    stages->facts = codegen::kernel_facts(*gpu);
    stages->num_warps_reason = gpu->num_warps_reason;
  }
  Result<codegen::KernelBinary> binary = codegen::emit_ptx(*gpu, emit);
  if (!binary) {
    return failure(binary.error());
  }
  return {std::move(*binary), {}, false, {}};
}

GpuCompileResult compile_with_codegen(const Function& function, const codegen::Target& target,
                                      const codegen::CodegenOptions& options,
                                      const SourceMap* sources) {
  return compile(function, target, options, sources, nullptr);
}

std::atomic<GpuCompiler> current_compiler{compile_with_codegen};

}  // namespace

GpuCompileResult compile_for_gpu(const Function& function, const codegen::Target& target,
                                 const codegen::CodegenOptions& options, const SourceMap* sources) {
  return current_compiler.load()(function, target, options, sources);
}

Diagnostics warnings_before_compiling(const Function& function) {
  Diagnostics diagnostics;
  codegen::warn_of_large_tiles(function, diagnostics);
  codegen::warn_of_large_code(function, diagnostics);
  return diagnostics;
}

GpuCompileResult compile_with_stages(const Function& function, const codegen::Target& target,
                                     const codegen::CodegenOptions& options,
                                     const SourceMap* sources, GpuStages& stages) {
  return compile(function, target, options, sources, &stages);
}

GpuCompiler replace_gpu_compiler(GpuCompiler compiler) {
  return current_compiler.exchange(compiler);
}

}  // namespace tilery
