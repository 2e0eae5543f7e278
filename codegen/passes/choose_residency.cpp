#include "codegen/passes/choose_residency.h"

#include "ir/analysis/loops.h"
#include "ir/analysis/uses.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace tilery::codegen {
namespace {

/// For addresses, masks, partial results and what an operation needs on its way.
constexpr int kOverhead = 40;

/// Walks a function and finds how many 32-bit registers a thread needs for tiles at each place.
class Pressure {
 public:
  explicit Pressure(const GpuFunction& gpu) : gpu_(gpu), uses_(find_uses(gpu.function)) {
    words_.resize(gpu.function.values.size());
    lives_.resize(gpu.function.values.size());
    walk(gpu.function.body);
  }

  [[nodiscard]] int largest() const { return *std::max_element(words_.begin(), words_.end()); }

  [[nodiscard]] int peak() const {
    std::vector<int> change(static_cast<std::size_t>(place_) + 1);
    for (std::size_t i = 0; i < lives_.size(); ++i) {
      change[lives_[i].begin] += words_[i];
      change[lives_[i].end] -= words_[i];
    }
    int alive = 0;
    int most = 0;
    for (const int step : change) {
      alive += step;
      most = std::max(most, alive);
    }
    return most;
  }

 private:
  /// From the definition to the last use, where a result may take the register over.
  struct Life {
    std::size_t begin = 0;
    std::size_t end = 0;
  };

  void define(ValueId value, int words) {
    words_[value.index] = words;
    lives_[value.index] = {place_, place_};
  }

  void use(ValueId value) {
    if (value) {
      lives_[value.index].end = place_;
    }
  }

  /// What was alive before a loop and is used in it, is alive to its end.
  void leave_loop(std::size_t start) {
    for (Life& life : lives_) {
      if (life.begin < start && life.end > start) {
        life.end = place_;
      }
    }
  }

  [[nodiscard]] int words_in_registers(ValueId value) const {
    const Type& type = gpu_.function.type(value);
    if (type.is_scalar() || !gpu_.layouts.has(value) || type.element.is(Scalar::I1)) {
      return 0;
    }
    return (gpu_.layouts.of(value).registers() * type.element.byte_size() + 3) / 4;
  }

  /// Tiles that are a number of the thread and constants: indices, offsets, pointers; and one
  /// number in every element, whatever its type.
  [[nodiscard]] bool is_computed_anew(const Inst& inst) const {
    if (!op_def(inst.op).is_pure() || !inst.regions.empty()) {
      return false;
    }
    const ElementType element = gpu_.function.type(inst.result()).element;
    const bool is_index = element.is_pointer() || is_integer(element.scalar);
    return std::all_of(inst.operands.begin(), inst.operands.end(), [&](ValueId operand) {
      return !operand || gpu_.function.type(operand).is_scalar() ||
             (is_index && words_[operand.index] == 0);
    });
  }

  [[nodiscard]] int words_of_result(const Inst& inst, ValueId result) const {
    if (inst.result_count == 1 && is_computed_anew(inst)) {
      return 0;
    }
    const int words = words_in_registers(result);
    // Neither a copy along an axis nor a cast for one user takes registers of its own.
    const bool is_view = inst.op == Op::Broadcast || inst.op == Op::ExpandDims ||
                         (inst.op == Op::Cast && uses_.count(result) == 1);
    return is_view ? std::min(words, words_[inst.operand(0).index]) : words;
  }

  void walk(RegionId region) {
    for (const ValueId argument : gpu_.function.region(region).args) {
      define(argument, words_in_registers(argument));
    }
    for (const InstId id : gpu_.function.region(region).insts) {
      const Inst& inst = gpu_.function.inst(id);
      ++place_;
      std::for_each(inst.operands.begin(), inst.operands.end(), [&](ValueId v) { use(v); });
      const std::size_t start = place_;
      std::for_each(inst.regions.begin(), inst.regions.end(), [&](RegionId r) { walk(r); });
      if (is_loop(inst.op)) {
        leave_loop(start);
      }
      for (std::uint32_t i = 0; i < inst.result_count; ++i) {
        define(inst.result(i), words_of_result(inst, inst.result(i)));
      }
    }
  }

  const GpuFunction& gpu_;
  const Uses uses_;
  std::vector<int> words_;
  std::vector<Life> lives_;
  std::size_t place_ = 0;
};

/// Reduces tiles and has no dots.
bool is_row_kernel(const Function& function) {
  bool reduces = false;
  bool has_dots = false;
  for (const Inst& inst : function.insts) {
    reduces = reduces || inst.op == Op::Reduce || inst.op == Op::Scan;
    has_dots = has_dots || inst.op == Op::Dot;
  }
  return reduces && !has_dots;
}

}  // namespace

int choose_blocks_per_sm(const GpuFunction& gpu) {
  if (!is_row_kernel(gpu.function)) {
    return 1;
  }
  const Pressure pressure(gpu);
  const int need = std::max(pressure.largest() + kOverhead, pressure.peak());
  if (pressure.peak() > 2 * pressure.largest()) {
    return 1;
  }
  const SmLimits most = gpu.target.sm_limits();
  const int fitting = most.registers / (need * gpu.num_warps * kWarpSize);
  // ptxas ignores a demand for more than an SM holds, with a warning. Only on the chips of data
  // centres was it measured that as many as the SM holds are worth their registers.
  constexpr int kUnmeasured = 16;
  const int blocks = most.warps >= 64 ? most.blocks : std::min(most.blocks, kUnmeasured);
  return std::clamp(fitting, 1, std::min(blocks, most.warps / gpu.num_warps));
}

}  // namespace tilery::codegen
