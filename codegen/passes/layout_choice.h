// One layout for every node of the layout graph.
//
// Anchors grow: from every anchor at once, layouts spread along the edges, those that carry the
// most bytes first, until each node has one. Where two anchors' regions meet, a conversion is
// needed; because the heavy edges were taken first, they meet at the lightest edge of every way
// between them (a narrow type, a small tile, a place outside the loop).
//
//     load f32 ──4N── cast bf16 ──2N── dot operand        the cast joins the load; 2N are converted
//
// Then accesses give up their own wish where that saves more than it costs, smallest first: a
// layer norm's weights, loaded in the slice of the big tile that they are multiplied with, need no
// conversion at all.
#pragma once

#include "codegen/passes/anchor_layouts.h"
#include "codegen/passes/layout_graph.h"
#include "codegen/passes/layout_pool.h"

#include <optional>
#include <vector>

namespace tilery::codegen {

/// The layout of each node.
[[nodiscard]] std::vector<LayoutId> choose_layouts(const Function& function, const AxisTable& axes,
                                                   const LayoutGraph& graph, const Anchors& anchors,
                                                   int num_warps, LayoutPool& pool);

/// The layout in which a user of layout `to` wants the operand `value`; none where any will do (a
/// reshape that moves elements between threads).
[[nodiscard]] std::optional<LayoutId> wanted_layout(const Function& function, Relation relation,
                                                    const Inst& user, ValueId value, LayoutId to,
                                                    LayoutPool& pool);

}  // namespace tilery::codegen
