// Shapes: broadcasting, new axes, reshaping, permuting.
#include "frontend/sema/builtins.h"
#include "frontend/sema/constexpr_ops.h"
#include "frontend/sema/reduction.h"
#include "frontend/sema/tensor_ops.h"

#include <algorithm>
#include <numeric>

namespace tilery::sema {
namespace {

std::string list_text(const std::vector<std::int64_t>& values) {
  return fmt::format("({})", fmt::join(values, ", "));
}

MaybeValue reshaped(Sema& sema, const Tensor& x, const Shape& shape, const ArgumentReader& reader) {
  if (shape.numel() != x.type.numel()) {
    Diagnostic& diagnostic = sema.report(DiagId::ReshapeCount, reader.range(1), x.type.shape.str(),
                                         shape.str(), x.type.numel(), shape.numel());
    label_operand(sema, diagnostic, reader.ranges(0, 1).lhs, reader.value(0));
    diagnostic.helped(fmt::format("the extents must multiply to {}", x.type.numel()));
    return {};
  }
  return Value{reshape(sema, x, shape)};
}

MaybeValue permuted(Sema& sema, const Tensor& x, const std::vector<std::int64_t>& order) {
  std::vector<std::int64_t> identity(order.size());
  std::iota(identity.begin(), identity.end(), 0);
  if (order == identity) {
    return Value{x};
  }
  return Value{make(sema, Op::Trans, {x}, {{"order", order}})};
}

bool is_permutation(const std::vector<std::int64_t>& order, int rank) {
  std::vector<std::int64_t> sorted = order;
  std::ranges::sort(sorted);
  std::vector<std::int64_t> identity(static_cast<std::size_t>(rank));
  std::iota(identity.begin(), identity.end(), 0);
  return sorted == identity;
}

MaybeValue checked_permutation(Sema& sema, const Tensor& x, const std::vector<std::int64_t>& order,
                               const ArgumentReader& reader) {
  if (!is_permutation(order, x.type.shape.rank())) {
    Diagnostic& diagnostic =
        sema.report(DiagId::NotAPermutation, reader.range(1), list_text(order), type_text(x.type));
    label_operand(sema, diagnostic, reader.ranges(0, 1).lhs, reader.value(0));
    diagnostic.helped(fmt::format("name each of the axes 0 to {} once", x.type.shape.rank() - 1));
    return {};
  }
  return permuted(sema, x, order);
}

/// The axes of the result at which `expand_dims` inserts, sorted.
std::optional<std::vector<int>> new_axes(Sema& sema, const Tensor& x,
                                         const std::vector<std::int64_t>& given,
                                         SourceRange range) {
  const int rank = x.type.shape.rank() + static_cast<int>(given.size());
  if (rank > Shape::kMaxRank) {
    sema.report(DiagId::RankTooLarge, range, rank)
        .helped("merge axes with `tl.reshape`, or keep the last ones in a loop");
    return {};
  }
  std::vector<int> axes;
  for (const std::int64_t axis : given) {
    const auto checked = checked_axis(sema, axis, rank, "the result", range);
    if (!checked) {
      return {};
    }
    axes.push_back(*checked);
  }
  std::ranges::sort(axes);
  const auto repeated = std::ranges::adjacent_find(axes);
  if (repeated != axes.end()) {
    sema.report(DiagId::AxisRepeated, range, *repeated)
        .helped("each axis of the result is named once; negative ones count from the last");
    return {};
  }
  return axes;
}

/// Two tensors of one type in their common shape, to which an axis of extent 2 can be added.
std::optional<std::pair<Tensor, Tensor>> join_operands(Sema& sema, const ArgumentReader& reader) {
  const BinaryRanges ranges = reader.ranges(0, 1);
  const MaybeTensor a = reader.tensor(0);
  const MaybeTensor b = reader.tensor(1);
  if (!a || !b) {
    return {};
  }
  if (a->type.element != b->type.element) {
    Diagnostic& diagnostic = sema.report(DiagId::JoinTypes, ranges.whole, reader.function_name(),
                                         type_text(a->type), type_text(b->type));
    label_operands(sema, diagnostic, reader.value(0), reader.value(1), ranges);
    diagnostic.helped("convert one of them with `.to(…)`");
    return {};
  }
  const auto pair = broadcast_pair(sema, *a, *b, ranges);
  if (!pair) {
    return {};
  }
  Shape shape = pair->first.type.shape;
  if (shape.rank() == Shape::kMaxRank) {
    sema.report(DiagId::RankTooLarge, ranges.whole, shape.rank() + 1)
        .helped("merge axes with `tl.reshape`, or keep the last ones in a loop");
    return {};
  }
  shape.push_back(2);
  return check_block(sema, shape, ranges.whole) ? pair : std::nullopt;
}

/// Where the last axis, of extent 2, is at `position`; in the given shape.
Tensor is_at(Sema& sema, std::int64_t position, const Shape& shape) {
  const Tensor positions =
      make(sema, Op::Arange, {}, {{"start", std::int64_t{0}}, {"end", std::int64_t{2}}});
  const Tensor wanted = int_constant(sema, positions.type, position);
  Shape row;
  for (int axis = 0; axis + 1 < shape.rank(); ++axis) {
    row.push_back(1);
  }
  row.push_back(2);
  const Tensor flags = reshape(sema, map(sema, Op::Eq, {positions, wanted}), row);
  return tensor_of(sema, sema.builder().broadcast_to(flags.id, shape));
}

/// Stacks along a new last axis of extent 2: its position chooses between the two.
Tensor stacked(Sema& sema, const Tensor& a, const Tensor& b) {
  const int rank = a.type.shape.rank();
  Shape shape = a.type.shape;
  shape.push_back(2);
  const auto repeated = [&](const Tensor& x) {
    return tensor_of(sema, sema.builder().broadcast_to(expand_dims(sema, x, rank).id, shape));
  };
  return map(sema, Op::Select, {is_at(sema, 0, shape), repeated(a), repeated(b)});
}

MaybeTensor joined(Sema& sema, const ArgumentReader& reader) {
  const auto pair = join_operands(sema, reader);
  return pair ? MaybeTensor(stacked(sema, pair->first, pair->second)) : std::nullopt;
}

/// The integer type that holds the bits of an element.
Scalar bits_type(const ElementType& element) {
  if (!element.is_pointer() && is_integer(element.scalar)) {
    return element.scalar;
  }
  switch (element.byte_size()) {
    case 1:
      return Scalar::I8;
    case 2:
      return Scalar::I16;
    case 4:
      return Scalar::I32;
    default:
      return Scalar::I64;
  }
}

/// One half of a last axis of extent 2: the bits of the other half become 0, and `or` along the
/// axis gives those that are left. Lanes that are not wanted are dropped before the reduction, so
/// that undefined ones among them do not reach it.
Tensor half(Sema& sema, const Tensor& x, std::int64_t position) {
  Builder& builder = sema.builder();
  const Tensor bits = tensor_of(sema, builder.bitcast(x.id, bits_type(x.type.element)));
  const Tensor kept =
      map(sema, Op::Select,
          {is_at(sema, position, x.type.shape), bits, int_constant(sema, bits.type, 0)});
  const std::vector<Tensor> inputs{kept};
  const Tensor folded = reduce_with(sema, inputs, x.type.shape.rank() - 1, false,
                                    combine_of(sema, CombineKind::Or, inputs))[0];
  return tensor_of(sema, builder.bitcast(folded.id, x.type.element));
}

}  // namespace

namespace builtins {

MaybeValue broadcast_both(Sema& sema, const BoundArguments& arguments) {
  const ArgumentReader reader(sema, arguments);
  const MaybeTensor a = reader.tensor(0);
  const MaybeTensor b = reader.tensor(1);
  const auto pair = a && b ? broadcast_pair(sema, *a, *b, reader.ranges(0, 1)) : std::nullopt;
  if (!pair) {
    return {};
  }
  return Value{TupleValue{{Value{pair->first}, Value{pair->second}}, {}, {}}};
}

MaybeValue broadcast_to_shape(Sema& sema, const BoundArguments& arguments) {
  const ArgumentReader reader(sema, arguments);
  const MaybeTensor x = reader.tensor(0);
  const auto shape = reader.variadic_shape();
  const MaybeTensor result =
      x && shape ? broadcast_to(sema, *x, *shape, arguments.call) : std::nullopt;
  return result ? MaybeValue(Value{*result}) : std::nullopt;
}

MaybeValue expand_axes(Sema& sema, const BoundArguments& arguments) {
  const ArgumentReader reader(sema, arguments);
  const MaybeTensor x = reader.tensor(0);
  const auto given = reader.integers(1);
  const auto axes = x && given ? new_axes(sema, *x, *given, reader.range(1)) : std::nullopt;
  if (!axes) {
    return {};
  }
  Tensor result = *x;
  for (const int axis : *axes) {
    result = expand_dims(sema, result, axis);
  }
  return Value{result};
}

MaybeValue reshape_to(Sema& sema, const BoundArguments& arguments) {
  const ArgumentReader reader(sema, arguments);
  const MaybeTensor x = reader.tensor(0);
  const auto shape = reader.variadic_shape();
  if (!x || !shape) {
    return {};
  }
  return reshaped(sema, *x, *shape, reader);
}

MaybeValue ravel(Sema& sema, const BoundArguments& arguments) {
  const ArgumentReader reader(sema, arguments);
  const MaybeTensor x = reader.tensor(0);
  if (!x) {
    return {};
  }
  return Value{reshape(sema, *x, Shape{x->type.numel()})};
}

MaybeValue item(Sema& sema, const BoundArguments& arguments) {
  const ArgumentReader reader(sema, arguments);
  const MaybeTensor x = reader.tensor(0);
  if (!x) {
    return {};
  }
  if (x->type.numel() != 1) {
    sema.report(DiagId::ItemCount, arguments.call, type_text(x->type))
        .helped("reduce it first, for example with `tl.max`");
    return {};
  }
  return Value{reshape(sema, *x, Shape())};
}

MaybeValue squeeze(Sema& sema, const BoundArguments& arguments) {
  const ArgumentReader reader(sema, arguments);
  const MaybeTensor x = reader.tensor(0);
  const auto axis =
      x ? reader.axis(1, x->type.shape.rank(), type_text(x->type)) : std::optional<int>();
  if (!axis) {
    return {};
  }
  if (x->type.shape[*axis] != 1) {
    sema.report(DiagId::SqueezeExtent, reader.range(1), *axis, x->type.shape[*axis])
        .helped("a reduction such as `tl.sum` removes longer axes");
    return {};
  }
  Shape shape = x->type.shape;
  shape.erase(*axis);
  return Value{reshape(sema, *x, shape)};
}

MaybeValue unsqueeze(Sema& sema, const BoundArguments& arguments) {
  return expand_axes(sema, arguments);
}

MaybeValue transpose(Sema& sema, const BoundArguments& arguments) {
  const ArgumentReader reader(sema, arguments);
  const MaybeTensor x = reader.tensor(0);
  const auto dims = reader.variadic_integers();
  if (!x || !dims) {
    return {};
  }
  if (!dims->empty()) {
    return checked_permutation(sema, *x, *dims, reader);
  }
  const int rank = x->type.shape.rank();
  if (rank < 2) {
    sema.report(DiagId::TransposeRank, arguments.call, reader.function_name(),
                "a block of at least 2 axes", type_text(x->type))
        .helped("add an axis first: `x[:, None]`");
    return {};
  }
  std::vector<std::int64_t> order(static_cast<std::size_t>(rank));
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[order.size() - 1], order[order.size() - 2]);
  return permuted(sema, *x, order);
}

MaybeValue permute(Sema& sema, const BoundArguments& arguments) {
  const ArgumentReader reader(sema, arguments);
  const MaybeTensor x = reader.tensor(0);
  const auto dims = reader.variadic_integers();
  if (!x || !dims) {
    return {};
  }
  return checked_permutation(sema, *x, *dims, reader);
}

MaybeValue join(Sema& sema, const BoundArguments& arguments) {
  const ArgumentReader reader(sema, arguments);
  const MaybeTensor result = joined(sema, reader);
  return result ? MaybeValue(Value{*result}) : std::nullopt;
}

MaybeValue split(Sema& sema, const BoundArguments& arguments) {
  const ArgumentReader reader(sema, arguments);
  const MaybeTensor x = reader.tensor(0);
  if (!x) {
    return {};
  }
  const int rank = x->type.shape.rank();
  if (rank == 0 || x->type.shape[rank - 1] != 2) {
    sema.report(DiagId::TransposeRank, arguments.call, reader.function_name(),
                "a block whose last axis has extent 2", type_text(x->type))
        .helped("bring the pairs into the last axis with `tl.reshape` and `tl.permute`");
    return {};
  }
  return Value{TupleValue{{Value{half(sema, *x, 0)}, Value{half(sema, *x, 1)}}, {}, {}}};
}

MaybeValue interleave(Sema& sema, const BoundArguments& arguments) {
  const ArgumentReader reader(sema, arguments);
  const MaybeTensor pairs = joined(sema, reader);
  if (!pairs) {
    return {};
  }
  Shape shape = pairs->type.shape;
  const int rank = shape.rank();
  if (rank == 1) {
    return Value{*pairs};
  }
  shape.set(rank - 2, shape[rank - 2] * 2);
  shape.erase(rank - 1);
  return Value{reshape(sema, *pairs, shape)};
}

MaybeValue cat(Sema& sema, const BoundArguments& arguments) {
  const ArgumentReader reader(sema, arguments);
  const MaybeTensor a = reader.tensor(0);
  const MaybeTensor b = reader.tensor(1);
  const auto can_reorder = reader.flag(2);
  if (!a || !b || !can_reorder) {
    return {};
  }
  const auto axis = reader.axis(3, std::max(a->type.shape.rank(), 1), type_text(a->type));
  if (!axis) {
    return {};
  }
  if (a->type.shape != b->type.shape || a->type.is_scalar()) {
    Diagnostic& diagnostic =
        sema.report(DiagId::CatShapes, arguments.call, a->type.shape.str(), b->type.shape.str());
    label_operands(sema, diagnostic, reader.value(0), reader.value(1), reader.ranges(0, 1));
    diagnostic.helped("pad the smaller one, or store the two parts one after the other");
    return {};
  }
  const MaybeTensor pairs = joined(sema, reader);
  if (!pairs) {
    return {};
  }
  // The axis of the two sources goes in front of the one that they are joined along.
  const int rank = a->type.shape.rank();
  std::vector<std::int64_t> order(static_cast<std::size_t>(rank));
  std::iota(order.begin(), order.end(), 0);
  order.insert(order.begin() + *axis, rank);
  const MaybeValue moved = permuted(sema, *pairs, order);
  Shape shape = a->type.shape;
  shape.set(*axis, shape[*axis] * 2);
  return Value{reshape(sema, *moved->as<Tensor>(), shape)};
}

}  // namespace builtins
}  // namespace tilery::sema
