#include "tests/unit/interpreter/kernel_reference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace tilery::interpreter {
namespace {

template <class T>
class KernelMemoryTest : public ::testing::Test {
 protected:
  static constexpr std::size_t kCount = 203;
  static constexpr std::int64_t kWidth = sizeof(T);

  KernelMemoryTest() : memory_(4 * kCount), mask_(kCount), offsets_(kCount) {
    for (std::size_t i = 0; i < memory_.size(); ++i) {
      memory_[i] = static_cast<T>(i * 7 + 1);
    }
    // Long stretches of each kind, then a mix.
    for (std::size_t i = 0; i < kCount; ++i) {
      mask_[i] = i < 80 || (i >= 120 && i % 3 != 0) ? 1 : 0;
      offsets_[i] = static_cast<std::int64_t>((i * 37) % memory_.size()) * kWidth;
    }
  }

  [[nodiscard]] const std::byte* base() const {
    return reinterpret_cast<const std::byte*>(memory_.data());
  }

  std::vector<T> memory_;
  std::vector<std::uint8_t> mask_;
  std::vector<std::int64_t> offsets_;
};

using CellTypes = ::testing::Types<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(KernelMemoryTest, CellTypes);

TYPED_TEST(KernelMemoryTest, LoadsTakeOtherWhereTheMaskIsFalse) {
  using T = TypeParam;
  const std::size_t n = this->kCount;
  std::vector<T> others(n);
  std::iota(others.begin(), others.end(), T(100));
  for (const Kernels* set : all_levels()) {
    for (const std::int64_t stride : {1, 3, 0}) {
      for (const Operand other :
           {Operand{}, Operand{others.data(), true}, Operand{others.data(), false}}) {
        std::vector<T> out(n);
        set->memory(sizeof(T)).load_strided(out.data(), this->base(), stride * this->kWidth,
                                            this->mask_.data(), other, n);
        for (std::size_t i = 0; i < n; ++i) {
          const T off = other.data == nullptr ? T(0) : others[other.is_splat ? 0 : i];
          const T on = this->memory_[i * static_cast<std::size_t>(stride)];
          ASSERT_EQ(out[i], this->mask_[i] != 0 ? on : off) << "stride " << stride << " lane " << i;
        }
      }
    }
  }
}

TYPED_TEST(KernelMemoryTest, LoadsGoBackwardsToo) {
  using T = TypeParam;
  for (const Kernels* set : all_levels()) {
    std::vector<T> out(5);
    const std::byte* last = this->base() + (9 * this->kWidth);
    set->memory(sizeof(T)).load_strided(out.data(), last, -2 * this->kWidth, nullptr, {}, 5);
    for (std::size_t i = 0; i < 5; ++i) {
      EXPECT_EQ(out[i], this->memory_[9 - (2 * i)]);
    }
  }
}

TYPED_TEST(KernelMemoryTest, StoresLeaveMaskedOffCellsAlone) {
  using T = TypeParam;
  const std::size_t n = this->kCount;
  const std::vector<T> values = interesting<T>(n, 5);
  for (const Kernels* set : all_levels()) {
    for (const std::int64_t stride : {1, 2}) {
      for (const bool is_splat : {false, true}) {
        for (const bool is_masked : {false, true}) {
          std::vector<T> memory = this->memory_;
          set->memory(sizeof(T)).store_strided(
              reinterpret_cast<std::byte*>(memory.data()), stride * this->kWidth,
              is_masked ? this->mask_.data() : nullptr, {values.data(), is_splat}, n);
          std::vector<T> want = this->memory_;
          for (std::size_t i = 0; i < n; ++i) {
            if (!is_masked || this->mask_[i] != 0) {
              want[i * static_cast<std::size_t>(stride)] = values[is_splat ? 0 : i];
            }
          }
          ASSERT_EQ(memory, want);
        }
      }
    }
  }
}

TYPED_TEST(KernelMemoryTest, GatherAndScatterFollowTheOffsets) {
  using T = TypeParam;
  const std::size_t n = this->kCount;
  for (const Kernels* set : all_levels()) {
    for (const bool is_masked : {false, true}) {
      const std::uint8_t* mask = is_masked ? this->mask_.data() : nullptr;
      std::vector<T> out(n);
      set->memory(sizeof(T)).gather(out.data(), this->base(), this->offsets_.data(), mask, {}, n);
      std::vector<T> memory(this->memory_.size());
      set->memory(sizeof(T)).scatter(reinterpret_cast<std::byte*>(memory.data()),
                                     this->offsets_.data(), mask, {out.data(), false}, n);
      for (std::size_t i = 0; i < n; ++i) {
        const bool is_on = !is_masked || this->mask_[i] != 0;
        const auto at = static_cast<std::size_t>(this->offsets_[i] / this->kWidth);
        ASSERT_EQ(out[i], is_on ? this->memory_[at] : T(0));
        ASSERT_EQ(memory[at], is_on ? this->memory_[at] : T(0));
      }
    }
  }
}

TYPED_TEST(KernelMemoryTest, ScatterKeepsTheHighestLane) {
  using T = TypeParam;
  const std::vector<std::int64_t> offsets = {0, this->kWidth, 0};
  const std::vector<T> values = {1, 2, 3};
  for (const Kernels* set : all_levels()) {
    std::vector<T> memory(2);
    set->memory(sizeof(T)).scatter(reinterpret_cast<std::byte*>(memory.data()), offsets.data(),
                                   nullptr, {values.data(), false}, 3);
    EXPECT_EQ(memory, (std::vector<T>{3, 2}));
  }
}

TYPED_TEST(KernelMemoryTest, FillAndTranspose) {
  using T = TypeParam;
  for (const Kernels* set : all_levels()) {
    const T value = 42;
    std::vector<T> filled(this->kCount + 1, T(1));
    set->memory(sizeof(T)).fill(filled.data(), &value, this->kCount);
    EXPECT_EQ(std::count(filled.begin(), filled.end(), value),
              static_cast<std::ptrdiff_t>(this->kCount));
    EXPECT_EQ(filled.back(), T(1));

    std::vector<T> out(7 * 29);
    set->memory(sizeof(T)).transpose(out.data(), this->memory_.data(), 7, 29);
    for (std::size_t r = 0; r < 7; ++r) {
      for (std::size_t c = 0; c < 29; ++c) {
        ASSERT_EQ(out[(c * 7) + r], this->memory_[(r * 29) + c]);
      }
    }
  }
}

TEST(KernelRangeTest, IotaWraps) {
  for (const Kernels* set : all_levels()) {
    std::vector<std::int32_t> out(100);
    set->iota_i32(out.data(), -5, 3, out.size());
    EXPECT_EQ(out[0], -5);
    EXPECT_EQ(out[99], -5 + (3 * 99));
    set->iota_i32(out.data(), 2147483647, 1, 2);
    EXPECT_EQ(out[1], -2147483648);
    std::vector<std::int64_t> wide(33);
    set->iota_i64(wide.data(), std::int64_t{1} << 40, -4, wide.size());
    EXPECT_EQ(wide[32], (std::int64_t{1} << 40) - 128);
  }
}

TEST(KernelRangeTest, BoundsAreHalfOpenAndLookOnlyAtTheMask) {
  std::vector<std::int64_t> values(100, 5);
  std::vector<std::uint8_t> mask(100, 1);
  for (const Kernels* set : all_levels()) {
    EXPECT_TRUE(set->all_within(values.data(), nullptr, 5, 6, 100));
    EXPECT_FALSE(set->all_within(values.data(), nullptr, 6, 9, 100));
    EXPECT_FALSE(set->all_within(values.data(), nullptr, 0, 5, 100));
    values[77] = -1;
    EXPECT_FALSE(set->all_within(values.data(), mask.data(), 0, 10, 100));
    mask[77] = 0;
    EXPECT_TRUE(set->all_within(values.data(), mask.data(), 0, 10, 100));
    EXPECT_EQ(set->count_true(mask.data(), 100), 99U);
    values[77] = 5;
    mask[77] = 1;
  }
}

// ---- numeric events ----

std::vector<std::uint8_t> events_of(const Kernels& set, Op op, const std::vector<float>& a,
                                    const std::vector<float>& b) {
  const Operand in[] = {{a.data(), false}, {b.data(), b.size() == 1}};
  std::vector<float> out(a.size());
  set.map(op, Scalar::F32)(out.data(), in, a.size());
  std::vector<std::uint8_t> events(a.size());
  const std::size_t first =
      set.map_events(op, Scalar::F32)(out.data(), in, a.size(), events.data());
  const auto found =
      std::find_if(events.begin(), events.end(), [](std::uint8_t e) { return e != 0; });
  EXPECT_EQ(first, static_cast<std::size_t>(found - events.begin()));
  return events;
}

TEST(KernelEventTest, NamesWhatNumPyNames) {
  // As numpy.errstate(all="warn") reports these operations on float32.
  const std::vector<std::uint8_t> division = {kNoEvent,  kDivideByZero, kInvalid,
                                              kOverflow, kNoEvent,      kNoEvent};
  const std::vector<std::uint8_t> logarithm = {kDivideByZero, kInvalid, kNoEvent, kNoEvent};
  for (const Kernels* set : all_levels()) {
    EXPECT_EQ(events_of(*set, Op::Exp, {88.0F, 89.0F, INFINITY, -1000.0F, NAN}, {0}),
              (std::vector<std::uint8_t>{kNoEvent, kOverflow, kNoEvent, kNoEvent, kNoEvent}));
    EXPECT_EQ(events_of(*set, Op::Div, {1.0F, -1.0F, 0.0F, 1e38F, INFINITY, NAN},
                        {2.0F, 0.0F, 0.0F, 1e-38F, 0.0F, 0.0F}),
              division);
    EXPECT_EQ(events_of(*set, Op::Log, {0.0F, -1.0F, INFINITY, 1.0F}, {0}), logarithm);
    EXPECT_EQ(events_of(*set, Op::Sub, {INFINITY, 3e38F, 1.0F}, {INFINITY, -3e38F, 1.0F}),
              (std::vector<std::uint8_t>{kInvalid, kOverflow, kNoEvent}));
    EXPECT_EQ(events_of(*set, Op::Mul, {0.0F, 1e30F}, {INFINITY, 1e30F}),
              (std::vector<std::uint8_t>{kInvalid, kOverflow}));
    EXPECT_EQ(events_of(*set, Op::Sqrt, {-1.0F, 4.0F}, {0}),
              (std::vector<std::uint8_t>{kInvalid, kNoEvent}));
    EXPECT_EQ(set->map_events(Op::Maximum, Scalar::F32), nullptr);
  }
}

TEST(KernelEventTest, CastsReportWhatDoesNotFit) {
  const std::vector<float> values = {1.0F, 127.9F, 128.0F, -128.9F, -129.0F, NAN, INFINITY, 1e5F};
  const Operand in{values.data(), false};
  for (const Kernels* set : all_levels()) {
    std::vector<std::uint8_t> events(values.size());
    set->cast_events(Scalar::F32, Scalar::I8)(nullptr, &in, values.size(), events.data());
    EXPECT_EQ(events, (std::vector<std::uint8_t>{0, 0, kInvalid, 0, kInvalid, kInvalid, kInvalid,
                                                 kInvalid}));
    std::vector<std::uint16_t> halves(values.size());
    set->cast(Scalar::F32, Scalar::F16)(halves.data(), &in, values.size());
    const std::size_t first = set->cast_events(Scalar::F32, Scalar::F16)(
        halves.data(), &in, values.size(), events.data());
    EXPECT_EQ(first, 7U);
    EXPECT_EQ(events[7], kOverflow);
    EXPECT_EQ(set->cast_events(Scalar::F32, Scalar::F64), nullptr);
  }
}

TEST(KernelEventTest, ReductionsReportTheirResult) {
  const std::vector<float> x = {3e38F, 3e38F, INFINITY, -INFINITY, 1.0F, 2.0F, NAN, 1.0F};
  const AxisView view{4, 2, 1};
  for (const Kernels* set : all_levels()) {
    std::vector<float> sums(4);
    std::vector<std::byte> scratch(reduce_scratch_bytes(Scalar::F32, view));
    set->reduce(ReduceOp::Sum, Scalar::F32)(sums.data(), x.data(), view, scratch.data());
    std::vector<std::uint8_t> events(4);
    EXPECT_EQ(set->reduce_events(Scalar::F32)(sums.data(), x.data(), view, events.data()), 0U);
    EXPECT_EQ(events, (std::vector<std::uint8_t>{kOverflow, kInvalid, kNoEvent, kNoEvent}));
  }
}

TEST(KernelEventTest, GuardSeesEveryNonfiniteLane) {
  for (const Kernels* set : all_levels()) {
    std::vector<float> x(131, 3.4e38F);
    EXPECT_FALSE(set->has_nonfinite(Scalar::F32)(x.data(), x.size()));
    for (const std::size_t at : {std::size_t{0}, std::size_t{63}, std::size_t{130}}) {
      x[at] = -INFINITY;
      EXPECT_TRUE(set->has_nonfinite(Scalar::F32)(x.data(), x.size()));
      x[at] = NAN;
      EXPECT_TRUE(set->has_nonfinite(Scalar::F32)(x.data(), x.size()));
      x[at] = 0.0F;
    }
    EXPECT_FALSE(set->has_nonfinite(Scalar::F32)(x.data(), 0));
    const std::vector<std::uint16_t> halves = {0x7BFF, 0x7C00};
    EXPECT_TRUE(set->has_nonfinite(Scalar::F16)(halves.data(), 2));
    EXPECT_FALSE(set->has_nonfinite(Scalar::BF16)(halves.data(), 1));
    EXPECT_EQ(set->has_nonfinite(Scalar::I32), nullptr);
  }
}

}  // namespace
}  // namespace tilery::interpreter
