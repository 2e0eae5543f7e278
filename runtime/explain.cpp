#include "tilery/explain.h"

#include "codegen/ptx_counts.h"
#include "ir/analysis/dot_work.h"
#include "ir/analysis/loops.h"
#include "ir/literal.h"
#include "runtime/checked_call.h"
#include "runtime/compile_call.h"
#include "runtime/library_impl.h"
#include "runtime/messages.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace tilery::inline v0 {

namespace {

/// Adds the expressions of a region's instructions; combine regions have none that people wrote for
/// this kernel.
class ValueReader {
 public:
  ValueReader(const Function& function, const SourceMap& sources)
      : function_(function), sources_(sources) {}

  std::vector<ExplainedValue> read() {
    visit(function_.body);
    std::vector<ExplainedValue> values;
    for (auto& [range, value] : found_) {
      // What a loop's header makes, its step for one, is not what people wrote there.
      if (!headers_.contains(range)) {
        values.push_back(std::move(value));
      }
    }
    return values;
  }

 private:
  /// Sorted by place, the inner of two expressions that begin together first.
  using Key = std::tuple<FileId, std::uint32_t, std::uint32_t>;

  static Key key_of(SourceRange range) { return {range.file, range.begin, range.end}; }

  void visit(RegionId region) {
    for (const InstId id : function_.region(region).insts) {
      const Inst& inst = function_.inst(id);
      if (is_loop(inst.op)) {
        headers_.insert(key_of(function_.range(inst.loc)));
      } else if (inst.result_count == 1 && inst.op != Op::If) {
        add(inst);
      }
      if (inst.op == Op::Reduce || inst.op == Op::Scan) {
        continue;
      }
      for (const RegionId nested : inst.regions) {
        visit(nested);
      }
    }
  }

  void add(const Inst& inst) {
    const SourceRange range = function_.range(inst.loc);
    if (!range.is_valid() || range.begin == range.end) {
      return;
    }
    const ValueId value = inst.result();
    ExplainedValue explained;
    explained.place = place_of(range, sources_);
    explained.text = std::string(sources_.text(range));
    explained.variable = function_.value(value).name;
    explained.type = function_.type(value).str();
    if (const auto bits = function_.constant_bits(value)) {
      explained.constant = literal_text(function_.type(value).element, *bits);
    }
    // Of several values of one expression the last is its own; before it come the casts and
    // broadcasts of its parts.
    found_[key_of(range)] = std::move(explained);
  }

  const Function& function_;
  const SourceMap& sources_;
  std::map<Key, ExplainedValue> found_;
  std::set<Key> headers_;
};

std::vector<std::string> names_of(const std::set<std::size_t>& parameters,
                                  const Function& function) {
  std::vector<std::string> names;
  for (const std::size_t index : parameters) {
    names.push_back(function.params[index].name);
  }
  return names;
}

ExplainedAccess::Kind kind_of(codegen::AccessFacts::Kind kind) {
  switch (kind) {
    case codegen::AccessFacts::Kind::Load:
      return ExplainedAccess::Kind::Load;
    case codegen::AccessFacts::Kind::Store:
      return ExplainedAccess::Kind::Store;
    case codegen::AccessFacts::Kind::Copy:
      return ExplainedAccess::Kind::AsyncCopy;
  }
  return ExplainedAccess::Kind::Load;
}

const char* name_of(codegen::StepFacts::Kind kind) {
  switch (kind) {
    case codegen::StepFacts::Kind::Reduction:
      return "reduction";
    case codegen::StepFacts::Kind::Scan:
      return "scan";
    case codegen::StepFacts::Kind::Conversion:
      return "conversion";
    case codegen::StepFacts::Kind::Dot:
      return "dot";
    case codegen::StepFacts::Kind::Loop:
      return "loop";
  }
  return "";
}

GpuInstructions instructions_of(const codegen::PtxCounts& counts) {
  return {counts.loads,        counts.stores,        counts.copies,
          counts.shared_loads, counts.shared_stores, counts.shuffles,
          counts.warp_folds,   counts.barriers,      counts.matrix};
}

MultiprocessorLimits limits_of(const std::string& target) {
  const codegen::SmLimits limits = codegen::parse_target(target)->sm_limits();
  return {limits.blocks, limits.warps, limits.registers, limits.shared_bytes,
          codegen::kReservedSharedBytes};
}

/// Codegen's facts in the terms of the interface.
void add_facts(const codegen::KernelFacts& facts, const Function& function,
               const SourceMap& sources, KernelExplanation& explanation) {
  for (std::size_t i = 0; i < function.params.size(); ++i) {
    const Param& param = function.params[i];
    explanation.arguments.push_back({param.name, param.type.str(), param.facts.divisible_by_16,
                                     param.facts.equals_1, facts.read.contains(i),
                                     facts.written.contains(i)});
  }
  for (const codegen::AccessFacts& a : facts.accesses) {
    explanation.accesses.push_back({kind_of(a.kind), place_of(a.range, sources),
                                    names_of(a.parameters, function), a.type.str(), a.is_masked,
                                    a.bytes_at_once, a.instructions, a.sectors, a.sectors_at_least,
                                    a.reason.why, a.reason.help, a.layout});
  }
  for (const codegen::StepFacts& s : facts.steps) {
    explanation.steps.push_back({name_of(s.kind), place_of(s.range, sources), s.how, s.why, s.help,
                                 std::size_t{s.shared_bytes}});
  }
}

}  // namespace

Result<KernelExplanation> explain(const Kernel& kernel, const Arguments& arguments,
                                  std::string_view target, const LaunchOptions& options) {
  const SourceMap& sources = kernel.impl()->library->sources;
  KernelExplanation explanation;
  // Accesses name parameters by number, which no pass changes.
  Function parameters;
  GpuStages stages;
  stages.wants_facts = true;
  Result<GpuCode> code = compile_call_for_target(
      kernel, arguments, target, options,
      [&](std::string_view pass, const Function& function) {
        if (pass == "sema") {
          explanation.values = ValueReader(function, sources).read();
          parameters.params = function.params;
        }
      },
      stages);
  if (!code) {
    return code.error();
  }
  explanation.code = *std::move(code);
  explanation.multiprocessor = limits_of(explanation.code.target);
  explanation.num_warps_reason = std::move(stages.num_warps_reason);
  add_facts(stages.facts, parameters, sources, explanation);
  for (const auto& [place, counts] : codegen::count_ptx_by_line(explanation.code.ptx)) {
    explanation.lines.push_back({place.first, place.second, instructions_of(counts)});
  }
  return explanation;
}

Result<std::optional<std::int64_t>> count_dot_operations(const Kernel& kernel,
                                                         std::span<const std::int64_t> grid,
                                                         const Arguments& arguments,
                                                         const LaunchOptions& options) {
  const Kernel::Impl& impl = *kernel.impl();
  const Result<BoundCall> call = checked_call(impl, arguments, options, &grid);
  if (!call) {
    return call.error();
  }
  Diagnostics diagnostics;
  const std::optional<Specialized> specialized =
      specialize_call(impl, *call, Device::Kind::Cuda, {}, diagnostics);
  if (!specialized) {
    return error_of(ErrorKind::Kernel,
                    messages_of(diagnostics, impl.library->sources, Phase::Compile));
  }
  std::vector<std::optional<std::uint64_t>> bits;
  for (const BoundArgument& value : call->values) {
    bits.push_back(value.is_pointer ? std::nullopt : std::optional(value.bits));
  }
  std::array<std::int64_t, 3> extents = {1, 1, 1};
  std::ranges::copy(grid, extents.begin());
  return dot_operations(specialized->function, bits, extents);
}

std::string source_line(const Kernel& kernel, std::string_view file, int line) {
  const SourceMap& sources = kernel.impl()->library->sources;
  for (FileId id = 0; id < sources.size(); ++id) {
    const SourceFile& candidate = sources.file(id);
    const auto first = static_cast<int>(candidate.first_line);
    if (candidate.name == file && line >= first &&
        line < first + static_cast<int>(candidate.line_starts.size())) {
      return std::string(sources.line_text(id, static_cast<std::uint32_t>(line)));
    }
  }
  return {};
}

}  // namespace tilery::inline v0
