#include "codegen/explain.h"

#include "codegen/dot_plan.h"
#include "codegen/fold_plan.h"
#include "codegen/layout/conversion.h"
#include "codegen/passes/anchor_layouts.h"
#include "ir/analysis/pointer_roots.h"
#include "ir/analysis/uses.h"
#include "ir/attributes.h"
#include "ir/builder.h"
#include "ir/operands.h"
#include "ir/support/plural.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace tilery::codegen {
namespace {

/// The parts of a sentence that say anything.
std::string listed(const std::vector<std::string>& parts) {
  return parts.empty() ? "nothing to do" : fmt::format("{}", fmt::join(parts, ", "));
}

/// What the steps of a reduction or scan come to. Operands each take the same way.
struct StepCounts {
  int registers = 0;
  int shuffles = 0;
  int warp_folds = 0;
  int exchanges = 0;

  void operator()(const RegisterFold& fold) { registers += static_cast<int>(fold.pairs.size()); }

  void operator()(const LaneFold& fold) { shuffles += static_cast<int>(fold.pairs.size()); }

  void operator()(const LaneScatterFold& fold) { shuffles += static_cast<int>(fold.pairs.size()); }

  void operator()(const WarpFold&) { ++warp_folds; }

  void operator()(const LaneGather& gather) { shuffles += static_cast<int>(gather.pairs.size()); }

  void operator()(const SharedExchange& exchange) {
    exchanges += static_cast<int>(exchange.rounds.size());
  }

  void operator()(const ScanInRegisters& scan) { registers += static_cast<int>(scan.pairs.size()); }

  void operator()(const ScanInWarp& scan) { shuffles += static_cast<int>(scan.pairs.size()); }

  void operator()(const ScanTotals&) { ++exchanges; }

  [[nodiscard]] std::string text() const {
    std::vector<std::string> parts;
    const auto say = [&](int count, std::string text) {
      if (count != 0) {
        parts.push_back(std::move(text));
      }
    };
    say(registers, fmt::format("{} in registers", plural(registers, "step")));
    say(shuffles, plural(shuffles, "shuffle"));
    say(warp_folds, plural(warp_folds, "warp-wide instruction"));
    say(exchanges,
        fmt::format("{} through shared memory with barriers", plural(exchanges, "pass")));
    return listed(parts);
  }
};

std::string conversion_text(const ConversionPlan& plan, int repeats) {
  if (std::holds_alternative<RenamePlan>(plan)) {
    return "free: the same threads, other registers";
  }
  if (const auto* shuffles = std::get_if<ShufflePlan>(&plan)) {
    return fmt::format("within warps, {}", plural(shuffles->shuffles(repeats), "shuffle"));
  }
  if (const auto* shared = std::get_if<SharedPlan>(&plan)) {
    return fmt::format(
        "through shared memory, {}, store {} and load {} bank-wavefronts of {} and "
        "{} without conflicts",
        plural(shared->rounds, "round"), shared->store.wavefronts, shared->load.wavefronts,
        shared->store.least_wavefronts, shared->load.least_wavefronts);
  }
  return "through shared memory";
}

class Collector {
 public:
  explicit Collector(const GpuFunction& gpu)
      : gpu_(gpu),
        function_(gpu.function),
        axes_(find_axis_info(gpu.function)),
        uses_(find_uses(gpu.function)) {}

  KernelFacts run() {
    for_each_inst(function_, function_.body, [&](InstId id) { visit(id); });
    for (const LoopFacts& loop : gpu_.loops) {
      add_loop(loop);
    }
    const auto by_place = [](const auto& a, const auto& b) {
      return std::pair(a.range.file, a.range.begin) < std::pair(b.range.file, b.range.begin);
    };
    std::ranges::stable_sort(facts_.accesses, by_place);
    std::ranges::stable_sort(facts_.steps, by_place);
    return std::move(facts_);
  }

 private:
  // Few ops have anything to tell.
  void visit(InstId id) {
    const Op op = function_.inst(id).op;
    if (op == Op::Load || op == Op::Store) {
      add_access(id);
    } else if (op == Op::Reduce || op == Op::Scan) {
      add_fold(id);
    } else if (op == Op::ConvertLayout) {
      add_conversion(id);
    } else if (op == Op::Dot) {
      add_dot(id);
    }
  }

  [[nodiscard]] SourceRange range_of(InstId id) const {
    return function_.range(function_.inst(id).loc);
  }

  [[nodiscard]] bool fills_ring(const Inst& load) const {
    const auto uses = uses_.of(load.result());
    return uses.size() == 1 && function_.inst(uses[0].user).op == Op::RingInsert;
  }

  void add_access(InstId id) {
    const Inst& inst = function_.inst(id);
    const bool is_load = inst.op == Op::Load;
    const ValueId value = accessed_value(inst);
    AccessFacts access;
    access.kind = !is_load           ? AccessFacts::Kind::Store
                  : fills_ring(inst) ? AccessFacts::Kind::Copy
                                     : AccessFacts::Kind::Load;
    access.range = range_of(id);
    access.parameters = pointer_roots(function_, operand<"ptr">(inst));
    (is_load ? facts_.read : facts_.written)
        .insert(access.parameters.begin(), access.parameters.end());
    access.type = function_.type(value);
    access.is_masked = static_cast<bool>(operand<"mask">(inst));
    const int bytes = access.type.element.byte_size();
    if (access.type.is_scalar() || !gpu_.layouts.has(value)) {
      access.bytes_at_once = bytes;
      access.instructions = 1;
    } else {
      describe(access, id, gpu_.layouts.of(value), bytes);
    }
    const auto is_same = [&](const AccessFacts& other) {
      return other.kind == access.kind && other.range == access.range &&
             other.layout == access.layout && other.parameters == access.parameters;
    };
    // A pipelined loop has its copies again before it; unrolling repeats as well.
    if (std::ranges::none_of(facts_.accesses, is_same)) {
      facts_.accesses.push_back(std::move(access));
    }
  }

  void describe(AccessFacts& access, InstId id, const Layout& layout, int bytes) {
    const AccessPlan plan = plan_access(axes_, function_, id, layout, access.type.element);
    access.bytes_at_once = plan.elements * bytes;
    access.instructions = layout.registers() / plan.elements;
    access.reason = explain_access(axes_, function_, id, layout, plan);
    access.layout = layout.str();
    const AccessSectors sectors = access_sectors(function_, axes_, id, layout);
    access.sectors = static_cast<int>(sectors.touched);
    access.sectors_at_least = static_cast<int>(sectors.least);
  }

  void add_fold(InstId id) {
    const Inst& inst = function_.inst(id);
    StepFacts step;
    step.kind = inst.op == Op::Reduce ? StepFacts::Kind::Reduction : StepFacts::Kind::Scan;
    step.range = range_of(id);
    StepCounts counts;
    if (inst.op == Op::Reduce) {
      for (const ReductionStep& s : plan_reduce(gpu_, id).steps) {
        std::visit(counts, s);
      }
    } else {
      for (const ScanStep& s : plan_scan(gpu_, id).steps) {
        std::visit(counts, s);
      }
    }
    step.how = fmt::format("{} along axis {}: {}", function_.type(inst.operands.front()).str(),
                           int_attr<"axis">(inst), counts.text());
    step.shared_bytes = shared_bytes(id);
    facts_.steps.push_back(std::move(step));
  }

  void add_conversion(InstId id) {
    const Inst& inst = function_.inst(id);
    const Layout& from = gpu_.layouts.of(operand<"x">(inst));
    const Layout& to = gpu_.layouts.of(inst.result());
    StepFacts step;
    step.kind = StepFacts::Kind::Conversion;
    step.range = range_of(id);
    const Type& type = function_.type(inst.result());
    step.how = fmt::format(
        "{} changes threads: {}", type.str(),
        conversion_text(plan_conversion(from, to, type.element.byte_size()), to.repeats()));
    step.shared_bytes = shared_bytes(id);
    facts_.steps.push_back(std::move(step));
  }

  void add_dot(InstId id) {
    const Inst& inst = function_.inst(id);
    const DotPlan plan = plan_dot(function_, inst, gpu_.target);
    const Type& a = function_.type(operand<"a">(inst));
    const Type& b = function_.type(operand<"b">(inst));
    StepFacts step;
    step.kind = StepFacts::Kind::Dot;
    step.range = range_of(id);
    step.how = fmt::format("{} by {}: {}", a.str(), b.str(),
                           plan.path == DotPath::TensorCore
                               ? "on tensor cores"
                               : "a chain of fma over k, operands in shared memory");
    if (plan.path != DotPath::TensorCore) {
      step.why =
          "tensor cores do not take these types or this precision, or odd factors of the extents "
          "would make them slower";
      step.help =
          "fp16, bf16, int8, or fp32 with an input_precision other than \"ieee\"; extents that are "
          "powers of two";
    }
    step.shared_bytes = shared_bytes(id);
    facts_.steps.push_back(std::move(step));
  }

  void add_loop(const LoopFacts& loop) {
    StepFacts step;
    step.kind = StepFacts::Kind::Loop;
    step.range = loop.range;
    step.how = loop.stages > 1 ? fmt::format("pipelined, {} stages", loop.stages) : "not pipelined";
    step.why = loop.why;
    facts_.steps.push_back(std::move(step));
  }

  [[nodiscard]] std::uint32_t shared_bytes(InstId id) const {
    const auto found = gpu_.shared.find(id.index);
    return found == gpu_.shared.end() ? 0 : found->second.bytes;
  }

  const GpuFunction& gpu_;
  const Function& function_;
  AxisTable axes_;
  Uses uses_;
  KernelFacts facts_;
};

}  // namespace

KernelFacts kernel_facts(const GpuFunction& gpu) {
  return Collector(gpu).run();
}

}  // namespace tilery::codegen
