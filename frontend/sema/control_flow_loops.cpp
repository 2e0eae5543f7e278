// Run-time loops: `for` over a range, and `while`.
#include "frontend/sema/constexpr_ops.h"
#include "frontend/sema/loop_builder.h"
#include "frontend/sema/promotion.h"
#include "frontend/sema/specializer.h"
#include "frontend/sema/tensor_ops.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace tilery::sema {
namespace {

/// The bounds and the step in their common integer type.
struct Bounds {
  ValueId lower;
  ValueId upper;
  ValueId step;
  Type type;
};

Value or_default(const std::shared_ptr<const Value>& value, int otherwise) {
  const bool is_absent = value == nullptr || value->is<NoneValue>();
  return is_absent ? Value{BigInt{otherwise}} : *value;
}

bool is_integer_scalar(const Value& value) {
  const auto* tensor = value.as<Tensor>();
  return value.is<bool>() || value.is<BigInt>() ||
         (tensor != nullptr && tensor->type.is_scalar() && !tensor->type.is_pointer() &&
          is_integer(tensor->type.element.scalar));
}

/// Points at the first bound that is no integer scalar.
void report_bounds(Sema& sema, const RangeValue& values, const std::array<Value, 3>& parts,
                   SourceRange range) {
  const SourceRange ranges[] = {values.start_range, values.stop_range, values.step_range};
  const auto culprit =
      static_cast<std::size_t>(std::ranges::find_if_not(parts, is_integer_scalar) - parts.begin());
  const Value& value = parts[culprit];
  Diagnostic& diagnostic =
      sema.report(DiagId::LoopBoundTypes, ranges[culprit].is_valid() ? ranges[culprit] : range,
                  describe(parts[0]), describe(parts[1]), describe(parts[2]));
  label_operand(sema, diagnostic, ranges[culprit], value);
  const auto* tensor = value.as<Tensor>();
  const std::string text = operand_text(sema, ranges[culprit]);
  if (tensor != nullptr && !tensor->type.is_scalar()) {
    diagnostic.helped("reduce the block to a scalar first, with `tl.max` or `tl.sum`");
  } else if (tensor != nullptr) {
    diagnostic.helped(fmt::format("convert it: `{}.to(tl.int32)`", text));
  } else {
    diagnostic.helped(fmt::format("make it a whole number: `int({})`", text));
  }
}

std::optional<Bounds> loop_bounds(Sema& sema, const RangeValue& values, SourceRange range) {
  const std::array<Value, 3> parts = {or_default(values.start, 0), or_default(values.stop, 0),
                                      or_default(values.step, 1)};
  if (!is_integer_scalar(parts[0]) || !is_integer_scalar(parts[1]) ||
      !is_integer_scalar(parts[2])) {
    report_bounds(sema, values, parts, range);
    return {};
  }
  if (known_int(sema, parts[2]) == BigInt{0}) {
    sema.report(DiagId::ZeroStep, range).helped("use a step of 1, or a negative one to count down");
    return {};
  }
  std::array<Tensor, 3> tensors;
  Scalar scalar = Scalar::I1;
  for (std::size_t i = 0; i < 3; ++i) {
    const MaybeTensor tensor = to_tensor(sema, parts[i], range);
    if (!tensor) {
      return {};
    }
    tensors[i] = *tensor;
    const Scalar own = tensor->type.element.scalar;
    scalar = i == 0 ? own : promote_integers(scalar, own);
  }
  Builder& builder = sema.builder();
  return Bounds{builder.cast(tensors[0].id, scalar), builder.cast(tensors[1].id, scalar),
                builder.cast(tensors[2].id, scalar), scalar};
}

}  // namespace

const AssignedNames& Specializer::names_assigned_in(const ast::Block& block,
                                                    ast::ExprId condition) {
  const auto [entry, is_new] = assigned_.try_emplace({&block, condition.index});
  if (is_new) {
    entry->second = assigned_names(module(), block);
    add_assigned_names(module(), condition, entry->second);
  }
  return entry->second;
}

void Specializer::abandon_loop(const ast::Block& body, ast::ExprId target, SourceRange range) {
  const AssignedNames& assigned = names_assigned_in(body);
  poison(assigned.names, range);
  poison(assigned.loop_targets, range);
  if (target) {
    poison_target(target, range);
  }
  state().exits.is_return_poisoned |= assigned.has_return;
}

// ---- for ----

void Specializer::execute(const ast::For& stmt, SourceRange range) {
  const SourceRange iterable_range = module()[stmt.iterable].range;
  if (!stmt.else_body.empty()) {
    report(DiagId::LoopElse, module()[stmt.else_body.front()].range, "for")
        .helped("set a flag in the loop and test it afterwards");
  }
  const MaybeValue iterable = evaluate(stmt.iterable);
  const auto* values = iterable ? iterable->as<RangeValue>() : nullptr;
  if (!iterable) {
    abandon_loop(stmt.body, stmt.target, range);
  } else if (values != nullptr && !values->is_static && !frame_->is_compile_time) {
    execute_counted_loop(stmt, range, *values);
  } else if (values != nullptr || frame_->is_compile_time) {
    const std::optional<std::vector<Value>> elements = iterate(*iterable, iterable_range);
    if (elements) {
      execute_unrolled_loop(stmt, range, *elements);
    } else {
      abandon_loop(stmt.body, stmt.target, range);
    }
  } else {
    const bool is_tuple = iterable->is<TupleValue>();
    report(DiagId::NotARange, iterable_range, describe(*iterable))
        .helped(is_tuple ? "`for i in tl.static_range(len(t))` and `t[i]` visit a tuple"
                         : "write `for i in range(…)`, or `tl.static_range(…)` to unroll");
    abandon_loop(stmt.body, stmt.target, range);
  }
}

void Specializer::execute_counted_loop(const ast::For& stmt, SourceRange range,
                                       const RangeValue& values) {
  const SourceRange iterable_range = module()[stmt.iterable].range;
  const auto* target = module().as<ast::Name>(stmt.target);
  set_range(iterable_range);
  const std::optional<Bounds> bounds = loop_bounds(*this, values, iterable_range);
  if (target == nullptr) {
    report(DiagId::LoopTarget, module()[stmt.target].range)
        .helped("use one name and compute the others from it");
  }
  if (!bounds || target == nullptr) {
    abandon_loop(stmt.body, stmt.target, range);
    return;
  }
  LoopBuilder loop(*this, names_assigned_in(stmt.body), iterable_range);
  const RegionId body = builder_.make_region({});
  const ValueId iv = builder_.add_region_argument(body, bounds->type, target->id);
  loop.bind(body);
  define(target->id, Value{Tensor{iv, bounds->type}}, module()[stmt.target].range, range)
      .is_loop_target = true;
  execute_loop_body(stmt.body, body);
  loop.end_body(body);
  loop.prune();
  InstSpec spec = close_counted_loop(loop, body);
  set_range(iterable_range);
  spec.groups.insert(spec.groups.begin(), {{bounds->lower}, {bounds->upper}, {bounds->step}});
  const bool has_exit = loop.exit_flag().has_value();
  spec.attrs = {{"has_exit", has_exit},
                {"stages", values.stages},
                {"unroll", values.unroll},
                {"flatten", values.flatten},
                {"warp_specialize", values.warp_specialize},
                {"disable_licm", values.disable_licm}};
  finish_loop(loop, Op::For, std::move(spec), has_exit);
}

InstSpec Specializer::close_counted_loop(const LoopBuilder& loop, RegionId body) {
  std::vector<ValueId> inits = loop.inits();
  std::vector<ValueId> yields = loop.yields();
  builder_.set_region(loop.outer());
  if (loop.exit_flag()) {
    // The flag comes right after the loop variable.
    insert_region_argument(function(), body, 1, Scalar::I1);
    inits.insert(inits.begin(), builder_.constant_int(Scalar::I1, 0));
    yields.insert(yields.begin(), *loop.exit_flag());
  }
  for (const Type& type : loop.extras().types) {
    builder_.add_region_argument(body, type);
    inits.push_back(zero(type));
  }
  yields.insert(yields.end(), loop.extras().yields.begin(), loop.extras().yields.end());
  builder_.set_region(body);
  builder_.yield(std::move(yields));
  builder_.set_region(loop.outer());
  InstSpec spec;
  spec.groups = {std::move(inits)};
  spec.regions = {body};
  return spec;
}

void Specializer::execute_loop_body(const ast::Block& stmts, RegionId body) {
  builder_.set_region(body);
  state().exits = {};
  ++frame_->run_time_depth;
  ++frame_->loop_depth;
  execute_block(stmts, false);
  --frame_->loop_depth;
  --frame_->run_time_depth;
}

void Specializer::finish_loop(LoopBuilder& loop, Op op, InstSpec spec, bool has_exit) {
  const InstId inst = builder_.create(op, std::move(spec));
  std::vector<ValueId> results;
  for (std::uint32_t i = 0; i < function().inst(inst).result_count; ++i) {
    results.push_back(function().inst(inst).result(i));
  }
  loop.leave(results, has_exit);
}

// ---- while ----

void Specializer::execute(const ast::While& stmt, SourceRange range) {
  if (!stmt.else_body.empty()) {
    report(DiagId::LoopElse, module()[stmt.else_body.front()].range, "while")
        .helped("set a flag in the loop and test it afterwards");
  }
  if (frame_->is_compile_time) {
    execute_compile_time_while(stmt, range);
  } else {
    execute_run_time_while(stmt, range);
  }
}

/// The condition without the `tl.condition(…)` around it, which only carries a hint.
ast::ExprId Specializer::while_condition(ast::ExprId id, bool& disable_licm) {
  const auto* call = module().as<ast::Call>(id);
  const auto* attribute = call != nullptr ? module().as<ast::Attribute>(call->callee) : nullptr;
  if (attribute == nullptr || attribute->name != "condition" || call->arguments.empty()) {
    return id;
  }
  for (const ast::Argument& argument : call->arguments) {
    const auto* flag = module().as<ast::BoolLiteral>(argument.value);
    disable_licm =
        disable_licm || (argument.keyword == "disable_licm" && flag != nullptr && flag->value);
  }
  return call->arguments.front().value;
}

std::optional<Specializer::WhileTest> Specializer::while_test(ast::ExprId id,
                                                              std::optional<ValueId> exit) {
  const SourceRange range = module()[id].range;
  std::optional<Condition> test;
  const auto evaluate_test = [&] {
    test = evaluate_condition(id);
    if (test && test->known.value_or(false) && (!exit || options_.strict)) {
      report(DiagId::WhileAlways, range, operand_text(*this, range))
          .helped("the condition must be a run-time scalar, or the loop must contain a `break`");
      test.reset();
    }
  };
  if (!exit) {
    evaluate_test();
    if (!test) {
      return {};
    }
    return WhileTest{test->tensor.id, test->known.has_value()};
  }
  // Paths that have left do not evaluate the condition; where it fails, a path leaves as well.
  state().exits = {};
  state().exits.broke = Value{Tensor{*exit, Scalar::I1}};
  execute_guarded(false, range, [&] {
    evaluate_test();
    if (test && !test->known) {
      state().exits.broke = Value{Tensor{builder_.map(Op::Not, {test->tensor.id}), Scalar::I1}};
    }
  });
  if (!test) {
    return {};
  }
  const ValueId stop = state().exits.broke.as<Tensor>()->id;
  state().exits = {};
  const bool is_never = test->known.has_value() && !*test->known;
  return WhileTest{is_never ? ValueId() : builder_.map(Op::Not, {stop}), is_never};
}

void Specializer::execute_run_time_while(const ast::While& stmt, SourceRange range) {
  bool disable_licm = false;
  const ast::ExprId condition_id = while_condition(stmt.condition, disable_licm);
  const SourceRange condition_range = module()[condition_id].range;
  const AssignedNames& assigned = names_assigned_in(stmt.body, condition_id);
  const bool has_exit = assigned.has_break || assigned.has_return;
  set_range(condition_range);
  LoopBuilder loop(*this, assigned, condition_range);
  const RegionId cond = builder_.make_region({});
  const RegionId body = builder_.make_region({});
  std::optional<ValueId> exit;
  if (has_exit) {
    exit = builder_.add_region_argument(cond, Scalar::I1);
    builder_.add_region_argument(body, Scalar::I1);
  }
  builder_.set_region(cond);
  loop.bind(cond);
  ++frame_->run_time_depth;
  const std::optional<WhileTest> test = while_test(condition_id, exit);
  --frame_->run_time_depth;
  if (!test || test->is_never) {
    builder_.set_region(loop.outer());
    state() = loop.base();
    if (!test) {
      abandon_loop(stmt.body, {}, range);
    }
    return;
  }
  loop.end_condition();
  loop.bind(body);
  execute_loop_body(stmt.body, body);
  loop.end_body(body);
  loop.prune();
  finish_while(loop, cond, body, test->go, exit, disable_licm);
}

void Specializer::finish_while(LoopBuilder& loop, RegionId cond, RegionId body, ValueId go,
                               std::optional<ValueId> exit, bool disable_licm) {
  std::vector<ValueId> inits = loop.inits();
  std::vector<ValueId> passed = loop.passed();
  std::vector<ValueId> yields = loop.yields();
  if (exit) {
    builder_.set_region(body);
    yields.insert(yields.begin(),
                  loop.exit_flag() ? *loop.exit_flag() : builder_.constant_int(Scalar::I1, 0));
    passed.insert(passed.begin(), *exit);
    builder_.set_region(loop.outer());
    inits.insert(inits.begin(), builder_.constant_int(Scalar::I1, 0));
  }
  builder_.set_region(loop.outer());
  for (const Type& type : loop.extras().types) {
    passed.push_back(builder_.add_region_argument(cond, type));
    builder_.add_region_argument(body, type);
    inits.push_back(zero(type));
  }
  yields.insert(yields.end(), loop.extras().yields.begin(), loop.extras().yields.end());
  builder_.set_region(cond);
  builder_.create(Op::Condition, {{{go}, std::move(passed)}, {}, {}, {}});
  builder_.set_region(body);
  builder_.yield(std::move(yields));
  builder_.set_region(loop.outer());
  InstSpec spec{{std::move(inits)}, {{"disable_licm", disable_licm}}, {}, {cond, body}};
  finish_loop(loop, Op::While, std::move(spec), exit.has_value());
}

}  // namespace tilery::sema
