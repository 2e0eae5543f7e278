// Two shapes become one (semantics 2.2): the shorter is padded with 1s on the left, and extents of
// 1 repeat.
#include "frontend/sema/tensor_ops.h"

#include <algorithm>

namespace tilery::sema {
namespace {

/// Extent of `axis`, counted in a shape of `rank` axes that `shape` is padded to.
std::int64_t padded_extent(const Shape& shape, int rank, int axis) {
  const int own = axis - (rank - shape.rank());
  return own < 0 ? 1 : shape[own];
}

/// The axis that cannot be broadcast, or -1; `result` gets the common shape.
int common_shape(const Shape& a, const Shape& b, Shape& result) {
  const int rank = std::max(a.rank(), b.rank());
  for (int axis = 0; axis < rank; ++axis) {
    const std::int64_t x = padded_extent(a, rank, axis);
    const std::int64_t y = padded_extent(b, rank, axis);
    if (x != y && x != 1 && y != 1) {
      return axis;
    }
    result.push_back(x == 1 ? y : x);
  }
  return -1;
}

/// `w[None, :]`-like advice if the shapes would fit with a new axis at the end of one of them.
std::string broadcast_help(Sema& sema, const Tensor& a, const Tensor& b, BinaryRanges ranges) {
  const auto fits = [](const Shape& x, const Shape& y) {
    Shape column = x;
    column.push_back(1);
    Shape ignored;
    return x.rank() >= 1 && common_shape(column, y, ignored) < 0;
  };
  const auto advice = [&](SourceRange range, int rank) {
    std::string text = operand_text(sema, range);
    const bool is_simple = std::ranges::all_of(
        text, [](char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0; });
    std::string index;
    for (int i = 0; i < rank; ++i) {
      index += ":, ";
    }
    return fmt::format("`{}[{}None]` adds an axis at the end", is_simple ? text : "(" + text + ")",
                       index);
  };
  if (a.type.shape.rank() < b.type.shape.rank() && fits(a.type.shape, b.type.shape)) {
    return advice(ranges.lhs, a.type.shape.rank());
  }
  if (b.type.shape.rank() < a.type.shape.rank() && fits(b.type.shape, a.type.shape)) {
    return advice(ranges.rhs, b.type.shape.rank());
  }
  if (a.type.shape.rank() == 1 && b.type.shape.rank() == 1) {
    return "`x[:, None]` and `y[None, :]` make a table of both";
  }
  return "extents must be equal, or one of them 1, counted from the last axis";
}

void report_mismatch(Sema& sema, const Tensor& a, const Tensor& b, int axis, BinaryRanges ranges,
                     WrittenOperands written) {
  const int rank = std::max(a.type.shape.rank(), b.type.shape.rank());
  Diagnostic& diagnostic = sema.report(DiagId::ShapesDoNotBroadcast, ranges.whole,
                                       a.type.shape.str(), b.type.shape.str());
  label_operands(sema, diagnostic, written.lhs != nullptr ? *written.lhs : Value{a},
                 written.rhs != nullptr ? *written.rhs : Value{b}, ranges);
  diagnostic
      .note(fmt::format("axis {} has extent {} on the left and {} on the right", axis,
                        padded_extent(a.type.shape, rank, axis),
                        padded_extent(b.type.shape, rank, axis)))
      .helped(broadcast_help(sema, a, b, ranges));
}

/// To a shape that is known to fit: pads on the left, then repeats.
Tensor expand_to(Sema& sema, const Tensor& x, const Shape& shape) {
  if (x.type.shape == shape) {
    return x;
  }
  if (x.type.is_scalar() || sema.function().constant_bits(x.id)) {
    const auto bits = sema.function().constant_bits(x.id);
    return bits ? tensor_of(sema, sema.builder().constant_bits(x.type.with_shape(shape), *bits))
                : splat(sema, x, shape);
  }
  Tensor padded = x;
  while (padded.type.shape.rank() < shape.rank()) {
    padded = expand_dims(sema, padded, 0);
  }
  return padded.type.shape == shape
             ? padded
             : tensor_of(sema, sema.builder().broadcast_to(padded.id, shape));
}

}  // namespace

std::optional<std::pair<Tensor, Tensor>> broadcast_pair(Sema& sema, const Tensor& a,
                                                        const Tensor& b, BinaryRanges ranges,
                                                        WrittenOperands written) {
  if (a.type.shape == b.type.shape) {
    return std::pair(a, b);
  }
  Shape shape;
  const int mismatch = common_shape(a.type.shape, b.type.shape, shape);
  if (mismatch >= 0) {
    report_mismatch(sema, a, b, mismatch, ranges, written);
    return {};
  }
  if (!check_block(sema, shape, ranges.whole)) {
    return {};
  }
  // One after the other: the order of a call's arguments is the compiler's choice.
  const Tensor right = expand_to(sema, b, shape);
  return std::pair(expand_to(sema, a, shape), right);
}

MaybeTensor broadcast_to(Sema& sema, const Tensor& x, const Shape& shape, SourceRange range) {
  if (x.type.is_scalar()) {
    return splat(sema, x, shape);
  }
  if (x.type.shape.rank() != shape.rank()) {
    sema.report(DiagId::BroadcastRank, range, x.type.shape.str(), shape.str())
        .helped("add axes first: `x[None, :]` or `x[:, None]`");
    return {};
  }
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const std::int64_t extent = x.type.shape[axis];
    if (extent != shape[axis] && extent != 1) {
      sema.report(DiagId::BroadcastExtent, range, x.type.shape.str(), shape.str(), axis, extent,
                  shape[axis])
          .helped("only axes of extent 1 repeat: add one with `x[:, None]`");
      return {};
    }
  }
  return expand_to(sema, x, shape);
}

}  // namespace tilery::sema
