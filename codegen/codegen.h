// The public face of codegen: from a function of the block IR to PTX and the facts of a launch.
//
//   Function ─ lower_to_gpu ─> GpuFunction (layouts, Gpu ops, shared memory) ─ emit ─> LLVM IR ─>
//   PTX
//
// Nothing here needs a GPU, a driver or the CUDA toolkit, and nothing includes LLVM.
#pragma once

#include "codegen/gpu_function.h"
#include "codegen/kernel_binary.h"
#include "codegen/options.h"
#include "codegen/target.h"
#include "ir/support/diagnostic.h"
#include "ir/support/result.h"
#include "ir/support/source.h"

#include <functional>
#include <string>
#include <string_view>

namespace tilery::codegen {

/// Layouts, Gpu ops, barriers and shared memory for a specialised function. If the kernel asks for
/// more than the target has, that is reported, at its line, and the result is an error of the same
/// words; any other error is the caller's (a wrong option).
[[nodiscard]] Result<GpuFunction> lower_to_gpu(Function function, const Target& target,
                                               const CodegenOptions& options,
                                               Diagnostics& diagnostics);
/// The same for callers that need only the words.
[[nodiscard]] Result<GpuFunction> lower_to_gpu(Function function, const Target& target,
                                               const CodegenOptions& options);

/// The text of `emit --stage layout`: the IR, and below it each layout once.
[[nodiscard]] std::string print_gpu(const GpuFunction& gpu, const SourceMap* sources = nullptr);

struct EmitOptions {
  /// For line information; none without.
  const SourceMap* sources = nullptr;
  /// Gets the LLVM IR before ("llvm-raw") and after ("llvm") optimisation.
  std::function<void(std::string_view stage, std::string_view text)> dump;
};

/// PTX and launch facts. An LLVM failure is an error that quotes LLVM; it never ends the process.
[[nodiscard]] Result<KernelBinary> emit_ptx(const GpuFunction& gpu,
                                            const EmitOptions& options = {});

}  // namespace tilery::codegen
