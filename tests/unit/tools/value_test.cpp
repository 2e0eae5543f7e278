#include "tools/value.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

namespace tilery::tools {
namespace {

Argument constant(const std::string& text) {
  const Result<Value> value = parse_value(text);
  EXPECT_TRUE(value.ok()) << text << ": " << (value ? "" : value.error().message);
  const auto* argument = value ? std::get_if<Argument>(&value->data) : nullptr;
  EXPECT_NE(argument, nullptr) << text;
  return argument == nullptr ? Argument() : *argument;
}

FillValue fill(const std::string& text) {
  const Result<Value> value = parse_value(text);
  EXPECT_TRUE(value.ok()) << text << ": " << (value ? "" : value.error().message);
  const auto* result = value ? std::get_if<FillValue>(&value->data) : nullptr;
  EXPECT_NE(result, nullptr) << text;
  return result == nullptr ? FillValue() : *result;
}

std::string error(const std::string& text) {
  const Result<Value> value = parse_value(text);
  EXPECT_FALSE(value.ok()) << text;
  return value ? "" : value.error().message;
}

TEST(ParseValue, numbers_and_words) {
  EXPECT_EQ(constant("7"), Argument(7));
  EXPECT_EQ(constant("-7"), Argument(-7));
  EXPECT_EQ(constant("0x1F"), Argument(31));
  EXPECT_EQ(constant("-1.5"), Argument(-1.5));
  EXPECT_EQ(constant("1e-3"), Argument(0.001));
  EXPECT_EQ(constant(".5"), Argument(0.5));
  EXPECT_EQ(constant("inf"), Argument(std::numeric_limits<double>::infinity()));
  EXPECT_EQ(constant("-inf"), Argument(-std::numeric_limits<double>::infinity()));
  EXPECT_TRUE(std::isnan(*constant("nan").as<double>()));
  EXPECT_EQ(constant("true"), Argument(true));
  EXPECT_EQ(constant("False"), Argument(false));
  EXPECT_EQ(constant("none"), Argument(None{}));
}

TEST(ParseValue, whole_numbers_are_exact_up_to_64_bits) {
  EXPECT_EQ(constant("9223372036854775807"), Argument(INT64_MAX));
  EXPECT_EQ(constant("-9223372036854775808"), Argument(INT64_MIN));
  EXPECT_EQ(constant("18446744073709551615"), Argument(UINT64_MAX));
}

TEST(ParseValue, strings_types_and_tuples) {
  EXPECT_EQ(constant("\"max\""), Argument("max"));
  EXPECT_EQ(constant("'a,b'"), Argument("a,b"));
  EXPECT_EQ(constant("tl.float16"), Argument(DType::F16));
  EXPECT_EQ(constant("fp32"), Argument(DType::F32));
  const Result<Value> tuple = parse_value("(1, (2.5, \"a,b\"), x+4)");
  ASSERT_TRUE(tuple.ok());
  const auto& elements = std::get<TupleValue>(tuple->data).elements;
  ASSERT_EQ(elements.size(), 3U);
  EXPECT_EQ(std::get<Argument>(elements[0].data), Argument(1));
  EXPECT_EQ(std::get<TupleValue>(elements[1].data).elements.size(), 2U);
  EXPECT_EQ(std::get<NameValue>(elements[2].data).offset, 4);
  EXPECT_EQ(std::get<TupleValue>(parse_value("(1,)")->data).elements.size(), 1U);
  EXPECT_TRUE(std::get<TupleValue>(parse_value("()")->data).elements.empty());
}

TEST(ParseValue, typed_numbers) {
  EXPECT_EQ(constant("f16:0.5"), Argument::scalar(DType::F16, 0.5));
  EXPECT_EQ(constant("i64:3"), Argument::scalar(DType::I64, std::int64_t{3}));
  EXPECT_EQ(constant("bf16:2"), Argument::scalar(DType::BF16, 2.0));
  EXPECT_EQ(constant("u64:18446744073709551615"), Argument::scalar(DType::U64, std::int64_t{-1}));
  EXPECT_EQ(constant("i1:true"), Argument::scalar(DType::I1, std::int64_t{1}));
  EXPECT_NE(error("i8:300").find("does not fit i8"), std::string::npos);
  EXPECT_NE(error("u8:-1").find("does not fit u8"), std::string::npos);
  EXPECT_NE(error("i32:1.5").find("whole number"), std::string::npos);
  EXPECT_NE(error("f32:abc").find("no number"), std::string::npos);
}

TEST(ParseValue, arrays_made_on_the_spot) {
  const FillValue zeros = fill("zeros:f32[4,6]");
  EXPECT_EQ(zeros.kind, FillValue::Kind::Zeros);
  EXPECT_EQ(zeros.dtype, DType::F32);
  EXPECT_EQ(zeros.extents, (std::vector<std::string>{"4", "6"}));
  EXPECT_EQ(fill("full(-2.5):f16[8]").full, (TypedScalar{DType::F16, 0xC100}));
  EXPECT_EQ(fill("full(inf):f32[8]").full, (TypedScalar{DType::F32, 0x7F800000}));
  // Past the 53 bits of a double.
  EXPECT_EQ(fill("full(9007199254740993):i64[8]").full.bits, 9007199254740993U);
  EXPECT_EQ(fill("full(18446744073709551615):u64[8]").full.bits, ~std::uint64_t{0});
  EXPECT_EQ(fill("randint(-3,9):i32[8]").low, -3);
  EXPECT_EQ(fill("randint(-3,9):i32[8]").high, 9);
  EXPECT_EQ(fill("empty:bf16[cdiv(N, 4),x.shape[0]]").extents,
            (std::vector<std::string>{"cdiv(N, 4)", "x.shape[0]"}));
  EXPECT_TRUE(fill("ones:f32[]").extents.empty());
}

TEST(ParseValue, files_and_names) {
  const auto file = [](const char* text) { return std::get<FileValue>(parse_value(text)->data); };
  EXPECT_EQ(file("@a b.npy").path, "a b.npy");
  EXPECT_EQ(file("@a.npy").as, std::nullopt);
  EXPECT_EQ(file("bf16:@a:b.npy").as, DType::BF16);
  EXPECT_EQ(file("bf16:@a:b.npy").path, "a:b.npy");
  EXPECT_EQ(std::get<LikeValue>(parse_value("like(x)")->data).name, "x");
  EXPECT_EQ(std::get<NameValue>(parse_value("x-4")->data).offset, -4);
  EXPECT_FALSE(std::get<NameValue>(parse_value("relu")->data).has_offset);
}

TEST(ParseValue, mistakes_are_explained) {
  EXPECT_NE(error("").find("missing"), std::string::npos);
  EXPECT_NE(error("@").find("name of a file"), std::string::npos);
  EXPECT_NE(error("x.npy").find("write @x.npy"), std::string::npos);
  EXPECT_NE(error("a.b").find("a string needs quotes"), std::string::npos);
  EXPECT_NE(error("*f32").find("only where nothing runs"), std::string::npos);
  EXPECT_NE(error("*f32:16").find("only where nothing runs"), std::string::npos);
  EXPECT_NE(error("f32*").find("written *f32"), std::string::npos);
  EXPECT_NE(error("zeros[4,6]").find("zeros:f32[4,6]"), std::string::npos);
  EXPECT_NE(error("zero:f32[4]").find("zeros, ones"), std::string::npos);
  EXPECT_NE(error("zeros:f31[4]").find("no element type"), std::string::npos);
  EXPECT_NE(error("zeros:f32").find("f32[8]"), std::string::npos);
  EXPECT_NE(error("full:f32[4]").find("neither"), std::string::npos);
  EXPECT_NE(error("full(a):f32[4]").find("one number"), std::string::npos);
  EXPECT_NE(error("full(1000):i8[4]").find("`1000` does not fit i8"), std::string::npos);
  EXPECT_NE(error("full(-1):u8[4]").find("`-1` does not fit u8"), std::string::npos);
  EXPECT_NE(error("full(2.5):i32[4]").find("no whole number"), std::string::npos);
  EXPECT_NE(error("randint(-1,3):u8[4]").find("`-1` does not fit u8"), std::string::npos);
  EXPECT_NE(error("randint(0,129):i8[4]").find("`128` does not fit i8"), std::string::npos);
  // The largest f16 is 65504 and the next step 65536: from halfway, 65520, on a number is past it.
  EXPECT_EQ(error("full(65520):f16[4]"), "`65520` does not fit f16");
  EXPECT_TRUE(parse_value("full(65519):f16[4]").ok());
  EXPECT_EQ(error("full(1e999):f16[4]"), "`1e999` does not fit f16");
  EXPECT_EQ(error("full(1e999):f64[4]"), "`1e999` does not fit f64");
  EXPECT_EQ(error("full(-1e39):bf16[4]"), "`-1e39` does not fit bf16");
  // 448 is the largest f8e4nv, 32 the step before it; the type has no infinity.
  EXPECT_EQ(error("full(480):f8e4nv[4]"), "`480` does not fit f8e4nv");
  EXPECT_EQ(error("full(inf):f8e4nv[4]"), "`inf` does not fit f8e4nv");
  EXPECT_TRUE(parse_value("full(450):f8e4nv[4]").ok());
  for (const char* word : {"full(inf):f16[4]", "full(-inf):f32[4]", "full(nan):f8e5[4]"}) {
    EXPECT_TRUE(parse_value(word).ok()) << word;
  }
  EXPECT_EQ(error("f16:70000"), "`70000` does not fit f16");
  EXPECT_EQ(error("randint(0,100000):f16[4]"), "`99999` does not fit f16");
  EXPECT_NE(error("zeros:f23[4]").find("did you mean `f32`?"), std::string::npos);
  EXPECT_NE(error("randint(9,0):i32[4]").find("lowest"), std::string::npos);
  EXPECT_NE(error("\"open").find("not closed"), std::string::npos);
  EXPECT_NE(error("99999999999999999999").find("64 bits"), std::string::npos);
  EXPECT_NE(error("1.2.3").find("no number"), std::string::npos);
  EXPECT_NE(error("a b").find("quotes"), std::string::npos);
  EXPECT_NE(error(std::string(1000, '(') + std::string(1000, ')')).find("deeply"),
            std::string::npos);
}

}  // namespace
}  // namespace tilery::tools
