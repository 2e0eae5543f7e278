#include "tests/unit/codegen/host_machine.h"

#include "codegen/llvm_versions.h"
#include "ir/math/convert.h"
#include "ir/support/check.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>

extern "C" {
void LLVMInitializeX86TargetInfo();
void LLVMInitializeX86Target();
void LLVMInitializeX86TargetMC();
void LLVMInitializeX86AsmPrinter();
}

namespace tilery::codegen {
namespace {

// ---- stand-ins for instructions ----

/// cvt.rzi: saturates; NaN gives 0 from fp32 to 32 bits, else the highest bit alone (PTX ISA, cvt).
template <class Integer, class Float>
Integer convert_toward_zero(Float x) {
  if (std::isnan(x)) {
    constexpr bool kIsZero = sizeof(Integer) == 4 && sizeof(Float) == 4;
    return kIsZero ? Integer{0}
                   : static_cast<Integer>(std::uint64_t{1} << (sizeof(Integer) * 8 - 1));
  }
  const long double whole = std::trunc(static_cast<long double>(x));
  if (whole < static_cast<long double>(std::numeric_limits<Integer>::min())) {
    return std::numeric_limits<Integer>::min();
  }
  if (whole > static_cast<long double>(std::numeric_limits<Integer>::max())) {
    return std::numeric_limits<Integer>::max();
  }
  return static_cast<Integer>(whole);
}

/// cvt.rz.f32: a long double holds every integer of 64 bits.
template <class Integer>
float truncate_to_f32(Integer x) {
  const long double exact = x;
  const auto nearest = static_cast<float>(exact);
  return std::fabs(static_cast<long double>(nearest)) > std::fabs(exact)
             ? std::nextafter(nearest, 0.0F)
             : nearest;
}

std::uint32_t decode_pair(std::uint16_t codes) {
  const auto half = [](std::uint32_t code) {
    return math::encode(math::decode(code, float_format(Scalar::F8E4NV)),
                        float_format(Scalar::F16));
  };
  return half(codes & 0xFFU) | half(codes >> 8) << 16;
}

template <Scalar S>
std::uint16_t encode_pair(float high, float low) {
  return static_cast<std::uint16_t>(math::encode(high, float_format(S)) << 8 |
                                    math::encode(low, float_format(S)));
}

struct StandIn {
  std::string_view ptx;
  const void* function;
};

template <class Function>
const void* pointer(Function* function) {
  return reinterpret_cast<const void*>(function);
}

const void* find_stand_in(std::string_view ptx) {
  static const std::array kStandIns{
      StandIn{"cvt.rzi.u32.f32 ", pointer(convert_toward_zero<std::uint32_t, float>)},
      StandIn{"cvt.rzi.s32.f32 ", pointer(convert_toward_zero<std::int32_t, float>)},
      StandIn{"cvt.rzi.u64.f32 ", pointer(convert_toward_zero<std::uint64_t, float>)},
      StandIn{"cvt.rzi.s64.f32 ", pointer(convert_toward_zero<std::int64_t, float>)},
      StandIn{"cvt.rzi.u32.f64 ", pointer(convert_toward_zero<std::uint32_t, double>)},
      StandIn{"cvt.rzi.s32.f64 ", pointer(convert_toward_zero<std::int32_t, double>)},
      StandIn{"cvt.rzi.u64.f64 ", pointer(convert_toward_zero<std::uint64_t, double>)},
      StandIn{"cvt.rzi.s64.f64 ", pointer(convert_toward_zero<std::int64_t, double>)},
      StandIn{"cvt.rz.f32.u32 ", pointer(truncate_to_f32<std::uint32_t>)},
      StandIn{"cvt.rz.f32.s32 ", pointer(truncate_to_f32<std::int32_t>)},
      StandIn{"cvt.rz.f32.u64 ", pointer(truncate_to_f32<std::uint64_t>)},
      StandIn{"cvt.rz.f32.s64 ", pointer(truncate_to_f32<std::int64_t>)},
      StandIn{"cvt.rn.f16x2.e4m3x2 ", pointer(decode_pair)},
      StandIn{"cvt.rn.satfinite.e4m3x2.f32 ", pointer(encode_pair<Scalar::F8E4NV>)},
      StandIn{"cvt.rn.satfinite.e5m2x2.f32 ", pointer(encode_pair<Scalar::F8E5>)},
  };
  for (const StandIn& each : kStandIns) {
    if (ptx.starts_with(each.ptx)) {
      return each.function;
    }
  }
  TILERY_CHECK(false, ptx);
  return nullptr;
}

llvm::Value* call_host(llvm::IRBuilder<>& builder, const void* function, llvm::Type* result,
                       llvm::ArrayRef<llvm::Value*> operands) {
  std::vector<llvm::Type*> types;
  for (llvm::Value* operand : operands) {
    types.push_back(operand->getType());
  }
  llvm::Value* const address = builder.getInt64(reinterpret_cast<std::uintptr_t>(function));
  return builder.CreateCall(llvm::FunctionType::get(result, types, false),
                            builder.CreateIntToPtr(address, builder.getPtrTy()), operands);
}

// ---- what the processor lacks ----

template <Scalar S>
std::uint16_t narrow_fma(std::uint16_t a, std::uint16_t b, std::uint16_t c) {
  const auto value = [](std::uint16_t code) { return math::decode(code, float_format(S)); };
  return static_cast<std::uint16_t>(
      math::encode(math::half_fma_to_odd(value(a), value(b), value(c)), float_format(S)));
}

template <Scalar S, class Float>
std::uint16_t narrow(Float x) {
  return static_cast<std::uint16_t>(math::encode(x, float_format(S)));
}

/// rcp.approx.ftz: close to 1 / x; what is subnormal counts as 0, before and after.
float reciprocal(float x) {
  const auto flushed = [](float v) {
    return std::fpclassify(v) == FP_SUBNORMAL ? std::copysign(0.0F, v) : v;
  };
  return flushed(1.0F / flushed(x));
}

/// The same in fp64, of which the hardware gives the upper half.
double wide_reciprocal(double x) {
  const double quotient = 1.0 / (std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0, x) : x);
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(quotient) & ~0xFFFFFFFFULL);
}

/// PTX's order of zeros for a minnum or maxnum, which leaves it open: bits of equal numbers differ
/// only in the sign of zeros.
llvm::Value* with_ordered_zeros(llvm::IRBuilder<>& builder, llvm::Intrinsic::ID id, llvm::Value* a,
                                llvm::Value* b) {
  llvm::Type* const bits = builder.getIntNTy(a->getType()->getScalarSizeInBits());
  llvm::Value* const a_bits = builder.CreateBitCast(a, bits);
  llvm::Value* const b_bits = builder.CreateBitCast(b, bits);
  llvm::Value* const tie = id == llvm::Intrinsic::minnum ? builder.CreateOr(a_bits, b_bits)
                                                         : builder.CreateAnd(a_bits, b_bits);
  return builder.CreateSelect(builder.CreateFCmpOEQ(a, b), builder.CreateBitCast(tie, a->getType()),
                              builder.CreateBinaryIntrinsic(id, a, b));
}

/// Replaces an instruction by a call, if it is one of those that need it.
bool replace(llvm::Instruction& inst) {
  auto* const call = llvm::dyn_cast<llvm::CallInst>(&inst);
  if (call == nullptr) {
    return false;
  }
  llvm::IRBuilder<> builder(call);
  std::vector<llvm::Value*> operands(call->arg_begin(), call->arg_end());
  llvm::Value* result = nullptr;
  if (const auto* code = llvm::dyn_cast<llvm::InlineAsm>(call->getCalledOperand())) {
    result = call_host(builder, find_stand_in(code->getAsmString()), call->getType(), operands);
  } else if (call->getIntrinsicID() == llvm::Intrinsic::fma && call->getType()->is16bitFPTy()) {
    for (llvm::Value*& operand : operands) {
      operand = builder.CreateBitCast(operand, builder.getInt16Ty());
    }
    const void* const function = call->getType()->isHalfTy() ? pointer(narrow_fma<Scalar::F16>)
                                                             : pointer(narrow_fma<Scalar::BF16>);
    result = builder.CreateBitCast(call_host(builder, function, builder.getInt16Ty(), operands),
                                   call->getType());
  } else if (call->getIntrinsicID() == llvm::Intrinsic::nvvm_rcp_approx_ftz_f) {
    result = call_host(builder, pointer(reciprocal), call->getType(), operands);
  } else if (call->getIntrinsicID() == llvm::Intrinsic::nvvm_rcp_approx_ftz_d) {
    result = call_host(builder, pointer(wide_reciprocal), call->getType(), operands);
  } else if (call->getType()->isFloatingPointTy() &&
             (call->getIntrinsicID() == kMinimumNumber ||
              call->getIntrinsicID() == kMaximumNumber) &&
             kMinimumNumber == llvm::Intrinsic::minnum) {
    result = with_ordered_zeros(builder, call->getIntrinsicID(), operands[0], operands[1]);
  } else {
    return false;
  }
  call->replaceAllUsesWith(result);
  return true;
}

/// A function that LLVM calls for a conversion, from `from` to the 16-bit float `to`.
void add_conversion(llvm::Module& module, const char* name, llvm::Type* from, llvm::Type* to,
                    const void* function) {
  auto* const type = llvm::FunctionType::get(to, {from}, false);
  auto* const conversion =
      llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, name, module);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(module.getContext(), "entry", conversion));
  llvm::Value* const code =
      call_host(builder, function, builder.getInt16Ty(), {conversion->getArg(0)});
  builder.CreateRet(builder.CreateBitCast(code, to));
}

void optimise(llvm::Module& module) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder passes;
  passes.registerModuleAnalyses(modules);
  passes.registerCGSCCAnalyses(components);
  passes.registerFunctionAnalyses(functions);
  passes.registerLoopAnalyses(loops);
  passes.crossRegisterProxies(loops, functions, components, modules);
  llvm::FunctionPassManager pipeline;
  pipeline.addPass(llvm::EarlyCSEPass());
  pipeline.addPass(llvm::InstCombinePass());
  pipeline.addPass(llvm::SimplifyCFGPass());
  pipeline.addPass(llvm::ADCEPass());
  for (llvm::Function& function : module) {
    if (!function.isDeclaration()) {
      pipeline.run(function, functions);
    }
  }
}

}  // namespace

bool HostMachine::is_supported() {
  return __builtin_cpu_supports("x86-64-v3") != 0;
}

HostMachine::HostMachine()
    : context_(std::make_unique<llvm::LLVMContext>()),
      module_(std::make_unique<llvm::Module>("map_ops", *context_)) {
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86AsmPrinter();
  // A fixed level: later processors have bf16 instructions that flush subnormals.
  llvm::orc::JITTargetMachineBuilder machine{llvm::Triple(llvm::sys::getProcessTriple())};
  machine.setCPU("x86-64-v3");
  jit_ = llvm::cantFail(
      llvm::orc::LLJITBuilder().setJITTargetMachineBuilder(std::move(machine)).create());
  module_->setTargetTriple(triple_argument(jit_->getTargetTriple()));
  module_->setDataLayout(jit_->getDataLayout());
}

HostMachine::~HostMachine() = default;

void HostMachine::compile() {
  optimise(*module_);
  std::vector<llvm::Instruction*> replaced;
  for (llvm::Function& function : *module_) {
    for (llvm::Instruction& inst : llvm::instructions(function)) {
      if (replace(inst)) {
        replaced.push_back(&inst);
      }
    }
  }
  for (llvm::Instruction* inst : replaced) {
    inst->eraseFromParent();
  }
  llvm::Type* const f32 = llvm::Type::getFloatTy(*context_);
  llvm::Type* const f64 = llvm::Type::getDoubleTy(*context_);
  llvm::Type* const half = llvm::Type::getHalfTy(*context_);
  llvm::Type* const bfloat = llvm::Type::getBFloatTy(*context_);
  add_conversion(*module_, "__truncdfhf2", f64, half, pointer(narrow<Scalar::F16, double>));
  add_conversion(*module_, "__truncsfbf2", f32, bfloat, pointer(narrow<Scalar::BF16, float>));
  add_conversion(*module_, "__truncdfbf2", f64, bfloat, pointer(narrow<Scalar::BF16, double>));
  llvm::cantFail(jit_->addIRModule({std::move(module_), std::move(context_)}));
}

}  // namespace tilery::codegen
