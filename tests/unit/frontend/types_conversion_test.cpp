// Casts, decay, broadcasting and subscripts.
#include "tests/unit/frontend/types_fixture.h"

namespace tilery::sema {
namespace {

class Casts : public ::testing::Test {
 protected:
  std::string to(const Type& from, ElementType target, std::optional<std::string> rounding = {},
                 bool bitcast = false) {
    const Value x = sema_.value(from);
    const MaybeTensor result = cast(sema_, *x.as<Tensor>(), target, {}, rounding, bitcast);
    return sema_.text(result ? MaybeValue(Value{*result}) : std::nullopt);
  }

  FakeSema sema_;
  ElementType pointer_{Scalar::F32, 1};
};

TEST_F(Casts, NumbersConvertToEachOther) {
  for (const Scalar from : {Scalar::I1, Scalar::I8, Scalar::U64, Scalar::F16, Scalar::F64}) {
    for (const Scalar target : {Scalar::I1, Scalar::I32, Scalar::U8, Scalar::BF16, Scalar::F32}) {
      EXPECT_EQ(to(Type(from, Shape{4}), target), std::string(language_name(target)) + "[4]");
    }
  }
}

TEST_F(Casts, Pointers) {
  EXPECT_EQ(to(pointer_, Scalar::I64), "int64");
  EXPECT_EQ(to(pointer_, Scalar::U64), "uint64");
  EXPECT_EQ(to(pointer_, Scalar::I1), "int1");
  EXPECT_EQ(to(pointer_, Scalar::I32), "CannotCast");
  EXPECT_EQ(to(pointer_, Scalar::F32), "CannotCast");
  EXPECT_EQ(to(pointer_, ElementType(Scalar::I8, 1)), "pointer<int8>");
  EXPECT_EQ(to(Scalar::I64, pointer_), "pointer<fp32>");
  EXPECT_EQ(to(Scalar::F32, pointer_), "CannotCast");
}

TEST_F(Casts, Bitcasts) {
  EXPECT_EQ(to(Scalar::F32, Scalar::I32, {}, true), "int32");
  EXPECT_EQ(to(Scalar::U16, Scalar::BF16, {}, true), "bf16");
  EXPECT_EQ(to(Scalar::F32, Scalar::I64, {}, true), "BitcastWidth");
  EXPECT_EQ(to(Scalar::I1, Scalar::I8, {}, true), "BitcastWidth");
  // Pointers fall back to the conversion by value.
  EXPECT_EQ(to(pointer_, Scalar::I64, {}, true), "int64");
}

TEST_F(Casts, RoundingModes) {
  EXPECT_EQ(to(Scalar::F32, Scalar::F16, "rtz"), "fp16");
  EXPECT_EQ(to(Scalar::F32, Scalar::F16, "rtne"), "fp16");
  EXPECT_EQ(to(Scalar::F32, Scalar::F16, "up"), "RoundingMode");
  EXPECT_EQ(to(Scalar::F16, Scalar::F32, "rtz"), "RoundingMode");
  EXPECT_EQ(to(Scalar::F32, Scalar::I32, "rtz"), "RoundingMode");
  // The same type is no conversion, and then nothing is checked.
  EXPECT_EQ(to(Scalar::F32, Scalar::F32, "up"), "fp32");
}

TEST_F(Casts, Fp8) {
  EXPECT_EQ(to(Scalar::F32, Scalar::F8E5), "fp8e5");
  EXPECT_EQ(to(Scalar::F8E4NV, Scalar::F16), "fp16");
  EXPECT_EQ(to(Scalar::I32, Scalar::F8E5), "CannotCast");
}

TEST(Decay, NumbersBecomeTensorsAndTuplesFollow) {
  FakeSema sema;
  EXPECT_EQ(sema.text(decay(sema, number(2.0), {})), "fp32");
  EXPECT_EQ(sema.text(decay(sema, Value{true}, {})), "int1");
  EXPECT_EQ(sema.text(decay(sema, tuple({number(2.0), dtype(Scalar::I8), none()}), {})),
            "tuple (fp32, the type int8, None)");
  EXPECT_EQ(sema.text(decay(sema, Value{std::string("text")}, {})), "CannotBecomeTensor");
}

TEST(Full, ValuesAreMadeInTheTypeItself) {
  FakeSema sema;
  const auto bits = [&](const Value& value, Scalar scalar) {
    const MaybeValue made =
        sema.call_named("tl.full", {tuple({number(std::int64_t{4})}), value, dtype(scalar)});
    return made ? sema.function().constant_bits(made->as<Tensor>()->id) : std::nullopt;
  };
  EXPECT_EQ(bits(number(1.7), Scalar::I32), 1);
  EXPECT_EQ(bits(number(-1.7), Scalar::I32), 0xFFFFFFFF);
  EXPECT_EQ(bits(number(0.1), Scalar::F64), 0x3FB999999999999A);
  EXPECT_EQ(bits(number(std::int64_t{7}), Scalar::I1), 1);
  EXPECT_EQ(bits(number(std::int64_t{-1}), Scalar::U8), std::nullopt);
  EXPECT_EQ(bits(number(1e300), Scalar::F32), 0x7F800000);
}

class Broadcasts : public ::testing::Test {
 protected:
  std::string sum(std::initializer_list<std::int64_t> a, std::initializer_list<std::int64_t> b) {
    const MaybeValue result = binary_operator(
        sema_, ast::BinaryOp::Add, sema_.block(Scalar::I32, a), sema_.block(Scalar::I32, b), {});
    return sema_.text(result);
  }

  FakeSema sema_;
};

TEST_F(Broadcasts, PadOnTheLeftAndRepeatOnes) {
  EXPECT_EQ(sum({8}, {8}), "int32[8]");
  EXPECT_EQ(sum({}, {8}), "int32[8]");
  EXPECT_EQ(sum({4, 8}, {8}), "int32[4, 8]");
  EXPECT_EQ(sum({8}, {4, 8}), "int32[4, 8]");
  EXPECT_EQ(sum({4, 1}, {1, 8}), "int32[4, 8]");
  EXPECT_EQ(sum({1}, {48}), "int32[48]");
  EXPECT_EQ(sum({2, 1, 8}, {4, 1}), "int32[2, 4, 8]");
  EXPECT_EQ(sum({4, 8}, {4}), "ShapesDoNotBroadcast");
  EXPECT_EQ(sum({2048, 1}, {1, 1024}), "BlockTooLarge");
}

TEST_F(Broadcasts, BroadcastToKeepsTheRank) {
  const auto to = [&](std::initializer_list<std::int64_t> from, const Shape& shape) {
    const Value x = sema_.block(Scalar::F32, from);
    const MaybeTensor result = broadcast_to(sema_, *x.as<Tensor>(), shape, {});
    return sema_.text(result ? MaybeValue(Value{*result}) : std::nullopt);
  };
  EXPECT_EQ(to({}, Shape{4, 8}), "fp32[4, 8]");
  EXPECT_EQ(to({4, 1}, Shape{4, 8}), "fp32[4, 8]");
  EXPECT_EQ(to({8}, Shape{4, 8}), "BroadcastRank");
  EXPECT_EQ(to({2, 8}, Shape{4, 8}), "BroadcastExtent");
}

class Subscripts : public ::testing::Test {
 protected:
  /// "N:" means x[None, :].
  std::string index(const Value& x, std::string_view what) {
    std::vector<SubscriptIndex> indices;
    for (const char c : what) {
      SubscriptIndex entry;
      entry.kind = c == 'N'   ? SubscriptIndex::Kind::None
                   : c == ':' ? SubscriptIndex::Kind::FullSlice
                   : c == '.' ? SubscriptIndex::Kind::Ellipsis
                              : SubscriptIndex::Kind::Value;
      entry.value = number(std::int64_t{c - '0'});
      indices.push_back(entry);
    }
    return sema_.text(subscript(sema_, x, indices, {}, {}));
  }

  FakeSema sema_;
};

TEST_F(Subscripts, NewAxes) {
  const Value x = sema_.block(Scalar::I32, {4, 8});
  EXPECT_EQ(index(x, "N"), "int32[1, 4, 8]");
  EXPECT_EQ(index(x, ":N"), "int32[4, 1, 8]");
  EXPECT_EQ(index(x, ":N:"), "int32[4, 1, 8]");
  EXPECT_EQ(index(x, "::N"), "int32[4, 8, 1]");
  EXPECT_EQ(index(x, "N:N:N"), "int32[1, 4, 1, 8, 1]");
  EXPECT_EQ(index(x, ":"), "int32[4, 8]");
  EXPECT_EQ(index(x, ":::"), "SubscriptTooLong");
  EXPECT_EQ(index(x, "3"), "SubscriptNotSupported");
  EXPECT_EQ(index(x, "."), "SubscriptNotSupported");
}

TEST_F(Subscripts, Scalars) {
  const Value x = sema_.value(Scalar::I32);
  EXPECT_EQ(index(x, "N"), "int32[1]");
  EXPECT_EQ(index(x, "NN"), "int32[1, 1]");
  EXPECT_EQ(index(x, ":N"), "SubscriptTooLong");
}

TEST_F(Subscripts, Tuples) {
  const Value t = tuple({number(std::int64_t{5}), number(std::int64_t{6})});
  EXPECT_EQ(index(t, "1"), "int 6");
  EXPECT_EQ(index(t, "2"), "IndexOutOfRange");
  EXPECT_EQ(index(t, ":"), "tuple (int 5, int 6)");
  EXPECT_EQ(index(t, "11"), "NotSubscriptable");
  EXPECT_EQ(index(number(1.0), "1"), "NotSubscriptable");
}

TEST_F(Subscripts, SlicesOfTuplesAsInPython) {
  const Value t = tuple({number(std::int64_t{0}), number(std::int64_t{1}), number(std::int64_t{2}),
                         number(std::int64_t{3})});
  const auto slice = [&](std::optional<std::int64_t> begin, std::optional<std::int64_t> end,
                         std::optional<std::int64_t> step) {
    const auto part = [](std::optional<std::int64_t> x) {
      return x ? std::optional(number(*x)) : std::nullopt;
    };
    SubscriptIndex entry;
    entry.kind = SubscriptIndex::Kind::Slice;
    entry.begin = part(begin);
    entry.end = part(end);
    entry.step = part(step);
    return sema_.text(subscript(sema_, t, std::span(&entry, 1), {}, {}));
  };
  EXPECT_EQ(slice(1, 3, {}), "tuple (int 1, int 2)");
  EXPECT_EQ(slice(-2, {}, {}), "tuple (int 2, int 3)");
  EXPECT_EQ(slice({}, -1, {}), "tuple (int 0, int 1, int 2)");
  EXPECT_EQ(slice({}, {}, -1), "tuple (int 3, int 2, int 1, int 0)");
  EXPECT_EQ(slice(3, 0, -2), "tuple (int 3, int 1)");
  EXPECT_EQ(slice(-9, 9, 3), "tuple (int 0, int 3)");
  EXPECT_EQ(slice(3, 1, {}), "tuple ()");
}

}  // namespace
}  // namespace tilery::sema
