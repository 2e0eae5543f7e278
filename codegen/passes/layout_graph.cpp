#include "codegen/passes/layout_graph.h"

#include "codegen/dot_plan.h"
#include "codegen/ring_layout.h"
#include "ir/analysis/loops.h"
#include "ir/operands.h"

#include <algorithm>
#include <array>

namespace tilery::codegen {
namespace {

constexpr std::int64_t kIterations = 8;
/// Deeper loops count no more: the products stay far from overflow.
constexpr std::int64_t kMostTimes = kIterations * kIterations * kIterations;

/// Map ops that take many instructions an element. Integer division is not among them: it costs
/// less than a way through shared memory.
bool is_costly(Op op) {
  constexpr std::array kCostly{Op::Exp, Op::Exp2, Op::Log,  Op::Log2,  Op::Sin,
                               Op::Cos, Op::Erf,  Op::Sqrt, Op::Rsqrt, Op::Div};
  return std::ranges::find(kCostly, op) != kCostly.end();
}

/// True for ops that may be made again in another layout if their operands may.
bool may_be_cheap(Op op) {
  constexpr std::array kCheap{Op::Constant,   Op::Arange,        Op::Splat,       Op::Broadcast,
                              Op::ExpandDims, Op::Reshape,       Op::Trans,       Op::AddPtr,
                              Op::MultipleOf, Op::MaxContiguous, Op::MaxConstancy};
  return std::ranges::find(kCheap, op) != kCheap.end() || (op_def(op).is_map() && !is_costly(op));
}

}  // namespace

class LayoutGraphBuilder {
 public:
  LayoutGraphBuilder(const Function& function, const Target& target)
      : function_(function), target_(target), value_times_(function.values.size(), 1) {
    graph_.value_nodes_.assign(function.values.size(), -1);
    graph_.is_ring_ = find_ring_values(function);
  }

  LayoutGraph run() {
    visit(function_.body, 1);
    return std::move(graph_);
  }

 private:
  void visit(RegionId region, std::int64_t times) {
    times_ = times;
    for (const ValueId arg : function_.region(region).args) {
      value_times_[arg.index] = times;
    }
    for (const InstId id : function_.region(region).insts) {
      const Inst& inst = function_.inst(id);
      for (std::uint32_t i = 0; i < inst.result_count; ++i) {
        value_times_[inst.result(i).index] = times;
      }
      add(id);
      times_ = times;
    }
  }

  void add(InstId id) {
    const Inst& inst = function_.inst(id);
    if (is_loop(inst.op)) {
      loop(id);
    } else if (inst.op == Op::If) {
      branch(id);
    } else if (inst.op == Op::Dot) {
      dot(id);
    } else if (inst.op == Op::Reduce) {
      reduce(id);
    } else if (inst.op == Op::Scan) {
      scan(id);
    } else if (inst.op == Op::Store || inst.op == Op::DeviceAssert) {
      if (has_tile_operand(inst)) {
        const int node = inst_node(id, function_.type(inst.operands.front()).shape);
        graph_.nodes[static_cast<std::size_t>(node)].access = inst.op == Op::Store ? id : InstId();
        use_operands(id, node);
      }
    } else if (inst.result_count == 1 && graph_.is_tile(function_, inst.result()) &&
               !is_cheap(inst)) {
      const int node = value_node(inst.result());
      graph_.nodes[static_cast<std::size_t>(node)].access = inst.op == Op::Load ? id : InstId();
      use_operands(id, node);
    }
  }

  [[nodiscard]] bool has_tile_operand(const Inst& inst) const {
    return std::ranges::any_of(inst.operands,
                               [&](ValueId x) { return graph_.is_tile(function_, x); });
  }

  [[nodiscard]] bool is_cheap(const Inst& inst) const {
    return may_be_cheap(inst.op) &&
           std::ranges::none_of(inst.operands, [&](ValueId x) { return graph_.node_of(x) >= 0; });
  }

  int add_node(const Shape& shape) {
    LayoutNode node;
    node.shape = shape;
    node.times = times_;
    graph_.nodes.push_back(std::move(node));
    return static_cast<int>(graph_.nodes.size()) - 1;
  }

  int value_node(ValueId value) {
    const int node = add_node(function_.type(value).shape);
    graph_.value_nodes_[value.index] = node;
    return node;
  }

  int inst_node(InstId inst, const Shape& shape) {
    const int node = add_node(shape);
    graph_.inst_nodes_[inst.index] = node;
    return node;
  }

  void connect(int from, int to, Relation relation, InstId user, ValueId value) {
    const Type& type = function_.type(value);
    LayoutEdge edge;
    edge.from = from;
    edge.to = to;
    edge.relation = relation;
    edge.user = user;
    edge.element_bytes = type.element.byte_size();
    edge.times = value_times_[value.index];
    edge.bytes = edge.times * type.numel() * edge.element_bytes;
    const int index = static_cast<int>(graph_.edges.size());
    graph_.edges.push_back(edge);
    graph_.nodes[static_cast<std::size_t>(from)].edges.push_back(index);
    graph_.nodes[static_cast<std::size_t>(to)].edges.push_back(index);
  }

  /// An edge if the value has a node and is not the user itself.
  void use(ValueId value, int user_node, Relation relation, InstId user) {
    const int node = graph_.node_of(value);
    if (node >= 0 && node != user_node) {
      connect(node, user_node, relation, user, value);
    }
  }

  void use_operands(InstId id, int node) {
    const Inst& inst = function_.inst(id);
    for (const ValueId operand : inst.operands) {
      use(operand, node, relation_of(inst.op), id);
    }
  }

  void reduce(InstId id) {
    const Inst& inst = function_.inst(id);
    const int node = inst_node(id, function_.type(inst.operands.front()).shape);
    use_operands(id, node);
    for (std::uint32_t i = 0; i < inst.result_count; ++i) {
      if (graph_.is_tile(function_, inst.result(i))) {
        const int result = value_node(inst.result(i));
        graph_.nodes[static_cast<std::size_t>(result)].is_result_of_reduction = true;
        connect(node, result, Relation::Slice, id, inst.result(i));
      }
    }
  }

  void scan(InstId id) {
    const Inst& inst = function_.inst(id);
    const int node = inst_node(id, function_.type(inst.operands.front()).shape);
    use_operands(id, node);
    for (std::uint32_t i = 0; i < inst.result_count; ++i) {
      graph_.value_nodes_[inst.result(i).index] = node;
    }
  }

  void dot(InstId id) {
    const Inst& inst = function_.inst(id);
    graph_.dots.push_back(id);
    const int result = value_node(inst.result());
    use(operand<"acc">(inst), result, Relation::Same, id);
    if (plan_dot(function_, inst, target_).path != DotPath::TensorCore) {
      return;
    }
    std::array<int, 2> operands{-1, -1};
    for (int i = 0; i < 2; ++i) {
      if (graph_.node_of(inst.operand(i)) >= 0) {
        operands[static_cast<std::size_t>(i)] = add_node(function_.type(inst.operand(i)).shape);
        use(inst.operand(i), operands[static_cast<std::size_t>(i)], Relation::Same, id);
      }
    }
    graph_.dot_operand_nodes_[id.index] = operands;
  }

  void loop(InstId id) {
    const Inst& inst = function_.inst(id);
    const std::int64_t outside = times_;
    const std::int64_t inside = std::min(kMostTimes, times_ * kIterations);
    std::vector<int> carried(carried_count(inst), -1);
    for (std::size_t i = 0; i < carried.size(); ++i) {
      const Carried value = carried_value(function_, inst, i);
      if (!graph_.is_tile(function_, value.result)) {
        continue;
      }
      carried[i] = value_node(value.result);
      graph_.nodes[static_cast<std::size_t>(carried[i])].times = inside;
      graph_.value_nodes_[value.arg.index] = carried[i];
      graph_.value_nodes_[value.body_arg.index] = carried[i];
      use(value.init, carried[i], Relation::Same, id);
    }
    for (const RegionId region : inst.regions) {
      visit(region, inside);
      use_passed(region, carried, id);
    }
    times_ = outside;
  }

  void branch(InstId id) {
    const Inst& inst = function_.inst(id);
    const std::int64_t times = times_;
    std::vector<int> results(inst.result_count, -1);
    for (std::uint32_t i = 0; i < inst.result_count; ++i) {
      results[i] = graph_.is_tile(function_, inst.result(i)) ? value_node(inst.result(i)) : -1;
    }
    for (const RegionId region : inst.regions) {
      visit(region, times);
      use_passed(region, results, id);
    }
  }

  void use_passed(RegionId region, const std::vector<int>& nodes, InstId user) {
    const std::span<const ValueId> values = passed_values(function_, region);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (nodes[i] >= 0) {
        use(values[i], nodes[i], Relation::Same, user);
      }
    }
  }

  const Function& function_;
  const Target& target_;
  LayoutGraph graph_;
  std::vector<std::int64_t> value_times_;
  std::int64_t times_ = 1;
};

int LayoutGraph::node_of(InstId inst) const {
  const auto found = inst_nodes_.find(inst.index);
  return found == inst_nodes_.end() ? -1 : found->second;
}

int LayoutGraph::node_of_dot_operand(InstId dot, int operand) const {
  const auto found = dot_operand_nodes_.find(dot.index);
  return found == dot_operand_nodes_.end() ? -1 : found->second[static_cast<std::size_t>(operand)];
}

Relation relation_of(Op op) {
  if (op == Op::ExpandDims) {
    return Relation::Expand;
  }
  if (op == Op::Broadcast) {
    return Relation::Broadcast;
  }
  if (op == Op::Trans) {
    return Relation::Trans;
  }
  return op == Op::Reshape ? Relation::Reshape : Relation::Same;
}

LayoutGraph build_layout_graph(const Function& function, const Target& target) {
  return LayoutGraphBuilder(function, target).run();
}

}  // namespace tilery::codegen
