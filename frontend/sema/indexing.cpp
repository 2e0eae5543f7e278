// `x[…]` (semantics 2.3): new axes on tensors, elements and slices of tuples.
#include "frontend/sema/constexpr_ops.h"
#include "frontend/sema/tensor_ops.h"

#include <algorithm>

namespace tilery::sema {
namespace {

bool is_new_axis(const SubscriptIndex& index) {
  return index.kind == SubscriptIndex::Kind::None ||
         (index.kind == SubscriptIndex::Kind::Value && index.value.is<NoneValue>());
}

MaybeValue report_element_index(Sema& sema, const Tensor& x, SourceRange range,
                                SourceRange object_range) {
  Diagnostic& diagnostic = sema.report(DiagId::SubscriptNotSupported, range);
  label_operand(sema, diagnostic, object_range, Value{x});
  diagnostic.helped(
      x.type.is_pointer()
          ? "memory is read with `tl.load(pointer + i)` and written with `tl.store(pointer + i, "
            "value)`"
          : "for one element write `tl.sum(tl.where(tl.arange(0, N) == i, x, 0))`; for several use "
            "`tl.gather`; for halves reshape and use `tl.split`");
  return {};
}

MaybeValue report_too_long(Sema& sema, const Tensor& x, SourceRange range,
                           SourceRange object_range) {
  const int rank = x.type.shape.rank();
  const std::string what = rank == 0   ? "no axes: it is a scalar"
                           : rank == 1 ? "1 axis"
                                       : fmt::format("{} axes", rank);
  Diagnostic& diagnostic = sema.report(DiagId::SubscriptTooLong, range, type_text(x.type), what);
  label_operand(sema, diagnostic, object_range, Value{x});
  diagnostic.helped(rank == 0 ? "a scalar takes `None` only: `x[None]` is a block of one element"
                              : "each `:` keeps one axis, each `None` adds one");
  return {};
}

MaybeValue tensor_subscript(Sema& sema, const Tensor& x, std::span<const SubscriptIndex> indices,
                            SourceRange range, SourceRange object_range) {
  Tensor result = x;
  int axis = 0;
  int kept = 0;
  for (const SubscriptIndex& index : indices) {
    if (index.kind == SubscriptIndex::Kind::FullSlice) {
      if (++kept > x.type.shape.rank()) {
        return report_too_long(sema, x, range, object_range);
      }
    } else if (!is_new_axis(index)) {
      return report_element_index(sema, x, range, object_range);
    }
    ++axis;
  }
  if (x.type.shape.rank() + (axis - kept) > Shape::kMaxRank) {
    sema.report(DiagId::RankTooLarge, range, x.type.shape.rank() + (axis - kept))
        .helped("merge axes with `tl.reshape`, or keep the last ones in a loop");
    return {};
  }
  axis = 0;
  for (const SubscriptIndex& index : indices) {
    if (is_new_axis(index)) {
      result = expand_dims(sema, result, axis);
    }
    ++axis;
  }
  return Value{result};
}

/// A bound of a slice; `absent` if it is left out or None.
std::optional<BigInt> slice_bound(Sema& sema, const std::optional<Value>& bound, BigInt absent,
                                  SourceRange range) {
  if (!bound || bound->is<NoneValue>()) {
    return absent;
  }
  const auto value = known_int(sema, *bound);
  if (!value) {
    sema.report(DiagId::IndexNotConstexpr, range, describe(*bound));
  }
  return value;
}

/// Python's slice of a tuple; names of a namedtuple are dropped.
MaybeValue tuple_slice(Sema& sema, const TupleValue& tuple, const SubscriptIndex& index) {
  const auto size = static_cast<BigInt>(tuple.elements.size());
  const auto step = slice_bound(sema, index.step, 1, index.range);
  if (!step) {
    return {};
  }
  if (*step == 0) {
    sema.report(DiagId::ArgumentValue, index.range, "step", "slice", "0", "it must move")
        .helped("`t[::1]` takes every element, `t[::2]` every other");
    return {};
  }
  const bool is_forward = *step > 0;
  const auto begin = slice_bound(sema, index.begin, is_forward ? BigInt{0} : size - 1, index.range);
  const BigInt open_end = is_forward ? size : -size - 1;
  const auto end = slice_bound(sema, index.end, open_end, index.range);
  if (!begin || !end) {
    return {};
  }
  const auto clamped = [&](BigInt bound) {
    const BigInt from_end = bound < 0 ? bound + size : bound;
    return is_forward ? std::clamp(from_end, BigInt{0}, size)
                      : std::clamp(from_end, BigInt{-1}, size - 1);
  };
  TupleValue result;
  const BigInt last = clamped(*end);
  for (BigInt i = clamped(*begin); is_forward ? i < last : i > last; i += *step) {
    result.elements.push_back(tuple.elements[static_cast<std::size_t>(i)]);
  }
  return Value{std::move(result)};
}

/// Position of a compile-time index in a sequence of `size`, counted from the end if negative.
std::optional<std::size_t> element_position(Sema& sema, const SubscriptIndex& index,
                                            std::size_t size, SourceRange range) {
  const auto value = known_int(sema, index.value);
  if (!value) {
    sema.report(DiagId::IndexNotConstexpr, index.range, describe(index.value))
        .helped("use `tl.static_range` for the loop, or a chain of `if`");
    return {};
  }
  const BigInt position = *value < 0 ? *value + static_cast<BigInt>(size) : *value;
  if (position < 0 || position >= static_cast<BigInt>(size)) {
    sema.report(DiagId::IndexOutOfRange, range, to_string(*value), size)
        .helped(size == 0 ? "the tuple is empty"
                          : fmt::format("indices go from 0 to {}", size - 1));
    return {};
  }
  return static_cast<std::size_t>(position);
}

MaybeValue tuple_subscript(Sema& sema, const TupleValue& tuple, const SubscriptIndex& index,
                           SourceRange range) {
  if (index.kind == SubscriptIndex::Kind::FullSlice) {
    return Value{TupleValue{tuple.elements, {}, {}}};
  }
  if (index.kind == SubscriptIndex::Kind::Slice) {
    return tuple_slice(sema, tuple, index);
  }
  if (index.kind != SubscriptIndex::Kind::Value) {
    sema.report(DiagId::IndexNotConstexpr, index.range,
                index.kind == SubscriptIndex::Kind::None ? "None" : "...");
    return {};
  }
  const auto position = element_position(sema, index, tuple.elements.size(), range);
  return position ? MaybeValue(tuple.elements[*position]) : std::nullopt;
}

}  // namespace

MaybeValue subscript(Sema& sema, const Value& object, std::span<const SubscriptIndex> indices,
                     SourceRange range, SourceRange object_range) {
  if (const auto* tensor = object.as<Tensor>()) {
    sema.set_range(range);
    return tensor_subscript(sema, *tensor, indices, range, object_range);
  }
  const auto* tuple = object.as<TupleValue>();
  if (tuple != nullptr && indices.size() == 1) {
    return tuple_subscript(sema, *tuple, indices[0], range);
  }
  Diagnostic& diagnostic =
      sema.report(DiagId::NotSubscriptable, range, describe(object),
                  tuple != nullptr ? fmt::format(" with {} indices", indices.size()) : "");
  diagnostic.helped(tuple != nullptr ? "a tuple takes one index: `t[i][j]`"
                                     : "tuples, and blocks with `None` and `:`, take brackets");
  explain_nothing(diagnostic, object);
  return {};
}

}  // namespace tilery::sema
