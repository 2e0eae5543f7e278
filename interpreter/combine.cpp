#include "interpreter/combine.h"

#include "interpreter/lifetimes.h"
#include "ir/attributes.h"
#include "ir/support/check.h"

#include <algorithm>
#include <bit>
#include <vector>

namespace tilery::interpreter {
namespace {

/// Results from the 64th on share a bit: they only have to be told of too much.
std::uint64_t result_bit(std::size_t result) {
  return std::uint64_t{1} << std::min<std::size_t>(result, 63);
}

class CombinePlanner {
 public:
  CombinePlanner(Planner& planner, InstId inst)
      : planner_(planner),
        function_(planner.function()),
        region_(function_.region(planner.inst(inst).regions[0])),
        register_of_(function_.values.size(), -1) {}

  CombinePlan run() {
    plan_.operand_count = static_cast<int>(region_.args.size() / 2);
    for (const ValueId argument : region_.args) {
      add_register(argument);
    }
    for (const InstId id : region_.insts) {
      plan_inst(id);
    }
    find_feeds();
    reserve();
    return std::move(plan_);
  }

 private:
  int add_register(ValueId value) {
    CombinePlan::Register reg;
    reg.width = static_cast<std::uint32_t>(function_.type(value).element.byte_size());
    plan_.registers.push_back(reg);
    register_of_[value.index] = static_cast<int>(plan_.registers.size() - 1);
    return register_of_[value.index];
  }

  void plan_inst(InstId id) {
    const Inst& inst = function_.inst(id);
    if (inst.op == Op::Yield) {
      for (const ValueId value : inst.operands) {
        plan_.results.push_back(register_of_[value.index]);
      }
      return;
    }
    if (inst.op == Op::Bitcast) {
      register_of_[inst.result().index] = register_of_[inst.operand(0).index];
      return;
    }
    const int out = add_register(inst.result());
    if (inst.op == Op::Constant) {
      plan_.registers[out].is_constant = true;
      plan_.registers[out].bits = bits_attr<"value">(inst);
      return;
    }
    plan_.registers[out].scratch =
        planner_.scratch(CombinePlan::kBlock * plan_.registers[out].width);
    plan_.ops.push_back(combine_op(id, out));
  }

  CombineOp combine_op(InstId id, int out) {
    const Inst& inst = function_.inst(id);
    TILERY_CHECK(op_def(inst.op).is_map(), "combine regions hold element-wise ops only");
    CombineOp op;
    op.inst = id;
    op.out = out;
    op.kernel = plan_element_kernel(planner_, id, CombinePlan::kBlock);
    for (std::size_t i = 0; i < inst.operands.size(); ++i) {
      op.in[i] = register_of_[inst.operands[i].index];
    }
    return op;
  }

  /// Backwards from the results.
  void find_feeds() {
    std::vector<std::uint64_t> feeds(plan_.registers.size());
    for (std::size_t i = 0; i < plan_.results.size(); ++i) {
      feeds[plan_.results[i]] |= result_bit(i);
    }
    for (auto op = plan_.ops.rbegin(); op != plan_.ops.rend(); ++op) {
      for (int i = 0; i < op->kernel.count; ++i) {
        feeds[op->in[i]] |= feeds[op->out];
      }
    }
    for (int i = 0; i < plan_.operand_count; ++i) {
      plan_.operand_feeds.push_back(feeds[i] | feeds[plan_.operand_count + i]);
    }
  }

  void reserve() {
    for (const int result : plan_.results) {
      plan_.staging.push_back(
          planner_.scratch(CombinePlan::kBlock * plan_.registers[result].width));
    }
    for (int i = 0; i < plan_.operand_count; ++i) {
      plan_.spread.push_back(planner_.scratch(CombinePlan::kBlock * plan_.registers[i].width));
    }
    plan_.table = planner_.scratch(plan_.registers.size() * sizeof(Operand));
    plan_.event_bytes = planner_.scratch(CombinePlan::kBlock);
  }

  Planner& planner_;
  const Function& function_;
  const Region& region_;
  std::vector<int> register_of_;
  CombinePlan plan_;
};

std::uint64_t lane_bits(const Operand& operand, std::size_t width, std::size_t lane) {
  std::uint64_t bits = 0;
  std::memcpy(&bits,
              static_cast<const std::byte*>(operand.data) + (operand.is_splat ? 0 : lane * width),
              width);
  return bits;
}

/// One block of lanes: registers are set by the caller for the arguments.
class BlockRun {
 public:
  BlockRun(ProgramState& state, const CombinePlan& plan, const FoldTiles& tiles)
      : state_(state),
        plan_(plan),
        tiles_(tiles),
        registers_(reinterpret_cast<Operand*>(state.scratch + plan.table)) {
    for (std::size_t i = 0; i < plan.registers.size(); ++i) {
      const CombinePlan::Register& reg = plan.registers[i];
      if (reg.is_constant) {
        registers_[i] = {&reg.bits, true};
      } else {
        registers_[i] = {state.scratch + reg.scratch, false};
      }
    }
  }

  void set_left(int operand, Operand value) { registers_[operand] = value; }

  void set_right(int operand, Operand value) { registers_[plan_.operand_count + operand] = value; }

  /// Computes `n` lanes, the first of which has index `lane` in the work tile, and writes the
  /// results over the lanes from `target` on.
  bool run(std::size_t n, std::size_t lane, std::size_t target, std::size_t level = 0) {
    bool is_quiet = true;
    level_ = level;
    const std::size_t first_event = tiles_.events != nullptr ? tiles_.events->size() : 0;
    for (const CombineOp& op : plan_.ops) {
      std::array<Operand, 3> in;
      for (int i = 0; i < op.kernel.count; ++i) {
        in[i] = registers_[op.in[i]];
      }
      auto* const out = const_cast<void*>(registers_[op.out].data);
      op.kernel.run(out, in.data(), n, state_.scratch);
      is_quiet = look_for_events(op, out, in, n, lane) && is_quiet;
    }
    if (tiles_.events != nullptr) {
      follow_events(first_event, lane);
    }
    write_results(n, target);
    return is_quiet;
  }

 private:
  bool look_for_events(const CombineOp& op, const void* out, const std::array<Operand, 3>& in,
                       std::size_t n, std::size_t lane) {
    if (!tiles_.looks_for_events || !op.kernel.may_have_events()) {
      return true;
    }
    auto* const events = reinterpret_cast<std::uint8_t*>(state_.scratch + plan_.event_bytes);
    const std::size_t first = op.kernel.find_events(out, in.data(), n, events, state_.scratch);
    for (std::size_t i = first; i < n && tiles_.events != nullptr; ++i) {
      if (events[i] != kNoEvent) {
        add_event(op, out, in, events[i], i, lane);
      }
    }
    return first == n;
  }

  void add_event(const CombineOp& op, const void* out, const std::array<Operand, 3>& in,
                 std::uint8_t event, std::size_t i, std::size_t lane) {
    CombineEvent found;
    found.origin.inst = op.inst;
    found.origin.event = event;
    for (int k = 0; k < op.kernel.count; ++k) {
      found.origin.operands[k] = lane_bits(in[k], plan_.registers[op.in[k]].width, i);
    }
    found.origin.result = lane_bits({out, false}, plan_.registers[op.out].width, i);
    found.level = level_;
    found.lane = lane + i;
    tiles_.events->push_back(found);
  }

  /// Where the events of this block went, from the `first` on. What no result has is forgotten.
  void follow_events(std::size_t first, std::size_t lane) {
    const auto begin = tiles_.events->begin() + static_cast<std::ptrdiff_t>(first);
    for (auto event = begin; event != tiles_.events->end(); ++event) {
      event->feeds = feeds_of(*event, event->lane - lane);
    }
    tiles_.events->erase(std::remove_if(begin, tiles_.events->end(),
                                        [](const CombineEvent& event) { return event.feeds == 0; }),
                         tiles_.events->end());
  }

  /// The results that have an event of lane `i` of the block: a select passes on what it chose, and
  /// a comparison makes a definite value of whatever it compares.
  [[nodiscard]] std::uint64_t feeds_of(const CombineEvent& event, std::size_t i) const {
    std::vector<bool> has_event(plan_.registers.size());
    for (const CombineOp& op : plan_.ops) {
      const Op kind = state_.launch->function->inst(op.inst).op;
      bool has = op.inst == event.origin.inst;
      if (kind == Op::Select) {
        const bool condition = lane_bits(registers_[op.in[0]], sizeof(std::uint8_t), i) != 0;
        has = has_event[op.in[condition ? 1 : 2]];
      } else if (!is_comparison(kind)) {
        for (int k = 0; k < op.kernel.count; ++k) {
          has = has || has_event[op.in[k]];
        }
      }
      has_event[op.out] = has;
    }
    std::uint64_t feeds = 0;
    for (std::size_t result = 0; result < plan_.results.size(); ++result) {
      feeds |= has_event[plan_.results[result]] ? result_bit(result) : 0;
    }
    return feeds;
  }

  /// In two goes: a result may be another one's argument.
  void write_results(std::size_t n, std::size_t target) {
    for (std::size_t i = 0; i < plan_.results.size(); ++i) {
      const Operand& result = registers_[plan_.results[i]];
      const std::uint32_t width = plan_.registers[plan_.results[i]].width;
      std::byte* const room = state_.scratch + plan_.staging[i];
      if (result.is_splat) {
        kernels().memory(width).fill(room, result.data, n);
      } else {
        std::memcpy(room, result.data, n * width);
      }
    }
    for (std::size_t i = 0; i < plan_.results.size(); ++i) {
      const std::uint32_t width = plan_.registers[plan_.results[i]].width;
      std::memcpy(tiles_.data[i] + target * width, state_.scratch + plan_.staging[i], n * width);
    }
  }

  ProgramState& state_;
  const CombinePlan& plan_;
  const FoldTiles& tiles_;
  Operand* registers_;
  std::size_t level_ = 0;
};

const std::byte* lane_of(const CombinePlan& plan, const FoldTiles& tiles, int operand,
                         std::size_t lane) {
  return tiles.data[operand] + lane * plan.registers[operand].width;
}

/// `n` lanes of the row that starts at `row`, beginning at column `column`, over and over.
Operand repeated_row(ProgramState& state, const CombinePlan& plan, const FoldTiles& tiles,
                     int operand, std::size_t row, std::size_t column, std::size_t n) {
  const std::byte* const start = lane_of(plan, tiles, operand, row * tiles.rest);
  if (tiles.rest == 1) {
    return {start, true};
  }
  const std::uint32_t width = plan.registers[operand].width;
  std::byte* const room = state.scratch + plan.spread[operand];
  for (std::size_t done = 0; done < n;) {
    const std::size_t count = std::min(n - done, tiles.rest - column);
    std::memcpy(room + done * width, start + column * width, count * width);
    done += count;
    column = 0;
  }
  return {room, false};
}

}  // namespace

CombinePlan plan_combine(Planner& planner, InstId inst) {
  return CombinePlanner(planner, inst).run();
}

bool fold_tree(ProgramState& state, const CombinePlan& plan, const FoldTiles& tiles) {
  BlockRun block(state, plan, tiles);
  bool is_quiet = true;
  std::size_t length = tiles.length;
  for (std::size_t half = std::bit_ceil(length) / 2; half != 0; half /= 2) {
    const std::size_t paired = length > half ? (length - half) * tiles.rest : 0;
    for (std::size_t lane = 0; lane < paired; lane += CombinePlan::kBlock) {
      const std::size_t n = std::min(CombinePlan::kBlock, paired - lane);
      for (int i = 0; i < plan.operand_count; ++i) {
        block.set_left(i, {lane_of(plan, tiles, i, lane), false});
        block.set_right(i, {lane_of(plan, tiles, i, half * tiles.rest + lane), false});
      }
      is_quiet = block.run(n, lane, lane) && is_quiet;
    }
    length = std::min(length, half);
  }
  return is_quiet;
}

bool fold_scan(ProgramState& state, const CombinePlan& plan, const FoldTiles& tiles) {
  BlockRun block(state, plan, tiles);
  bool is_quiet = true;
  for (std::size_t size = 1; size < tiles.length; size *= 2) {
    for (std::size_t start = size; start < tiles.length; start += 2 * size) {
      const std::size_t rows = std::min(size, tiles.length - start);
      const std::size_t first = start * tiles.rest;
      const std::size_t lanes = rows * tiles.rest;
      for (std::size_t done = 0; done < lanes; done += CombinePlan::kBlock) {
        const std::size_t n = std::min(CombinePlan::kBlock, lanes - done);
        for (int i = 0; i < plan.operand_count; ++i) {
          block.set_left(i, repeated_row(state, plan, tiles, i, start - 1, done % tiles.rest, n));
          block.set_right(i, {lane_of(plan, tiles, i, first + done), false});
        }
        is_quiet = block.run(n, first + done, first + done, size) && is_quiet;
      }
    }
  }
  return is_quiet;
}

namespace {

/// Puts an event on one lane of every result in `feeds`.
void put(Origins& origins, std::vector<FoldCodes>& codes, const CombineEvent& event,
         std::uint64_t feeds, std::size_t lane) {
  const OriginCode code = origins.add(event.origin);
  for (std::size_t i = 0; i < codes.size(); ++i) {
    if ((feeds & result_bit(i)) != 0) {
      codes[i][lane] = origins.join(codes[i][lane], code);
    }
  }
}

/// The results that a later fold carries these results into, themselves included.
std::uint64_t reached_from(const CombinePlan& plan, std::uint64_t results) {
  for (std::uint64_t before = 0; before != results;) {
    before = results;
    for (std::size_t i = 0; i < plan.operand_feeds.size(); ++i) {
      results |= (before & result_bit(i)) != 0 ? plan.operand_feeds[i] : 0;
    }
  }
  return results;
}

/// One level of a scan: the codes of the row before a block go on to the rows of the block.
void carry_codes(Origins& origins, const CombinePlan& plan, const FoldTiles& tiles,
                 std::size_t size, std::vector<FoldCodes>& codes) {
  for (std::size_t row = size; row < tiles.length; ++row) {
    if ((row & size) == 0) {
      continue;
    }
    const std::size_t left = (row / size * size - 1) * tiles.rest;
    for (std::size_t column = 0; column < tiles.rest; ++column) {
      for (std::size_t from = 0; from < codes.size(); ++from) {
        const OriginCode code = codes[from][left + column];
        for (std::size_t to = 0; code != 0 && to < codes.size(); ++to) {
          if ((plan.operand_feeds[from] & result_bit(to)) != 0) {
            OriginCode& target = codes[to][row * tiles.rest + column];
            target = origins.join(target, code);
          }
        }
      }
    }
  }
}

}  // namespace

std::vector<FoldCodes> tree_codes(Origins& origins, const CombinePlan& plan,
                                  const FoldTiles& tiles) {
  if (tiles.events->empty()) {
    return {};
  }
  std::vector<FoldCodes> codes(plan.results.size(), FoldCodes(tiles.rest));
  for (const CombineEvent& event : *tiles.events) {
    put(origins, codes, event, reached_from(plan, event.feeds), event.lane % tiles.rest);
  }
  return codes;
}

std::vector<FoldCodes> scan_codes(Origins& origins, const CombinePlan& plan,
                                  const FoldTiles& tiles) {
  if (tiles.events->empty()) {
    return {};
  }
  std::vector<FoldCodes> codes(plan.results.size(), FoldCodes(tiles.length * tiles.rest));
  auto event = tiles.events->begin();
  for (std::size_t size = 1; size < tiles.length; size *= 2) {
    carry_codes(origins, plan, tiles, size, codes);
    for (; event != tiles.events->end() && event->level == size; ++event) {
      put(origins, codes, *event, event->feeds, event->lane);
    }
  }
  return codes;
}

}  // namespace tilery::interpreter
