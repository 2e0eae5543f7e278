// Line information: `.loc` directives that lead from PTX and SASS to kernel source. Private to
// codegen; includes LLVM.
#pragma once

#include "ir/function.h"
#include "ir/support/source.h"

#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <map>

namespace tilery::codegen {

/// Emits directives only: DWARF sections would keep ptxas from optimising.
class LineTable {
 public:
  LineTable(const Function& function, const SourceMap& sources, llvm::Module& module,
            llvm::Function& kernel);

  /// The instructions that the builder makes from here on come from this location.
  void enter(llvm::IRBuilder<>& builder, LocId loc);

  void finish() { debug_.finalize(); }

 private:
  [[nodiscard]] llvm::DIFile* file_of(FileId id);

  const Function& function_;
  const SourceMap& sources_;
  llvm::DIBuilder debug_;
  llvm::DISubprogram* kernel_ = nullptr;
  std::map<FileId, llvm::DIFile*> files_;
  /// Lines of other files than the kernel's belong to scopes of their own.
  std::map<FileId, llvm::DIScope*> scopes_;
};

}  // namespace tilery::codegen
