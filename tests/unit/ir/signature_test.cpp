// The reader of signatures, on rows of ops.def and on others.
#include "ir/signature_reader.h"

#include <gtest/gtest.h>

namespace tilery {
namespace {

Signature read_good(std::string_view text) {
  const SignatureResult result = read_signature(text);
  EXPECT_EQ(result.error, SignatureError::None) << text << " column " << result.column;
  return result.signature;
}

SignatureError error_of(std::string_view text) {
  return read_signature(text).error;
}

TEST(Signature, ReadsOptionalOperandsAndPointers) {
  const Signature load = read_good(
      "(ptr: *T[S...], mask?: i1[S...], other?: T[S...]) #cache:string= #volatile:bool=false "
      "-> T[S...]");
  ASSERT_EQ(load.operand_count, 3);
  EXPECT_TRUE(load.operands[0].is_pointer_to);
  EXPECT_EQ(load.operands[0].element_letter, 'T');
  EXPECT_EQ(load.operands[0].variadic_letter, 'S');
  EXPECT_EQ(load.operands[1].arity, Arity::Optional);
  EXPECT_EQ(load.operands[1].scalar_set, 1U << static_cast<int>(Scalar::I1));
  EXPECT_EQ(load.operands[1].element_letter, '\0');
  ASSERT_EQ(load.attr_count, 2);
  EXPECT_TRUE(load.attrs[0].has_default);
  EXPECT_EQ(load.attrs[0].default_text, "");
  EXPECT_EQ(load.attrs[1].default_text, "false");
  ASSERT_EQ(load.result_count, 1);
  EXPECT_FALSE(load.results[0].is_pointer_to);
}

TEST(Signature, ReadsRegionsAndPacks) {
  const Signature loop = read_good(
      "(lower: I[], init*: T[S...]) {body: (I[], T[S...]*) -> T[S...]*} #stages:int=0 -> T[S...]*");
  EXPECT_EQ(loop.operands[1].arity, Arity::Pack);
  ASSERT_EQ(loop.region_count, 1);
  EXPECT_EQ(loop.regions[0].name, "body");
  ASSERT_EQ(loop.regions[0].argument_count, 2);
  EXPECT_EQ(loop.regions[0].arguments[0].arity, Arity::One);
  EXPECT_TRUE(loop.regions[0].arguments[0].is_scalar());
  EXPECT_EQ(loop.regions[0].arguments[1].arity, Arity::Pack);
  EXPECT_EQ(loop.results[0].arity, Arity::Pack);
}

TEST(Signature, ReadsDot) {
  const Signature dot = read_good(
      "(a: T[B...,M,K], b: T[B...,K,N], acc: A[B...,M,N]) "
      "#precision:enum(tf32|ieee|bf16x3)=ieee -> A[B...,M,N]");
  EXPECT_EQ(dot.operands[0].variadic_letter, 'B');
  ASSERT_EQ(dot.operands[0].extent_count, 2);
  EXPECT_EQ(dot.operands[0].extents[1].letter, 'K');
  EXPECT_EQ(dot.attrs[0].enumerators, "tf32|ieee|bf16x3");
  EXPECT_EQ(enumerator_index(dot.attrs[0].enumerators, "bf16x3"), 2);
  EXPECT_EQ(enumerator_index(dot.attrs[0].enumerators, "bf16"), -1);
  EXPECT_EQ(enumerator_name(dot.attrs[0].enumerators, 1), "ieee");
  EXPECT_EQ(enumerator_name(dot.attrs[0].enumerators, 3), "");
}

TEST(Signature, ReadsAPackedOperand) {
  const Signature scaled = read_good("(a: u8[M,K/2], scale: u8[M,K/32]) -> f32[M,K]");
  EXPECT_EQ(scaled.operands[0].extents[1].divisor, 2);
  EXPECT_EQ(scaled.operands[1].extents[1].divisor, 32);
  EXPECT_EQ(scaled.operands[0].extents[0].divisor, 1);
}

// Rows to come: the grammar must hold them before the table does.

TEST(SignatureToCome, AtomicCompareAndSwap) {
  const Signature cas = read_good(
      "(ptr: *{i32,u32,i64,u64}[S...], cmp: {i32,u32,i64,u64}[S...], val: {i32,u32,i64,u64}[S...]) "
      "#sem:enum(relaxed|acquire|release|acq_rel)=acq_rel #scope:enum(gpu|cta|sys)=gpu "
      "-> {i32,u32,i64,u64}[S...]");
  EXPECT_TRUE(cas.operands[0].is_pointer_to);
  EXPECT_EQ(cas.operands[0].element_class, ElementClass::Set);
  EXPECT_EQ(cas.operands[0].element_letter, ValuePattern::kSetLetter);
  EXPECT_EQ(cas.attrs[1].default_text, "gpu");
}

TEST(SignatureToCome, SplitHasALiteralExtentAndTwoResults) {
  const Signature split = read_good("(x: T[S...,2]) -> T[S...], T[S...]");
  ASSERT_EQ(split.operands[0].extent_count, 1);
  EXPECT_EQ(split.operands[0].extents[0].letter, '\0');
  EXPECT_EQ(split.operands[0].extents[0].literal, 2);
  EXPECT_EQ(split.result_count, 2);
}

TEST(SignatureToCome, InlineAssemblyHasAPackOfResults) {
  const Signature assembly = read_good(
      "(args*: T[S...]) #text:string #constraints:string #pure:bool=true #pack:int=1 -> A[S...]*");
  EXPECT_EQ(assembly.operands[0].arity, Arity::Pack);
  ASSERT_EQ(assembly.result_count, 1);
  EXPECT_EQ(assembly.results[0].arity, Arity::Pack);
  EXPECT_FALSE(assembly.attrs[0].has_default);
}

TEST(SignatureToCome, AsynchronousCopyHasBufferAndToken) {
  const Signature copy = read_good(
      "(dst: buffer<T[S...],shared>, src: *T[S...], mask?: i1[S...], after*: token) -> token");
  EXPECT_EQ(copy.operands[0].kind, ValueKind::Buffer);
  EXPECT_EQ(copy.operands[0].space, "shared");
  EXPECT_EQ(copy.operands[0].element_letter, 'T');
  EXPECT_EQ(copy.operands[0].variadic_letter, 'S');
  EXPECT_EQ(copy.operands[3].kind, ValueKind::Token);
  EXPECT_EQ(copy.operands[3].arity, Arity::Pack);
  EXPECT_EQ(copy.results[0].kind, ValueKind::Token);
}

TEST(SignatureToCome, DescriptorsBarriersAndARegionAWarpRole) {
  const Signature load =
      read_good("(desc: desc<T[S...]>, offsets*: i32[], done: barrier) -> T[S...]");
  EXPECT_EQ(load.operands[0].kind, ValueKind::Descriptor);
  EXPECT_EQ(load.operands[2].kind, ValueKind::Barrier);
  const Signature roles = read_good("(captures*: T[S...]) {role*: (T[S...]*) -> } -> ");
  EXPECT_EQ(roles.regions[0].arity, Arity::Pack);
  EXPECT_EQ(roles.regions[0].result_count, 0);
}

// Each mistake has its own error, at its column.

TEST(SignatureErrors, NameTheMistake) {
  EXPECT_EQ(error_of(""), SignatureError::ExpectedParenthesis);
  EXPECT_EQ(error_of("(: T[]) -> "), SignatureError::ExpectedName);
  EXPECT_EQ(error_of("(x T[]) -> "), SignatureError::ExpectedColon);
  EXPECT_EQ(error_of("(x: Q[]) -> "), SignatureError::UnknownElement);
  EXPECT_EQ(error_of("(x: f31[]) -> "), SignatureError::UnknownScalar);
  EXPECT_EQ(error_of("(x: {i32,float}[]) -> "), SignatureError::UnknownScalar);
  EXPECT_EQ(error_of("(x: {i32[]) -> "), SignatureError::ExpectedBrace);
  EXPECT_EQ(error_of("(x: T) -> "), SignatureError::ExpectedBracket);
  EXPECT_EQ(error_of("(x: T[s]) -> "), SignatureError::ExpectedExtent);
  EXPECT_EQ(error_of("(x: T[M,S...]) -> "), SignatureError::ExpectedExtent);
  EXPECT_EQ(error_of("(x: T[K/0]) -> "), SignatureError::ExpectedNumber);
  EXPECT_EQ(error_of("(x: T[A,B,C,D,E]) -> "), SignatureError::TooMany);
  EXPECT_EQ(error_of("(x: T[] y: T[]) -> "), SignatureError::ExpectedComma);
  EXPECT_EQ(error_of("(x: T[], x: T[]) -> "), SignatureError::DuplicateName);
  EXPECT_EQ(error_of("(x: buffer T[]) -> "), SignatureError::ExpectedAngle);
  EXPECT_EQ(error_of("(x: T[])"), SignatureError::ExpectedArrow);
  EXPECT_EQ(error_of("() #a:number -> "), SignatureError::UnknownAttrKind);
  EXPECT_EQ(error_of("() #a:int=x -> "), SignatureError::BadDefault);
  EXPECT_EQ(error_of("() #a:bool=no -> "), SignatureError::BadDefault);
  EXPECT_EQ(error_of("() #a:enum(x|y)=z -> "), SignatureError::BadDefault);
  EXPECT_EQ(error_of("() #a:int #a:int -> "), SignatureError::DuplicateName);
  EXPECT_EQ(error_of("(x: {i32}[], y: {i64}[]) -> "), SignatureError::SecondSet);
  EXPECT_EQ(error_of("() -> T[] T[]"), SignatureError::TrailingText);
}

TEST(SignatureErrors, KnowTheirColumn) {
  EXPECT_EQ(read_signature("(x: Q[]) -> ").column, 4);
  EXPECT_EQ(read_signature("(lhs: T[], rhs T[]) -> ").column, 15);
}

TEST(SignatureErrors, AreFoundDuringTheBuild) {
  static_assert(read_signature("(x: T[S...]) -> T[S...]").error == SignatureError::None);
  static_assert(read_signature("(x: T[S...) -> T[S...]").error == SignatureError::ExpectedBracket);
}

}  // namespace
}  // namespace tilery
