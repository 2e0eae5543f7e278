#include "codegen/dot_plan.h"

namespace tilery::codegen {
namespace {

/// The largest power of two that divides an extent.
std::int64_t power_of_two_part(std::int64_t extent) {
  return extent & -extent;
}

/// Bits of an operand's element in the instruction; 0: no instruction takes it.
int instruction_bits(const Inst& dot, const Type& a, const Type& b) {
  const Scalar left = a.element.scalar;
  const Scalar right = b.element.scalar;
  if (is_fp8(left) || is_fp8(right)) {
    return is_fp8(left) && is_fp8(right) ? 16 : 0;
  }
  if (left != right) {
    return 0;
  }
  if (left == Scalar::F16 || left == Scalar::BF16) {
    return 16;
  }
  if (left == Scalar::I8 || left == Scalar::U8) {
    return 8;
  }
  // The split precisions (tf32x3, bf16x3, …) approach what the exact chain gives.
  constexpr std::int64_t kTf32 = 0;
  const bool is_tf32 = dot.int_attr(attr_index(Op::Dot, "precision")) == kTf32;
  return left == Scalar::F32 && is_tf32 ? 32 : 0;
}

bool accumulates(Scalar operand, Scalar accumulator) {
  if (is_integer(operand)) {
    return accumulator == Scalar::I32;
  }
  return accumulator == Scalar::F32 || accumulator == Scalar::F16 || accumulator == Scalar::BF16;
}

std::uint32_t tile_bytes(const Type& type) {
  return static_cast<std::uint32_t>(type.numel() * type.element.byte_size());
}

constexpr std::uint32_t kAlignment = 16;

}  // namespace

DotPlan plan_dot(const Function& function, const Inst& dot) {
  const Type& a = function.type(dot.operand(0));
  const Type& b = function.type(dot.operand(1));
  const Type& acc = function.type(dot.operand(2));
  const int bits = instruction_bits(dot, a, b);
  if (bits == 0 || !accumulates(a.element.scalar, acc.element.scalar)) {
    return {};
  }
  const int k_step = 256 / bits;
  const int rank = a.shape.rank();
  const bool fits = power_of_two_part(a.shape[rank - 2]) >= 16 &&
                    power_of_two_part(b.shape[rank - 1]) >= 8 &&
                    power_of_two_part(a.shape[rank - 1]) >= k_step;
  return fits ? DotPlan{DotPath::TensorCore, bits, k_step} : DotPlan{};
}

std::uint32_t dot_scratch_bytes(const Function& function, const Inst& dot) {
  if (plan_dot(function, dot).path == DotPath::TensorCore) {
    return 0;
  }
  const std::uint32_t a = tile_bytes(function.type(dot.operand(0)));
  const std::uint32_t b = tile_bytes(function.type(dot.operand(1)));
  return (a + kAlignment - 1) / kAlignment * kAlignment + b;
}

}  // namespace tilery::codegen
