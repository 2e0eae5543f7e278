#include "codegen/layout/reduction.h"

#include "codegen/layout/holding.h"
#include "ir/support/check.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

namespace tilery::codegen {
namespace {

/// From this many warps along the axis on, and this many values to read, each warp takes over a
/// part of the vector.
constexpr std::size_t kTakeOverBits = 2;
constexpr int kTakeOverReads = 32;

/// `index` with a clear bit put in at `bit`.
std::uint32_t widened(std::uint32_t index, int bit) {
  const std::uint32_t low = index & ((1U << bit) - 1);
  return low | (index ^ low) << 1;
}

/// Makes the steps one after the other, keeping book of what the values are.
class Planner {
 public:
  Planner(const Layout& layout, int axis, const FoldTraits& traits)
      : layout_(layout), axis_(axis), traits_(traits) {
    plan_.axis = axis;
  }

  ReductionPlan run();

 private:
  void start();
  void fold_repeats();
  [[nodiscard]] std::uint32_t next_bit() const;
  void fold(std::uint32_t bit);
  void fold_registers(std::uint32_t bit, const Places& places);
  [[nodiscard]] bool can_fold_warp() const;
  void fold_warp();
  [[nodiscard]] std::optional<int> scattered_register(std::uint32_t bit,
                                                      const Places& places) const;
  void fold_scattering(std::uint32_t bit, int lane_bit, int register_bit);
  void fold_lanes(std::uint32_t bit, const Places& places);

  void fold_through_memory();
  [[nodiscard]] bool hand_to_lanes(const Vectors& bits, Holding after);
  [[nodiscard]] bool takes_over(std::size_t folded_bits) const;
  [[nodiscard]] Vectors take_over(Holding& after) const;
  void exchange(const Vectors& folded, const Holding& after, const Vectors& handed_out, bool idles);
  void finish();
  void gather(int lane_bit);

  [[nodiscard]] int value(int group, std::uint32_t index) const {
    return group * held_.values() + static_cast<int>(index);
  }

  void folded(std::uint32_t bits) {
    held_.forget(bits);
    remaining_ &= ~bits;
  }

  const Layout& layout_;
  const int axis_;
  const FoldTraits& traits_;
  ReductionPlan plan_;
  int groups_ = 1;  ///< repeats along the other axes: the values come as so many equal arrays
  std::uint32_t remaining_ = 0;  ///< bits of the axis that are not folded yet
  Holding held_;
  Holding wanted_;  ///< at the end
  bool has_idle_warps_ = false;
};

// ---- the order of the steps ---------------------------------------------------------------------

ReductionPlan Planner::run() {
  start();
  fold_repeats();
  while (remaining_ != 0) {
    if (can_fold_warp()) {
      fold_warp();
    } else {
      fold(next_bit());
    }
  }
  finish();
  return std::move(plan_);
}

void Planner::start() {
  const auto vectors = [&](Place place) {
    const auto bases = layout_.bases(place);
    return Vectors(bases.begin(), bases.end());
  };
  const int bits = layout_.base_bits(axis_);
  remaining_ = layout_.base_index_of(axis_, (1U << bits) - 1);
  TILERY_CHECK(holders(vectors(Place::Block), remaining_) == 0,
               "an axis spread over several blocks is not reduced by one of them");
  groups_ = layout_.repeats() / layout_.repeat(axis_);
  held_ = {vectors(Place::Register), vectors(Place::Lane), vectors(Place::Warp)};

  wanted_ = held_;
  wanted_.forget(remaining_);
  wanted_.registers.clear();
  const Layout slice = slice_layout(layout_, axis_);
  for (const std::uint32_t base : slice.bases(Place::Register)) {
    std::uint32_t index = 0;
    for (int other = 0; other < slice.shape().rank(); ++other) {
      index ^=
          layout_.base_index_of(other < axis_ ? other : other + 1, slice.axis_part(base, other));
    }
    wanted_.registers.push_back(index);
  }
}

/// Repeats count row-major over the axes, so those of the axis are `inner` groups apart.
void Planner::fold_repeats() {
  const int count = layout_.repeat(axis_);
  int inner = 1;
  for (int other = axis_ + 1; other < layout_.shape().rank(); ++other) {
    inner *= layout_.repeat(other);
  }
  if (count == 1) {
    return;
  }
  // The first level reads the registers of the layout, the others what it left.
  const int size = held_.values();
  int rows = count;
  while (rows > 1) {
    const int half = static_cast<int>(std::bit_ceil(static_cast<unsigned>(rows))) / 2;
    RegisterFold step;
    for (int outer = 0; outer < groups_ / inner; ++outer) {
      for (int k = 0; k < half; ++k) {
        const int row = (outer * rows + k) * inner * size;
        for (int i = 0; i < inner * size; ++i) {
          step.pairs.push_back({row + i, k + half < rows ? row + (half * inner * size) + i : -1});
        }
      }
    }
    plan_.steps.emplace_back(std::move(step));
    rows = half;
  }
}

std::uint32_t Planner::next_bit() const {
  const std::uint32_t highest = std::bit_floor(remaining_);
  if (!traits_.order_is_free) {
    return highest;
  }
  std::uint32_t in_lanes = 0;
  for (std::uint32_t bits = remaining_; bits != 0; bits ^= std::bit_floor(bits)) {
    const Places places = places_of(held_, std::bit_floor(bits));
    if ((places.lanes | places.warps) == 0) {
      return std::bit_floor(bits);
    }
    if (places.warps == 0 && in_lanes == 0) {
      in_lanes = std::bit_floor(bits);
    }
  }
  return in_lanes != 0 ? in_lanes : highest;
}

void Planner::fold(std::uint32_t bit) {
  const Places places = places_of(held_, bit);
  if (places.warps != 0) {
    fold_through_memory();
  } else if (places.lanes == 0) {
    fold_registers(bit, places);
  } else if (const auto register_bit = scattered_register(bit, places)) {
    fold_scattering(bit, std::countr_zero(places.lanes), *register_bit);
  } else {
    fold_lanes(bit, places);
  }
}

void Planner::finish() {
  const bool has_lane_work = held_.lanes != wanted_.lanes;
  if (held_.warps != wanted_.warps || has_idle_warps_) {
    exchange({}, wanted_, {}, false);
  } else if (has_lane_work) {
    for (int bit = 0; bit < static_cast<int>(held_.lanes.size()); ++bit) {
      if (held_.lanes[bit] != wanted_.lanes[bit]) {
        gather(bit);
      }
    }
  }
  F2Span registers;
  insert_all(registers, held_.registers);
  for (int group = 0; group < groups_; ++group) {
    for (int i = 0; i < wanted_.values(); ++i) {
      const auto index = registers.solve(sum_of(wanted_.registers, static_cast<std::uint64_t>(i)));
      TILERY_CHECK(index.has_value(), "the values at the end are the result's registers");
      plan_.results.push_back(value(group, static_cast<std::uint32_t>(*index)));
    }
  }
}

// ---- registers and lanes ------------------------------------------------------------------------

void Planner::fold_registers(std::uint32_t bit, const Places& places) {
  const int pivot = std::bit_width(places.registers) - 1;
  RegisterFold step;
  step.swapped = {holders(held_.lanes, bit), holders(held_.warps, bit)};
  for (int group = 0; group < groups_; ++group) {
    for (int i = 0; i < held_.values() / 2; ++i) {
      const std::uint32_t index = widened(static_cast<std::uint32_t>(i), pivot);
      const int own = value(group, index);
      const int other = value(group, index ^ places.registers);
      const bool own_is_right = (sum_of(held_.registers, index) & bit) != 0;
      step.pairs.push_back(own_is_right ? RegisterFold::Pair{other, own}
                                        : RegisterFold::Pair{own, other});
    }
  }
  plan_.steps.emplace_back(std::move(step));
  held_.registers.erase(held_.registers.begin() + pivot);
  folded(bit);
}

void Planner::fold_lanes(std::uint32_t bit, const Places& places) {
  LaneFold step;
  step.lane_mask = places.lanes;
  step.upper = {holders(held_.lanes, bit), holders(held_.warps, bit)};
  for (int group = 0; group < groups_; ++group) {
    for (int i = 0; i < held_.values(); ++i) {
      const auto index = static_cast<std::uint32_t>(i);
      step.pairs.push_back({value(group, index), value(group, index ^ places.registers),
                            (sum_of(held_.registers, index) & bit) != 0});
    }
  }
  plan_.steps.emplace_back(std::move(step));
  folded(bit);
}

bool Planner::can_fold_warp() const {
  if (!traits_.has_warp_fold || !traits_.order_is_free) {
    return false;
  }
  return std::all_of(held_.lanes.begin(), held_.lanes.end(), [&](std::uint32_t lane) {
    return std::has_single_bit(lane) && (lane & remaining_) != 0 &&
           std::popcount(holders(held_.lanes, lane)) == 1 && holders(held_.warps, lane) == 0 &&
           holders(held_.registers, lane) == 0;
  });
}

void Planner::fold_warp() {
  // Registers along the axis first: the instruction then runs once a result.
  for (const std::uint32_t base : Vectors(held_.registers)) {
    if (std::has_single_bit(base & remaining_) && base == (base & remaining_)) {
      fold_registers(base, places_of(held_, base));
    }
  }
  plan_.steps.emplace_back(WarpFold{});
  std::uint32_t bits = 0;
  for (const std::uint32_t lane : held_.lanes) {
    bits |= lane;
  }
  folded(bits);
}

/// The register bit that the lane of this fold takes over; none if that would not save shuffles.
std::optional<int> Planner::scattered_register(std::uint32_t bit, const Places& places) const {
  const int lane = std::countr_zero(places.lanes);
  const bool is_plain = std::has_single_bit(places.lanes) && holders(held_.registers, bit) == 0 &&
                        held_.lanes[lane] == bit && holders(held_.lanes, bit) == places.lanes &&
                        holders(held_.warps, bit) == 0;
  const auto lanes_along_axis =
      std::count_if(held_.lanes.begin(), held_.lanes.end(),
                    [&](std::uint32_t base) { return (base & remaining_) != 0; });
  if (!is_plain || held_.registers.empty() || lanes_along_axis < 2) {
    return {};
  }
  // A bit of the axis needs no way back.
  const auto found = std::find_if(held_.registers.rbegin(), held_.registers.rend(),
                                  [&](std::uint32_t base) { return (base & remaining_) != 0; });
  const auto from_end = found == held_.registers.rend() ? 0 : found - held_.registers.rbegin();
  return static_cast<int>(held_.registers.size()) - 1 - static_cast<int>(from_end);
}

void Planner::fold_scattering(std::uint32_t bit, int lane_bit, int register_bit) {
  LaneScatterFold step;
  step.lane_bit = lane_bit;
  for (int group = 0; group < groups_; ++group) {
    for (int i = 0; i < held_.values() / 2; ++i) {
      const std::uint32_t low = widened(static_cast<std::uint32_t>(i), register_bit);
      step.pairs.push_back({value(group, low), value(group, low | 1U << register_bit)});
    }
  }
  plan_.steps.emplace_back(std::move(step));
  held_.lanes[lane_bit] = held_.registers[register_bit];
  held_.registers.erase(held_.registers.begin() + register_bit);
  remaining_ &= ~bit;
}

void Planner::gather(int lane_bit) {
  LaneGather step;
  step.lane_bit = lane_bit;
  const int count = held_.values();
  for (int group = 0; group < groups_; ++group) {
    for (int i = 0; i < count; ++i) {
      const int low = (2 * group * count) + i;
      step.pairs.push_back({low, low + count});
    }
  }
  plan_.steps.emplace_back(std::move(step));
  held_.registers.push_back(held_.lanes[lane_bit]);
  held_.lanes[lane_bit] = wanted_.lanes[lane_bit];
}

// ---- shared memory ------------------------------------------------------------------------------

void Planner::fold_through_memory() {
  Vectors run;
  std::uint32_t bits = remaining_;
  while (bits != 0) {
    const std::uint32_t bit = std::bit_floor(bits);
    if (places_of(held_, bit).warps != 0) {
      run.push_back(bit);
    } else if (!traits_.order_is_free) {
      break;
    }
    bits ^= bit;
  }
  Holding after = held_;
  for (const std::uint32_t bit : run) {
    after.forget(bit);
  }
  Vectors registers;
  F2Span span;
  for (const std::uint32_t base : after.registers) {
    if (span.insert(base)) {
      registers.push_back(base);
    }
  }
  after.registers = registers;

  if (hand_to_lanes(run, after)) {
    return;
  }
  Vectors handed_out;
  const bool idles = takes_over(run.size());
  std::uint32_t folded_bits = 0;
  for (const std::uint32_t bit : run) {
    folded_bits |= bit;
  }
  if (idles) {
    handed_out = take_over(after);
  } else if (remaining_ == folded_bits) {
    after = wanted_;
  }
  exchange(run, after, handed_out, idles);
  remaining_ &= ~folded_bits;
}

/// If all lanes have copies and there are as many warps as lanes: each lane reads the values of one
/// warp, and the lanes fold them. That takes far fewer registers than reading them all.
bool Planner::hand_to_lanes(const Vectors& bits, Holding after) {
  const bool has_copies = std::all_of(after.lanes.begin(), after.lanes.end(),
                                      [](std::uint32_t lane) { return lane == 0; });
  if (!has_copies || bits.size() != after.lanes.size()) {
    return false;
  }
  after.lanes.assign(bits.rbegin(), bits.rend());
  exchange({}, after, {}, false);
  return true;
}

bool Planner::takes_over(std::size_t folded_bits) const {
  return folded_bits >= kTakeOverBits && !held_.registers.empty() &&
         held_.values() << folded_bits >= kTakeOverReads;
}

/// Warps that would hold copies get register bits, those of the axis first; which ones.
Vectors Planner::take_over(Holding& after) const {
  std::stable_partition(after.registers.begin(), after.registers.end(),
                        [&](std::uint32_t base) { return (base & remaining_) == 0; });
  Vectors handed_out;
  for (std::uint32_t& warp : after.warps) {
    if (warp == 0 && !after.registers.empty()) {
      warp = after.registers.back();
      handed_out.push_back(warp);
      after.registers.pop_back();
    }
  }
  return handed_out;
}

void Planner::exchange(const Vectors& folded, const Holding& after, const Vectors& handed_out,
                       bool idles) {
  SharedExchange step = make_exchange({.before = held_,
                                       .after = after,
                                       .folded = folded,
                                       .handed_out = handed_out,
                                       .idles = idles,
                                       .groups = groups_,
                                       .traits = traits_});
  has_idle_warps_ = step.idle_warps != 0;
  plan_.steps.emplace_back(std::move(step));
  held_ = after;
}

}  // namespace

ReductionPlan plan_reduction(const Layout& layout, int axis, const FoldTraits& traits) {
  return Planner(layout, axis, traits).run();
}

std::uint32_t scratch_bytes(std::uint32_t elements, std::span<const int> element_bytes) {
  constexpr std::uint32_t kAlignment = 16;
  std::uint32_t bytes = 0;
  for (const int width : element_bytes) {
    const std::uint32_t size = elements * static_cast<std::uint32_t>(width);
    bytes += (size + kAlignment - 1) / kAlignment * kAlignment;
  }
  return bytes;
}

ScratchUse reduction_scratch(const ReductionPlan& plan, std::span<const int> element_bytes) {
  ScratchUse use;
  for (const ReductionStep& step : plan.steps) {
    if (const auto* exchange = std::get_if<SharedExchange>(&step)) {
      use.add(scratch_bytes(exchange->elements, element_bytes));
    }
  }
  return use;
}

std::uint32_t exchange_offset(const ReductionPlan& plan, std::size_t step, std::size_t operand,
                              std::span<const int> element_bytes) {
  std::uint32_t offset = 0;
  for (std::size_t i = 0; i < step; ++i) {
    if (const auto* exchange = std::get_if<SharedExchange>(&plan.steps[i])) {
      offset += scratch_bytes(exchange->elements, element_bytes);
    }
  }
  return offset + scratch_bytes(std::get<SharedExchange>(plan.steps[step]).elements,
                                element_bytes.first(operand));
}

}  // namespace tilery::codegen
