// scan: carries out its plan (layout/scan.h) step by step.
#include "codegen/emit_fold.h"
#include "codegen/emit_shuffle.h"

#include <map>
#include <utility>
#include <variant>

namespace tilery::codegen {
namespace {

class ScanEmitter {
 public:
  ScanEmitter(EmitContext& context, InstId id)
      : context_(context),
        id_(id),
        facts_(fold_facts(context.function(), id)),
        plan_(plan_scan(context.gpu(), id)),
        combiner_(context, id, facts_) {
    for (const ValueId operand : context.inst(id).operands) {
      values_.push_back(context.registers(operand));
    }
  }

  void run() {
    for (step_ = 0; step_ < plan_.steps.size(); ++step_) {
      std::visit([&](const auto& step) { take(step); }, plan_.steps[step_]);
    }
    const Inst& inst = context_.inst(id_);
    for (std::uint32_t i = 0; i < inst.result_count; ++i) {
      context_.set(inst.result(i), std::move(values_[i]));
    }
  }

 private:
  void set(int number, const Tuple& tuple) {
    for (std::size_t operand = 0; operand < tuple.size(); ++operand) {
      values_[operand][static_cast<std::size_t>(number)] = tuple[operand];
    }
  }

  void take(const ScanInRegisters& step) {
    const FoldValues before = values_;
    for (const auto& pair : step.pairs) {
      set(pair.right, combiner_.combine(tuple_of(before, pair.left), tuple_of(before, pair.right)));
    }
  }

  void take(const ScanInWarp& step) {
    auto& builder = context_.builder();
    llvm::Value* const source =
        builder.CreateOr(builder.CreateAnd(context_.lane_id(), builder.getInt32(~step.cleared)),
                         builder.getInt32(step.set));
    llvm::Value* applies = nullptr;
    if (step.deciding_bit >= 0) {
      applies = parity_bit(context_, {1U << step.deciding_bit, 0});
      applies = step.deciding_value ? applies : builder.CreateNot(applies);
    }
    // Many elements combine with the same one.
    const FoldValues before = values_;
    std::map<int, Tuple> lefts;
    for (const auto& pair : step.pairs) {
      const auto [left, is_new] = lefts.try_emplace(pair.left);
      if (is_new) {
        left->second = shuffle_index(context_, tuple_of(before, pair.left), source);
      }
      const Tuple own = tuple_of(before, pair.right);
      const Tuple folded = combiner_.combine(left->second, own);
      set(pair.right, applies == nullptr ? folded : select_tuple(context_, applies, folded, own));
    }
  }

  // ---- totals -----

  [[nodiscard]] std::vector<SharedArray> arrays(const std::vector<std::uint32_t>& lanes,
                                                const std::vector<std::uint32_t>& warps) const {
    std::vector<SharedArray> all;
    for (std::size_t operand = 0; operand < values_.size(); ++operand) {
      const ValueId value = context_.inst(id_).operands[operand];
      all.emplace_back(context_, id_, totals_offset(plan_, step_, operand, facts_.element_bytes),
                       context_.llvm_type(context_.type(value).element), lanes, warps);
    }
    return all;
  }

  void take(const ScanTotals& step) {
    if (step.is_next_round) {
      context_.barrier();
    }
    store(step);
    context_.barrier();
    std::vector<SharedArray> loads = arrays(step.load_lanes, step.load_warps);
    for (const auto& row : step.rows) {
      for (SharedArray& array : loads) {
        array.expect_loads(row.totals);
      }
    }
    std::vector<llvm::Value*> level_bits;
    for (const auto& level : step.levels) {
      llvm::Value* const bit = parity_bit(context_, level.thread);
      level_bits.push_back(bit != nullptr && level.is_inverted ? context_.builder().CreateNot(bit)
                                                               : bit);
    }
    for (const auto& row : step.rows) {
      std::vector<Tuple> totals;
      for (const auto& from : row.totals) {
        Tuple& total = totals.emplace_back();
        for (SharedArray& array : loads) {
          total.push_back(array.load(from));
        }
      }
      scan_row(row, std::move(totals), level_bits);
    }
  }

  void store(const ScanTotals& step) const {
    const std::uint32_t mask = step.mask.lanes | step.mask.warps << kLaneBits;
    const std::uint32_t last = step.last.lanes | step.last.warps << kLaneBits;
    llvm::BasicBlock* join = nullptr;
    if (mask != 0) {
      auto& builder = context_.builder();
      join =
          begin_branch(context_, builder.CreateICmpEQ(builder.CreateAnd(context_.thread_id(), mask),
                                                      builder.getInt32(last)));
    }
    std::vector<SharedArray> all = arrays(step.store_lanes, step.store_warps);
    for (std::size_t operand = 0; operand < all.size(); ++operand) {
      std::vector<SharedArray::Cell> cells;
      for (const auto& one : step.stores) {
        cells.push_back({one.to, values_[operand][static_cast<std::size_t>(one.value)]});
      }
      all[operand].store(std::move(cells));
    }
    end_branch(context_, join);
  }

  using LevelBits = std::vector<llvm::Value*>;

  void scan_row(const ScanTotals::Row& row, std::vector<Tuple> totals, const LevelBits& bits) {
    for (std::size_t level = 0; level < bits.size(); ++level) {
      std::map<std::uint32_t, Tuple> lefts;
      for (const auto& member : row.members) {
        if (bits[level] == nullptr && (member.block >> level & 1) == 0) {
          continue;
        }
        // The last block below, but for the bits that the thread decides.
        const std::uint32_t below =
            (member.block >> level >> 1 << level << 1) | ((1U << level) - 1);
        const auto [left, is_new] = lefts.try_emplace(below);
        if (is_new) {
          left->second = chosen_total(totals, bits, below, level + 1);
        }
        const Tuple own = tuple_of(values_, member.value);
        const Tuple folded = combiner_.combine(left->second, own);
        set(member.value,
            bits[level] == nullptr ? folded : select_tuple(context_, bits[level], folded, own));
      }
      if (level + 1 < bits.size()) {
        scan_totals(totals, level);
      }
    }
  }

  /// One level on the totals themselves.
  void scan_totals(std::vector<Tuple>& totals, std::size_t level) const {
    for (std::uint32_t block = 0; block < totals.size(); ++block) {
      if ((block >> level & 1) != 0) {
        const std::uint32_t below = (block >> level << level) - 1;
        totals[block] = combiner_.combine(totals[below], totals[block]);
      }
    }
  }

  /// totals[block], with the block's bits from `level` on that threads decide.
  [[nodiscard]] Tuple chosen_total(const std::vector<Tuple>& totals, const LevelBits& bits,
                                   std::uint32_t block, std::size_t level) const {
    if (level == bits.size()) {
      return totals.at(block);
    }
    const Tuple clear = chosen_total(totals, bits, block, level + 1);
    if (bits[level] == nullptr) {
      return clear;
    }
    const Tuple set = chosen_total(totals, bits, block | 1U << level, level + 1);
    return select_tuple(context_, bits[level], set, clear);
  }

  EmitContext& context_;
  const InstId id_;
  const FoldFacts facts_;
  const ScanPlan plan_;
  const Combiner combiner_;
  FoldValues values_;
  std::size_t step_ = 0;
};

}  // namespace

void emit_scan(EmitContext& context, InstId inst) {
  ScanEmitter(context, inst).run();
}

}  // namespace tilery::codegen
