// How regular a value is along each axis: what decides the width of memory accesses.
//
// For a value and an axis, powers of two (gpu_codegen's lattice, source: Triton's AxisInfo):
//   contiguity    elements come in runs of this many that count up by 1 (a run starts at each
//   multiple of it) divisibility  the first element of every run is a multiple of this; of a
//   pointer: in bytes constancy     elements come in runs of this many equal ones
// and for a whole value an optional constant. Facts of parameters (ParamFacts, equals_1 included)
// and hints (multiple_of …) feed it.
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
  std::optional<std::int64_t> constant;
  friend bool operator==(const AxisInfo&, const AxisInfo&) = default;
};

/// The facts of all values of a function; a snapshot.
class AxisTable {
 public:
  /// Facts of a value; those that promise nothing for values that are not integers or pointers.
  [[nodiscard]] const AxisInfo& of(ValueId value) const;

 private:
  friend AxisTable find_axis_info(const Function& function);
  std::vector<AxisInfo> infos_;
};

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
