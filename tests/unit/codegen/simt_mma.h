// mma.sync in the simulator (simt.h), by the tables of the PTX ISA: which lane holds which elements
// of the matrices, and what they are.
#pragma once

#include "tests/unit/codegen/simt_ops.h"

#include <llvm/IR/Instructions.h>

#include <vector>

namespace tilery::testing {

[[nodiscard]] bool is_mma(const llvm::Instruction& inst);

/// Every lane's results of every lane's operands. Sums of floats are exact until they are rounded
/// once at the end, which is better than any tensor core.
[[nodiscard]] std::vector<Bits> mma(const llvm::CallInst& call, const std::vector<Bits>& operands);

}  // namespace tilery::testing
