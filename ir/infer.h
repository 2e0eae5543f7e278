// Result types from the row's signature and the operands.
#pragma once

#include "ir/function.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tilery {

/// The types of one operand group each.
using OperandTypes = std::vector<std::vector<Type>>;

/// What the signature says about a use of an op: result types, or why it does not fit (a sentence
/// in the style of diagnostics, naming the operand). Rows whose results no operand fixes use
/// `given` (the builder's caller or the reader gives it) and check it.
struct Inference {
  std::vector<Type> results;
  std::string error;  ///< empty: fits

  [[nodiscard]] bool ok() const { return error.empty(); }
};

[[nodiscard]] Inference infer_results(const Function& function, Op op, const OperandTypes& operands,
                                      std::span<const Attr> attrs,
                                      std::span<const RegionId> regions,
                                      std::span<const Type> given);

/// True if the row's results cannot be inferred from operands and attributes, so that `given` must
/// be passed (constant, splat, broadcast, reshape, cast, bitcast).
[[nodiscard]] bool needs_result_type(Op op);

}  // namespace tilery
