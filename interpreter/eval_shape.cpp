// splat, broadcast, expand_dims, reshape, trans.
//
// Most of them move nothing: a splat stays a splat, the elements of a reshaped dense tile lie where
// they lay (Planner::is_alias). Affine tiles and ranges get their axes renamed. What remains is
// copying rows of dense tiles from another order.
#include "interpreter/check/shadow.h"
#include "interpreter/eval.h"
#include "interpreter/state.h"
#include "ir/attributes.h"

#include <algorithm>

namespace tilery::interpreter {
namespace {

/// How the axes of a result follow from those of the operand.
struct AxisMap {
  /// Operand axis, or -1 for a new axis of extent 1.
  std::array<int, Shape::kMaxRank> source{};
  /// Steps along the operand's axis for one step along the result's.
  std::array<std::int64_t, Shape::kMaxRank> factor{};
};

struct RenameStep {
  SlotRef from;
  SlotRef to;
  AxisMap axes;
};

std::uint32_t run_rename_affine(ProgramState& state, const Step& step) {
  const auto& data = data_of<RenameStep>(step);
  const Affine& from = affine(state, data.from);
  Affine& to = affine(state, data.to);
  to.base = from.base;
  for (int axis = 0; axis < data.to.shape.rank(); ++axis) {
    const int source = data.axes.source[axis];
    const bool varies = source >= 0 && data.to.shape[axis] != 1;
    to.stride[axis] = varies ? from.stride[source] * data.axes.factor[axis] : 0;
  }
  return step.next;
}

std::uint32_t run_rename_box(ProgramState& state, const Step& step) {
  const auto& data = data_of<RenameStep>(step);
  const Box& from = box(state, data.from);
  Box& to = box(state, data.to);
  if (from.is_empty(data.from.shape.rank())) {
    to = Box{};
    return step.next;
  }
  to = Box::full(data.to.shape);
  for (int axis = 0; axis < data.to.shape.rank(); ++axis) {
    const int source = data.axes.source[axis];
    // An axis of extent 1 that is broadcast stays full.
    if (source >= 0 && data.from.shape[source] == data.to.shape[axis]) {
      to.low[axis] = from.low[source];
      to.high[axis] = from.high[source];
    }
  }
  return step.next;
}

// ---- dense tiles --------------------------------------------------------------------------------

struct CopyStep {
  SlotRef from;
  SlotRef to;
  /// Elements between neighbours along each axis of the result, in the operand.
  std::array<std::int64_t, Shape::kMaxRank> stride{};
  bool is_transpose = false;  ///< of a matrix: a kernel of its own
};

void copy_rows(const CopyStep& data, std::size_t width, const std::byte* from, std::byte* to) {
  const Shape& shape = data.to.shape;
  const std::size_t length = row_length(shape);
  const int last = shape.rank() - 1;
  const std::int64_t step = data.stride[last] * static_cast<std::int64_t>(width);
  const MemoryKernels& memory = kernels().memory(width);
  for_each_row(shape, [&](const auto& index, std::size_t row) {
    std::int64_t start = 0;
    for (int axis = 0; axis < last; ++axis) {
      start += data.stride[axis] * index[axis];
    }
    const std::byte* const source = from + start * static_cast<std::int64_t>(width);
    std::byte* const target = to + row * length * width;
    if (data.stride[last] == 1) {
      std::memcpy(target, source, length * width);
    } else if (data.stride[last] == 0) {
      memory.fill(target, source, length);
    } else {
      memory.load_strided(target, source, step, nullptr, {}, length);
    }
  });
}

void copy_tile(const CopyStep& data, std::size_t width, const std::byte* from, std::byte* to) {
  if (data.is_transpose) {
    kernels().memory(width).transpose(to, from, static_cast<std::size_t>(data.from.shape[0]),
                                      static_cast<std::size_t>(data.from.shape[1]));
  } else {
    copy_rows(data, width, from, to);
  }
}

void copy_codes(const CopyStep& data, const OriginCode* from, OriginCode* to) {
  copy_tile(data, sizeof(OriginCode), reinterpret_cast<const std::byte*>(from),
            reinterpret_cast<std::byte*>(to));
}

template <CheckLevel level>
std::uint32_t run_copy(ProgramState& state, const Step& step) {
  const auto& data = data_of<CopyStep>(step);
  copy_tile(data, data.to.width, bytes(state, data.from), bytes(state, data.to));
  if constexpr (level == CheckLevel::Tracked) {
    const SlotState& from = slot(state, data.from);
    SlotState& to = slot(state, data.to);
    to.has_undefined = from.has_undefined;
    to.has_events = from.has_events;
    if (from.has_undefined) {
      copy_codes(data, from.undefined, to.undefined);
    }
    if (from.has_events) {
      copy_codes(data, from.events, to.events);
    }
  }
  return step.next;
}

/// A reshape that changes the kind, such as an affine tile with merged axes, or a tile of one
/// element that becomes a scalar.
template <CheckLevel level>
std::uint32_t run_respell(ProgramState& state, const Step& step) {
  const auto& data = data_of<RenameStep>(step);
  copy_value(state, data.from, data.to);
  if constexpr (level == CheckLevel::Tracked) {
    copy_shadow(state, data.from, data.to);
  }
  return step.next;
}

// ---- planning -----------------------------------------------------------------------------------

AxisMap expanded_axes(const Inst& inst, int rank) {
  AxisMap map;
  const auto inserted = static_cast<int>(int_attr<"axis">(inst));
  for (int axis = 0; axis < rank; ++axis) {
    map.source[axis] = axis == inserted ? -1 : axis - (axis > inserted ? 1 : 0);
    map.factor[axis] = 1;
  }
  return map;
}

AxisMap transposed_axes(const Inst& inst) {
  AxisMap map;
  const auto order = ints_attr<"order">(inst);
  for (std::size_t axis = 0; axis < order.size(); ++axis) {
    map.source[axis] = static_cast<int>(order[axis]);
    map.factor[axis] = 1;
  }
  return map;
}

AxisMap same_axes(int rank) {
  AxisMap map;
  for (int axis = 0; axis < rank; ++axis) {
    map.source[axis] = axis;
    map.factor[axis] = 1;
  }
  return map;
}

/// From the innermost axis outwards: the axes of the result divide those of the operand.
AxisMap reshaped_axes(const Shape& from, const Shape& to) {
  AxisMap map;
  int source = from.rank() - 1;
  std::int64_t product = 1;
  for (int axis = to.rank() - 1; axis >= 0; --axis) {
    map.source[axis] = -1;
    map.factor[axis] = 1;
    if (to[axis] == 1) {
      continue;
    }
    while (source >= 0 && product == from[source]) {
      --source;
      product = 1;
    }
    map.source[axis] = source;
    map.factor[axis] = product;
    product *= to[axis];
  }
  return map;
}

AxisMap axis_map(const Inst& inst, const Shape& from, const Shape& to) {
  if (inst.op == Op::ExpandDims) {
    return expanded_axes(inst, to.rank());
  }
  if (inst.op == Op::Trans) {
    return transposed_axes(inst);
  }
  return inst.op == Op::Reshape ? reshaped_axes(from, to) : same_axes(to.rank());
}

void plan_copy(Planner& planner, InstId id, const AxisMap& axes) {
  auto& data = planner.data<CopyStep>();
  data.from = planner.ref(planner.inst(id).operand(0));
  data.to = planner.result(id);
  const Shape& from = data.from.shape;
  std::array<std::int64_t, Shape::kMaxRank> packed{};
  std::int64_t stride = 1;
  for (int axis = from.rank() - 1; axis >= 0; --axis) {
    packed[axis] = from[axis] == 1 ? 0 : stride;
    stride *= from[axis];
  }
  for (int axis = 0; axis < data.to.shape.rank(); ++axis) {
    data.stride[axis] = axes.source[axis] < 0 ? 0 : packed[axes.source[axis]] * axes.factor[axis];
  }
  data.is_transpose = planner.inst(id).op == Op::Trans && from.rank() == 2;
  planner.emit(id, TILERY_STEP_FNS(run_copy), &data);
}

void plan_shape(Planner& planner, InstId id) {
  if (planner.is_alias(id)) {
    return;
  }
  const Inst& inst = planner.inst(id);
  const SlotRef from = planner.ref(inst.operand(0));
  const SlotRef to = planner.result(id);
  if (from.kind != to.kind) {
    auto& data = planner.data<RenameStep>();
    data.from = from;
    data.to = to;
    return planner.emit(id, TILERY_STEP_FNS(run_respell), &data);
  }
  const AxisMap axes = axis_map(inst, from.shape, to.shape);
  if (to.kind == SlotKind::Dense) {
    return plan_copy(planner, id, axes);
  }
  auto& data = planner.data<RenameStep>();
  data = {from, to, axes};
  const StepFn run = to.kind == SlotKind::Affine ? run_rename_affine : run_rename_box;
  planner.emit(id, {run, run, nullptr}, &data);
}

}  // namespace

void eval_splat(Planner& planner, InstId inst) {
  plan_shape(planner, inst);
}

void eval_broadcast(Planner& planner, InstId inst) {
  plan_shape(planner, inst);
}

void eval_expand_dims(Planner& planner, InstId inst) {
  plan_shape(planner, inst);
}

void eval_reshape(Planner& planner, InstId inst) {
  plan_shape(planner, inst);
}

void eval_trans(Planner& planner, InstId inst) {
  plan_shape(planner, inst);
}

void eval_convert_layout(Planner& planner, InstId inst) {
  plan_shape(planner, inst);
}

}  // namespace tilery::interpreter
