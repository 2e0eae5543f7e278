// How regular a value is along each axis: what decides the width of memory accesses.
//
// For a value and an axis, powers of two (the lattice is that of Triton's AxisInfo):
//
//   contiguity    elements come in runs of this many that count up by 1; a run starts at each
//                 multiple of it. Of a pointer: by 1 element of the pointee.
//   divisibility  the first element of every run is a multiple of this. Of a pointer: in bytes.
//   constancy     elements come in runs of this many equal ones.
//
//     offs = 128 * pid + arange(0, 128)      contiguity 128, divisibility 128, constancy 1
//     x_ptr + offs, x_ptr aligned to 16      contiguity 128, divisibility 16 (bytes), constancy 1
//     offs < n, n % 16 == 0                  constancy 16: a piece of 16 is wholly in or out
//
// and for a whole value an optional constant. Facts of parameters (ParamFacts) and the hints
// multiple_of, max_contiguous and max_constancy feed it. Runs never cross an extent's odd part: of
// 96 = 3 · 32 lanes at most 32 form a run.
//
// Contiguity is meant modulo 2^width: the run may hold the place where an integer wraps. A piece of
// a run that starts at a multiple of its own length never does, so whoever relies on a piece of c
// elements bounds c by the divisibility, too, as every rule and `access_elements` do.
#pragma once

#include "ir/function.h"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace tilery::codegen {

/// Facts along one axis.
struct AxisFacts {
  std::int64_t contiguity = 1;
  std::int64_t divisibility = 1;
  std::int64_t constancy = 1;
  friend bool operator==(const AxisFacts&, const AxisFacts&) = default;
};

/// Facts of one value; a scalar has one axis of extent 1.
struct AxisInfo {
  std::vector<AxisFacts> axes;
  /// An integer that every element equals.
  std::optional<std::int64_t> constant;
  /// No element is below 0, unless an index computation wraps (which interpret mode reports).
  bool non_negative = false;
  /// No element is 0. Known of constants and of parameters that are multiples of 16.
  bool non_zero = false;
  friend bool operator==(const AxisInfo&, const AxisInfo&) = default;
};

/// The facts of all values of a function; a snapshot.
class AxisTable {
 public:
  /// Facts of a value. For values that are neither integers nor pointers only constancy says
  /// anything. Checked: the value was in the function.
  [[nodiscard]] const AxisInfo& of(ValueId value) const;

 private:
  friend AxisTable find_axis_info(const Function& function);
  std::vector<AxisInfo> infos_;
};

/// A forward walk; loops are repeated until what they carry no longer changes.
[[nodiscard]] AxisTable find_axis_info(const Function& function);

/// Axes of an access from the most to the least contiguous in memory (ties: the last axis first).
[[nodiscard]] std::vector<int> access_order(const AxisTable& table, const Function& function,
                                            InstId access);

/// Elements along `axis` that a load or store may move at once as far as addresses and mask are
/// concerned: a power of two, at most 16 bytes' worth. The layout's contiguous_registers limits it
/// further.
[[nodiscard]] int access_elements(const AxisTable& table, const Function& function, InstId access,
                                  int axis);

}  // namespace tilery::codegen
