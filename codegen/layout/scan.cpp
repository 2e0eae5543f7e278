#include "codegen/layout/scan.h"

#include "codegen/layout/holding.h"
#include "ir/support/check.h"

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>
#include <utility>

namespace tilery::codegen {
namespace {

/// Levels whose totals one thread holds at once: 32 of them.
constexpr int kMaxTotalsLevels = 5;
/// Largest part of shared memory for the totals at hand, in bytes.
constexpr std::uint32_t kMostBytes = 32768;

/// What holds a bit of the position.
struct Holder {
  Place place = Place::Register;
  int bit = 0;
};

/// A register of the layout, as a scan sees it.
struct Element {
  std::uint32_t row = 0;       ///< equal for the registers of one thread on one line of the axis
  std::uint32_t position = 0;  ///< the bits that registers and repeats hold
};

class ScanPlanner {
 public:
  ScanPlanner(const Layout& layout, int axis, bool reverse, int element_bytes)
      : layout_(layout),
        axis_(axis),
        is_reverse_(reverse),
        element_bytes_(static_cast<std::uint32_t>(element_bytes)),
        extent_(static_cast<std::uint32_t>(layout.shape()[axis])),
        levels_(std::bit_width(extent_ - 1)) {
    find_holders();
    find_elements();
  }

  ScanPlan run();

 private:
  void find_holders();
  void find_elements();
  void add_level(int level);
  [[nodiscard]] int add_totals(int level);
  void mark_lasts(ScanTotals& step, int level) const;
  [[nodiscard]] std::uint32_t number_threads(ScanTotals& step, int level, int end);
  [[nodiscard]] std::uint32_t block_address(std::uint32_t block, int level, int end) const;
  void add_row(ScanTotals& step, const std::vector<int>& members, int level, int end,
               std::uint32_t size) const;
  void add_rounds(const ScanTotals& first, int level, int end, std::uint32_t size);

  /// Position bits below `level` that a place holds, as bits of that place.
  [[nodiscard]] std::uint32_t lower(Place place, int level) const {
    std::uint32_t mask = 0;
    for (int i = 0; i < level && i < static_cast<int>(holders_.size()); ++i) {
      mask |= holders_[i].place == place ? 1U << holders_[i].bit : 0;
    }
    return mask;
  }

  [[nodiscard]] Place place(int level) const {
    return level < static_cast<int>(holders_.size()) ? holders_[level].place : Place::Register;
  }

  /// Position bits that registers hold.
  [[nodiscard]] std::uint32_t in_registers() const {
    std::uint32_t mask = ~0U;
    for (std::size_t i = 0; i < holders_.size(); ++i) {
      mask &= holders_[i].place == Place::Register ? ~0U : ~(1U << i);
    }
    return mask;
  }

  /// The register with the last element of the block of 2^level below one of `element`'s.
  [[nodiscard]] int last_below(const Element& element, int level) const {
    const std::uint32_t ones = ((1U << level) - 1) & in_registers();
    const std::uint32_t kept = element.position >> level >> 1 << level << 1;
    return registers_.at({element.row, kept | ones});
  }

  const Layout& layout_;
  const int axis_;
  const bool is_reverse_;
  const std::uint32_t element_bytes_;
  const std::uint32_t extent_;
  const int levels_;
  std::vector<Holder> holders_;    ///< of the base tile's position bits
  std::vector<Element> elements_;  ///< by register
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> registers_;  ///< by row and position
  /// Address bit of each thread bit in the totals at hand; none: -1.
  std::array<int, kLaneBits> lane_address_{};
  std::vector<int> warp_address_;
  ScanPlan plan_;
};

void ScanPlanner::find_holders() {
  for (int i = 0; i < layout_.base_bits(axis_); ++i) {
    const std::uint32_t base = layout_.base_index_of(axis_, 1U << i);
    for (const Place one : {Place::Register, Place::Lane, Place::Warp}) {
      const auto bases = layout_.bases(one);
      const auto found = std::find(bases.begin(), bases.end(), base);
      if (found != bases.end()) {
        holders_.push_back({one, static_cast<int>(found - bases.begin())});
        break;
      }
    }
  }
}

/// Rows are numbered by where the rest of the element lies; that the numbers have gaps is no harm.
void ScanPlanner::find_elements() {
  std::map<std::int64_t, std::uint32_t> rows;
  const std::uint32_t base_mask = (1U << layout_.base_bits(axis_)) - 1;
  for (int reg = 0; reg < layout_.registers(); ++reg) {
    const Coordinates place = layout_.element(reg, 0, 0);
    std::int64_t line = 0;
    for (int i = 0; i < layout_.shape().rank(); ++i) {
      line = line * layout_.shape()[i] + (i == axis_ ? 0 : place[i]);
    }
    Element element;
    element.row = rows.try_emplace(line, static_cast<std::uint32_t>(rows.size())).first->second;
    const auto index = static_cast<std::uint32_t>(place[axis_]);
    // Thread bits are those of thread 0 here, so only what registers hold may be looked at.
    const std::uint32_t counted = is_reverse_ ? extent_ - 1 - index : index;
    element.position = counted & (in_registers() | ~base_mask);
    registers_[{element.row, element.position}] = reg;
    elements_.push_back(element);
  }
}

ScanPlan ScanPlanner::run() {
  for (int level = 0; level < levels_;) {
    if (place(level) == Place::Warp || lower(Place::Warp, level) != 0) {
      level = add_totals(level);
    } else {
      add_level(level++);
    }
  }
  return std::move(plan_);
}

/// A level without warps.
void ScanPlanner::add_level(int level) {
  std::vector<ScanInRegisters::Pair> pairs;
  const bool is_in_lanes = place(level) == Place::Lane;
  for (int reg = 0; reg < static_cast<int>(elements_.size()); ++reg) {
    if (is_in_lanes || (elements_[reg].position >> level & 1) != 0) {
      pairs.push_back({last_below(elements_[reg], level), reg});
    }
  }
  const std::uint32_t lower_lanes = lower(Place::Lane, level);
  if (!is_in_lanes && lower_lanes == 0) {
    plan_.steps.emplace_back(ScanInRegisters{std::move(pairs)});
    return;
  }
  ScanInWarp step;
  step.pairs = std::move(pairs);
  (is_reverse_ ? step.cleared : step.set) = lower_lanes;
  if (is_in_lanes) {
    step.deciding_bit = holders_[level].bit;
    step.deciding_value = !is_reverse_;
    (is_reverse_ ? step.set : step.cleared) |= 1U << step.deciding_bit;
  }
  plan_.steps.emplace_back(std::move(step));
}

/// The levels from this one on, as many as make sense at once; the first that is left.
int ScanPlanner::add_totals(int level) {
  const int end = std::min(levels_, level + kMaxTotalsLevels);
  ScanTotals step;
  for (int i = level; i < end; ++i) {
    ScanTotals::Level& one = step.levels.emplace_back();
    if (place(i) != Place::Register) {
      const std::uint32_t bit = 1U << holders_[i].bit;
      one.thread = place(i) == Place::Lane ? ThreadParity{bit, 0} : ThreadParity{0, bit};
      one.is_inverted = is_reverse_;
    }
  }
  mark_lasts(step, level);
  const std::uint32_t size = number_threads(step, level, end);
  add_rounds(step, level, end, size);
  return end;
}

void ScanPlanner::mark_lasts(ScanTotals& step, int level) const {
  const ThreadParity below{lower(Place::Lane, level), lower(Place::Warp, level)};
  step.mask = {below.lanes | layout_.copy_bits(Place::Lane),
               below.warps | layout_.copy_bits(Place::Warp)};
  step.last = is_reverse_ ? ThreadParity{} : below;
}

/// Every thread bit that tells stored elements apart has an address bit; loads leave out those of
/// the blocks, all of which a thread reads. The number of elements so addressed.
std::uint32_t ScanPlanner::number_threads(ScanTotals& step, int level, int end) {
  int count = 0;
  const auto number = [&](Place one, std::uint32_t left_out, int bit) {
    return (left_out >> bit & 1) != 0 || layout_.bases(one)[bit] == 0 ? -1 : count++;
  };
  const auto address = [](int bit) { return bit < 0 ? 0 : 1U << bit; };
  const std::uint32_t lane_blocks = lower(Place::Lane, end) & ~lower(Place::Lane, level);
  const std::uint32_t warp_blocks = lower(Place::Warp, end) & ~lower(Place::Warp, level);
  warp_address_.assign(static_cast<std::size_t>(layout_.bits(Place::Warp)), -1);
  // Bits of the blocks first: a thread's loads are neighbours then.
  for (const bool is_block : {true, false}) {
    for (int bit = 0; bit < kLaneBits; ++bit) {
      if (((lane_blocks >> bit & 1) != 0) == is_block) {
        lane_address_[bit] = number(Place::Lane, step.mask.lanes, bit);
      }
    }
    for (int bit = 0; bit < layout_.bits(Place::Warp); ++bit) {
      if (((warp_blocks >> bit & 1) != 0) == is_block) {
        warp_address_[bit] = number(Place::Warp, step.mask.warps, bit);
      }
    }
  }
  for (int bit = 0; bit < kLaneBits; ++bit) {
    step.store_lanes.push_back(address(lane_address_[bit]));
    step.load_lanes.push_back((lane_blocks >> bit & 1) != 0 ? 0 : step.store_lanes.back());
  }
  for (int bit = 0; bit < layout_.bits(Place::Warp); ++bit) {
    step.store_warps.push_back(address(warp_address_[bit]));
    step.load_warps.push_back((warp_blocks >> bit & 1) != 0 ? 0 : step.store_warps.back());
  }
  return 1U << count;
}

/// The part of a block's address that is in thread bits.
std::uint32_t ScanPlanner::block_address(std::uint32_t block, int level, int end) const {
  std::uint32_t address = 0;
  for (int i = level; i < end; ++i) {
    const bool is_set = ((block >> (i - level) & 1) != 0) != is_reverse_;
    if (place(i) != Place::Register && is_set) {
      const int bit = holders_[i].bit;
      address |= 1U << (place(i) == Place::Lane ? lane_address_[bit] : warp_address_[bit]);
    }
  }
  return address;
}

/// Adds one row: the registers on one line with equal bits above the levels.
void ScanPlanner::add_row(ScanTotals& step, const std::vector<int>& members, int level, int end,
                          std::uint32_t size) const {
  const std::uint32_t ones = ((1U << level) - 1) & in_registers();
  std::map<std::uint32_t, std::uint32_t> slots;  // by the position of a block's end
  for (const int reg : members) {
    const std::uint32_t position = elements_[reg].position;
    if ((position & ((1U << level) - 1)) == ones) {
      slots[position] = step.elements;
      step.stores.push_back({reg, {step.elements, 0}});
      step.elements += size;
    }
  }
  ScanTotals::Row& row = step.rows.emplace_back();
  const std::uint32_t outer = elements_[members.front()].position >> end << end;
  const std::uint32_t blocks = 1U << (end - level);
  for (std::uint32_t block = 0; block < blocks; ++block) {
    const auto slot = slots.find(outer | ((block << level) & in_registers()) | ones);
    if (slot == slots.end()) {
      break;
    }
    row.totals.push_back({slot->second, block_address(block, level, end)});
  }
  for (const int reg : members) {
    row.members.push_back({reg, elements_[reg].position >> level & (blocks - 1)});
  }
}

/// All rows, in as many steps as the size of shared memory asks for; `first` has all but the rows.
void ScanPlanner::add_rounds(const ScanTotals& first, int level, int end, std::uint32_t size) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<int>> rows;
  for (int reg = 0; reg < static_cast<int>(elements_.size()); ++reg) {
    rows[{elements_[reg].row, elements_[reg].position >> end}].push_back(reg);
  }
  std::vector<ScanTotals> rounds{first};
  std::uint32_t most = 0;
  for (const auto& [key, members] : rows) {
    ScanTotals round = rounds.back();
    add_row(round, members, level, end, size);
    if (round.elements > kMostBytes / element_bytes_ && !rounds.back().rows.empty()) {
      round = first;
      round.is_next_round = true;
      add_row(round, members, level, end, size);
      rounds.emplace_back();
    }
    most = std::max(most, round.elements);
    rounds.back() = std::move(round);
  }
  for (ScanTotals& round : rounds) {
    round.elements = most;
    plan_.steps.emplace_back(std::move(round));
  }
}

/// What a step adds to the scratch memory: the blocks of its operands, unless it uses the step
/// before's.
std::uint32_t added_bytes(const ScanStep& step, std::span<const int> element_bytes) {
  const auto* const totals = std::get_if<ScanTotals>(&step);
  return totals == nullptr || totals->is_next_round
             ? 0
             : scratch_bytes(totals->elements, element_bytes);
}

}  // namespace

bool can_scan(const Layout& layout, int axis) {
  const std::uint32_t along = layout.base_index_of(axis, (1U << layout.base_bits(axis)) - 1);
  F2Span span;
  for (int place = 0; place < kPlaceCount; ++place) {
    for (const std::uint32_t base : layout.bases()[place]) {
      const bool is_along = (base & along) != 0;
      const bool is_plain =
          !is_along || (std::has_single_bit(base) && place != static_cast<int>(Place::Block));
      // A copy must be one of the whole thread.
      if (!is_plain || (!span.insert(base) && base != 0)) {
        return false;
      }
    }
  }
  return true;
}

ScanPlan plan_scan(const Layout& layout, int axis, bool reverse, int element_bytes) {
  TILERY_CHECK(can_scan(layout, axis), "a scan needs a layout with a place for each bit");
  return ScanPlanner(layout, axis, reverse, element_bytes).run();
}

ScratchUse scan_scratch(const ScanPlan& plan, std::span<const int> element_bytes) {
  ScratchUse use;
  for (const ScanStep& step : plan.steps) {
    if (const std::uint32_t bytes = added_bytes(step, element_bytes); bytes != 0) {
      use.add(bytes);
    }
  }
  return use;
}

std::uint32_t totals_offset(const ScanPlan& plan, std::size_t step, std::size_t operand,
                            std::span<const int> element_bytes) {
  while (std::get<ScanTotals>(plan.steps[step]).is_next_round) {
    --step;
  }
  std::uint32_t offset = 0;
  for (std::size_t i = 0; i < step; ++i) {
    offset += added_bytes(plan.steps[i], element_bytes);
  }
  return offset + scratch_bytes(std::get<ScanTotals>(plan.steps[step]).elements,
                                element_bytes.first(operand));
}

}  // namespace tilery::codegen
