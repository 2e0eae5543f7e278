// exp and exp2 in fast math: 2 to the power of a product, by the hardware.
//
// The hardware's exp2 gives 0 for what should be subnormal. PTX's ex2.approx.f32 mends that with a
// test and two products a number. Many numbers share one test instead:
//
//     t_i = x_i * log2(e)
//     all |t_i| ≤ 99?
//       yes: ex2.approx.ftz of each, the same bits in a third of the instructions
//       no:  ex2.approx of each
//
// What passes is also of the size that a division by a shared divisor takes, as in a softmax, which
// then needs no test of its own. In a row with a number that does not pass, the division goes its
// longer way.
#include "codegen/emit_map.h"
#include "codegen/llvm_math.h"
#include "codegen/llvm_versions.h"
#include "ir/math/division.h"

#include <algorithm>
#include <array>
#include <functional>
#include <numbers>
#include <utility>

namespace tilery::codegen {
namespace {

using llvm::Value;

/// Powers of 2 with a smaller exponent lie within the moderate dividends, whatever the last bits of
/// the approximation are.
constexpr float kLargestExponent = 99.0F;
static_assert(math::kLargestSharedDividend == 0x1p+100F &&
              math::kSmallestSharedDividend == 0x1p-100F);

Value* scaled(llvm::IRBuilder<>& builder, Op op, Value* x) {
  return op == Op::Exp ? builder.CreateFMul(
                             x, llvm::ConstantFP::get(x->getType(), std::numbers::log2e_v<float>))
                       : x;
}

Value* power_of_two(llvm::IRBuilder<>& builder, Value* exponent) {
  return create_exp2(builder, exponent, false);
}

/// Subnormal results are zeros.
Value* normal_power_of_two(llvm::IRBuilder<>& builder, Value* exponent) {
  return create_exp2(builder, exponent, true);
}

llvm::Constant* f32(llvm::IRBuilder<>& builder, float value) {
  return llvm::ConstantFP::get(builder.getContext(), llvm::APFloat(value));
}

/// A fold of numbers that come one by one, in a few chains side by side.
class Extreme {
 public:
  Extreme(llvm::IRBuilder<>& builder, llvm::Intrinsic::ID fold) : builder_(builder), fold_(fold) {}

  void add(Value* number) {
    Value*& chain = chains_[next_];
    chain = chain == nullptr ? number : builder_.get().CreateBinaryIntrinsic(fold_, chain, number);
    next_ = (next_ + 1) % chains_.size();
  }

  [[nodiscard]] Value* result() const {
    Value* result = chains_.front();
    for (std::size_t i = 1; i < chains_.size() && chains_[i] != nullptr; ++i) {
      result = builder_.get().CreateBinaryIntrinsic(fold_, result, chains_[i]);
    }
    return result;
  }

 private:
  std::reference_wrapper<llvm::IRBuilder<>> builder_;
  llvm::Intrinsic::ID fold_;
  std::array<Value*, 4> chains_{};
  std::size_t next_ = 0;
};

/// NaN passes, and so does whatever is masked. Numbers with one mask are folded before it is looked
/// at: a mask is mostly that of a whole vector.
Value* are_small(llvm::IRBuilder<>& builder, Elements exponents, Elements masks) {
  std::vector<std::pair<Value*, Extreme>> groups;
  for (std::size_t i = 0; i < exponents.size(); ++i) {
    Value* const mask = masks.empty() ? nullptr : masks[i];
    auto group = std::ranges::find(groups, mask, &std::pair<Value*, Extreme>::first);
    if (group == groups.end()) {
      group = groups.insert(groups.end(), {mask, Extreme(builder, llvm::Intrinsic::maxnum)});
    }
    group->second.add(builder.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, exponents[i]));
  }
  Extreme largest(builder, llvm::Intrinsic::maxnum);
  for (const auto& [mask, group] : groups) {
    largest.add(mask == nullptr ? group.result()
                                : builder.CreateSelect(mask, group.result(), f32(builder, 0.0F)));
  }
  return builder.CreateFCmpULE(largest.result(), f32(builder, kLargestExponent));
}

}  // namespace

/// Found by `branch`, so not in a namespace of its own.
static FastExps select(MathMask mask, const FastExps& a, const FastExps& b) {
  FastExps joined;
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    joined.values.push_back(select_or_join(mask, a.values[i], b.values[i]));
  }
  return joined;
}

Value* emit_fast_exp(llvm::IRBuilder<>& builder, Op op, Value* x) {
  return power_of_two(builder, scaled(builder, op, x));
}

FastExps emit_fast_exps(const MapEmitter& emitter, Op op, Elements numbers, Elements masks) {
  llvm::IRBuilder<>& builder = emitter.builder;
  std::vector<Value*> exponents;
  for (Value* const x : numbers) {
    exponents.push_back(scaled(builder, op, x));
  }
  const auto each = [&](auto power) {
    FastExps powers;
    for (Value* const exponent : exponents) {
      powers.values.push_back(power(builder, exponent));
    }
    return powers;
  };
  Value* const are_moderate = are_small(builder, exponents, masks);
  FastExps powers = branch(
      MathMask{&builder, builder.CreateNot(are_moderate)}, [&] { return each(power_of_two); },
      [&] { return each(normal_power_of_two); });
  powers.are_moderate = are_moderate;
  return powers;
}

}  // namespace tilery::codegen
