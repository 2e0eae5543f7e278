// Rules on the shapes of tiles: chains become one op, and uniform work moves to where it is small.
#include "ir/attributes.h"
#include "ir/passes/canonicalise_rules.h"

#include <array>
#include <vector>

namespace tilery::canonical {
namespace {

/// The scalar that fills the tile, if a splat defines it.
ValueId splatted(const Context& c, ValueId value) {
  const Inst* splat = c.def(value, Op::Splat);
  return splat != nullptr ? splat->operand(0) : ValueId();
}

bool is_constant(const Context& c, ValueId value) {
  return c.function.constant_bits(value).has_value();
}

/// A constant or splat again, in another shape.
ValueId refill(Context& c, ValueId uniform, const Shape& shape) {
  if (const ValueId scalar = splatted(c, uniform)) {
    return c.builder.splat_to(scalar, shape);
  }
  const Type type = c.type(uniform).with_shape(shape);
  return c.builder.constant_bits(type, *c.function.constant_bits(uniform));
}

ValueId same_type(const Context& c, const Inst& inst) {
  return c.type(inst.operand(0)) == c.type(inst.result()) ? inst.operand(0) : ValueId();
}

/// `splat (constant)` → a constant tile
ValueId splat_of_constant(Context& c, const Inst& inst) {
  const auto bits = c.function.constant_bits(inst.operand(0));
  return bits ? c.constant(inst, *bits) : ValueId();
}

/// `broadcast (broadcast x)` → `broadcast x`
ValueId broadcast_of_broadcast(Context& c, const Inst& inst) {
  const Inst* inner = c.def(inst.operand(0), Op::Broadcast);
  return inner != nullptr ? c.like(inst, {inner->operand(0)}, c.type(inst.result())) : ValueId();
}

/// `reshape (reshape x)` → `reshape x`; an inserted axis of extent 1 is a reshape, too.
ValueId reshape_of_reshape(Context& c, const Inst& inst) {
  for (const Op op : {Op::Reshape, Op::ExpandDims}) {
    if (const Inst* inner = c.def(inst.operand(0), op)) {
      const ValueId x = inner->operand(0);
      const Type type = c.type(inst.result());
      return c.type(x) == type ? x : c.like(inst, {x}, type);
    }
  }
  return {};
}

/// Axes that stay where they are.
ValueId trans_in_order(const Context&, const Inst& inst) {
  std::int64_t i = 0;
  for (const std::int64_t axis : ints_attr<"order">(inst)) {
    if (axis != i++) {
      return {};
    }
  }
  return inst.operand(0);
}

/// `trans (trans x, p), q`: result axis i is axis q[i] of the middle, which is axis p[q[i]] of x.
ValueId trans_of_trans(Context& c, const Inst& inst) {
  const Inst* inner = c.def(inst.operand(0), Op::Trans);
  if (inner == nullptr) {
    return {};
  }
  std::vector<std::int64_t> order;
  for (const std::int64_t axis : ints_attr<"order">(inst)) {
    order.push_back(ints_attr<"order">(*inner)[static_cast<std::size_t>(axis)]);
  }
  Inst merged = inst;
  merged.attrs[0] = order;
  return c.like(merged, {inner->operand(0)}, c.type(inst.result()));
}

// clang-format off
constexpr std::array kRules{
    Rule{Op::Splat, [](Context& c, const Inst& i) { return same_type(c, i); }},
    Rule{Op::Splat, splat_of_constant},
    Rule{Op::Broadcast, [](Context& c, const Inst& i) { return same_type(c, i); }},
    Rule{Op::Broadcast, broadcast_of_broadcast},
    Rule{Op::Reshape, [](Context& c, const Inst& i) { return same_type(c, i); }},
    Rule{Op::Reshape, reshape_of_reshape},
    Rule{Op::Trans, [](Context& c, const Inst& i) { return trans_in_order(c, i); }},
    Rule{Op::Trans, trans_of_trans},
};
// clang-format on

/// What the operands of an element-wise op have in common.
struct OperandShapes {
  bool has_splat = false;
  bool all_uniform = true;
  /// The shape that all broadcasts among the operands start from.
  std::optional<Shape> narrow;
  /// False if an operand is neither uniform nor such a broadcast.
  bool hoistable = true;
};

OperandShapes operand_shapes(const Context& c, const Inst& inst) {
  OperandShapes shapes;
  for (const ValueId operand : inst.operands) {
    if (splatted(c, operand) || is_constant(c, operand)) {
      shapes.has_splat |= !is_constant(c, operand);
      continue;
    }
    shapes.all_uniform = false;
    const Inst* broadcast = c.def(operand, Op::Broadcast);
    if (broadcast == nullptr) {
      shapes.hoistable = false;
      continue;
    }
    const Shape& source = c.type(broadcast->operand(0)).shape;
    shapes.hoistable &= !shapes.narrow || *shapes.narrow == source;
    shapes.narrow = source;
  }
  return shapes;
}

}  // namespace

std::span<const Rule> shape_rules() {
  return kRules;
}

bool is_elementwise(const OpDef& def) {
  return def.is_map() || (def.is_pure() && def.family == OpFamily::Memory);
}

//     %a = splat %x : f32[8]
//     %b = reshape %a : f32[2, 4]        →      %b = splat %x : f32[2, 4]
//
// A scalar made a tile by another op than splat is a splat, too.
ValueId reshape_uniform(Context& c, const Inst& inst) {
  if (op_def(inst.op).family != OpFamily::Shape || inst.op == Op::Splat) {
    return {};
  }
  const ValueId x = inst.operand(0);
  if (c.type(x).is_scalar() && !is_constant(c, x)) {
    return c.builder.splat_to(x, c.type(inst.result()).shape);
  }
  const bool uniform = splatted(c, x) || is_constant(c, x);
  return uniform ? refill(c, x, c.type(inst.result()).shape) : ValueId();
}

//     %a = splat %x : i32[64]
//     %b = splat %y : i32[64]            →      %d = mul %x, %y : i32
//     %c = mul %a, %b : i32[64]                 %c = splat %d : i32[64]
ValueId sink_splats(Context& c, const Inst& inst) {
  const Type type = c.type(inst.result());
  const OperandShapes shapes = operand_shapes(c, inst);
  if (type.is_scalar() || !shapes.all_uniform || !shapes.has_splat) {
    return {};
  }
  std::vector<ValueId> scalars;
  scalars.reserve(inst.operands.size());
  for (const ValueId operand : inst.operands) {
    scalars.push_back(refill(c, operand, Shape()));
  }
  const ValueId scalar = c.like(inst, std::move(scalars), type.with_shape(Shape()));
  return c.builder.splat_to(scalar, type.shape);
}

//     %a = broadcast %x : i32[64, 32]           (%x: i32[64, 1])
//     %b = splat %n : i32[64, 32]        →      %b = splat %n : i32[64, 1]
//     %c = lt %a, %b : i1[64, 32]               %d = lt %x, %b : i1[64, 1]
//                                               %c = broadcast %d : i1[64, 32]
ValueId hoist_broadcasts(Context& c, const Inst& inst) {
  const Type type = c.type(inst.result());
  const OperandShapes shapes = operand_shapes(c, inst);
  if (!shapes.hoistable || !shapes.narrow || shapes.narrow->numel() >= type.numel()) {
    return {};
  }
  std::vector<ValueId> narrow;
  narrow.reserve(inst.operands.size());
  for (const ValueId operand : inst.operands) {
    const Inst* broadcast = c.def(operand, Op::Broadcast);
    narrow.push_back(broadcast != nullptr ? broadcast->operand(0)
                                          : refill(c, operand, *shapes.narrow));
  }
  const ValueId small = c.like(inst, std::move(narrow), type.with_shape(*shapes.narrow));
  return c.builder.broadcast_to(small, type.shape);
}

}  // namespace tilery::canonical
