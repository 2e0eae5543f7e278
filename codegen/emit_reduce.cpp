// reduce: carries out its plan (layout/reduction.h) step by step.
#include "codegen/emit_fold.h"
#include "codegen/emit_shuffle.h"
#include "ir/support/check.h"

#include <llvm/IR/IntrinsicsNVPTX.h>

#include <variant>

namespace tilery::codegen {
namespace {

// ---- a warp in one instruction ------------------------------------------------------------------

/// A float as an integer of the same order (-0 below +0), and the way back, which is the same: the
/// bits of negative numbers but the sign are inverted.
llvm::Value* ordered(llvm::IRBuilder<>& builder, llvm::Value* bits) {
  constexpr std::uint32_t kMagnitude = 0x7FFFFFFF;
  llvm::Value* const is_negative = builder.CreateAShr(bits, 31);
  return builder.CreateXor(bits, builder.CreateAnd(is_negative, builder.getInt32(kMagnitude)));
}

/// A float as an integer for redux.sync. NaN becomes the greatest or the least, which stand for NaN
/// both: so that it wins if it is propagated and loses if not.
llvm::Value* float_key(llvm::IRBuilder<>& builder, CombineKind kind, llvm::Value* value) {
  constexpr std::uint32_t kLeast = 0x80000000;
  constexpr std::uint32_t kGreatest = 0x7FFFFFFF;
  const bool is_greatest = kind == CombineKind::MaxNan || kind == CombineKind::Min;
  llvm::Value* const key = ordered(builder, builder.CreateBitCast(value, builder.getInt32Ty()));
  return builder.CreateSelect(builder.CreateFCmpUNO(value, value),
                              builder.getInt32(is_greatest ? kGreatest : kLeast), key);
}

llvm::Intrinsic::ID warp_fold_intrinsic(CombineKind kind, bool is_signed) {
  switch (kind) {
    case CombineKind::Add:
      return llvm::Intrinsic::nvvm_redux_sync_add;
    case CombineKind::And:
      return llvm::Intrinsic::nvvm_redux_sync_and;
    case CombineKind::Or:
      return llvm::Intrinsic::nvvm_redux_sync_or;
    case CombineKind::Xor:
      return llvm::Intrinsic::nvvm_redux_sync_xor;
    case CombineKind::Max:
    case CombineKind::MaxNan:
      return is_signed ? llvm::Intrinsic::nvvm_redux_sync_max
                       : llvm::Intrinsic::nvvm_redux_sync_umax;
    case CombineKind::Min:
    case CombineKind::MinNan:
      return is_signed ? llvm::Intrinsic::nvvm_redux_sync_min
                       : llvm::Intrinsic::nvvm_redux_sync_umin;
    case CombineKind::Mul:
    case CombineKind::Other:
    case CombineKind::ArgMaxLeft:
    case CombineKind::ArgMinLeft:
    case CombineKind::ArgMaxAny:
    case CombineKind::ArgMinAny:
      break;
  }
  TILERY_CHECK(false, "no warp fold for this kind");
}

/// The fold of a value over the warp; the plan asks for it only where fold_plan.cpp allows.
llvm::Value* warp_fold(EmitContext& context, CombineKind kind, Scalar scalar, llvm::Value* value) {
  auto& builder = context.builder();
  llvm::Type* const type = value->getType();
  llvm::Type* const word = builder.getInt32Ty();
  const auto fold = [&](llvm::Value* key, bool is_signed) -> llvm::Value* {
    return builder.CreateIntrinsic(warp_fold_intrinsic(kind, is_signed), {},
                                   {key, builder.getInt32(0xFFFFFFFFU)});
  };
  if (!type->isFloatingPointTy()) {
    const bool is_signed = is_signed_integer(scalar);
    llvm::Value* const wide =
        is_signed ? builder.CreateSExt(value, word) : builder.CreateZExt(value, word);
    return builder.CreateTrunc(fold(wide, is_signed), type);
  }
  llvm::Value* const wide = builder.CreateFPExt(value, builder.getFloatTy());
  llvm::Value* const key = fold(float_key(builder, kind, wide), true);
  return builder.CreateFPTrunc(builder.CreateBitCast(ordered(builder, key), builder.getFloatTy()),
                               type);
}

// ---- the steps ----------------------------------------------------------------------------------

class ReduceEmitter {
 public:
  ReduceEmitter(EmitContext& context, InstId id)
      : context_(context),
        id_(id),
        facts_(fold_facts(context.function(), id)),
        plan_(plan_reduce(context.gpu(), id)),
        combiner_(context, id, facts_) {
    for (const ValueId operand : context.inst(id).operands) {
      values_.push_back(context.registers(operand));
    }
  }

  void run() {
    while (step_ < plan_.steps.size()) {
      std::visit([&](const auto& step) { take(step); }, plan_.steps[step_]);
      ++step_;
    }
    TILERY_CHECK(join_ == nullptr, "idle warps come back in an exchange");
    const Inst& inst = context_.inst(id_);
    for (std::uint32_t i = 0; i < inst.result_count; ++i) {
      Registers results;
      for (const int number : plan_.results) {
        results.push_back(values_[i][static_cast<std::size_t>(number)]);
      }
      context_.set(inst.result(i), std::move(results));
    }
  }

 private:
  /// Collects the values that a step leaves.
  void append(FoldValues& next, const Tuple& tuple) const {
    next.resize(values_.size());
    for (std::size_t i = 0; i < tuple.size(); ++i) {
      next[i].push_back(tuple[i]);
    }
  }

  /// This step and all of its kind that follow, result by result: each tree is folded depth first,
  /// so that few values are alive besides the ones it starts from.
  void take(const RegisterFold& /*step*/) {
    const std::size_t first = step_;
    while (step_ + 1 < plan_.steps.size() &&
           std::holds_alternative<RegisterFold>(plan_.steps[step_ + 1])) {
      ++step_;
    }
    const std::size_t count = std::get<RegisterFold>(plan_.steps[step_]).pairs.size();
    FoldValues next;
    for (std::size_t i = 0; i < count; ++i) {
      append(next, folded(first, step_, static_cast<int>(i)));
    }
    values_ = std::move(next);
  }

  /// Value `number` after the register folds first … last.
  [[nodiscard]] Tuple folded(std::size_t first, std::size_t last, int number) const {
    const auto& fold = std::get<RegisterFold>(plan_.steps[last]);
    const RegisterFold::Pair& pair = fold.pairs[static_cast<std::size_t>(number)];
    const auto before = [&](int index) {
      return last == first ? tuple_of(values_, index) : folded(first, last - 1, index);
    };
    const Tuple left = before(pair.left);
    if (pair.right < 0) {
      return left;
    }
    return combiner_.combine(left, before(pair.right), parity_bit(context_, fold.swapped));
  }

  /// The tuples of the lane `lane ^ mask`.
  [[nodiscard]] std::vector<Tuple> exchanged(const std::vector<Tuple>& sent,
                                             std::uint32_t mask) const {
    std::vector<Tuple> got(sent.size());
    for (std::size_t operand = 0; operand < values_.size(); ++operand) {
      Registers column;
      for (const Tuple& tuple : sent) {
        column.push_back(tuple[operand]);
      }
      const Registers moved = shuffle_xor(context_, column, mask);
      for (std::size_t i = 0; i < moved.size(); ++i) {
        got[i].push_back(moved[i]);
      }
    }
    return got;
  }

  void take(const LaneFold& step) {
    std::vector<Tuple> sent;
    for (const auto& pair : step.pairs) {
      sent.push_back(tuple_of(values_, pair.sent));
    }
    const std::vector<Tuple> got = exchanged(sent, step.lane_mask);
    llvm::Value* const upper = facts_.commutes ? nullptr : parity_bit(context_, step.upper);
    FoldValues next;
    for (std::size_t i = 0; i < step.pairs.size(); ++i) {
      const Tuple own = tuple_of(values_, step.pairs[i].own);
      const bool own_is_right = step.pairs[i].own_is_right;
      append(next, own_is_right ? combiner_.combine(got[i], own, upper)
                                : combiner_.combine(own, got[i], upper));
    }
    values_ = std::move(next);
  }

  [[nodiscard]] llvm::Value* lane_bit(int bit) const {
    return parity_bit(context_, {1U << bit, 0});
  }

  void take(const LaneScatterFold& step) {
    llvm::Value* const is_high = lane_bit(step.lane_bit);
    std::vector<Tuple> kept;
    std::vector<Tuple> sent;
    for (const auto& pair : step.pairs) {
      const Tuple low = tuple_of(values_, pair.low);
      const Tuple high = tuple_of(values_, pair.high);
      kept.push_back(select_tuple(context_, is_high, high, low));
      sent.push_back(select_tuple(context_, is_high, low, high));
    }
    const std::vector<Tuple> got = exchanged(sent, 1U << step.lane_bit);
    FoldValues next;
    for (std::size_t i = 0; i < kept.size(); ++i) {
      append(next, combiner_.combine(kept[i], got[i], is_high));
    }
    values_ = std::move(next);
  }

  void take(const WarpFold&) {
    const Scalar scalar = context_.type(context_.inst(id_).operands[0]).element.scalar;
    for (llvm::Value*& value : values_[0]) {
      value = warp_fold(context_, facts_.kind, scalar, value);
    }
  }

  void take(const LaneGather& step) {
    llvm::Value* const is_high = lane_bit(step.lane_bit);
    FoldValues next(values_.size());
    for (std::size_t operand = 0; operand < values_.size(); ++operand) {
      const Registers got = shuffle_xor(context_, values_[operand], 1U << step.lane_bit);
      next[operand].resize(2 * step.pairs.size());
      for (std::size_t i = 0; i < step.pairs.size(); ++i) {
        llvm::Value* const own = values_[operand][i];
        auto& builder = context_.builder();
        next[operand][static_cast<std::size_t>(step.pairs[i].low)] =
            builder.CreateSelect(is_high, got[i], own);
        next[operand][static_cast<std::size_t>(step.pairs[i].high)] =
            builder.CreateSelect(is_high, own, got[i]);
      }
    }
    values_ = std::move(next);
  }

  // ---- exchanges ----

  [[nodiscard]] SharedArray array(std::size_t operand, const std::vector<std::uint32_t>& lanes,
                                  const std::vector<std::uint32_t>& warps) const {
    return {context_,
            id_,
            exchange_offset(plan_, step_, operand, facts_.element_bytes),
            context_.llvm_type(context_.type(context_.inst(id_).operands[operand]).element),
            lanes,
            warps};
  }

  void take(const SharedExchange& step) {
    FoldValues next(values_.size(), Registers(static_cast<std::size_t>(step.values)));
    for (std::size_t round = 0; round < step.rounds.size(); ++round) {
      if (round != 0) {
        context_.barrier();
      }
      store(step, step.rounds[round]);
      // Warps that idled meet the others here. Idling across rounds is not worth its phis.
      end_branch(context_, join_);
      context_.barrier();
      if (step.idle_warps != 0 && step.rounds.size() == 1) {
        join_ = begin_branch(context_, context_.builder().CreateIsNull(context_.builder().CreateAnd(
                                           context_.warp_id(), step.idle_warps)));
      }
      load(step, step.rounds[round], next);
    }
    values_ = std::move(next);
  }

  void store(const SharedExchange& step, const SharedExchange::Round& round) const {
    llvm::BasicBlock* join = nullptr;
    if (!step.copies.is_zero()) {
      auto& builder = context_.builder();
      const std::uint32_t bits = step.copies.lanes | step.copies.warps << kLaneBits;
      join = begin_branch(context_,
                          builder.CreateIsNull(builder.CreateAnd(context_.thread_id(), bits)));
    }
    for (std::size_t operand = 0; operand < values_.size(); ++operand) {
      std::vector<SharedArray::Cell> cells;
      for (const auto& one : round.stores) {
        cells.push_back({one.to, values_[operand][static_cast<std::size_t>(one.value)]});
      }
      array(operand, step.store_lanes, step.store_warps).store(std::move(cells));
    }
    end_branch(context_, join);
  }

  void load(const SharedExchange& step, const SharedExchange::Round& round,
            FoldValues& next) const {
    std::vector<SharedArray> arrays;
    for (std::size_t operand = 0; operand < values_.size(); ++operand) {
      arrays.push_back(array(operand, step.load_lanes, step.load_warps));
      for (const auto& one : round.loads) {
        arrays.back().expect_loads(one.from);
      }
    }
    for (const auto& one : round.loads) {
      const Tuple folded = halving_tree(arrays, one.from, 0, 1);
      for (std::size_t operand = 0; operand < folded.size(); ++operand) {
        next[operand][static_cast<std::size_t>(one.value)] = folded[operand];
      }
    }
  }

  /// The tree over the elements index, index + stride, index + 2·stride, …, each loaded when its
  /// turn comes, so that few are alive at a time.
  [[nodiscard]] Tuple halving_tree(std::vector<SharedArray>& arrays,
                                   std::span<const SharedArray::Address> from, std::size_t index,
                                   std::size_t stride) const {
    if (stride == from.size()) {
      Tuple loaded;
      for (SharedArray& array : arrays) {
        loaded.push_back(array.load(from[index]));
      }
      return loaded;
    }
    const Tuple left = halving_tree(arrays, from, index, 2 * stride);
    return combiner_.combine(left, halving_tree(arrays, from, index + stride, 2 * stride));
  }

  EmitContext& context_;
  const InstId id_;
  const FoldFacts facts_;
  const ReductionPlan plan_;
  const Combiner combiner_;
  FoldValues values_;
  std::size_t step_ = 0;
  llvm::BasicBlock* join_ = nullptr;  ///< where idle warps wait
};

}  // namespace

void emit_reduce(EmitContext& context, InstId inst) {
  ReduceEmitter(context, inst).run();
}

}  // namespace tilery::codegen
