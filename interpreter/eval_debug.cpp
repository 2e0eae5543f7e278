// assume, device_print, device_assert.
#include "interpreter/check/report.h"
#include "interpreter/check/shadow.h"
#include "interpreter/eval.h"
#include "interpreter/state.h"
#include "ir/attributes.h"
#include "ir/operands.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace tilery::interpreter {
namespace {

std::uint32_t run_nothing(ProgramState& state, const Step& step) {
  (void)state;
  return step.next;
}

struct ConditionStep {
  SlotRef condition;
  SlotRef mask;
  // Of an assertion whose condition is a comparison, to be shown.
  SlotRef lhs;
  SlotRef rhs;
  std::string_view relation;
};

template <CheckLevel level>
std::uint32_t run_assume(ProgramState& state, const Step& step) {
  const auto& data = data_of<ConditionStep>(step);
  if constexpr (level == CheckLevel::Tracked) {
    require_defined(state, data.condition, step.inst, "`assume`");
  }
  if (!is_true(state, data.condition)) {
    if constexpr (level == CheckLevel::Fast) {
      return kGoTracked;
    }
    report_broken_promise(state, step.inst, "the assumed condition is false");
  }
  return step.next;
}

// ---- assertions ---------------------------------------------------------------------------------

/// The lanes that fail: the first one and how many. `count` 0: none.
struct Failure {
  std::size_t lane = 0;
  std::uint64_t count = 0;
};

Failure failed_lanes(ProgramState& state, const ConditionStep& data) {
  const Operand condition = operand(state, data.condition);
  const Operand mask = data.mask ? operand(state, data.mask) : Operand{};
  const auto* const conditions = static_cast<const std::uint8_t*>(condition.data);
  const auto* const masks = static_cast<const std::uint8_t*>(mask.data);
  Failure failure;
  for (std::size_t lane = 0; lane < data.condition.lanes; ++lane) {
    const bool holds = conditions[condition.is_splat ? 0 : lane] != 0;
    const bool is_active = masks == nullptr || masks[mask.is_splat ? 0 : lane] != 0;
    if (!holds && is_active) {
      failure.lane = failure.count == 0 ? lane : failure.lane;
      ++failure.count;
    }
  }
  return failure;
}

std::string compared_text(ProgramState& state, const ConditionStep& data, std::size_t lane) {
  if (!data.lhs) {
    return {};
  }
  const auto text = [&](const SlotRef& ref) {
    const Operand value = operand(state, ref);
    const std::size_t from = value.is_splat ? 0 : lane * ref.width;
    return element_text(ref.scalar, static_cast<const std::byte*>(value.data) + from);
  };
  return fmt::format("{} {} {} does not hold", text(data.lhs), data.relation, text(data.rhs));
}

template <CheckLevel level>
std::uint32_t run_assert(ProgramState& state, const Step& step) {
  const auto& data = data_of<ConditionStep>(step);
  if constexpr (level == CheckLevel::Tracked) {
    const Operand mask = data.mask ? operand(state, data.mask) : Operand{};
    require_defined(state, data.condition, step.inst, "`device_assert`", &mask);
  }
  const Failure failure = failed_lanes(state, data);
  if (failure.count == 0) {
    return step.next;
  }
  if constexpr (level == CheckLevel::Fast) {
    return kGoTracked;
  }
  report_assertion(state, step.inst, failure.lane, data.condition.shape,
                   compared_text(state, data, failure.lane), failure.count);
  return kFinished;
}

std::string_view relation_text(Op op) {
  constexpr std::array<std::pair<Op, std::string_view>, 6> kTexts{{{Op::Eq, "=="},
                                                                   {Op::Ne, "!="},
                                                                   {Op::Lt, "<"},
                                                                   {Op::Le, "<="},
                                                                   {Op::Gt, ">"},
                                                                   {Op::Ge, ">="}}};
  return std::find_if(kTexts.begin(), kTexts.end(), [&](const auto& t) { return t.first == op; })
      ->second;
}

// ---- printing -----------------------------------------------------------------------------------

/// Elements of one tile that are printed; a longer one is cut, and says so.
constexpr std::size_t kMostPrinted = 4096;

struct PrintStep {
  std::vector<SlotRef> args;
  std::string prefix;
  bool hex = false;
};

std::string printed_element(const SlotRef& ref, bool hex, const std::byte* data) {
  if (!hex) {
    return element_text(ref.scalar, data);
  }
  std::uint64_t bits = 0;
  std::memcpy(&bits, data, ref.width);
  return fmt::format("{:#0{}x}", bits, 2 + 2 * ref.width);
}

/// "[[1, 2], [3, 4]]", row-major; for a scalar the bare element.
std::string printed_tile(const SlotRef& ref, bool hex, const Operand& value) {
  const std::size_t shown = std::min(ref.lanes, kMostPrinted);
  std::string text;
  for (std::size_t lane = 0; lane < shown; ++lane) {
    std::size_t block = 1;
    std::string brackets;
    for (int axis = ref.shape.rank() - 1; axis >= 0; --axis) {
      block *= static_cast<std::size_t>(ref.shape[axis]);
      brackets += lane % block == 0 ? "[" : "";
    }
    if (lane != 0) {
      text += std::string(brackets.size(), ']') + ", ";
    }
    const std::size_t from = value.is_splat ? 0 : lane * ref.width;
    text += brackets + printed_element(ref, hex, static_cast<const std::byte*>(value.data) + from);
  }
  if (shown < ref.lanes) {
    return text + fmt::format(", … (first {} of {})", shown, ref.lanes);
  }
  return text + std::string(static_cast<std::size_t>(ref.shape.rank()), ']');
}

std::uint32_t run_print(ProgramState& state, const Step& step) {
  const auto& data = data_of<PrintStep>(step);
  const auto& id = state.program;
  for (std::size_t i = 0; i < data.args.size(); ++i) {
    const std::string which =
        data.args.size() > 1 ? fmt::format("(operand {}) ", i) : std::string();
    *state.printed +=
        fmt::format("pid ({}, {}, {}) {}: {}{}\n", id[0], id[1], id[2], data.prefix, which,
                    printed_tile(data.args[i], data.hex, operand(state, data.args[i])));
  }
  return step.next;
}

/// Without the colon and blanks that authors end a prefix with; the line has its own.
std::string trimmed_prefix(const std::string& prefix) {
  const std::size_t end = prefix.find_last_not_of(": ");
  const std::size_t begin = prefix.find_first_not_of(' ');
  return end == std::string::npos ? std::string() : prefix.substr(begin, end + 1 - begin);
}

}  // namespace

void eval_assume(Planner& planner, InstId id) {
  auto& data = planner.data<ConditionStep>();
  data.condition = planner.ref(planner.inst(id).operand(0));
  planner.emit(id, {run_nothing, run_assume<CheckLevel::Fast>, run_assume<CheckLevel::Tracked>},
               &data);
}

void eval_device_assert(Planner& planner, InstId id) {
  const Inst& inst = planner.inst(id);
  auto& data = planner.data<ConditionStep>();
  data.condition = planner.spelled(operand<"condition">(inst));
  data.mask = planner.spelled(operand<"mask">(inst));
  if (const InstId comparison = asserted_comparison(planner.function(), inst)) {
    const Inst& compare = planner.inst(comparison);
    data.lhs = planner.spelled(compare.operand(0));
    data.rhs = planner.spelled(compare.operand(1));
    data.relation = relation_text(compare.op);
  }
  planner.emit(id, {run_nothing, run_assert<CheckLevel::Fast>, run_assert<CheckLevel::Tracked>},
               &data);
}

void eval_device_print(Planner& planner, InstId id) {
  const Inst& inst = planner.inst(id);
  auto& data = planner.data<PrintStep>();
  for (const ValueId argument : inst.operands) {
    data.args.push_back(planner.spelled(argument));
  }
  data.prefix = trimmed_prefix(string_attr<"prefix">(inst));
  data.hex = bool_attr<"hex">(inst);
  planner.emit(id, {run_print, run_print, run_print}, &data);
}

}  // namespace tilery::interpreter
