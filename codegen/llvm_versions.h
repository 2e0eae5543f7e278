// What LLVM 20, 21 and 22 call differently: each has one spelling here, and no other file asks
// which version it is. Private to codegen; includes LLVM.
#pragma once

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Metadata.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/OptBisect.h>
#include <llvm/TargetParser/Triple.h>

#include <string>

namespace tilery::codegen {

/// `a | b` of numbers that have no bit in common.
inline llvm::Value* create_disjoint_or(llvm::IRBuilder<>& builder, llvm::Value* a, llvm::Value* b) {
#if LLVM_VERSION_MAJOR >= 21
  return builder.CreateOr(a, b, "", true);
#else
  llvm::Value* const result = builder.CreateOr(a, b);
  if (auto* const made = llvm::dyn_cast<llvm::PossiblyDisjointInst>(result)) {
    made->setIsDisjoint(true);
  }
  return result;
#endif
}

/// bar.sync 0: all threads of the block wait for each other.
#if LLVM_VERSION_MAJOR >= 21
inline constexpr llvm::Intrinsic::ID kBlockBarrier =
    llvm::Intrinsic::nvvm_barrier_cta_sync_aligned_all;
#else
inline constexpr llvm::Intrinsic::ID kBlockBarrier = llvm::Intrinsic::nvvm_barrier0;
#endif

inline void create_block_barrier(llvm::IRBuilder<>& builder) {
#if LLVM_VERSION_MAJOR >= 21
  builder.CreateIntrinsic(kBlockBarrier, {}, {builder.getInt32(0)});
#else
  builder.CreateIntrinsic(kBlockBarrier, {}, {});
#endif
}

/// ex2.approx.f32 and ex2.approx.ftz.f32.
inline llvm::Value* create_exp2(llvm::IRBuilder<>& builder, llvm::Value* x, bool flushes) {
#if LLVM_VERSION_MAJOR >= 22
  return builder.CreateIntrinsic(
      flushes ? llvm::Intrinsic::nvvm_ex2_approx_ftz : llvm::Intrinsic::nvvm_ex2_approx,
      {x->getType()}, {x});
#else
  return builder.CreateIntrinsic(
      flushes ? llvm::Intrinsic::nvvm_ex2_approx_ftz_f : llvm::Intrinsic::nvvm_ex2_approx_f, {},
      {x});
#endif
}

/// A limit of the kernel, with the names of LLVM 21's attributes without "nvvm.": "reqntid" (of
/// the first axis), "maxnreg", "minctasm".
inline void set_kernel_limit(llvm::Function& kernel, const std::string& name, int value) {
#if LLVM_VERSION_MAJOR >= 21
  kernel.addFnAttr("nvvm." + name, std::to_string(value));
#else
  auto& context = kernel.getContext();
  auto* const number = llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), value);
  kernel.getParent()
      ->getOrInsertNamedMetadata("nvvm.annotations")
      ->addOperand(llvm::MDNode::get(
          context, {llvm::ValueAsMetadata::get(&kernel),
                    llvm::MDString::get(context, name == "reqntid" ? "reqntidx" : name),
                    llvm::ValueAsMetadata::get(number)}));
#endif
}

/// The language that line tables name; they have to name one.
inline auto debug_language() {
#if LLVM_VERSION_MAJOR >= 22
  return llvm::DISourceLanguageName(llvm::dwarf::DW_LANG_C);
#else
  return llvm::dwarf::DW_LANG_C;
#endif
}

/// How functions of LLVM take a triple.
#if LLVM_VERSION_MAJOR >= 21
inline const llvm::Triple& triple_argument(const llvm::Triple& triple) {
  return triple;
}
#else
inline const std::string& triple_argument(const llvm::Triple& triple) {
  return triple.str();
}
#endif

/// min and max of PTX: a number rather than a NaN, and -0 below +0. LLVM 20 knows no code for the
/// functions that promise the zeros too, and makes the same instructions of those that leave them
/// open.
#if LLVM_VERSION_MAJOR >= 22
inline constexpr llvm::Intrinsic::ID kMinimumNumber = llvm::Intrinsic::minimumnum;
inline constexpr llvm::Intrinsic::ID kMaximumNumber = llvm::Intrinsic::maximumnum;
#else
inline constexpr llvm::Intrinsic::ID kMinimumNumber = llvm::Intrinsic::minnum;
inline constexpr llvm::Intrinsic::ID kMaximumNumber = llvm::Intrinsic::maxnum;
#endif

/// Pointers into shared memory may have 32 bits; LLVM 20 cannot copy asynchronously to such ones.
inline constexpr bool kHasShortSharedPointers = LLVM_VERSION_MAJOR >= 21;

/// There is a flag for `mad.wide`, a product of 32 bits and a sum of 64 in one instruction. LLVM 22
/// makes it only with the flag (llvm/llvm-project pull requests 155024 and 160214); LLVM 20 and 21
/// know no such flag.
inline constexpr bool kHasMadWideFlag = LLVM_VERSION_MAJOR >= 22;

/// Decides which passes run.
class PassGate : public llvm::OptPassGate {
 public:
  [[nodiscard]] virtual bool wants(llvm::StringRef pass) const = 0;

#if LLVM_VERSION_MAJOR >= 21
  bool shouldRunPass(llvm::StringRef pass, llvm::StringRef /*what*/) const final {
    return wants(pass);
  }
#else
  bool shouldRunPass(llvm::StringRef pass, llvm::StringRef /*what*/) final { return wants(pass); }
#endif

  [[nodiscard]] bool isEnabled() const final { return true; }
};

}  // namespace tilery::codegen
