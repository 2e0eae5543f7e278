// fp32 division by divisors that several registers of a thread share: a row's sum in a softmax, a
// deviation in a layer norm.
//
// A correctly rounded division costs some ten instructions and a branch of its own, most of them
// for the reciprocal of the divisor. Registers with one divisor share that, and one branch:
//
//     r = 1 / d
//     all of x0, x1, … and d of moderate size?
//       yes: three instructions each
//       no:  five each, three of them in fp64; ptxas takes longer for a few dozen of its own
//            divisions than for all the rest of a softmax
//
// Both ways are in ir/math/division.h.
#include "codegen/emit_map.h"
#include "codegen/llvm_math.h"
#include "ir/math/division.h"

#include <llvm/IR/IntrinsicsNVPTX.h>

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

/// 1 / d for a moderate d as ptxas makes rcp.rn.f32 for normal numbers on every chip, without its
/// way for the others.
MathValue<float> moderate_reciprocal(MathValue<float> d) {
  llvm::IRBuilder<>& builder = *d.builder;
  const MathValue<float> estimate{
      &builder, builder.CreateIntrinsic(llvm::Intrinsic::nvvm_rcp_approx_ftz_f, {}, {d.value})};
  return fma(estimate, -fma(d, estimate, splat(d, -1.0F)), estimate);
}

Quotients quotients_in_f64(llvm::IRBuilder<>& builder, Elements dividends, Value* divisor) {
  const auto widened = [&](Value* x) {
    return MathValue<double>{&builder, builder.CreateFPExt(x, builder.getDoubleTy())};
  };
  const MathValue<double> d = widened(divisor);
  const MathValue<double> estimate{
      &builder, builder.CreateIntrinsic(llvm::Intrinsic::nvvm_rcp_approx_ftz_d, {}, {d.value})};
  const MathValue<double> raised = math::raised_reciprocal(d, estimate);
  Quotients quotients;
  for (Value* const x : dividends) {
    const MathValue<double> q = math::quotient_by_raised_reciprocal(widened(x), raised);
    quotients.values.push_back({&builder, builder.CreateFPTrunc(q.value, builder.getFloatTy())});
  }
  return quotients;
}

Quotients shared_quotients(llvm::IRBuilder<>& builder, Elements dividends, Value* divisor,
                           Value* are_moderate) {
  const MathValue<float> d{&builder, divisor};
  const MathMask is_plain{&builder,
                          builder.CreateAnd(is_divisor_moderate(builder, divisor), are_moderate)};
  return branch(
      !is_plain, [&] { return quotients_in_f64(builder, dividends, divisor); },
      [&] {
        const MathValue<float> reciprocal = moderate_reciprocal(d);
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
