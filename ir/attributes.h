// The attributes of an instruction by their names in ops.def, as operands.h has the operands.
//
//     int_attr<"axis">(inst)          of a reduce, a program_id, an expand_dims, …
//     bool_attr<"has_exit">(loop)
//
// A name that no row has does not compile; one that this instruction's row lacks is a mistake of
// ours, found when it runs.
#pragma once

#include "ir/operands.h"

namespace tilery {
namespace detail {

/// Which attribute of a row's signature has this name; -1 for none.
consteval std::int8_t attr_position(std::string_view signature, std::string_view name) {
  std::int8_t position = 0;
  for (std::size_t i = 0; i < signature.size(); ++i) {
    if (signature[i] != '#') {
      continue;
    }
    const std::string_view rest = signature.substr(i + 1);
    if (rest.substr(0, rest.find(':')) == name) {
      return position;
    }
    ++position;
  }
  return -1;
}

/// By Op.
template <OperandName kName>
inline constexpr std::array<std::int8_t, kOpCount> kAttrPositions{
#define TILERY_OP(Name, id, level, family, signature, effects, summary) \
  attr_position(signature, kName.view()),
#include "ir/ops.def"
};

}  // namespace detail

/// The position of the attribute with this name in an op's row.
template <OperandName kName>
[[nodiscard]] int attr_position(Op op) {
  constexpr const auto& kPositions = detail::kAttrPositions<kName>;
  static_assert(std::ranges::any_of(kPositions, [](std::int8_t position) { return position >= 0; }),
                "no row of ops.def has an attribute of this name");
  const int position = kPositions[static_cast<std::size_t>(op)];
  TILERY_CHECK(position >= 0, "an attribute that the op does not have");
  return position;
}

template <OperandName kName>
[[nodiscard]] std::int64_t int_attr(const Inst& inst) {
  return inst.int_attr(attr_position<kName>(inst.op));
}

template <OperandName kName>
[[nodiscard]] bool bool_attr(const Inst& inst) {
  return inst.bool_attr(attr_position<kName>(inst.op));
}

template <OperandName kName>
[[nodiscard]] std::span<const std::int64_t> ints_attr(const Inst& inst) {
  return inst.ints_attr(attr_position<kName>(inst.op));
}

template <OperandName kName>
[[nodiscard]] const std::string& string_attr(const Inst& inst) {
  return inst.string_attr(attr_position<kName>(inst.op));
}

template <OperandName kName>
[[nodiscard]] std::uint64_t bits_attr(const Inst& inst) {
  return inst.bits_attr(attr_position<kName>(inst.op));
}

/// True for a minimum or maximum in which a NaN wins.
[[nodiscard]] inline bool propagates_nan(const Inst& inst) {
  return (inst.op == Op::Minimum || inst.op == Op::Maximum) && bool_attr<"propagate_nan">(inst);
}

/// True for a cast whose `rounding` is the second enumerator, "rtz".
[[nodiscard]] inline bool rounds_toward_zero(const Inst& inst) {
  return inst.op == Op::Cast && int_attr<"rounding">(inst) == 1;
}

}  // namespace tilery
