// The value type that makes LLVM IR out of the templates of ir/math; ir/math/README.md says what
// such a type provides. Private to codegen; includes LLVM.
//
// A MathValue is one LLVM value and the builder that all operations append to. The builder stands
// at the end of its block; where_rare and repeat_while leave it in a later one.
#pragma once

#include "ir/math/value.h"
#include "ir/support/check.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace tilery::codegen {

struct MathMask {
  llvm::IRBuilder<>* builder = nullptr;
  llvm::Value* value = nullptr;
  /// Set while where_rare joins its ways: `select` then takes what came from either block.
  llvm::BasicBlock* if_true = nullptr;
  llvm::BasicBlock* if_false = nullptr;

  friend MathMask operator&(MathMask a, MathMask b) {
    return {a.builder, a.builder->CreateAnd(a.value, b.value)};
  }

  friend MathMask operator|(MathMask a, MathMask b) {
    return {a.builder, a.builder->CreateOr(a.value, b.value)};
  }

  friend MathMask operator!(MathMask a) { return {a.builder, a.builder->CreateNot(a.value)}; }
};

/// An integer; T is std::int32_t or std::int64_t.
template <class T>
struct MathBits {
  using Element = T;
  llvm::IRBuilder<>* builder = nullptr;
  llvm::Value* value = nullptr;

  friend MathBits operator+(MathBits a, MathBits b) {
    return {a.builder, a.builder->CreateAdd(a.value, b.value)};
  }

  friend MathBits operator-(MathBits a, MathBits b) {
    return {a.builder, a.builder->CreateSub(a.value, b.value)};
  }

  friend MathBits operator&(MathBits a, MathBits b) {
    return {a.builder, a.builder->CreateAnd(a.value, b.value)};
  }

  friend MathBits operator|(MathBits a, MathBits b) {
    return {a.builder, a.builder->CreateOr(a.value, b.value)};
  }

  friend MathBits operator^(MathBits a, MathBits b) {
    return {a.builder, a.builder->CreateXor(a.value, b.value)};
  }

  friend MathMask operator<(MathBits a, MathBits b) {
    return {a.builder, a.builder->CreateICmpSLT(a.value, b.value)};
  }

  friend MathMask operator==(MathBits a, MathBits b) {
    return {a.builder, a.builder->CreateICmpEQ(a.value, b.value)};
  }
};

/// A float; T is float or double.
template <class T>
struct MathValue {
  using Element = T;
  using Bits = MathBits<std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>>;
  using Mask = MathMask;
  llvm::IRBuilder<>* builder = nullptr;
  llvm::Value* value = nullptr;

  friend MathValue operator+(MathValue a, MathValue b) {
    return {a.builder, a.builder->CreateFAdd(a.value, b.value)};
  }

  friend MathValue operator-(MathValue a, MathValue b) {
    return {a.builder, a.builder->CreateFSub(a.value, b.value)};
  }

  friend MathValue operator*(MathValue a, MathValue b) {
    return {a.builder, a.builder->CreateFMul(a.value, b.value)};
  }

  friend MathValue operator/(MathValue a, MathValue b) {
    return {a.builder, a.builder->CreateFDiv(a.value, b.value)};
  }

  friend MathValue operator-(MathValue a) { return {a.builder, a.builder->CreateFNeg(a.value)}; }

  friend MathMask operator<(MathValue a, MathValue b) {
    return {a.builder, a.builder->CreateFCmpOLT(a.value, b.value)};
  }

  friend MathMask operator<=(MathValue a, MathValue b) {
    return {a.builder, a.builder->CreateFCmpOLE(a.value, b.value)};
  }

  friend MathMask operator==(MathValue a, MathValue b) {
    return {a.builder, a.builder->CreateFCmpOEQ(a.value, b.value)};
  }

  friend MathMask operator!=(MathValue a, MathValue b) {
    return {a.builder, a.builder->CreateFCmpUNE(a.value, b.value)};
  }
};

template <class T>
MathValue<T> splat(MathValue<T> like, T constant) {
  return {like.builder, llvm::ConstantFP::get(like.value->getType(), llvm::APFloat(constant))};
}

template <class T>
MathBits<T> splat(MathBits<T> like, T constant) {
  return {like.builder, llvm::ConstantInt::getSigned(like.value->getType(), constant)};
}

template <class T>
MathValue<T> fma(MathValue<T> a, MathValue<T> b, MathValue<T> c) {
  return {a.builder, a.builder->CreateIntrinsic(llvm::Intrinsic::fma, {a.value->getType()},
                                                {a.value, b.value, c.value})};
}

template <class T>
MathValue<T> sqrt(MathValue<T> x) {
  return {x.builder, x.builder->CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, x.value)};
}

template <class T>
MathValue<T> trunc(MathValue<T> x) {
  return {x.builder, x.builder->CreateUnaryIntrinsic(llvm::Intrinsic::trunc, x.value)};
}

template <class T>
typename MathValue<T>::Bits bits(MathValue<T> x) {
  return {x.builder, x.builder->CreateBitCast(x.value, x.builder->getIntNTy(8 * sizeof(T)))};
}

inline MathValue<float> as_float(MathBits<std::int32_t> x) {
  return {x.builder, x.builder->CreateBitCast(x.value, x.builder->getFloatTy())};
}

inline MathValue<double> as_float(MathBits<std::int64_t> x) {
  return {x.builder, x.builder->CreateBitCast(x.value, x.builder->getDoubleTy())};
}

template <int Count, class T>
MathBits<T> shl(MathBits<T> x) {
  return {x.builder, x.builder->CreateShl(x.value, Count)};
}

template <int Count, class T>
MathBits<T> sar(MathBits<T> x) {
  return {x.builder, x.builder->CreateAShr(x.value, Count)};
}

template <int Count, class T>
MathBits<T> shr(MathBits<T> x) {
  return {x.builder, x.builder->CreateLShr(x.value, Count)};
}

inline llvm::Value* select_or_join(MathMask mask, llvm::Value* a, llvm::Value* b) {
  if (mask.if_true == nullptr) {
    return mask.builder->CreateSelect(mask.value, a, b);
  }
  llvm::PHINode* const joined = mask.builder->CreatePHI(a->getType(), 2);
  joined->addIncoming(a, mask.if_true);
  joined->addIncoming(b, mask.if_false);
  return joined;
}

template <class T>
MathValue<T> select(MathMask mask, MathValue<T> a, MathValue<T> b) {
  return {mask.builder, select_or_join(mask, a.value, b.value)};
}

template <class T>
MathBits<T> select(MathMask mask, MathBits<T> a, MathBits<T> b) {
  return {mask.builder, select_or_join(mask, a.value, b.value)};
}

/// A new block behind the one that the builder stands in.
inline llvm::BasicBlock* new_block(llvm::IRBuilder<>& builder, const char* name) {
  llvm::Function* const function = builder.GetInsertBlock()->getParent();
  return llvm::BasicBlock::Create(builder.getContext(), name, function);
}

/// Both ways as branches, each with its own code; T has a `select`. The results of one way are then
/// not kept in registers beside the operands of the other.
template <class Rare, class Common>
auto branch(MathMask mask, Rare rare, Common common) {
  llvm::IRBuilder<>& builder = *mask.builder;
  llvm::BasicBlock* const rare_start = new_block(builder, "rare");
  llvm::BasicBlock* const common_start = new_block(builder, "common");
  llvm::BasicBlock* const join = new_block(builder, "join");
  builder.CreateCondBr(mask.value, rare_start, common_start,
                       llvm::MDBuilder(builder.getContext()).createUnlikelyBranchWeights());
  builder.SetInsertPoint(rare_start);
  const auto rare_result = rare();
  llvm::BasicBlock* const rare_end = builder.GetInsertBlock();
  builder.CreateBr(join);
  builder.SetInsertPoint(common_start);
  const auto common_result = common();
  llvm::BasicBlock* const common_end = builder.GetInsertBlock();
  builder.CreateBr(join);
  builder.SetInsertPoint(join);
  return select(MathMask{&builder, mask.value, rare_end, common_end}, rare_result, common_result);
}

/// A branch: `slow` is long, and seldom is a whole warp without need of it.
template <class Fast, class Slow>
Fast where_rare(MathMask mask, const Fast& fast, Slow slow) {
  llvm::IRBuilder<>& builder = *mask.builder;
  llvm::BasicBlock* const before = builder.GetInsertBlock();
  TILERY_CHECK(builder.GetInsertPoint() == before->end(), "the builder stands at a block's end");
  llvm::BasicBlock* const rare = new_block(builder, "rare");
  llvm::BasicBlock* const join = new_block(builder, "join");
  builder.CreateCondBr(mask.value, rare, join,
                       llvm::MDBuilder(builder.getContext()).createUnlikelyBranchWeights());
  builder.SetInsertPoint(rare);
  const Fast slow_result = slow();
  llvm::BasicBlock* const rare_end = builder.GetInsertBlock();
  builder.CreateBr(join);
  builder.SetInsertPoint(join);
  return select(MathMask{&builder, mask.value, rare_end, before}, slow_result, fast);
}

template <class T, class Holds, class Step>
MathValue<T> repeat_while(MathValue<T> state, Holds holds, Step step) {
  llvm::IRBuilder<>& builder = *state.builder;
  llvm::BasicBlock* const before = builder.GetInsertBlock();
  TILERY_CHECK(builder.GetInsertPoint() == before->end(), "the builder stands at a block's end");
  llvm::BasicBlock* const head = new_block(builder, "while");
  llvm::BasicBlock* const body = new_block(builder, "step");
  llvm::BasicBlock* const end = new_block(builder, "done");
  builder.CreateBr(head);
  builder.SetInsertPoint(head);
  llvm::PHINode* const current = builder.CreatePHI(state.value->getType(), 2);
  current->addIncoming(state.value, before);
  const MathValue<T> value{&builder, current};
  builder.CreateCondBr(holds(value).value, body, end);
  builder.SetInsertPoint(body);
  const MathValue<T> next = step(value);
  current->addIncoming(next.value, builder.GetInsertBlock());
  builder.CreateBr(head);
  builder.SetInsertPoint(end);
  return value;
}

/// The module's global with this content; made at the first call. Global memory, because lanes read
/// at different places, which the constant cache would serve one by one.
[[nodiscard]] llvm::GlobalVariable* constant_table(llvm::Module& module, llvm::Constant* content);

/// `index` is within the table, or the result is not used.
template <class T, std::size_t Count>
MathValue<T> lookup(const T (&table)[Count], typename MathValue<T>::Bits index) {
  llvm::IRBuilder<>& builder = *index.builder;
  llvm::Constant* const content =
      llvm::ConstantDataArray::get(builder.getContext(), llvm::ArrayRef<T>(table));
  llvm::GlobalVariable* const global =
      constant_table(*builder.GetInsertBlock()->getModule(), content);
  llvm::Type* const element = content->getType()->getArrayElementType();
  llvm::LoadInst* const load = builder.CreateAlignedLoad(
      element, builder.CreateInBoundsGEP(element, global, index.value), llvm::Align(sizeof(T)));
  load->setMetadata(llvm::LLVMContext::MD_invariant_load,
                    llvm::MDNode::get(builder.getContext(), {}));
  return {&builder, load};
}

}  // namespace tilery::codegen
