// `if`: compile-time branches, run-time branches, and what follows a statement that may leave.
#include "frontend/sema/branch_merger.h"
#include "frontend/sema/constexpr_ops.h"
#include "frontend/sema/specializer.h"
#include "frontend/sema/tensor_ops.h"

#include <fmt/format.h>

namespace tilery::sema {

// ---- blocks ----

void Specializer::execute_block(std::span<const ast::StmtId> stmts, bool is_tail) {
  const DepthGuard guard(*this, stmts.empty() ? SourceRange{} : module()[stmts.front()].range);
  for (std::size_t i = 0; i < stmts.size() && !is_stopped_; ++i) {
    switch (reach(state().exits)) {
      case Reach::Never:
        return;
      case Reach::Sometimes:
        execute_guarded(is_tail, module()[stmts[i]].range,
                        [&] { execute_block(stmts.subspan(i), is_tail); });
        return;
      case Reach::Always:
        break;
    }
    const auto* branch = module().as<ast::If>(stmts[i]);
    if (branch == nullptr) {
      execute(stmts[i]);
    } else if (execute_if(*branch, module()[stmts[i]].range, stmts.subspan(i + 1), is_tail)) {
      return;
    }
  }
  if (is_tail) {
    return_at_end();
  }
}

Value Specializer::nothing_returned() const {
  return Value{NoneValue{frame_->name, frame_->definition}};
}

void Specializer::return_at_end() {
  Exits& exits = state().exits;
  const bool returns_nothing = !exits.return_value || exits.return_value->is<NoneValue>();
  switch (reach(exits)) {
    case Reach::Never:
      return;
    case Reach::Always:
      leave(nothing_returned(), {});
      return;
    case Reach::Sometimes:
      break;
  }
  if (returns_nothing) {
    exits = {};
    leave(nothing_returned(), {});
  } else {
    execute_guarded(true, {}, [this] { leave(nothing_returned(), {}); });
  }
}

void Specializer::execute_guarded(bool is_tail, SourceRange range, const Body& body) {
  const Exits exits = state().exits;
  std::optional<ValueId> flag;
  for (const Value* part : {&exits.returned, &exits.broke, &exits.continued}) {
    if (const auto* tensor = part->as<Tensor>()) {
      flag = flag ? builder_.map(Op::Or, {*flag, tensor->id}) : tensor->id;
    }
  }
  const State base = state();
  const RegionId outer = builder_.region();
  const RegionId left = builder_.make_region({});
  const RegionId live = builder_.make_region({});
  builder_.set_region(live);
  state().exits = {};
  ++frame_->run_time_depth;
  body();
  --frame_->run_time_depth;
  builder_.set_region(outer);
  set_range(range);
  BranchMerger::Options options;
  const bool is_by_return = exits.broke.is<bool>() && exits.continued.is<bool>();
  options.then_end = is_by_return ? BranchEnd::Returns : BranchEnd::Leaves;
  options.else_end = branch_end(state().exits);
  options.is_tail = is_tail;
  options.is_guard = true;
  const State live_state = std::move(state());
  BranchMerger merger(*this, left, live);
  frame_->state = merger.merge(base, base, live_state, {*flag, Scalar::I1}, options);
}

// ---- conditions ----

std::optional<bool> Specializer::static_condition(const Value& value, SourceRange range) {
  const bool is_allowed = value.is<bool>() || value.is<BigInt>() || value.is<NoneValue>();
  if (is_allowed || frame_->is_compile_time) {
    return truth(value);
  }
  Diagnostic& diagnostic = report(DiagId::ConditionKind, range, describe(value));
  if (value.is<std::string>()) {
    diagnostic.helped(fmt::format("compare it: `{} == \"…\"`", operand_text(*this, range)));
  } else if (value.is<TupleValue>()) {
    diagnostic.helped(fmt::format("test its length: `len({}) > 0`", operand_text(*this, range)));
  } else if (value.is<double>()) {
    diagnostic.helped(fmt::format("compare it: `{} != 0.0`", operand_text(*this, range)));
  } else {
    diagnostic.helped(fmt::format("test it with `{} is not None`", operand_text(*this, range)));
  }
  return {};
}

std::optional<Specializer::Condition> Specializer::evaluate_condition(ast::ExprId id) {
  const SourceRange range = module()[id].range;
  const MaybeValue value = evaluate(id);
  if (!value) {
    return {};
  }
  if (!value->is<Tensor>()) {
    const std::optional<bool> known = static_condition(*value, range);
    return known ? std::optional(Condition{known, {}}) : std::nullopt;
  }
  if (frame_->is_compile_time) {
    report(DiagId::RunTimeInConstexpr, range, operand_text(*this, range), describe(*value))
        .helped("make it a jit function, or pass compile-time values");
    return {};
  }
  set_range(range);
  const MaybeTensor tensor = condition(*this, *value, range);
  return tensor ? std::optional(Condition{std::nullopt, *tensor}) : std::nullopt;
}

// ---- if ----

bool Specializer::execute_if(const ast::If& stmt, SourceRange range,
                             std::span<const ast::StmtId> rest, bool is_tail) {
  if (!count_step(range)) {
    return true;
  }
  const std::optional<Condition> condition = evaluate_condition(stmt.condition);
  if (!condition) {
    for (const ast::Block* block : {&stmt.body, &stmt.else_body}) {
      const AssignedNames& assigned = names_assigned_in(*block);
      poison(assigned.names, range);
      poison(assigned.loop_targets, range);
      state().exits.is_return_poisoned |= assigned.has_return;
    }
    return false;
  }
  if (condition->known) {
    const ast::Block& taken = *condition->known ? stmt.body : stmt.else_body;
    execute_block(taken, is_tail && rest.empty());
    return is_tail && rest.empty();
  }
  return execute_run_time_if(condition->tensor, stmt, range, rest, is_tail);
}

bool Specializer::execute_run_time_if(const Tensor& condition, const ast::If& stmt,
                                      SourceRange range, std::span<const ast::StmtId> rest,
                                      bool is_tail) {
  const RegionId outer = builder_.region();
  const State base = state();
  const bool are_tails = is_tail && rest.empty();

  struct Branch {
    const ast::Block& body;
    RegionId region;
    State state;
  };

  Branch branches[] = {{stmt.body, builder_.make_region({}), {}},
                       {stmt.else_body, builder_.make_region({}), {}}};
  ++frame_->run_time_depth;
  for (Branch& branch : branches) {
    state() = base;
    builder_.set_region(branch.region);
    assume(condition.id, &branch == &branches[0]);
    execute_block(branch.body, are_tails);
    branch.state = std::move(state());
  }
  // Where one branch always leaves, the statements after the `if` belong to the other.
  const bool does_leave[] = {reach(branches[0].state.exits) == Reach::Never,
                             reach(branches[1].state.exits) == Reach::Never};
  for (int i = 0; i < 2 && !rest.empty(); ++i) {
    Branch& branch = branches[i];
    if (does_leave[1 - i] && !does_leave[i]) {
      state() = std::move(branch.state);
      builder_.set_region(branch.region);
      execute_block(rest, is_tail);
      branch.state = std::move(state());
    }
  }
  --frame_->run_time_depth;
  const bool is_rest_done = does_leave[0] || does_leave[1] || rest.empty();
  builder_.set_region(outer);
  set_range(range);
  BranchMerger::Options options;
  options.then_end = branch_end(branches[0].state.exits);
  options.else_end = branch_end(branches[1].state.exits);
  options.is_tail = is_tail && is_rest_done;
  BranchMerger merger(*this, branches[0].region, branches[1].region);
  frame_->state = merger.merge(base, branches[0].state, branches[1].state, condition, options);
  return is_rest_done;
}

}  // namespace tilery::sema
