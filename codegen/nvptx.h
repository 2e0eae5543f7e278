// The NVPTX target of LLVM: modules, optimisation, PTX. Private to codegen; includes LLVM.
#pragma once

#include "codegen/target.h"
#include "ir/support/result.h"

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace tilery::codegen {

/// Runs LLVM with its ways to end the process closed: a fatal error or a diagnostic of severity
/// error comes back as text that `what` opens ("PTX for softmax"). What LLVM held then is leaked.
[[nodiscard]] Status guarded_llvm(llvm::LLVMContext& context, std::string_view what,
                                  const std::function<void()>& run);

/// What LLVM calls one of its passes. A gate of passes is told the title by LLVM 20, and by later
/// ones the argument if the pass is registered and is not one of loops.
struct PassNames {
  std::string_view argument;
  std::string_view title;
};

/// The passes of code generation that `ptx` does without. On blocks as large as ours they take a
/// third of its time, and ptxas makes the same instructions of what they leave: equal values have
/// been merged, coordinates are sums of one number of the thread and constants, and code is not
/// moved between blocks. Loops in ptxas are better without LLVM's strength reduction, which makes
/// an induction variable of every address (a matmul: 1040 instructions for 1112).
[[nodiscard]] std::span<const PassNames> passes_left_out();

/// Makes code for one target. Cheap enough to make one a kernel.
class NvptxMachine {
 public:
  explicit NvptxMachine(const Target& target);

  /// Gives the module the target's triple and data layout; before anything is added to it.
  void prepare(llvm::Module& module) const;
  /// The short pipeline of our own: the IR comes optimised, so what is left is to merge equal
  /// values, drop dead ones, and move to a later block what only that uses.
  [[nodiscard]] Status optimise(llvm::Module& module) const;
  [[nodiscard]] Result<std::string> ptx(llvm::Module& module) const;

 private:
  std::unique_ptr<llvm::TargetMachine> machine_;
};

}  // namespace tilery::codegen
