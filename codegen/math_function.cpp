#include "codegen/math_function.h"

#include "ir/support/check.h"

#include <fmt/format.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Support/raw_ostream.h>

#include <map>
#include <string_view>
#include <vector>

namespace tilery::codegen {
namespace {

using llvm::Value;

constexpr llvm::StringRef kPrefix = "math.";

bool is_math_function(const llvm::Function& function) {
  return function.getName().starts_with(kPrefix) && !function.isDeclaration();
}

[[noreturn]] void unknown(const Value& value) {
  std::string text;
  llvm::raw_string_ostream(text) << value;
  check_failed("an instruction of math", __FILE__, __LINE__, text);
}

unsigned bits_of(const llvm::Type* type) {
  return type->getPrimitiveSizeInBits().getFixedValue();
}

/// "f32", "s64", "b32": a letter and the width.
std::string typed(char letter, const llvm::Type* type) {
  return fmt::format("{}{}", letter, bits_of(type));
}

std::string_view comparison(llvm::CmpInst::Predicate predicate) {
  switch (predicate) {
    case llvm::CmpInst::FCMP_OEQ:
    case llvm::CmpInst::ICMP_EQ:
      return "eq";
    case llvm::CmpInst::FCMP_OLT:
    case llvm::CmpInst::ICMP_SLT:
      return "lt";
    case llvm::CmpInst::FCMP_OLE:
      return "le";
    case llvm::CmpInst::FCMP_OGT:
      return "gt";
    case llvm::CmpInst::FCMP_UNE:
      return "neu";
    default:
      return "";
  }
}

/// Writes one function. A value's name is the register that holds it.
class AssemblyWriter {
 public:
  explicit AssemblyWriter(const llvm::Function& function) {
    unsigned operand = 1;
    for (const llvm::Argument& argument : function.args()) {
      names_[&argument] = fmt::format("${}", operand++);
    }
    for (const llvm::Instruction& inst : function.getEntryBlock()) {
      write(inst);
    }
  }

  [[nodiscard]] std::string text() const {
    std::string registers;
    for (const auto& [type, count] : counts_) {
      registers += fmt::format(".reg .{0} %{0}_<{1}>; ", type, count);
    }
    return "{ " + registers + "\n" + lines_ + "}";
  }

 private:
  void write(const llvm::Instruction& inst) {
    if (const auto* back = llvm::dyn_cast<llvm::ReturnInst>(&inst)) {
      const Value* const result = back->getReturnValue();
      lines_ += fmt::format("mov.{} $0, {};\n", typed('b', result->getType()), name(result));
    } else if (const auto* cast = llvm::dyn_cast<llvm::BitCastInst>(&inst)) {
      names_[cast] = name(cast->getOperand(0));
    } else if (const auto* compare = llvm::dyn_cast<llvm::CmpInst>(&inst)) {
      const bool is_float = llvm::isa<llvm::FCmpInst>(inst);
      const std::string_view relation = comparison(compare->getPredicate());
      if (relation.empty()) {
        unknown(inst);
      }
      line(inst, fmt::format("setp.{}.{}", relation,
                             typed(is_float ? 'f' : 's', compare->getOperand(0)->getType())));
    } else if (const auto* choice = llvm::dyn_cast<llvm::SelectInst>(&inst)) {
      lines_ += fmt::format("selp.{} {}, {}, {}, {};\n", typed('b', inst.getType()), new_name(inst),
                            name(choice->getTrueValue()), name(choice->getFalseValue()),
                            name(choice->getCondition()));
    } else {
      line(inst, mnemonic(inst));
    }
  }

  void line(const llvm::Instruction& inst, const std::string& mnemonic) {
    const auto* const call = llvm::dyn_cast<llvm::CallInst>(&inst);
    const unsigned count = call != nullptr ? call->arg_size() : inst.getNumOperands();
    std::string operands;
    for (unsigned i = 0; i < count; ++i) {
      operands += ", " + name(inst.getOperand(i));
    }
    lines_ += fmt::format("{} {}{};\n", mnemonic, new_name(inst), operands);
  }

  static std::string mnemonic(const llvm::Instruction& inst) {
    const llvm::Type* const type = inst.getType();
    const bool is_predicate = type->isIntegerTy(1);
    const auto bitwise = [&](std::string_view verb) {
      return fmt::format("{}.{}", verb, is_predicate ? "pred" : typed('b', type));
    };
    switch (inst.getOpcode()) {
      case llvm::Instruction::FAdd:
        return "add.rn." + typed('f', type);
      case llvm::Instruction::FSub:
        return "sub.rn." + typed('f', type);
      case llvm::Instruction::FMul:
        return "mul.rn." + typed('f', type);
      case llvm::Instruction::FDiv:
        return "div.rn." + typed('f', type);
      case llvm::Instruction::FNeg:
        return "neg." + typed('f', type);
      case llvm::Instruction::Add:
        return "add." + typed('s', type);
      case llvm::Instruction::Sub:
        return "sub." + typed('s', type);
      case llvm::Instruction::And:
        return bitwise("and");
      case llvm::Instruction::Or:
        return bitwise("or");
      case llvm::Instruction::Xor:
        return bitwise("xor");
      case llvm::Instruction::Shl:
        return "shl." + typed('b', type);
      case llvm::Instruction::AShr:
        return "shr." + typed('s', type);
      case llvm::Instruction::LShr:
        return "shr." + typed('u', type);
      case llvm::Instruction::SIToFP:
        return fmt::format("cvt.rn.{}.{}", typed('f', type),
                           typed('s', inst.getOperand(0)->getType()));
      case llvm::Instruction::Call:
        return intrinsic(inst);
      default:
        unknown(inst);
    }
  }

  static std::string intrinsic(const llvm::Instruction& inst) {
    const auto* const call = llvm::dyn_cast<llvm::IntrinsicInst>(&inst);
    switch (call != nullptr ? call->getIntrinsicID() : llvm::Intrinsic::not_intrinsic) {
      case llvm::Intrinsic::fma:
        return "fma.rn." + typed('f', inst.getType());
      case llvm::Intrinsic::sqrt:
        return "sqrt.rn." + typed('f', inst.getType());
      case llvm::Intrinsic::fabs:
        return "abs." + typed('f', inst.getType());
      default:
        unknown(inst);
    }
  }

  std::string new_name(const llvm::Instruction& inst) {
    const std::string type = inst.getType()->isIntegerTy(1) ? "pred" : typed('b', inst.getType());
    return names_[&inst] = fmt::format("%{}_{}", type, counts_[type]++);
  }

  std::string name(const Value* value) const {
    if (const auto* number = llvm::dyn_cast<llvm::ConstantFP>(value)) {
      const std::uint64_t bits = number->getValueAPF().bitcastToAPInt().getZExtValue();
      return bits_of(number->getType()) == 32 ? fmt::format("0f{:08X}", bits)
                                              : fmt::format("0d{:016X}", bits);
    }
    if (const auto* number = llvm::dyn_cast<llvm::ConstantInt>(value)) {
      TILERY_CHECK(!number->getType()->isIntegerTy(1), "PTX has no literal predicates");
      return fmt::format("{}", number->getSExtValue());
    }
    return names_.at(value);
  }

  std::map<const Value*, std::string> names_;
  std::map<std::string, int> counts_;
  std::string lines_;
};

char constraint(const llvm::Type* type) {
  if (type->isFloatTy()) {
    return 'f';
  }
  TILERY_CHECK(type->isDoubleTy(), "a math function is on fp32 or fp64");
  return 'd';
}

void expand(llvm::Function& function) {
  std::string constraints = fmt::format("={}", constraint(function.getReturnType()));
  for (const llvm::Argument& argument : function.args()) {
    constraints += fmt::format(",{}", constraint(argument.getType()));
  }
  llvm::InlineAsm* const assembly = llvm::InlineAsm::get(
      function.getFunctionType(), math_assembly(function), constraints, /*hasSideEffects=*/false);
  for (llvm::User* const user : llvm::make_early_inc_range(function.users())) {
    auto* const call = llvm::cast<llvm::CallInst>(user);
    call->setCalledFunction(function.getFunctionType(), assembly);
  }
  function.eraseFromParent();
}

}  // namespace

Value* call_math_function(llvm::IRBuilder<>& builder, const std::string& name,
                          std::span<Value* const> operands, const MathBody& body) {
  llvm::Module& module = *builder.GetInsertBlock()->getModule();
  const std::string full_name = kPrefix.str() + name;
  llvm::Function* function = module.getFunction(full_name);
  if (function == nullptr) {
    const std::vector<llvm::Type*> types(operands.size(), operands.front()->getType());
    auto* const type = llvm::FunctionType::get(types.front(), types, false);
    function = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, full_name, module);
    function->setDoesNotAccessMemory();
    function->setDoesNotThrow();
    function->setWillReturn();
    llvm::IRBuilder<> inner(llvm::BasicBlock::Create(builder.getContext(), "", function));
    std::vector<Value*> arguments;
    for (llvm::Argument& argument : function->args()) {
      arguments.push_back(&argument);
    }
    inner.CreateRet(body(inner, arguments));
    TILERY_CHECK(function->size() == 1, name + " is a straight line");
  }
  return builder.CreateCall(function, llvm::ArrayRef<Value*>(operands.data(), operands.size()));
}

std::string math_assembly(const llvm::Function& function) {
  return AssemblyWriter(function).text();
}

void expand_math_functions(llvm::Module& module) {
  for (llvm::Function& function : llvm::make_early_inc_range(module)) {
    if (is_math_function(function)) {
      expand(function);
    }
  }
}

}  // namespace tilery::codegen
