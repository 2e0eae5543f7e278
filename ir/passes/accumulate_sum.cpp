#include "ir/passes/accumulate_sum.h"

#include "ir/analysis/combine_kind.h"
#include "ir/analysis/loops.h"
#include "ir/analysis/uses.h"
#include "ir/builder.h"

#include <algorithm>
#include <vector>

namespace tilery {
namespace {

/// One running sum of a loop.
struct RunningSum {
  std::size_t carried = 0;
  InstId add;
  InstId reduce;
  int acc_side = 0;  ///< operand of `add` that is the carried value
};

class Accumulation {
 public:
  explicit Accumulation(Function& function) : function_(function), uses_(find_uses(function)) {}

  bool run() {
    bool changed = false;
    for_each_inst(function_, function_.body, [&](InstId id) {
      for (std::size_t k = 0;
           function_.inst(id).op == Op::For && k < function_.inst(id).result_count; ++k) {
        if (const auto sum = running_sum(id, k)) {
          rewrite(id, *sum);
          changed = true;
        }
      }
    });
    return changed;
  }

 private:
  /// The sum that carried value `k` is, if the header's rule says so.
  std::optional<RunningSum> running_sum(InstId loop, std::size_t k) const {
    const Inst& inst = function_.inst(loop);
    const RegionId body = inst.regions[0];
    const Carried carried = carried_value(function_, inst, k);
    const ValueId acc = carried.arg;
    const InstId add = function_.value(carried.next).def;
    if (!is_once_in(add, body, Op::Add) || uses_.count(acc) != 1) {
      return std::nullopt;
    }
    for (const int side : {0, 1}) {
      const InstId reduce = function_.value(function_.inst(add).operand(1 - side)).def;
      if (function_.inst(add).operand(side) == acc && is_once_in(reduce, body, Op::Reduce) &&
          is_sum(function_.inst(reduce)) &&
          is_inside(function_, function_.inst(reduce).operand(0), loop)) {
        return RunningSum{k, add, reduce, side};
      }
    }
    return std::nullopt;
  }

  /// An instruction of this op, directly in the body, whose only result is used once.
  [[nodiscard]] bool is_once_in(InstId id, RegionId body, Op op) const {
    if (!id || function_.inst(id).op != op) {
      return false;
    }
    const Inst& inst = function_.inst(id);
    return inst.parent == body && inst.result_count == 1 && uses_.count(inst.result()) == 1;
  }

  [[nodiscard]] bool is_sum(const Inst& reduce) const {
    return reduce.operands.size() == 1 &&
           combine_kind(function_, reduce.regions[0]) == CombineKind::Add;
  }

  void rewrite(InstId loop, const RunningSum& sum) {
    const ValueId x = function_.inst(sum.reduce).operand(0);
    const Type tile = function_.type(x);
    const Carried carried = carried_value(function_, function_.inst(loop), sum.carried);

    // In the loop: the tile takes the scalar's place, and the sum adds tiles.
    Builder builder(function_);
    builder.set_before(loop);
    builder.set_loc(function_.inst(sum.add).loc);
    const ValueId zero = nothing(builder, tile);
    Inst& inst = function_.inst(loop);
    inst.operands[first_init(inst) + sum.carried] = zero;
    for (const ValueId value : {carried.arg, carried.result, function_.inst(sum.add).result()}) {
      function_.value(value).type = tile;
    }
    function_.inst(sum.add).operands[static_cast<std::size_t>(1 - sum.acc_side)] = x;

    finish(loop, sum, carried.init, carried.result);
  }

  /// What adds without a trace.
  static ValueId nothing(Builder& builder, const Type& type) {
    return is_float(type.element.scalar) ? builder.constant_float(type, -0.0)
                                         : builder.constant_int(type, 0);
  }

  /// After the loop: the same reduce, on the tile, and the initial value added.
  void finish(InstId loop, const RunningSum& sum, ValueId init, ValueId tile) {
    move_behind(sum.reduce, loop);
    function_.inst(sum.reduce).operands[0] = tile;
    const ValueId partial = function_.inst(sum.reduce).result();
    Inst add = function_.inst(sum.add);
    add.operands[static_cast<std::size_t>(sum.acc_side)] = init;
    add.operands[static_cast<std::size_t>(1 - sum.acc_side)] = partial;
    const Type type = function_.type(partial);
    Builder builder(function_);
    builder.set_region(function_.inst(loop).parent);
    builder.set_loc(add.loc);
    const InstId total = builder.place(std::move(add), {&type, 1});
    move_behind(total, sum.reduce);
    const ValueId total_value = function_.inst(total).result();
    function_.value(total_value).name = std::move(function_.value(tile).name);
    function_.value(tile).name.clear();
    replace_uses(function_, tile, total_value);
    // That use of the tile stays.
    function_.inst(sum.reduce).operands[0] = tile;
  }

  void move_behind(InstId id, InstId place) {
    std::vector<InstId>& from = function_.region(function_.inst(id).parent).insts;
    from.erase(std::ranges::find(from, id));
    const RegionId region = function_.inst(place).parent;
    std::vector<InstId>& to = function_.region(region).insts;
    to.insert(std::ranges::find(to, place) + 1, id);
    function_.inst(id).parent = region;
  }

  Function& function_;
  /// As of the start. A rewrite changes no count that a later question asks about: what it moves
  /// was used once before and is used once after.
  const Uses uses_;
};

}  // namespace

bool accumulate_sum(Function& function) {
  return Accumulation(function).run();
}

}  // namespace tilery
