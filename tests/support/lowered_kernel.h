// A kernel of a file, specialised and lowered for a GPU, for tests of code generation.
#pragma once

#include "codegen/codegen.h"

#include <map>
#include <string>

namespace tilery::testing {

/// Parses `path` (below the source directory) and specialises with all passes for a signature
/// (tests/support/signature.h). Throws std::invalid_argument with the messages if the front end
/// refuses it.
[[nodiscard]] Function specialised_kernel(const std::string& path, const std::string& signature);

/// The same and lowers; throws as well with the error of lowering.
[[nodiscard]] codegen::GpuFunction lowered_kernel(const std::string& path,
                                                  const std::string& signature,
                                                  const codegen::CodegenOptions& options = {},
                                                  const codegen::Target& target = {});
/// The same for a kernel given as text.
[[nodiscard]] codegen::GpuFunction lowered_text(const std::string& text,
                                                const std::string& signature,
                                                const codegen::CodegenOptions& options = {},
                                                const codegen::Target& target = {});
/// The same for a function of the IR, as text.
[[nodiscard]] codegen::GpuFunction lowered_ir(const std::string& text,
                                              const codegen::CodegenOptions& options = {},
                                              const codegen::Target& target = {});

/// How many instructions of this op the function has, nested regions included.
[[nodiscard]] int count_ops(const Function& function, Op op);

}  // namespace tilery::testing
