// The op table as data: enum Op, and one OpDef a row of ops.def with its signature read.
//
// Signatures are read at compile time (op_table.cpp); a mistake in a row stops the build at that
// row.
#pragma once

#include "ir/type.h"

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace tilery {

/// One enumerator a row of ops.def, in its order.
enum class Op : std::uint8_t {
#define TILERY_OP(Name, id, level, family, signature, effects, summary) Name,
#include "ir/ops.def"
};

#define TILERY_OP(...) +1
inline constexpr int kOpCount = 0
#include "ir/ops.def"
    ;

enum class OpLevel : std::uint8_t { Tile, Gpu };
enum class OpFamily : std::uint8_t { Program, Shape, Map, Memory, Reduce, Dot, Control, Debug };

/// What an op does besides computing its results; see the legend in ops.def.
enum class OpEffects : std::uint8_t {
  Pure,
  Reads,
  Writes,
  ReadsWrites,
  Regions,
  Observes,
  Control
};

/// How often an operand group of the signature may occur.
enum class Arity : std::uint8_t { One, Optional, Pack };

/// What element types an operand accepts.
enum class ElementClass : std::uint8_t { Any, Number, Integer, Float, Pointer, Set };

/// One operand, region argument or result of a signature.
struct ValuePattern {
  std::string_view name;
  Arity arity = Arity::One;
  ElementClass element_class = ElementClass::Any;
  /// Patterns with the same element letter must have the same element type ('T', 'A', 'N', …; '\0'
  /// for a Set or fixed type).
  char element_letter = '\0';
  bool is_pointer_to = false;    ///< `*T`: a pointer to the letter's type
  std::uint32_t scalar_set = 0;  ///< for Set: bit i is Scalar(i)
  bool is_scalar = false;        ///< `[]`
  /// Extents: letters in order; a lower-case or '.'-marked entry is documented in op_table.cpp.
  /// "S..." is kept as the variadic letter.
  char variadic_letter = '\0';           ///< 'S' for S..., first in the list
  std::array<char, 4> extent_letters{};  ///< after the variadic part, '\0' ends
  std::array<std::uint8_t, 4> extent_divisors{};
};

enum class AttrKind : std::uint8_t { Int, Ints, Bool, String, Bits, Enum };

struct AttrPattern {
  std::string_view name;
  AttrKind kind{};
  bool has_default = false;
  std::string_view default_text;
  std::string_view enumerators;  ///< "a|b|c" for Enum
};

struct RegionPattern {
  std::string_view name;
  std::array<ValuePattern, 4> arguments{};
  int argument_count = 0;
  std::array<ValuePattern, 2> results{};
  int result_count = 0;
};

/// One row of ops.def.
struct OpDef {
  Op op{};
  std::string_view name;  ///< "ExpandDims"
  std::string_view id;    ///< "expand_dims"
  OpLevel level{};
  OpFamily family{};
  OpEffects effects{};
  std::string_view signature;
  std::string_view summary;
  std::array<ValuePattern, 6> operands{};
  int operand_count = 0;
  std::array<RegionPattern, 2> regions{};
  int region_count = 0;
  std::array<AttrPattern, 8> attrs{};
  int attr_count = 0;
  std::array<ValuePattern, 2> results{};
  int result_count = 0;

  [[nodiscard]] std::span<const ValuePattern> operand_patterns() const {
    return {operands.data(), static_cast<std::size_t>(operand_count)};
  }

  [[nodiscard]] std::span<const AttrPattern> attr_patterns() const {
    return {attrs.data(), static_cast<std::size_t>(attr_count)};
  }

  [[nodiscard]] std::span<const RegionPattern> region_patterns() const {
    return {regions.data(), static_cast<std::size_t>(region_count)};
  }

  [[nodiscard]] std::span<const ValuePattern> result_patterns() const {
    return {results.data(), static_cast<std::size_t>(result_count)};
  }

  /// Element-wise and pure.
  [[nodiscard]] bool is_map() const { return family == OpFamily::Map; }

  /// No effect but its results: may be removed when unused, merged with an equal one, moved out of
  /// loops.
  [[nodiscard]] bool is_pure() const { return effects == OpEffects::Pure; }

  [[nodiscard]] bool is_terminator() const { return effects == OpEffects::Control; }
};

[[nodiscard]] const OpDef& op_def(Op op);
/// The row with this id ("expand_dims"), or nullptr.
[[nodiscard]] const OpDef* find_op(std::string_view id);
[[nodiscard]] std::span<const OpDef> all_ops();

/// Position of the attribute `name` in the op's row; checked.
[[nodiscard]] int attr_index(Op op, std::string_view name);

}  // namespace tilery
