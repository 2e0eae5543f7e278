// dot on tensor cores: mma.sync.m16n8kK, in which a warp multiplies 16 × K by K × 8.
//
// The layouts of a, b and acc are those of the instruction's operands, so a thread finds every
// operand in its own registers; which ones follows from the elements that thread 0 holds.
//
// A tile smaller than the instruction. Lanes beyond its rows and columns hold copies of others, and
// so make copies of others' results: nothing is to be done. Registers beyond them do not exist;
// zeros go in and what comes out is dropped. Along k the products of copies would be added, so
// lanes beyond K hand over 0, of both operands (0 times an infinity is no 0).
//
// fp32 in parts ("tf32x3", "bf16x3", "bf16x6"). x = big + small + …, each rounded to the type of
// the instruction, and of the products of parts all but the smallest are added up, small ones
// first. In one step of k:
//
//     t = small(a)·big(b),  t += big(a)·small(b),  t = 0 where it is NaN,  t += big(a)·big(b)
//
// An infinity's small part is NaN, so what its true product is comes from the big parts alone. t is
// then added to the accumulator, in fp32: tensor cores add with less care than that.
#include "codegen/emit_cells.h"
#include "codegen/emit_dot.h"
#include "codegen/emit_ring.h"
#include "ir/operands.h"
#include "ir/support/check.h"

#include <fmt/format.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

#include <array>
#include <map>
#include <optional>

namespace tilery::codegen {
namespace {

constexpr int kMostParts = 3;
/// Accumulators of one thread in one instruction: (0, 0), (0, 1), (8, 0), (8, 1) from its first on.
constexpr int kSums = 4;

/// A factor in an instruction: a word of 32 bits, or an fp64; null if it lies beyond the tile.
using Factor = llvm::Value*;
using Sums = std::array<llvm::Value*, kSums>;

std::string_view ptx_type(MmaType type) {
  switch (type) {
    case MmaType::F16:
      return "f16";
    case MmaType::BF16:
      return "bf16";
    case MmaType::Tf32:
      return "tf32";
    case MmaType::F64:
      return "f64";
    case MmaType::S8:
      return "s8";
    case MmaType::U8:
      return "u8";
    case MmaType::E4M3:
      return "e4m3";
    case MmaType::E5M2:
      return "e5m2";
  }
  return {};
}

/// The element type in which an operand's elements are packed; fp32 that becomes tf32 or is split
/// stays.
ElementType packed_type(const Type& type, MmaType mma) {
  return is_fp8(type.element.scalar) && mma == MmaType::F16 ? ElementType(Scalar::F16)
                                                            : type.element;
}

llvm::Constant* zero_of(llvm::Value* value) {
  return llvm::Constant::getNullValue(value->getType());
}

/// What one instruction covers of a tile.
struct Covered {
  std::int64_t m = 16;
  std::int64_t n = 8;
  std::int64_t k = 16;
};

Covered covered_by(const Dot& dot) {
  return {covered_extent(dot.a.shape[dot.rank - 2], 16),
          covered_extent(dot.b.shape[dot.rank - 1], 8),
          covered_extent(dot.a.shape[dot.rank - 1], dot.plan.k_step)};
}

/// Row-major number of an element of a batch's matrix.
std::int64_t element_number(const Shape& shape, const Coordinates& batch, std::int64_t row,
                            std::int64_t column) {
  std::int64_t number = 0;
  const int rank = shape.rank();
  for (int axis = 0; axis < rank - 2; ++axis) {
    number = number * shape[axis] + batch[axis];
  }
  return (number * shape[rank - 2] + row) * shape[rank - 1] + column;
}

// ---- operands ----

/// One operand of a dot, as the instructions take it.
class Operand {
 public:
  /// `side` is 0 for a, 1 for b.
  Operand(EmitContext& context, const Dot& dot, int side)
      : context_(context),
        dot_(dot),
        is_b_(side == 1),
        type_(is_b_ ? dot.b : dot.a),
        mma_(dot.plan.type),
        layout_(context.layout(dot.inst.operand(static_cast<std::size_t>(side)))),
        per_register_(32 / dot.plan.element_bits),
        covered_k_(covered_by(dot).k) {
    const ValueId value = dot.inst.operand(static_cast<std::size_t>(side));
    if (const InstId read = deferred_read(context, value)) {
      reader_.emplace(context, read);
    } else {
      values_ = context.registers(value);
    }
    find_live_lanes();
  }

  /// What holds the elements from k on of a row of a (a column of b).
  Factor at(const Coordinates& batch, std::int64_t line, std::int64_t k, int part = 0) {
    const auto key = number(batch, line, k);
    auto found = factors_.find(key);
    if (found == factors_.end()) {
      found = factors_.emplace(key, make(batch, line, k)).first;
    }
    return found->second[static_cast<std::size_t>(part)];
  }

 private:
  using Parts = std::array<Factor, kMostParts>;

  [[nodiscard]] std::int64_t number(const Coordinates& batch, std::int64_t line,
                                    std::int64_t k) const {
    return element_number(type_.shape, batch, is_b_ ? k : line, is_b_ ? line : k);
  }

  /// Lane bits 0 and 1 stand for the k beyond a register's, if there are any.
  void find_live_lanes() {
    const std::uint32_t dead =
        (per_register_ < covered_k_ ? 0U : 1U) | (2 * per_register_ < covered_k_ ? 0U : 2U);
    if (dead != 0) {
      auto& builder = context_.builder();
      llvm::Value* const bits = builder.CreateAnd(context_.lane_id(), builder.getInt32(dead));
      live_ = builder.CreateIsNull(bits);
    }
  }

  llvm::Value* element(const Coordinates& batch, std::int64_t line, std::int64_t k) {
    const auto reg = layout_.register_of(number(batch, line, k));
    TILERY_CHECK(reg.has_value(), "an operand of mma lies in the instruction's layout");
    llvm::Value* const value =
        reader_ ? reader_->at(*reg) : values_[static_cast<std::size_t>(*reg)];
    return cast_value(context_, value, type_.element, packed_type(type_, mma_));
  }

  Parts make(const Coordinates& batch, std::int64_t line, std::int64_t k) {
    std::vector<llvm::Value*> elements;
    for (int i = 0; i < per_register_; ++i) {
      elements.push_back(i < covered_k_ ? element(batch, line, k + i)
                                        : llvm::Constant::getNullValue(elements[0]->getType()));
    }
    Parts parts{};
    for (int part = 0; part < dot_.plan.parts; ++part) {
      Factor factor = next_part(elements, part + 1 == dot_.plan.parts);
      if (live_ != nullptr) {
        factor = context_.builder().CreateSelect(live_, factor, zero_of(factor));
      }
      parts[static_cast<std::size_t>(part)] = factor;
    }
    return parts;
  }

  /// The elements in the instruction's type; unless they are the last, what that leaves of them
  /// stays in `elements`.
  Factor next_part(std::vector<llvm::Value*>& elements, bool is_last) {
    if (mma_ == MmaType::F64) {
      return elements[0];
    }
    const bool is_f32 = elements[0]->getType()->isFloatTy();
    if (!is_f32) {
      return packed(context_.builder(), elements);
    }
    auto& builder = context_.builder();
    std::vector<llvm::Value*> rounded;
    for (llvm::Value*& element : elements) {
      const ElementType f32(Scalar::F32);
      const ElementType bf16(Scalar::BF16);
      rounded.push_back(mma_ == MmaType::Tf32 ? to_tf32(context_, element)
                                              : cast_value(context_, element, f32, bf16));
      if (!is_last) {
        llvm::Value* const back = mma_ == MmaType::Tf32
                                      ? builder.CreateBitCast(rounded.back(), element->getType())
                                      : cast_value(context_, rounded.back(), bf16, f32);
        element = builder.CreateFSub(element, back);
      }
    }
    return mma_ == MmaType::Tf32 ? rounded[0] : packed(context_.builder(), rounded);
  }

  EmitContext& context_;
  const Dot& dot_;
  bool is_b_;
  const Type& type_;
  MmaType mma_;
  const Layout& layout_;
  int per_register_;
  std::int64_t covered_k_;
  Registers values_;
  /// An operand in a ring is loaded as the product goes through k.
  std::optional<RingReader> reader_;
  /// i1: this lane stands for elements along k. Null if all do.
  llvm::Value* live_ = nullptr;
  std::map<std::int64_t, Parts> factors_;
};

// ---- instructions ----

/// "{$4, $5}", from the operand's number on.
std::string register_list(int first, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    text += fmt::format("{}${}", i == 0 ? "" : ", ", first + i);
  }
  return "{" + text + "}";
}

/// What LLVM has an intrinsic for in all its versions that we build with. It takes two thirds of
/// the time of assembly in code generation, which for a matmul is most of it.
llvm::Intrinsic::ID intrinsic_of(const DotPlan& plan) {
  switch (plan.type) {
    case MmaType::F16:
      return llvm::Intrinsic::nvvm_mma_m16n8k16_row_col_f32_f32;
    case MmaType::BF16:
      return llvm::Intrinsic::nvvm_mma_m16n8k16_row_col_bf16;
    case MmaType::Tf32:
      return llvm::Intrinsic::nvvm_mma_m16n8k8_row_col_tf32;
    case MmaType::S8:
      return llvm::Intrinsic::nvvm_mma_m16n8k32_row_col_s8;
    case MmaType::U8:
      return llvm::Intrinsic::nvvm_mma_m16n8k32_row_col_u8;
    case MmaType::F64:
    case MmaType::E4M3:
    case MmaType::E5M2:
      return llvm::Intrinsic::not_intrinsic;
  }
  return llvm::Intrinsic::not_intrinsic;
}

/// One shape and set of types of mma.sync.
class Instruction {
 public:
  /// Of `num_sums` accumulators and as many factors of a and b.
  Instruction(EmitContext& context, const Dot& dot, std::string_view shape, int num_sums, int num_a,
              int num_b)
      : context_(context),
        num_sums_(num_sums),
        function_(intrinsic_of(dot.plan) != llvm::Intrinsic::not_intrinsic
                      ? llvm::FunctionCallee(llvm::Intrinsic::getOrInsertDeclaration(
                            &context.module(), intrinsic_of(dot.plan)))
                      : assembly(context, dot, shape, num_sums, num_a, num_b)) {}

  /// The new sums take the place of the old ones.
  void operator()(std::initializer_list<Factor> factors, std::span<llvm::Value*> sums) const {
    auto& builder = context_.builder();
    llvm::FunctionCallee function = function_;
    std::vector<llvm::Value*> arguments(factors);
    arguments.insert(arguments.end(), sums.begin(), sums.end());
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      // The intrinsic of fp16 takes pairs.
      arguments[i] = builder.CreateBitCast(
          arguments[i], function.getFunctionType()->getParamType(static_cast<unsigned>(i)));
    }
    llvm::CallInst* const call = builder.CreateCall(function, arguments);
    call->setConvergent();
    for (int i = 0; i < num_sums_; ++i) {
      sums[static_cast<std::size_t>(i)] =
          builder.CreateExtractValue(call, static_cast<unsigned>(i));
    }
  }

 private:
  static llvm::FunctionCallee assembly(EmitContext& context, const Dot& dot, std::string_view shape,
                                       int num_sums, int num_a, int num_b) {
    auto& builder = context.builder();
    llvm::Type* const sum = context.llvm_type(sum_type(dot));
    const bool is_f64 = sum->isDoubleTy();
    llvm::Type* const factor = is_f64 ? builder.getDoubleTy() : builder.getInt32Ty();
    const std::string_view sums = is_f64 ? "f64" : sum->isFloatTy() ? "f32" : "s32";
    const std::string text = fmt::format(
        "mma.sync.aligned.{}.row.col.{}.{}.{}.{} {}, {}, {}, {};", shape, sums,
        ptx_type(dot.plan.type), ptx_type(dot.plan.type), sums, register_list(0, num_sums),
        register_list(num_sums, num_a), register_list(num_sums + num_a, num_b),
        register_list(num_sums + num_a + num_b, num_sums));
    const std::string_view letter = is_f64 ? "d" : sum->isFloatTy() ? "f" : "r";
    std::string constraints;
    for (int i = 0; i < num_sums; ++i) {
      constraints += fmt::format("={},", letter);
    }
    for (int i = 0; i < num_a + num_b; ++i) {
      constraints += is_f64 ? "d," : "r,";
    }
    for (int i = 0; i < num_sums; ++i) {
      constraints += fmt::format("{}{}", i == 0 ? "" : ",", i);
    }
    std::vector<llvm::Type*> arguments(static_cast<std::size_t>(num_a + num_b), factor);
    arguments.insert(arguments.end(), static_cast<std::size_t>(num_sums), sum);
    auto* const type = llvm::FunctionType::get(
        llvm::StructType::get(context.llvm(),
                              std::vector<llvm::Type*>(static_cast<std::size_t>(num_sums), sum)),
        arguments, false);
    return {type, llvm::InlineAsm::get(type, text, constraints, false)};
  }

  EmitContext& context_;
  int num_sums_;
  llvm::FunctionCallee function_;
};

/// Multiplies 16 × k_step by k_step × 8.
class Multiplier {
 public:
  Multiplier(EmitContext& context, const Dot& dot)
      : instruction_(
            is_small(context, dot)
                ? Instruction(context, dot, "m8n8k4", 2, 1, 1)
                : Instruction(context, dot, fmt::format("m16n8k{}", dot.plan.k_step), kSums, 4, 2)),
        is_small_(is_small(context, dot)) {}

  /// Factors of a by row (m, m + 8) and half of k: (m, k), (m + 8, k), (m, k'), (m + 8, k'). The
  /// first of each operand is never beyond the tile.
  void operator()(const std::array<Factor, 4>& a, const std::array<Factor, 2>& b,
                  Sums& sums) const {
    if (is_small_) {
      // Lanes and registers lie as in the large instruction; its rows and halves of k one by one.
      for (std::size_t i = 0; i < 4; ++i) {
        if (a[i] != nullptr) {
          instruction_({a[i], b[i / 2]}, std::span(sums).subspan(i % 2 * 2, 2));
        }
      }
      return;
    }
    const auto or_zero = [&](Factor factor) { return factor != nullptr ? factor : zero_of(a[0]); };
    instruction_({a[0], or_zero(a[1]), or_zero(a[2]), or_zero(a[3]), b[0], or_zero(b[1])}, sums);
  }

 private:
  static bool is_small(EmitContext& context, const Dot& dot) {
    return dot.plan.type == MmaType::F64 && !context.gpu().target.has_large_f64_mma();
  }

  Instruction instruction_;
  bool is_small_;
};

/// The products of parts that are added up, by their numbers in a and b, small ones first.
std::span<const std::array<int, 2>> products_of(int parts) {
  static constexpr std::array<std::array<int, 2>, 6> kProducts{
      {{1, 1}, {2, 0}, {0, 2}, {1, 0}, {0, 1}, {0, 0}}};
  return std::span(kProducts).last(parts == 1 ? 1 : parts == 2 ? 3 : 6);
}

/// Where an instruction stands in the tile.
struct Spot {
  Coordinates at{};  ///< its first result; the batch, too
  std::int64_t m = 0;
  std::int64_t n = 0;
};

class MmaEmitter {
 public:
  MmaEmitter(EmitContext& context, const Dot& dot)
      : context_(context),
        dot_(dot),
        layout_(context.layout(dot.inst.result())),
        covered_(covered_by(dot)),
        a_(context, dot, 0),
        b_(context, dot, 1),
        multiply_(context, dot),
        sums_(cast_all(context, context.registers(operand<"acc">(dot.inst)), dot.acc.element,
                       sum_type(dot))) {}

  void run() {
    const std::vector<Spot> spots = find_spots();
    for (std::int64_t k = 0; k < dot_.a.shape[dot_.rank - 1]; k += covered_.k) {
      for (const Spot& spot : spots) {
        step(spot, k);
      }
    }
    context_.set(dot_.inst.result(), cast_all(context_, sums_, sum_type(dot_), dot_.acc.element));
  }

 private:
  [[nodiscard]] std::vector<Spot> find_spots() const {
    std::vector<Spot> spots;
    for (int reg = 0; reg < layout_.registers(); ++reg) {
      const Coordinates at = layout_.element(reg, 0, 0);
      const Spot spot{at, at[dot_.rank - 2], at[dot_.rank - 1]};
      if (spot.m % covered_.m == 0 && spot.n % covered_.n == 0) {
        spots.push_back(spot);
      }
    }
    return spots;
  }

  /// The register of a sum of the instruction; none beyond the tile.
  [[nodiscard]] std::optional<std::size_t> place(const Spot& spot, int i) const {
    const std::int64_t down = i >= 2 ? 8 : 0;
    const std::int64_t right = i % 2;
    if (down >= covered_.m || right >= covered_.n) {
      return {};
    }
    const std::int64_t number =
        element_number(dot_.acc.shape, spot.at, spot.m + down, spot.n + right);
    return static_cast<std::size_t>(*layout_.register_of(number));
  }

  [[nodiscard]] Sums zero_sums() const {
    Sums zeros;
    zeros.fill(llvm::Constant::getNullValue(context_.llvm_type(sum_type(dot_))));
    return zeros;
  }

  void step(const Spot& spot, std::int64_t k) {
    Sums sums = zero_sums();
    if (dot_.plan.parts == 1) {
      for_each_place(spot, [&](int i, std::size_t place) {
        sums[static_cast<std::size_t>(i)] = sums_[place];
      });
    }
    for (const auto [a_part, b_part] : products_of(dot_.plan.parts)) {
      if (dot_.plan.parts > 1 && a_part == 0 && b_part == 0) {
        drop_nans(sums);
      }
      multiply(spot, k, a_part, b_part, sums);
    }
    for_each_place(spot, [&](int i, std::size_t place) {
      llvm::Value* const sum = sums[static_cast<std::size_t>(i)];
      sums_[place] = dot_.plan.parts == 1 ? sum : context_.builder().CreateFAdd(sums_[place], sum);
    });
  }

  template <class Visit>
  void for_each_place(const Spot& spot, Visit&& visit) const {
    for (int i = 0; i < kSums; ++i) {
      if (const auto found = place(spot, i)) {
        visit(i, *found);
      }
    }
  }

  void multiply(const Spot& spot, std::int64_t k, int a_part, int b_part, Sums& sums) {
    const std::int64_t half = dot_.plan.k_step / 2;
    const auto row = [&](std::int64_t down, std::int64_t right) {
      return down < covered_.m && right < covered_.k
                 ? a_.at(spot.at, spot.m + down, k + right, a_part)
                 : nullptr;
    };
    const auto column = [&](std::int64_t down) {
      return down < covered_.k ? b_.at(spot.at, spot.n, k + down, b_part) : nullptr;
    };
    multiply_({row(0, 0), row(8, 0), row(0, half), row(8, half)}, {column(0), column(half)}, sums);
  }

  void drop_nans(Sums& sums) {
    auto& builder = context_.builder();
    for (llvm::Value*& sum : sums) {
      sum = builder.CreateSelect(builder.CreateFCmpUNO(sum, sum), zero_of(sum), sum);
    }
  }

  EmitContext& context_;
  const Dot& dot_;
  const Layout& layout_;
  Covered covered_;
  Operand a_;
  Operand b_;
  Multiplier multiply_;
  Registers sums_;
};

}  // namespace

void emit_mma(EmitContext& context, const Dot& dot) {
  MmaEmitter(context, dot).run();
}

}  // namespace tilery::codegen
