// splat, broadcast, expand_dims, trans: no element moves between threads; registers are renamed. So
// it is with most reshapes; where extents are no powers of two elements may have to move, by the
// same plans as those of convert_layout (emit_convert.cpp).
#include "codegen/emit.h"
#include "codegen/emit_convert.h"
#include "codegen/emit_ring.h"
#include "ir/attributes.h"
#include "ir/support/check.h"

namespace tilery::codegen {
namespace {

std::int64_t row_major(const Coordinates& at, const Shape& shape) {
  std::int64_t number = 0;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    number = number * shape[axis] + at[axis];
  }
  return number;
}

/// Each register of the result is the operand's register that holds, in the same thread, the
/// element that `source_of` makes of the result's. It is enough to look at thread 0: the layouts'
/// thread bits agree (the contract of layout assignment).
template <class SourceOf>
void rename_registers(EmitContext& context, InstId id, SourceOf&& source_of) {
  const Inst& inst = context.inst(id);
  const Layout& from = context.layout(inst.operand(0));
  const Layout& to = context.layout(inst.result());
  const Registers& source = context.registers(inst.operand(0));
  Registers result;
  for (int reg = 0; reg < to.registers(); ++reg) {
    const auto found = from.register_of(source_of(to.element(reg, 0, 0)));
    TILERY_CHECK(found.has_value(), "layout assignment keeps elements in their threads");
    result.push_back(source[static_cast<std::size_t>(*found)]);
  }
  context.set(inst.result(), std::move(result));
}

}  // namespace

void emit_splat(EmitContext& context, InstId id) {
  const Inst& inst = context.inst(id);
  context.set(inst.result(),
              Registers(static_cast<std::size_t>(context.register_count(inst.result())),
                        context.scalar(inst.operand(0))));
}

void emit_broadcast(EmitContext& context, InstId id) {
  const Shape& from = context.type(context.inst(id).operand(0)).shape;
  rename_registers(context, id, [&](Coordinates at) {
    for (int axis = 0; axis < from.rank(); ++axis) {
      at[axis] = from[axis] == 1 ? 0 : at[axis];
    }
    return row_major(at, from);
  });
}

void emit_expand_dims(EmitContext& context, InstId id) {
  const Shape& to = context.type(context.inst(id).result()).shape;
  // An axis of extent 1 changes no row-major number.
  rename_registers(context, id, [&](const Coordinates& at) { return row_major(at, to); });
}

void emit_reshape(EmitContext& context, InstId id) {
  const Inst& inst = context.inst(id);
  const ValueId source = inst.operand(0);
  context.set(inst.result(),
              convert_registers(context, context.registers(source), context.type(source).element,
                                context.layout(source), context.layout(inst.result()), id));
}

void emit_trans(EmitContext& context, InstId id) {
  const Inst& inst = context.inst(id);
  if (deferred_read(context, inst.result())) {
    return;
  }
  const Shape& from = context.type(inst.operand(0)).shape;
  const auto order = ints_attr<"order">(inst);
  rename_registers(context, id, [&](const Coordinates& at) {
    Coordinates source{};
    for (std::size_t axis = 0; axis < order.size(); ++axis) {
      source[static_cast<std::size_t>(order[axis])] = at[axis];
    }
    return row_major(source, from);
  });
}

}  // namespace tilery::codegen
