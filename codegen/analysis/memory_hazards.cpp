#include "codegen/analysis/memory_hazards.h"

#include "codegen/access_plan.h"
#include "codegen/analysis/shared_use.h"
#include "codegen/layout/f2.h"
#include "ir/analysis/loops.h"

#include <algorithm>
#include <map>
#include <set>

namespace tilery::codegen {
namespace {

/// What was accessed since the last barrier.
struct Pending {
  std::set<SharedRange> reads;
  std::set<SharedRange> writes;
  std::set<InstId> loads;
  std::set<InstId> stores;

  void join(const Pending& other) {
    reads.insert(other.reads.begin(), other.reads.end());
    writes.insert(other.writes.begin(), other.writes.end());
    loads.insert(other.loads.begin(), other.loads.end());
    stores.insert(other.stores.begin(), other.stores.end());
  }

  friend bool operator==(const Pending&, const Pending&) = default;
};

/// True if every element is in the registers of one warp only, and that is the same in both.
bool have_same_warps(const Layout& a, const Layout& b) {
  if (a.copy_bits(Place::Warp) != 0 || b.copy_bits(Place::Warp) != 0) {
    return false;
  }
  F2Span within_a;
  F2Span within_b;
  for (const Place place : {Place::Register, Place::Lane}) {
    for (const std::uint32_t base : a.bases(place)) {
      within_a.insert(base);
    }
    for (const std::uint32_t base : b.bases(place)) {
      within_b.insert(base);
    }
  }
  const auto is_within = [&](std::uint32_t base) { return within_a.contains(base); };
  const auto bases = b.bases(Place::Register);
  const auto lanes = b.bases(Place::Lane);
  bool same = within_a.dimension() == within_b.dimension() &&
              std::all_of(bases.begin(), bases.end(), is_within) &&
              std::all_of(lanes.begin(), lanes.end(), is_within);
  for (int bit = 0; bit < a.bits(Place::Warp); ++bit) {
    same = same && is_within(a.bases(Place::Warp)[bit] ^ b.bases(Place::Warp)[bit]);
  }
  return same;
}

class Finder {
 public:
  explicit Finder(const GpuFunction& gpu)
      : gpu_(gpu), function_(gpu.function), everywhere_(scalar_layout(gpu.num_warps)) {}

  [[nodiscard]] std::vector<InstId> find() {
    Pending pending;
    visit(function_.body, pending);
    std::vector<InstId> result;
    collect(function_.body, result);
    return result;
  }

 private:
  // ---- control flow ----

  void visit(RegionId region, Pending& pending) {
    for (const InstId id : function_.region(region).insts) {
      visit(id, pending);
    }
  }

  void visit(InstId id, Pending& pending) {
    const Inst& inst = function_.inst(id);
    if (inst.op == Op::If) {
      Pending otherwise = pending;
      visit(inst.regions[0], pending);
      visit(inst.regions[1], otherwise);
      pending.join(otherwise);
    } else if (is_loop(inst.op)) {
      visit_loop(inst, pending);
    } else {
      visit_leaf(id, pending);
    }
  }

  /// `pending` is what may be pending whenever an iteration begins, at last. Barriers, once found,
  /// stay, so that the states can only grow from one turn to the next.
  void visit_loop(const Inst& loop, Pending& pending) {
    for (;;) {
      const std::size_t barriers = barriers_.size();
      Pending end = pending;
      visit(loop.regions[0], end);
      const Pending after_condition = end;
      if (loop.op == Op::While) {
        visit(loop.regions[1], end);
      }
      Pending next = pending;
      next.join(end);
      if (next == pending && barriers == barriers_.size()) {
        // A `while` ends after its condition, a `for` before an iteration.
        pending = loop.op == Op::While ? after_condition : pending;
        return;
      }
      pending = std::move(next);
    }
  }

  // ---- one instruction ----

  void visit_leaf(InstId id, Pending& pending) {
    const SharedUse& use = use_of(id);
    if (barriers_.contains(id) || conflicts(use, pending) || conflicts_globally(id, pending)) {
      barriers_.insert(id);
      pending = {};
    }
    pending.reads.insert(use.reads.begin(), use.reads.end());
    pending.writes.insert(use.writes.begin(), use.writes.end());
    if (use.has_barrier) {
      pending = {};
      pending.reads.insert(use.late_reads.begin(), use.late_reads.end());
    }
    const Op op = function_.inst(id).op;
    if (op == Op::Load) {
      pending.loads.insert(id);
    } else if (op == Op::Store) {
      pending.stores.insert(id);
    }
  }

  /// Loops come here several times.
  const SharedUse& use_of(InstId id) {
    const auto [place, is_new] = uses_.try_emplace(id);
    if (is_new) {
      place->second = shared_use_of(gpu_, id);
    }
    return place->second;
  }

  [[nodiscard]] bool is_ring(InstId owner) const {
    return function_.inst(owner).op == Op::SharedRing;
  }

  [[nodiscard]] bool meets(const std::vector<SharedRange>& ranges,
                           const std::set<SharedRange>& pending) const {
    return std::any_of(ranges.begin(), ranges.end(), [&](const SharedRange& range) {
      return std::any_of(pending.begin(), pending.end(), [&](const SharedRange& other) {
        return range.overlaps(other) && !(range.owner == other.owner && is_ring(range.owner));
      });
    });
  }

  [[nodiscard]] bool conflicts(const SharedUse& use, const Pending& pending) const {
    return meets(use.reads, pending.writes) || meets(use.writes, pending.reads) ||
           meets(use.writes, pending.writes);
  }

  // ---- global memory ----

  /// The layout in which a load or store accesses its elements.
  [[nodiscard]] const Layout& access_layout(InstId id) const {
    const Inst& inst = function_.inst(id);
    const ValueId value = accessed_value(inst);
    return gpu_.layouts.has(value) ? gpu_.layouts.of(value) : everywhere_;
  }

  [[nodiscard]] bool conflicts_globally(InstId id, const Pending& pending) const {
    const Op op = function_.inst(id).op;
    if (gpu_.num_warps == 1 || (op != Op::Load && op != Op::Store)) {
      return false;
    }
    const Layout& here = access_layout(id);
    const auto other_warps = [&](InstId earlier) {
      const Layout& there = access_layout(earlier);
      return here.shape() == there.shape() && !have_same_warps(here, there);
    };
    if (op == Op::Load) {
      return std::any_of(pending.stores.begin(), pending.stores.end(), other_warps);
    }
    // Of warps that hold copies always the same one stores.
    return std::any_of(pending.stores.begin(), pending.stores.end(),
                       [&](InstId earlier) {
                         return access_layout(earlier) != here && other_warps(earlier);
                       }) ||
           std::any_of(pending.loads.begin(), pending.loads.end(), [&](InstId earlier) {
             return access_layout(earlier).copy_bits(Place::Warp) != 0 || other_warps(earlier);
           });
  }

  // ---- the result ----

  void collect(RegionId region, std::vector<InstId>& result) const {
    for (const InstId id : function_.region(region).insts) {
      if (barriers_.contains(id)) {
        result.push_back(id);
      }
      for (const RegionId nested : function_.inst(id).regions) {
        collect(nested, result);
      }
    }
  }

  const GpuFunction& gpu_;
  const Function& function_;
  Layout everywhere_;
  std::set<InstId> barriers_;
  std::map<InstId, SharedUse> uses_;
};

}  // namespace

std::vector<InstId> find_memory_hazards(const GpuFunction& gpu) {
  return Finder(gpu).find();
}

}  // namespace tilery::codegen
