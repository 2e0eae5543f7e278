// Scans (semantics 4.2).
#include "frontend/sema/reduction.h"
#include "frontend/sema/tensor_ops.h"

namespace tilery::sema {
namespace {

/// The axis of a scan, which must be there.
std::optional<int> scan_axis(Sema& sema, const ArgumentReader& reader, const Tensor& x) {
  if (reader.is_none(1)) {
    sema.report(DiagId::ScanAxis, reader.range(1), reader.function_name())
        .helped("flatten the block first: `tl.ravel(x)`, axis 0");
    return {};
  }
  return reader.axis(1, x.type.shape.rank(), type_text(x.type));
}

/// One block of numbers, an axis and a direction.
struct ScanArguments {
  Tensor x;
  int axis = 0;
  bool reverse = false;
};

std::optional<ScanArguments> scan_arguments(Sema& sema, const ArgumentReader& reader) {
  const MaybeTensor x = reader.tensor(0);
  const auto reverse = reader.flag(2);
  if (!x || !reverse) {
    return {};
  }
  if (!check_block_of_numbers(sema, reader, *x, "running fold")) {
    return {};
  }
  const auto axis = scan_axis(sema, reader, *x);
  return axis ? std::optional(ScanArguments{*x, *axis, *reverse}) : std::nullopt;
}

Value scanned(Sema& sema, CombineKind kind, const Tensor& x, const ScanArguments& scan) {
  const std::vector<Tensor> inputs{x};
  return Value{scan_with(sema, inputs, scan.axis, scan.reverse, combine_of(sema, kind, inputs))[0]};
}

}  // namespace

namespace builtins {

MaybeValue cumulative_sum(Sema& sema, const BoundArguments& arguments) {
  const ArgumentReader reader(sema, arguments);
  const auto scan = scan_arguments(sema, reader);
  if (!scan) {
    return {};
  }
  if (reader.is_none(3)) {
    return scanned(sema, CombineKind::Add, widen_integers(sema, bf16_to_fp32(sema, scan->x)),
                   *scan);
  }
  const auto element = reader.dtype(3);
  const MaybeTensor x = element ? cast(sema, scan->x, *element, reader.range(3)) : std::nullopt;
  return x ? MaybeValue(scanned(sema, CombineKind::Add, *x, *scan)) : std::nullopt;
}

MaybeValue cumulative_product(Sema& sema, const BoundArguments& arguments) {
  const ArgumentReader reader(sema, arguments);
  const auto scan = scan_arguments(sema, reader);
  if (!scan) {
    return {};
  }
  return scanned(sema, CombineKind::Mul, bf16_to_fp32(sema, scan->x), *scan);
}

MaybeValue associative_scan(Sema& sema, const BoundArguments& arguments) {
  const ArgumentReader reader(sema, arguments);
  const std::vector<Tensor> inputs = reduction_inputs(sema, reader);
  const auto reverse = reader.flag(3);
  const auto axis = inputs.empty() ? std::optional<int>() : scan_axis(sema, reader, inputs[0]);
  if (!reverse || !axis) {
    return {};
  }
  const auto combine = combine_argument(sema, reader.value(2), inputs, arguments.call);
  if (!combine) {
    return {};
  }
  sema.set_range(arguments.call);
  return reduction_result(reader, scan_with(sema, inputs, *axis, *reverse, *combine));
}

}  // namespace builtins
}  // namespace tilery::sema
