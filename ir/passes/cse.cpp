#include "ir/passes/cse.h"

#include "ir/analysis/effects.h"
#include "ir/analysis/loops.h"
#include "ir/passes/replacements.h"

#include <algorithm>
#include <functional>
#include <unordered_map>
#include <vector>

namespace tilery {
namespace {

void mix(std::size_t& hash, std::size_t value) {
  constexpr std::size_t kGolden = 0x9E3779B97F4A7C15;
  hash = (hash ^ value) * kGolden;
  hash ^= hash >> 32;
}

std::size_t hash_of(const Attr& attr) {
  std::size_t hash = attr.index();
  if (const auto* bits = std::get_if<Bits>(&attr)) {
    mix(hash, bits->value);
  } else if (const auto* number = std::get_if<std::int64_t>(&attr)) {
    mix(hash, static_cast<std::size_t>(*number));
  }
  // The rare kinds are left to the comparison.
  return hash;
}

std::size_t hash_of(const Inst& inst, std::size_t epoch) {
  auto hash = static_cast<std::size_t>(inst.op);
  mix(hash, epoch);
  for (const ValueId operand : inst.operands) {
    mix(hash, operand.index);
  }
  for (const Attr& attr : inst.attrs) {
    mix(hash, hash_of(attr));
  }
  return hash;
}

/// Compares two instructions, regions included.
class Equality {
 public:
  explicit Equality(const Function& function) : function_(function) {}

  bool equal(const Inst& a, const Inst& b) {
    if (a.op != b.op || a.segments != b.segments || a.result_count != b.result_count ||
        a.operands.size() != b.operands.size() || a.attrs != b.attrs ||
        a.regions.size() != b.regions.size()) {
      return false;
    }
    for (std::size_t i = 0; i < a.operands.size(); ++i) {
      if (a.operands[i] != partner(b.operands[i])) {
        return false;
      }
    }
    for (std::uint32_t i = 0; i < a.result_count; ++i) {
      if (function_.type(a.result(i)) != function_.type(b.result(i))) {
        return false;
      }
      partners_[b.result(i).index] = a.result(i);
    }
    return std::equal(a.regions.begin(), a.regions.end(), b.regions.begin(),
                      [this](RegionId x, RegionId y) { return equal(x, y); });
  }

 private:
  bool equal(RegionId a, RegionId b) {
    const Region& ra = function_.region(a);
    const Region& rb = function_.region(b);
    if (ra.args.size() != rb.args.size() || ra.insts.size() != rb.insts.size()) {
      return false;
    }
    for (std::size_t i = 0; i < ra.args.size(); ++i) {
      if (function_.type(ra.args[i]) != function_.type(rb.args[i])) {
        return false;
      }
      partners_[rb.args[i].index] = ra.args[i];
    }
    return std::equal(
        ra.insts.begin(), ra.insts.end(), rb.insts.begin(),
        [this](InstId x, InstId y) { return equal(function_.inst(x), function_.inst(y)); });
  }

  /// The value on the left that plays the part of one on the right.
  ValueId partner(ValueId right) const {
    const auto found = partners_.find(right.index);
    return found == partners_.end() ? right : found->second;
  }

  const Function& function_;
  /// Region arguments and results met so far, right to left.
  std::unordered_map<std::uint32_t, ValueId> partners_;
};

class Elimination {
 public:
  explicit Elimination(Function& function) : function_(function) {}

  bool run() {
    Scope scope;
    walk(function_.body, scope);
    return changed_;
  }

 private:
  struct Entry {
    InstId inst;
    std::size_t epoch;
  };

  /// What is available: by hash, and in order of entry, so that leaving a region takes its entries
  /// back out.
  struct Scope {
    std::unordered_multimap<std::size_t, Entry> table;
    std::vector<std::unordered_multimap<std::size_t, Entry>::iterator> order;
  };

  void walk(RegionId region, Scope& scope) {
    const std::size_t outer = scope.order.size();
    std::vector<InstId> kept;
    // By index: the walk of nested regions leaves this region's list alone.
    for (const InstId id : std::vector<InstId>(function_.region(region).insts)) {
      replacements_.apply(function_.inst(id));
      if (merged(id, scope)) {
        function_.inst(id).parent = RegionId();
        changed_ = true;
        continue;
      }
      kept.push_back(id);
      visit_nested(id, scope);
    }
    function_.region(region).insts = std::move(kept);
    while (scope.order.size() > outer) {
      scope.table.erase(scope.order.back());
      scope.order.pop_back();
    }
  }

  /// Looks the instruction up; enters it if it is the first of its kind.
  bool merged(InstId id, Scope& scope) {
    const Inst& inst = function_.inst(id);
    const Effects effects = effects_of(function_, id);
    if (effects.writes || effects.observes) {
      return false;
    }
    if (inst.result_count == 0 || op_def(inst.op).effects == OpEffects::Regions) {
      return false;
    }
    const std::size_t epoch = effects.reads ? epoch_ : 0;
    const std::size_t hash = hash_of(inst, epoch);
    const auto [begin, end] = scope.table.equal_range(hash);
    for (auto at = begin; at != end; ++at) {
      const Inst& first = function_.inst(at->second.inst);
      if (at->second.epoch == epoch && Equality(function_).equal(first, inst)) {
        replace(inst, first);
        return true;
      }
    }
    scope.order.push_back(scope.table.emplace(hash, Entry{id, epoch}));
    return false;
  }

  void replace(const Inst& inst, const Inst& first) {
    for (std::uint32_t i = 0; i < inst.result_count; ++i) {
      replacements_.set(inst.result(i), first.result(i));
      // A name helps readers and messages; keep the one there is.
      Value& kept = function_.value(first.result(i));
      if (kept.name.empty()) {
        kept.name = function_.value(inst.result(i)).name;
      }
    }
  }

  void visit_nested(InstId id, Scope& scope) {
    const bool open = op_def(function_.inst(id).op).effects == OpEffects::Regions;
    const Effects effects = effects_of(function_, id);
    const bool separates = effects.writes || effects.observes || may_wait(function_.inst(id));
    // A loop's writes come before the loads of its next round.
    epoch_ += separates ? 1 : 0;
    for (const RegionId nested : std::vector<RegionId>(function_.inst(id).regions)) {
      Scope closed;
      walk(nested, open ? scope : closed);
    }
    epoch_ += separates ? 1 : 0;
  }

  /// A loop that another program's store may end.
  static bool may_wait(const Inst& inst) { return inst.op == Op::While || has_exit(inst); }

  Function& function_;
  Replacements replacements_;
  /// Counts the things that may have written so far; loads of different epochs differ.
  std::size_t epoch_ = 1;
  bool changed_ = false;
};

}  // namespace

bool cse(Function& function) {
  return Elimination(function).run();
}

}  // namespace tilery
