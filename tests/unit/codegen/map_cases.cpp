#include "tests/unit/codegen/map_cases.h"

#include "ir/signature_match.h"

#include <optional>

namespace tilery::codegen {
namespace {

Scalar scalar_at(int index) {
  return static_cast<Scalar>(index);
}

/// The case of an op on a type, if the row's signature allows it.
std::optional<MapCase> case_of(const OpDef& def, Scalar scalar) {
  MapCase result;
  result.op.op = def.op;
  result.op.from = scalar;
  Bindings bindings;
  for (const ValuePattern& pattern : def.operand_patterns()) {
    const Type given(pattern.name == "condition" ? Scalar::I1 : scalar);
    if (!bindings.match(pattern, {&given, {}, {}}).empty()) {
      return std::nullopt;
    }
    result.operands.push_back(given.element.scalar);
  }
  // The result's type is an operand's, or fixed.
  result.op.to = bindings.type_of(def.result_patterns().front())->element;
  result.name = std::string(def.id) + "_" + std::string(ir_name(scalar));
  return result;
}

MapCase cast_case(Scalar from, Scalar to, bool toward_zero) {
  MapCase result;
  result.op = {Op::Cast, from, to, false, toward_zero};
  result.operands = {from};
  result.name = "cast_" + std::string(ir_name(from)) + "_to_" + std::string(ir_name(to)) +
                (toward_zero ? "_rtz" : "");
  return result;
}

llvm::Value* load_element(llvm::IRBuilder<>& builder, Scalar scalar, llvm::Value* base,
                          llvm::Value* index) {
  llvm::Type* const type = memory_type(builder.getContext(), scalar);
  llvm::Value* const value = builder.CreateLoad(type, builder.CreateGEP(type, base, index));
  return scalar == Scalar::I1 ? builder.CreateIsNotNull(value) : value;
}

void store_element(llvm::IRBuilder<>& builder, Scalar scalar, llvm::Value* value, llvm::Value* base,
                   llvm::Value* index) {
  llvm::Type* const type = memory_type(builder.getContext(), scalar);
  llvm::Value* const cell = scalar == Scalar::I1 ? builder.CreateZExt(value, type) : value;
  builder.CreateStore(cell, builder.CreateGEP(type, base, index));
}

}  // namespace

std::vector<MapCase> op_cases() {
  std::vector<MapCase> cases;
  for (const OpDef& def : all_ops()) {
    if (!def.is_map() || def.op == Op::Cast || def.op == Op::Bitcast) {
      continue;
    }
    for (int i = 0; i < kScalarCount; ++i) {
      std::optional<MapCase> found = case_of(def, scalar_at(i));
      if (!found) {
        continue;
      }
      cases.push_back(*found);
      if ((def.op == Op::Minimum || def.op == Op::Maximum) && is_float(scalar_at(i))) {
        found->op.propagate_nan = true;
        found->name += "_nan";
        cases.push_back(*found);
      }
    }
  }
  return cases;
}

std::vector<MapCase> cast_cases() {
  std::vector<MapCase> cases;
  for (int i = 0; i < kScalarCount; ++i) {
    for (int j = 0; j < kScalarCount; ++j) {
      const Scalar from = scalar_at(i);
      const Scalar to = scalar_at(j);
      const bool is_refused =
          (is_fp8(from) && is_integer(to)) || (is_integer(from) && is_fp8(to)) || from == to;
      if (is_refused) {
        continue;
      }
      cases.push_back(cast_case(from, to, false));
      if (is_float(from) && is_float(to) && bit_width(to) < bit_width(from)) {
        cases.push_back(cast_case(from, to, true));
      }
    }
  }
  return cases;
}

llvm::Type* memory_type(llvm::LLVMContext& context, Scalar scalar) {
  return number_type(context, scalar == Scalar::I1 ? Scalar::U8 : scalar);
}

llvm::Function& add_loop(llvm::Module& module, const MapCase& each, const Target& target,
                         bool fast_math) {
  llvm::LLVMContext& context = module.getContext();
  llvm::IRBuilder<> builder(context);
  llvm::Type* const pointer = llvm::PointerType::get(context, 1);
  auto* const type = llvm::FunctionType::get(
      builder.getVoidTy(), {pointer, pointer, pointer, pointer, builder.getInt64Ty()}, false);
  auto* const function =
      llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, each.name, module);
  auto* const entry = llvm::BasicBlock::Create(context, "entry", function);
  auto* const loop = llvm::BasicBlock::Create(context, "loop", function);
  auto* const end = llvm::BasicBlock::Create(context, "end", function);
  builder.SetInsertPoint(entry);
  builder.CreateBr(loop);
  builder.SetInsertPoint(loop);
  llvm::PHINode* const index = builder.CreatePHI(builder.getInt64Ty(), 2);
  index->addIncoming(builder.getInt64(0), entry);

  std::vector<llvm::Value*> operands;
  for (unsigned i = 0; i < each.operands.size(); ++i) {
    operands.push_back(load_element(builder, each.operands[i], function->getArg(i), index));
  }
  llvm::Value* const result = emit_element({builder, target, fast_math}, each.op, operands);
  store_element(builder, each.op.to.scalar, result, function->getArg(3), index);

  llvm::Value* const next = builder.CreateAdd(index, builder.getInt64(1));
  index->addIncoming(next, builder.GetInsertBlock());
  builder.CreateCondBr(builder.CreateICmpULT(next, function->getArg(4)), loop, end);
  builder.SetInsertPoint(end);
  builder.CreateRetVoid();
  return *function;
}

llvm::Function& add_shared_divisions(llvm::Module& module, const Target& target) {
  llvm::IRBuilder<> builder(module.getContext());
  llvm::Type* const pointer = llvm::PointerType::get(module.getContext(), 1);
  auto* const type = llvm::FunctionType::get(
      builder.getVoidTy(), {pointer, pointer, pointer, builder.getInt64Ty()}, false);
  auto* const function =
      llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, "quotients", module);
  auto* const entry = llvm::BasicBlock::Create(module.getContext(), "entry", function);
  auto* const loop = llvm::BasicBlock::Create(module.getContext(), "loop", function);
  auto* const end = llvm::BasicBlock::Create(module.getContext(), "end", function);
  builder.SetInsertPoint(entry);
  builder.CreateBr(loop);
  builder.SetInsertPoint(loop);
  llvm::PHINode* const index = builder.CreatePHI(builder.getInt64Ty(), 2);
  index->addIncoming(builder.getInt64(0), entry);
  const auto place = [&](unsigned argument, llvm::Value* at) {
    return builder.CreateGEP(builder.getFloatTy(), function->getArg(argument), at);
  };
  llvm::Value* const divisor = builder.CreateLoad(builder.getFloatTy(), place(1, index));
  std::vector<llvm::Value*> lanes;
  std::vector<llvm::Value*> dividends;
  for (unsigned j = 0; j < kSharers; ++j) {
    lanes.push_back(builder.CreateAdd(builder.CreateMul(index, builder.getInt64(kSharers)),
                                      builder.getInt64(j)));
    dividends.push_back(builder.CreateLoad(builder.getFloatTy(), place(0, lanes.back())));
  }
  const std::vector<llvm::Value*> divisors(kSharers, divisor);
  const auto results = emit_f32_quotients({builder, target}, dividends, divisors, nullptr);
  for (unsigned j = 0; j < kSharers; ++j) {
    builder.CreateStore(results[j], place(2, lanes[j]));
  }
  llvm::Value* const next = builder.CreateAdd(index, builder.getInt64(1));
  index->addIncoming(next, builder.GetInsertBlock());
  builder.CreateCondBr(builder.CreateICmpULT(next, function->getArg(3)), loop, end);
  builder.SetInsertPoint(end);
  builder.CreateRetVoid();
  return *function;
}

}  // namespace tilery::codegen
