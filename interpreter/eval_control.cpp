// for, while, if, yield, condition: jumps between steps, and moves where control flow joins.
//
//     for       enter   moves init → arguments; no iteration: jump behind the loop
//               …       body
//               next    moves yielded → arguments; jump to the body, or fall out of the loop
//     while             moves init → arguments of cond
//               …       cond
//               test    moves values → arguments of body (which are the results); false: jump out
//               …       body
//               repeat  moves yielded → arguments of cond; jump to cond
//     if        branch  false: jump to else
//               …       then
//               join    moves yielded → results; jump behind else
//               …       else
//               join    moves yielded → results
#include "interpreter/check/report.h"
#include "interpreter/check/shadow.h"
#include "interpreter/eval.h"
#include "interpreter/state.h"
#include "ir/analysis/loops.h"
#include "ir/operands.h"

#include <utility>

namespace tilery::interpreter {
namespace {

// ---- moves --------------------------------------------------------------------------------------

template <CheckLevel level>
void run_moves(ProgramState& state, const std::vector<Move>& moves) {
  for (const Move& move : moves) {
    if (move.kind == Move::Kind::Swap) {
      std::swap(slot(state, move.to), slot(state, move.from));
      continue;
    }
    copy_value(state, move.from, move.to);
    if constexpr (level == CheckLevel::Tracked) {
      copy_shadow(state, move.from, move.to);
    }
  }
}

// ---- for ----------------------------------------------------------------------------------------

struct ForData {
  SlotRef lower;
  SlotRef upper;
  SlotRef step;
  SlotRef counter;                ///< the induction variable
  SlotRef exit;                   ///< the first carried value, if it ends the loop
  std::uint32_t state = kNoSlot;  ///< LoopState
  std::vector<Move> enter;
  std::vector<Move> next;
  std::uint32_t body = 0;
  std::uint32_t end = 0;
};

LoopState& loop_state(ProgramState& state, const ForData& data) {
  return *reinterpret_cast<LoopState*>(state.slots[data.state].data);
}

WideInt loop_bound(ProgramState& state, const SlotRef& ref) {
  return wide_int(ref.scalar, static_cast<std::uint64_t>(splat_int(state, ref)));
}

template <CheckLevel level>
void write_counter(ProgramState& state, const ForData& data, std::int64_t value) {
  if constexpr (level == CheckLevel::Tracked) {
    clear_shadow(slot(state, data.counter));
  }
  std::memcpy(bytes(state, data.counter), &value, sizeof value);
}

template <CheckLevel level>
std::uint32_t run_for_enter(ProgramState& state, const Step& step) {
  const auto& data = data_of<ForData>(step);
  const WideInt stride = loop_bound(state, data.step);
  if (stride == 0) {
    if constexpr (level == CheckLevel::Fast) {
      return kGoTracked;
    }
    if constexpr (level == CheckLevel::Tracked) {
      report_zero_step(state, step.inst);
    }
    return kFinished;
  }
  if constexpr (level == CheckLevel::Tracked) {
    for (const SlotRef* bound : {&data.lower, &data.upper, &data.step}) {
      require_defined(state, *bound, step.inst, "the bounds of a loop");
    }
  }
  const WideInt lower = loop_bound(state, data.lower);
  const WideInt count = trip_count(lower, loop_bound(state, data.upper), stride);
  run_moves<level>(state, data.enter);
  if (count == 0 || (data.exit && is_true(state, data.exit))) {
    return data.end;
  }
  LoopState& loop = loop_state(state, data);
  loop = {static_cast<std::int64_t>(lower), static_cast<std::int64_t>(stride),
          static_cast<std::uint64_t>(count - 1)};
  write_counter<level>(state, data, loop.value);
  return data.body;
}

template <CheckLevel level>
std::uint32_t run_for_next(ProgramState& state, const Step& step) {
  const auto& data = data_of<ForData>(step);
  run_moves<level>(state, data.next);
  LoopState& loop = loop_state(state, data);
  if (loop.remaining == 0 || (data.exit && is_true(state, data.exit))) {
    return data.end;
  }
  --loop.remaining;
  loop.value = static_cast<std::int64_t>(static_cast<std::uint64_t>(loop.value) +
                                         static_cast<std::uint64_t>(loop.step));
  write_counter<level>(state, data, loop.value);
  return data.body;
}

// ---- while --------------------------------------------------------------------------------------

struct WhileData {
  SlotRef go;
  std::vector<Move> enter;
  std::vector<Move> test;
  std::vector<Move> repeat;
  std::uint32_t condition = 0;
  std::uint32_t end = 0;
};

template <CheckLevel level>
std::uint32_t run_while_enter(ProgramState& state, const Step& step) {
  run_moves<level>(state, data_of<WhileData>(step).enter);
  return step.next;
}

template <CheckLevel level>
std::uint32_t run_while_test(ProgramState& state, const Step& step) {
  const auto& data = data_of<WhileData>(step);
  if constexpr (level == CheckLevel::Tracked) {
    require_defined(state, data.go, step.inst, "the condition of a loop");
  }
  const bool go = is_true(state, data.go);
  run_moves<level>(state, data.test);
  return go ? step.next : data.end;
}

template <CheckLevel level>
std::uint32_t run_while_repeat(ProgramState& state, const Step& step) {
  const auto& data = data_of<WhileData>(step);
  run_moves<level>(state, data.repeat);
  return data.condition;
}

// ---- if -----------------------------------------------------------------------------------------

struct IfData {
  SlotRef condition;
  std::uint32_t else_begin = 0;
  std::uint32_t end = 0;
};

template <CheckLevel level>
std::uint32_t run_branch(ProgramState& state, const Step& step) {
  const auto& data = data_of<IfData>(step);
  if constexpr (level == CheckLevel::Tracked) {
    require_defined(state, data.condition, step.inst, "the condition of an `if`");
  }
  return is_true(state, data.condition) ? step.next : data.else_begin;
}

struct JoinData {
  const IfData* branch = nullptr;
  std::vector<Move> moves;
};

template <CheckLevel level>
std::uint32_t run_join(ProgramState& state, const Step& step) {
  const auto& data = data_of<JoinData>(step);
  run_moves<level>(state, data.moves);
  return data.branch->end;
}

std::uint32_t run_finish(ProgramState& state, const Step& step) {
  (void)state;
  (void)step;
  return kFinished;
}

}  // namespace

void eval_for(Planner& planner, InstId id) {
  const Inst& inst = planner.inst(id);
  const auto arguments = carried_args(planner.function(), inst.regions[0]);
  auto& data = planner.data<ForData>();
  data.lower = planner.ref(operand<"lower">(inst));
  data.upper = planner.ref(operand<"upper">(inst));
  data.step = planner.ref(operand<"step">(inst));
  data.counter = planner.ref(counter_arg(planner.function(), inst));
  if (has_exit(inst)) {
    data.exit = planner.ref(arguments[0]);
  }
  data.state = planner.loop_state(id);
  data.enter = planner.moves(initial_values(inst), arguments, id, {});
  planner.set_control(id, &data);
  planner.emit(id, TILERY_STEP_FNS(run_for_enter), &data);
  data.body = planner.next_step();
  planner.plan_region(inst.regions[0]);
  data.end = planner.next_step();
}

void eval_while(Planner& planner, InstId id) {
  const Inst& inst = planner.inst(id);
  auto& data = planner.data<WhileData>();
  data.enter = planner.moves(initial_values(inst),
                             carried_args(planner.function(), inst.regions[0]), id, {});
  planner.set_control(id, &data);
  planner.emit(id, TILERY_STEP_FNS(run_while_enter), &data);
  data.condition = planner.next_step();
  planner.plan_region(inst.regions[0]);
  planner.plan_region(inst.regions[1]);
  data.end = planner.next_step();
}

void eval_if(Planner& planner, InstId id) {
  const Inst& inst = planner.inst(id);
  auto& data = planner.data<IfData>();
  data.condition = planner.ref(operand<"condition">(inst));
  planner.set_control(id, &data);
  planner.emit(id, TILERY_STEP_FNS(run_branch), &data);
  planner.plan_region(inst.regions[0]);
  data.else_begin = planner.next_step();
  planner.plan_region(inst.regions[1]);
  data.end = planner.next_step();
}

void eval_condition(Planner& planner, InstId id) {
  const Inst& inst = planner.inst(id);
  const InstId owner = planner.function().region(inst.parent).owner;
  const Inst& loop = planner.inst(owner);
  auto& data = *static_cast<WhileData*>(planner.control(owner));
  data.go = planner.ref(operand<"go">(inst));
  data.test = planner.moves(operand_pack<"values">(inst),
                            carried_args(planner.function(), loop.regions[1]), id, {});
  planner.emit(id, TILERY_STEP_FNS(run_while_test), &data);
}

void eval_yield(Planner& planner, InstId id) {
  const Inst& inst = planner.inst(id);
  const Function& function = planner.function();
  const InstId owner = function.region(inst.parent).owner;
  if (!owner) {
    return planner.emit(id, {run_finish, run_finish, run_finish}, nullptr);
  }
  const Inst& control = planner.inst(owner);
  if (control.op == Op::For) {
    auto& data = *static_cast<ForData*>(planner.control(owner));
    const auto arguments = carried_args(function, control.regions[0]);
    data.next = planner.moves(inst.operands, arguments, id, owner);
    planner.emit(id, TILERY_STEP_FNS(run_for_next), &data);
  } else if (control.op == Op::While) {
    auto& data = *static_cast<WhileData*>(planner.control(owner));
    const auto arguments = carried_args(function, control.regions[0]);
    data.repeat = planner.moves(inst.operands, arguments, id, owner);
    planner.emit(id, TILERY_STEP_FNS(run_while_repeat), &data);
  } else {
    auto& data = planner.data<JoinData>();
    data.branch = static_cast<IfData*>(planner.control(owner));
    data.moves = planner.moves(inst.operands, control.results(), id, {});
    planner.emit(id, TILERY_STEP_FNS(run_join), &data);
  }
}

}  // namespace tilery::interpreter
