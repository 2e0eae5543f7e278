// fp32 division by divisors that several registers of a thread share: a row's sum in a softmax, a
// deviation in a layer norm.
//
// A correctly rounded division costs some ten instructions and a branch of its own, most of them
// for the reciprocal of the divisor. Registers with one divisor share that, and one branch:
//
//     r = 1 / d
//     all of x0, x1, … and d of moderate size?
//       yes: three instructions each (ir/math/division.h)
//       no:  x0 / d, x1 / d, … in a loop over an array in local memory, because ptxas takes longer
//            for a few dozen divisions than for all the rest of a softmax
#include "codegen/emit_map.h"
#include "codegen/llvm_math.h"
#include "ir/math/division.h"

#include <bit>
#include <cstdint>

namespace tilery::codegen {
namespace {

using llvm::Value;

/// Below this the reciprocal and the tests cost more than they save.
constexpr std::size_t kFewestSharers = 4;

Value* f32(llvm::IRBuilder<>& builder, float value) {
  return llvm::ConstantFP::get(builder.getContext(), llvm::APFloat(value));
}

Value* is_divisor_moderate(llvm::IRBuilder<>& builder, Value* divisor) {
  return builder.CreateAnd(
      builder.CreateFCmpOGE(divisor, f32(builder, math::kSmallestSharedDivisor)),
      builder.CreateFCmpOLE(divisor, f32(builder, math::kLargestSharedDivisor)));
}

/// One value out of all, by a tree of an intrinsic of two operands.
Value* extreme(llvm::IRBuilder<>& builder, llvm::Intrinsic::ID id, std::vector<Value*> values) {
  while (values.size() > 1) {
    const std::size_t half = values.size() / 2;
    for (std::size_t i = 0; i < half; ++i) {
      values[i] = builder.CreateBinaryIntrinsic(id, values[i], values[values.size() - 1 - i]);
    }
    values.resize(values.size() - half);
  }
  return values.front();
}

/// True if each number is zero or of moderate size; not if one is infinite or NaN. The test for the
/// smallest is on twice the pattern less one, which is greatest for zeros.
Value* are_moderate_dividends(llvm::IRBuilder<>& builder, Elements numbers) {
  std::vector<Value*> sizes;
  std::vector<Value*> keys;
  for (Value* const x : numbers) {
    sizes.push_back(builder.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x));
    Value* const pattern = builder.CreateBitCast(x, builder.getInt32Ty());
    keys.push_back(builder.CreateSub(builder.CreateShl(pattern, 1), builder.getInt32(1)));
  }
  Value* const largest = extreme(builder, llvm::Intrinsic::maximum, sizes);
  Value* const smallest = extreme(builder, llvm::Intrinsic::umin, keys);
  const auto limit = std::bit_cast<std::uint32_t>(math::kSmallestSharedDividend);
  return builder.CreateAnd(
      builder.CreateFCmpOLE(largest, f32(builder, math::kLargestSharedDividend)),
      builder.CreateICmpUGE(smallest, builder.getInt32((limit << 1) - 1)));
}

/// Quotients as one value for `branch`, which joins two of them one by one.
struct Quotients {
  std::vector<MathValue<float>> values;

  friend Quotients select(MathMask mask, const Quotients& a, const Quotients& b) {
    Quotients joined;
    for (std::size_t i = 0; i < a.values.size(); ++i) {
      joined.values.push_back(select(mask, a.values[i], b.values[i]));
    }
    return joined;
  }
};

/// An array of numbers in the thread's local memory, for code that is seldom run: a loop over it
/// replaces as many copies of the loop's body.
class LocalArray {
 public:
  LocalArray(llvm::IRBuilder<>& builder, Elements numbers)
      : builder_(builder), type_(llvm::ArrayType::get(builder.getFloatTy(), numbers.size())) {
    llvm::BasicBlock& entry = builder.GetInsertBlock()->getParent()->getEntryBlock();
    llvm::IRBuilder<> start(&entry, entry.begin());
    array_ = start.CreateAlloca(type_);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      builder.CreateStore(numbers[i], place(builder.getInt32(static_cast<std::uint32_t>(i))));
    }
  }

  /// Replaces each number by `of(number)`.
  template <class Of>
  void replace_each(Of of) {
    llvm::BasicBlock* const before = builder_.GetInsertBlock();
    llvm::BasicBlock* const body = new_block(builder_, "each");
    llvm::BasicBlock* const after = new_block(builder_, "done");
    builder_.CreateBr(body);
    builder_.SetInsertPoint(body);
    llvm::PHINode* const index = builder_.CreatePHI(builder_.getInt32Ty(), 2);
    Value* const here = place(index);
    builder_.CreateStore(of(builder_.CreateLoad(builder_.getFloatTy(), here)), here);
    Value* const next = builder_.CreateAdd(index, builder_.getInt32(1));
    index->addIncoming(builder_.getInt32(0), before);
    index->addIncoming(next, builder_.GetInsertBlock());
    builder_.CreateCondBr(
        builder_.CreateICmpULT(
            next, builder_.getInt32(static_cast<std::uint32_t>(type_->getNumElements()))),
        body, after);
    builder_.SetInsertPoint(after);
  }

  [[nodiscard]] Value* load(std::size_t index) {
    return builder_.CreateLoad(builder_.getFloatTy(),
                               place(builder_.getInt32(static_cast<std::uint32_t>(index))));
  }

 private:
  Value* place(Value* index) {
    return builder_.CreateInBoundsGEP(type_, array_, {builder_.getInt32(0), index});
  }

  llvm::IRBuilder<>& builder_;
  llvm::ArrayType* type_;
  Value* array_ = nullptr;
};

Quotients quotients_in_a_loop(llvm::IRBuilder<>& builder, Elements dividends, Value* divisor) {
  LocalArray numbers(builder, dividends);
  numbers.replace_each([&](Value* x) { return builder.CreateFDiv(x, divisor); });
  Quotients quotients;
  for (std::size_t i = 0; i < dividends.size(); ++i) {
    quotients.values.push_back(MathValue<float>{&builder, numbers.load(i)});
  }
  return quotients;
}

Quotients shared_quotients(llvm::IRBuilder<>& builder, Elements dividends, Value* divisor,
                           Value* are_moderate) {
  const MathValue<float> d{&builder, divisor};
  const MathMask is_plain{&builder,
                          builder.CreateAnd(is_divisor_moderate(builder, divisor), are_moderate)};
  return branch(
      !is_plain, [&] { return quotients_in_a_loop(builder, dividends, divisor); },
      [&] {
        const MathValue<float> reciprocal = splat(d, 1.0F) / d;
        Quotients quotients;
        for (Value* const x : dividends) {
          quotients.values.push_back(
              math::quotient_by_reciprocal(MathValue<float>{&builder, x}, d, reciprocal));
        }
        return quotients;
      });
}

/// Constants whose reciprocal is exact: LLVM makes a product of the division.
bool is_power_of_two(const Value* divisor) {
  const auto* const constant = llvm::dyn_cast<llvm::ConstantFP>(divisor);
  return constant != nullptr && constant->getValueAPF().getExactInverse(nullptr);
}

}  // namespace

std::vector<Value*> emit_f32_quotients(const MapEmitter& emitter, Elements dividends,
                                       Elements divisors, Value* are_moderate) {
  std::vector<Value*> quotients(dividends.size());
  for (std::size_t first = 0; first < dividends.size(); ++first) {
    if (quotients[first] != nullptr) {
      continue;
    }
    Value* const divisor = divisors[first];
    std::vector<std::size_t> sharers;
    std::vector<Value*> shared;
    for (std::size_t i = first; i < dividends.size(); ++i) {
      if (divisors[i] == divisor) {
        sharers.push_back(i);
        shared.push_back(dividends[i]);
      }
    }
    if (sharers.size() < kFewestSharers || is_power_of_two(divisor)) {
      for (const std::size_t i : sharers) {
        quotients[i] = emitter.builder.CreateFDiv(dividends[i], divisor);
      }
      continue;
    }
    const Quotients results = shared_quotients(
        emitter.builder, shared, divisor,
        are_moderate != nullptr ? are_moderate : are_moderate_dividends(emitter.builder, shared));
    for (std::size_t i = 0; i < sharers.size(); ++i) {
      quotients[sharers[i]] = results.values[i].value;
    }
  }
  return quotients;
}

}  // namespace tilery::codegen
