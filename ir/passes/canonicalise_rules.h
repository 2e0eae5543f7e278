// What the rules of canonicalise see, and their tables. Private to the pass.
#pragma once

#include "ir/analysis/fold.h"
#include "ir/builder.h"

#include <cstdint>
#include <optional>
#include <span>

namespace tilery::canonical {

/// The function around an instruction, with questions that rules ask about operands, and a builder
/// at the instruction's place.
class Context {
 public:
  explicit Context(Function& owner) : function(owner), builder(owner) {}

  /// The instruction of this op that defines the value, or null. Good until something is built.
  [[nodiscard]] const Inst* def(ValueId value, Op op) const;
  /// The number in every element, if the value is a constant of a number type.
  [[nodiscard]] std::optional<Number> number(ValueId value) const;
  /// True for a constant number that `test` holds for.
  [[nodiscard]] bool is(ValueId value, bool (*test)(Number)) const;
  /// The operand of a two-operand instruction whose other one is a constant that `test` holds for;
  /// none if there is no such.
  [[nodiscard]] ValueId other_if(const Inst& inst, bool (*test)(Number)) const;

  [[nodiscard]] const Type& type(ValueId value) const { return function.type(value); }

  /// A constant of the instruction's result type.
  ValueId constant(const Inst& inst, std::uint64_t bits);
  /// `inst` with other operands (as many) and another result type.
  ValueId like(const Inst& inst, std::vector<ValueId> operands, const Type& result);

  Function& function;
  Builder builder;
};

/// What a rule makes of an instruction with one result: the value that takes its place, or none if
/// the rule does not match. The instruction is a copy, so that building does not move it.
using Apply = ValueId (*)(Context&, const Inst&);

struct Rule {
  Op op;
  Apply apply;
};

/// Identities of single ops.
[[nodiscard]] std::span<const Rule> map_rules();
/// Chains of shape ops, and casts.
[[nodiscard]] std::span<const Rule> shape_rules();

/// A Map op on constants.
ValueId fold_constants(Context& context, const Inst& inst);
/// A Shape op on a constant or splat.
ValueId reshape_uniform(Context& context, const Inst& inst);
/// An element-wise op on splats, or on broadcasts.
ValueId sink_splats(Context& context, const Inst& inst);
ValueId hoist_broadcasts(Context& context, const Inst& inst);

/// True for rows that work on each element by itself: those of family Map, and pointer arithmetic.
[[nodiscard]] bool is_elementwise(const OpDef& def);

// Tests of constants.
[[nodiscard]] bool is_true(Number x);
[[nodiscard]] bool is_false(Number x);
[[nodiscard]] bool is_integer_zero(Number x);

/// What a load or store with a known mask becomes.
enum class MaskedFate : std::uint8_t { Keep, Changed, Removed };
/// Changes the instruction in place (`mask on`), or asks for its removal (a store with its mask
/// off). `replacement` gets the value of a load that reads nothing.
MaskedFate simplify_masked(Context& context, InstId id, ValueId& replacement);

}  // namespace tilery::canonical
