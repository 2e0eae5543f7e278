#include "codegen/notes.h"

#include "codegen/access_plan.h"
#include "ir/builder.h"
#include "ir/support/plural.h"

#include <fmt/format.h>

#include <algorithm>

namespace tilery::codegen {
namespace {

std::string place_of(const Function& function, const Inst& inst, const SourceMap* sources) {
  const SourceRange range = function.range(inst.loc);
  if (sources == nullptr || !range.is_valid()) {
    return {};
  }
  const LineColumn at = sources->line_column(range.file, range.begin);
  return fmt::format("{}:{}:{}: ", sources->file(range.file).name, at.line, at.column);
}

/// Whether a wider access was there to be had: what only lack of elements keeps narrow is no news.
bool is_worth_telling(const AccessPlan& plan) {
  return plan.limit == AccessLimit::Contiguity || plan.limit == AccessLimit::Alignment ||
         plan.limit == AccessLimit::Mask;
}

}  // namespace

std::vector<std::string> notes_of(const GpuFunction& gpu, const AxisTable& axes,
                                  const SourceMap* sources) {
  const Function& function = gpu.function;
  std::vector<std::string> notes;
  if (!gpu.options.num_warps) {
    notes.push_back(fmt::format("num_warps is {}: {}", gpu.num_warps, gpu.num_warps_reason));
  }
  notes.insert(notes.end(), gpu.notes.begin(), gpu.notes.end());
  for_each_inst(function, function.body, [&](InstId id) {
    const Inst& inst = function.inst(id);
    if (inst.op != Op::Load && inst.op != Op::Store) {
      return;
    }
    const ValueId value = accessed_value(inst);
    if (!gpu.layouts.has(value) || function.type(value).is_scalar()) {
      return;
    }
    const Layout& layout = gpu.layouts.of(value);
    const ElementType element = function.type(value).element;
    const AccessPlan plan = plan_access(axes, function, id, layout, element);
    if (!is_worth_telling(plan)) {
      return;
    }
    const AccessReason reason = explain_access(axes, function, id, layout, plan);
    std::string note = fmt::format(
        "{}{} moves {} at once, not {}: {}; {} would help", place_of(function, inst, sources),
        inst.op == Op::Load ? "load" : "store", plural(plan.elements * element.byte_size(), "byte"),
        kMaxAccessBytes, reason.why, reason.help);
    // A helper that is inlined several times, or an unrolled loop, tells it once.
    if (std::ranges::find(notes, note) == notes.end()) {
      notes.push_back(std::move(note));
    }
  });
  return notes;
}

}  // namespace tilery::codegen
