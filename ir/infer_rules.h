// The rules of single ops: what their signatures cannot say. Private to inference.
#pragma once

#include "ir/infer.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tilery {

/// One use of an op, for its rule.
struct OpUse {
  const Function& function;
  const OpDef& def;
  const OperandTypes& operands;
  std::span<const Attr> attrs;
  std::span<const RegionId> regions;
  /// What inference has found or was given; a rule that computes results fills it.
  std::vector<Type> results;

  /// The type of an operand that is not a pack.
  [[nodiscard]] const Type& operand(std::size_t g) const { return operands[g].front(); }

  [[nodiscard]] std::int64_t int_attr(std::size_t i) const {
    return std::get<std::int64_t>(attrs[i]);
  }
};

/// What a rule does about the results.
enum class InferRuleKind : std::uint8_t {
  Checks,    ///< the signature or the regions give them; the rule adds conditions
  Computes,  ///< the rule gives them
  Given,     ///< the caller gives them; the rule checks
};

/// An op with a rule.
struct InferRule {
  Op op;
  InferRuleKind kind;
  /// Says what is wrong, or "".
  std::string (*apply)(OpUse&);
};

/// The rule of an op, or nullptr.
[[nodiscard]] const InferRule* infer_rule_of(Op op);

}  // namespace tilery
