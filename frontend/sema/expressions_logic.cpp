// Expressions that may skip a part: comparisons, `and`, `or`, `a if c else b`, comprehensions.
#include "frontend/sema/branch_merger.h"
#include "frontend/sema/constexpr_ops.h"
#include "frontend/sema/operators.h"
#include "frontend/sema/specializer.h"
#include "frontend/sema/tensor_ops.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tilery::sema {
namespace {

using ast::BoolOp;
using ast::CompareOp;

/// Everything in the region, nested regions included, only computes values.
bool is_pure(const Function& function, RegionId region) {
  bool result = true;
  for_each_inst(function, region, [&](InstId id) {
    const OpDef& def = op_def(function.inst(id).op);
    result = result && (def.is_pure() || def.effects == OpEffects::Regions || def.is_terminator());
  });
  return result;
}

/// Moves the instructions of a detached region to the end of the current one.
void splice(Builder& builder, RegionId region) {
  Function& function = builder.function();
  std::vector<InstId> insts = std::move(function.region(region).insts);
  function.region(region).insts.clear();
  for (const InstId id : insts) {
    function.inst(id).parent = builder.region();
    function.region(builder.region()).insts.push_back(id);
  }
}

/// The variable is defined where the flag is so.
bool is_assured(const Variable& variable, ValueId flag, bool when) {
  const auto& assurance = variable.assurance;
  return assurance && assurance->flag == flag && assurance->when == when &&
         assurance->version == variable.version;
}

bool is_i1_scalar(const Value& value) {
  const auto* tensor = value.as<Tensor>();
  return tensor != nullptr && tensor->type == Type(Scalar::I1);
}

}  // namespace

// ---- comparisons ----

MaybeValue Specializer::compare_pair(CompareOp op, const Value& lhs, const Value& rhs,
                                     BinaryRanges ranges) {
  const bool is_membership = op == CompareOp::In || op == CompareOp::NotIn;
  warn_of_string_comparison(*this, op, lhs, rhs, ranges);
  if (op == CompareOp::Is || op == CompareOp::IsNot) {
    return fold_compare(*this, op, lhs, rhs, ranges);
  }
  if (is_membership) {
    const bool is_known = lhs.is_compile_time() && rhs.is_compile_time();
    if (is_known && (frame_->is_compile_time || !options_.strict)) {
      return fold_compare(*this, op, lhs, rhs, ranges);
    }
    Diagnostic& diagnostic =
        report(DiagId::MembershipTest, ranges.whole, op == CompareOp::In ? "in" : "not in");
    label_operands(*this, diagnostic, lhs, rhs, ranges);
    diagnostic.helped(rhs.is<TupleValue>()
                          ? "compare with each element: `(x == a) | (x == b)`"
                          : "compare and reduce: `tl.max((x == value).to(tl.int32))`");
    return {};
  }
  set_range(ranges.whole);
  return compare_operator(*this, op, lhs, rhs, ranges);
}

MaybeValue Specializer::compare_chain(const ast::Compare& node, SourceRange range) {
  std::vector<Value> values;
  for (const ast::ExprId id : node.operands) {
    MaybeValue value = evaluate(id);
    if (!value) {
      return {};
    }
    values.push_back(std::move(*value));
  }
  const bool is_known =
      std::ranges::all_of(values, [](const Value& value) { return value.is_compile_time(); });
  if (!is_known || (options_.strict && !frame_->is_compile_time)) {
    std::string rewrite;
    for (std::size_t i = 0; i < node.ops.size(); ++i) {
      rewrite +=
          fmt::format("{}({} {} {})", i == 0 ? "" : " & ",
                      operand_text(*this, module()[node.operands[i]].range), symbol(node.ops[i]),
                      operand_text(*this, module()[node.operands[i + 1]].range));
    }
    report(DiagId::ChainedComparison, range).helped(fmt::format("write `{}`", rewrite));
    return {};
  }
  Value result{true};
  for (std::size_t i = 0; i < node.ops.size() && truth(result); ++i) {
    const MaybeValue next = compare_pair(
        node.ops[i], values[i], values[i + 1],
        {range, module()[node.operands[i]].range, module()[node.operands[i + 1]].range});
    if (!next) {
      return {};
    }
    result = *next;
  }
  return result;
}

MaybeValue Specializer::evaluate_node(const ast::Compare& node, SourceRange range) {
  if (node.ops.size() > 1) {
    return compare_chain(node, range);
  }
  const MaybeValue lhs = evaluate(node.operands[0]);
  const MaybeValue rhs = evaluate(node.operands[1]);
  if (!lhs || !rhs) {
    return {};
  }
  return compare_pair(node.ops[0], *lhs, *rhs,
                      {range, module()[node.operands[0]].range, module()[node.operands[1]].range});
}

// ---- and, or ----

MaybeValue Specializer::evaluate_node(const ast::Logical& node, SourceRange range) {
  MaybeValue result = evaluate(node.operands[0]);
  SourceRange lhs_range = module()[node.operands[0]].range;
  for (std::size_t i = 1; i < node.operands.size() && result; ++i) {
    const SourceRange rhs_range = module()[node.operands[i]].range;
    const SourceRange so_far{range.file, range.begin, rhs_range.end};
    const BinaryRanges ranges{so_far, lhs_range, rhs_range};
    const auto* tensor = result->as<Tensor>();
    if (tensor == nullptr) {
      // Python's rule: the first operand that decides is the result, and the rest is not evaluated.
      if (truth(*result) != (node.op == BoolOp::And)) {
        return result;
      }
      result = evaluate(node.operands[i]);
    } else {
      result = short_circuit(node.op, *tensor, node.operands[i], ranges);
    }
    lhs_range = so_far;
  }
  return result;
}

bool Specializer::assigns_names(ast::ExprId id) const {
  AssignedNames assigned;
  add_assigned_names(module(), id, assigned);
  return !assigned.names.empty();
}

void Specializer::poison_assigned(ast::ExprId id) {
  AssignedNames assigned;
  add_assigned_names(module(), id, assigned);
  poison(assigned.names, module()[id].range);
}

void Specializer::assume(ValueId flag, bool when) {
  for (Variable& variable : state().scope.variables()) {
    if (variable.status == Variable::Status::OneBranch && is_assured(variable, flag, when)) {
      variable.status = Variable::Status::Defined;
    }
  }
}

void Specializer::pass_assurances(const State& base, ValueId flag, const Value& result, bool when) {
  const auto* tensor = result.as<Tensor>();
  std::vector<Variable>& variables = state().scope.variables();
  for (std::size_t i = 0; i < variables.size(); ++i) {
    Variable& variable = variables[i];
    const bool is_added = i >= base.scope.size();
    if (!is_added && variable.version == base.scope.variables()[i].version) {
      variable.status = base.scope.variables()[i].status;
    }
    if (tensor != nullptr && variable.status == Variable::Status::OneBranch &&
        (is_added || is_assured(variable, flag, when))) {
      variable.assurance = {tensor->id, when, variable.version};
    }
  }
}

// `a and b` with a run-time scalar a: b is evaluated in a region of its own. If that only computes
// values, and `:=` assigns none of them, the region dissolves into the surroundings; otherwise it
// becomes a branch of an `if`, which merges variables as the statement does.
MaybeValue Specializer::short_circuit(BoolOp op, const Tensor& lhs, ast::ExprId rhs,
                                      BinaryRanges ranges) {
  const State base = state();
  const RegionId outer = builder_.region();
  const RegionId region = builder_.make_region({});
  builder_.set_region(region);
  const bool is_and = op == BoolOp::And;
  assume(lhs.id, is_and);
  const MaybeValue value = evaluate(rhs);
  builder_.set_region(outer);
  if (!value) {
    poison_assigned(rhs);
    return {};
  }
  const bool is_flag = is_i1_scalar(Value{lhs});
  // As in the language, a compile-time operand that decides is the result; else it drops out.
  const bool is_known = !value->is<Tensor>();
  const Value known = is_known && truth(*value) != is_and ? *value : Value{lhs};
  set_range(ranges.whole);
  const bool can_skip = is_flag && (is_known || is_i1_scalar(*value));
  const bool has_effects = assigns_names(rhs) || (!is_known && !is_pure(function(), region));
  if (!can_skip || !has_effects) {
    splice(builder_, region);
    MaybeValue result =
        is_known ? MaybeValue(known) : logical_operator(*this, op, Value{lhs}, *value, ranges);
    pass_assurances(base, lhs.id, result.value_or(Value{}), is_and);
    return result;
  }
  const RegionId skipped = builder_.make_region({});
  const RegionId regions[] = {is_and ? region : skipped, is_and ? skipped : region};
  const Value decided{!is_and};
  BranchMerger merger(*this, regions[0], regions[1]);
  const std::optional<BranchMerger::Slot> slot =
      is_known ? std::nullopt
               : merger.join(is_and ? *value : decided, is_and ? decided : *value,
                             BranchMerger::Numbers::BecomeTensors, {});
  const State evaluated = std::move(state());
  BranchMerger::Options options;
  options.keeps_added = true;
  frame_->state =
      merger.merge(base, is_and ? evaluated : base, is_and ? base : evaluated, lhs, options);
  Value result = slot ? merger.value(*slot) : known;
  pass_assurances(base, lhs.id, result, is_and);
  return result;
}

// ---- a if c else b ----

MaybeValue Specializer::evaluate_node(const ast::Conditional& node, SourceRange range) {
  const std::optional<Condition> condition = evaluate_condition(node.condition);
  if (!condition) {
    return {};
  }
  if (condition->known) {
    return evaluate(*condition->known ? node.if_true : node.if_false);
  }
  const State base = state();
  const RegionId outer = builder_.region();
  const RegionId regions[] = {builder_.make_region({}), builder_.make_region({})};
  ++frame_->run_time_depth;
  builder_.set_region(regions[0]);
  assume(condition->tensor.id, true);
  const MaybeValue if_true = evaluate(node.if_true);
  const State true_state = std::exchange(state(), base);
  builder_.set_region(regions[1]);
  assume(condition->tensor.id, false);
  const MaybeValue if_false = evaluate(node.if_false);
  --frame_->run_time_depth;
  builder_.set_region(outer);
  if (!if_true || !if_false) {
    poison_assigned(node.if_true);
    poison_assigned(node.if_false);
    return {};
  }
  set_range(range);
  BranchMerger merger(*this, regions[0], regions[1]);
  const std::optional<BranchMerger::Slot> slot =
      merger.join(*if_true, *if_false, BranchMerger::Numbers::BecomeTensors, {});
  if (!slot) {
    Diagnostic& diagnostic =
        report(DiagId::ConditionalTypes, range, describe(*if_true), describe(*if_false));
    label_operand(*this, diagnostic, module()[node.if_true].range, *if_true);
    label_operand(*this, diagnostic, module()[node.if_false].range, *if_false);
    diagnostic.helped(
        "convert one side with `.to(…)`, or choose element by element with `tl.where`");
    return {};
  }
  const State false_state = std::move(state());
  frame_->state = merger.merge(base, true_state, false_state, condition->tensor, {});
  return merger.value(*slot);
}

// ---- comprehensions ----

std::optional<std::vector<Value>> Specializer::iterate(const Value& iterable, SourceRange range) {
  if (const auto* tuple = iterable.as<TupleValue>()) {
    return tuple->elements;
  }
  if (const auto* values = iterable.as<RangeValue>()) {
    return static_values(*values, range);
  }
  const auto* text = iterable.as<std::string>();
  if (text != nullptr && frame_->is_compile_time) {
    std::vector<Value> characters;
    for (const char c : *text) {
      characters.push_back(Value{std::string(1, c)});
    }
    return characters;
  }
  report(DiagId::NotIterable, range, describe(iterable))
      .helped("iterate over a tuple, or over a range of compile-time bounds");
  return {};
}

bool Specializer::comprehension_clause(const ast::Comprehension& node, std::size_t clause,
                                       std::vector<Value>& out) {
  if (clause == node.clauses.size()) {
    MaybeValue element = evaluate(node.element);
    if (element) {
      out.push_back(std::move(*element));
    }
    return element.has_value();
  }
  const ast::ComprehensionClause& part = node.clauses[clause];
  const SourceRange range = module()[part.iterable].range;
  const MaybeValue iterable = evaluate(part.iterable);
  const std::optional<std::vector<Value>> values =
      iterable ? iterate(*iterable, range) : std::nullopt;
  if (!values) {
    return false;
  }
  for (const Value& value : *values) {
    if (!count_step(range) || !bind_loop_target(part.target, value, range)) {
      return false;
    }
    bool is_kept = true;
    for (const ast::ExprId id : part.conditions) {
      const std::optional<Condition> condition = evaluate_condition(id);
      if (!condition) {
        return false;
      }
      if (!condition->known) {
        report(DiagId::ComprehensionFilter, module()[id].range,
               operand_text(*this, module()[id].range))
            .helped("keep all elements, and choose with `tl.where` later");
        return false;
      }
      is_kept = is_kept && *condition->known;
    }
    if (is_kept && !comprehension_clause(node, clause + 1, out)) {
      return false;
    }
  }
  return true;
}

MaybeValue Specializer::evaluate_node(const ast::Comprehension& node, SourceRange range) {
  if (!frame_->is_compile_time) {
    if ((node.is_generator &&
         !allow_extension(*this, "a generator expression", range, "write a list")) ||
        (node.clauses.size() > 1 &&
         !allow_extension(*this, "a comprehension with several `for`", range, "nest two lists"))) {
      return {};
    }
  }
  // The variables live in the comprehension only.
  std::vector<std::string_view> names;
  for (const ast::ComprehensionClause& clause : node.clauses) {
    add_target_names(module(), clause.target, names);
  }
  std::vector<std::pair<std::string_view, std::optional<Variable>>> saved;
  for (const std::string_view name : names) {
    const Variable* variable = state().scope.find(name);
    saved.emplace_back(name, variable != nullptr ? std::optional(*variable) : std::nullopt);
  }
  TupleValue tuple;
  const bool is_complete = comprehension_clause(node, 0, tuple.elements);
  for (const auto& [name, variable] : saved) {
    if (variable) {
      state().scope.add(name) = *variable;
    } else {
      state().scope.remove(name);
    }
  }
  return is_complete ? MaybeValue(Value{std::move(tuple)}) : std::nullopt;
}

}  // namespace tilery::sema
