#include "codegen/layout/conversion.h"

#include "ir/support/check.h"

#include <algorithm>
#include <utility>

namespace tilery::codegen {
namespace {

/// What a barrier and the wait for it are worth, in wavefronts.
constexpr int kBarrierCost = 24;
/// Selects that take as long as one shuffle.
constexpr int kSelectsPerShuffle = 4;

int shuffle_cost(const ShufflePlan& plan, int repeats, int element_bytes) {
  const int words = std::max(1, element_bytes / kBankBytes);
  const auto rounds = static_cast<int>(plan.rounds.size());
  const int selects = rounds * repeats * static_cast<int>(plan.send.size() + plan.place.size());
  return words * (plan.shuffles(repeats) + selects / kSelectsPerShuffle);
}

int row_major_vector(const Layout& layout, int element_bytes) {
  for (int axis = layout.shape().rank() - 1; axis >= 0; --axis) {
    if (layout.shape()[axis] != 1) {
      return std::min(layout.contiguous_registers(axis), kMaxVectorBytes / element_bytes);
    }
  }
  return 1;
}

ConversionPlan plan_same_shape(const Layout& from, const Layout& to, int element_bytes) {
  if (auto registers = register_map(from, to)) {
    return RenamePlan{std::move(*registers)};
  }
  SharedPlan shared = plan_shared(from, to, element_bytes);
  if (auto shuffles = plan_shuffles(from, to, element_bytes)) {
    const int cost = shuffle_cost(*shuffles, from.repeats(), element_bytes);
    if (cost <= shared.cost() + kBarrierCost * shared.rounds) {
      return std::move(*shuffles);
    }
  }
  return shared;
}

}  // namespace

ConversionPlan plan_conversion(const Layout& from, const Layout& to, int element_bytes) {
  TILERY_CHECK(from.shape().numel() == to.shape().numel(), "a conversion keeps all elements");
  TILERY_CHECK(from.warps() == to.warps(), "a conversion keeps the threads");
  if (from.shape() == to.shape()) {
    return plan_same_shape(from, to, element_bytes);
  }
  if (const auto reshaped = reshape_layout(from, to.shape())) {
    return plan_same_shape(*reshaped, to, element_bytes);
  }
  return RowMajorPlan{row_major_vector(from, element_bytes), row_major_vector(to, element_bytes),
                      static_cast<std::uint32_t>(from.shape().numel() * element_bytes)};
}

std::uint32_t conversion_scratch_bytes(const Layout& from, const Layout& to, ElementType element) {
  const ConversionPlan plan = plan_conversion(from, to, element.byte_size());
  if (const auto* shared = std::get_if<SharedPlan>(&plan)) {
    return shared->bytes;
  }
  const auto* row_major = std::get_if<RowMajorPlan>(&plan);
  return row_major == nullptr ? 0 : row_major->bytes;
}

}  // namespace tilery::codegen
