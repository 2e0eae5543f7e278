#include "runtime/gpu_compile.h"

#include <atomic>

namespace tilery {

namespace {

GpuCompileResult compile_with_codegen(const Function& /*function*/,
                                      const codegen::Target& /*target*/,
                                      const codegen::CodegenOptions& /*options*/,
                                      const SourceMap* /*sources*/) {
  return {std::nullopt, "this build makes no code for GPUs yet; run in interpret mode", true};
}

std::atomic<GpuCompiler> current_compiler{compile_with_codegen};

}  // namespace

GpuCompileResult compile_for_gpu(const Function& function, const codegen::Target& target,
                                 const codegen::CodegenOptions& options, const SourceMap* sources) {
  return current_compiler.load()(function, target, options, sources);
}

GpuCompiler replace_gpu_compiler(GpuCompiler compiler) {
  return current_compiler.exchange(compiler);
}

}  // namespace tilery
