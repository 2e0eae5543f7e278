#include "codegen/ring_layout.h"

#include "ir/analysis/loops.h"
#include "ir/builder.h"
#include "ir/operands.h"
#include "ir/support/check.h"

#include <algorithm>

namespace tilery::codegen {

std::vector<bool> find_ring_values(const Function& function) {
  std::vector<bool> is_ring(function.values.size(), false);
  for_each_inst(function, function.body, [&](InstId id) {
    const Inst& inst = function.inst(id);
    if (inst.op == Op::SharedRing || inst.op == Op::RingInsert) {
      is_ring[inst.result().index] = true;
    }
    if (!is_loop(inst.op)) {
      return;
    }
    // Instructions come before those that use them, and the initial value decides for all that a
    // loop carries.
    for (std::size_t i = 0; i < carried_count(inst); ++i) {
      const Carried carried = carried_value(function, inst, i);
      if (is_ring[carried.init.index]) {
        is_ring[carried.body_arg.index] = true;
        is_ring[carried.result.index] = true;
      }
    }
  });
  return is_ring;
}

RingLayout::RingLayout(const Shape& slot, int element_bytes, int fast_axis)
    : slot_(slot), element_bytes_(element_bytes), fast_axis_(fast_axis) {}

std::uint32_t RingLayout::slot_bytes() const {
  return static_cast<std::uint32_t>(slot_.numel()) * static_cast<std::uint32_t>(element_bytes_);
}

std::uint32_t RingLayout::offset(const Coordinates& at) const {
  constexpr std::uint32_t kChunk = 16;
  std::uint32_t row = 0;
  for (int axis = 0; axis < slot_.rank(); ++axis) {
    if (axis != fast_axis_) {
      row = row * static_cast<std::uint32_t>(slot_[axis]) + static_cast<std::uint32_t>(at[axis]);
    }
  }
  const auto width = static_cast<std::uint32_t>(element_bytes_);
  const std::uint32_t row_bytes = static_cast<std::uint32_t>(slot_[fast_axis_]) * width;
  const std::uint32_t column = static_cast<std::uint32_t>(at[fast_axis_]) * width;
  // Rows that share the 128 bytes of all banks take turns; shorter rows come two, four or eight to
  // a turn.
  const std::uint32_t chunks = std::min(row_bytes / kChunk, 8U);
  const std::uint32_t turn = chunks <= 1 ? 0 : (row / (8 / chunks)) & (chunks - 1);
  return row * row_bytes + (column ^ (turn * kChunk));
}

InstId ring_root(const Function& function, ValueId ring) {
  for (;;) {
    const Value& value = function.value(ring);
    if (!value.def) {
      const auto place = carried_place(function, ring);
      TILERY_CHECK(place, "only loops carry rings");
      ring = initial_values(function.inst(place->loop))[place->index];
      continue;
    }
    const Inst& inst = function.inst(value.def);
    if (inst.op == Op::SharedRing) {
      return value.def;
    }
    ring = inst.op == Op::RingInsert ? operand<"ring">(inst) : initial_values(inst)[value.index];
  }
}

namespace {

/// The first load whose tile goes into the ring.
InstId first_filling_load(const Function& function, InstId root) {
  InstId found;
  for_each_inst(function, function.body, [&](InstId id) {
    const Inst& inst = function.inst(id);
    if (found || inst.op != Op::RingInsert || ring_root(function, operand<"ring">(inst)) != root) {
      return;
    }
    const InstId tile = function.value(operand<"tile">(inst)).def;
    if (tile && function.inst(tile).op == Op::Load) {
      found = tile;
    }
  });
  return found;
}

}  // namespace

RingLayout ring_layout_of(const Function& function, const AxisTable& axes, InstId inst) {
  const InstId root = function.inst(inst).op == Op::SharedRing
                          ? inst
                          : ring_root(function, operand<"ring">(function.inst(inst)));
  const Type& type = function.type(function.inst(root).result());
  Shape slot = type.shape;
  slot.erase(0);
  const InstId load = first_filling_load(function, root);
  const int fast_axis = load ? access_order(axes, function, load).front() : slot.rank() - 1;
  return {slot, type.element.byte_size(), fast_axis};
}

std::uint32_t ring_bytes(const Function& function, const Inst& ring) {
  const Type& type = function.type(ring.result());
  return static_cast<std::uint32_t>(type.numel() * type.element.byte_size());
}

}  // namespace tilery::codegen
