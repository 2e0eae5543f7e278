#include "tests/support/layout_violations.h"

#include "codegen/dot_plan.h"
#include "codegen/ring_layout.h"
#include "ir/analysis/loops.h"
#include "ir/builder.h"
#include "ir/printer.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace tilery::testing {
namespace {

using codegen::Layout;

class Checker {
 public:
  explicit Checker(const codegen::GpuFunction& gpu)
      : gpu_(gpu), function_(gpu.function), is_ring_(codegen::find_ring_values(gpu.function)) {}

  std::vector<std::string> run() {
    has_layouts(function_.region(function_.body).args, InstId());
    for_each_inst(function_, function_.body, [&](InstId id) { inst(id); });
    return std::move(found_);
  }

 private:
  void fail(InstId id, const std::string& rule) {
    found_.push_back((id ? print_inst(function_, id) : function_.name) + ": " + rule);
  }

  /// A layout of the value's shape for the right number of warps.
  void has_layouts(std::span<const ValueId> values, InstId id) {
    for (const ValueId value : values) {
      if (is_ring_[value.index]) {
        continue;
      }
      if (!gpu_.layouts.has(value)) {
        fail(id, "a value without a layout");
      } else if (of(value).shape() != function_.type(value).shape) {
        fail(id, "a layout of another shape");
      } else if (of(value).warps() != gpu_.num_warps) {
        fail(id, "a layout of another number of warps");
      } else if (of(value).shape().is_scalar() &&
                 !(of(value) == codegen::scalar_layout(gpu_.num_warps))) {
        fail(id, "a scalar that is not in every thread");
      }
    }
  }

  [[nodiscard]] const Layout& of(ValueId value) const { return gpu_.layouts.of(value); }

  [[nodiscard]] bool is_tile(ValueId value) const {
    return !function_.type(value).is_scalar() && !is_ring_[value.index];
  }

  void same(InstId id, ValueId a, ValueId b, const char* rule) {
    if (is_tile(a) && is_tile(b) && !(of(a) == of(b))) {
      fail(id, rule);
    }
  }

  void inst(InstId id) {
    const Inst& i = function_.inst(id);
    const std::size_t before = found_.size();
    has_layouts(i.results(), id);
    for (const RegionId region : i.regions) {
      has_layouts(function_.region(region).args, id);
    }
    if (found_.size() == before) {
      rules(id, i);
    }
  }

  void rules(InstId id, const Inst& i) {
    switch (i.op) {
      case Op::Splat:
      case Op::DevicePrint:
      case Op::ConvertLayout:
      case Op::RingInsert:
        return;
      case Op::ExpandDims:
      case Op::Broadcast:
      case Op::Trans:
        return moves_nothing(id, i);
      case Op::Reshape:
        return reshape(id, i);
      case Op::Reduce:
        return reduce(id, i);
      case Op::Dot:
        return dot(id, i);
      case Op::For:
      case Op::While:
        return loop(id, i);
      case Op::If:
        for (const RegionId region : i.regions) {
          yields(id, i, function_.terminator(region).operands);
        }
        return;
      case Op::Yield:
      case Op::Condition:
        return;
      default:
        return all_the_same(id, i);
    }
  }

  void all_the_same(InstId id, const Inst& i) {
    std::vector<ValueId> tiles = i.results();
    tiles.insert(tiles.end(), i.operands.begin(), i.operands.end());
    std::erase_if(tiles, [&](ValueId value) { return !is_tile(value); });
    for (const ValueId value : tiles) {
      same(id, tiles.front(), value, "operands and results in one layout");
    }
  }

  /// In every thread each register of the result is one of the operand's: by the elements that
  /// threads hold, not by how layouts are derived.
  void moves_nothing(InstId id, const Inst& i) {
    const Layout& to = of(i.result());
    const Layout& from = of(i.operand(0));
    for (int warp = 0; warp < to.warps(); ++warp) {
      for (int lane = 0; lane < codegen::kWarpSize; ++lane) {
        for (int reg = 0; reg < to.registers(); ++reg) {
          const auto wanted = source_of(i, to.element(reg, lane, warp));
          if (!holds(from, wanted, lane, warp)) {
            return fail(id, "the operand's element is in another thread");
          }
        }
      }
    }
  }

  [[nodiscard]] static bool holds(const Layout& layout, std::int64_t element, int lane, int warp) {
    for (int reg = 0; reg < layout.registers(); ++reg) {
      if (layout.element_number(reg, lane, warp) == element) {
        return true;
      }
    }
    return false;
  }

  /// The row-major number of the operand's element that a result's element is.
  [[nodiscard]] std::int64_t source_of(const Inst& i, const codegen::Coordinates& at) const {
    const Shape& from = function_.type(i.operand(0)).shape;
    codegen::Coordinates source{};
    for (int axis = 0; axis < from.rank(); ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      if (i.op == Op::ExpandDims) {
        source[a] = at[a + (axis >= i.int_attr(0) ? 1 : 0)];
      } else if (i.op == Op::Broadcast) {
        source[a] = from[axis] == 1 ? 0 : at[a];
      } else {
        const auto order = i.ints_attr(0);
        source[a] = at[static_cast<std::size_t>(std::ranges::find(order, axis) - order.begin())];
      }
    }
    std::int64_t number = 0;
    for (int axis = 0; axis < from.rank(); ++axis) {
      number = number * from[axis] + source[static_cast<std::size_t>(axis)];
    }
    return number;
  }

  void reshape(InstId id, const Inst& i) {
    const auto free = codegen::reshape_layout(of(i.operand(0)), function_.type(i.result()).shape);
    if (free && !(*free == of(i.result()))) {
      fail(id, "a reshape that could move nothing does");
    }
  }

  void reduce(InstId id, const Inst& i) {
    for (const ValueId operand : i.operands) {
      same(id, i.operands.front(), operand, "operands of a reduction in one layout");
    }
    const Layout slice =
        codegen::slice_layout(of(i.operands.front()), static_cast<int>(i.int_attr(0)));
    for (const ValueId result : i.results()) {
      if (is_tile(result) && !(of(result) == slice)) {
        fail(id, "the result of a reduction in its operand's slice");
      }
    }
  }

  void dot(InstId id, const Inst& i) {
    same(id, i.operand(2), i.result(), "accumulator and result in one layout");
    const codegen::DotPlan plan = codegen::plan_dot(function_, i, gpu_.target);
    if (plan.path != codegen::DotPath::TensorCore) {
      return;
    }
    const Shape& a = function_.type(i.operand(0)).shape;
    const Shape& b = function_.type(i.operand(1)).shape;
    for (int m = 1; m <= gpu_.num_warps; m *= 2) {
      const int n = gpu_.num_warps / m;
      if (of(i.result()) ==
              codegen::mma_accumulator_layout(function_.type(i.result()).shape, m, n) &&
          of(i.operand(0)) == codegen::mma_a_layout(a, plan.element_bits, m, n) &&
          of(i.operand(1)) == codegen::mma_b_layout(b, plan.element_bits, m, n)) {
        return;
      }
    }
    fail(id, "a dot on tensor cores in the instruction's layouts");
  }

  void loop(InstId id, const Inst& i) {
    yields(id, i, initial_values(i));
    for (std::uint32_t k = 0; k < i.result_count; ++k) {
      same(id, i.result(k), body_arg(function_, i, k), "arguments in the layout of results");
    }
    for (const RegionId region : i.regions) {
      yields(id, i, carried_args(function_, region));
      yields(id, i, passed_values(function_, region));
    }
  }

  void yields(InstId id, const Inst& i, std::span<const ValueId> values) {
    for (std::uint32_t k = 0; k < i.result_count; ++k) {
      same(id, i.result(k), values[k], "carried values in the layout of results");
    }
  }

  const codegen::GpuFunction& gpu_;
  const Function& function_;
  std::vector<bool> is_ring_;
  std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> layout_violations(const codegen::GpuFunction& gpu) {
  return Checker(gpu).run();
}

}  // namespace tilery::testing
