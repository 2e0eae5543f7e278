// Statements other than `if` and loops.
#include "frontend/sema/constexpr_ops.h"
#include "frontend/sema/promotion.h"
#include "frontend/sema/specializer.h"
#include "frontend/sema/tensor_ops.h"

#include <fmt/format.h>

#include <algorithm>

namespace tilery::sema {
namespace {

/// What to write instead of a statement that kernels cannot contain.
struct Rewrite {
  std::string_view what;
  std::string_view advice;
};

constexpr Rewrite kRewrites[] = {
    {"try", "kernels raise nothing: test the condition with `if`"},
    {"del", "leave the statement out: unused values cost nothing"},
    {"global", "pass the value as an argument and return the new one"},
    {"nonlocal", "pass the value as an argument and return the new one"},
    {"class", "define it outside; kernels can use namedtuples that the host defines"},
    {"async", "kernels run one program after its own order: leave `async` out"},
    {"await", "leave `await` out"},
    {"yield", "return a tuple"},
    {"match", "write `if` and `elif`"},
    {"type", "leave the statement out"},
};

std::string_view advice_for(std::string_view what) {
  for (const Rewrite& rewrite : kRewrites) {
    if (what.starts_with(rewrite.what)) {
      return rewrite.advice;
    }
  }
  return "move it out of the kernel";
}

/// The type that a returned value has once it is a tensor.
std::string tensor_text(const Value& value) {
  if (const auto* tuple = value.as<TupleValue>()) {
    std::string text = tuple->type_name + "(";
    for (std::size_t i = 0; i < tuple->elements.size(); ++i) {
      text += (i == 0 ? "" : ", ") + tensor_text(tuple->elements[i]);
    }
    return text + ")";
  }
  const std::optional<Scalar> scalar = literal_scalar(value);
  return scalar ? std::string(language_name(*scalar)) : describe(value);
}

}  // namespace

bool Specializer::count_step(SourceRange range) {
  constexpr std::uint64_t kMostSteps = 1000000;
  constexpr std::size_t kMostInsts = 4000000;
  if (is_stopped_) {
    return false;
  }
  if (++steps_ > kMostSteps || function().insts.size() > kMostInsts) {
    report(DiagId::KernelTooLarge, range, kMostSteps)
        .helped("unroll less: `tl.range` instead of `tl.static_range`");
    is_stopped_ = true;
    return false;
  }
  return true;
}

void Specializer::execute(ast::StmtId id) {
  const ast::Stmt& stmt = module()[id];
  if (!count_step(stmt.range)) {
    return;
  }
  set_range(stmt.range);
  std::visit([&](const auto& node) { execute(node, stmt.range); }, stmt.data);
}

void Specializer::execute(const ast::If& stmt, SourceRange range) {
  static_cast<void>(execute_if(stmt, range, {}, false));
}

void Specializer::execute(const ast::ExprStmt& stmt, SourceRange /*range*/) {
  if (module().as<ast::StringLiteral>(stmt.value) != nullptr) {
    return;
  }
  const std::size_t insts_before = function().region(builder_.region()).insts.size();
  const std::uint32_t version_before = version_;
  const std::size_t printed_before = static_output_.size();
  const MaybeValue value = evaluate(stmt.value);
  const bool is_quiet = version_ == version_before && static_output_.size() == printed_before;
  const bool has_value = value && !value->is<NoneValue>() && !value->is<EllipsisValue>();
  if (frame_->is_compile_time || !has_value || !is_quiet || !only_computes(insts_before)) {
    return;
  }
  const SourceRange range = module()[stmt.value].range;
  report(DiagId::UnusedValue, range, operand_text(*this, range)).helped(unused_help(stmt.value));
}

bool Specializer::only_computes(std::size_t first) {
  const Function& f = function();
  const std::vector<InstId>& insts = f.region(builder_.region()).insts;
  return std::all_of(insts.begin() + static_cast<std::ptrdiff_t>(first), insts.end(),
                     [&](InstId id) {
                       const OpDef& def = op_def(f.inst(id).op);
                       return def.is_pure() && def.family != OpFamily::Debug;
                     });
}

std::string Specializer::unused_help(ast::ExprId id) {
  const auto* compare = module().as<ast::Compare>(id);
  const bool is_equality = compare != nullptr && compare->ops.size() == 1 &&
                           compare->ops.front() == ast::CompareOp::Eq &&
                           module().as<ast::Name>(compare->operands.front()) != nullptr;
  if (is_equality) {
    return fmt::format("did you mean `{} = {}`?",
                       operand_text(*this, module()[compare->operands[0]].range),
                       operand_text(*this, module()[compare->operands[1]].range));
  }
  return "assign it to a name, or leave the line out; tensors do not change in place";
}

void Specializer::execute(const ast::Pass& /*stmt*/, SourceRange /*range*/) {}

// ---- assignment ----

void Specializer::execute(const ast::Assign& stmt, SourceRange range) {
  const SourceRange value_range = module()[stmt.value].range;
  if (stmt.targets.size() > 1 && !frame_->is_compile_time &&
      !allow("a chained assignment", range, "write one assignment a target")) {
    std::ranges::for_each(stmt.targets, [&](ast::ExprId id) { poison_target(id, range); });
    return;
  }
  const MaybeValue value = evaluate(stmt.value);
  for (const ast::ExprId target : stmt.targets) {
    if (!value || !assign(target, *value, value_range, range)) {
      poison_target(target, range);
    }
  }
}

bool Specializer::assign(ast::ExprId target, const Value& value, SourceRange value_range,
                         SourceRange statement) {
  const SourceRange range = module()[target].range;
  if (const auto* name = module().as<ast::Name>(target)) {
    return assign_name(name->id, value, range, value_range, statement);
  }
  if (const auto* tuple = module().as<ast::Tuple>(target)) {
    return assign_elements(tuple->elements, value, range, value_range, statement);
  }
  if (const auto* list = module().as<ast::List>(target)) {
    return assign_elements(list->elements, value, range, value_range, statement);
  }
  if (const auto* subscript = module().as<ast::Subscript>(target)) {
    const std::string object = operand_text(*this, module()[subscript->object].range);
    const MaybeValue indexed = evaluate(subscript->object);
    const auto* tensor = indexed ? indexed->as<Tensor>() : nullptr;
    const bool is_pointer = tensor != nullptr && tensor->type.is_pointer();
    report(DiagId::ItemAssignment, range)
        .helped(
            is_pointer
                ? fmt::format("write through the pointer: `tl.store({} + i, value)`", object)
                : fmt::format("tensors do not change: `{0} = tl.where(mask, value, {0})`", object));
    return false;
  }
  report(DiagId::AttributeAssignment, range)
      .helped("build a new value instead: objects in a kernel do not change");
  return false;
}

bool Specializer::assign_name(std::string_view name, const Value& value, SourceRange name_range,
                              SourceRange value_range, SourceRange statement) {
  const auto announced = std::ranges::find(frame_->announced_constexpr, name);
  if (announced != frame_->announced_constexpr.end()) {
    frame_->announced_constexpr.erase(announced);
    define_constexpr(name, value, name_range, value_range, statement);
    return true;
  }
  if (frame_->is_compile_time) {
    define(name, value, name_range, statement);
    return true;
  }
  set_range(value_range);
  const bool is_text_or_function = value.is<std::string>() || value.is<FunctionRef>();
  if (is_text_or_function) {
    report(DiagId::NotATensor, value_range, name, describe(value))
        .helped(fmt::format("keep it at compile time: `{}: tl.constexpr = {}`", name,
                            operand_text(*this, value_range)));
    return false;
  }
  MaybeValue decayed = decay(*this, value, value_range);
  if (!decayed) {
    return false;
  }
  name_values(*decayed, name);
  define(name, std::move(*decayed), name_range, statement);
  return true;
}

bool Specializer::assign_elements(std::span<const ast::ExprId> targets, const Value& value,
                                  SourceRange target_range, SourceRange value_range,
                                  SourceRange statement) {
  const auto* tuple = value.as<TupleValue>();
  if (tuple == nullptr) {
    Diagnostic& diagnostic =
        report(DiagId::UnpackNeedsTuple, value_range, describe(value), targets.size());
    diagnostic.helped(value.is<Tensor>() ? "`a, b = x.split()` takes a last axis of extent 2 apart"
                                         : "assign to one name");
    explain_nothing(diagnostic, value);
    return false;
  }
  const auto is_starred = [this](ast::ExprId id) {
    return module().as<ast::Starred>(id) != nullptr;
  };
  const auto star = std::ranges::find_if(targets, is_starred);
  const std::size_t before = static_cast<std::size_t>(star - targets.begin());
  const std::size_t after = star == targets.end() ? 0 : targets.size() - before - 1;
  const std::size_t count = tuple->elements.size();
  const bool fits = star == targets.end() ? count == targets.size() : count >= before + after;
  if (!fits) {
    report(DiagId::UnpackMismatch, target_range, describe(value), targets.size())
        .label(value_range, fmt::format("{} elements", count))
        .helped("write one target an element; `*rest` takes what is left");
    return false;
  }
  for (std::size_t i = 0; i < targets.size(); ++i) {
    Value part;
    if (i == before && star != targets.end()) {
      const auto first = tuple->elements.begin() + static_cast<std::ptrdiff_t>(before);
      const auto last = tuple->elements.end() - static_cast<std::ptrdiff_t>(after);
      part = Value{TupleValue{{first, last}, {}, {}}};
    } else {
      part = tuple->elements[i < before ? i : count - (targets.size() - i)];
    }
    const auto* starred = module().as<ast::Starred>(targets[i]);
    const ast::ExprId target = starred != nullptr ? starred->value : targets[i];
    if (!assign(target, part, value_range, statement)) {
      poison_target(target, statement);
    }
  }
  return true;
}

void Specializer::execute(const ast::AnnotatedAssign& stmt, SourceRange range) {
  const SourceRange name_range = module()[stmt.target].range;
  const auto* name = module().as<ast::Name>(stmt.target);
  const bool is_constexpr =
      name != nullptr && is_constexpr_annotation(*frame_->unit, stmt.annotation);
  if (!stmt.value) {
    if (is_constexpr && check_redefinition(name->id, name_range, range)) {
      frame_->announced_constexpr.push_back(name->id);
    }
    return;
  }
  const MaybeValue value = evaluate(stmt.value);
  const SourceRange value_range = module()[stmt.value].range;
  if (!value) {
    poison_target(stmt.target, range);
  } else if (!is_constexpr) {
    if (!assign(stmt.target, *value, value_range, range)) {
      poison_target(stmt.target, range);
    }
  } else if (check_redefinition(name->id, name_range, range)) {
    define_constexpr(name->id, *value, name_range, value_range, range);
  }
}

bool Specializer::check_redefinition(std::string_view name, SourceRange name_range,
                                     SourceRange statement) {
  const Variable* known = state().scope.find(name);
  if (known == nullptr || known->status != Variable::Status::Defined) {
    return true;
  }
  // An unrolled loop runs the same statement again; that is no second definition.
  if (known->statement == statement && !options_.strict) {
    return true;
  }
  report(DiagId::ConstexprRedefined, name_range, name)
      .note(fmt::format("`{}` is defined here", name), known->definition)
      .helped("use another name for the new value");
  return false;
}

void Specializer::define_constexpr(std::string_view name, const Value& value,
                                   SourceRange name_range, SourceRange value_range,
                                   SourceRange statement) {
  if (value.is<Tensor>()) {
    report(DiagId::ConstexprOfRunTime, value_range, name, describe(value))
        .helped(fmt::format("leave out the annotation of `{}`", name));
    poison(name, name_range);
    return;
  }
  define(name, value, name_range, statement).is_constexpr = true;
}

void Specializer::execute(const ast::AugmentedAssign& stmt, SourceRange range) {
  const SourceRange target_range = module()[stmt.target].range;
  const SourceRange value_range = module()[stmt.value].range;
  const auto* name = module().as<ast::Name>(stmt.target);
  if (name == nullptr) {
    static_cast<void>(assign(stmt.target, Value{}, value_range, range));
    return;
  }
  const MaybeValue before = lookup(name->id, target_range);
  const MaybeValue operand = evaluate(stmt.value);
  set_range(range);
  const MaybeValue result = before && operand ? binary_operator(*this, stmt.op, *before, *operand,
                                                                {range, target_range, value_range})
                                              : std::nullopt;
  if (!result || !assign_name(name->id, *result, target_range, range, range)) {
    poison(name->id, target_range);
  }
}

bool Specializer::allow(std::string_view what, SourceRange range, std::string_view rewrite) {
  if (options_.strict) {
    report(DiagId::StrictExtension, range, what).helped(std::string(rewrite));
  }
  return !options_.strict;
}

// ---- leaving ----

void Specializer::leave(MaybeValue value, SourceRange range) {
  Exits& exits = state().exits;
  exits.returned = Value{true};
  if (!value) {
    exits.is_return_poisoned = true;
    return;
  }
  frame_->returns.push_back({range, tensor_text(*value)});
  exits.return_value = std::move(value);
}

void Specializer::execute(const ast::Return& stmt, SourceRange range) {
  if (frame_->loop_depth > 0 &&
      !allow("`return` inside a loop", range,
             "keep the result in a variable, and return after the loop")) {
    leave({}, range);
    return;
  }
  MaybeValue value = stmt.value ? evaluate(stmt.value) : nothing_returned();
  if (frame_->is_kernel && stmt.value && value && !value->is<NoneValue>()) {
    report(DiagId::KernelReturnsValue, module()[stmt.value].range, frame_->name)
        .helped("store the result through a pointer argument");
    value = Value{NoneValue{}};
  }
  leave(std::move(value), range);
}

void Specializer::execute(const ast::Break& /*stmt*/, SourceRange range) {
  if (frame_->is_compile_time ||
      allow("`break`", range, "put the condition of the exit into a `while`")) {
    state().exits.broke = Value{true};
  }
}

void Specializer::execute(const ast::Continue& /*stmt*/, SourceRange range) {
  if (frame_->is_compile_time ||
      allow("`continue`", range, "put the rest of the body under an `if`")) {
    state().exits.continued = Value{true};
  }
}

namespace {

constexpr std::string_view kRaisedHelp =
    "the code refuses these compile-time values: call it with others";

}  // namespace

void Specializer::execute(const ast::Raise& stmt, SourceRange range) {
  const auto* call = module().as<ast::Call>(stmt.exception);
  std::string text;
  if (call != nullptr && !call->arguments.empty()) {
    const MaybeValue message = evaluate(call->arguments.front().value);
    if (!message) {
      leave({}, range);
      return;
    }
    text = python_str(*message);
  } else if (stmt.exception) {
    text = operand_text(*this, module()[stmt.exception].range);
  }
  if (frame_->run_time_depth > 0) {
    report(DiagId::RaiseAtRunTime, range)
        .helped(fmt::format("use `tl.device_assert(condition, \"{}\")`", text));
  } else {
    report(DiagId::Raised, range, text).helped(std::string(kRaisedHelp));
  }
  leave({}, range);
}

// ---- the rest ----

void Specializer::execute(const ast::Assert& stmt, SourceRange range) {
  const MaybeValue condition = evaluate(stmt.condition);
  const MaybeValue message = stmt.message ? evaluate(stmt.message) : Value{std::string()};
  if (!condition || !message) {
    return;
  }
  if (frame_->is_compile_time) {
    if (!truth(*condition)) {
      report(DiagId::Raised, range, python_str(*message)).helped(std::string(kRaisedHelp));
      leave({}, range);
    }
    return;
  }
  std::vector<CallArgument> arguments = {{{}, *condition, module()[stmt.condition].range}};
  if (stmt.message) {
    arguments.push_back({{}, *message, module()[stmt.message].range});
  }
  const Builtin* device_assert = find_builtin("triton.language", "device_assert");
  static_cast<void>(call(Value{BuiltinRef{device_assert, nullptr}}, arguments, range));
}

void Specializer::execute(const ast::With& stmt, SourceRange range) {
  const SourceRange shown = stmt.items.empty() ? range : module()[stmt.items.front().context].range;
  report(DiagId::UnsupportedStatement, shown, "with")
      .helped("no context manager works inside a kernel: write the body without `with`");
  const AssignedNames& assigned = names_assigned_in(stmt.body);
  poison(assigned.names, range);
  poison(assigned.loop_targets, range);
}

void Specializer::execute(const ast::Import& /*stmt*/, SourceRange range) {
  report(DiagId::UnsupportedStatement, range, "import")
      .helped("move the import to the module level");
}

void Specializer::execute(const ast::FunctionDef& stmt, SourceRange /*range*/) {
  report(DiagId::NestedFunction, stmt.name_range, stmt.name)
      .helped(fmt::format("move `{}` to the module level and pass what it needs", stmt.name));
  poison(stmt.name, stmt.name_range);
}

void Specializer::execute(const ast::Unsupported& stmt, SourceRange range) {
  report(DiagId::UnsupportedStatement, range, stmt.what).helped(std::string(advice_for(stmt.what)));
}

// ---- variables ----

Variable& Specializer::define(std::string_view name, Value value, SourceRange definition,
                              SourceRange statement) {
  Variable& variable = state().scope.add(name);
  variable.value = std::move(value);
  variable.status = Variable::Status::Defined;
  variable.is_constexpr = false;
  variable.is_loop_target = false;
  variable.is_named_expression = false;
  variable.definition = definition;
  variable.statement = statement;
  variable.version = next_version();
  return variable;
}

void Specializer::poison(std::string_view name, SourceRange range) {
  has_failed_ = true;
  define(name, Value{}, range, range).status = Variable::Status::Poisoned;
}

void Specializer::poison(std::span<const std::string_view> names, SourceRange range) {
  for (const std::string_view name : names) {
    poison(name, range);
  }
}

void Specializer::poison_target(ast::ExprId target, SourceRange range) {
  std::vector<std::string_view> names;
  add_target_names(module(), target, names);
  poison(names, range);
}

}  // namespace tilery::sema
