// What the axis analysis claims, checked on the numbers: random index arithmetic is run in the
// interpreter, and every element of every value is held against the facts.
#include "codegen/analysis/axis_info.h"
#include "interpreter/interpreter.h"
#include "ir/builder.h"
#include "ir/printer.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>
#include <vector>

namespace tilery::codegen {
namespace {

constexpr int kValues = 40;
constexpr std::int64_t kSpace = 64;  ///< elements of the output buffer for each value

/// A function that computes integers of shapes [16], [4, 8] and their like, and stores each.
class RandomIndices {
 public:
  explicit RandomIndices(unsigned seed) : random_(seed) {
    Param out{"out", Type(ElementType(Scalar::I64, 1)), {}, {}};
    Param n{"n", Type(Scalar::I32), {}, {}};
    n.facts.divisible_by_16 = true;
    Param m{"m", Type(Scalar::I32), {}, {}};
    function_ = make_function("f", {out, n, m});
    builder_.emplace(function_);
    builder_->set_region(function_.body);
    const std::vector<ValueId> args = function_.region(function_.body).args;
    for (const std::int64_t extent : {16, 16, 12, 32}) {
      const std::int64_t start = pick(4) * 4;
      add(builder_->value(Op::Arange, {{}, {{"start", start}, {"end", start + extent}}, {}, {}}));
    }
    for (int i = 0; i < kValues; ++i) {
      grow(args);
    }
    for (std::size_t i = 0; i < values_.size(); ++i) {
      store(args[0], values_[i], static_cast<std::int64_t>(i) * kSpace);
    }
    builder_->yield({});
  }

  [[nodiscard]] const Function& function() const { return function_; }

  [[nodiscard]] const std::vector<ValueId>& values() const { return values_; }

 private:
  int pick(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }

  void add(ValueId value) { values_.push_back(value); }

  ValueId any() {
    return values_[static_cast<std::size_t>(pick(static_cast<int>(values_.size())))];
  }

  [[nodiscard]] const Type& type(ValueId value) const { return function_.type(value); }

  ValueId constant(const Type& t) {
    constexpr std::array kNumbers{1, 2, 3, 4, 6, 7, 8, 16, -4, 0};
    return builder_->constant_int(t, kNumbers[static_cast<std::size_t>(pick(kNumbers.size()))]);
  }

  /// Something of the same type: a constant, a parameter, or another value.
  ValueId partner(const Type& t, const std::vector<ValueId>& args) {
    if (pick(3) == 0) {
      return constant(t);
    }
    if (pick(2) == 0 && t.element.is(Scalar::I32)) {
      return builder_->splat_to(args[static_cast<std::size_t>(1 + pick(2))], t.shape);
    }
    for (int tries = 0; tries < 8; ++tries) {
      if (const ValueId other = any(); type(other) == t) {
        return other;
      }
    }
    return constant(t);
  }

  void grow(const std::vector<ValueId>& args) {
    const ValueId x = any();
    const Type t = type(x);
    constexpr std::array kOps{Op::Add, Op::Add, Op::Add, Op::Sub,     Op::Mul,    Op::IDiv,
                              Op::Rem, Op::Shl, Op::Shr, Op::And,     Op::Or,     Op::Xor,
                              Op::Fma, Op::Neg, Op::Abs, Op::Minimum, Op::Maximum};
    const int kind = pick(8);
    if (kind == 0) {
      reshape(x);
    } else if (kind == 1) {
      select(x, partner(t, args), partner(t, args), partner(t, args));
    } else if (kind == 2) {
      const Scalar to = t.element.is(Scalar::I64) ? Scalar::I32 : Scalar::I64;
      add(builder_->cast(x, pick(3) == 0 ? Scalar::I8 : to));
    } else {
      const Op op = kOps[static_cast<std::size_t>(pick(kOps.size()))];
      if (op == Op::Neg || op == Op::Abs) {
        add(builder_->map(op, {x}));
      } else if (op == Op::Fma) {
        add(builder_->map(op, {x, partner(t, args), partner(t, args)}));
      } else if (pick(4) == 0) {
        add(builder_->map(op, {partner(t, args), x}));
      } else {
        add(builder_->map(op, {x, partner(t, args)}));
      }
    }
  }

  void select(ValueId x, ValueId limit, ValueId a, ValueId b) {
    constexpr std::array kCompares{Op::Lt, Op::Le, Op::Gt, Op::Ge, Op::Eq, Op::Ne};
    const Op op = kCompares[static_cast<std::size_t>(pick(kCompares.size()))];
    const ValueId mask =
        pick(2) == 0 ? builder_->map(op, {x, limit}) : builder_->map(op, {limit, x});
    add(mask);
    add(builder_->map(Op::Select, {mask, a, b}));
  }

  void reshape(ValueId x) {
    const Shape shape = type(x).shape;
    if (shape.rank() == 1 && pick(2) == 0) {
      const std::int64_t axis = pick(2);
      const ValueId wide = builder_->value(Op::ExpandDims, {{{x}}, {{"axis", axis}}, {}, {}});
      Shape to = type(wide).shape;
      to.set(static_cast<int>(axis), 2);
      if (to.numel() <= kSpace) {
        add(builder_->broadcast_to(wide, to));
      }
    } else if (shape.rank() == 1) {
      const Shape to{shape[0] / 4, 4};
      add(builder_->value(Op::Reshape, {{{x}}, {}, {type(x).with_shape(to)}, {}}));
    } else if (pick(2) == 0) {
      const std::vector<std::int64_t> order{1, 0};
      add(builder_->value(Op::Trans, {{{x}}, {{"order", order}}, {}, {}}));
    } else {
      const Shape to{shape.numel()};
      add(builder_->value(Op::Reshape, {{{x}}, {}, {type(x).with_shape(to)}, {}}));
    }
  }

  /// Row-major at out + start.
  void store(ValueId out, ValueId value, std::int64_t start) {
    const Shape shape = type(value).shape;
    const Shape flat{shape.numel()};
    const ValueId index = builder_->value(
        Op::Arange, {{}, {{"start", start}, {"end", start + shape.numel()}}, {}, {}});
    const ValueId ptrs = builder_->map(Op::AddPtr, {builder_->splat_to(out, flat), index});
    const ValueId wide = builder_->cast(value, Scalar::I64);
    const Type type = function_.type(wide).with_shape(flat);
    const ValueId row =
        shape == flat ? wide : builder_->value(Op::Reshape, {{{wide}}, {}, {type}, {}});
    builder_->create(Op::Store, {{{ptrs}, {row}}, {}, {}, {}});
  }

  std::mt19937 random_;
  Function function_;
  std::optional<Builder> builder_;
  std::vector<ValueId> values_;
};

/// All elements of the values, kSpace apart, for these parameters.
std::vector<std::int64_t> numbers_of(const RandomIndices& indices, std::int32_t n, std::int32_t m) {
  std::vector<std::int64_t> data(indices.values().size() * kSpace);
  InterpreterBuffer buffer{"out", reinterpret_cast<std::byte*>(data.data()),
                           data.size() * sizeof(std::int64_t), Scalar::I64};
  InterpreterArgument out;
  out.is_pointer = true;
  out.buffer = 0;
  InterpreterArgument first;
  first.bits = static_cast<std::uint32_t>(n);
  InterpreterArgument second;
  second.bits = static_cast<std::uint32_t>(m);
  RunOptions options;
  options.check = CheckLevel::None;
  options.threads = 1;
  const auto program = make_program(indices.function());
  const std::vector<InterpreterArgument> arguments{out, first, second};
  const RunReport report = tilery::run(*program, {buffer}, arguments, options);
  EXPECT_TRUE(report.completed);
  return data;
}

/// One value's elements along one axis.
struct Line {
  const std::int64_t* numbers;
  std::int64_t stride;
  std::int64_t extent;

  [[nodiscard]] std::int64_t operator[](std::int64_t i) const { return numbers[i * stride]; }
};

/// Empty, or which of the facts is wrong. Runs are held against pieces that the divisibility also
/// covers, which is all that users may rely on.
std::string wrong_fact(const Line& line, const AxisFacts& facts) {
  const std::int64_t piece = std::min(facts.contiguity, facts.divisibility);
  for (std::int64_t i = 0; i < line.extent; ++i) {
    if (i % facts.contiguity == 0 && line[i] % facts.divisibility != 0) {
      return "divisibility";
    }
    if (line[i] != line[i / facts.constancy * facts.constancy]) {
      return "constancy";
    }
    if (line[i] != line[i / piece * piece] + i % piece) {
      return "contiguity";
    }
  }
  return "";
}

void check(const RandomIndices& indices, const AxisTable& table,
           const std::vector<std::int64_t>& numbers) {
  for (std::size_t v = 0; v < indices.values().size(); ++v) {
    const ValueId value = indices.values()[v];
    const Shape& shape = indices.function().type(value).shape;
    const std::int64_t* first = numbers.data() + v * kSpace;
    std::int64_t inner = 1;
    for (int axis = shape.rank() - 1; axis >= 0; --axis) {
      for (std::int64_t at = 0; at < shape.numel(); ++at) {
        if (at / inner % shape[axis] == 0) {
          const std::string wrong =
              wrong_fact({first + at, inner, shape[axis]},
                         table.of(value).axes[static_cast<std::size_t>(axis)]);
          ASSERT_EQ(wrong, "") << "axis " << axis << " of\n"
                               << print_inst(indices.function(),
                                             indices.function().value(value).def)
                               << "\n"
                               << print(indices.function());
        }
      }
      inner *= shape[axis];
    }
    if (const auto constant = table.of(value).constant) {
      for (std::int64_t at = 0; at < shape.numel(); ++at) {
        ASSERT_EQ(first[at], *constant);
      }
    }
  }
}

TEST(AxisInfoRandom, facts_hold_of_the_numbers) {
  constexpr unsigned kFunctions = 400;
  for (unsigned seed = 0; seed < kFunctions; ++seed) {
    SCOPED_TRACE(seed);
    const RandomIndices indices(seed);
    const AxisTable table = find_axis_info(indices.function());
    for (const auto& [n, m] : {std::pair{16, 5}, std::pair{48, 16}, std::pair{-32, 7},
                               std::pair{-16, 0}, std::pair{2147483632, 2147483647}}) {
      check(indices, table, numbers_of(indices, n, m));
      if (::testing::Test::HasFatalFailure()) {
        return;
      }
    }
  }
}

}  // namespace
}  // namespace tilery::codegen
