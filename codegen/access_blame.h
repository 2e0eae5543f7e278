// From a narrow access back to what in the kernel or its arguments makes it narrow. Private to
// codegen.
#pragma once

#include "codegen/access_plan.h"
#include "codegen/analysis/axis_info.h"
#include "ir/function.h"

#include <cstdint>
#include <string>

namespace tilery::codegen {

/// Follows addresses and masks of one function to their sources, along one axis of the tile.
class Blame {
 public:
  Blame(const Function& function, const AxisTable& axes, int axis)
      : function_(function), axes_(axes), axis_(axis) {}

  /// Why the address's neighbours along the axis are no neighbours in memory.
  [[nodiscard]] AccessReason for_contiguity(ValueId address) const;
  /// Why a piece of the address may begin anywhere.
  [[nodiscard]] AccessReason for_alignment(ValueId address) const;
  /// Why the mask may change within a piece.
  [[nodiscard]] AccessReason for_mask(ValueId mask) const;

 private:
  /// What a value comes from, best to blame first.
  struct Source {
    enum class Kind : std::uint8_t { Parameter, Load, Other, Constant, Program };
    Kind kind = Kind::Other;
    std::string name;  ///< of a parameter or variable
    bool is_pointer = false;
    std::int64_t constant = 0;
    bool is_constant = false;
  };

  [[nodiscard]] AxisFacts facts(ValueId value) const;
  /// What a value's elements are known to be multiples of, in elements for a pointer.
  [[nodiscard]] std::int64_t multiple_of(ValueId value) const;
  /// The source of a value's divisibility: sums by their worst part, products by what can be
  /// changed.
  [[nodiscard]] Source source_of(ValueId value, int depth = 0) const;
  [[nodiscard]] Source source_of_argument(ValueId value, int depth) const;
  [[nodiscard]] static const Source& better(const Source& a, const Source& b);
  /// The factor by which elements along the axis lie apart, if a product says so.
  [[nodiscard]] ValueId stride_of(ValueId value, int depth = 0) const;
  [[nodiscard]] static AccessReason about_multiple(const Source& source, const char* consequence);

  const Function& function_;
  const AxisTable& axes_;
  int axis_;
};

}  // namespace tilery::codegen
