// The operands of an instruction by their names in ops.def.
//
//     operand<"mask">(inst)        of a load or a store, wherever its row has it; none if left out
//     operand_pack<"init">(loop)   of a for or a while
//
// The name is looked up in all rows while compiling: one that no row has does not compile, and one
// that this instruction's row lacks is a mistake of ours, found when it runs.
#pragma once

#include "ir/function.h"
#include "ir/op_table.h"
#include "ir/support/check.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace tilery {

/// A text as a template argument.
template <std::size_t N>
struct OperandName {
  char text[N]{};

  // NOLINTNEXTLINE(google-explicit-constructor): written as a plain text between angle brackets
  consteval OperandName(const char (&name)[N]) { std::copy_n(name, N, text); }

  [[nodiscard]] constexpr std::string_view view() const { return {text, N - 1}; }
};

namespace detail {

/// Which operand of a row's signature has this name; -1 for none. What follows the operands is not
/// read.
consteval std::int8_t operand_group(std::string_view signature, std::string_view name) {
  std::int8_t group = 0;
  int depth = 0;
  bool is_at_name = true;
  for (std::size_t i = 1; i < signature.size() && !(depth == 0 && signature[i] == ')'); ++i) {
    const char c = signature[i];
    if (is_at_name && c != ' ') {
      const std::string_view rest = signature.substr(i);
      const std::size_t end = rest.find_first_of("?*:)");
      if (rest.substr(0, end) == name) {
        return group;
      }
      is_at_name = false;
    }
    depth += c == '[' || c == '{' ? 1 : (c == ']' || c == '}' ? -1 : 0);
    if (c == ',' && depth == 0) {
      ++group;
      is_at_name = true;
    }
  }
  return -1;
}

/// By Op.
template <OperandName kName>
inline constexpr std::array<std::int8_t, kOpCount> kOperandGroups{
#define TILERY_OP(Name, id, level, family, signature, effects, summary) \
  operand_group(signature, kName.view()),
#include "ir/ops.def"
};

}  // namespace detail

/// The position of the operand group with this name in an op's row.
template <OperandName kName>
[[nodiscard]] int operand_group(Op op) {
  constexpr const auto& kGroups = detail::kOperandGroups<kName>;
  static_assert(std::ranges::any_of(kGroups, [](std::int8_t group) { return group >= 0; }),
                "no row of ops.def has an operand of this name");
  const int group = kGroups[static_cast<std::size_t>(op)];
  TILERY_CHECK(group >= 0, "an operand that the op does not have");
  return group;
}

/// The operand of that name; none for an optional one that is left out.
template <OperandName kName>
[[nodiscard]] ValueId operand(const Inst& inst) {
  return inst.operand(operand_group<kName>(inst.op));
}

/// The operands of the pack of that name.
template <OperandName kName>
[[nodiscard]] std::span<const ValueId> operand_pack(const Inst& inst) {
  return inst.group(operand_group<kName>(inst.op));
}

}  // namespace tilery
