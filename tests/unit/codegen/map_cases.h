// Every element-wise operation on every type that its row of ops.def allows, and LLVM functions
// that do one of them over arrays.
#pragma once

#include "codegen/emit_map.h"

#include <llvm/IR/Module.h>

#include <string>
#include <vector>

namespace tilery::codegen {

struct MapCase {
  std::string name;  ///< "add_f32", "cast_f64_to_f16_rtz", "minimum_f16_nan"
  ElementOp op;
  std::vector<Scalar> operands;  ///< their types
};

/// Every op but cast and bitcast, on every type of numbers.
[[nodiscard]] std::vector<MapCase> op_cases();
/// Casts between every two types that the language converts, to nearest and toward zero.
[[nodiscard]] std::vector<MapCase> cast_cases();

/// i1 is a byte in memory.
[[nodiscard]] llvm::Type* memory_type(llvm::LLVMContext& context, Scalar scalar);

/// Adds `void name(a, b, c, out, i64 n)` to the module: out[i] = op(a[i], b[i], c[i]) for i < n, n
/// not 0.
llvm::Function& add_loop(llvm::Module& module, const MapCase& each, const Target& target,
                         bool fast_math);

/// How many lanes share a divisor below.
inline constexpr int kSharers = 4;

/// Adds `void quotients(x, d, out, i64 n)`: out[4 i + j] = x[4 i + j] / d[i] for i < n, n not 0.
llvm::Function& add_shared_divisions(llvm::Module& module, const Target& target);

}  // namespace tilery::codegen
