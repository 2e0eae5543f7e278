#include "codegen/passes/layout_choice.h"

#include "ir/attributes.h"
#include "ir/support/check.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <queue>

namespace tilery::codegen {
namespace {

/// Enough for every kernel that people write; unrolled ones with hundreds of accesses are left with
/// a few conversions more. Each trial walks over all edges.
constexpr std::size_t kMostTrials = 64;
constexpr std::size_t kMostSteps = 100'000;

/// A layout on its way along an edge.
struct Step {
  std::int64_t bytes = 0;
  int edge = -1;
  bool is_forward = true;

  /// The queue gives the heaviest first; of equals, the one that comes first in the program.
  friend bool operator<(const Step& a, const Step& b) {
    return a.bytes != b.bytes ? a.bytes < b.bytes : a.edge > b.edge;
  }
};

std::vector<std::int64_t> inverse(std::span<const std::int64_t> order) {
  std::vector<std::int64_t> result(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    result[static_cast<std::size_t>(order[i])] = static_cast<std::int64_t>(i);
  }
  return result;
}

class Chooser {
 public:
  Chooser(const Function& function, const AxisTable& axes, const LayoutGraph& graph,
          const Anchors& anchors, int num_warps, LayoutPool& pool)
      : function_(function),
        axes_(axes),
        graph_(graph),
        anchors_(anchors.all),
        num_warps_(num_warps),
        pool_(pool) {}

  std::vector<LayoutId> run() {
    std::vector<bool> kept(anchors_.size(), true);
    std::vector<LayoutId> best = grown(kept);
    if (conversions(best) == 0) {
      return best;
    }
    std::int64_t best_cost = cost(best);
    for (const std::size_t anchor : by_size()) {
      kept[anchor] = false;
      std::vector<LayoutId> trial = grown(kept);
      const std::int64_t trial_cost = cost(trial);
      if (trial_cost <= best_cost) {
        best = std::move(trial);
        best_cost = trial_cost;
      } else {
        kept[anchor] = true;
      }
    }
    return best;
  }

 private:
  /// The anchors that may be given up, smallest first.
  [[nodiscard]] std::vector<std::size_t> by_size() const {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < anchors_.size(); ++i) {
      if (!anchors_[i].is_fixed) {
        order.push_back(i);
      }
    }
    std::ranges::stable_sort(
        order, [&](std::size_t a, std::size_t b) { return anchors_[a].bytes < anchors_[b].bytes; });
    const std::size_t affordable = kMostSteps / std::max<std::size_t>(1, graph_.edges.size());
    order.resize(std::min({order.size(), kMostTrials, affordable}));
    return order;
  }

  // ---- growing ----

  std::vector<LayoutId> grown(const std::vector<bool>& kept) {
    std::vector<LayoutId> labels(graph_.nodes.size());
    std::priority_queue<Step> queue;
    for (std::size_t i = 0; i < anchors_.size(); ++i) {
      const int node = anchors_[i].node;
      if (kept[i] && !label(labels, node)) {
        set(labels, queue, node, anchors_[i].layout);
      }
    }
    spread(labels, queue);
    for (std::size_t node = 0; node < labels.size(); ++node) {
      if (!labels[node] && !graph_.nodes[node].is_result_of_reduction) {
        set(labels, queue, static_cast<int>(node),
            pool_.intern(default_layout(graph_.nodes[node].shape, num_warps_)));
        spread(labels, queue);
      }
    }
    return labels;
  }

  static LayoutId& label(std::vector<LayoutId>& labels, int node) {
    return labels[static_cast<std::size_t>(node)];
  }

  void set(std::vector<LayoutId>& labels, std::priority_queue<Step>& queue, int node,
           LayoutId layout) {
    label(labels, node) = layout;
    for (const int index : graph_.nodes[static_cast<std::size_t>(node)].edges) {
      const LayoutEdge& edge = graph_.edges[static_cast<std::size_t>(index)];
      const bool is_forward = edge.from == node;
      const bool may_pass = is_forward ? may_go_forward(edge) : edge.relation != Relation::Slice;
      if (may_pass && !label(labels, is_forward ? edge.to : edge.from)) {
        queue.push({edge.relation == Relation::Slice ? INT64_MAX : edge.bytes, index, is_forward});
      }
    }
  }

  /// The layout of a broadcast's result is not fixed by its operand's; that of a reduction's result
  /// is by nothing else than the reduction.
  [[nodiscard]] bool may_go_forward(const LayoutEdge& edge) const {
    const bool is_reduced = graph_.nodes[static_cast<std::size_t>(edge.to)].is_result_of_reduction;
    return edge.relation != Relation::Broadcast &&
           (!is_reduced || edge.relation == Relation::Slice);
  }

  void spread(std::vector<LayoutId>& labels, std::priority_queue<Step>& queue) {
    while (!queue.empty()) {
      const Step step = queue.top();
      queue.pop();
      const LayoutEdge& edge = graph_.edges[static_cast<std::size_t>(step.edge)];
      const int target = step.is_forward ? edge.to : edge.from;
      if (label(labels, target)) {
        continue;
      }
      const auto layout = step.is_forward ? forward(step.edge, label(labels, edge.from))
                                          : backward(step.edge, label(labels, edge.to));
      const bool is_forced =
          graph_.nodes[static_cast<std::size_t>(target)].is_result_of_reduction && !step.is_forward;
      if (layout && !is_forced) {
        set(labels, queue, target, *layout);
      }
    }
  }

  // ---- along an edge; each derivation is made once ----

  std::optional<LayoutId> forward(int index, LayoutId from) {
    const LayoutEdge& edge = graph_.edges[static_cast<std::size_t>(index)];
    if (edge.relation == Relation::Same) {
      return from;
    }
    const auto [entry, is_new] = forward_.try_emplace({index, from});
    if (is_new) {
      entry->second = derived(edge, from);
    }
    return entry->second;
  }

  std::optional<LayoutId> derived(const LayoutEdge& edge, LayoutId from) {
    const Inst& user = function_.inst(edge.user);
    switch (edge.relation) {
      case Relation::Same:
        return from;
      case Relation::Expand:
        return pool_.intern(expand_layout(pool_[from], static_cast<int>(int_attr<"axis">(user))));
      case Relation::Slice:
        return pool_.intern(slice_layout(pool_[from], static_cast<int>(int_attr<"axis">(user))));
      case Relation::Trans:
        return pool_.intern(trans_layout(pool_[from], ints_attr<"order">(user)));
      case Relation::Reshape: {
        auto layout =
            reshape_layout(pool_[from], graph_.nodes[static_cast<std::size_t>(edge.to)].shape);
        return layout ? std::optional(pool_.intern(std::move(*layout))) : std::nullopt;
      }
      case Relation::Broadcast:
        return std::nullopt;
    }
    return std::nullopt;
  }

  std::optional<LayoutId> backward(int index, LayoutId to) {
    const LayoutEdge& edge = graph_.edges[static_cast<std::size_t>(index)];
    if (edge.relation == Relation::Same) {
      return to;
    }
    const auto [entry, is_new] = backward_.try_emplace({index, to});
    if (is_new) {
      const Inst& user = function_.inst(edge.user);
      entry->second = wanted_layout(function_, edge.relation, user, user.operand(0), to, pool_);
    }
    return entry->second;
  }

  // ---- cost ----

  std::int64_t conversion(const std::vector<LayoutId>& labels, std::size_t index) {
    const LayoutEdge& edge = graph_.edges[index];
    if (edge.relation == Relation::Slice) {
      return 0;
    }
    const LayoutId from = labels[static_cast<std::size_t>(edge.from)];
    const auto wanted =
        backward(static_cast<int>(index), labels[static_cast<std::size_t>(edge.to)]);
    return wanted ? edge.times * pool_.conversion_cost(from, *wanted, edge.element_bytes) : 0;
  }

  std::int64_t conversions(const std::vector<LayoutId>& labels) {
    std::int64_t total = 0;
    for (std::size_t i = 0; i < graph_.edges.size(); ++i) {
      total += conversion(labels, i);
    }
    return total;
  }

  std::int64_t cost(const std::vector<LayoutId>& labels) {
    std::int64_t total = conversions(labels);
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      if (graph_.nodes[i].access) {
        total += graph_.nodes[i].times * access(static_cast<int>(i), labels[i]);
      }
    }
    return total;
  }

  std::int64_t access(int node, LayoutId layout) {
    const auto [entry, is_new] = accesses_.try_emplace({node, layout}, 0);
    if (is_new) {
      entry->second = access_cost(
          function_, axes_, graph_.nodes[static_cast<std::size_t>(node)].access, pool_[layout]);
    }
    return entry->second;
  }

  const Function& function_;
  const AxisTable& axes_;
  const LayoutGraph& graph_;
  const std::vector<Anchor>& anchors_;
  int num_warps_;
  LayoutPool& pool_;
  std::map<std::pair<int, LayoutId>, std::optional<LayoutId>> forward_;
  std::map<std::pair<int, LayoutId>, std::optional<LayoutId>> backward_;
  std::map<std::pair<int, LayoutId>, std::int64_t> accesses_;
};

}  // namespace

std::vector<LayoutId> choose_layouts(const Function& function, const AxisTable& axes,
                                     const LayoutGraph& graph, const Anchors& anchors,
                                     int num_warps, LayoutPool& pool) {
  return Chooser(function, axes, graph, anchors, num_warps, pool).run();
}

std::optional<LayoutId> wanted_layout(const Function& function, Relation relation, const Inst& user,
                                      ValueId value, LayoutId to, LayoutPool& pool) {
  const Shape& shape = function.type(value).shape;
  switch (relation) {
    case Relation::Same:
      return to;
    case Relation::Expand:
      return pool.intern(slice_layout(pool[to], static_cast<int>(int_attr<"axis">(user))));
    case Relation::Broadcast:
      return pool.intern(broadcast_source_layout(pool[to], shape));
    case Relation::Trans:
      return pool.intern(trans_layout(pool[to], inverse(ints_attr<"order">(user))));
    case Relation::Reshape: {
      auto layout = reshape_layout(pool[to], shape);
      return layout ? std::optional(pool.intern(std::move(*layout))) : std::nullopt;
    }
    case Relation::Slice:
      return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace tilery::codegen
