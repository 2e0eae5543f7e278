#include "tests/unit/codegen/simt_ops.h"

#include "codegen/llvm_versions.h"
#include "tests/unit/codegen/simt_mma.h"

#include <llvm/ADT/APFloat.h>
#include <llvm/ADT/APSInt.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Operator.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace tilery::testing {
namespace {

llvm::APFloat float_of(llvm::Type* type, std::uint64_t bits) {
  return {type->getScalarType()->getFltSemantics(), llvm::APInt(width_of(type), bits)};
}

std::uint64_t bits_of(const llvm::APFloat& value) {
  return value.bitcastToAPInt().getZExtValue();
}

std::uint64_t integer_op(const llvm::BinaryOperator& inst, std::uint64_t a, std::uint64_t b) {
  const unsigned width = width_of(inst.getType());
  switch (inst.getOpcode()) {
    case llvm::Instruction::Add:
      return a + b;
    case llvm::Instruction::Sub:
      return a - b;
    case llvm::Instruction::Mul:
      return a * b;
    case llvm::Instruction::And:
      return a & b;
    case llvm::Instruction::Or:
      return a | b;
    case llvm::Instruction::Xor:
      return a ^ b;
    case llvm::Instruction::Shl:
      return b < width ? a << b : 0;
    case llvm::Instruction::LShr:
      return b < width ? a >> b : 0;
    case llvm::Instruction::AShr:
      return static_cast<std::uint64_t>(extended(a, width) >> std::min<std::uint64_t>(b, 63));
    case llvm::Instruction::UDiv:
      return b == 0 ? 0 : a / b;
    case llvm::Instruction::URem:
      return b == 0 ? 0 : a % b;
    // By zero, and of the smallest number by -1, LLVM promises nothing; what is emitted asks first.
    case llvm::Instruction::SDiv:
    case llvm::Instruction::SRem: {
      const llvm::APInt x(width, a);
      const llvm::APInt y(width, b);
      if (y.isZero()) {
        return 0;
      }
      return (inst.getOpcode() == llvm::Instruction::SDiv ? x.sdiv(y) : x.srem(y)).getZExtValue();
    }
    default:
      unknown(inst);
  }
}

std::uint64_t rounded(llvm::APFloat value, llvm::APFloat::roundingMode mode) {
  value.roundToIntegral(mode);
  return bits_of(value);
}

std::uint64_t float_op(const llvm::BinaryOperator& inst, std::uint64_t a, std::uint64_t b) {
  llvm::APFloat result = float_of(inst.getType(), a);
  const llvm::APFloat other = float_of(inst.getType(), b);
  switch (inst.getOpcode()) {
    case llvm::Instruction::FAdd:
      result.add(other, llvm::APFloat::rmNearestTiesToEven);
      break;
    case llvm::Instruction::FSub:
      result.subtract(other, llvm::APFloat::rmNearestTiesToEven);
      break;
    case llvm::Instruction::FMul:
      result.multiply(other, llvm::APFloat::rmNearestTiesToEven);
      break;
    case llvm::Instruction::FDiv:
      result.divide(other, llvm::APFloat::rmNearestTiesToEven);
      break;
    default:
      unknown(inst);
  }
  return bits_of(result);
}

}  // namespace

std::string text_of(const llvm::Value& value) {
  std::string text;
  llvm::raw_string_ostream out(text);
  value.print(out);
  return text;
}

[[noreturn]] void unknown(const llvm::Value& value) {
  throw SimtFailure("not known to the simulator: " + text_of(value));
}

bool is_collective(const llvm::Instruction& inst) {
  const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&inst);
  // LLVM 20's barrier, "barrier0", does not say that it synchronises.
  return is_mma(inst) || is_block_barrier(inst) ||
         (call != nullptr && call->getCalledFunction()->getName().contains(".sync"));
}

bool is_matrix_load(const llvm::Instruction& inst) {
  const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&inst);
  return call != nullptr && call->getCalledFunction()->getName().contains("ldmatrix");
}

bool is_block_barrier(const llvm::Instruction& inst) {
  const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&inst);
  return call != nullptr && call->getIntrinsicID() == codegen::kBlockBarrier;
}

std::size_t part_count(llvm::Type* type) {
  if (const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type)) {
    return vector->getNumElements();
  }
  return type->isStructTy() ? type->getStructNumElements() : 1;
}

Bits constant_bits(const llvm::Constant& constant, const llvm::DataLayout& layout) {
  if (const auto* integer = llvm::dyn_cast<llvm::ConstantInt>(&constant)) {
    return {integer->getZExtValue()};
  }
  if (const auto* number = llvm::dyn_cast<llvm::ConstantFP>(&constant)) {
    return {number->getValueAPF().bitcastToAPInt().getZExtValue()};
  }
  if (const auto* table = llvm::dyn_cast<llvm::GlobalVariable>(&constant);
      table != nullptr && table->hasInitializer()) {
    if (const auto* data = llvm::dyn_cast<llvm::ConstantDataSequential>(table->getInitializer())) {
      return {reinterpret_cast<std::uint64_t>(data->getRawDataValues().data())};
    }
  }
  if (llvm::isa<llvm::GlobalVariable>(constant) || llvm::isa<llvm::UndefValue>(constant) ||
      constant.isNullValue()) {
    return Bits(part_count(constant.getType()), 0);
  }
  if (const auto* gep = llvm::dyn_cast<llvm::GEPOperator>(&constant)) {
    llvm::APInt offset(layout.getIndexTypeSizeInBits(gep->getType()), 0);
    const auto* const base =
        gep->stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true);
    if (const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(base)) {
      return {constant_bits(*variable, layout).front() + offset.getZExtValue()};
    }
  }
  if (const auto* cast = llvm::dyn_cast<llvm::BitCastOperator>(&constant)) {
    return repacked(constant_bits(*llvm::cast<llvm::Constant>(cast->getOperand(0)), layout),
                    width_of(cast->getSrcTy()), width_of(cast->getDestTy()));
  }
  if (const auto* expression = llvm::dyn_cast<llvm::ConstantExpr>(&constant);
      expression != nullptr && expression->getOpcode() == llvm::Instruction::ExtractElement) {
    const std::uint64_t at = constant_bits(*expression->getOperand(1), layout).front();
    return {constant_bits(*expression->getOperand(0), layout).at(at)};
  }
  if (constant.getType()->isVectorTy()) {
    Bits parts;
    for (unsigned i = 0; i < part_count(constant.getType()); ++i) {
      parts.push_back(constant_bits(*constant.getAggregateElement(i), layout).front());
    }
    return parts;
  }
  unknown(constant);
}

unsigned width_of(llvm::Type* type) {
  if (type->isPointerTy()) {
    return 64;
  }
  return type->getScalarSizeInBits();
}

std::uint64_t masked(std::uint64_t bits, unsigned width) {
  return width >= 64 ? bits : bits & ((std::uint64_t{1} << width) - 1);
}

std::int64_t extended(std::uint64_t bits, unsigned width) {
  const unsigned unused = 64 - width;
  return static_cast<std::int64_t>(bits << unused) >> unused;
}

std::uint64_t binary_op(const llvm::BinaryOperator& inst, std::uint64_t a, std::uint64_t b) {
  return inst.getType()->isFPOrFPVectorTy() ? float_op(inst, a, b) : integer_op(inst, a, b);
}

std::uint64_t cast_op(const llvm::CastInst& inst, std::uint64_t bits) {
  llvm::Type* const from = inst.getSrcTy();
  llvm::Type* const to = inst.getDestTy();
  switch (inst.getOpcode()) {
    case llvm::Instruction::Trunc:
    case llvm::Instruction::ZExt:
    case llvm::Instruction::PtrToInt:
    case llvm::Instruction::IntToPtr:
    case llvm::Instruction::AddrSpaceCast:
      return masked(bits, width_of(to));
    case llvm::Instruction::SExt:
      return masked(static_cast<std::uint64_t>(extended(bits, width_of(from))), width_of(to));
    case llvm::Instruction::FPExt:
    case llvm::Instruction::FPTrunc: {
      llvm::APFloat value = float_of(from, bits);
      bool is_inexact = false;
      value.convert(to->getScalarType()->getFltSemantics(), llvm::APFloat::rmNearestTiesToEven,
                    &is_inexact);
      return bits_of(value);
    }
    case llvm::Instruction::SIToFP:
    case llvm::Instruction::UIToFP: {
      llvm::APFloat value(to->getScalarType()->getFltSemantics());
      value.convertFromAPInt(llvm::APInt(width_of(from), bits),
                             inst.getOpcode() == llvm::Instruction::SIToFP,
                             llvm::APFloat::rmNearestTiesToEven);
      return bits_of(value);
    }
    case llvm::Instruction::FPToSI:
    case llvm::Instruction::FPToUI: {
      llvm::APSInt value(width_of(to), inst.getOpcode() == llvm::Instruction::FPToUI);
      bool is_exact = false;
      float_of(from, bits).convertToInteger(value, llvm::APFloat::rmTowardZero, &is_exact);
      return value.getZExtValue();
    }
    default:
      unknown(inst);
  }
}

bool compare_op(const llvm::CmpInst& inst, std::uint64_t a, std::uint64_t b) {
  llvm::Type* const type = inst.getOperand(0)->getType();
  if (inst.isFPPredicate()) {
    return llvm::FCmpInst::compare(float_of(type, a), float_of(type, b), inst.getPredicate());
  }
  const unsigned width = width_of(type);
  return llvm::ICmpInst::compare(llvm::APInt(width, a), llvm::APInt(width, b), inst.getPredicate());
}

Bits repacked(const Bits& parts, unsigned from, unsigned to) {
  Bits result;
  if (from == to) {
    return parts;
  }
  if (from < to) {
    const std::size_t per = to / from;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (i % per == 0) {
        result.push_back(0);
      }
      result.back() |= parts[i] << (i % per * from);
    }
    return result;
  }
  for (const std::uint64_t part : parts) {
    for (unsigned i = 0; i < from / to; ++i) {
      result.push_back(masked(part >> (i * to), to));
    }
  }
  return result;
}

std::uint64_t intrinsic_op(const llvm::IntrinsicInst& inst, const std::vector<std::uint64_t>& in) {
  llvm::Type* const type = inst.getType();
  const auto f = [&](std::size_t i) { return float_of(type, in[i]); };
  switch (inst.getIntrinsicID()) {
    case llvm::Intrinsic::fma: {
      llvm::APFloat value = f(0);
      value.fusedMultiplyAdd(f(1), f(2), llvm::APFloat::rmNearestTiesToEven);
      return bits_of(value);
    }
    case llvm::Intrinsic::nvvm_f2tf32_rna: {
      // Half a unit of the last of 10 bits, away from zero; infinities and NaNs stay.
      const bool is_finite = (in[0] & 0x7F800000U) != 0x7F800000U;
      return is_finite ? (in[0] + 0x1000U) & 0xFFFFE000U : in[0];
    }
    case llvm::Intrinsic::nvvm_rcp_approx_ftz_f:
      return std::bit_cast<std::uint32_t>(1.0F /
                                          std::bit_cast<float>(static_cast<std::uint32_t>(in[0])));
    // The upper half is all that the hardware gives.
    case llvm::Intrinsic::nvvm_rcp_approx_ftz_d:
      return std::bit_cast<std::uint64_t>(1.0 / std::bit_cast<double>(in[0])) & ~0xFFFFFFFFULL;
    case llvm::Intrinsic::maxnum:
    case llvm::Intrinsic::maximumnum:
      return bits_of(llvm::maximumnum(f(0), f(1)));
    case llvm::Intrinsic::minnum:
    case llvm::Intrinsic::minimumnum:
      return bits_of(llvm::minimumnum(f(0), f(1)));
    case llvm::Intrinsic::maximum:
      return bits_of(llvm::maximum(f(0), f(1)));
    case llvm::Intrinsic::minimum:
      return bits_of(llvm::minimum(f(0), f(1)));
    case llvm::Intrinsic::sqrt:
      // The host's is correctly rounded, as IEEE 754 demands.
      return type->isFloatTy() ? bits_of(llvm::APFloat(std::sqrt(f(0).convertToFloat())))
                               : bits_of(llvm::APFloat(std::sqrt(f(0).convertToDouble())));
    case llvm::Intrinsic::abs:
      return extended(in[0], width_of(type)) < 0 ? 0 - in[0] : in[0];
    case llvm::Intrinsic::fabs:
      return bits_of(llvm::abs(f(0)));
    case llvm::Intrinsic::floor:
      return rounded(f(0), llvm::APFloat::rmTowardNegative);
    case llvm::Intrinsic::ceil:
      return rounded(f(0), llvm::APFloat::rmTowardPositive);
    case llvm::Intrinsic::trunc:
      return rounded(f(0), llvm::APFloat::rmTowardZero);
    case llvm::Intrinsic::umax:
      return std::max(in[0], in[1]);
    case llvm::Intrinsic::umin:
      return std::min(in[0], in[1]);
    case llvm::Intrinsic::smax:
    case llvm::Intrinsic::smin: {
      const unsigned width = width_of(type);
      const bool first_less = extended(in[0], width) < extended(in[1], width);
      return first_less == (inst.getIntrinsicID() == llvm::Intrinsic::smin) ? in[0] : in[1];
    }
    default:
      unknown(inst);
  }
}

namespace {

/// Of "ld.global.b16" or "st.global.v2.b32": the bytes of a word in memory. A register may be
/// wider.
unsigned bytes_of_word(std::string_view text) {
  return static_cast<unsigned>(std::stoi(std::string(text.substr(text.find(".b") + 2)))) / 8;
}

/// "@$2 st.global.v2.b32 [$1], {$0, …}": the store of emit_memory.cpp, the pointer after the words
/// and the predicate last.
void global_store(const llvm::CallInst& call, std::string_view text, const Bits& in) {
  unsigned words = 0;
  while (!call.getArgOperand(words)->getType()->isPointerTy()) {
    ++words;
  }
  if (text.starts_with("@") && in[words + 1] == 0) {
    return;
  }
  const unsigned bytes = bytes_of_word(text);
  for (unsigned i = 0; i < words; ++i) {
    std::memcpy(reinterpret_cast<void*>(in[words] + std::uint64_t{i} * bytes), &in[i], bytes);
  }
}

/// "@$3 ld.global.b16 $0, [$2];": the load of emit_memory.cpp of one word; where the predicate is
/// off, the first argument.
std::uint64_t global_load(const llvm::CallInst& call, std::string_view text, const Bits& in) {
  if (in.size() != 3 || text.find('{') != std::string_view::npos) {
    unknown(call);
  }
  if (in[2] == 0) {
    return in[0];
  }
  std::uint64_t word = 0;
  std::memcpy(&word, reinterpret_cast<const void*>(in[1]), bytes_of_word(text));
  return word;
}

/// "cvt.rzi.s32.f32 $0, $1;" and its like: a float to an integer, toward zero, saturating, NaN as
/// 0; "cvt.rz.f32.u64 $0, $1;": an integer to a float, toward zero.
std::uint64_t conversion_op(const llvm::CallInst& call, std::string_view text, std::uint64_t bits) {
  llvm::Type* const to = call.getType();
  llvm::Type* const from = call.getArgOperand(0)->getType();
  const bool is_signed =
      text.find(".s32") != std::string_view::npos || text.find(".s64") != std::string_view::npos;
  if (text.starts_with("cvt.rzi.")) {
    llvm::APSInt integer(width_of(to), !is_signed);
    bool is_exact = false;
    (void)float_of(from, bits).convertToInteger(integer, llvm::APFloat::rmTowardZero, &is_exact);
    return integer.getZExtValue();
  }
  if (text.starts_with("cvt.rz.f32.")) {
    llvm::APFloat value(to->getFltSemantics());
    value.convertFromAPInt(llvm::APInt(width_of(from), bits), is_signed,
                           llvm::APFloat::rmTowardZero);
    return bits_of(value);
  }
  unknown(call);
}

}  // namespace

std::uint64_t assembly_op(const llvm::CallInst& call, const Bits& in) {
  const std::string text(llvm::cast<llvm::InlineAsm>(call.getCalledOperand())->getAsmString());
  if (text.find("ld.global") != std::string::npos ||
      text.find("ld.volatile.global") != std::string::npos) {
    return global_load(call, text, in);
  }
  if (text.find("st.global") != std::string::npos) {
    global_store(call, text, in);
    return 0;
  }
  return conversion_op(call, text, in[0]);
}

std::optional<std::int64_t> special_register(const SimtProgram& program, int thread,
                                             llvm::Intrinsic::ID id) {
  switch (id) {
    case llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x:
      return thread;
    case llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_x:
      return program.index[0];
    case llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_y:
      return program.index[1];
    case llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_z:
      return program.index[2];
    case llvm::Intrinsic::nvvm_read_ptx_sreg_nctaid_x:
      return program.grid[0];
    case llvm::Intrinsic::nvvm_read_ptx_sreg_nctaid_y:
      return program.grid[1];
    case llvm::Intrinsic::nvvm_read_ptx_sreg_nctaid_z:
      return program.grid[2];
    default:
      return std::nullopt;
  }
}

std::uint64_t warp_fold(const llvm::IntrinsicInst& inst, std::uint64_t a, std::uint64_t b) {
  const auto x = static_cast<std::int32_t>(a);
  const auto y = static_cast<std::int32_t>(b);
  switch (inst.getIntrinsicID()) {
    case llvm::Intrinsic::nvvm_redux_sync_add:
      return masked(a + b, 32);
    case llvm::Intrinsic::nvvm_redux_sync_and:
      return a & b;
    case llvm::Intrinsic::nvvm_redux_sync_or:
      return a | b;
    case llvm::Intrinsic::nvvm_redux_sync_xor:
      return a ^ b;
    case llvm::Intrinsic::nvvm_redux_sync_umax:
      return std::max(a, b);
    case llvm::Intrinsic::nvvm_redux_sync_umin:
      return std::min(a, b);
    case llvm::Intrinsic::nvvm_redux_sync_max:
      return x > y ? a : b;
    case llvm::Intrinsic::nvvm_redux_sync_min:
      return x < y ? a : b;
    default:
      unknown(inst);
  }
}

}  // namespace tilery::testing
