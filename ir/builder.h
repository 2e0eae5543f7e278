// Making and changing functions.
#pragma once

#include "ir/function.h"

#include <initializer_list>
#include <string_view>
#include <utility>

namespace tilery {

/// What `create` needs beside the op. Groups follow the op's row; trailing absent optional groups
/// may be left out.
struct InstSpec {
  std::vector<std::vector<ValueId>> groups;
  /// Attributes by name; those left out take the row's default (checked if it has none).
  std::vector<std::pair<std::string_view, Attr>> attrs;
  /// Needed where infer.h says that operands do not fix them; otherwise may be empty.
  std::vector<Type> result_types;
  std::vector<RegionId> regions;
};

/// Appends instructions to the end of one region of a function (or before an instruction). Result
/// types are inferred from the row; a wrong call is our own mistake and aborts with the row and the
/// operand types.
class Builder {
 public:
  explicit Builder(Function& function) : function_(function) {}

  [[nodiscard]] Function& function() { return function_; }

  /// Where new instructions go: the end of a region, or before an instruction of it.
  void set_region(RegionId region);
  void set_before(InstId inst);

  [[nodiscard]] RegionId region() const { return region_; }

  /// The location that new instructions get.
  void set_loc(LocId loc) { loc_ = loc; }

  [[nodiscard]] LocId loc() const { return loc_; }

  [[nodiscard]] LocId add_location(Location location);

  /// A detached region with arguments of these types; attach it by passing it to `create`.
  [[nodiscard]] RegionId make_region(std::span<const Type> argument_types);
  ValueId add_region_argument(RegionId region, Type type, std::string name = {});

  InstId create(Op op, InstSpec spec);
  /// Puts a finished instruction (op, operands, segments, attributes, regions) here, unchecked,
  /// with results of these types. For copies of instructions that were valid; others use `create`.
  InstId place(Inst inst, std::span<const Type> result_types);
  /// Shorthands for ops with one operand each in all groups, no attributes that need a value, and
  /// one result.
  ValueId map(Op op, std::initializer_list<ValueId> operands);
  /// `create` for an op with one result, giving it.
  ValueId value(Op op, InstSpec spec);

  /// Splat constants. `bits` as the row says; the others convert to the element type (floats to
  /// nearest even, ints wrap).
  ValueId constant_bits(Type type, std::uint64_t bits);
  ValueId constant_int(Type type, std::int64_t v);
  ValueId constant_float(Type type, double v);

  /// Common single ops, typed. `cast` is the identity if the element type already fits, `splat_to`
  /// and `broadcast_to` likewise.
  ValueId cast(ValueId x, ElementType to, bool toward_zero = false);
  ValueId bitcast(ValueId x, ElementType to);
  ValueId splat_to(ValueId scalar, const Shape& shape);
  ValueId broadcast_to(ValueId x, const Shape& shape);
  void yield(std::vector<ValueId> values);

 private:
  Function& function_;
  RegionId region_;
  InstId before_;
  LocId loc_;
};

/// Encodes a number as the bits of `scalar`, zero-extended: floats to nearest even, integers
/// wrapped.
[[nodiscard]] std::uint64_t encode_float(Scalar scalar, double v);
[[nodiscard]] std::uint64_t encode_int(Scalar scalar, std::int64_t v);
/// Decodes bits of a float type (exact), or of an integer type (sign- or zero-extended).
[[nodiscard]] double decode_float(Scalar scalar, std::uint64_t bits);
[[nodiscard]] std::int64_t decode_int(Scalar scalar, std::uint64_t bits);

/// A new function with an empty body region whose arguments are the parameters.
[[nodiscard]] Function make_function(std::string name, std::vector<Param> params);

/// Every use of `from` in the function becomes `to`.
void replace_uses(Function& function, ValueId from, ValueId to);
/// Takes the instruction out of its region (its regions go with it). Its results must be unused.
void erase(Function& function, InstId inst);
/// A deep copy of a region's instructions into the builder's place, operands mapped through `map`
/// (value index → value), which is extended by the copies' results. The terminator is not copied;
/// its mapped operands are returned.
std::vector<ValueId> inline_region(Builder& builder, RegionId region, std::vector<ValueId>& map);

/// A deep copy of one instruction into the builder's place, like `inline_region`.
void copy_inst(Builder& builder, InstId inst, std::vector<ValueId>& map);

/// Calls `visit(InstId)` for every instruction of a region and of nested regions, outer before
/// inner, in order.
template <class Visit>
void for_each_inst(const Function& function, RegionId region, Visit&& visit) {
  for (const InstId id : std::vector<InstId>(function.region(region).insts)) {
    visit(id);
    for (const RegionId nested : std::vector<RegionId>(function.inst(id).regions)) {
      for_each_inst(function, nested, visit);
    }
  }
}

}  // namespace tilery
