// A walk over the instructions with integer scalars only: what is computed from tiles or read from
// memory is unknown, and may not decide whether a dot runs. Regions without a dot are walked only
// for the scalars that they yield.
#include "ir/analysis/dot_work.h"

#include "ir/analysis/fold.h"
#include "ir/analysis/loops.h"
#include "ir/builder.h"
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

  [[nodiscard]] std::optional<std::int64_t> integer(ValueId value) const {
    const Known bits = get(value);
    if (!bits) {
      return std::nullopt;
    }
    return static_cast<std::int64_t>(decode_int(function_.type(value).element.scalar, *bits));
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
      add_dot(inst);
    } else if (inst.op == Op::ProgramId || inst.op == Op::NumPrograms) {
      const auto axis = static_cast<std::size_t>(inst.int_attr(0));
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

  void add_dot(const Inst& dot) {
    const Shape& a = function_.type(dot.operand(0)).shape;
    operations_ += 2 * function_.type(dot.result()).numel() * a[a.rank() - 1];
    forget_results(dot);
  }

  bool step_if(InstId id, const Inst& inst) {
    const Known condition = get(inst.operand(0));
    if (!condition) {
      forget_results(inst);
      return !has_dot_[id.index];
    }
    const RegionId taken = inst.regions[*condition != 0 ? 0 : 1];
    if (!walk(taken)) {
      return false;
    }
    const Inst& yield = function_.terminator(taken);
    for (std::uint32_t i = 0; i < inst.result_count; ++i) {
      set(inst.result(i), get(yield.operands[i]));
    }
    return true;
  }

  bool step_for(InstId id, const Inst& loop) {
    const auto lower = integer(loop.operand(0));
    const auto upper = integer(loop.operand(1));
    const auto step = integer(loop.operand(2));
    if (!has_dot_[id.index]) {
      forget_results(loop);
      return true;
    }
    if (!lower || !upper || !step || *step == 0) {
      return false;
    }
    std::vector<Known> carried = initial_values(loop);
    const bool has_exit = loop.bool_attr(attr_index(Op::For, "has_exit"));
    const ValueId counter = function_.region(loop.regions[0]).args[0];
    for (std::int64_t i = *lower; *step > 0 ? i < *upper : i > *upper; i += *step) {
      if (has_exit && !carried[0]) {
        return false;
      }
      if (has_exit && *carried[0] != 0) {
        break;
      }
      set(counter, encode_int(function_.type(counter).element.scalar, i));
      set_arguments(loop, loop.regions[0], carried);
      if (!walk(loop.regions[0])) {
        return false;
      }
      take(carried, function_.terminator(loop.regions[0]).operands);
    }
    set_results(loop, carried);
    return true;
  }

  bool step_while(InstId id, const Inst& loop) {
    if (!has_dot_[id.index]) {
      forget_results(loop);
      return true;
    }
    std::vector<Known> carried = initial_values(loop);
    for (;;) {
      set_arguments(loop, loop.regions[0], carried);
      if (!walk(loop.regions[0])) {
        return false;
      }
      const Inst& condition = function_.terminator(loop.regions[0]);
      const Known go = get(condition.operand(0));
      if (!go) {
        return false;
      }
      take(carried, condition.group(1));
      if (*go == 0) {
        set_results(loop, carried);
        return true;
      }
      set_arguments(loop, loop.regions[1], carried);
      if (!walk(loop.regions[1])) {
        return false;
      }
      take(carried, function_.terminator(loop.regions[1]).operands);
    }
  }

  [[nodiscard]] std::vector<Known> initial_values(const Inst& loop) const {
    std::vector<Known> carried;
    for (std::size_t i = 0; i < carried_count(loop); ++i) {
      carried.push_back(get(loop.operands[first_init(loop) + i]));
    }
    return carried;
  }

  void take(std::vector<Known>& carried, std::span<const ValueId> from) const {
    for (std::size_t i = 0; i < carried.size(); ++i) {
      carried[i] = get(from[i]);
    }
  }

  /// The last arguments of a loop's region are what it carries.
  void set_arguments(const Inst& loop, RegionId region, const std::vector<Known>& carried) {
    const std::vector<ValueId>& args = function_.region(region).args;
    const std::size_t first = args.size() - carried_count(loop);
    for (std::size_t i = 0; i < carried.size(); ++i) {
      set(args[first + i], carried[i]);
    }
  }

  void set_results(const Inst& loop, const std::vector<Known>& carried) {
    for (std::uint32_t i = 0; i < loop.result_count; ++i) {
      set(loop.result(i), carried[i]);
    }
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
        if (!one) {
          return std::nullopt;
        }
        operations += *one;
      }
    }
  }
  return operations;
}

}  // namespace tilery
