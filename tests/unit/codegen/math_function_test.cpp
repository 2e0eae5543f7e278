// The assembly that stands for a function of ir/math in PTX, carried out here line by line, against
// the same template on plain numbers.
#include "codegen/math_function.h"

#include "codegen/emit_map.h"
#include "ir/math/exp.h"
#include "ir/math/log.h"
#include "ir/math/rsqrt.h"
#include "ir/math/scalar_value.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace tilery::codegen {
namespace {

// ---- a PTX machine for straight lines ----

template <class Float>
using BitsOf = std::conditional_t<sizeof(Float) == 4, std::uint32_t, std::uint64_t>;

template <class Float>
Float number(std::uint64_t bits) {
  return std::bit_cast<Float>(static_cast<BitsOf<Float>>(bits));
}

template <class Float>
std::uint64_t bits_of(Float x) {
  return std::bit_cast<BitsOf<Float>>(x);
}

/// "add.rn.f32 %b32_3, %b32_1, 0f3F800000;" as its words.
std::vector<std::string> words_of(std::string line) {
  for (char& c : line) {
    if (c == ',' || c == ';') {
      c = ' ';
    }
  }
  std::istringstream in(line);
  std::vector<std::string> words;
  for (std::string word; in >> word;) {
    words.push_back(word);
  }
  return words;
}

/// What the instructions do to numbers of one width, by the PTX ISA.
template <class Float>
class Machine {
 public:
  using Bits = BitsOf<Float>;
  using Signed = std::make_signed_t<Bits>;

  std::uint64_t run(const std::string& assembly, Float x) {
    values_ = {{"$1", bits_of(x)}};
    std::istringstream lines(assembly);
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with('{') && !line.starts_with('}')) {
        step(words_of(line));
      }
    }
    return values_.at("$0");
  }

 private:
  [[nodiscard]] std::uint64_t value(const std::string& word) const {
    if (word.starts_with("0f") || word.starts_with("0d")) {
      return std::stoull(word.substr(2), nullptr, 16);
    }
    if (word[0] == '$' || word[0] == '%') {
      return values_.at(word);
    }
    return static_cast<Bits>(std::stoll(word));
  }

  void step(const std::vector<std::string>& words) {
    std::vector<std::uint64_t> in;
    for (std::size_t i = 2; i < words.size(); ++i) {
      in.push_back(value(words[i]));
    }
    in.resize(3);
    values_[words.at(1)] = result(words[0], in);
  }

  static std::uint64_t result(const std::string& name, const std::vector<std::uint64_t>& in) {
    const std::string_view type = std::string_view(name).substr(name.rfind('.') + 1);
    const std::string verb = name.substr(0, name.rfind('.'));
    if (type == "pred") {
      return logic(verb, in);
    }
    EXPECT_EQ(type.substr(1), std::to_string(8 * sizeof(Float))) << name;
    if (verb == "cvt.rn.f32" || verb == "cvt.rn.f64") {
      return bits_of(static_cast<Float>(static_cast<Signed>(in[0])));
    }
    return type[0] == 'f' ? float_result(verb, in)
                          : static_cast<Bits>(integer_result(verb, type, in));
  }

  static std::uint64_t float_result(const std::string& verb, const std::vector<std::uint64_t>& in) {
    const auto a = number<Float>(in[0]);
    const auto b = number<Float>(in[1]);
    const std::map<std::string, std::function<std::uint64_t()>> table{
        {"add.rn", [&] { return bits_of(a + b); }},
        {"sub.rn", [&] { return bits_of(a - b); }},
        {"mul.rn", [&] { return bits_of(a * b); }},
        {"div.rn", [&] { return bits_of(a / b); }},
        {"fma.rn", [&] { return bits_of(std::fma(a, b, number<Float>(in[2]))); }},
        {"sqrt.rn", [&] { return bits_of(std::sqrt(a)); }},
        {"neg", [&] { return bits_of(-a); }},
        {"abs", [&] { return bits_of(std::fabs(a)); }},
        {"setp.eq", [&] { return std::uint64_t{a == b}; }},
        {"setp.lt", [&] { return std::uint64_t{a < b}; }},
        {"setp.le", [&] { return std::uint64_t{a <= b}; }},
        {"setp.gt", [&] { return std::uint64_t{a > b}; }},
        {"setp.neu", [&] { return std::uint64_t{!(a == b)}; }},
    };
    return table.at(verb)();
  }

  static std::uint64_t integer_result(const std::string& verb, std::string_view type,
                                      const std::vector<std::uint64_t>& in) {
    const auto a = static_cast<Bits>(in[0]);
    const auto b = static_cast<Bits>(in[1]);
    const auto signed_a = static_cast<Signed>(a);
    const std::map<std::string, std::function<std::uint64_t()>> table{
        {"mov", [&] { return a; }},
        {"add", [&] { return a + b; }},
        {"sub", [&] { return a - b; }},
        {"and", [&] { return a & b; }},
        {"or", [&] { return a | b; }},
        {"xor", [&] { return a ^ b; }},
        {"shl", [&] { return a << b; }},
        {"shr", [&] { return type[0] == 's' ? static_cast<Bits>(signed_a >> b) : a >> b; }},
        {"selp", [&] { return in[2] != 0 ? a : b; }},
        {"setp.eq", [&] { return std::uint64_t{a == b}; }},
        {"setp.lt", [&] { return std::uint64_t{signed_a < static_cast<Signed>(b)}; }},
    };
    return table.at(verb)();
  }

  static std::uint64_t logic(const std::string& verb, const std::vector<std::uint64_t>& in) {
    EXPECT_TRUE(verb == "and" || verb == "or") << verb;
    return verb == "and" ? in[0] & in[1] : in[0] | in[1];
  }

  std::map<std::string, std::uint64_t> values_;
};

// ---- the functions ----

/// What an element-wise op calls, as assembly; nothing if it calls no function.
std::string assembly_of(Op op, Scalar scalar) {
  llvm::LLVMContext context;
  llvm::Module module("m", context);
  llvm::Type* const type = number_type(context, scalar);
  auto* const kernel = llvm::Function::Create(llvm::FunctionType::get(type, {type}, false),
                                              llvm::GlobalValue::ExternalLinkage, "k", module);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "", kernel));
  const Target target;
  llvm::Value* const x = kernel->getArg(0);
  ElementOp element;
  element.op = op;
  element.from = element.to = scalar;
  builder.CreateRet(emit_element({builder, target}, element, {&x, 1}));
  for (const llvm::Function& function : module) {
    if (&function != kernel && !function.isDeclaration()) {
      return math_assembly(function);
    }
  }
  return {};
}

template <class Float>
std::vector<Float> samples() {
  using Limits = std::numeric_limits<Float>;
  std::vector<Float> numbers{0,
                             Float(-0.0),
                             1,
                             -1,
                             Float(0.5),
                             88,
                             -88,
                             104,
                             -104,
                             710,
                             -745,
                             Limits::min(),
                             Limits::denorm_min(),
                             Limits::max(),
                             Limits::lowest(),
                             Limits::infinity(),
                             -Limits::infinity(),
                             Limits::quiet_NaN()};
  std::mt19937_64 random(7);
  for (int i = 0; i < 2000; ++i) {
    numbers.push_back(number<Float>(random()));
    numbers.push_back(std::uniform_real_distribution<Float>(-120, 120)(random));
  }
  return numbers;
}

template <class Float, class Template>
void expect_same(Op op, Scalar scalar, Template function) {
  const std::string assembly = assembly_of(op, scalar);
  ASSERT_FALSE(assembly.empty());
  Machine<Float> machine;
  for (const Float x : samples<Float>()) {
    const Float expected = function(math::ScalarValue<Float>{x}).value;
    const auto got = number<Float>(machine.run(assembly, x));
    ASSERT_TRUE(bits_of(got) == bits_of(expected) || (std::isnan(got) && std::isnan(expected)))
        << fmt::format("of {}: {} instead of {}\n{}", x, got, expected, assembly);
  }
}

template <class Template>
void expect_same_in_both(Op op, Template function) {
  expect_same<float>(op, Scalar::F32, function);
  expect_same<double>(op, Scalar::F64, function);
}

TEST(MathFunction, exp) {
  expect_same_in_both(Op::Exp, [](auto x) { return math::exp(x); });
}

TEST(MathFunction, exp2) {
  expect_same_in_both(Op::Exp2, [](auto x) { return math::exp2(x); });
}

TEST(MathFunction, log) {
  expect_same_in_both(Op::Log, [](auto x) { return math::log(x); });
}

TEST(MathFunction, log2) {
  expect_same_in_both(Op::Log2, [](auto x) { return math::log2(x); });
}

TEST(MathFunction, rsqrt) {
  expect_same_in_both(Op::Rsqrt, [](auto x) { return math::rsqrt(x); });
}

TEST(MathFunction, is_none_where_there_are_branches_or_tables) {
  EXPECT_EQ(assembly_of(Op::Sin, Scalar::F32), "");
  EXPECT_EQ(assembly_of(Op::Erf, Scalar::F64), "");
}

TEST(MathFunction, calls_of_one_function_share_it_and_end_as_assembly) {
  llvm::LLVMContext context;
  llvm::Module module("m", context);
  llvm::Type* const f32 = llvm::Type::getFloatTy(context);
  auto* const kernel = llvm::Function::Create(llvm::FunctionType::get(f32, {f32, f32}, false),
                                              llvm::GlobalValue::ExternalLinkage, "k", module);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "", kernel));
  const Target target;
  ElementOp exp;
  exp.op = Op::Exp;
  exp.from = exp.to = Scalar::F32;
  std::vector<llvm::Value*> results;
  for (llvm::Argument& argument : kernel->args()) {
    llvm::Value* const x = &argument;
    results.push_back(emit_element({builder, target}, exp, {&x, 1}));
  }
  builder.CreateRet(builder.CreateFAdd(results[0], results[1]));
  EXPECT_EQ(module.size(), 2U + 1U);  // the kernel, exp and its llvm.fma.f32
  expand_math_functions(module);
  for (llvm::Value* const result : results) {
    EXPECT_TRUE(llvm::cast<llvm::CallInst>(result)->isInlineAsm());
  }
  EXPECT_EQ(module.getFunction("math.exp.f32"), nullptr);
}

}  // namespace
}  // namespace tilery::codegen
