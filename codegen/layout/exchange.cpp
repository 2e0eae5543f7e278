// How the values of an exchange lie in shared memory.
//
// The elements that the threads hold are numbered by an *address space*: a choice of independent
// vectors, in order, whose i-th is bit i of the address. Which vectors come first decides how wide
// the accesses are and which banks neighbouring lanes meet.
#include "codegen/layout/holding.h"

#include <algorithm>
#include <bit>

namespace tilery::codegen {
namespace {

/// Largest part of shared memory that one exchange takes; more goes in rounds.
constexpr std::uint32_t kExchangeBytes = 32768;
constexpr int kVectorBytes = 16;

/// Base indices as addresses: bit i of an address is the i-th independent vector.
class AddressSpace {
 public:
  void add(std::uint32_t vector) {
    if (!span_.contains(vector)) {
      span_.insert(vector);
    }
  }

  void add(const Vectors& vectors) {
    for (const std::uint32_t vector : vectors) {
      add(vector);
    }
  }

  [[nodiscard]] std::uint32_t address(std::uint32_t index) const {
    return static_cast<std::uint32_t>(span_.solve(index).value());
  }

  [[nodiscard]] Vectors addresses(const Vectors& indices) const {
    Vectors result;
    for (const std::uint32_t index : indices) {
      result.push_back(address(index));
    }
    return result;
  }

  [[nodiscard]] int bits() const { return span_.dimension(); }

 private:
  F2Span span_;
};

/// How an exchange is cut into rounds.
struct Rounds {
  int bits = 0;        ///< address bits of a round
  int split_bits = 0;  ///< higher ones, which number the rounds of a group
  int groups = 1;
  bool has_round_a_group = false;

  [[nodiscard]] std::size_t count() const {
    return static_cast<std::size_t>(has_round_a_group ? groups : 1) << split_bits;
  }

  [[nodiscard]] std::uint32_t elements() const {
    return (has_round_a_group ? 1U : static_cast<std::uint32_t>(groups)) << bits;
  }

  [[nodiscard]] std::size_t number(int group, std::uint32_t address) const {
    return (static_cast<std::size_t>(has_round_a_group ? group : 0) << split_bits) +
           (address >> bits);
  }

  [[nodiscard]] SharedExchange::Address place(int group, std::uint32_t address) const {
    return {has_round_a_group ? 0 : static_cast<std::uint32_t>(group) << bits,
            address & ((1U << bits) - 1)};
  }
};

bool has(const Vectors& vectors, std::uint32_t vector) {
  return std::find(vectors.begin(), vectors.end(), vector) != vectors.end();
}

/// The order of address bits. Stores and loads should be vectors, and neighbouring lanes should
/// meet different banks.
AddressSpace address_space(const ExchangeRequest& request) {
  const Holding& before = request.before;
  const Vectors& folded = request.folded;
  AddressSpace space;
  const int lanes = std::popcount(~copies_of(before).lanes & (kWarpSize - 1U));
  if (before.registers.empty() && lanes <= 3) {
    // Few values a warp: put those that a thread reads side by side, in the order in which the tree
    // meets them: what one access brings is folded at once.
    space.add(folded);
  }
  int width = request.traits.widest_bytes;
  for (const std::uint32_t base : request.after.registers) {
    if (width < kVectorBytes && has(before.registers, base)) {
      space.add(base);
      width *= 2;
    }
  }
  space.add(before.lanes);
  space.add(request.handed_out);
  space.add(before.warps);
  space.add(before.registers);
  return space;
}

/// The last address bits are registers that stay registers: what is too large goes in rounds.
Rounds rounds_of(const ExchangeRequest& request, const SharedExchange& step,
                 const AddressSpace& space) {
  std::uint32_t reached = 0;
  for (const Vectors* part :
       {&step.store_lanes, &step.store_warps, &step.load_lanes, &step.load_warps}) {
    for (const std::uint32_t address : *part) {
      reached |= address;
    }
  }
  for (const std::uint32_t bit : request.folded) {
    reached |= space.address(bit);
  }
  const auto width = static_cast<std::uint64_t>(request.traits.total_bytes);
  Rounds rounds{space.bits(), 0, request.groups, false};
  rounds.has_round_a_group = (width << rounds.bits) * request.groups > kExchangeBytes;
  while (rounds.bits > 0 && width << rounds.bits > kExchangeBytes &&
         reached >> (rounds.bits - 1) == 0) {
    --rounds.bits;
    ++rounds.split_bits;
  }
  return rounds;
}

void add_stores(SharedExchange& step, const ExchangeRequest& request, const AddressSpace& space,
                const Rounds& rounds) {
  const Holding& before = request.before;
  for (int group = 0; group < request.groups; ++group) {
    for (int i = 0; i < before.values(); ++i) {
      const std::uint32_t address =
          space.address(sum_of(before.registers, static_cast<std::uint64_t>(i)));
      step.rounds[rounds.number(group, address)].stores.push_back(
          {(group * before.values()) + i, rounds.place(group, address)});
    }
  }
}

void add_loads(SharedExchange& step, const ExchangeRequest& request, const AddressSpace& space,
               const Rounds& rounds) {
  const Holding& after = request.after;
  // `folded` runs from the highest bit down, so its reverse numbers the parts in axis order.
  const Vectors ascending(request.folded.rbegin(), request.folded.rend());
  for (int group = 0; group < request.groups; ++group) {
    for (int i = 0; i < after.values(); ++i) {
      const std::uint32_t base = sum_of(after.registers, static_cast<std::uint64_t>(i));
      SharedExchange::Load load;
      load.value = (group * after.values()) + i;
      for (std::uint32_t part = 0; part < 1U << ascending.size(); ++part) {
        load.from.push_back(rounds.place(group, space.address(base ^ sum_of(ascending, part))));
      }
      step.rounds[rounds.number(group, space.address(base))].loads.push_back(std::move(load));
    }
  }
}

}  // namespace

SharedExchange make_exchange(const ExchangeRequest& request) {
  const AddressSpace space = address_space(request);
  SharedExchange step;
  step.store_lanes = space.addresses(request.before.lanes);
  step.store_warps = space.addresses(request.before.warps);
  step.copies = copies_of(request.before);
  step.load_lanes = space.addresses(request.after.lanes);
  step.load_warps = space.addresses(request.after.warps);
  step.values = request.groups * request.after.values();
  step.idle_warps = request.idles ? copies_of(request.after).warps : 0;
  const Rounds rounds = rounds_of(request, step, space);
  step.elements = rounds.elements();
  step.rounds.resize(rounds.count());
  add_stores(step, request, space, rounds);
  add_loads(step, request, space, rounds);
  return step;
}

}  // namespace tilery::codegen
