#include "ir/passes/licm.h"

#include "ir/analysis/effects.h"
#include "ir/analysis/loops.h"
#include "ir/attributes.h"

#include <algorithm>
#include <vector>

namespace tilery {
namespace {

class Motion {
 public:
  explicit Motion(Function& function) : function_(function) {}

  bool run() {
    visit(function_.body);
    return changed_;
  }

 private:
  /// Inner loops first: what leaves them may leave the outer ones, too.
  void visit(RegionId region) {
    std::vector<InstId> insts;
    for (const InstId id : std::vector<InstId>(function_.region(region).insts)) {
      for (const RegionId nested : std::vector<RegionId>(function_.inst(id).regions)) {
        visit(nested);
      }
      if (may_hoist_from(function_.inst(id))) {
        hoist(id, region, insts);
      }
      insts.push_back(id);
    }
    function_.region(region).insts = std::move(insts);
  }

  static bool may_hoist_from(const Inst& inst) {
    return is_loop(inst.op) && !bool_attr<"disable_licm">(inst);
  }

  /// Moves what is invariant from the loop's regions to the end of `insts`, which is what comes
  /// before the loop in `outer`.
  void hoist(InstId loop, RegionId outer, std::vector<InstId>& insts) {
    const bool runs = is_known_to_run(function_.inst(loop));
    for (const RegionId region : function_.inst(loop).regions) {
      std::vector<InstId> kept;
      for (const InstId id : function_.region(region).insts) {
        if (!is_invariant(id, loop) || (counts_events(id) && !runs)) {
          kept.push_back(id);
          continue;
        }
        function_.inst(id).parent = outer;
        insts.push_back(id);
        changed_ = true;
      }
      function_.region(region).insts = std::move(kept);
    }
  }

  /// Pure, with operands defined outside the loop; those that have just moved are by now. Combine
  /// regions use nothing from outside, so the operands are all that it uses.
  [[nodiscard]] bool is_invariant(InstId id, InstId loop) const {
    const Inst& inst = function_.inst(id);
    return op_def(inst.op).is_pure() && !op_def(inst.op).is_terminator() &&
           std::ranges::none_of(
               inst.operands, [&](ValueId operand) { return is_inside(function_, operand, loop); });
  }

  /// Numeric events of the operands are reported here.
  [[nodiscard]] bool counts_events(InstId id) const {
    const OpFamily family = op_def(function_.inst(id).op).family;
    return family == OpFamily::Reduce || family == OpFamily::Dot;
  }

  [[nodiscard]] bool is_known_to_run(const Inst& loop) const {
    if (loop.op != Op::For || has_exit(loop)) {
      return false;
    }
    const std::optional<std::int64_t> trips = trip_count(function_, loop);
    return trips && *trips > 0;
  }

  Function& function_;
  bool changed_ = false;
};

}  // namespace

bool licm(Function& function) {
  return Motion(function).run();
}

}  // namespace tilery
