#include "codegen/layout/layout.h"
#include "ir/support/check.h"

#include <algorithm>
#include <bit>

namespace tilery::codegen {
namespace {

int log2_of(int power) {
  TILERY_CHECK(power > 0 && std::has_single_bit(static_cast<unsigned>(power)), "no power of two");
  return std::countr_zero(static_cast<unsigned>(power));
}

/// Deals the bits of the base tile out to the places, axis by axis from the lowest bit.
class Dealer {
 public:
  explicit Dealer(const Shape& shape) : shape_(shape) {
    int shift = 0;
    for (int axis = shape.rank() - 1; axis >= 0; --axis) {
      next_[axis] = static_cast<std::uint8_t>(shift);
      shift += std::countr_zero(static_cast<std::uint64_t>(shape[axis]));
      end_[axis] = static_cast<std::uint8_t>(shift);
    }
  }

  /// Bits of the axis that are still to be dealt out.
  [[nodiscard]] int left(int axis) const { return end_[axis] - next_[axis]; }

  /// Gives the next `count` bits of the axis to a place; if it has fewer, all of them.
  int give(Place place, int axis, int count) {
    const int given = std::min(count, left(axis));
    for (int i = 0; i < given; ++i) {
      bases_[static_cast<int>(place)].push_back(1U << next_[axis]++);
    }
    return given;
  }

  /// Gives the place up to `count` bits, of the axes in `order`, and bits that make copies for what
  /// is missing.
  void fill(Place place, std::span<const int> order, int count) {
    for (const int axis : order) {
      count -= give(place, axis, count);
    }
    copies(place, count);
  }

  void copies(Place place, int count) {
    auto& bases = bases_[static_cast<int>(place)];
    bases.insert(bases.end(), count, 0U);
  }

  [[nodiscard]] Layout layout() const { return {shape_, bases_}; }

 private:
  Shape shape_;
  Layout::Bases bases_;
  std::array<std::uint8_t, Shape::kMaxRank> next_{};
  std::array<std::uint8_t, Shape::kMaxRank> end_{};
};

/// What the layouts of one mma instruction have in common: a tile of two axes, dealt out over the
/// lanes of a warp, then repeated in registers, then over warps, outermost.
class MmaDealer {
 public:
  explicit MmaDealer(const Shape& shape)
      : dealer_(shape), rows_(shape.rank() - 2), columns_(shape.rank() - 1) {
    TILERY_CHECK(shape.rank() >= 2, "a matrix has two axes");
  }

  [[nodiscard]] int rows() const { return rows_; }

  [[nodiscard]] int columns() const { return columns_; }

  /// The instruction's own bits. Where the tile is smaller, lanes hold copies and registers are
  /// missing.
  void instruction(Place place, int axis, int count) {
    const int given = dealer_.give(place, axis, count);
    if (place == Place::Lane) {
      dealer_.copies(place, count - given);
    }
  }

  /// Repeats the instruction along the axis in registers, but for the outermost bits, which go to
  /// `warp_bits` of the warps.
  void repeat(int axis, int warp_bits) {
    dealer_.give(Place::Register, axis, std::max(0, dealer_.left(axis) - warp_bits));
  }

  void warps(int axis, int warp_bits) {
    const int given = dealer_.give(Place::Warp, axis, warp_bits);
    dealer_.copies(Place::Warp, warp_bits - given);
  }

  void shared_by_warps(int warp_bits) { dealer_.copies(Place::Warp, warp_bits); }

  /// The layout; leading axes are in registers, the last of them innermost.
  [[nodiscard]] Layout finish() {
    for (int axis = rows_ - 1; axis >= 0; --axis) {
      dealer_.give(Place::Register, axis, dealer_.left(axis));
    }
    return dealer_.layout();
  }

 private:
  Dealer dealer_;
  int rows_;
  int columns_;
};

/// Elements of one 32-bit operand register, as bits: 2 (4 elements) for 8-bit elements.
int packed_bits(int element_bits) {
  TILERY_CHECK(element_bits == 8 || element_bits == 16 || element_bits == 32,
               "no mma operand has this width");
  return log2_of(32 / element_bits);
}

}  // namespace

Layout scalar_layout(int num_warps) {
  Dealer dealer{Shape()};
  dealer.copies(Place::Lane, kLaneBits);
  dealer.copies(Place::Warp, log2_of(num_warps));
  return dealer.layout();
}

Layout blocked_layout(const Shape& shape, std::span<const int> order, int per_thread,
                      int num_warps) {
  return blocked_layout(shape, order, per_thread, num_warps, order);
}

Layout blocked_layout(const Shape& shape, std::span<const int> order, int per_thread, int num_warps,
                      std::span<const int> warp_order) {
  TILERY_CHECK(static_cast<int>(order.size()) == shape.rank(), "one place in the order an axis");
  TILERY_CHECK(warp_order.size() == order.size(), "one place in the order an axis");
  Dealer dealer(shape);
  if (!order.empty()) {
    dealer.give(Place::Register, order.front(), log2_of(per_thread));
  }
  dealer.fill(Place::Lane, order, kLaneBits);
  dealer.fill(Place::Warp, warp_order, log2_of(num_warps));
  for (const int axis : order) {
    dealer.give(Place::Register, axis, dealer.left(axis));
  }
  return dealer.layout();
}

Layout mma_accumulator_layout(const Shape& shape, int warps_m, int warps_n) {
  MmaDealer dealer(shape);
  dealer.instruction(Place::Register, dealer.columns(), 1);
  dealer.instruction(Place::Lane, dealer.columns(), 2);
  dealer.instruction(Place::Lane, dealer.rows(), 3);
  dealer.instruction(Place::Register, dealer.rows(), 1);
  dealer.repeat(dealer.columns(), log2_of(warps_n));
  dealer.repeat(dealer.rows(), log2_of(warps_m));
  dealer.warps(dealer.rows(), log2_of(warps_m));
  dealer.warps(dealer.columns(), log2_of(warps_n));
  return dealer.finish();
}

Layout mma_a_layout(const Shape& shape, int element_bits, int warps_m, int warps_n) {
  MmaDealer dealer(shape);
  dealer.instruction(Place::Register, dealer.columns(), packed_bits(element_bits));
  dealer.instruction(Place::Lane, dealer.columns(), 2);
  dealer.instruction(Place::Lane, dealer.rows(), 3);
  dealer.instruction(Place::Register, dealer.rows(), 1);
  dealer.instruction(Place::Register, dealer.columns(), 1);
  dealer.repeat(dealer.columns(), 0);
  dealer.repeat(dealer.rows(), log2_of(warps_m));
  dealer.warps(dealer.rows(), log2_of(warps_m));
  dealer.shared_by_warps(log2_of(warps_n));
  return dealer.finish();
}

Layout mma_b_layout(const Shape& shape, int element_bits, int warps_m, int warps_n) {
  MmaDealer dealer(shape);
  dealer.instruction(Place::Register, dealer.rows(), packed_bits(element_bits));
  dealer.instruction(Place::Lane, dealer.rows(), 2);
  dealer.instruction(Place::Lane, dealer.columns(), 3);
  dealer.instruction(Place::Register, dealer.rows(), 1);
  dealer.repeat(dealer.rows(), 0);
  dealer.repeat(dealer.columns(), log2_of(warps_n));
  dealer.shared_by_warps(log2_of(warps_m));
  dealer.warps(dealer.columns(), log2_of(warps_n));
  return dealer.finish();
}

}  // namespace tilery::codegen
