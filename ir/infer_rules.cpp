#include "ir/infer_rules.h"

#include "ir/operands.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace tilery {
namespace {

std::string infer_program_id(OpUse& use) {
  const std::int64_t axis = use.int_attr(0);
  return axis >= 0 && axis <= 2 ? std::string()
                                : fmt::format("axis {} of `{}` is not 0, 1 or 2", axis, use.def.id);
}

std::string infer_constant(OpUse& use) {
  const ElementType element = use.results[0].element;
  const int bits = element.is_pointer() ? 64 : bit_width(element.scalar);
  const std::uint64_t value = std::get<Bits>(use.attrs[0]).value;
  return bits == 64 || value >> bits == 0
             ? std::string()
             : fmt::format("`value` of `constant` has bits that `{}` does not", element.str());
}

std::string infer_arange(OpUse& use) {
  constexpr std::int64_t kLimit = std::int64_t{1} << 31;
  const std::int64_t start = use.int_attr(0);
  const std::int64_t end = use.int_attr(1);
  if (start < -kLimit || end > kLimit || start >= end) {
    return fmt::format("`arange` from {} to {}: the end must be greater, and both within 32 bits",
                       start, end);
  }
  if (end - start >= kLimit) {
    return fmt::format("`arange` from {} to {} has too many elements", start, end);
  }
  use.results = {Type(Scalar::I32, Shape{end - start})};
  return {};
}

std::string infer_broadcast(OpUse& use) {
  const Type& from = use.operand(0);
  const Type& to = use.results[0];
  bool fits = from.shape.rank() == to.shape.rank();
  for (int axis = 0; fits && axis < to.shape.rank(); ++axis) {
    fits = from.shape[axis] == to.shape[axis] || from.shape[axis] == 1;
  }
  return fits ? std::string()
              : fmt::format(
                    "`x` of `broadcast` is `{}`, the result `{}`: both must have the same number "
                    "of axes, and each extent must stay or grow from 1",
                    from.str(), to.str());
}

std::string infer_expand_dims(OpUse& use) {
  const Type& from = use.operand(0);
  const std::int64_t axis = use.int_attr(0);
  if (from.shape.rank() == Shape::kMaxRank) {
    return fmt::format("`x` of `expand_dims` has {} axes already, the most there can be",
                       Shape::kMaxRank);
  }
  if (axis < 0 || axis > from.shape.rank()) {
    return fmt::format("axis {} of `expand_dims` is not between 0 and {}", axis, from.shape.rank());
  }
  use.results = {from};
  use.results[0].shape.insert(static_cast<int>(axis), 1);
  return {};
}

std::string infer_reshape(OpUse& use) {
  const Type& from = use.operand(0);
  const Type& to = use.results[0];
  return from.numel() == to.numel()
             ? std::string()
             : fmt::format(
                   "`x` of `reshape` has shape `{}` and {} elements, the result `{}` and "
                   "{}: the number must stay",
                   from.shape.str(), from.numel(), to.shape.str(), to.numel());
}

std::string infer_trans(OpUse& use) {
  const Type& from = use.operand(0);
  const auto& order = std::get<std::vector<std::int64_t>>(use.attrs[0]);
  const auto rank = static_cast<std::size_t>(from.shape.rank());
  std::vector<bool> seen(rank, false);
  bool fits = order.size() == rank;
  for (std::size_t i = 0; fits && i < rank; ++i) {
    fits =
        order[i] >= 0 && std::cmp_less(order[i], rank) && !seen[static_cast<std::size_t>(order[i])];
    if (fits) {
      seen[static_cast<std::size_t>(order[i])] = true;
    }
  }
  if (!fits) {
    return fmt::format("`order` of `trans`, [{}], is not a permutation of the {} axes of `{}`",
                       fmt::join(order, ", "), rank, from.str());
  }
  use.results = {from};
  for (std::size_t i = 0; i < rank; ++i) {
    use.results[0].shape.set(static_cast<int>(i), from.shape[static_cast<int>(order[i])]);
  }
  return {};
}

std::string infer_cast(OpUse& use) {
  const ElementType from = use.operand(0).element;
  const ElementType to = use.results[0].element;
  if (to.is_pointer()) {
    return fmt::format("`cast` of `{}` to `{}`: pointers are reinterpreted by `bitcast`",
                       from.str(), to.str());
  }
  const bool narrows =
      is_float(from.scalar) && is_float(to.scalar) && bit_width(to.scalar) < bit_width(from.scalar);
  const bool toward_zero = use.int_attr(0) != 0;
  return narrows || !toward_zero
             ? std::string()
             : fmt::format(
                   "`cast` of `{}` to `{}` with a rounding mode: only a conversion to a "
                   "narrower float rounds",
                   from.str(), to.str());
}

std::string infer_bitcast(OpUse& use) {
  const ElementType from = use.operand(0).element;
  const ElementType to = use.results[0].element;
  const auto width = [](ElementType e) { return e.is_pointer() ? 64 : bit_width(e.scalar); };
  const auto is_address = [](ElementType e) {
    return e.is_pointer() || (is_integer(e.scalar) && bit_width(e.scalar) == 64);
  };
  const bool has_pointer = from.is_pointer() || to.is_pointer();
  if (width(from) == width(to) && (!has_pointer || (is_address(from) && is_address(to)))) {
    return {};
  }
  return fmt::format("`bitcast` of `{}` to `{}`: {}", from.str(), to.str(),
                     has_pointer
                         ? "a pointer is reinterpreted as a pointer or a 64-bit integer"
                         : fmt::format("they are {} and {} bits wide", width(from), width(to)));
}

/// What `reduce` and `scan` have in common: one or more tiles of one shape, and an axis of it.
std::string check_fold(const OpUse& use) {
  const std::vector<Type>& tiles = use.operands[0];
  if (tiles.empty()) {
    return fmt::format("`{}` needs at least one operand", use.def.id);
  }
  for (const Type& tile : tiles) {
    if (tile.shape != tiles.front().shape) {
      return fmt::format("operands of `{}` are `{}` and `{}`: their shapes must be the same",
                         use.def.id, tiles.front().str(), tile.str());
    }
  }
  const int rank = tiles.front().shape.rank();
  if (rank == 0) {
    return fmt::format("`{}` of a scalar, `{}`, has no axis to go along", use.def.id,
                       tiles.front().str());
  }
  const std::int64_t axis = use.int_attr(0);
  return axis >= 0 && axis < rank ? std::string()
                                  : fmt::format("axis {} of `{}` is not an axis of `{}`", axis,
                                                use.def.id, tiles.front().str());
}

std::string infer_reduce(OpUse& use) {
  std::string error = check_fold(use);
  if (error.empty()) {
    use.results = use.operands[0];
    for (Type& type : use.results) {
      type.shape.erase(static_cast<int>(use.int_attr(0)));
    }
  }
  return error;
}

std::string infer_scan(OpUse& use) {
  return check_fold(use);
}

std::string infer_dot(OpUse& use) {
  const ElementType a = use.operand(0).element;
  const ElementType acc = use.operand(2).element;
  const bool numbers = !a.is_pointer() && !acc.is_pointer();
  if (numbers && is_float(a.scalar) == is_float(acc.scalar) && !a.is(Scalar::I1)) {
    return {};
  }
  return fmt::format(
      "`dot` of `{}` tiles into `{}`: it multiplies floats into floats and integers "
      "into integers",
      a.str(), acc.str());
}

std::string infer_for(OpUse& use) {
  const bool has_exit = std::get<bool>(use.attrs[0]);
  const std::vector<Type>& init = use.operands[3];
  return !has_exit || (!init.empty() && init.front() == Type(Scalar::I1))
             ? std::string()
             : "the first carried value of a `for` with `has_exit` must be an `i1`";
}

std::string infer_while(OpUse& use) {
  const Region& cond = use.function.region(use.regions[0]);
  if (cond.insts.empty() || use.function.inst(cond.insts.back()).op != Op::Condition) {
    return {};
  }
  const Inst& condition = use.function.inst(cond.insts.back());
  const std::span<const ValueId> values = operand_pack<"values">(condition);
  const std::vector<Type>& init = use.operands[0];
  const bool fits = std::ranges::equal(values, init, [&](ValueId value, const Type& type) {
    return use.function.type(value) == type;
  });
  return fits ? std::string() : "`condition` must pass on values of the types that `while` carries";
}

std::string infer_splat(OpUse& /*use*/) {
  return {};
}

/// The extents of one slot of a ring.
Shape slot_shape(const Type& ring) {
  Shape shape = ring.shape;
  shape.erase(0);
  return shape;
}

std::string infer_shared_ring(OpUse& use) {
  return use.results.front().shape.rank() >= 2
             ? std::string()
             : "a ring has an axis of slots and those of its tiles";
}

std::string infer_ring_insert(OpUse& use) {
  const Type& ring = use.operand(0);
  return ring.shape.rank() >= 2 && use.operand(2).shape == slot_shape(ring)
             ? std::string()
             : "`tile` must have the extents of a slot of `ring`";
}

std::string infer_ring_read(OpUse& use) {
  const Type& ring = use.operand(0);
  if (ring.shape.rank() < 2) {
    return "a ring has an axis of slots and those of its tiles";
  }
  use.results = {ring.with_shape(slot_shape(ring))};
  return {};
}

constexpr InferRule kRules[] = {
    {Op::ProgramId, InferRuleKind::Checks, infer_program_id},
    {Op::NumPrograms, InferRuleKind::Checks, infer_program_id},
    {Op::Constant, InferRuleKind::Given, infer_constant},
    {Op::Arange, InferRuleKind::Computes, infer_arange},
    {Op::Splat, InferRuleKind::Given, infer_splat},
    {Op::Broadcast, InferRuleKind::Given, infer_broadcast},
    {Op::ExpandDims, InferRuleKind::Computes, infer_expand_dims},
    {Op::Reshape, InferRuleKind::Given, infer_reshape},
    {Op::Trans, InferRuleKind::Computes, infer_trans},
    {Op::Cast, InferRuleKind::Given, infer_cast},
    {Op::Bitcast, InferRuleKind::Given, infer_bitcast},
    {Op::Reduce, InferRuleKind::Computes, infer_reduce},
    {Op::Scan, InferRuleKind::Checks, infer_scan},
    {Op::Dot, InferRuleKind::Checks, infer_dot},
    {Op::For, InferRuleKind::Checks, infer_for},
    {Op::While, InferRuleKind::Checks, infer_while},
    {Op::SharedRing, InferRuleKind::Given, infer_shared_ring},
    {Op::RingInsert, InferRuleKind::Checks, infer_ring_insert},
    {Op::RingRead, InferRuleKind::Computes, infer_ring_read},
};

}  // namespace

const InferRule* infer_rule_of(Op op) {
  static constexpr std::array<const InferRule*, kOpCount> kByOp = [] {
    std::array<const InferRule*, kOpCount> rules{};
    for (const InferRule& rule : kRules) {
      rules[static_cast<std::size_t>(rule.op)] = &rule;
    }
    return rules;
  }();
  return kByOp[static_cast<std::size_t>(op)];
}

}  // namespace tilery
