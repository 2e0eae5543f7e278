// The layouts that loads, stores and dots would have if nothing else mattered.
//
// Accesses. Along the axis that is contiguous in memory a thread takes as many elements as it can
// move at once, and consecutive threads take consecutive pieces, so that a warp's instruction
// touches 512 consecutive bytes. Accesses of one shape that are connected by edges share the
// *widest* vector of them, for one layout from load to store; a wider element is then moved in
// several pieces. Loads do not mind the gaps between a thread's pieces (the cache has the rest of
// the line); stores do, so no store gets more than 16 bytes a thread.
//
// Dots. On tensor cores the layouts are the instruction's. Warps are dealt out over M and N so that
// as little of the operands as possible is read by several; but where a result feeds another dot or
// a reduction over its columns (attention), all warps go along M, and a row stays in one warp.
#pragma once

#include "codegen/analysis/axis_info.h"
#include "codegen/passes/layout_graph.h"
#include "codegen/passes/layout_pool.h"
#include "codegen/target.h"

#include <array>
#include <optional>
#include <unordered_map>
#include <vector>

namespace tilery::codegen {

/// A node whose layout is wished for.
struct Anchor {
  int node = -1;
  LayoutId layout;
  /// May not be given up: dots, their operands, and loads in loops that feed dots.
  bool is_fixed = false;
  /// What an access moves, all iterations together.
  std::int64_t bytes = 0;
};

/// The layouts of a dot on tensor cores: accumulator and result, a, b.
struct DotLayouts {
  LayoutId acc;
  std::array<LayoutId, 2> operands;
};

/// The anchors of one function.
struct Anchors {
  std::vector<Anchor> all;
  /// By the index of the instruction; dots on tensor cores only.
  std::unordered_map<std::uint32_t, DotLayouts> dots;
};

[[nodiscard]] Anchors find_anchors(const Function& function, const AxisTable& axes,
                                   const LayoutGraph& graph, const Target& target, int num_warps,
                                   LayoutPool& pool);

/// The layout of a tile that nothing has a wish for.
[[nodiscard]] Layout default_layout(const Shape& shape, int num_warps);

/// What a load or store costs one warp in a layout, in the unit of conversion costs: its
/// instructions and the 32-byte sectors of memory that they touch.
[[nodiscard]] std::int64_t access_cost(const Function& function, const AxisTable& axes,
                                       InstId access, const Layout& layout);

/// The 32-byte sectors of memory that one instruction of a warp touches, and how many would hold
/// what it moves.
struct AccessSectors {
  std::int64_t touched = 0;
  std::int64_t least = 0;
};

[[nodiscard]] AccessSectors access_sectors(const Function& function, const AxisTable& axes,
                                           InstId access, const Layout& layout);

}  // namespace tilery::codegen
