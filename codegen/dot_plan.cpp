#include "codegen/dot_plan.h"

#include "ir/input_precision.h"
#include "ir/operands.h"

#include <algorithm>
#include <optional>

namespace tilery::codegen {
namespace {

/// The largest power of two that divides an extent.
std::int64_t power_of_two_part(std::int64_t extent) {
  return extent & -extent;
}

bool accumulates(Scalar operand, Scalar accumulator) {
  if (is_integer(operand)) {
    return accumulator == Scalar::I32;
  }
  if (operand == Scalar::F64) {
    return accumulator == Scalar::F64;
  }
  return accumulator == Scalar::F32 || accumulator == Scalar::F16 || accumulator == Scalar::BF16;
}

DotPlan tensor_cores(MmaType type, int element_bits, int parts = 1) {
  return {DotPath::TensorCore, type, element_bits, 256 / element_bits, parts};
}

DotPlan plan_f32(InputPrecision precision) {
  switch (precision) {
    case InputPrecision::Tf32:
      return tensor_cores(MmaType::Tf32, 32);
    case InputPrecision::Tf32x3:
      return tensor_cores(MmaType::Tf32, 32, 2);
    case InputPrecision::Bf16x3:
      return tensor_cores(MmaType::BF16, 16, 2);
    case InputPrecision::Bf16x6:
      return tensor_cores(MmaType::BF16, 16, 3);
    case InputPrecision::Ieee:
      return {};
  }
  return {};
}

std::optional<MmaType> fp8_type(Scalar scalar) {
  if (scalar == Scalar::F8E4NV) {
    return MmaType::E4M3;
  }
  return scalar == Scalar::F8E5 ? std::optional(MmaType::E5M2) : std::nullopt;
}

/// By the operands' type; FusedChain if no instruction takes it.
DotPlan plan_type(Scalar a, InputPrecision precision, const Target& target) {
  if (is_fp8(a)) {
    const auto type = fp8_type(a);
    return type && target.has_exact_fp8_mma() ? tensor_cores(*type, 8)
                                              : tensor_cores(MmaType::F16, 16);
  }
  if (a == Scalar::F16) {
    return tensor_cores(MmaType::F16, 16);
  }
  if (a == Scalar::BF16) {
    return tensor_cores(MmaType::BF16, 16);
  }
  if (a == Scalar::I8 || a == Scalar::U8) {
    return tensor_cores(a == Scalar::I8 ? MmaType::S8 : MmaType::U8, 8);
  }
  if (a == Scalar::F64 && target.has_f64_mma()) {
    return tensor_cores(MmaType::F64, 32);
  }
  return a == Scalar::F32 ? plan_f32(precision) : DotPlan{};
}

struct Extents {
  std::int64_t m = 1;
  std::int64_t n = 1;
  std::int64_t k = 1;
};

/// True unless the odd factors of the extents cost more instructions than they save: repeats of a
/// power-of-two tile (layout.h) are padded one by one. Both are counted for one warp.
bool is_worth_padding(const Extents& extents, int k_step) {
  const std::int64_t lanes =
      std::min<std::int64_t>(32, power_of_two_part(extents.m) * power_of_two_part(extents.n));
  const std::int64_t multiply_adds = extents.m * extents.n / lanes * extents.k;
  const std::int64_t instructions = (extents.m / covered_extent(extents.m, 16)) *
                                    (extents.n / covered_extent(extents.n, 8)) *
                                    (extents.k / covered_extent(extents.k, k_step));
  const std::int64_t volume = extents.m * extents.n * extents.k;
  return power_of_two_part(volume) == volume || instructions < multiply_adds;
}

std::uint32_t tile_bytes(const Type& type) {
  return static_cast<std::uint32_t>(type.numel() * type.element.byte_size());
}

constexpr std::uint32_t kAlignment = 16;

}  // namespace

std::int64_t covered_extent(std::int64_t extent, std::int64_t step) {
  return std::min(power_of_two_part(extent), step);
}

DotPlan plan_dot(const Function& function, const Inst& dot, const Target& target) {
  const Type& a = function.type(operand<"a">(dot));
  const Type& b = function.type(operand<"b">(dot));
  const Type& acc = function.type(operand<"acc">(dot));
  const DotPlan plan = plan_type(a.element.scalar, input_precision(dot), target);
  if (plan.path == DotPath::FusedChain || !accumulates(a.element.scalar, acc.element.scalar)) {
    return {};
  }
  const int rank = a.shape.rank();
  const Extents extents{a.shape[rank - 2], b.shape[rank - 1], a.shape[rank - 1]};
  return is_worth_padding(extents, plan.k_step) ? plan : DotPlan{};
}

DotScratch dot_scratch(const Function& function, const Inst& dot, const Target& target) {
  if (plan_dot(function, dot, target).path == DotPath::TensorCore) {
    return {};
  }
  const std::uint32_t a = tile_bytes(function.type(operand<"a">(dot)));
  const std::uint32_t b = tile_bytes(function.type(operand<"b">(dot)));
  const std::uint32_t b_offset = (a + kAlignment - 1) / kAlignment * kAlignment;
  return {b_offset, b_offset + b};
}

}  // namespace tilery::codegen
