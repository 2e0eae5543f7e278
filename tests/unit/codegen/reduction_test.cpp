// Plans of reductions, carried out on all threads: every thread must end with the declared tree of
// its elements, whatever the layout. And their cost, counted by hand.
#include "codegen/layout/reduction.h"

#include "plan_run.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <initializer_list>
#include <random>

namespace tilery::codegen {
namespace {

/// The declared tree over the elements of one line of the axis.
FoldValue halving_tree(std::vector<FoldValue> x, const Combine& combine) {
  while (x.size() > 1) {
    const std::size_t half = std::bit_ceil(x.size()) / 2;
    for (std::size_t i = 0; i + half < x.size(); ++i) {
      x[i] = combine(x[i], x[i + half]);
    }
    x.resize(half);
  }
  return x[0];
}

/// Row-major number of the element at `k` along the axis, of the line of result element `place`.
std::int64_t number_on_line(const Shape& shape, int axis, const Coordinates& place, int k) {
  std::int64_t number = 0;
  for (int i = 0; i < shape.rank(); ++i) {
    number = number * shape[i] + (i == axis ? k : place[i < axis ? i : i - 1]);
  }
  return number;
}

void expect_folds(const Layout& layout, int axis, const FoldTraits& traits, const Combine& combine,
                  const std::function<FoldValue(std::int64_t)>& leaf) {
  const ReductionPlan plan = plan_reduction(layout, axis, traits);
  const Layout slice = slice_layout(layout, axis);
  ASSERT_EQ(static_cast<int>(plan.results.size()), slice.registers());
  ThreadValues results = ReductionRun(plan, operand_values(layout, leaf), combine).run();
  std::map<std::int64_t, FoldValue> expected;
  results.for_each([&](int lane, int warp, const ThreadValues::Values& own) {
    for (int reg = 0; reg < slice.registers(); ++reg) {
      const auto [entry, is_new] =
          expected.try_emplace(slice.element_number(reg, lane, warp), FoldValue{});
      if (is_new) {
        std::vector<FoldValue> line;
        for (int k = 0; k < layout.shape()[axis]; ++k) {
          line.push_back(
              leaf(number_on_line(layout.shape(), axis, slice.element(reg, lane, warp), k)));
        }
        entry->second = halving_tree(line, combine);
      }
      ASSERT_EQ(own[reg], entry->second)
          << "register " << reg << " lane " << lane << " warp " << warp;
    }
  });
}

/// The axis folds in the declared tree and, if the order is free, with every element once.
void expect_correct(const Layout& layout, int axis, int bytes = 4) {
  SCOPED_TRACE(fmt::format("{} {} axis {}", layout.shape().str(), layout.str(), axis));
  Expressions expressions;
  const auto number = [](std::int64_t element) { return static_cast<FoldValue>(element); };
  expect_folds(
      layout, axis, {false, false, bytes, bytes},
      [&](FoldValue left, FoldValue right) { return expressions.combine(left, right); }, number);
  // A sum of random numbers sees each element's count.
  const auto weight = [](std::int64_t element) {
    return std::mt19937_64(static_cast<std::uint64_t>(element))();
  };
  const Combine add = [](FoldValue left, FoldValue right) { return left + right; };
  expect_folds(layout, axis, {true, false, bytes, bytes}, add, weight);
  expect_folds(layout, axis, {true, true, bytes, bytes}, add, weight);
}

Layout rows(std::initializer_list<std::int64_t> shape, int per_thread, int warps) {
  std::vector<int> order;
  for (int axis = static_cast<int>(shape.size()) - 1; axis >= 0; --axis) {
    order.push_back(axis);
  }
  return blocked_layout(Shape(shape), order, per_thread, warps);
}

TEST(ReductionPlan, OneAxisOverRegistersLanesAndWarps) {
  for (const int warps : {1, 4, 16}) {
    for (const int per_thread : {1, 4, 8}) {
      for (const std::int64_t extent : {1, 16, 256, 2048}) {
        expect_correct(rows({extent}, per_thread, warps), 0);
      }
    }
  }
}

TEST(ReductionPlan, AsManyWarpsAsLanes) {
  expect_correct(rows({2048}, 2, 32), 0);
  expect_correct(rows({2, 1024}, 1, 32), 1);
  expect_correct(rows({64, 4}, 4, 32), 0);
}

TEST(ReductionPlan, ExtentsThatAreNoPowersOfTwo) {
  for (const std::int64_t extent : {3, 5, 7, 12, 96, 100, 176, 1000, 1536}) {
    expect_correct(rows({extent}, 4, 4), 0);
    expect_correct(rows({extent, 6}, 2, 2), 0);
    expect_correct(rows({extent, 6}, 2, 2), 1);
  }
}

TEST(ReductionPlan, EitherAxisOfAMatrix) {
  for (const int warps : {1, 8}) {
    for (const auto& [m, n] : {std::pair{64, 64}, {4, 512}, {512, 4}, {1, 128}, {48, 40}}) {
      for (const int per_thread : {1, 4}) {
        for (const int axis : {0, 1}) {
          expect_correct(rows({m, n}, per_thread, warps), axis);
          const std::array order{0, 1};
          expect_correct(blocked_layout(Shape({m, n}), order, per_thread, warps), axis);
        }
      }
    }
  }
}

TEST(ReductionPlan, ThreeAxesAndSlices) {
  const Layout cube = rows({4, 8, 16}, 2, 4);
  const Layout ragged = rows({3, 10, 24}, 4, 8);
  for (const int axis : {0, 1, 2}) {
    expect_correct(cube, axis);
    expect_correct(ragged, axis);
    for (const int other : {0, 1}) {
      expect_correct(slice_layout(cube, axis), other);
      expect_correct(slice_layout(ragged, axis), other);
    }
  }
}

TEST(ReductionPlan, MmaFragments) {
  for (const int axis : {0, 1}) {
    expect_correct(mma_accumulator_layout(Shape({64, 64}), 4, 1), axis);
    expect_correct(mma_accumulator_layout(Shape({64, 128}), 2, 4), axis);
    expect_correct(mma_accumulator_layout(Shape({16, 256}), 1, 8), axis);
    expect_correct(mma_a_layout(Shape({32, 64}), 16, 2, 2), axis);
    expect_correct(mma_b_layout(Shape({64, 32}), 16, 2, 2), axis);
  }
}

/// Any layout: places are random sums of index bits, with copies.
Layout random_layout(std::mt19937& random, const Shape& shape, int warp_bits) {
  int bits = 0;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    bits += std::countr_zero(static_cast<std::uint64_t>(shape[axis]));
  }
  const auto any = [&] { return static_cast<std::uint32_t>(random()) & ((1U << bits) - 1); };
  std::vector<std::uint32_t> threads(static_cast<std::size_t>(kLaneBits + warp_bits));
  for (std::uint32_t& base : threads) {
    base = random() % 4 == 0 ? 0 : any();
  }
  Layout::Bases bases;
  bases[1].assign(threads.begin(), threads.begin() + kLaneBits);
  bases[2].assign(threads.begin() + kLaneBits, threads.end());
  // Registers hold what is missing, and sometimes what threads hold as well.
  std::vector<std::uint32_t> reached{0};
  const auto reach = [&](std::uint32_t base) {
    if (std::find(reached.begin(), reached.end(), base) == reached.end()) {
      const std::size_t size = reached.size();
      for (std::size_t i = 0; i < size; ++i) {
        reached.push_back(reached[i] ^ base);
      }
      return true;
    }
    return false;
  };
  while (random() % 2 == 0) {
    const std::uint32_t base = any();
    if (reach(base)) {
      bases[0].push_back(base);
    }
  }
  for (const std::uint32_t base : threads) {
    reach(base);
  }
  while (reached.size() < std::size_t{1} << bits) {
    const std::uint32_t base = any();
    if (reach(base)) {
      bases[0].push_back(base);
    }
  }
  return {shape, bases};
}

TEST(ReductionPlan, AnyLinearLayout) {
  std::mt19937 random(7);
  const std::array shapes{Shape({64}),    Shape({8, 32}),    Shape({2, 4, 8}),
                          Shape({12, 8}), Shape({8, 3, 10}), Shape({128})};
  for (int i = 0; i < 80; ++i) {
    const Shape& shape = shapes[static_cast<std::size_t>(i) % shapes.size()];
    const Layout layout = random_layout(random, shape, static_cast<int>(random() % 4));
    expect_correct(layout, static_cast<int>(random() % static_cast<unsigned>(shape.rank())));
  }
}

// ---- cost ----

struct Cost {
  int combines = 0;  ///< in one thread, exchanges not counted
  int shuffles = 0;
  int barriers = 0;
  int reads = 0;  ///< elements that one thread reads in shared memory

  friend bool operator==(const Cost&, const Cost&) = default;

  friend std::ostream& operator<<(std::ostream& out, const Cost& cost) {
    return out << fmt::format("{} combines, {} shuffles, {} barriers, {} reads", cost.combines,
                              cost.shuffles, cost.barriers, cost.reads);
  }
};

struct Counter {
  Cost cost;

  void operator()(const RegisterFold& step) {
    for (const auto& pair : step.pairs) {
      cost.combines += pair.right < 0 ? 0 : 1;
    }
  }

  void operator()(const LaneFold& step) { lanes(step.pairs.size(), true); }

  void operator()(const LaneScatterFold& step) { lanes(step.pairs.size(), true); }

  void operator()(const WarpFold&) {}

  void operator()(const LaneGather& step) { lanes(step.pairs.size(), false); }

  void operator()(const SharedExchange& step) {
    cost.barriers += 2 * static_cast<int>(step.rounds.size()) - 1;
    for (const auto& round : step.rounds) {
      for (const auto& load : round.loads) {
        cost.reads += static_cast<int>(load.from.size());
      }
    }
  }

  void lanes(std::size_t count, bool folds) {
    cost.shuffles += static_cast<int>(count);
    cost.combines += folds ? static_cast<int>(count) : 0;
  }
};

Cost cost_of(const Layout& layout, int axis, const FoldTraits& traits) {
  Counter counter;
  for (const ReductionStep& step : plan_reduction(layout, axis, traits).steps) {
    std::visit(counter, step);
  }
  return counter.cost;
}

const FoldTraits kDeclared{};
const FoldTraits kFree{true, false, 4, 4};

TEST(ReductionCost, OneRowOfAFreeFold) {
  // 4096 over 4 warps: 32 registers, 31 folds; 5 lanes; one value from each of 4 warps.
  EXPECT_EQ(cost_of(rows({4096}, 4, 4), 0, kFree), (Cost{31 + 5, 5, 1, 4}));
  EXPECT_EQ(cost_of(rows({4096}, 4, 4), 0, {true, true, 4, 4}), (Cost{31, 0, 1, 4}));
  // Of 32 warps each lane reads one value.
  EXPECT_EQ(cost_of(rows({65536}, 4, 32), 0, kFree), (Cost{63 + 5 + 5, 10, 1, 1}));
  EXPECT_EQ(cost_of(rows({65536}, 4, 32), 0, {true, true, 4, 4}), (Cost{63, 0, 1, 1}));
  // One warp needs no barrier.
  EXPECT_EQ(cost_of(rows({1024}, 4, 1), 0, kFree), (Cost{31 + 5, 5, 0, 0}));
}

TEST(ReductionCost, OneRowInTheDeclaredTree) {
  // 32 registers fold to the vector of 4: 28. Each thread reads 4 vectors of 4. Lanes 2+1+1+1+1,
  // then the vector's two bits.
  EXPECT_EQ(cost_of(rows({4096}, 4, 4), 0, kDeclared), (Cost{28 + 8, 8, 1, 16}));
  EXPECT_EQ(cost_of(rows({1024}, 4, 1), 0, kDeclared), (Cost{28 + 8, 8, 0, 0}));
  // bf16 vectors of 8 partial sums in fp32, in one warp: lanes 4+2+1+1+1, then three bits.
  EXPECT_EQ(cost_of(rows({1024}, 8, 1), 0, kDeclared), (Cost{24 + 12, 12, 0, 0}));
}

TEST(ReductionCost, ManyWarpsShareTheVectorOut) {
  // 16 warps, vectors of 4: four warps take one part each and read it from 16 warps; lanes on one
  // value; then everyone reads the 4 parts.
  EXPECT_EQ(cost_of(rows({16384}, 4, 16), 0, kDeclared), (Cost{4 * 7 + 5, 5, 2, 16 + 4}));
  // 4 warps and vectors of 8: two parts each, read from 4 warps. Five lane bits on one value, the
  // first of which puts the vector's last bit into lanes; then everyone reads 4 parts, which hold
  // the bits before, and that last bit costs one more shuffle.
  EXPECT_EQ(cost_of(rows({4096}, 8, 4), 0, kDeclared), (Cost{24 + 5 + 1, 5 + 1, 2, 8 + 4}));
  // 8 warps and vectors of 8: nobody idles.
  EXPECT_EQ(cost_of(rows({4096}, 8, 8), 0, kDeclared), (Cost{8 + 5, 5, 2, 8 + 8}));
}

TEST(ReductionCost, SeveralRowsAWarpScatterAndGather) {
  // [4, 128] in one warp, 16 registers: 3 levels inside each row's 4 … no: 4 rows of 4 elements,
  // the rows handed out to lanes at the first two levels (2 + 1 shuffles), three more, and back
  // with 1 + 2.
  EXPECT_EQ(cost_of(rows({4, 128}, 4, 1), 1, kFree), (Cost{12 + 2 + 1 + 3, 2 + 1 + 3 + 3, 0, 0}));
}

TEST(ReductionCost, ColumnsFoldWithoutShuffles) {
  // Warps along axis 0, all lanes along axis 1: vectors of 4 columns, read from 4 warps.
  EXPECT_EQ(cost_of(rows({64, 128}, 4, 4), 0, kDeclared), (Cost{15 * 4, 0, 1, 16}));
}

TEST(ReductionCost, RowsInsideAWarpNeedNoBarrier) {
  // mma accumulators of 64 x 64, one warp a band of 16 rows: 2 rows a thread, 16 columns each, and
  // 4 lanes.
  EXPECT_EQ(cost_of(mma_accumulator_layout(Shape({64, 64}), 4, 1), 1, kFree),
            (Cost{30 + 2, 3, 0, 0}));
}

// ---- scratch ----

TEST(ReductionScratch, HoldsWhatTheWarpsExchange) {
  const ReductionPlan one = plan_reduction(rows({4096}, 4, 4), 0, kFree);
  const std::array f32{4};
  EXPECT_EQ(reduction_scratch(one, f32), (ScratchUse{16, 16, 0}));
  const ReductionPlan vectors = plan_reduction(rows({4096}, 4, 4), 0, kDeclared);
  EXPECT_EQ(reduction_scratch(vectors, f32), (ScratchUse{4 * 32 * 16, 4 * 32 * 16, 0}));
  // Two exchanges lie one behind the other: 16 vectors of 128, then 4 values.
  const ReductionPlan two = plan_reduction(rows({16384}, 4, 16), 0, kDeclared);
  EXPECT_EQ(reduction_scratch(two, f32),
            (ScratchUse{16 * 128 * 4 + 16, 16 * 128 * 4, 16 * 128 * 4}));
  const ReductionPlan none = plan_reduction(rows({1024}, 4, 1), 0, kDeclared);
  EXPECT_EQ(reduction_scratch(none, f32), ScratchUse{});
}

TEST(ReductionScratch, OperandsLieSideBySide) {
  const ReductionPlan plan = plan_reduction(rows({4096}, 4, 4), 0, {true, false, 8, 9});
  const std::array bytes{8, 1};
  std::size_t step = 0;
  while (!std::holds_alternative<SharedExchange>(plan.steps[step])) {
    ++step;
  }
  EXPECT_EQ(exchange_offset(plan, step, 0, bytes), 0U);
  EXPECT_EQ(exchange_offset(plan, step, 1, bytes), 32U);
  EXPECT_EQ(reduction_scratch(plan, bytes).bytes, 48U);
}

TEST(ReductionScratch, LargeExchangesGoInRounds) {
  // 32 warps, each with all 2048 columns: 256 KiB of partial sums.
  const std::array order{1, 0};
  const Layout wide = blocked_layout(Shape({2, 8192}), order, 4, 32);
  const std::array f64{8};
  const FoldTraits traits{false, false, 8, 8};
  const Layout tall({Shape({2, 4096})},
                    {{{2, 1, 4, 8, 16, 32, 64}, {128, 256, 512, 1024, 2048}, {4096}, {}}});
  const ReductionPlan plan = plan_reduction(tall, 0, traits);
  EXPECT_LE(reduction_scratch(plan, f64).bytes, 32768U);
  expect_correct(tall, 0, 8);
  expect_correct(wide, 0, 8);
}

}  // namespace
}  // namespace tilery::codegen
