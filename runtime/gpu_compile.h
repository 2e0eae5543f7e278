// The one door from the runtime to codegen.
//
// Includes no public header, and those who include it need not see codegen's: both have a `Result`.
#pragma once

#include "codegen/explain.h"
#include "codegen/kernel_binary.h"
#include "codegen/options.h"
#include "codegen/target.h"
#include "ir/function.h"
#include "ir/support/diagnostic.h"
#include "ir/support/source.h"

#include <optional>
#include <string>

namespace tilery {

struct GpuCompileResult {
  std::optional<codegen::KernelBinary> binary;  ///< PTX and launch facts
  /// Why there is none, and whether it is the machine's fault rather than the launch's.
  std::string error;
  bool is_machine_fault = false;
  /// If the kernel itself is to blame, what is wrong with it, at its lines; then `error` is to be
  /// left aside.
  Diagnostics diagnostics = {};
};

/// Compiles a specialised, optimised function to PTX. With `sources` the code has line information.
/// Needs no GPU.
[[nodiscard]] GpuCompileResult compile_for_gpu(const Function& function,
                                               const codegen::Target& target,
                                               const codegen::CodegenOptions& options,
                                               const SourceMap* sources);

/// What should be told before `compile_for_gpu`, because it makes compiling slow: warnings.
[[nodiscard]] Diagnostics warnings_before_compiling(const Function& function);

/// What came before the PTX, as text.
struct GpuStages {
  bool wants_layout = false;
  bool wants_lines = false;  ///< source lines in the layout's text
  bool wants_llvm = false;
  bool wants_facts = false;
  std::string layout;  ///< the IR with the layout of every tile
  std::string llvm;    ///< LLVM IR, optimised
  codegen::KernelFacts facts;
  std::string num_warps_reason;
};

/// The same, always by codegen, with the stages in between.
[[nodiscard]] GpuCompileResult compile_with_stages(const Function& function,
                                                   const codegen::Target& target,
                                                   const codegen::CodegenOptions& options,
                                                   const SourceMap* sources, GpuStages& stages);

/// Puts another compiler in the place of codegen and returns the one that was there; for tests of
/// what comes after it.
using GpuCompiler = GpuCompileResult (*)(const Function&, const codegen::Target&,
                                         const codegen::CodegenOptions&, const SourceMap*);
GpuCompiler replace_gpu_compiler(GpuCompiler compiler);

}  // namespace tilery
