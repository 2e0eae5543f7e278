// The op table as data: enum Op, and one OpDef a row of ops.def with its signature read.
//
// Signatures are read at compile time (signature.h says how they are written); a mistake in a row
// stops the build at that row.
#pragma once

#include "ir/signature.h"

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
enum class OpFamily : std::uint8_t {
  Program,
  Shape,
  Map,
  Memory,
  Reduce,
  Dot,
  Control,
  Shared,
  Debug
};

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
  Signature parts;  ///< `signature`, read

  [[nodiscard]] std::span<const ValuePattern> operand_patterns() const {
    return {parts.operands.data(), static_cast<std::size_t>(parts.operand_count)};
  }

  [[nodiscard]] std::span<const AttrPattern> attr_patterns() const {
    return {parts.attrs.data(), static_cast<std::size_t>(parts.attr_count)};
  }

  [[nodiscard]] std::span<const RegionPattern> region_patterns() const {
    return {parts.regions.data(), static_cast<std::size_t>(parts.region_count)};
  }

  [[nodiscard]] std::span<const ValuePattern> result_patterns() const {
    return {parts.results.data(), static_cast<std::size_t>(parts.result_count)};
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

/// The column's spelling in ops.def: "Tile", "Memory", "ReadsWrites".
[[nodiscard]] std::string_view level_name(OpLevel level);
[[nodiscard]] std::string_view family_name(OpFamily family);
[[nodiscard]] std::string_view effects_name(OpEffects effects);

}  // namespace tilery
