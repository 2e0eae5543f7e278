#include "frontend/sema/branch_merger.h"

#include "frontend/sema/constexpr_ops.h"
#include "frontend/sema/tensor_ops.h"

#include <fmt/format.h>

namespace tilery::sema {
namespace {

using Status = Variable::Status;

bool is_true(const Value& flag) {
  const bool* known = flag.as<bool>();
  return known != nullptr && *known;
}

bool is_false(const Value& flag) {
  const bool* known = flag.as<bool>();
  return known != nullptr && !*known;
}

/// The conversion that would give `after` the type of `before`, as a proposal.
std::string conversion_help(const Value& before, const Value& after) {
  const auto* from = after.as<Tensor>();
  const auto* to = before.as<Tensor>();
  if (from != nullptr && to != nullptr && from->type.shape == to->type.shape &&
      !to->type.is_pointer() && !from->type.is_pointer()) {
    return fmt::format("a variable keeps its type through a run-time `if`: convert with `.to({})`",
                       dtype_text(to->type.element.scalar));
  }
  return "a variable keeps its type through a run-time `if`: use another name for the new value";
}

}  // namespace

BranchEnd branch_end(const Exits& exits) {
  if (is_true(exits.returned)) {
    return BranchEnd::Returns;
  }
  const bool leaves = is_true(exits.broke) || is_true(exits.continued);
  return leaves ? BranchEnd::Leaves : BranchEnd::Falls;
}

// ---- values ----

std::optional<std::pair<Value, Value>> BranchMerger::unify_tensors(const Value& a, const Value& b) {
  Builder& builder = sema_.builder();
  const bool can_be_tensors =
      (a.is<Tensor>() || a.is_number()) && (b.is<Tensor>() || b.is_number());
  if (!can_be_tensors) {
    return std::nullopt;
  }
  builder.set_region(then_);
  const MaybeTensor x = to_tensor(sema_, a, {});
  builder.set_region(else_);
  const MaybeTensor y = to_tensor(sema_, b, {});
  builder.set_region(outer_);
  if (!x || !y || x->type != y->type) {
    return std::nullopt;
  }
  return std::pair(Value{*x}, Value{*y});
}

std::optional<std::pair<Value, Value>> BranchMerger::unify(const Value& a, const Value& b,
                                                           Numbers numbers) {
  const auto* tuple_a = a.as<TupleValue>();
  const auto* tuple_b = b.as<TupleValue>();
  if (tuple_a != nullptr && tuple_b != nullptr) {
    if (tuple_a->elements.size() != tuple_b->elements.size() ||
        tuple_a->type_name != tuple_b->type_name) {
      return std::nullopt;
    }
    std::pair<TupleValue, TupleValue> result(*tuple_a, *tuple_b);
    for (std::size_t i = 0; i < tuple_a->elements.size(); ++i) {
      auto element = unify(tuple_a->elements[i], tuple_b->elements[i], numbers);
      if (!element) {
        return std::nullopt;
      }
      result.first.elements[i] = std::move(element->first);
      result.second.elements[i] = std::move(element->second);
    }
    return std::pair(Value{std::move(result.first)}, Value{std::move(result.second)});
  }
  if (!a.is<Tensor>() && !b.is<Tensor>() && a.data.index() == b.data.index() && equal(a, b)) {
    return std::pair(a, b);
  }
  const bool are_tensors = a.is<Tensor>() && b.is<Tensor>();
  return are_tensors || numbers == Numbers::BecomeTensors ? unify_tensors(a, b) : std::nullopt;
}

BranchMerger::Slot BranchMerger::yield_pair(const Value& a, const Value& b, std::string_view name) {
  std::vector<Tensor> from_then;
  std::vector<Tensor> from_else;
  flatten(a, from_then);
  flatten(b, from_else);
  Slot slot{a, then_yields_.size()};
  for (std::size_t i = 0; i < from_then.size(); ++i) {
    then_yields_.push_back(from_then[i].id);
    else_yields_.push_back(from_else[i].id);
    names_.push_back(name);
  }
  return slot;
}

std::optional<BranchMerger::Slot> BranchMerger::join(const Value& a, const Value& b,
                                                     Numbers numbers, std::string_view name) {
  const auto both = unify(a, b, numbers);
  return both ? std::optional(yield_pair(both->first, both->second, name)) : std::nullopt;
}

BranchMerger::Slot BranchMerger::pad(const Value& value, bool is_in_then, std::string_view name) {
  std::vector<Tensor> tensors;
  flatten(value, tensors);
  std::vector<ValueId> zeros;
  sema_.builder().set_region(is_in_then ? else_ : then_);
  for (const Tensor& tensor : tensors) {
    zeros.push_back(sema_.zero(tensor.type));
  }
  sema_.builder().set_region(outer_);
  std::size_t next = 0;
  const Value other = rebuild(value, zeros, next);
  return is_in_then ? yield_pair(value, other, name) : yield_pair(other, value, name);
}

void BranchMerger::finish(const Tensor& condition) {
  Builder& builder = sema_.builder();
  builder.set_region(then_);
  builder.yield(then_yields_);
  builder.set_region(else_);
  builder.yield(else_yields_);
  builder.set_region(outer_);
  const InstId inst = builder.create(Op::If, {{{condition.id}}, {}, {}, {then_, else_}});
  Function& function = builder.function();
  for (std::uint32_t i = 0; i < function.inst(inst).result_count; ++i) {
    results_.push_back(function.inst(inst).result(i));
    function.value(results_.back()).name = names_[i];
  }
}

Value BranchMerger::value(const Slot& slot) const {
  std::size_t next = slot.first;
  return rebuild(slot.like, results_, next);
}

// ---- states ----

State BranchMerger::merge(const State& base, const State& then_state, const State& else_state,
                          const Tensor& condition, const Options& options) {
  base_ = &base;
  a_ = &then_state;
  b_ = &else_state;
  options_ = options;
  merged_ = base;
  const bool is_dead =
      options.then_end == BranchEnd::Returns && options.else_end == BranchEnd::Returns;
  if (!options.is_tail && !is_dead) {
    merge_variables();
  }
  merge_exits();
  finish(condition);
  for (const Pending& pending : pending_) {
    merged_.scope.variables()[pending.variable].value = value(pending.slot);
  }
  for (const auto& [flag, slot] : pending_flags_) {
    merged_.exits.*flag = value(slot);
  }
  if (pending_return_) {
    merged_.exits.return_value = value(*pending_return_);
  }
  return std::move(merged_);
}

void BranchMerger::merge_variables() {
  const std::size_t known = base_->scope.size();
  for (std::size_t i = 0; i < known; ++i) {
    merge_existing(i);
  }
  for (std::size_t i = known; i < a_->scope.size(); ++i) {
    const Variable& a = a_->scope.variables()[i];
    merge_added(&a, b_->scope.find(a.name));
  }
  for (std::size_t i = known; i < b_->scope.size(); ++i) {
    const Variable& b = b_->scope.variables()[i];
    if (a_->scope.find(b.name) == nullptr) {
      merge_added(nullptr, &b);
    }
  }
}

void BranchMerger::merge_existing(std::size_t index) {
  const Variable& before = base_->scope.variables()[index];
  const Variable& a = a_->scope.variables()[index];
  const Variable& b = b_->scope.variables()[index];
  if (a.version == before.version && b.version == before.version) {
    return;
  }
  Variable& out = merged_.scope.variables()[index];
  if (options_.then_end == BranchEnd::Returns) {
    take_live(out, b, false, &before);
  } else if (options_.else_end == BranchEnd::Returns) {
    take_live(out, a, true, &before);
  } else {
    join_variables(out, a, b, &before);
  }
}

void BranchMerger::merge_added(const Variable* a, const Variable* b) {
  const Variable& any = a != nullptr ? *a : *b;
  Variable& out = merged_.scope.add(any.name);
  const bool is_dead_in_then = options_.then_end != BranchEnd::Falls && a == nullptr;
  const bool is_dead_in_else = options_.else_end != BranchEnd::Falls && b == nullptr;
  if (options_.then_end == BranchEnd::Returns || is_dead_in_then) {
    if (b != nullptr) {
      take_live(out, *b, false, nullptr);
    } else {
      out = *a;
      out.status = Status::OneBranch;
    }
  } else if (options_.else_end == BranchEnd::Returns || is_dead_in_else) {
    if (a != nullptr) {
      take_live(out, *a, true, nullptr);
    } else {
      out = *b;
      out.status = Status::OneBranch;
    }
  } else if (a != nullptr && b != nullptr) {
    join_variables(out, *a, *b, nullptr);
  } else {
    if (options_.keeps_added) {
      take_live(out, any, a != nullptr, nullptr);
    } else {
      out = any;
    }
    out.status = any.status == Status::Defined ? Status::OneBranch : any.status;
  }
}

void BranchMerger::take_live(Variable& out, const Variable& live, bool is_in_then,
                             const Variable* before) {
  if (before != nullptr && live.version == before->version) {
    return;
  }
  out = live;
  if (live.status == Status::Defined && has_tensors(live.value)) {
    const auto index = static_cast<std::size_t>(&out - merged_.scope.variables().data());
    pending_.push_back({index, pad(live.value, is_in_then, live.name)});
  }
}

void BranchMerger::join_variables(Variable& out, const Variable& a, const Variable& b,
                                  const Variable* before) {
  const bool is_a_changed = before == nullptr || a.version != before->version;
  const bool is_b_changed = before == nullptr || b.version != before->version;
  out = is_b_changed ? b : a;
  out.version = sema_.next_version();
  out.is_constexpr = a.is_constexpr && b.is_constexpr;
  if (a.status == Status::Poisoned || b.status == Status::Poisoned) {
    out.status = Status::Poisoned;
    return;
  }
  if (a.status != Status::Defined || b.status != Status::Defined) {
    const bool is_any_defined = a.status == Status::Defined || b.status == Status::Defined;
    const Variable& shown = a.status == Status::Defined ? a : b;
    out.definition = shown.definition;
    out.status = is_any_defined ? Status::OneBranch : shown.status;
    return;
  }
  // Strict mode keeps the type that the variable had before; so do loops around, in any mode.
  const bool must_keep = before != nullptr && sema_.options().strict && is_a_changed &&
                         is_b_changed && describe(before->value) != describe(a.value);
  const auto slot = must_keep ? std::nullopt : join(a.value, b.value, Numbers::MustAgree, a.name);
  if (slot) {
    const auto index = static_cast<std::size_t>(&out - merged_.scope.variables().data());
    pending_.push_back({index, *slot});
    return;
  }
  out.status = Status::Poisoned;
  const bool has_left =
      options_.then_end != BranchEnd::Falls || options_.else_end != BranchEnd::Falls;
  const bool is_fixed = !has_tensors(a.value) || !has_tensors(b.value);
  if (has_left && (before == nullptr || is_fixed)) {
    // Such as the variable of an unrolled loop that may be left: an error only where it is used.
    out.status = Status::OneBranch;
  } else if (before == nullptr || before->status != Status::Defined) {
    report_added(a, b);
  } else {
    report_existing(*before, a, b);
  }
}

void BranchMerger::report_existing(const Variable& before, const Variable& a, const Variable& b) {
  const std::string type_before = describe(before.value);
  const bool is_a = a.version != before.version && describe(a.value) != type_before;
  const Variable& culprit = is_a || b.version == before.version ? a : b;
  const std::string note = fmt::format("`{}` is {} since here", before.name, type_before);
  if (!has_tensors(before.value)) {
    sema_
        .report(DiagId::ConstexprInBranch, culprit.definition, before.name, type_before,
                describe(culprit.value))
        .note(note, before.definition)
        .helped(before.value.is<NoneValue>()
                    ? fmt::format("give `{}` a tensor of that type before the `if`", before.name)
                    : fmt::format("before the `if`, assign the value to another variable without "
                                  "`tl.constexpr`, and change that one"));
    return;
  }
  sema_
      .report(DiagId::BranchChangesType, culprit.definition, before.name, type_before,
              describe(culprit.value))
      .note(note, before.definition)
      .helped(conversion_help(before.value, culprit.value));
}

void BranchMerger::report_added(const Variable& a, const Variable& b) {
  sema_.report(DiagId::BranchesDiffer, b.definition, a.name, describe(a.value), describe(b.value))
      .note(fmt::format("`{}` is {} in the other branch", a.name, describe(a.value)), a.definition)
      .helped(conversion_help(a.value, b.value));
}

// ---- exits ----

void BranchMerger::merge_exits() {
  merge_flag(&Exits::returned);
  merge_flag(&Exits::broke);
  merge_flag(&Exits::continued);
  merge_return_value();
}

bool BranchMerger::is_last_exit(Value Exits::* flag) const {
  for (Value Exits::* other : {&Exits::returned, &Exits::broke, &Exits::continued}) {
    if (other != flag && !is_false(a_->exits.*other)) {
      return false;
    }
  }
  return true;
}

void BranchMerger::merge_flag(Value Exits::* flag) {
  const Value& a = a_->exits.*flag;
  const Value& b = b_->exits.*flag;
  Value& out = merged_.exits.*flag;
  if (options_.is_guard && is_false(b)) {
    out = a;
  } else if (options_.is_guard && is_true(b) && is_last_exit(flag)) {
    out = Value{true};
  } else if (!a.is<Tensor>() && !b.is<Tensor>() && is_true(a) == is_true(b)) {
    out = a;
  } else {
    pending_flags_.emplace_back(flag, *join(a, b, Numbers::BecomeTensors, {}));
  }
}

void BranchMerger::merge_return_value() {
  Exits& out = merged_.exits;
  const std::optional<Value>& a = a_->exits.return_value;
  const std::optional<Value>& b = b_->exits.return_value;
  out.is_return_poisoned = a_->exits.is_return_poisoned || b_->exits.is_return_poisoned;
  out.return_value.reset();
  if (out.is_return_poisoned || (!a && !b)) {
    return;
  }
  if (a && b) {
    pending_return_ = join(*a, *b, Numbers::BecomeTensors, {});
    if (!pending_return_) {
      sema_.report_returns_differ();
      out.is_return_poisoned = true;
    }
    return;
  }
  const Value& only = a ? *a : *b;
  if (!has_tensors(only) || (options_.is_guard && a)) {
    out.return_value = only;
  } else {
    pending_return_ = pad(only, a.has_value(), {});
  }
}

}  // namespace tilery::sema
