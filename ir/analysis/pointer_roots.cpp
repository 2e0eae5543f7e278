#include "ir/analysis/pointer_roots.h"

#include "ir/analysis/loops.h"

#include <unordered_set>
#include <vector>

namespace tilery {
namespace {

class RootFinder {
 public:
  explicit RootFinder(const Function& function) : function_(function) {}

  std::set<std::size_t> run(ValueId pointer) {
    pending_.push_back(pointer);
    while (!pending_.empty()) {
      const ValueId value = pending_.back();
      pending_.pop_back();
      if (function_.type(value).is_pointer() && seen_.insert(value.index).second) {
        follow(value);
      }
    }
    return std::move(roots_);
  }

 private:
  void follow(ValueId value) {
    const Value& v = function_.value(value);
    if (v.def) {
      follow_result(function_.inst(v.def), v.index);
    } else if (v.region == function_.body) {
      roots_.insert(v.index);
    } else {
      follow_argument(value);
    }
  }

  void follow_result(const Inst& inst, std::uint32_t index) {
    if (inst.op == Op::If) {
      for (const RegionId region : inst.regions) {
        pending_.push_back(passed_values(function_, region)[index]);
      }
    } else if (is_loop(inst.op)) {
      follow_carried(inst, index);
    } else {
      // Operands that are no pointers are passed over: a load's result has its pointer as operand,
      // but that one does not lead to where the loaded pointer leads.
      if (inst.op != Op::Load) {
        pending_.insert(pending_.end(), inst.operands.begin(), inst.operands.end());
      }
    }
  }

  void follow_carried(const Inst& loop, std::size_t i) {
    const Carried carried = carried_value(function_, loop, i);
    pending_.insert(pending_.end(), {carried.init, carried.passed, carried.next});
  }

  void follow_argument(ValueId value) {
    if (const auto place = carried_place(function_, value)) {
      follow_carried(function_.inst(place->loop), place->index);
    }
  }

  const Function& function_;
  std::vector<ValueId> pending_;
  std::unordered_set<std::uint32_t> seen_;
  std::set<std::size_t> roots_;
};

}  // namespace

std::set<std::size_t> pointer_roots(const Function& function, ValueId pointer) {
  return RootFinder(function).run(pointer);
}

}  // namespace tilery
