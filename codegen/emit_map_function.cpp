// The functions of ir/math on fp32 and fp64.
//
// Reproducible: the templates, instantiated on values that build LLVM IR; the interpreter runs the
// same templates on SIMD registers. Fast: for fp32 the hardware's approximations, where they are
// good over the whole range. sin and cos are not: the hardware's have an absolute error, and none
// for large arguments; they and erf are the templates in both modes.
#include "codegen/emit_map.h"
#include "codegen/llvm_math.h"
#include "codegen/math_function.h"
#include "ir/math/erf.h"
#include "ir/math/exp.h"
#include "ir/math/log.h"
#include "ir/math/remainder.h"
#include "ir/math/rsqrt.h"
#include "ir/math/trig.h"
#include "ir/support/check.h"

#include <fmt/format.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

#include <array>
#include <numbers>

namespace tilery::codegen {

llvm::GlobalVariable* constant_table(llvm::Module& module, llvm::Constant* content) {
  for (llvm::GlobalVariable& global : module.globals()) {
    if (global.isConstant() && global.hasInitializer() && global.getInitializer() == content) {
      return &global;
    }
  }
  return new llvm::GlobalVariable(module, content->getType(), true,
                                  llvm::GlobalValue::InternalLinkage, content, "math_table",
                                  nullptr, llvm::GlobalValue::NotThreadLocal, kGlobalMemory);
}

namespace {

using llvm::Value;

using FunctionFn = Value* (*)(llvm::IRBuilder<>&, Elements);

struct FunctionOp {
  Op op;
  FunctionFn f32;
  FunctionFn f64;
  /// Without branches and tables, so that it can be a function that kernels call.
  bool is_straight = false;
};

/// F takes one or two values of ir/math and returns one.
template <class F, class T, std::size_t... I>
Value* apply(llvm::IRBuilder<>& builder, Elements operands, std::index_sequence<I...> /*each*/) {
  return F{}(MathValue<T>{&builder, operands[I]}...).value;
}

template <class F, class T>
Value* unary(llvm::IRBuilder<>& builder, Elements operands) {
  return apply<F, T>(builder, operands, std::make_index_sequence<1>{});
}

template <class F, class T>
Value* binary(llvm::IRBuilder<>& builder, Elements operands) {
  return apply<F, T>(builder, operands, std::make_index_sequence<2>{});
}

template <class F>
constexpr FunctionOp straight_function(Op op, F /*function*/) {
  return {op, unary<F, float>, unary<F, double>, true};
}

template <class F>
constexpr FunctionOp function_of_one(Op op, F /*function*/) {
  return {op, unary<F, float>, unary<F, double>};
}

template <class F>
constexpr FunctionOp function_of_two(Op op, F /*function*/) {
  return {op, binary<F, float>, binary<F, double>};
}

constexpr std::array kFunctions{
    straight_function(Op::Exp, [](auto x) { return math::exp(x); }),
    straight_function(Op::Exp2, [](auto x) { return math::exp2(x); }),
    straight_function(Op::Log, [](auto x) { return math::log(x); }),
    straight_function(Op::Log2, [](auto x) { return math::log2(x); }),
    function_of_one(Op::Sin, [](auto x) { return math::sin(x); }),
    function_of_one(Op::Cos, [](auto x) { return math::cos(x); }),
    function_of_one(Op::Erf, [](auto x) { return math::erf(x); }),
    straight_function(Op::Rsqrt, [](auto x) { return math::rsqrt(x); }),
    function_of_two(Op::Rem, [](auto x, auto y) { return math::remainder(x, y); }),
};

// ---- fast math, fp32 ----

Value* times(llvm::IRBuilder<>& builder, Value* x, float factor) {
  return builder.CreateFMul(x, llvm::ConstantFP::get(builder.getContext(), llvm::APFloat(factor)));
}

Value* fast_log2(llvm::IRBuilder<>& builder, Value* x) {
  return builder.CreateIntrinsic(llvm::Intrinsic::nvvm_lg2_approx_f, {}, {x});
}

struct FastFunction {
  Op op;
  Value* (*emit)(llvm::IRBuilder<>&, Value*);
};

// clang-format off
constexpr std::array kFastFunctions{
    FastFunction{Op::Exp, [](llvm::IRBuilder<>& builder, Value* x) { return emit_fast_exp(builder, Op::Exp, x); }},
    FastFunction{Op::Exp2, [](llvm::IRBuilder<>& builder, Value* x) { return emit_fast_exp(builder, Op::Exp2, x); }},
    FastFunction{Op::Log, [](llvm::IRBuilder<>& builder, Value* x) { return times(builder, fast_log2(builder, x), std::numbers::ln2_v<float>); }},
    FastFunction{Op::Log2, fast_log2},
    FastFunction{Op::Rsqrt, [](llvm::IRBuilder<>& builder, Value* x) -> Value* { return builder.CreateIntrinsic(llvm::Intrinsic::nvvm_rsqrt_approx_f, {}, {x}); }},
};
// clang-format on

}  // namespace

Value* emit_function_element(const MapEmitter& emitter, const ElementOp& op, Elements operands) {
  const bool is_f32 = op.from.is(Scalar::F32);
  TILERY_CHECK(is_f32 || op.from.is(Scalar::F64), "a narrow float goes through fp32");
  if (is_f32 && emitter.fast_math) {
    for (const FastFunction& row : kFastFunctions) {
      if (row.op == op.op) {
        return row.emit(emitter.builder, operands[0]);
      }
    }
  }
  for (const FunctionOp& row : kFunctions) {
    if (row.op == op.op) {
      const FunctionFn body = is_f32 ? row.f32 : row.f64;
      return row.is_straight
                 ? call_math_function(emitter.builder,
                                      fmt::format("{}.{}", op_def(op.op).id, op.from.str()),
                                      operands, body)
                 : body(emitter.builder, operands);
    }
  }
  return nullptr;
}

}  // namespace tilery::codegen
