// The C++ functions behind the rows of builtins.def, and how they read their arguments.
#pragma once

#include "frontend/sema/sema.h"

namespace tilery::sema {

/// Reads the bound arguments of one call by position in the row. Each reader reports what does not
/// fit, with the argument's own place, and returns nothing then.
class ArgumentReader {
 public:
  ArgumentReader(Sema& sema, const BoundArguments& arguments)
      : sema_(sema), arguments_(arguments) {}

  [[nodiscard]] const Value& value(int i) const {
    return arguments_.values[static_cast<std::size_t>(i)];
  }

  /// The argument's place; the whole call for one left out.
  [[nodiscard]] SourceRange range(int i) const;
  /// The label ranges of a call that works like an operator on arguments i and j.
  [[nodiscard]] BinaryRanges ranges(int i, int j) const;

  [[nodiscard]] bool is_none(int i) const { return value(i).is<NoneValue>(); }

  /// "tl.exp".
  [[nodiscard]] std::string function_name() const { return display_name(*arguments_.callee); }

  [[nodiscard]] std::string_view parameter_name(int i) const {
    return arguments_.callee->parameters[static_cast<std::size_t>(i)].name;
  }

  /// A tensor; numbers become scalar tensors of their own type.
  [[nodiscard]] MaybeTensor tensor(int i) const;
  /// A tensor of fp32 or fp64 (or fp32 only); literal numbers become floats.
  [[nodiscard]] MaybeTensor float_tensor(int i, bool is_fp32_only = false) const;
  /// A tensor or a number.
  [[nodiscard]] bool check_number(int i) const;
  [[nodiscard]] std::optional<bool> flag(int i) const;
  [[nodiscard]] std::optional<BigInt> integer(int i) const;
  [[nodiscard]] std::optional<std::string> text(int i) const;
  /// One of `allowed`, written as a string.
  [[nodiscard]] std::optional<std::string> choice(int i,
                                                  std::span<const std::string_view> allowed) const;
  /// A number type (or a pointer type) given as a dtype object.
  [[nodiscard]] std::optional<ElementType> dtype(int i) const;
  /// An axis of a tensor of `rank` axes; negative ones count from the last. `what` names the
  /// tensor.
  [[nodiscard]] std::optional<int> axis(int i, int rank, std::string_view what) const;
  /// A tuple of compile-time integers, or one integer.
  [[nodiscard]] std::optional<std::vector<std::int64_t>> integers(int i) const;
  /// A shape given as a tuple, or as an integer for one axis.
  [[nodiscard]] std::optional<Shape> shape(int i) const;
  /// A shape given by `*shape`: as one tuple, or as separate integers.
  [[nodiscard]] std::optional<Shape> variadic_shape() const;
  /// The compile-time integers given by `*dims`: as one tuple, or separately.
  [[nodiscard]] std::optional<std::vector<std::int64_t>> variadic_integers() const;

  /// "`x` of `tl.f` must be WHAT, not …", labelled and with advice where it is a run-time value.
  void report_type(int i, std::string_view what) const;
  void report_not_constexpr(int i, std::string_view what) const;
  /// "`tl.f` takes ALLOWED, not …", with advice to convert to `target`.
  void report_operand(int i, const Tensor& x, std::string_view allowed,
                      std::string_view target = "tl.float32") const;

 private:
  [[nodiscard]] std::optional<Shape> shape_of(std::span<const Value> extents,
                                              std::span<const SourceRange> ranges) const;
  /// `is_own`: the range is the element's, not that of the whole shape.
  [[nodiscard]] std::optional<std::int64_t> extent(const Value& value, std::size_t position,
                                                   SourceRange range, bool is_own) const;
  [[nodiscard]] std::optional<std::vector<std::int64_t>> integers_of(std::span<const Value> values,
                                                                     SourceRange range,
                                                                     int i) const;

  Sema& sema_;
  const BoundArguments& arguments_;
};

/// Reports a shape that strict mode, the element limit or the rank limit refuses.
[[nodiscard]] bool check_new_shape(Sema& sema, const Shape& shape, SourceRange range);
/// Advice to declare the value at `range` at compile time.
[[nodiscard]] std::string constexpr_help(Sema& sema, SourceRange range);
/// The axis that `axis` names among `rank`; reports it if there is none.
[[nodiscard]] std::optional<int> checked_axis(Sema& sema, BigInt axis, int rank,
                                              std::string_view what, SourceRange range);
/// The quotient rounded up, of compile-time or run-time integers.
[[nodiscard]] MaybeValue ceil_div(Sema& sema, const Value& x, const Value& y, BinaryRanges ranges);
/// Smaller or larger of two values as `tl.minimum` and `tl.maximum` compute it.
[[nodiscard]] MaybeValue extremum_of_two(Sema& sema, bool is_max, const Value& x, const Value& y,
                                         bool propagate_nan, BinaryRanges ranges);
/// `tl.max` along an axis as other builtins need it; all elements without one.
[[nodiscard]] MaybeTensor reduce_max(Sema& sema, const Tensor& x, std::optional<int> axis,
                                     bool keep_dims);
[[nodiscard]] MaybeTensor reduce_sum(Sema& sema, const Tensor& x, std::optional<int> axis,
                                     bool keep_dims);

/// Whether `x.name` would be found, without a report.
[[nodiscard]] bool has_attribute(const Value& object, std::string_view name);

namespace builtins {

#define TILERY_BUILTIN(modules, name, kind, signature, fn, summary) \
  [[nodiscard]] MaybeValue fn(Sema& sema, const BoundArguments& arguments);
#define TILERY_LATER(modules, name, kind, signature, summary, instead)
#include "frontend/sema/builtins.def"

}  // namespace builtins
}  // namespace tilery::sema
