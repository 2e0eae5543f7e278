// LLVM IR made for a GPU, run on this processor: what the GPU must compute, as far as LLVM can
// tell.
#pragma once

#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/Module.h>

#include <memory>
#include <string>

namespace tilery::codegen {

/// Compiles one module for this processor. Instructions of the GPU are replaced by stand-ins
/// written after the PTX manual, and the fused multiply-add of fp16 and bf16, which the processor
/// lacks, by the definition in ir/math/convert.h.
class HostMachine {
 public:
  /// False without x86-64-v3.
  [[nodiscard]] static bool is_supported();

  HostMachine();
  ~HostMachine();

  /// To add functions to.
  [[nodiscard]] llvm::Module& module() { return *module_; }

  /// Optimises as codegen does and compiles; the module is gone afterwards.
  void compile();

  template <class Function>
  [[nodiscard]] Function* address(const std::string& name) {
    return llvm::cantFail(jit_->lookup(name)).toPtr<Function*>();
  }

 private:
  std::unique_ptr<llvm::LLVMContext> context_;
  std::unique_ptr<llvm::Module> module_;
  std::unique_ptr<llvm::orc::LLJIT> jit_;
};

}  // namespace tilery::codegen
