// The promotion rules, against tables written from the language's definition.
#include "frontend/sema/promotion.h"
#include "tests/unit/frontend/types_fixture.h"

#include <fmt/format.h>

#include <array>
#include <sstream>

namespace tilery::sema {
namespace {

/// Names as in the tables below.
constexpr std::array<std::pair<std::string_view, Scalar>, 13> kTypes{{
    {"i1", Scalar::I1},
    {"i8", Scalar::I8},
    {"i16", Scalar::I16},
    {"i32", Scalar::I32},
    {"i64", Scalar::I64},
    {"u8", Scalar::U8},
    {"u16", Scalar::U16},
    {"u32", Scalar::U32},
    {"u64", Scalar::U64},
    {"f16", Scalar::F16},
    {"bf16", Scalar::BF16},
    {"f32", Scalar::F32},
    {"f64", Scalar::F64},
}};

// `lhs + rhs` of two tensors. Among integers C's rule: equal signedness, the wider; else the
// unsigned one if at least as wide (i1 counts as unsigned). bf16 with anything but bf16 and the
// wider floats is f32, but with f16 it is f16.
constexpr std::string_view kSums = R"(
      i1   i8   i16  i32  i64  u8   u16  u32  u64  f16  bf16 f32  f64
i1    i1   i8   i16  i32  i64  u8   u16  u32  u64  f16  f32  f32  f64
i8    i8   i8   i16  i32  i64  u8   u16  u32  u64  f16  f32  f32  f64
i16   i16  i16  i16  i32  i64  i16  u16  u32  u64  f16  f32  f32  f64
i32   i32  i32  i32  i32  i64  i32  i32  u32  u64  f16  f32  f32  f64
i64   i64  i64  i64  i64  i64  i64  i64  i64  u64  f16  f32  f32  f64
u8    u8   u8   i16  i32  i64  u8   u16  u32  u64  f16  f32  f32  f64
u16   u16  u16  u16  i32  i64  u16  u16  u32  u64  f16  f32  f32  f64
u32   u32  u32  u32  u32  i64  u32  u32  u32  u64  f16  f32  f32  f64
u64   u64  u64  u64  u64  u64  u64  u64  u64  u64  f16  f32  f32  f64
f16   f16  f16  f16  f16  f16  f16  f16  f16  f16  f16  f16  f32  f64
bf16  f32  f32  f32  f32  f32  f32  f32  f32  f32  f16  bf16 f32  f64
f32   f32  f32  f32  f32  f32  f32  f32  f32  f32  f32  f32  f32  f64
f64   f64  f64  f64  f64  f64  f64  f64  f64  f64  f64  f64  f64  f64
)";

Scalar scalar_named(const std::string& name) {
  for (const auto& [text, scalar] : kTypes) {
    if (text == name) {
      return scalar;
    }
  }
  ADD_FAILURE() << "no type " << name;
  return Scalar::I1;
}

/// Calls `check(row, column, cell)` for each cell of a table like kSums.
template <class Check>
void for_each_cell(std::string_view table, Check&& check) {
  std::istringstream lines{std::string(table)};
  std::string line;
  std::vector<std::string> columns;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::vector<std::string> cells;
    for (std::string word; words >> word;) {
      cells.push_back(word);
    }
    if (cells.empty()) {
      continue;
    }
    if (columns.empty()) {
      columns = cells;
      continue;
    }
    ASSERT_EQ(cells.size(), columns.size() + 1);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      check(cells[0], columns[i], cells[i + 1]);
    }
  }
}

Scalar promoted(Scalar lhs, Scalar rhs, Division division = Division::No) {
  const Promotion promotion = promote({lhs, false}, {rhs, false}, division);
  EXPECT_EQ(promotion.error, PromotionError::None);
  return promotion.scalar;
}

TEST(Promotion, SumsOfTensors) {
  int cells = 0;
  for_each_cell(kSums, [&](const std::string& lhs, const std::string& rhs, const std::string& sum) {
    EXPECT_EQ(ir_name(promoted(scalar_named(lhs), scalar_named(rhs))), ir_name(scalar_named(sum)))
        << lhs << " + " << rhs;
    ++cells;
  });
  EXPECT_EQ(cells, 13 * 13);
}

TEST(Promotion, DivisionWidensHalves) {
  EXPECT_EQ(promoted(Scalar::F16, Scalar::F16, Division::Yes), Scalar::F32);
  EXPECT_EQ(promoted(Scalar::BF16, Scalar::BF16, Division::Yes), Scalar::F32);
  EXPECT_EQ(promoted(Scalar::F16, Scalar::I32, Division::Yes), Scalar::F32);
  EXPECT_EQ(promoted(Scalar::F32, Scalar::F32, Division::Yes), Scalar::F32);
  EXPECT_EQ(promoted(Scalar::F64, Scalar::F16, Division::Yes), Scalar::F64);
}

TEST(Promotion, DivisionOfMixedSignednessIsAnError) {
  for (const auto& [name, lhs] : kTypes) {
    for (const auto& [other, rhs] : kTypes) {
      if (is_float(lhs) || is_float(rhs)) {
        continue;
      }
      const bool differs = name.starts_with('i') && name != "i1"
                               ? other.starts_with('u') || other == "i1"
                               : other.starts_with('i') && other != "i1";
      const Promotion promotion = promote({lhs, false}, {rhs, false}, Division::Yes);
      EXPECT_EQ(promotion.error == PromotionError::MixedSignedness, differs) << name << other;
    }
  }
}

TEST(Promotion, Fp8) {
  EXPECT_EQ(promoted(Scalar::F8E5, Scalar::F8E5), Scalar::F8E5);
  EXPECT_EQ(promoted(Scalar::F8E5, Scalar::F8E4NV), Scalar::F16);
  EXPECT_EQ(promoted(Scalar::F8E5, Scalar::F16), Scalar::F16);
  EXPECT_EQ(promoted(Scalar::F8E5, Scalar::BF16), Scalar::F32);
  EXPECT_EQ(promote({Scalar::F8E5, false}, {Scalar::I32, false}, Division::No).error,
            PromotionError::Fp8WithInteger);
  // A weak float takes the type of the fp8 tensor.
  EXPECT_EQ(promote({Scalar::F8E5, false}, {Scalar::F32, true}, Division::No).scalar, Scalar::F8E5);
}

// `tensor + literal`: the literal is weak, so it takes the tensor's type unless its kind is above.
constexpr std::string_view kWeak = R"(
      True 2    2.0  1e300
i1    i1   i32  f32  f64
i8    i8   i8   f32  f64
i16   i16  i16  f32  f64
i32   i32  i32  f32  f64
i64   i64  i64  f32  f64
u8    u8   u8   f32  f64
u16   u16  u16  f32  f64
u32   u32  u32  f32  f64
u64   u64  u64  f32  f64
f16   f16  f16  f16  f16
bf16  bf16 bf16 bf16 bf16
f32   f32  f32  f32  f32
f64   f64  f64  f64  f64
)";

Value literal(const std::string& text) {
  if (text == "True") {
    return Value{true};
  }
  return text.find('.') == std::string::npos && text.find('e') == std::string::npos
             ? number(std::int64_t{std::stol(text)})
             : number(std::stod(text));
}

TEST(Promotion, WeakScalarsOnEitherSide) {
  for_each_cell(kWeak, [&](const std::string& tensor, const std::string& text,
                           const std::string& sum) {
    FakeSema sema;
    const Value x = sema.value(scalar_named(tensor));
    const std::string expected(language_name(scalar_named(sum)));
    EXPECT_EQ(sema.text(binary_operator(sema, ast::BinaryOp::Add, x, literal(text), {})), expected)
        << tensor << " + " << text;
    EXPECT_EQ(sema.text(binary_operator(sema, ast::BinaryOp::Add, literal(text), x, {})), expected)
        << text << " + " << tensor;
  });
}

TEST(Literals, OwnTypes) {
  const auto name = [](const Value& value) {
    const auto scalar = literal_scalar(value);
    return scalar ? std::string(language_name(*scalar)) : "none";
  };
  const auto integer = [&](BigInt x) { return name(Value{x}); };
  EXPECT_EQ(name(Value{true}), "int1");
  EXPECT_EQ(integer(0), "int32");
  EXPECT_EQ(integer((BigInt{1} << 31) - 1), "int32");
  EXPECT_EQ(integer(-(BigInt{1} << 31)), "int32");
  EXPECT_EQ(integer(BigInt{1} << 31), "uint32");
  EXPECT_EQ(integer((BigInt{1} << 32) - 1), "uint32");
  EXPECT_EQ(integer(BigInt{1} << 32), "int64");
  EXPECT_EQ(integer(-(BigInt{1} << 31) - 1), "int64");
  EXPECT_EQ(integer(-(BigInt{1} << 63)), "int64");
  EXPECT_EQ(integer(BigInt{1} << 63), "uint64");
  EXPECT_EQ(integer((BigInt{1} << 64) - 1), "uint64");
  EXPECT_EQ(integer(BigInt{1} << 64), "none");
  EXPECT_EQ(integer(-(BigInt{1} << 63) - 1), "none");
  EXPECT_EQ(name(number(0.0)), "fp32");
  EXPECT_EQ(name(number(-0.0)), "fp32");
  EXPECT_EQ(name(number(HUGE_VAL)), "fp32");
  EXPECT_EQ(name(number(std::nan(""))), "fp32");
  EXPECT_EQ(name(number(0x1p-126)), "fp32");
  EXPECT_EQ(name(number(0x1.fffffep-127)), "fp64");
  EXPECT_EQ(name(number(1e-40)), "fp64");
  EXPECT_EQ(name(number(0x1.fffffep127)), "fp32");
  EXPECT_EQ(name(number(1e39)), "fp64");
}

TEST(Literals, RangeOfTheOtherOperand) {
  FakeSema sema;
  const auto sum = [&](Scalar scalar, BigInt literal) {
    return sema.text(
        binary_operator(sema, ast::BinaryOp::Add, sema.value(scalar), Value{literal}, {}));
  };
  EXPECT_EQ(sum(Scalar::I8, 127), "int8");
  EXPECT_EQ(sum(Scalar::I8, 128), "LiteralOutOfRange");
  EXPECT_EQ(sum(Scalar::I8, -128), "int8");
  EXPECT_EQ(sum(Scalar::I8, -129), "LiteralOutOfRange");
  EXPECT_EQ(sum(Scalar::I32, BigInt{1} << 31), "LiteralOutOfRange");
  EXPECT_EQ(sum(Scalar::U32, (BigInt{1} << 32) - 1), "uint32");
  EXPECT_EQ(sum(Scalar::U32, -1), "NegativeWithUnsigned");
}

/// The types that a few products of the language's own table have.
TEST(Operators, ExamplesOfTheReference) {
  FakeSema sema;
  const auto result = [&](ast::BinaryOp op, const Value& lhs, const Value& rhs) {
    return sema.text(binary_operator(sema, op, lhs, rhs, {}));
  };
  using enum ast::BinaryOp;
  EXPECT_EQ(result(Mul, sema.value(Scalar::I64), number(1.5)), "fp32");
  EXPECT_EQ(result(Mul, sema.value(Scalar::F32), number(1e300)), "fp32");
  EXPECT_EQ(result(Div, sema.value(Scalar::F16), number(std::int64_t{2})), "fp32");
  EXPECT_EQ(result(Mod, sema.value(Scalar::F16), sema.value(Scalar::F16)), "fp32");
  EXPECT_EQ(result(Div, sema.value(Scalar::I64), sema.value(Scalar::I64)), "fp32");
  EXPECT_EQ(result(Div, sema.value(Scalar::I32), sema.value(Scalar::F64)), "fp64");
  EXPECT_EQ(result(FloorDiv, sema.value(Scalar::I32), sema.value(Scalar::U32)), "MixedSignedness");
  EXPECT_EQ(result(BitAnd, sema.value(Scalar::I8), sema.value(Scalar::U16)), "uint16");
  EXPECT_EQ(result(Shl, number(std::int64_t{1}), sema.value(Scalar::U8)), "uint8");
  EXPECT_EQ(result(Pow, sema.value(Scalar::F32), number(2.0)), "PowerOfTensor");
}

/// Comparisons take literals by their own type.
TEST(Operators, ComparisonsAreStrong) {
  FakeSema sema;
  const Value h = sema.value(Scalar::F16);
  EXPECT_EQ(sema.text(compare_operator(sema, ast::CompareOp::Gt, h, number(0.5), {})), "int1");
  const Function& f = sema.function();
  const Inst& compare = f.inst(f.region(f.body).insts.back());
  EXPECT_EQ(f.type(compare.operands[0]), Type(Scalar::F32));
  const Value u = sema.value(Scalar::U32);
  EXPECT_EQ(sema.text(compare_operator(sema, ast::CompareOp::Lt, u, number(std::int64_t{-1}), {})),
            "int1");
}

/// `>>` follows the left operand's signedness, whatever the common type is.
TEST(Operators, ShiftRightFollowsTheLeftOperand) {
  FakeSema sema;
  const auto shift_type = [&](Scalar lhs, Scalar rhs) {
    (void)binary_operator(sema, ast::BinaryOp::Shr, sema.value(lhs), sema.value(rhs), {});
    const Function& f = sema.function();
    const auto& insts = f.region(f.body).insts;
    for (auto it = insts.rbegin(); it != insts.rend(); ++it) {
      if (f.inst(*it).op == Op::Shr) {
        return std::string(f.type(f.inst(*it).result()).str());
      }
    }
    return std::string("no shift");
  };
  EXPECT_EQ(shift_type(Scalar::I32, Scalar::U32), "i32");
  EXPECT_EQ(shift_type(Scalar::U32, Scalar::I32), "u32");
  EXPECT_EQ(shift_type(Scalar::I8, Scalar::U64), "i64");
  EXPECT_EQ(shift_type(Scalar::U8, Scalar::I32), "i32");
}

TEST(Operators, Pointers) {
  FakeSema sema;
  const Value p = sema.value(Type(ElementType(Scalar::F32, 1)));
  const Value i = sema.block(Scalar::I32, {8});
  const auto result = [&](ast::BinaryOp op, const Value& lhs, const Value& rhs) {
    return sema.text(binary_operator(sema, op, lhs, rhs, {}));
  };
  using enum ast::BinaryOp;
  EXPECT_EQ(result(Add, p, i), "pointer<fp32>[8]");
  EXPECT_EQ(result(Add, i, p), "pointer<fp32>[8]");
  EXPECT_EQ(result(Sub, p, number(std::int64_t{1})), "pointer<fp32>");
  EXPECT_EQ(result(Sub, i, p), "PointerOperands");
  EXPECT_EQ(result(Sub, p, p), "PointerOperands");
  EXPECT_EQ(result(Add, p, number(1.5)), "PointerOperands");
  EXPECT_EQ(result(Mul, p, number(std::int64_t{2})), "PointerOperands");
}

}  // namespace
}  // namespace tilery::sema
