// Arrays as text, made, and compared.
#include "tools/array_text.h"
#include "tools/compare.h"
#include "tools/fill.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace tilery::tools {
namespace {

Buffer array(DType dtype, Extents shape, const std::vector<double>& values) {
  Result<Buffer> buffer = Buffer::zeros(dtype, std::move(shape));
  for (std::size_t i = 0; i < values.size(); ++i) {
    buffer->set_number(static_cast<std::int64_t>(i), values[i]);
  }
  return *buffer;
}

std::string element(DType dtype, double v) {
  return element_text(array(dtype, {1}, {v}), 0);
}

TEST(ElementText, has_the_fewest_digits_that_read_back) {
  EXPECT_EQ(element(DType::F32, 0.1), "0.1");
  EXPECT_EQ(element(DType::F32, 3), "3.");
  EXPECT_EQ(element(DType::F32, std::ldexp(1.0, -149)), "1e-45");
  EXPECT_EQ(element(DType::F32, INFINITY), "inf");
  EXPECT_EQ(element(DType::F32, -INFINITY), "-inf");
  EXPECT_EQ(element(DType::F32, NAN), "nan");
  EXPECT_EQ(element(DType::F32, -0.0), "-0.");
  EXPECT_EQ(element(DType::F64, 0.1), "0.1");
  // 0.1 in fp16 is 0.0999755859375; no shorter decimal but 0.1 rounds to it.
  EXPECT_EQ(element(DType::F16, 0.1), "0.1");
  EXPECT_EQ(element(DType::F16, 65504), "65504.");
  EXPECT_EQ(element(DType::BF16, 0.1), "0.1");
  EXPECT_EQ(element(DType::I8, -3), "-3");
  EXPECT_EQ(element(DType::I1, 1), "True");
  Result<Buffer> big = Buffer::zeros(DType::U64, {1});
  big->as<std::uint64_t>()[0] = UINT64_MAX;
  EXPECT_EQ(element_text(*big, 0), "18446744073709551615");
}

TEST(ArrayText, looks_like_numpy) {
  EXPECT_EQ(array_text(array(DType::F32, {2, 3}, {1, 2.5, -3, 0, 10, 6})),
            "[[ 1. 2.5 -3.]\n [ 0. 10.  6.]]");
  EXPECT_EQ(array_text(array(DType::I32, {2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8})),
            "[[[1 2]\n  [3 4]]\n\n [[5 6]\n  [7 8]]]");
  EXPECT_EQ(array_text(array(DType::I32, {}, {5})), "5");
  EXPECT_EQ(array_text(array(DType::F32, {0, 3}, {})), "[]");
}

TEST(ArrayText, long_arrays_are_summarised) {
  Result<Buffer> x = Buffer::zeros(DType::I32, {2000});
  x->set_number(1999, 7);
  EXPECT_EQ(array_text(*x), "[0 0 0 ... 0 0 7]");
  const std::string text = array_text(*Buffer::zeros(DType::I32, {100, 100}));
  EXPECT_EQ(text.substr(0, text.find('\n')), "[[0 0 0 ... 0 0 0]");
  EXPECT_NE(text.find("\n ...\n"), std::string::npos) << text;
}

TEST(ArrayText, long_rows_are_wrapped) {
  const std::string text = array_text(*Buffer::zeros(DType::I32, {100}));
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    EXPECT_LE(end - begin, 81U);
    begin = end + 1;
  }
}

TEST(ArrayText, elements_never_written_show) {
  Result<Buffer> x = Buffer::uninitialised(DType::F32, {3});
  x->set_number(1, 2);
  EXPECT_EQ(array_text(*x), "[ ? 2.  ?]");
  EXPECT_EQ(array_type_text(*x), "f32[3]");
}

// ---- compare ----

TEST(Compare, equal_arrays_have_no_mismatch) {
  const Buffer a = array(DType::F32, {3}, {1, NAN, -0.0});
  const Buffer b = array(DType::F32, {3}, {1, NAN, 0.0});
  EXPECT_FALSE(compare(a, b, {}).has_value());
  EXPECT_TRUE(compare(a, b, {0, 0, true}).has_value()) << "when signs of zeros count";
}

TEST(Compare, the_first_mismatch_is_described) {
  const Buffer a = array(DType::F32, {2, 2}, {1, 2, 3, 4});
  const Buffer b = array(DType::F32, {2, 2}, {1, 2, std::nextafter(3.0F, 4.0F), 5});
  const auto mismatch = compare(a, b, {});
  ASSERT_TRUE(mismatch.has_value());
  EXPECT_EQ(mismatch->index, 2);
  EXPECT_EQ(mismatch->count, 2);
  EXPECT_EQ(mismatch->ulps, 1U);
  EXPECT_EQ(
      mismatch_text(*mismatch, a.shape()),
      "element 2 [1, 0] is 3., expected 3.0000002 (1 ulps apart); 2 of 4 elements differ; "
      "largest differences: absolute 1 at element 3 [1, 1], relative 0.2 at element 3 [1, 1]");
}

TEST(Compare, an_element_never_written_differs_whatever_lies_there) {
  Result<Buffer> a = Buffer::uninitialised(DType::F32, {2, 2});
  a->set_number(0, 1);
  a->set_number(3, 5);
  Buffer b = array(DType::F32, {2, 2}, {1, 0, 0, 4});
  b.set_number(1, a->number(1));  // right by chance
  const Tolerance written{.needs_written = true};
  const auto mismatch = compare(*a, b, written);
  ASSERT_TRUE(mismatch.has_value());
  EXPECT_EQ(mismatch->index, 1);
  EXPECT_EQ(mismatch->count, 3);
  const std::string text = mismatch_text(*mismatch, a->shape());
  EXPECT_EQ(text.find("element 1 [0, 1] was never written, expected "), 0U) << text;
  EXPECT_TRUE(
      text.ends_with("; 3 of 4 elements differ, 2 of them never written; largest "
                     "differences: absolute 1 at element 3 [1, 1], relative 0.25 at "
                     "element 3 [1, 1]"))
      << text;
  EXPECT_FALSE(compare(*a, *a, {}).has_value()) << "unless it is asked for";
}

TEST(Compare, tolerances_are_numpys) {
  // |got - want| <= atol + rtol * |want|
  const Buffer a = array(DType::F64, {1}, {101});
  const Buffer b = array(DType::F64, {1}, {100});
  EXPECT_TRUE(compare(a, b, {0.009, 0}).has_value());
  EXPECT_FALSE(compare(a, b, {0.01, 0}).has_value());
  EXPECT_FALSE(compare(a, b, {0, 1}).has_value());
  EXPECT_TRUE(compare(array(DType::F64, {1}, {INFINITY}), b, {1e300, 1e300}).has_value());
}

TEST(Compare, a_finer_reference_is_rounded_first) {
  const Buffer got = array(DType::F16, {1}, {0.1});
  EXPECT_FALSE(compare(got, array(DType::F64, {1}, {0.1}), {}).has_value());
}

TEST(Compare, integers_are_exact_in_64_bits) {
  Result<Buffer> a = Buffer::zeros(DType::I64, {1});
  Result<Buffer> b = Buffer::zeros(DType::I64, {1});
  a->as<std::int64_t>()[0] = INT64_MAX;
  b->as<std::int64_t>()[0] = INT64_MAX - 1;
  EXPECT_TRUE(compare(*a, *b, {}).has_value()) << "the same as doubles";
  Result<Buffer> u = Buffer::zeros(DType::U64, {1});
  u->as<std::uint64_t>()[0] = UINT64_MAX;
  a->as<std::int64_t>()[0] = -1;
  EXPECT_TRUE(compare(*a, *u, {}).has_value()) << "the same bits, another number";
}

TEST(Compare, the_largest_differences_are_of_the_elements_that_differ) {
  // Within the tolerance: the first. Without a relative difference: an expected 0. No matter of
  // tolerance: NaN and infinity.
  const Buffer got = array(DType::F64, {6}, {100, 0.5, 12, 2, NAN, INFINITY});
  const Buffer want = array(DType::F64, {6}, {90, 0, 10, 1, 1, 1});
  const auto mismatch = compare(got, want, {0.12, 0});
  ASSERT_TRUE(mismatch && mismatch->absolute && mismatch->relative);
  EXPECT_EQ(mismatch->count, 5);
  EXPECT_EQ(mismatch->absolute->index, 2);
  EXPECT_EQ(mismatch->absolute->value, 2);
  EXPECT_EQ(mismatch->relative->index, 3);
  EXPECT_EQ(mismatch->relative->value, 1);
}

TEST(Compare, differences_of_wide_integers_are_exact) {
  Result<Buffer> a = Buffer::zeros(DType::I64, {1});
  Result<Buffer> b = Buffer::zeros(DType::I64, {1});
  a->as<std::int64_t>()[0] = INT64_MAX;
  b->as<std::int64_t>()[0] = INT64_MAX - 1;
  EXPECT_EQ(compare(*a, *b, {})->absolute->value, 1);
}

TEST(Compare, ulps_count_across_zero) {
  const Buffer a = array(DType::F32, {1}, {std::ldexp(1.0, -149)});
  const Buffer b = array(DType::F32, {1}, {-std::ldexp(1.0, -149)});
  EXPECT_EQ(compare(a, b, {})->ulps, 2U);
}

// ---- fill ----

Buffer made(FillValue::Kind kind, DType dtype, std::int64_t n, std::uint64_t seed = 0,
            const char* name = "x") {
  FillValue fill;
  fill.kind = kind;
  fill.dtype = dtype;
  fill.low = -2;
  fill.high = 3;
  return *make_array(fill, {n}, seed, name);
}

TEST(Fill, random_numbers_depend_on_seed_and_name_only) {
  const Buffer a = made(FillValue::Kind::Randn, DType::F32, 100);
  EXPECT_FALSE(compare(a, made(FillValue::Kind::Randn, DType::F32, 100), {}).has_value());
  EXPECT_TRUE(compare(a, made(FillValue::Kind::Randn, DType::F32, 100, 1), {}).has_value());
  EXPECT_TRUE(compare(a, made(FillValue::Kind::Randn, DType::F32, 100, 0, "y"), {}).has_value());
}

TEST(Fill, uniform_numbers_never_round_to_one) {
  for (const DType dtype : {DType::F8E5, DType::F16, DType::BF16, DType::F32, DType::F64}) {
    const Buffer x = made(FillValue::Kind::Rand, dtype, 20000);
    for (std::int64_t i = 0; i < x.numel(); ++i) {
      ASSERT_GE(x.number(i), 0.0) << name(dtype);
      ASSERT_LT(x.number(i), 1.0) << name(dtype);
    }
  }
}

TEST(Fill, normal_numbers_have_their_mean_and_deviation) {
  const Buffer x = made(FillValue::Kind::Randn, DType::F64, 40000);
  double sum = 0;
  double squares = 0;
  for (std::int64_t i = 0; i < x.numel(); ++i) {
    sum += x.number(i);
    squares += x.number(i) * x.number(i);
  }
  // The mean of 40,000 has deviation 1/200; five of them are far.
  EXPECT_NEAR(sum / 40000, 0, 0.025);
  EXPECT_NEAR(squares / 40000, 1, 0.04);
}

TEST(Fill, randint_covers_its_range_without_the_end) {
  const Buffer x = made(FillValue::Kind::Randint, DType::I32, 1000);
  std::vector<int> seen(5);
  for (std::int64_t i = 0; i < x.numel(); ++i) {
    ASSERT_GE(x.number(i), -2);
    ASSERT_LT(x.number(i), 3);
    ++seen[static_cast<std::size_t>(x.number(i) + 2)];
  }
  for (const int count : seen) {
    EXPECT_GT(count, 100);
  }
}

TEST(Fill, arange_must_fit_its_type) {
  FillValue fill;
  fill.kind = FillValue::Kind::Arange;
  fill.dtype = DType::I8;
  EXPECT_TRUE(make_array(fill, {128}, 0, "x"));
  const Result<Buffer> made = make_array(fill, {129}, 0, "x");
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().message, "arange: counts to 128, which does not fit i8");
}

TEST(Fill, the_plain_ones) {
  EXPECT_EQ(array_text(made(FillValue::Kind::Arange, DType::I32, 4)), "[0 1 2 3]");
  EXPECT_EQ(array_text(made(FillValue::Kind::Ones, DType::F16, 2)), "[1. 1.]");
  EXPECT_EQ(array_text(made(FillValue::Kind::Empty, DType::F32, 2)), "[? ?]");
}

}  // namespace
}  // namespace tilery::tools
