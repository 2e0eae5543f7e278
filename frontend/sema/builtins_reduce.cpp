// Reductions (semantics 4.1).
#include "frontend/sema/operators.h"
#include "frontend/sema/reduction.h"
#include "frontend/sema/tensor_ops.h"

#include <algorithm>

namespace tilery::sema {
namespace {

std::vector<Tensor> results_of(Sema& sema, InstId inst) {
  std::vector<Tensor> results;
  const Inst& made = sema.function().inst(inst);
  for (std::uint32_t i = 0; i < made.result_count; ++i) {
    results.push_back(tensor_of(sema, made.result(i)));
  }
  return results;
}

std::vector<Type> element_types(std::span<const Tensor> inputs) {
  std::vector<Type> types;
  for (const Tensor& input : inputs) {
    types.emplace_back(input.type.element);
  }
  return types;
}

InstSpec fold_spec(const std::vector<Tensor>& inputs, int axis, RegionId combine) {
  InstSpec spec;
  spec.groups.emplace_back();
  for (const Tensor& input : inputs) {
    spec.groups[0].push_back(input.id);
  }
  spec.attrs = {{"axis", std::int64_t{axis}}};
  spec.regions = {combine};
  return spec;
}

Shape kept_shape(const Shape& shape, std::optional<int> axis) {
  Shape result = shape;
  for (int i = 0; i < shape.rank(); ++i) {
    if (!axis || *axis == i) {
      result.set(i, 1);
    }
  }
  return result;
}

/// A fold of one tensor; `axis` empty for all elements.
Tensor fold(Sema& sema, CombineKind kind, const Tensor& x, std::optional<int> axis,
            bool keep_dims) {
  const std::array<Tensor, 1> inputs{x};
  return reduce_with(sema, {x}, axis, keep_dims, combine_of(sema, kind, inputs))[0];
}

/// The position of each element along `axis`, int32.
Tensor positions(Sema& sema, const Shape& shape, int axis) {
  const Tensor row = make(sema, Op::Arange, {}, {{"start", std::int64_t{0}}, {"end", shape[axis]}});
  Shape line;
  for (int i = 0; i < shape.rank(); ++i) {
    line.push_back(i == axis ? shape[axis] : 1);
  }
  const Tensor shaped = reshape(sema, row, line);
  return tensor_of(sema, sema.builder().broadcast_to(shaped.id, shape));
}

/// Value and index of the extremum.
std::vector<Tensor> arg_fold(Sema& sema, bool is_max, bool tie_break_left, const Tensor& x,
                             std::optional<int> axis, bool keep_dims) {
  const Tensor source = axis ? x : reshape(sema, x, Shape{x.type.numel()});
  const Tensor values = bf16_to_fp32(sema, source);
  const CombineKind left = is_max ? CombineKind::ArgMaxLeft : CombineKind::ArgMinLeft;
  const CombineKind any = is_max ? CombineKind::ArgMaxAny : CombineKind::ArgMinAny;
  const int along = axis.value_or(0);
  const std::vector<Tensor> inputs{values, positions(sema, source.type.shape, along)};
  const RegionId combine = combine_of(sema, tie_break_left ? left : any, inputs);
  std::vector<Tensor> results = reduce_with(sema, inputs, along, keep_dims && axis, combine);
  if (keep_dims && !axis) {
    for (Tensor& result : results) {
      result = reshape(sema, result, kept_shape(x.type.shape, axis));
    }
  }
  return results;
}

/// The type that `tl.max` and `tl.min` compute in without indices.
Tensor extremum_operand(Sema& sema, const Tensor& x) {
  const Scalar scalar = x.type.element.scalar;
  if (bit_width(scalar) >= 32) {
    return x;
  }
  return convert(sema, x, is_float(scalar) ? Scalar::F32 : Scalar::I32);
}

bool is_named(const BoundArguments& arguments, std::string_view name) {
  return arguments.callee->name == name;
}

/// Reports a scalar, which is its own `fold`.
bool check_block(Sema& sema, const ArgumentReader& reader, const Tensor& x, std::string_view fold) {
  if (!x.type.is_scalar()) {
    return true;
  }
  Diagnostic& diagnostic =
      sema.report(DiagId::ReduceScalar, reader.range(0), reader.function_name(), type_text(x.type));
  label_operand(sema, diagnostic, reader.range(0), reader.value(0));
  diagnostic.helped(fmt::format("a scalar is its own {}: leave the call out", fold));
  return false;
}

struct ReductionArguments {
  Tensor x;
  std::optional<int> axis;
  bool keep_dims = false;
};

/// The tensor, axis and keep_dims of a reduction over one tensor of numbers.
std::optional<ReductionArguments> reduction_arguments(Sema& sema, const ArgumentReader& reader,
                                                      int axis_index, int keep_index) {
  const MaybeTensor x = reader.tensor(0);
  const auto keep_dims = reader.flag(keep_index);
  if (!x || !keep_dims) {
    return {};
  }
  if (!check_block_of_numbers(sema, reader, *x, "reduction")) {
    return {};
  }
  bool found = true;
  const auto axis = reduction_axis(reader, axis_index, *x, found);
  return found ? std::optional(ReductionArguments{*x, axis, *keep_dims}) : std::nullopt;
}

}  // namespace

bool check_block_of_numbers(Sema& sema, const ArgumentReader& reader, const Tensor& x,
                            std::string_view fold) {
  if (x.type.is_pointer() || is_fp8(x.type.element.scalar)) {
    reader.report_type(0, "a block of numbers");
    return false;
  }
  return check_block(sema, reader, x, fold);
}

RegionId combine_of(Sema& sema, CombineKind kind, std::span<const Tensor> inputs) {
  return build_combine(sema.function(), kind, element_types(inputs), sema.builder().loc());
}

std::optional<RegionId> combine_argument(Sema& sema, const Value& function,
                                         std::span<const Tensor> inputs, SourceRange call) {
  return sema.combine_region(function, element_types(inputs), call);
}

std::vector<Tensor> reduce_with(Sema& sema, std::vector<Tensor> inputs, std::optional<int> axis,
                                bool keep_dims, RegionId combine) {
  const Shape shape = inputs[0].type.shape;
  if (!axis) {
    for (Tensor& input : inputs) {
      input = reshape(sema, input, Shape{input.type.numel()});
    }
  }
  const InstId inst =
      sema.builder().create(Op::Reduce, fold_spec(inputs, axis.value_or(0), combine));
  std::vector<Tensor> results = results_of(sema, inst);
  if (keep_dims) {
    for (Tensor& result : results) {
      result =
          axis ? expand_dims(sema, result, *axis) : reshape(sema, result, kept_shape(shape, axis));
    }
  }
  return results;
}

std::vector<Tensor> scan_with(Sema& sema, const std::vector<Tensor>& inputs, int axis, bool reverse,
                              RegionId combine) {
  InstSpec spec = fold_spec(inputs, axis, combine);
  spec.attrs.emplace_back("reverse", reverse);
  return results_of(sema, sema.builder().create(Op::Scan, std::move(spec)));
}

std::vector<Tensor> reduction_inputs(Sema& sema, const ArgumentReader& reader) {
  std::vector<Value> values{reader.value(0)};
  if (const auto* tuple = reader.value(0).as<TupleValue>()) {
    values = tuple->elements;
  }
  std::vector<Tensor> inputs;
  for (const Value& value : values) {
    const MaybeTensor input = to_tensor(sema, value, reader.range(0));
    if (!input) {
      return {};
    }
    if (!check_block(sema, reader, *input, "reduction")) {
      return {};
    }
    if (!inputs.empty() && input->type.shape != inputs[0].type.shape) {
      sema.report(DiagId::ReduceShapes, reader.range(0), reader.function_name(),
                  inputs[0].type.shape.str(), input->type.shape.str())
          .helped("bring them to one shape with `tl.broadcast_to`");
      return {};
    }
    inputs.push_back(*input);
  }
  if (inputs.empty()) {
    reader.report_type(0, "a tensor or a tuple of tensors");
  }
  return inputs;
}

std::optional<int> reduction_axis(const ArgumentReader& reader, int i, const Tensor& x,
                                  bool& found) {
  found = true;
  if (reader.is_none(i)) {
    return {};
  }
  const auto axis = reader.axis(i, x.type.shape.rank(), type_text(x.type));
  found = axis.has_value();
  return axis;
}

Value reduction_result(const ArgumentReader& reader, const std::vector<Tensor>& results) {
  if (!reader.value(0).is<TupleValue>()) {
    return Value{results[0]};
  }
  TupleValue tuple;
  for (const Tensor& result : results) {
    tuple.elements.push_back(Value{result});
  }
  return Value{std::move(tuple)};
}

Tensor widen_integers(Sema& sema, const Tensor& x) {
  const Scalar scalar = x.type.element.scalar;
  if (is_float(scalar) || bit_width(scalar) >= 32) {
    return x;
  }
  return convert(sema, x, is_signed_integer(scalar) ? Scalar::I32 : Scalar::U32);
}

Tensor bf16_to_fp32(Sema& sema, const Tensor& x) {
  return x.type.element.is(Scalar::BF16) ? convert(sema, x, Scalar::F32) : x;
}

MaybeTensor reduce_max(Sema& sema, const Tensor& x, std::optional<int> axis, bool keep_dims) {
  return fold(sema, CombineKind::Max, extremum_operand(sema, x), axis, keep_dims);
}

MaybeTensor reduce_sum(Sema& sema, const Tensor& x, std::optional<int> axis, bool keep_dims) {
  return fold(sema, CombineKind::Add, widen_integers(sema, x), axis, keep_dims);
}

namespace builtins {

MaybeValue sum(Sema& sema, const BoundArguments& arguments) {
  const ArgumentReader reader(sema, arguments);
  auto reduction = reduction_arguments(sema, reader, 1, 2);
  if (!reduction) {
    return {};
  }
  if (!reader.is_none(3)) {
    const auto element = reader.dtype(3);
    const MaybeTensor converted =
        element ? cast(sema, reduction->x, *element, reader.range(3)) : std::nullopt;
    if (!converted) {
      return {};
    }
    reduction->x = *converted;
  } else {
    reduction->x = widen_integers(sema, reduction->x);
  }
  return Value{fold(sema, CombineKind::Add, reduction->x, reduction->axis, reduction->keep_dims)};
}

MaybeValue extremum(Sema& sema, const BoundArguments& arguments) {
  const ArgumentReader reader(sema, arguments);
  const auto reduction = reduction_arguments(sema, reader, 1, 4);
  const auto with_indices = reader.flag(2);
  const auto tie_break_left = reader.flag(3);
  if (!reduction || !with_indices || !tie_break_left) {
    return {};
  }
  const bool is_max = is_named(arguments, "max");
  if (!*with_indices) {
    return Value{fold(sema, is_max ? CombineKind::Max : CombineKind::Min,
                      extremum_operand(sema, reduction->x), reduction->axis, reduction->keep_dims)};
  }
  if (!reduction->axis && !allow_extension(sema, "an index without an axis", arguments.call,
                                           "flatten first: `tl.ravel(x)`, axis 0")) {
    return {};
  }
  const auto results =
      arg_fold(sema, is_max, *tie_break_left, reduction->x, reduction->axis, reduction->keep_dims);
  return Value{TupleValue{{Value{results[0]}, Value{results[1]}}, {}, {}}};
}

MaybeValue arg_extremum(Sema& sema, const BoundArguments& arguments) {
  const ArgumentReader reader(sema, arguments);
  const auto reduction = reduction_arguments(sema, reader, 1, 3);
  const auto tie_break_left = reader.flag(2);
  if (!reduction || !tie_break_left) {
    return {};
  }
  if (!reduction->axis && !allow_extension(sema, "an index without an axis", arguments.call,
                                           "flatten first: `tl.ravel(x)`, axis 0")) {
    return {};
  }
  return Value{arg_fold(sema, is_named(arguments, "argmax"), *tie_break_left, reduction->x,
                        reduction->axis, reduction->keep_dims)[1]};
}

MaybeValue bitwise_reduction(Sema& sema, const BoundArguments& arguments) {
  const ArgumentReader reader(sema, arguments);
  const auto reduction = reduction_arguments(sema, reader, 1, 2);
  if (!reduction) {
    return {};
  }
  if (is_float(reduction->x.type.element.scalar)) {
    Diagnostic& diagnostic = sema.report(DiagId::IntegersOnly, reader.range(0),
                                         reader.function_name(), type_text(reduction->x.type));
    label_operand(sema, diagnostic, reader.range(0), reader.value(0));
    diagnostic.helped("`x.to(tl.int32, bitcast=True)` gives the bits of a float");
    return {};
  }
  const CombineKind kind = is_named(arguments, "xor_sum") ? CombineKind::Xor : CombineKind::Or;
  return Value{fold(sema, kind, reduction->x, reduction->axis, reduction->keep_dims)};
}

MaybeValue reduce(Sema& sema, const BoundArguments& arguments) {
  const ArgumentReader reader(sema, arguments);
  const std::vector<Tensor> inputs = reduction_inputs(sema, reader);
  const auto keep_dims = reader.flag(3);
  if (inputs.empty() || !keep_dims) {
    return {};
  }
  bool found = true;
  const auto axis = reduction_axis(reader, 1, inputs[0], found);
  if (!found) {
    return {};
  }
  const auto combine = combine_argument(sema, reader.value(2), inputs, arguments.call);
  if (!combine) {
    return {};
  }
  sema.set_range(arguments.call);
  return reduction_result(reader, reduce_with(sema, inputs, axis, *keep_dims, *combine));
}

}  // namespace builtins
}  // namespace tilery::sema
