#include "ir/verifier.h"

#include "ir/infer.h"
#include "ir/printer.h"
#include "ir/support/check.h"

#include <fmt/format.h>

#include <algorithm>

namespace tilery {
namespace {

constexpr std::size_t kMaxViolations = 100;

/// Collects violations up to the limit.
class Report {
 public:
  void add(InstId inst, std::string text) {
    if (violations_.size() < kMaxViolations) {
      violations_.push_back({inst, std::move(text)});
    }
  }

  [[nodiscard]] bool empty() const { return violations_.empty(); }

  [[nodiscard]] std::vector<Violation> take() { return std::move(violations_); }

 private:
  std::vector<Violation> violations_;
};

/// Point 1. Trusts no index, because all later checks do.
class StructureChecker {
 public:
  StructureChecker(const Function& function, Report& report)
      : function_(function),
        report_(report),
        seen_insts_(function.insts.size()),
        seen_regions_(function.regions.size()) {}

  void run() {
    if (!is_region(function_.body)) {
      report_.add({}, "the function has no body");
      return;
    }
    check_region(function_.body, InstId());
  }

 private:
  [[nodiscard]] bool is_region(RegionId id) const {
    return id && id.index < function_.regions.size();
  }

  [[nodiscard]] bool is_value(ValueId id) const { return id && id.index < function_.values.size(); }

  void check_region(RegionId id, InstId owner) {
    if (seen_regions_[id.index]) {
      report_.add(owner, fmt::format("region {} is in two places", id.index));
      return;
    }
    seen_regions_[id.index] = true;
    const Region& region = function_.region(id);
    if (region.owner != owner) {
      report_.add(owner, fmt::format("region {} does not know its owner", id.index));
    }
    for (std::uint32_t i = 0; i < region.args.size(); ++i) {
      const ValueId arg = region.args[i];
      if (!is_value(arg) || function_.value(arg).def || function_.value(arg).region != id ||
          function_.value(arg).index != i) {
        report_.add(owner,
                    fmt::format("argument {} of region {} does not know its place", i, id.index));
      }
    }
    for (const InstId inst : region.insts) {
      check_inst(inst, id);
    }
  }

  void check_inst(InstId id, RegionId parent) {
    if (!id || id.index >= function_.insts.size()) {
      report_.add({},
                  fmt::format("region {} has an instruction that does not exist", parent.index));
      return;
    }
    if (seen_insts_[id.index]) {
      report_.add(id, fmt::format("instruction {} is in two places", id.index));
      return;
    }
    seen_insts_[id.index] = true;
    const Inst& inst = function_.inst(id);
    if (inst.parent != parent) {
      report_.add(id, fmt::format("instruction {} does not know its region", id.index));
    }
    check_operands(id, inst);
    check_results(id, inst);
    for (const RegionId region : inst.regions) {
      if (is_region(region)) {
        check_region(region, id);
      } else {
        report_.add(id, fmt::format("instruction {} has a region that does not exist", id.index));
      }
    }
  }

  void check_operands(InstId id, const Inst& inst) {
    const std::size_t groups = op_def(inst.op).operand_patterns().size();
    std::size_t total = 0;
    for (std::size_t g = 0; g < inst.segments.size(); ++g) {
      total += inst.segments[g];
      if (g >= groups && inst.segments[g] != 0) {
        report_.add(id,
                    fmt::format("instruction {} has more operand groups than its row", id.index));
      }
    }
    if (total != inst.operands.size()) {
      report_.add(id, fmt::format("instruction {} has {} operands, but groups for {}", id.index,
                                  inst.operands.size(), total));
    }
    if (!std::ranges::all_of(inst.operands,
                             [this](ValueId operand) { return is_value(operand); })) {
      report_.add(id, fmt::format("instruction {} has an operand that does not exist", id.index));
    }
  }

  void check_results(InstId id, const Inst& inst) {
    for (std::uint32_t i = 0; i < inst.result_count; ++i) {
      const ValueId result = inst.result(i);
      if (!is_value(result) || function_.value(result).def != id ||
          function_.value(result).index != i) {
        report_.add(
            id, fmt::format("result {} of instruction {} does not know its place", i, id.index));
      }
    }
  }

  const Function& function_;
  Report& report_;
  std::vector<bool> seen_insts_;
  std::vector<bool> seen_regions_;
};

/// Points 2 to 6, for a function whose structure is sound.
class Checker {
 public:
  Checker(const Function& function, Report& report)
      : function_(function), report_(report), visible_(function.values.size()) {}

  void run() {
    check_params();
    check_region(function_.body);
  }

 private:
  void check_params() {
    const std::vector<ValueId>& args = function_.region(function_.body).args;
    const bool same = std::ranges::equal(
        args, function_.params,
        [this](ValueId arg, const Param& param) { return function_.type(arg) == param.type; });
    if (!same) {
      report_.add({}, "the parameters differ from the arguments of the body");
    }
  }

  void check_region(RegionId id) {
    const Region& region = function_.region(id);
    for (const ValueId arg : region.args) {
      define(arg, region.owner);
    }
    for (const InstId inst : region.insts) {
      check_inst(inst);
    }
    check_terminators(id);
    // What a region defines cannot be seen from outside.
    for (const ValueId arg : region.args) {
      visible_[arg.index] = false;
    }
    for (const InstId inst_id : region.insts) {
      const Inst& inst = function_.inst(inst_id);
      for (std::uint32_t i = 0; i < inst.result_count; ++i) {
        visible_[inst.result(i).index] = false;
      }
    }
  }

  void define(ValueId id, InstId inst) {
    visible_[id.index] = true;
    const Shape& shape = function_.type(id).shape;
    if (std::ranges::any_of(shape, [](std::int32_t extent) { return extent < 1; })) {
      report_.add(inst, fmt::format("shape `{}` has an extent that is not positive", shape.str()));
    } else if (shape.numel() > kMaxElements) {
      report_.add(inst, fmt::format("shape `{}` has {} elements; at most {} are allowed",
                                    shape.str(), shape.numel(), kMaxElements));
    }
  }

  void check_inst(InstId id) {
    const Inst& inst = function_.inst(id);
    for (const ValueId operand : inst.operands) {
      if (!visible_[operand.index]) {
        report_.add(id, "an operand is used where it is not defined");
        break;
      }
    }
    check_row(id, inst);
    const std::span<const RegionPattern> patterns = op_def(inst.op).region_patterns();
    for (std::size_t i = 0; i < inst.regions.size(); ++i) {
      if (i < patterns.size() && patterns[i].name == "combine") {
        check_combine(inst.regions[i]);
      } else {
        check_region(inst.regions[i]);
      }
    }
    for (std::uint32_t i = 0; i < inst.result_count; ++i) {
      define(inst.result(i), id);
    }
  }

  /// Point 3.
  void check_row(InstId id, const Inst& inst) {
    OperandTypes operands(op_def(inst.op).operand_patterns().size());
    std::size_t next = 0;
    for (std::size_t g = 0; g < operands.size(); ++g) {
      for (std::size_t i = 0; i < inst.segments[g]; ++i) {
        operands[g].push_back(function_.type(inst.operands[next++]));
      }
    }
    std::vector<Type> results;
    for (std::uint32_t i = 0; i < inst.result_count; ++i) {
      results.push_back(function_.type(inst.result(i)));
    }
    Inference inference =
        infer_results(function_, inst.op, operands, inst.attrs, inst.regions, results);
    if (!inference.ok()) {
      report_.add(id, std::move(inference.error));
    } else if (inference.results != results) {
      report_.add(id, fmt::format("`{}` has {} results here, not {}", op_def(inst.op).id,
                                  inference.results.size(), results.size()));
    }
  }

  /// Point 4.
  void check_terminators(RegionId id) {
    const Region& region = function_.region(id);
    const Op expected = expected_terminator(id);
    const bool ends = !region.insts.empty() && function_.inst(region.insts.back()).op == expected;
    if (!ends) {
      report_.add(region.owner,
                  fmt::format("region {} does not end in `{}`", name_of(id), op_def(expected).id));
    } else if (id == function_.body && !function_.terminator(id).operands.empty()) {
      report_.add(region.insts.back(), "the body yields values");
    }
    for (std::size_t i = 0; i + 1 < region.insts.size(); ++i) {
      if (op_def(function_.inst(region.insts[i]).op).is_terminator()) {
        report_.add(region.insts[i], "instructions follow a terminator");
      }
    }
  }

  [[nodiscard]] Op expected_terminator(RegionId id) const {
    const InstId owner = function_.region(id).owner;
    const bool is_cond = owner && function_.inst(owner).op == Op::While &&
                         function_.inst(owner).regions.front() == id;
    return is_cond ? Op::Condition : Op::Yield;
  }

  /// "`body`", as the owner's row calls it; "body of the function" for that.
  [[nodiscard]] std::string name_of(RegionId id) const {
    const InstId owner = function_.region(id).owner;
    if (!owner) {
      return "body of the function";
    }
    const Inst& inst = function_.inst(owner);
    const std::span<const RegionPattern> patterns = op_def(inst.op).region_patterns();
    const auto index =
        static_cast<std::size_t>(std::ranges::find(inst.regions, id) - inst.regions.begin());
    return patterns.empty()
               ? fmt::format("{}", index)
               : fmt::format("`{}`", patterns[std::min(index, patterns.size() - 1)].name);
  }

  /// Point 6. Inside, nothing that was visible outside can be seen.
  void check_combine(RegionId id) {
    std::vector<bool> outside(function_.values.size());
    outside.swap(visible_);
    for (const InstId inst_id : function_.region(id).insts) {
      const Inst& inst = function_.inst(inst_id);
      const OpDef& def = op_def(inst.op);
      if (!def.is_pure() && !def.is_terminator()) {
        report_.add(inst_id, fmt::format("`{}` in a combine region, which must be pure", def.id));
      }
      for (std::uint32_t i = 0; i < inst.result_count; ++i) {
        if (!function_.type(inst.result(i)).is_scalar()) {
          report_.add(inst_id, "a combine region computes with scalars only");
        }
      }
    }
    check_region(id);
    outside.swap(visible_);
  }

  const Function& function_;
  Report& report_;
  /// Values that may be used at the place being checked.
  std::vector<bool> visible_;
};

}  // namespace

std::vector<Violation> find_violations(const Function& function) {
  Report report;
  StructureChecker(function, report).run();
  if (report.empty()) {
    Checker(function, report).run();
  }
  return report.take();
}

std::vector<std::string> verify(const Function& function) {
  const std::vector<Violation> violations = find_violations(function);
  std::vector<std::string> sentences;
  if (violations.empty()) {
    return sentences;
  }
  // Printing an instruction trusts the structure, too.
  Report structure;
  StructureChecker(function, structure).run();
  for (const Violation& violation : violations) {
    const bool printable = violation.inst && structure.empty();
    sentences.push_back(
        printable ? fmt::format("`{}`: {}", print_inst(function, violation.inst), violation.text)
                  : violation.text);
  }
  return sentences;
}

void check_valid(const Function& function, std::string_view after) {
  const std::vector<std::string> violations = verify(function);
  if (violations.empty()) {
    return;
  }
  Report structure;
  StructureChecker(function, structure).run();
  const std::string text = structure.empty() ? print(function) : std::string();
  TILERY_CHECK(violations.empty(), fmt::format("invalid IR after {}\n{}\n{}", after,
                                               fmt::join(violations, "\n"), text));
}

}  // namespace tilery
