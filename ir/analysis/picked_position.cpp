#include "ir/analysis/picked_position.h"

#include "ir/analysis/combine_kind.h"
#include "ir/attributes.h"
#include "ir/operands.h"

namespace tilery {
namespace {

const Inst* def(const Function& function, ValueId value, Op op) {
  const InstId id = function.value(value).def;
  return id && function.inst(id).op == op ? &function.inst(id) : nullptr;
}

/// The value before axes of extent 1 were inserted.
ValueId before_reshapes(const Function& function, ValueId value) {
  for (const Op op : {Op::Reshape, Op::ExpandDims}) {
    if (const Inst* inst = def(function, value, op)) {
      return before_reshapes(function, inst->operand(0));
    }
  }
  return value;
}

/// The flags along the axis alone, one for each position; nothing if they differ along others, too.
ValueId flags_along(const Function& function, ValueId condition, int axis) {
  const std::int64_t length = function.type(condition).shape[axis];
  const Inst* broadcast = def(function, condition, Op::Broadcast);
  const ValueId narrow = broadcast != nullptr ? broadcast->operand(0) : condition;
  const Shape& shape = function.type(narrow).shape;
  const bool is_row = shape[axis] == length && shape.numel() == length;
  return is_row ? before_reshapes(function, narrow) : ValueId();
}

/// The position whose flag is set: `arange == constant`.
std::optional<std::int64_t> flagged(const Function& function, ValueId flags) {
  const Inst* equal = def(function, flags, Op::Eq);
  if (equal == nullptr) {
    return std::nullopt;
  }
  for (const int side : {0, 1}) {
    const Inst* range = def(function, equal->operand(side), Op::Arange);
    const auto wanted = function.constant_bits(equal->operand(1 - side));
    if (range != nullptr && wanted) {
      const auto position = static_cast<std::int32_t>(*wanted) - int_attr<"start">(*range);
      const std::int64_t length = function.type(flags).numel();
      return position >= 0 && position < length ? std::optional(position) : std::nullopt;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::int64_t> picked_position(const Function& function, const Inst& reduce) {
  const bool is_or = reduce.op == Op::Reduce && reduce.operands.size() == 1 &&
                     combine_kind(function, reduce.regions[0]) == CombineKind::Or;
  const Inst* select = is_or ? def(function, reduce.operand(0), Op::Select) : nullptr;
  if (select == nullptr ||
      function.constant_bits(operand<"if_false">(*select)) != std::uint64_t{0}) {
    return std::nullopt;
  }
  const auto axis = static_cast<int>(int_attr<"axis">(reduce));
  const ValueId flags = flags_along(function, operand<"condition">(*select), axis);
  return flags ? flagged(function, flags) : std::nullopt;
}

}  // namespace tilery
