#include "codegen/passes/assign_layouts.h"

#include "codegen/analysis/axis_info.h"
#include "codegen/passes/anchor_layouts.h"
#include "codegen/passes/layout_choice.h"
#include "codegen/passes/layout_graph.h"
#include "codegen/passes/layout_pool.h"
#include "ir/analysis/loops.h"
#include "ir/builder.h"
#include "ir/support/check.h"

#include <algorithm>
#include <map>

namespace tilery::codegen {
namespace {

/// Writes chosen layouts into a function: layouts of values, conversions, and copies of what is
/// cheap to make again.
class Rewriter {
 public:
  Rewriter(GpuFunction& gpu, const LayoutGraph& graph, std::vector<LayoutId> labels,
           const Anchors& anchors, LayoutPool& pool)
      : gpu_(gpu),
        function_(gpu.function),
        graph_(graph),
        labels_(std::move(labels)),
        anchors_(anchors),
        pool_(pool),
        scalar_(pool.intern(scalar_layout(gpu.num_warps))) {}

  void run() {
    visit(function_.body);
    finish(function_.body);
  }

 private:
  // ---- each instruction in program order ----

  void visit(RegionId region) {
    for (const ValueId arg : function_.region(region).args) {
      set_own_layout(arg);
    }
    for (const InstId id : std::vector<InstId>(function_.region(region).insts)) {
      rewrite(id);
      if (function_.inst(id).op != Op::Reduce && function_.inst(id).op != Op::Scan) {
        for (const RegionId nested : std::vector<RegionId>(function_.inst(id).regions)) {
          visit(nested);
        }
      }
    }
  }

  void rewrite(InstId id) {
    const Inst& inst = function_.inst(id);
    for (std::uint32_t i = 0; i < inst.result_count; ++i) {
      set_own_layout(inst.result(i));
    }
    if (inst.op == Op::Yield || inst.op == Op::Condition) {
      end_of_region(id);
    } else if (is_loop(inst.op)) {
      initial_values(id);
    } else if (inst.op == Op::Dot) {
      dot(id);
    } else if (inst.op == Op::DevicePrint || inst.op == Op::RingInsert) {
      take_any(id);
    } else if (const int node = node_of(id); node >= 0) {
      take_operands(id, label(node));
    }
  }

  /// The node whose layout an instruction's operands follow from; -1 if it is cheap or has no tile.
  [[nodiscard]] int node_of(InstId id) const {
    const Inst& inst = function_.inst(id);
    const int node = graph_.node_of(id);
    return node >= 0 || inst.result_count == 0 ? node : graph_.node_of(inst.result());
  }

  [[nodiscard]] LayoutId label(int node) const { return labels_[static_cast<std::size_t>(node)]; }

  void set_own_layout(ValueId value) {
    if (function_.type(value).is_scalar()) {
      set(value, scalar_);
    } else if (const int node = graph_.node_of(value); node >= 0) {
      set(value, label(node));
    }
  }

  void set(ValueId value, LayoutId layout) { gpu_.layouts.set(value, pool_.shared(layout)); }

  void take_operands(InstId id, LayoutId layout) {
    const Relation relation = relation_of(function_.inst(id).op);
    for (std::size_t i = 0; i < function_.inst(id).operands.size(); ++i) {
      take(id, i, relation, layout);
    }
  }

  /// Makes operand `i` of the instruction fit to a result in `layout`.
  void take(InstId id, std::size_t i, Relation relation, LayoutId layout) {
    const ValueId operand = function_.inst(id).operands[i];
    if (!graph_.is_tile(function_, operand)) {
      return;
    }
    const auto wanted =
        wanted_layout(function_, relation, function_.inst(id), operand, layout, pool_);
    if (!wanted) {
      any_layout(id, i);
      return;
    }
    const ValueId fitting = in_layout(operand, *wanted, id);
    function_.inst(id).operands[i] = fitting;
  }

  void any_layout(InstId id, std::size_t i) {
    const ValueId operand = function_.inst(id).operands[i];
    if (graph_.is_tile(function_, operand) && graph_.node_of(operand) < 0) {
      function_.inst(id).operands[i] = made_in(operand, fallback(operand));
    }
  }

  void take_any(InstId id) {
    for (std::size_t i = 0; i < function_.inst(id).operands.size(); ++i) {
      any_layout(id, i);
    }
  }

  /// The layout of a cheap value whose user takes any: the one that it has, if it has one.
  [[nodiscard]] LayoutId fallback(ValueId value) const {
    const auto home = homes_.find(value);
    return home != homes_.end()
               ? home->second
               : pool_.intern(default_layout(function_.type(value).shape, gpu_.num_warps));
  }

  void dot(InstId id) {
    const auto tensor_core = anchors_.dots.find(id.index);
    take(id, 2, Relation::Same, label(graph_.node_of(function_.inst(id).result())));
    for (std::size_t i = 0; i < 2; ++i) {
      if (tensor_core == anchors_.dots.end()) {
        any_layout(id, i);
      } else {
        take(id, i, Relation::Same, tensor_core->second.operands[i]);
      }
    }
  }

  void initial_values(InstId id) {
    const std::size_t first = first_init(function_.inst(id));
    for (std::size_t i = 0; i < carried_count(function_.inst(id)); ++i) {
      const ValueId result = function_.inst(id).result(static_cast<std::uint32_t>(i));
      take_as(id, first + i, result);
    }
  }

  /// A terminator's values take the layouts of its owner's results.
  void end_of_region(InstId id) {
    const Inst& end = function_.inst(id);
    const InstId owner = function_.region(end.parent).owner;
    if (!owner) {
      return;
    }
    const std::size_t first = first_passed(end);
    for (std::uint32_t i = 0; i < function_.inst(owner).result_count; ++i) {
      take_as(id, first + i, function_.inst(owner).result(i));
    }
  }

  void take_as(InstId id, std::size_t operand, ValueId carried) {
    if (graph_.is_tile(function_, carried)) {
      take(id, operand, Relation::Same, label(graph_.node_of(carried)));
    }
  }

  // ---- a value in a layout ----

  [[nodiscard]] ValueId in_layout(ValueId value, LayoutId layout, InstId user) {
    const int node = graph_.node_of(value);
    if (node < 0) {
      return made_in(value, layout);
    }
    if (label(node) == layout) {
      return value;
    }
    const auto [entry, is_new] = others_.try_emplace({value, layout});
    if (is_new) {
      entry->second = converted(value, layout, user);
    }
    return entry->second;
  }

  /// %0 = convert_layout %value, before the first user or the loop or branch that holds it.
  ValueId converted(ValueId value, LayoutId layout, InstId user) {
    const Value& v = function_.value(value);
    const RegionId home = v.def ? function_.inst(v.def).parent : v.region;
    while (function_.inst(user).parent != home) {
      user = function_.region(function_.inst(user).parent).owner;
    }
    Builder builder(function_);
    builder.set_before(user);
    builder.set_loc(v.def ? function_.inst(v.def).loc : function_.inst(user).loc);
    const ValueId result = builder.map(Op::ConvertLayout, {value});
    set(result, layout);
    return result;
  }

  /// A cheap value: itself for the first layout that is asked for, a copy for each further one.
  ValueId made_in(ValueId value, LayoutId layout) {
    if (const auto copy = originals_.find(value); copy != originals_.end()) {
      value = copy->second;
    }
    const auto [home, is_first] = homes_.try_emplace(value, layout);
    if (is_first) {
      set(value, layout);
      take_operands(function_.value(value).def, layout);
      return value;
    }
    if (home->second == layout) {
      return value;
    }
    const auto [entry, is_new] = others_.try_emplace({value, layout});
    if (is_new) {
      const ValueId copy = copied(value);
      entry->second = copy;
      originals_.emplace(copy, value);
      set(copy, layout);
      take_operands(function_.value(copy).def, layout);
    }
    return entry->second;
  }

  /// The same instruction again, right behind the first.
  ValueId copied(ValueId value) {
    const InstId def = function_.value(value).def;
    const std::vector<InstId>& around = function_.region(function_.inst(def).parent).insts;
    Builder builder(function_);
    builder.set_before(*std::next(std::ranges::find(around, def)));
    Inst again = function_.inst(def);
    builder.set_loc(again.loc);
    const Type type = function_.type(value);
    const InstId copy = builder.place(std::move(again), std::array{type});
    const ValueId result = function_.inst(copy).result();
    function_.value(result).name = function_.value(value).name;
    return result;
  }

  /// Layouts for what no one asked for: cheap values without a user, arguments of combine regions.
  void finish(RegionId region) {
    for (const ValueId arg : function_.region(region).args) {
      finish(arg);
    }
    for (const InstId id : std::vector<InstId>(function_.region(region).insts)) {
      for (std::uint32_t i = 0; i < function_.inst(id).result_count; ++i) {
        finish(function_.inst(id).result(i));
      }
      for (const RegionId nested : std::vector<RegionId>(function_.inst(id).regions)) {
        finish(nested);
      }
    }
  }

  void finish(ValueId value) {
    if (gpu_.layouts.has(value)) {
      return;
    }
    if (graph_.is_tile(function_, value)) {
      made_in(value, fallback(value));
    } else if (function_.type(value).is_scalar()) {
      set(value, scalar_);
    }
  }

  GpuFunction& gpu_;
  Function& function_;
  const LayoutGraph& graph_;
  std::vector<LayoutId> labels_;
  const Anchors& anchors_;
  LayoutPool& pool_;
  LayoutId scalar_;
  /// The layout of each cheap value that someone asked for.
  std::map<ValueId, LayoutId> homes_;
  /// Conversions, and copies of cheap values.
  std::map<std::pair<ValueId, LayoutId>, ValueId> others_;
  /// What each copy is a copy of.
  std::map<ValueId, ValueId> originals_;
};

}  // namespace

bool assign_layouts(GpuFunction& gpu) {
  gpu.layouts = {};
  LayoutPool pool;
  const AxisTable axes = find_axis_info(gpu.function);
  const LayoutGraph graph = build_layout_graph(gpu.function, gpu.target);
  const Anchors anchors = find_anchors(gpu.function, axes, graph, gpu.target, gpu.num_warps, pool);
  std::vector<LayoutId> labels =
      choose_layouts(gpu.function, axes, graph, anchors, gpu.num_warps, pool);
  Rewriter(gpu, graph, std::move(labels), anchors, pool).run();
  return true;
}

}  // namespace tilery::codegen
