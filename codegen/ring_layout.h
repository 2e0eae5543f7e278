// Where a ring's tiles lie in shared memory.
#pragma once

#include "codegen/analysis/axis_info.h"
#include "codegen/layout/layout.h"
#include "ir/function.h"

#include <cstdint>
#include <vector>

namespace tilery::codegen {

/// The values that are rings: results of shared_ring and ring_insert, and what loops carry of them.
/// By value.
[[nodiscard]] std::vector<bool> find_ring_values(const Function& function);

/// One slot of a ring: the tile with `fast_axis` contiguous and the others in order around it, in
/// 16-byte chunks whose place in a row of 128 bytes is XORed with the row's number, so that eight
/// rows' chunks of one column lie in different banks. All extents are powers of two, so an offset
/// is the XOR of what its index bits contribute.
class RingLayout {
 public:
  RingLayout(const Shape& slot, int element_bytes, int fast_axis);

  [[nodiscard]] const Shape& slot() const { return slot_; }

  [[nodiscard]] int element_bytes() const { return element_bytes_; }

  [[nodiscard]] int fast_axis() const { return fast_axis_; }

  /// Bytes of one slot.
  [[nodiscard]] std::uint32_t slot_bytes() const;
  /// Byte offset of an element in its slot.
  [[nodiscard]] std::uint32_t offset(const Coordinates& at) const;

 private:
  Shape slot_;
  int element_bytes_ = 1;
  int fast_axis_ = 0;
};

/// The layout of the ring that an instruction (shared_ring, ring_insert, ring_read) makes or uses.
/// The fast axis is that of the load which first fills it.
[[nodiscard]] RingLayout ring_layout_of(const Function& function, const AxisTable& axes,
                                        InstId inst);

/// The shared_ring that a ring value goes back to.
[[nodiscard]] InstId ring_root(const Function& function, ValueId ring);

/// Bytes of shared memory of a shared_ring.
[[nodiscard]] std::uint32_t ring_bytes(const Function& function, const Inst& ring);

}  // namespace tilery::codegen
