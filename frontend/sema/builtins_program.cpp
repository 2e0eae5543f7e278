// The grid and the target.
#include "frontend/sema/builtins.h"
#include "frontend/sema/constexpr_ops.h"
#include "frontend/sema/tensor_ops.h"

namespace tilery::sema::builtins {
namespace {

constexpr int kThreadsPerWarp = 32;
constexpr int kGridAxes = 3;
/// The capability that kernels see: 9.0.
constexpr int kCapability = 90;

MaybeValue grid_value(Sema& sema, Op op, const BoundArguments& arguments) {
  const ArgumentReader reader(sema, arguments);
  const auto axis = reader.integer(0);
  if (!axis) {
    return {};
  }
  if (*axis < 0 || *axis >= kGridAxes) {
    sema.report(DiagId::ArgumentValue, reader.range(0), "axis", reader.function_name(),
                to_string(*axis), "a grid has the axes 0, 1 and 2")
        .helped("write 0 for x, 1 for y or 2 for z");
    return {};
  }
  return Value{make(sema, op, {}, {{"axis", static_cast<std::int64_t>(*axis)}})};
}

}  // namespace

MaybeValue program_id(Sema& sema, const BoundArguments& arguments) {
  return grid_value(sema, Op::ProgramId, arguments);
}

MaybeValue num_programs(Sema& sema, const BoundArguments& arguments) {
  return grid_value(sema, Op::NumPrograms, arguments);
}

MaybeValue num_warps(Sema& sema, const BoundArguments& /*arguments*/) {
  return Value{BigInt{sema.num_warps()}};
}

MaybeValue num_threads(Sema& sema, const BoundArguments& /*arguments*/) {
  return Value{BigInt{sema.num_warps()} * kThreadsPerWarp};
}

MaybeValue is_cuda(Sema& /*sema*/, const BoundArguments& /*arguments*/) {
  return Value{true};
}

MaybeValue cuda_capability_geq(Sema& sema, const BoundArguments& arguments) {
  const ArgumentReader reader(sema, arguments);
  const auto major = reader.integer(0);
  const auto minor = reader.integer(1);
  if (!major || !minor) {
    return {};
  }
  return Value{*major * 10 + *minor <= kCapability};
}

}  // namespace tilery::sema::builtins
