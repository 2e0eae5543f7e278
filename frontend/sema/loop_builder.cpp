#include "frontend/sema/loop_builder.h"

#include "frontend/sema/constexpr_ops.h"
#include "frontend/sema/tensor_ops.h"

#include <fmt/format.h>

#include <algorithm>

namespace tilery::sema {
namespace {

using Status = Variable::Status;

bool is_known_true(const Value& flag) {
  const bool* known = flag.as<bool>();
  return known != nullptr && *known;
}

/// The same form, and tensors of the same types.
bool has_type_of(const Value& value, const Value& like) {
  if (const auto* tensor = like.as<Tensor>()) {
    const auto* other = value.as<Tensor>();
    return other != nullptr && other->type == tensor->type;
  }
  if (const auto* tuple = like.as<TupleValue>()) {
    const auto* other = value.as<TupleValue>();
    return other != nullptr && other->type_name == tuple->type_name &&
           std::ranges::equal(other->elements, tuple->elements, has_type_of);
  }
  return value.data.index() == like.data.index() && equal(value, like);
}

void replace_operands(Function& function, RegionId region,
                      const std::map<ValueId, ValueId>& replacement) {
  for_each_inst(function, region, [&](InstId id) {
    for (ValueId& operand : function.inst(id).operands) {
      const auto found = replacement.find(operand);
      operand = found != replacement.end() ? found->second : operand;
    }
  });
}

void renumber(Function& function, RegionId region) {
  std::uint32_t index = 0;
  for (const ValueId arg : function.region(region).args) {
    function.value(arg).index = index++;
  }
}

}  // namespace

ValueId insert_region_argument(Function& function, RegionId region, std::size_t position,
                               const Type& type) {
  Builder builder(function);
  const ValueId id = builder.add_region_argument(region, type);
  std::vector<ValueId>& args = function.region(region).args;
  args.pop_back();
  args.insert(args.begin() + static_cast<std::ptrdiff_t>(position), id);
  renumber(function, region);
  return id;
}

LoopBuilder::LoopBuilder(Specializer& sema, const AssignedNames& assigned, SourceRange range)
    : sema_(sema), range_(range), base_(sema.state()), outer_(sema.builder().region()) {
  for (const std::string_view name : assigned.names) {
    add(name);
  }
  std::ranges::sort(carried_, {}, &Carried::index);
}

void LoopBuilder::add(std::string_view name) {
  const Variable* variable = base_.scope.find(name);
  if (variable == nullptr || variable->status != Status::Defined || !has_tensors(variable->value)) {
    return;
  }
  Carried carried;
  carried.index = static_cast<std::size_t>(variable - base_.scope.variables().data());
  flatten(variable->value, carried.inits);
  carried_.push_back(std::move(carried));
}

void LoopBuilder::bind(RegionId region) {
  regions_.push_back(region);
  Builder& builder = sema_.builder();
  for (Carried& carried : carried_) {
    Variable& variable = sema_.state().scope.variables()[carried.index];
    std::vector<ValueId>& args = carried.args.emplace_back();
    for (const Tensor& init : carried.inits) {
      args.push_back(builder.add_region_argument(region, init.type, std::string(variable.name)));
    }
    // A variable that could not be computed earlier in the loop stays unknown.
    if (variable.status == Status::Defined) {
      std::size_t next = 0;
      const Value& before = base_.scope.variables()[carried.index].value;
      variable.value = rebuild(before, args, next);
    }
    carried.is_changed =
        carried.is_changed || (regions_.size() > 1 && variable.version != carried.entry_version);
    variable.version = sema_.next_version();
    carried.entry_version = variable.version;
  }
}

std::vector<ValueId> LoopBuilder::current_values() {
  std::vector<ValueId> values;
  for (Carried& carried : carried_) {
    Variable& now = sema_.state().scope.variables()[carried.index];
    carried.is_changed = carried.is_changed || now.version != carried.entry_version;
    const std::vector<ValueId> part = checked_values(carried, now);
    values.insert(values.end(), part.begin(), part.end());
    carried.end = now;
  }
  return values;
}

std::vector<ValueId> LoopBuilder::checked_values(Carried& carried, const Variable& now) {
  const Variable& before = base_.scope.variables()[carried.index];
  const bool fits = now.status == Status::Defined && has_type_of(now.value, before.value);
  if (!fits) {
    if (now.status == Status::Defined) {
      report_type(before, now);
      sema_.state().scope.variables()[carried.index].status = Status::Poisoned;
    }
    return carried.args.back();
  }
  std::vector<Tensor> tensors;
  flatten(now.value, tensors);
  std::vector<ValueId> ids;
  std::ranges::transform(tensors, std::back_inserter(ids), &Tensor::id);
  return ids;
}

void LoopBuilder::end_body(RegionId body) {
  Builder& builder = sema_.builder();
  builder.set_region(body);
  sema_.set_range(range_);
  yields_ = current_values();
  end_ = sema_.state();
  const Exits& exits = end_.exits;
  for (const Value* flag : {&exits.broke, &exits.returned}) {
    std::optional<ValueId> id;
    if (const auto* tensor = flag->as<Tensor>()) {
      id = tensor->id;
    } else if (is_known_true(*flag)) {
      id = builder.constant_int(Scalar::I1, 1);
    }
    if (id) {
      exit_flag_ = exit_flag_ ? builder.map(Op::Or, {*exit_flag_, *id}) : *id;
    }
  }
  const bool may_break = !exits.broke.is<bool>() || is_known_true(exits.broke);
  if (may_break && exits.returned.is<Tensor>()) {
    returned_extra_ = 0;
    extras_.types.push_back(Scalar::I1);
    extras_.yields.push_back(exits.returned.as<Tensor>()->id);
  }
  add_return_value(exits);
}

void LoopBuilder::add_return_value(const Exits& exits) {
  if (!exits.return_value) {
    return;
  }
  std::vector<Tensor> tensors;
  flatten(*exits.return_value, tensors);
  for (const Tensor& tensor : tensors) {
    extras_.types.push_back(tensor.type);
    extras_.yields.push_back(tensor.id);
  }
}

void LoopBuilder::prune() {
  Function& function = sema_.function();
  std::map<ValueId, ValueId> replacement;
  std::vector<ValueId> yields;
  std::vector<ValueId> passed;
  std::size_t next = 0;
  for (const Carried& carried : carried_) {
    for (std::size_t i = 0; i < carried.inits.size(); ++i, ++next) {
      if (carried.is_changed) {
        yields.push_back(yields_[next]);
        passed.push_back(passed_.empty() ? ValueId() : passed_[next]);
        continue;
      }
      for (const std::vector<ValueId>& args : carried.args) {
        replacement.emplace(args[i], carried.inits[i].id);
      }
    }
  }
  if (replacement.empty()) {
    return;
  }
  yields_ = std::move(yields);
  passed_ = std::move(passed);
  for (const RegionId region : regions_) {
    replace_operands(function, region, replacement);
    std::erase_if(function.region(region).args,
                  [&](ValueId arg) { return replacement.contains(arg); });
    renumber(function, region);
  }
  const auto replaced = [&](ValueId& id) {
    const auto found = replacement.find(id);
    id = found != replacement.end() ? found->second : id;
  };
  std::ranges::for_each(yields_, replaced);
  std::ranges::for_each(passed_, replaced);
  std::ranges::for_each(extras_.yields, replaced);
  if (exit_flag_) {
    replaced(*exit_flag_);
  }
}

std::vector<ValueId> LoopBuilder::inits() const {
  std::vector<ValueId> result;
  for (const Carried& carried : carried_) {
    if (carried.is_changed) {
      std::ranges::transform(carried.inits, std::back_inserter(result), &Tensor::id);
    }
  }
  return result;
}

// ---- after the loop ----

void LoopBuilder::leave(std::span<const ValueId> results, bool has_exit) {
  State after = base_;
  settle_scope(after);
  std::size_t next = has_exit ? 1 : 0;
  for (const Carried& carried : carried_) {
    if (!carried.is_changed) {
      continue;
    }
    Variable& variable = after.scope.variables()[carried.index];
    const std::size_t first = next;
    const Value value = rebuild(variable.value, results, next);
    for (std::size_t i = first; i < next; ++i) {
      sema_.function().value(results[i]).name = std::string(variable.name);
    }
    variable.status = carried.end.status;
    variable.definition = carried.end.definition;
    variable.value = value;
    variable.version = sema_.next_version();
  }
  const Exits& ended = end_.exits;
  if (ended.returned.is<Tensor>() || is_known_true(ended.returned)) {
    const std::size_t flag = returned_extra_ ? next++ : 0;
    after.exits.returned = Value{Tensor{results[flag], Scalar::I1}};
  }
  if (ended.return_value) {
    after.exits.return_value = rebuild(*ended.return_value, results, next);
  }
  after.exits.is_return_poisoned = ended.is_return_poisoned;
  sema_.state() = std::move(after);
}

/// Variables that the loop does not carry: those first defined in it end with it.
void LoopBuilder::settle_scope(State& after) {
  for (std::size_t i = 0; i < end_.scope.size(); ++i) {
    const Variable& end = end_.scope.variables()[i];
    const bool is_carried = std::ranges::find(carried_, i, &Carried::index) != carried_.end();
    if (is_carried) {
      continue;
    }
    const bool is_known = i < base_.scope.size();
    const Variable* before = is_known ? &base_.scope.variables()[i] : nullptr;
    if (before != nullptr && before->version == end.version) {
      continue;
    }
    Variable& variable = after.scope.add(end.name);
    variable.definition = end.definition;
    variable.version = end.version;
    const bool was_fixed = before != nullptr && before->status == Status::Defined;
    if (was_fixed && end.status == Status::Defined && !end.is_loop_target) {
      if (end.value.data.index() == before->value.data.index() && equal(end.value, before->value)) {
        continue;
      }
      report_fixed(*before, end);
      variable.status = Status::Poisoned;
      continue;
    }
    const bool is_local = end.status == Status::Defined || end.status == Status::OneBranch;
    variable.status = is_local ? Status::LoopOnly : end.status;
    if (is_local && end.is_loop_target) {
      variable.status = Status::LoopVariable;
    }
  }
}

// ---- reports ----

void LoopBuilder::report_type(const Variable& before, const Variable& after) {
  sema_
      .report(DiagId::CarriedTypeChanges, after.definition, before.name, describe(before.value),
              describe(after.value))
      .label(before.definition,
             fmt::format("`{}` is {} before the loop", before.name, describe(before.value)))
      .helped(type_help(before, after));
}

std::string LoopBuilder::type_help(const Variable& before, const Variable& after) {
  const auto* from = before.value.as<Tensor>();
  const auto* to = after.value.as<Tensor>();
  if (from == nullptr || to == nullptr || from->type.is_pointer() || to->type.is_pointer()) {
    return fmt::format("give `{}` the type before the loop that it has at the end of the body",
                       before.name);
  }
  const std::string dtype = dtype_text(to->type.element.scalar);
  const std::optional<BigInt> start = known_int(sema_, before.value);
  const std::optional<std::uint64_t> bits = sema_.function().constant_bits(from->id);
  const std::string number = start ? to_string(*start)
                             : bits && from->type.is_scalar()
                                 ? python_str(Value{decode_float(from->type.element.scalar, *bits)})
                                 : "";
  if (number.empty()) {
    return from->type.shape == to->type.shape
               ? fmt::format(
                     "convert before the loop, `{0} = {0}.to({1})`, or in it with `.to({2})`",
                     before.name, dtype, dtype_text(from->type.element.scalar))
               : fmt::format("give `{}` the shape {} before the loop", before.name,
                             to->type.shape.str());
  }
  if (!to->type.is_scalar()) {
    return bits == std::uint64_t{0} ? fmt::format("start with `{} = tl.zeros({}, dtype={})`",
                                                  before.name, to->type.shape.str(), dtype)
                                    : fmt::format("start with `{} = tl.full({}, {}, dtype={})`",
                                                  before.name, to->type.shape.str(), number, dtype);
  }
  if (start && to->type.element.is(Scalar::F32)) {
    return fmt::format("start with `{} = {}.0`", before.name, number);
  }
  return fmt::format("start with `{} = tl.cast({}, {})`", before.name, number, dtype);
}

void LoopBuilder::report_fixed(const Variable& before, const Variable& after) {
  const bool is_none = before.value.is<NoneValue>();
  sema_
      .report(DiagId::CarriedConstexpr, after.definition, before.name, describe(before.value),
              describe(after.value))
      .note(fmt::format("`{}` is {} before the loop", before.name, describe(before.value)),
            before.definition)
      .helped(is_none ? fmt::format("start with a tensor of the type that `{}` gets in the loop",
                                    before.name)
                      : fmt::format("make it a run-time value before the loop: "
                                    "`{0} = tl.to_tensor({0})`",
                                    before.name));
}

}  // namespace tilery::sema
