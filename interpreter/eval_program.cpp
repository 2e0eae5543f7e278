// program_id, num_programs, constant, arange.
#include "interpreter/check/shadow.h"
#include "interpreter/eval.h"
#include "interpreter/state.h"
#include "ir/attributes.h"

namespace tilery::interpreter {
namespace {

/// Numbers made out of nothing. In Tracked, what the slot's last value had to tell is forgotten.
template <CheckLevel level>
void begin_value(ProgramState& state, const SlotRef& out) {
  if constexpr (level == CheckLevel::Tracked) {
    clear_shadow(slot(state, out));
  }
}

struct AxisStep {
  SlotRef out;
  int axis = 0;
};

template <CheckLevel level>
std::uint32_t run_program_id(ProgramState& state, const Step& step) {
  const auto& data = data_of<AxisStep>(step);
  begin_value<level>(state, data.out);
  const auto id = static_cast<std::int32_t>(state.program[data.axis]);
  std::memcpy(bytes(state, data.out), &id, sizeof id);
  return step.next;
}

template <CheckLevel level>
std::uint32_t run_num_programs(ProgramState& state, const Step& step) {
  const auto& data = data_of<AxisStep>(step);
  begin_value<level>(state, data.out);
  const auto extent = static_cast<std::int32_t>(state.launch->grid[data.axis]);
  std::memcpy(bytes(state, data.out), &extent, sizeof extent);
  return step.next;
}

struct ArangeStep {
  SlotRef out;
  std::int32_t start = 0;
};

std::uint32_t run_arange_affine(ProgramState& state, const Step& step) {
  const auto& data = data_of<ArangeStep>(step);
  Affine& out = affine(state, data.out);
  out.base = data.start;
  out.stride[0] = data.out.lanes == 1 ? 0 : 1;
  return step.next;
}

template <CheckLevel level>
std::uint32_t run_arange_dense(ProgramState& state, const Step& step) {
  const auto& data = data_of<ArangeStep>(step);
  begin_value<level>(state, data.out);
  kernels().iota_i32(reinterpret_cast<std::int32_t*>(bytes(state, data.out)), data.start, 1,
                     data.out.lanes);
  return step.next;
}

void plan_axis(Planner& planner, InstId id, const StepFns& run) {
  auto& data = planner.data<AxisStep>();
  data.out = planner.result(id);
  data.axis = static_cast<int>(int_attr<"axis">(planner.inst(id)));
  planner.emit(id, run, &data);
}

}  // namespace

void eval_program_id(Planner& planner, InstId inst) {
  plan_axis(planner, inst, TILERY_STEP_FNS(run_program_id));
}

void eval_num_programs(Planner& planner, InstId inst) {
  plan_axis(planner, inst, TILERY_STEP_FNS(run_num_programs));
}

void eval_constant(Planner& planner, InstId inst) {
  // Written once, when the arena is made.
  (void)planner;
  (void)inst;
}

void eval_arange(Planner& planner, InstId inst) {
  auto& data = planner.data<ArangeStep>();
  data.out = planner.result(inst);
  data.start = static_cast<std::int32_t>(int_attr<"start">(planner.inst(inst)));
  if (data.out.kind == SlotKind::Affine) {
    planner.emit(inst, {run_arange_affine, run_arange_affine, nullptr}, &data);
  } else {
    planner.emit(inst, TILERY_STEP_FNS(run_arange_dense), &data);
  }
}

}  // namespace tilery::interpreter
