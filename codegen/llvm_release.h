// Which LLVM is linked in, and the targets that it is too old for. Includes no LLVM.
#pragma once

#include "codegen/target.h"
#include "ir/support/result.h"

#include <string_view>

namespace tilery::codegen {

/// "22.1.8".
[[nodiscard]] std::string_view llvm_version();

/// Fails if the LLVM that is linked in makes no code for the target.
[[nodiscard]] Status check_target(const Target& target);

}  // namespace tilery::codegen
