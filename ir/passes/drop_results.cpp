#include "ir/passes/drop_results.h"

#include "ir/analysis/loops.h"
#include "ir/operands.h"
#include "ir/support/check.h"

#include <algorithm>

namespace tilery {
namespace {

/// Removes the elements from `first` on whose position after `first` is not kept.
void filter(std::vector<ValueId>& values, std::size_t first, const std::vector<bool>& keep) {
  std::size_t out = first;
  for (std::size_t i = first; i < values.size(); ++i) {
    if (keep[i - first]) {
      values[out++] = values[i];
    }
  }
  values.resize(out);
}

/// Filters the last operand group, the one that holds the carried values.
void filter_operands(Inst& inst, std::size_t first, int group, const std::vector<bool>& keep) {
  filter(inst.operands, first, keep);
  inst.segments[static_cast<std::size_t>(group)] =
      static_cast<std::uint16_t>(inst.operands.size() - first);
}

void filter_region(Function& function, RegionId id, std::size_t first_arg,
                   const std::vector<bool>& keep) {
  Region& region = function.region(id);
  if (region.args.size() > first_arg) {
    filter(region.args, first_arg, keep);
    for (std::size_t i = 0; i < region.args.size(); ++i) {
      function.value(region.args[i]).index = static_cast<std::uint32_t>(i);
    }
  }
  Inst& terminator = function.inst(region.insts.back());
  filter_operands(terminator, first_passed(terminator), operand_group<"values">(terminator.op),
                  keep);
}

/// Results are consecutive values, so those that stay move to fresh ones.
void filter_results(Function& function, InstId id, const std::vector<bool>& keep,
                    Replacements& replacements) {
  const ValueId first(function.values.size());
  const Inst old = function.inst(id);
  std::uint32_t count = 0;
  for (std::uint32_t i = 0; i < old.result_count; ++i) {
    if (keep[i]) {
      Value value = function.value(old.result(i));
      value.index = count++;
      replacements.set(old.result(i), ValueId(function.values.size()));
      function.values.push_back(std::move(value));
    }
  }
  function.inst(id).first_result = first;
  function.inst(id).result_count = count;
}

}  // namespace

void drop_results(Function& function, InstId id, const std::vector<bool>& keep,
                  Replacements& replacements) {
  const Op op = function.inst(id).op;
  TILERY_CHECK(keep.size() == function.inst(id).result_count, "one flag a result");
  if (std::ranges::find(keep, false) == keep.end()) {
    return;
  }
  if (is_loop(op)) {
    filter_operands(function.inst(id), first_init(function.inst(id)), operand_group<"init">(op),
                    keep);
  }
  for (const RegionId region : function.inst(id).regions) {
    filter_region(function, region, op == Op::For ? 1 : 0, keep);
  }
  filter_results(function, id, keep, replacements);
}

}  // namespace tilery
