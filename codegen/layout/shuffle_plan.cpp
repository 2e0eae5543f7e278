#include "codegen/layout/shuffle_plan.h"

#include "codegen/layout/f2.h"
#include "ir/support/check.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace tilery::codegen {
namespace {

using Vectors = std::vector<std::uint32_t>;

/// A register and a lane of the old layout, as a sum of their bits.
struct Source {
  std::uint32_t registers = 0;
  std::uint32_t lane = 0;

  Source& operator^=(const Source& other) {
    registers ^= other.registers;
    lane ^= other.lane;
    return *this;
  }
};

/// One way to serve the rounds: see the head of shuffle_plan.h. For each bit of lane and warp,
/// where the element comes from and which register (of the new layout) the round serves.
struct Routing {
  std::array<Source, kLaneBits> lanes;
  std::vector<Source> warps;
  std::array<std::uint32_t, kLaneBits> place_of_lane{};
  Vectors place_of_warp;
};

/// Where the elements of the new layout are within each warp of the old one.
class Finder {
 public:
  Finder(const Layout& from, const Layout& to) : from_(from), to_(to) {
    for (const Place place : {Place::Register, Place::Lane}) {
      for (const std::uint32_t base : from.bases(place)) {
        held_.insert(base);
      }
    }
    for (const std::uint32_t base : from.bases(Place::Register)) {
      own_.insert(base);
    }
    register_bits_ = from.bits(Place::Register);
  }

  /// The register and lane with this base index, of warp 0.
  [[nodiscard]] std::optional<Source> find(std::uint32_t base) const {
    const auto members = held_.solve(base);
    if (!members) {
      return std::nullopt;
    }
    const auto bits = static_cast<std::uint32_t>(*members);
    return Source{bits & ((1U << register_bits_) - 1), bits >> register_bits_};
  }

  /// Sources of the new layout's registers, bit by bit; false if a warp lacks one.
  [[nodiscard]] bool find_registers() {
    for (const std::uint32_t base : to_.bases(Place::Register)) {
      const auto source = find(base);
      if (!source) {
        return false;
      }
      registers_.push_back(*source);
    }
    return true;
  }

  [[nodiscard]] const std::vector<Source>& registers() const { return registers_; }

  /// Every lane listens to a lane at a fixed distance, if that suffices.
  [[nodiscard]] std::optional<Routing> butterfly() const {
    // A lane's own elements differ from those that it needs by registers of both layouts.
    F2Span both = own_;
    for (const std::uint32_t base : to_.bases(Place::Register)) {
      both.insert(base);
    }
    Routing routing;
    const auto split = [&](std::uint32_t base, Source& source, std::uint32_t& place) {
      const auto members = both.solve(base);
      if (members) {
        source.registers = static_cast<std::uint32_t>(*members) & ((1U << register_bits_) - 1);
        place = static_cast<std::uint32_t>(*members >> register_bits_);
      }
      return members.has_value();
    };
    for (int bit = 0; bit < kLaneBits; ++bit) {
      Source& source = routing.lanes[bit];
      if (!split(change(Place::Lane, bit), source, routing.place_of_lane[bit])) {
        return std::nullopt;
      }
      source.lane = 1U << bit;
    }
    routing.warps.resize(to_.bits(Place::Warp));
    routing.place_of_warp.resize(to_.bits(Place::Warp));
    for (int bit = 0; bit < to_.bits(Place::Warp); ++bit) {
      if (!split(change(Place::Warp, bit), routing.warps[bit], routing.place_of_warp[bit])) {
        return std::nullopt;
      }
    }
    return routing;
  }

  /// Every lane listens to one that has what it needs; lanes that would ask one lane for different
  /// registers are sent to others, or served in different rounds.
  [[nodiscard]] std::optional<Routing> direct() const {
    Routing routing;
    for (int bit = 0; bit < kLaneBits; ++bit) {
      const auto source = find(to_.bases(Place::Lane)[bit]);
      if (!source) {
        return std::nullopt;
      }
      routing.lanes[bit] = *source;
    }
    routing.place_of_warp.resize(to_.bits(Place::Warp));
    for (int bit = 0; bit < to_.bits(Place::Warp); ++bit) {
      const auto source = find(change(Place::Warp, bit));
      if (!source) {
        return std::nullopt;
      }
      routing.warps.push_back(*source);
    }
    return part_askers(routing) ? std::optional(routing) : std::nullopt;
  }

 private:
  [[nodiscard]] std::uint32_t change(Place place, int bit) const {
    return from_.bases(place)[bit] ^ to_.bases(place)[bit];
  }

  /// Another way to get the same register: a different lane that has the element too, or a
  /// different round.
  struct Detour {
    Source source;
    std::uint32_t place = 0;
  };

  [[nodiscard]] std::vector<Detour> detours() const {
    std::vector<Detour> result;
    // Lanes whose elements are in registers of lane 0.
    F2Span seen = own_;
    const auto lanes = from_.bases(Place::Lane);
    for (int bit = 0; bit < kLaneBits; ++bit) {
      if (const auto members = seen.solve(lanes[bit])) {
        const auto bits = static_cast<std::uint32_t>(*members);
        result.push_back(
            {{bits & ((1U << register_bits_) - 1), bits >> register_bits_ | 1U << bit}, 0});
      }
      seen.insert(lanes[bit]);
    }
    for (std::size_t bit = 0; bit < registers_.size(); ++bit) {
      result.push_back({registers_[bit], 1U << bit});
    }
    return result;
  }

  /// Makes lanes that listen to the same lane want the same register of it: then `lane` decides
  /// `registers` in routing.lanes.
  [[nodiscard]] bool part_askers(Routing& routing) const {
    F2Span asked;
    std::vector<int> order;
    std::vector<int> late;
    for (int bit = 0; bit < kLaneBits; ++bit) {
      (asked.insert(routing.lanes[bit].lane) ? order : late).push_back(bit);
    }
    const std::vector<Detour> all_detours = detours();
    // Detours taken, and the conflicts of registers that they resolve.
    std::vector<Detour> taken;
    F2Span resolved;
    for (const int bit : late) {
      const std::uint32_t conflict = conflict_of(routing, bit);
      if (conflict == 0) {
        continue;
      }
      Detour detour;
      if (const auto members = resolved.solve(conflict)) {
        for (std::size_t i = 0; i < taken.size(); ++i) {
          if ((*members >> i & 1) != 0) {
            detour.source ^= taken[i].source;
            detour.place ^= taken[i].place;
          }
        }
      } else {
        const auto found = std::find_if(
            all_detours.begin(), all_detours.end(),
            [&](const Detour& candidate) { return !asked.contains(candidate.source.lane); });
        if (found == all_detours.end()) {
          return false;
        }
        detour = *found;
        asked.insert(detour.source.lane);
        taken.push_back(detour);
        resolved.insert(conflict);
      }
      routing.lanes[bit] ^= detour.source;
      routing.place_of_lane[bit] ^= detour.place;
    }
    return true;
  }

  /// What the registers of lanes that ask the same lane differ by: lane 1 << bit, and the sum of
  /// those before it that ask the same.
  [[nodiscard]] static std::uint32_t conflict_of(const Routing& routing, int bit) {
    F2Span lanes;
    Vectors registers;
    for (int other = 0; other < kLaneBits; ++other) {
      if (other != bit) {
        lanes.insert(routing.lanes[other].lane);
        registers.push_back(routing.lanes[other].registers);
      }
    }
    return routing.lanes[bit].registers ^ sum_of(registers, *lanes.solve(routing.lanes[bit].lane));
  }

  const Layout& from_;
  const Layout& to_;
  int register_bits_ = 0;
  /// What a warp has, and a thread, of the old layout.
  F2Span held_;
  F2Span own_;
  std::vector<Source> registers_;
};

/// Selects for "XOR of vectors[i] over the set bits i of the thread": one for each dimension.
std::vector<ThreadSelect> selects_of(const Vectors& vectors) {
  std::vector<ThreadSelect> result;
  F2Span span;
  std::vector<std::size_t> select_of_vector(vectors.size());
  for (std::size_t bit = 0; bit < vectors.size(); ++bit) {
    if (span.insert(vectors[bit])) {
      select_of_vector[bit] = result.size();
      result.push_back({0, vectors[bit]});
    }
  }
  for (std::size_t bit = 0; bit < vectors.size(); ++bit) {
    for (std::uint64_t members = *span.solve(vectors[bit]); members != 0; members &= members - 1) {
      result[select_of_vector[std::countr_zero(members)]].thread |= 1U << bit;
    }
  }
  return result;
}

/// Turns a routing into a plan.
class Planner {
 public:
  Planner(const Layout& from, const Layout& to, const std::vector<Source>& registers,
          const Routing& routing)
      : from_bits_(from.bits(Place::Register)),
        to_bits_(to.bits(Place::Register)),
        registers_(registers),
        routing_(routing) {
    invert_lanes();
    for (std::size_t bit = 0; bit < registers_.size(); ++bit) {
      sent_.push_back(registers_[bit].registers ^ sum_of(sent_by_lane_, registers_[bit].lane));
    }
  }

  [[nodiscard]] ShufflePlan plan(int element_bytes) {
    ShufflePlan result;
    Vectors send = sent_by_lane_;
    Vectors place(routing_.place_of_lane.begin(), routing_.place_of_lane.end());
    for (std::size_t bit = 0; bit < routing_.warps.size(); ++bit) {
      const Source& source = routing_.warps[bit];
      send.push_back(source.registers ^ sum_of(sent_by_lane_, source.lane));
      place.push_back(routing_.place_of_warp[bit]);
      result.lane_of_warp.push_back(source.lane);
    }
    for (int bit = 0; bit < kLaneBits; ++bit) {
      result.lane_of_lane[bit] = routing_.lanes[bit].lane;
    }
    result.send = selects_of(send);
    result.place = selects_of(place);
    choose_pack(result, send, place, element_bytes);
    add_rounds(result);
    return result;
  }

 private:
  /// M: which register a lane sends, by its own number. routing.lanes says it for the lanes that
  /// are listened to; others do not matter.
  void invert_lanes() {
    F2Span span;
    Vectors values;
    for (const Source& source : routing_.lanes) {
      span.insert(source.lane);
      values.push_back(source.registers);
    }
    for (int bit = 0; bit < kLaneBits; ++bit) {
      span.insert(1U << bit);
      values.push_back(0);
    }
    for (int bit = 0; bit < kLaneBits; ++bit) {
      sent_by_lane_.push_back(sum_of(values, *span.solve(1U << bit)));
    }
  }

  /// Registers of the new layout that come from one lane travel together if lanes and warps never
  /// choose between them, on either side.
  void choose_pack(ShufflePlan& result, const Vectors& send, const Vectors& place,
                   int element_bytes) {
    F2Span chosen;
    int inserted = 0;
    const auto insert = [&](std::uint32_t vector) {
      ++inserted;
      return chosen.insert(vector);
    };
    for (const std::uint32_t vector : send) {
      insert(vector);
    }
    for (const std::uint32_t vector : place) {
      insert(sum_of(sent_, vector));
    }
    result.from_pack = {0};
    result.to_pack = {0};
    F2Span lanes;
    for (int bit = 0; bit < to_bits_; ++bit) {
      if (static_cast<int>(result.to_pack.size()) * element_bytes >= 4) {
        break;
      }
      std::uint32_t together = 1U << bit;
      if (const auto members = lanes.solve(registers_[bit].lane)) {
        together |= static_cast<std::uint32_t>(*members);
        if (insert(sum_of(sent_, together))) {
          pack_positions_ |= std::uint64_t{1} << (inserted - 1);
          add_to_pack(result.to_pack, together);
          add_to_pack(result.from_pack, sum_of(sent_, together));
        }
      }
      lanes.insert(registers_[bit].lane);
    }
    for (int bit = 0; bit < from_bits_; ++bit) {
      chosen.insert(1U << bit);
    }
    position_ = chosen;
  }

  static void add_to_pack(Vectors& pack, std::uint32_t distance) {
    const std::size_t size = pack.size();
    for (std::size_t i = 0; i < size; ++i) {
      pack.push_back(pack[i] ^ distance);
    }
  }

  /// One round for each pack of the new layout: for the registers that are lowest in theirs.
  void add_rounds(ShufflePlan& result) const {
    for (std::uint32_t reg = 0; reg < 1U << to_bits_; ++reg) {
      const std::uint32_t sent = sum_of(sent_, reg);
      if ((*position_.solve(sent) & pack_positions_) == 0) {
        std::uint32_t lane = 0;
        for (std::uint32_t bits = reg; bits != 0; bits &= bits - 1) {
          lane ^= registers_[std::countr_zero(bits)].lane;
        }
        result.rounds.push_back({reg, sent, lane});
      }
    }
  }

  int from_bits_;
  int to_bits_;
  const std::vector<Source>& registers_;
  const Routing& routing_;
  Vectors sent_by_lane_;
  /// For each bit of the new layout's registers, what it changes about the register that is sent.
  Vectors sent_;
  /// Writes a register of the old layout as a sum; `pack_positions_` are the members that say where
  /// in its pack it is.
  F2Span position_;
  std::uint64_t pack_positions_ = 0;
};

}  // namespace

bool ShufflePlan::is_butterfly() const {
  for (int bit = 0; bit < kLaneBits; ++bit) {
    if (lane_of_lane[bit] != 1U << bit) {
      return false;
    }
  }
  return std::all_of(lane_of_warp.begin(), lane_of_warp.end(),
                     [](std::uint32_t flip) { return flip == 0; });
}

int ShufflePlan::shuffles(int repeats) const {
  const bool has_free_rounds = is_butterfly();
  const auto moving = std::count_if(rounds.begin(), rounds.end(), [&](const Round& round) {
    return !has_free_rounds || round.lane_flip != 0;
  });
  return static_cast<int>(moving) * repeats;
}

std::optional<ShufflePlan> plan_shuffles(const Layout& from, const Layout& to, int element_bytes) {
  TILERY_CHECK(from.shape() == to.shape(), "a conversion keeps the shape");
  if (from.warps() != to.warps() || from.bits(Place::Block) != 0 || to.bits(Place::Block) != 0) {
    return std::nullopt;
  }
  Finder finder(from, to);
  if (!finder.find_registers()) {
    return std::nullopt;
  }
  std::optional<ShufflePlan> best;
  for (const auto& routing : {finder.butterfly(), finder.direct()}) {
    if (!routing) {
      continue;
    }
    ShufflePlan plan = Planner(from, to, finder.registers(), *routing).plan(element_bytes);
    const auto cost = [](const ShufflePlan& p) {
      return 4 * p.shuffles(1) +
             static_cast<int>(p.rounds.size() * (p.send.size() + p.place.size()));
    };
    if (!best || cost(plan) < cost(*best)) {
      best = std::move(plan);
    }
  }
  return best;
}

}  // namespace tilery::codegen
