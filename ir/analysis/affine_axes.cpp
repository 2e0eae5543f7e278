#include "ir/analysis/affine_rules.h"

namespace tilery::affine {
namespace {

AxisMap broadcast_axes(const Shape& from, const Shape& to) {
  AxisMap map;
  for (int i = 0; i < to.rank(); ++i) {
    map.push_back(from[i] == to[i] ? i : -1);
  }
  return map;
}

AxisMap expand_axes(const Shape& to, std::int64_t axis) {
  AxisMap map;
  for (int i = 0; i < to.rank(); ++i) {
    map.push_back(i == axis ? -1 : i - (i > axis ? 1 : 0));
  }
  return map;
}

/// Only axes of extent 1 come and go.
std::optional<AxisMap> reshape_axes(const Shape& from, const Shape& to) {
  AxisMap map;
  int source = 0;
  const auto skip_units = [&] {
    while (source < from.rank() && from[source] == 1) {
      ++source;
    }
  };
  for (int i = 0; i < to.rank(); ++i) {
    if (to[i] == 1) {
      map.push_back(-1);
      continue;
    }
    skip_units();
    if (source == from.rank() || from[source] != to[i]) {
      return std::nullopt;
    }
    map.push_back(source++);
  }
  skip_units();
  return source == from.rank() ? std::optional(map) : std::nullopt;
}

}  // namespace

std::optional<AxisMap> axis_map(const Function& function, const Inst& inst) {
  const Shape& from = function.type(inst.operand(0)).shape;
  const Shape& to = function.type(inst.result()).shape;
  if (inst.op == Op::Splat) {
    return AxisMap(static_cast<std::size_t>(to.rank()), -1);
  }
  if (inst.op == Op::Broadcast) {
    return broadcast_axes(from, to);
  }
  if (inst.op == Op::ExpandDims) {
    const std::int64_t axis = inst.int_attr(0);
    return expand_axes(to, axis < 0 ? axis + to.rank() : axis);
  }
  if (inst.op == Op::Trans) {
    const auto order = inst.ints_attr(0);
    return AxisMap(order.begin(), order.end());
  }
  if (inst.op == Op::ConvertLayout) {
    return broadcast_axes(from, to);
  }
  return inst.op == Op::Reshape ? reshape_axes(from, to) : std::nullopt;
}

}  // namespace tilery::affine
