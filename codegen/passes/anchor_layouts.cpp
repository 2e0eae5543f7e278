#include "codegen/passes/anchor_layouts.h"

#include "codegen/dot_plan.h"
#include "ir/attributes.h"
#include "ir/operands.h"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <tuple>

namespace tilery::codegen {
namespace {

std::int64_t power_of_two_part(std::int64_t n) {
  return n & -n;
}

std::int64_t elements_per_thread(const Shape& shape, int num_warps) {
  const std::int64_t threads = std::int64_t{num_warps} * kWarpSize;
  return std::max<std::int64_t>(1, std::bit_floor(static_cast<std::uint64_t>(shape.numel())) /
                                       static_cast<std::uint64_t>(threads));
}

/// Which nodes are connected by edges; dots do not connect their operands to their result.
class Components {
 public:
  explicit Components(const LayoutGraph& graph) : parents_(graph.nodes.size()) {
    std::iota(parents_.begin(), parents_.end(), 0);
    for (const LayoutEdge& edge : graph.edges) {
      parents_[static_cast<std::size_t>(of(edge.from))] = of(edge.to);
    }
  }

  int of(int node) {
    while (parents_[static_cast<std::size_t>(node)] != node) {
      int& parent = parents_[static_cast<std::size_t>(node)];
      parent = parents_[static_cast<std::size_t>(parent)];
      node = parent;
    }
    return node;
  }

 private:
  std::vector<int> parents_;
};

class AnchorFinder {
 public:
  AnchorFinder(const Function& function, const AxisTable& axes, const LayoutGraph& graph,
               const Target& target, int num_warps, LayoutPool& pool)
      : function_(function),
        axes_(axes),
        graph_(graph),
        target_(target),
        num_warps_(num_warps),
        pool_(pool) {}

  Anchors run() {
    accesses();
    for (const InstId dot : graph_.dots) {
      if (plan_dot(function_, function_.inst(dot), target_).path == DotPath::TensorCore) {
        add_dot(dot);
      }
    }
    return std::move(anchors_);
  }

 private:
  // ---- accesses ----

  struct Group {
    std::int64_t widest = 1;
    std::int64_t most = 16;  ///< what its stores allow
    std::vector<int> order;
    std::vector<int> warp_order;
  };

  using GroupKey = std::tuple<int, std::vector<std::int32_t>, std::vector<int>>;

  void accesses() {
    Components components(graph_);
    std::map<GroupKey, Group> groups;
    std::vector<std::pair<int, const Group*>> members;
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      const LayoutNode& node = graph_.nodes[i];
      if (!node.access) {
        continue;
      }
      const auto order = access_order(axes_, function_, node.access);
      const std::vector<std::int32_t> extents(node.shape.begin(), node.shape.end());
      Group& group = groups[{components.of(static_cast<int>(i)), extents, order}];
      if (group.order.empty()) {
        group.order = order;
        group.warp_order = warp_order(components, static_cast<int>(i), order);
      }
      widen(group, node.access, order.front());
      members.emplace_back(static_cast<int>(i), &group);
    }
    for (const auto& [node, group] : members) {
      add_access(node, *group);
    }
  }

  /// `order`, with the axis along which tiles of this shape are reduced last, if it is one axis.
  [[nodiscard]] std::vector<int> warp_order(Components& components, int node,
                                            std::vector<int> order) const {
    int reduced = -1;
    for (const LayoutEdge& edge : graph_.edges) {
      const Inst& user = function_.inst(edge.user);
      const LayoutNode& tile = graph_.nodes[static_cast<std::size_t>(edge.to)];
      if (user.op != Op::Reduce || edge.relation != Relation::Same ||
          components.of(edge.to) != components.of(node) ||
          !(tile.shape == graph_.nodes[static_cast<std::size_t>(node)].shape)) {
        continue;
      }
      const auto axis = static_cast<int>(int_attr<"axis">(user));
      if (reduced >= 0 && reduced != axis) {
        return order;
      }
      reduced = axis;
    }
    std::ranges::stable_partition(order, [&](int axis) { return axis != reduced; });
    return order;
  }

  [[nodiscard]] int element_bytes(InstId access) const {
    return function_.type(operand<"ptr">(function_.inst(access))).element.pointee().byte_size();
  }

  void widen(Group& group, InstId access, int axis) const {
    group.widest =
        std::max<std::int64_t>(group.widest, access_elements(axes_, function_, access, axis));
    if (function_.inst(access).op == Op::Store) {
      group.most = std::min<std::int64_t>(group.most, 16 / element_bytes(access));
    }
  }

  void add_access(int node, const Group& group) {
    const LayoutNode& n = graph_.nodes[static_cast<std::size_t>(node)];
    const std::int64_t per_thread =
        std::min({group.widest, group.most, elements_per_thread(n.shape, num_warps_)});
    Anchor anchor;
    anchor.node = node;
    anchor.layout = pool_.intern(blocked_layout(n.shape, group.order, static_cast<int>(per_thread),
                                                num_warps_, group.warp_order));
    anchor.bytes = n.times * n.shape.numel() * element_bytes(n.access);
    anchor.is_fixed = function_.inst(n.access).op == Op::Load && n.times > 1 && feeds_dot(node);
    anchors_.all.push_back(anchor);
  }

  // ---- dots ----

  /// The nodes that values flow to from this one.
  [[nodiscard]] std::vector<bool> reached_from(int start) const {
    std::vector<bool> reached(graph_.nodes.size(), false);
    std::vector<int> stack{start};
    while (!stack.empty()) {
      const int node = stack.back();
      stack.pop_back();
      for (const int index : graph_.nodes[static_cast<std::size_t>(node)].edges) {
        const LayoutEdge& edge = graph_.edges[static_cast<std::size_t>(index)];
        if (edge.from == node && !reached[static_cast<std::size_t>(edge.to)]) {
          reached[static_cast<std::size_t>(edge.to)] = true;
          stack.push_back(edge.to);
        }
      }
    }
    return reached;
  }

  [[nodiscard]] bool feeds_dot(int node) const {
    if (graph_.dots.empty()) {
      return false;
    }
    const std::vector<bool> reached = reached_from(node);
    return std::ranges::any_of(graph_.dots, [&](InstId dot) {
      return is_reached(reached, dot, 0) || is_reached(reached, dot, 1);
    });
  }

  [[nodiscard]] bool is_reached(const std::vector<bool>& reached, InstId dot, int operand) const {
    const int node = graph_.node_of_dot_operand(dot, operand);
    return node >= 0 && reached[static_cast<std::size_t>(node)];
  }

  /// Whether this dot's result feeds another's left operand or a reduction over its columns, or its
  /// left operand is another's result.
  [[nodiscard]] bool wants_whole_rows(InstId dot) const {
    const std::vector<bool> reached = reached_from(graph_.node_of(function_.inst(dot).result()));
    const bool feeds = std::ranges::any_of(
        graph_.dots, [&](InstId other) { return is_reached(reached, other, 0); });
    const bool is_fed = std::ranges::any_of(graph_.dots, [&](InstId other) {
      return is_reached(reached_from(graph_.node_of(function_.inst(other).result())), dot, 0);
    });
    return feeds || is_fed || is_reduced_over_columns(reached);
  }

  [[nodiscard]] bool is_reduced_over_columns(const std::vector<bool>& reached) const {
    return std::ranges::any_of(graph_.edges, [&](const LayoutEdge& edge) {
      const Inst& user = function_.inst(edge.user);
      return reached[static_cast<std::size_t>(edge.to)] && user.op == Op::Reduce &&
             edge.relation == Relation::Same &&
             int_attr<"axis">(user) ==
                 graph_.nodes[static_cast<std::size_t>(edge.to)].shape.rank() - 1;
    });
  }

  /// Warps along M and N. A warp reads its rows of a and its columns of b: few of both together.
  [[nodiscard]] std::array<int, 2> dot_warps(InstId dot) const {
    const Shape& shape = function_.type(function_.inst(dot).result()).shape;
    const std::int64_t rows = power_of_two_part(shape[shape.rank() - 2]);
    const std::int64_t columns = power_of_two_part(shape[shape.rank() - 1]);
    const auto most_m = static_cast<int>(std::clamp<std::int64_t>(rows / 16, 1, num_warps_));
    if (wants_whole_rows(dot)) {
      return {most_m, num_warps_ / most_m};
    }
    std::array<int, 2> best{most_m, num_warps_ / most_m};
    std::int64_t best_cost = INT64_MAX;
    for (int m = most_m; m >= 1; m /= 2) {
      const int n = num_warps_ / m;
      const std::int64_t cost =
          rows / m + std::max<std::int64_t>(8, columns / n) + (columns / n < 8 ? rows : 0);
      if (cost < best_cost) {
        best = {m, n};
        best_cost = cost;
      }
    }
    return best;
  }

  void add_dot(InstId id) {
    const Inst& dot = function_.inst(id);
    const int bits = plan_dot(function_, dot, target_).element_bits;
    const auto [m, n] = dot_warps(id);
    const Shape& a = function_.type(operand<"a">(dot)).shape;
    const Shape& b = function_.type(operand<"b">(dot)).shape;
    DotLayouts layouts;
    layouts.acc = pool_.intern(mma_accumulator_layout(function_.type(dot.result()).shape, m, n));
    layouts.operands = {pool_.intern(mma_a_layout(a, bits, m, n)),
                        pool_.intern(mma_b_layout(b, bits, m, n))};
    anchors_.all.push_back({graph_.node_of(dot.result()), layouts.acc, true, 0});
    for (int i = 0; i < 2; ++i) {
      if (graph_.node_of_dot_operand(id, i) >= 0) {
        anchors_.all.push_back({graph_.node_of_dot_operand(id, i),
                                layouts.operands[static_cast<std::size_t>(i)], true, 0});
      }
    }
    anchors_.dots.emplace(id.index, layouts);
  }

  const Function& function_;
  const AxisTable& axes_;
  const LayoutGraph& graph_;
  const Target& target_;
  int num_warps_;
  LayoutPool& pool_;
  Anchors anchors_;
};

/// The 32-byte sectors that one instruction of a warp touches: lanes at the same place share, and
/// pieces that follow each other in a run do.
std::int64_t sectors_of(const Layout& layout, int axis, std::int64_t run, std::int64_t piece_bytes,
                        std::int64_t element_bytes) {
  constexpr std::int64_t kSectorBytes = 32;
  std::vector<std::array<std::int64_t, 2>> sectors;
  const std::int64_t per_piece = std::max<std::int64_t>(1, piece_bytes / kSectorBytes);
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    const std::uint32_t base = layout.base_index(Place::Lane, lane);
    const std::int64_t at = layout.axis_part(base, axis);
    const std::int64_t others = base & ~layout.base_index_of(axis, ~0U);
    const std::int64_t byte = at % run * element_bytes;
    // Different runs lie apart: a number for each.
    sectors.push_back({others * (std::int64_t{1} << 32) + at / run, byte / kSectorBytes});
  }
  std::ranges::sort(sectors);
  const auto end = std::unique(sectors.begin(), sectors.end());
  return (end - sectors.begin()) * per_piece;
}

/// What one instruction of an access moves.
struct Pieces {
  std::int64_t elements = 1;  ///< of one thread
  std::int64_t bytes = 0;     ///< of one thread
  std::int64_t sectors = 0;   ///< that the warp touches
};

Pieces pieces_of(const Function& function, const AxisTable& axes, InstId access,
                 const Layout& layout) {
  const int axis = access_order(axes, function, access).front();
  const ValueId ptr = operand<"ptr">(function.inst(access));
  const std::int64_t bytes = function.type(ptr).element.pointee().byte_size();
  const std::int64_t piece =
      std::min(access_elements(axes, function, access, axis), layout.contiguous_registers(axis));
  const std::int64_t run = axes.of(ptr).axes[static_cast<std::size_t>(axis)].contiguity;
  return {piece, piece * bytes,
          sectors_of(layout, axis, std::max(run, piece), piece * bytes, bytes)};
}

}  // namespace

Anchors find_anchors(const Function& function, const AxisTable& axes, const LayoutGraph& graph,
                     const Target& target, int num_warps, LayoutPool& pool) {
  return AnchorFinder(function, axes, graph, target, num_warps, pool).run();
}

Layout default_layout(const Shape& shape, int num_warps) {
  constexpr std::int64_t kPerThread = 4;
  std::vector<int> order(static_cast<std::size_t>(shape.rank()));
  std::iota(order.rbegin(), order.rend(), 0);
  const std::int64_t per_thread = std::min(kPerThread, elements_per_thread(shape, num_warps));
  return blocked_layout(shape, order, static_cast<int>(per_thread), num_warps);
}

std::int64_t access_cost(const Function& function, const AxisTable& axes, InstId access,
                         const Layout& layout) {
  constexpr std::int64_t kIssueCost = 4;
  const Pieces pieces = pieces_of(function, axes, access, layout);
  const std::int64_t instructions = std::max<std::int64_t>(1, layout.registers() / pieces.elements);
  return instructions * (kIssueCost + pieces.sectors);
}

AccessSectors access_sectors(const Function& function, const AxisTable& axes, InstId access,
                             const Layout& layout) {
  constexpr std::int64_t kSectorBytes = 32;
  const Pieces pieces = pieces_of(function, axes, access, layout);
  const std::int64_t lanes = kWarpSize >> std::popcount(layout.copy_bits(Place::Lane));
  return {pieces.sectors, std::max<std::int64_t>(1, lanes * pieces.bytes / kSectorBytes)};
}

}  // namespace tilery::codegen
