// A walk over the instructions with integer scalars only: what is computed from tiles or read from
// memory is unknown, and may not decide whether a dot runs. Regions without a dot are walked only
// for the scalars that they yield.
#include "ir/analysis/dot_work.h"

#include "ir/analysis/fold.h"
#include "ir/analysis/loops.h"
#include "ir/attributes.h"
#include "ir/builder.h"
#include "ir/operands.h"
#include "ir/support/check.h"

#include <vector>

namespace tilery {
namespace {

/// Instructions looked at: some tenths of a second.
constexpr std::int64_t kMostSteps = std::int64_t{1} << 23;

using Known = std::optional<std::uint64_t>;
using Program = std::array<std::int64_t, 3>;

class DotWalk {
 public:
  DotWalk(const Function& function, std::span<const Known> arguments, const Program& grid)
      : function_(function), grid_(grid), values_(function.values.size()) {
    const std::vector<ValueId>& params = function.region(function.body).args;
    for (std::size_t i = 0; i < params.size() && i < arguments.size(); ++i) {
      set(params[i], arguments[i]);
    }
    has_dot_.resize(function.insts.size());
    mark(function.body);
  }

  [[nodiscard]] bool has_any_dot() const { return has_any_dot_; }

  /// The operations of one program, or of any if none is given.
  std::optional<std::int64_t> count(const std::optional<Program>& program) {
    program_ = program;
    operations_ = 0;
    return walk(function_.body) ? std::optional(operations_) : std::nullopt;
  }

 private:
  bool mark(RegionId region) {
    bool found = false;
    for (const InstId id : function_.region(region).insts) {
      const Inst& inst = function_.inst(id);
      bool is_marked = inst.op == Op::Dot;
      for (const RegionId nested : inst.regions) {
        is_marked = mark(nested) || is_marked;
      }
      has_dot_[id.index] = is_marked;
      found = found || is_marked;
    }
    has_any_dot_ = has_any_dot_ || found;
    return found;
  }

  [[nodiscard]] Known get(ValueId value) const { return values_[value.index]; }

  void set(ValueId value, Known bits) {
    const Type& type = function_.type(value);
    const bool is_integer_scalar =
        type.is_scalar() && !type.is_pointer() && is_integer(type.element.scalar);
    values_[value.index] = is_integer_scalar ? bits : std::nullopt;
  }

  [[nodiscard]] std::optional<WideInt> integer(ValueId value) const {
    const Known bits = get(value);
    return bits ? std::optional(wide_int(function_.type(value).element.scalar, *bits))
                : std::nullopt;
  }

  void forget_results(const Inst& inst) {
    for (std::uint32_t i = 0; i < inst.result_count; ++i) {
      set(inst.result(i), std::nullopt);
    }
  }

  /// False if it is not known which dots run.
  bool walk(RegionId region) {
    for (const InstId id : function_.region(region).insts) {
      if (++steps_ > kMostSteps || !step(id)) {
        return false;
      }
    }
    return true;
  }

  bool step(InstId id) {
    const Inst& inst = function_.inst(id);
    if (inst.op == Op::For) {
      return step_for(id, inst);
    }
    if (inst.op == Op::If) {
      return step_if(id, inst);
    }
    if (inst.op == Op::While) {
      return step_while(id, inst);
    }
    if (inst.op == Op::Dot) {
      return add_dot(inst);
    }
    if (inst.op == Op::ProgramId || inst.op == Op::NumPrograms) {
      const auto axis = static_cast<std::size_t>(int_attr<"axis">(inst));
      const std::optional<Program> of = inst.op == Op::ProgramId ? program_ : std::optional(grid_);
      set(inst.result(), of ? Known(static_cast<std::uint32_t>((*of)[axis])) : std::nullopt);
    } else if (inst.result_count == 1) {
      set(inst.result(), scalar_result(inst));
    } else {
      forget_results(inst);
    }
    return true;
  }

  [[nodiscard]] Known scalar_result(const Inst& inst) const {
    const Type& type = function_.type(inst.result());
    if (!type.is_scalar() || type.is_pointer()) {
      return std::nullopt;
    }
    if (const Known constant = function_.constant_bits(inst.result())) {
      return constant;
    }
    if (op_def(inst.op).family != OpFamily::Map) {
      return std::nullopt;
    }
    std::array<Number, 3> operands;
    TILERY_CHECK(inst.operands.size() <= operands.size(), "a map op has at most three operands");
    for (std::size_t i = 0; i < inst.operands.size(); ++i) {
      const Known bits = get(inst.operands[i]);
      if (!bits) {
        return std::nullopt;
      }
      operands[i] = {function_.type(inst.operands[i]).element.scalar, *bits};
    }
    const std::optional<Folded> folded = fold_map(
        inst.op, std::span(operands).first(inst.operands.size()), type.element.scalar, inst.attrs);
    return folded ? Known(folded->bits) : std::nullopt;
  }

  /// False if the operations are more than can be counted.
  bool add_dot(const Inst& dot) {
    const Shape& a = function_.type(operand<"a">(dot)).shape;
    std::int64_t once = 0;
    forget_results(dot);
    return !__builtin_mul_overflow(2 * function_.type(dot.result()).numel(), a[a.rank() - 1],
                                   &once) &&
           !__builtin_add_overflow(operations_, once, &operations_);
  }

  bool step_if(InstId id, const Inst& inst) {
    const Known condition = get(operand<"condition">(inst));
    if (!condition) {
      forget_results(inst);
      return !has_dot_[id.index];
    }
    const RegionId taken = inst.regions[*condition != 0 ? 0 : 1];
    if (!walk(taken)) {
      return false;
    }
    set_results(inst, get_all(passed_values(function_, taken)));
    return true;
  }

  bool step_for(InstId id, const Inst& loop) {
    if (!has_dot_[id.index]) {
      forget_results(loop);
      return true;
    }
    const auto lower = integer(operand<"lower">(loop));
    const auto upper = integer(operand<"upper">(loop));
    const auto step = integer(operand<"step">(loop));
    if (!lower || !upper || !step || *step == 0) {
      return false;
    }
    const RegionId body = loop.regions[0];
    const ValueId counter = counter_arg(function_, loop);
    std::vector<Known> carried = get_all(initial_values(loop));
    WideInt value = *lower;
    for (WideInt left = trip_count(*lower, *upper, *step); left > 0; --left) {
      if (has_exit(loop) && !carried[0]) {
        return false;
      }
      if (has_exit(loop) && *carried[0] != 0) {
        break;
      }
      set(counter,
          encode_int(function_.type(counter).element.scalar, static_cast<std::int64_t>(value)));
      set_all(carried_args(function_, body), carried);
      if (!walk(body)) {
        return false;
      }
      carried = get_all(passed_values(function_, body));
      value += *step;
    }
    set_results(loop, carried);
    return true;
  }

  bool step_while(InstId id, const Inst& loop) {
    if (!has_dot_[id.index]) {
      forget_results(loop);
      return true;
    }
    const RegionId test = loop.regions[0];
    const RegionId body = loop.regions[1];
    std::vector<Known> carried = get_all(initial_values(loop));
    for (;;) {
      set_all(carried_args(function_, test), carried);
      if (!walk(test)) {
        return false;
      }
      const Known go = get(operand<"go">(function_.terminator(test)));
      if (!go) {
        return false;
      }
      carried = get_all(passed_values(function_, test));
      if (*go == 0) {
        set_results(loop, carried);
        return true;
      }
      set_all(carried_args(function_, body), carried);
      if (!walk(body)) {
        return false;
      }
      carried = get_all(passed_values(function_, body));
    }
  }

  [[nodiscard]] std::vector<Known> get_all(std::span<const ValueId> values) const {
    std::vector<Known> known;
    for (const ValueId value : values) {
      known.push_back(get(value));
    }
    return known;
  }

  void set_all(std::span<const ValueId> values, const std::vector<Known>& known) {
    for (std::size_t i = 0; i < known.size(); ++i) {
      set(values[i], known[i]);
    }
  }

  void set_results(const Inst& inst, const std::vector<Known>& known) {
    set_all(inst.results(), known);
  }

  const Function& function_;
  Program grid_;
  std::optional<Program> program_;
  std::vector<Known> values_;
  std::vector<bool> has_dot_;
  bool has_any_dot_ = false;
  std::int64_t operations_ = 0;
  std::int64_t steps_ = 0;
};

}  // namespace

std::optional<std::int64_t> dot_operations(const Function& function,
                                           std::span<const std::optional<std::uint64_t>> arguments,
                                           const std::array<std::int64_t, 3>& grid) {
  DotWalk walk(function, arguments, grid);
  if (!walk.has_any_dot()) {
    return 0;
  }
  if (const auto any = walk.count(std::nullopt)) {
    std::int64_t operations = *any;
    for (const std::int64_t extent : grid) {
      if (__builtin_mul_overflow(operations, extent, &operations)) {
        return std::nullopt;
      }
    }
    return operations;
  }
  std::int64_t operations = 0;
  for (std::int64_t z = 0; z < grid[2]; ++z) {
    for (std::int64_t y = 0; y < grid[1]; ++y) {
      for (std::int64_t x = 0; x < grid[0]; ++x) {
        const auto one = walk.count(Program{x, y, z});
        if (!one || __builtin_add_overflow(operations, *one, &operations)) {
          return std::nullopt;
        }
      }
    }
  }
  return operations;
}

}  // namespace tilery
