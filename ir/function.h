// A function of the IR: the instructions of one specialised kernel.
//
// SSA with structured control flow. A region is a single block: arguments, instructions, a
// terminator. `for`, `while`, `if`, `reduce` and `scan` own regions. Everything lives in the
// function's arrays and is named by index, so that a function is copied, printed and compared as
// plain data. Erased instructions stay in `insts` but are in no region; `compact` (builder.h) is
// never needed for correctness.
#pragma once

#include "ir/op_table.h"
#include "ir/support/source.h"
#include "ir/type.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace tilery {

/// A typed index; the default is "none".
template <class Tag>
struct Id {
  static constexpr std::uint32_t kNone = 0xFFFFFFFFU;
  std::uint32_t index = kNone;
  constexpr Id() = default;

  constexpr explicit Id(std::size_t i) : index(static_cast<std::uint32_t>(i)) {}

  explicit operator bool() const { return index != kNone; }

  friend bool operator==(Id, Id) = default;
  friend auto operator<=>(Id, Id) = default;
};
using ValueId = Id<struct ValueTag>;
using InstId = Id<struct InstTag>;
using RegionId = Id<struct RegionTag>;
using LocId = Id<struct LocTag>;

/// Where an instruction comes from: a source range, and, inside an inlined helper, the call that
/// led there.
struct Location {
  SourceRange range;
  LocId caller;          ///< location of the call; none in the kernel itself
  std::string function;  ///< name of the function that contains `range`
  friend bool operator==(const Location&, const Location&) = default;
};

/// An attribute's value. Enum attributes hold the enumerator's index in the row. Bits: see
/// `constant`.
struct Bits {
  std::uint64_t value = 0;
  friend bool operator==(Bits, Bits) = default;
};

using Attr = std::variant<std::int64_t, std::vector<std::int64_t>, bool, std::string, Bits>;

/// The value that an attribute left unsaid has; the pattern must have a default.
[[nodiscard]] Attr default_attr(const AttrPattern& pattern);
/// True if the attribute holds what the pattern's kind asks for (an enum: one of its enumerators).
[[nodiscard]] bool attr_fits(const AttrPattern& pattern, const Attr& attr);

/// One instruction. Operands are grouped as in the op's row: `segments[g]` is the number of
/// operands of group g (0 or 1 for an optional one, any number for a pack). Results are consecutive
/// values.
struct Inst {
  static constexpr int kMaxGroups = 6;

  Op op{};
  LocId loc;
  RegionId parent;  ///< none once erased
  std::vector<ValueId> operands;
  std::array<std::uint16_t, kMaxGroups> segments{};
  ValueId first_result;
  std::uint32_t result_count = 0;
  std::vector<Attr> attrs;  ///< all of the row's attributes, in its order
  std::vector<RegionId> regions;

  /// The operands of group `g`.
  [[nodiscard]] std::span<const ValueId> group(int g) const;
  /// The operand of a group that has exactly one, or none for an absent optional.
  [[nodiscard]] ValueId operand(int g) const;

  [[nodiscard]] ValueId result(std::uint32_t i = 0) const {
    return ValueId(first_result.index + i);
  }

  [[nodiscard]] std::vector<ValueId> results() const;

  [[nodiscard]] std::int64_t int_attr(int i) const { return std::get<std::int64_t>(attrs[i]); }

  [[nodiscard]] bool bool_attr(int i) const { return std::get<bool>(attrs[i]); }

  [[nodiscard]] std::span<const std::int64_t> ints_attr(int i) const {
    return std::get<std::vector<std::int64_t>>(attrs[i]);
  }

  [[nodiscard]] const std::string& string_attr(int i) const {
    return std::get<std::string>(attrs[i]);
  }

  [[nodiscard]] std::uint64_t bits_attr(int i) const { return std::get<Bits>(attrs[i]).value; }
};

/// A value: the result of an instruction, or an argument of a region.
struct Value {
  Type type;
  InstId def;               ///< the defining instruction, or none for a region argument
  RegionId region;          ///< for a region argument
  std::uint32_t index = 0;  ///< which result or argument
  std::string name;         ///< the source variable, for printing and messages; may be empty
};

/// One block. `owner` is none for the function's body.
struct Region {
  InstId owner;
  std::vector<ValueId> args;
  std::vector<InstId> insts;
};

/// Facts about a run-time argument that the launch promises; they never change types.
struct ParamFacts {
  /// Integer: a multiple of 16 other than 0 (x % 0 has no run of consecutive numbers); pointer: an
  /// address aligned to 16 bytes.
  bool divisible_by_16 = false;
  bool equals_1 = false;
  friend bool operator==(const ParamFacts&, const ParamFacts&) = default;
};

/// A run-time parameter; compile-time ones are gone. Parameter i is argument i of the body region.
struct Param {
  std::string name;
  Type type;
  ParamFacts facts;
  SourceRange range;
};

struct Function {
  std::string name;
  std::vector<Param> params;
  RegionId body;
  std::vector<Inst> insts;
  std::vector<Value> values;
  std::vector<Region> regions;
  std::vector<Location> locations;

  [[nodiscard]] Inst& inst(InstId id) { return insts[id.index]; }

  [[nodiscard]] const Inst& inst(InstId id) const { return insts[id.index]; }

  [[nodiscard]] Value& value(ValueId id) { return values[id.index]; }

  [[nodiscard]] const Value& value(ValueId id) const { return values[id.index]; }

  [[nodiscard]] const Type& type(ValueId id) const { return values[id.index].type; }

  [[nodiscard]] Region& region(RegionId id) { return regions[id.index]; }

  [[nodiscard]] const Region& region(RegionId id) const { return regions[id.index]; }

  /// The terminator of a region; every finished region has one (the body's is a `yield` of
  /// nothing).
  [[nodiscard]] const Inst& terminator(RegionId id) const { return inst(region(id).insts.back()); }

  /// The source range of a location; nowhere for none.
  [[nodiscard]] SourceRange range(LocId loc) const;
  /// The bits of a value that a `constant` defines.
  [[nodiscard]] std::optional<std::uint64_t> constant_bits(ValueId id) const;
};

}  // namespace tilery
