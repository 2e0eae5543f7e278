// Functions of ir/math that a kernel calls: one LLVM function each, however many elements take it,
// and inline assembly in place of the calls when PTX is made. LLVM's time goes by the number of its
// instructions, and exp has 32 of them for each element. Private to codegen; includes LLVM.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <functional>
#include <span>
#include <string>

namespace tilery::codegen {

using MathBody = std::function<llvm::Value*(llvm::IRBuilder<>&, std::span<llvm::Value* const>)>;

/// A call of the module's function `name`, which `body` writes at the first call, its operands the
/// function's. The body is a straight line of arithmetic.
[[nodiscard]] llvm::Value* call_math_function(llvm::IRBuilder<>& builder, const std::string& name,
                                              std::span<llvm::Value* const> operands,
                                              const MathBody& body);

/// Puts the instructions of those functions in place of their calls, as assembly, and drops them.
void expand_math_functions(llvm::Module& module);

/// The instructions of such a function, with $0 for its result and $1, $2, … for its operands.
[[nodiscard]] std::string math_assembly(const llvm::Function& function);

}  // namespace tilery::codegen
