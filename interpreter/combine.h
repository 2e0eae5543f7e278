// Folds with a function of the author's: the combine region of a reduce or scan, run on tiles.
//
// The region is scalar code. It is planned as kernels over blocks of lanes, and one level of the
// tree calls it on whole halves at once:
//
//     work tile  [length][rest], rest = all other axes
//     level      rows 0 … half-1  ←  combine(rows 0 …, rows half …)
#pragma once

#include "interpreter/element_kernel.h"
#include "interpreter/state.h"

namespace tilery::interpreter {

/// One instruction of the region.
struct CombineOp {
  ElementKernel kernel;
  InstId inst;
  std::array<int, 3> in{};  ///< registers
  int out = 0;
};

struct CombinePlan {
  static constexpr std::size_t kBlock = 512;  ///< lanes at a time

  struct Register {
    std::uint32_t width = 4;
    bool is_constant = false;
    std::uint64_t bits = 0;   ///< of a constant
    std::size_t scratch = 0;  ///< kBlock elements, for results
  };

  int operand_count = 0;  ///< registers 0 … n-1 are the left values, n … 2n-1 the right ones
  std::vector<Register> registers;
  std::vector<CombineOp> ops;
  std::vector<int> results;
  /// For each operand, left or right, the results that it goes into, a bit each.
  std::vector<std::uint64_t> operand_feeds;
  std::vector<std::size_t> staging;  ///< scratch for each result: kBlock elements
  std::size_t table = 0;             ///< scratch: an Operand a register
  std::size_t event_bytes = 0;       ///< scratch: kBlock bytes
  std::vector<std::size_t> spread;   ///< scratch for left values that many rows share (scan)
};

/// Plans the region of `inst`; its scratch belongs to the step being planned.
[[nodiscard]] CombinePlan plan_combine(Planner& planner, InstId inst);

/// An event inside a combine, for Tracked.
struct CombineEvent {
  EventOrigin origin;
  std::size_t level = 0;    ///< of a scan: the rows of half a block
  std::size_t lane = 0;     ///< index in the work tile
  std::uint64_t feeds = 0;  ///< the results that have it
};

/// The event codes of one result of a fold, by lane of the work tile; empty: nothing to tell.
using FoldCodes = std::vector<OriginCode>;

/// The work tiles of a fold: one an operand, [length][rest] packed.
struct FoldTiles {
  std::byte** data = nullptr;
  std::size_t length = 1;
  std::size_t rest = 1;
  bool looks_for_events = false;
  std::vector<CombineEvent>* events = nullptr;  ///< Tracked: where events go; else nullptr
};

/// Folds in the halving tree; row 0 of each tile is the result. False if an event was met and
/// nobody collects them.
bool fold_tree(ProgramState& state, const CombinePlan& plan, const FoldTiles& tiles);
/// Runs the scan in place, by block doubling.
bool fold_scan(ProgramState& state, const CombinePlan& plan, const FoldTiles& tiles);

/// Where the events of a fold got to, for each result: those of a tree to its row 0, those of a
/// scan to their own row and the rows that it goes into.
[[nodiscard]] std::vector<FoldCodes> tree_codes(Origins& origins, const CombinePlan& plan,
                                                const FoldTiles& tiles);
[[nodiscard]] std::vector<FoldCodes> scan_codes(Origins& origins, const CombinePlan& plan,
                                                const FoldTiles& tiles);

}  // namespace tilery::interpreter
