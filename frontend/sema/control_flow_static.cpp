// Loops that run at compile time: `tl.static_range`, and the loops of constexpr functions.
#include "frontend/sema/constexpr_ops.h"
#include "frontend/sema/specializer.h"
#include "frontend/sema/tensor_ops.h"

#include <fmt/format.h>

namespace tilery::sema {

std::optional<std::vector<Value>> Specializer::static_values(const RangeValue& values,
                                                             SourceRange range) {
  constexpr BigInt kMostIterations = 100000;

  struct Part {
    std::string_view name;
    const Value* value;
    SourceRange range;
  };

  const Part parts[] = {{"start", values.start.get(), values.start_range},
                        {"stop", values.stop.get(), values.stop_range},
                        {"step", values.step.get(), values.step_range}};
  BigInt numbers[] = {0, 0, 1};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto& [name, value, own_range] = parts[i];
    if (value == nullptr || value->is<NoneValue>()) {
      continue;
    }
    if (!value->is<bool>() && !value->is<BigInt>()) {
      const SourceRange where = own_range.is_valid() ? own_range : range;
      Diagnostic& diagnostic = report(DiagId::StaticRangeBound, where, name, describe(*value));
      label_operand(*this, diagnostic, own_range, *value);
      diagnostic.helped(value->is<Tensor>()
                            ? "use `tl.range` for a run-time bound, or pass the bound as "
                              "a `tl.constexpr` parameter"
                            : "the bounds and the step are integers");
      return {};
    }
    numbers[i] = *known_int(*this, *value);
  }
  const auto [start, stop, step] = numbers;
  if (step == 0) {
    report(DiagId::ZeroStep, range).helped("use a step of 1, or a negative one to count down");
    return {};
  }
  std::vector<Value> result;
  for (BigInt i = start; step > 0 ? i < stop : i > stop; i += step) {
    if (static_cast<BigInt>(result.size()) >= kMostIterations) {
      report(DiagId::TooManyIterations, range, to_string(kMostIterations))
          .helped("use `tl.range`, which does not unroll");
      return {};
    }
    result.push_back(Value{i});
  }
  return result;
}

bool Specializer::bind_loop_target(ast::ExprId target, const Value& value, SourceRange range) {
  if (const auto* name = module().as<ast::Name>(target)) {
    define(name->id, value, module()[target].range, range).is_loop_target = true;
    return true;
  }
  const auto* tuple = module().as<ast::Tuple>(target);
  const auto* elements = value.as<TupleValue>();
  if (tuple == nullptr || elements == nullptr ||
      elements->elements.size() != tuple->elements.size()) {
    report(DiagId::UnpackMismatch, module()[target].range, describe(value),
           tuple != nullptr ? tuple->elements.size() : std::size_t{1});
    return false;
  }
  for (std::size_t i = 0; i < tuple->elements.size(); ++i) {
    if (!bind_loop_target(tuple->elements[i], elements->elements[i], range)) {
      return false;
    }
  }
  return true;
}

void Specializer::execute_unrolled_loop(const ast::For& stmt, SourceRange range,
                                        const std::vector<Value>& values) {
  for (const Value& value : values) {
    if (is_stopped_ || !count_step(range)) {
      return;
    }
    const auto iteration = [&] {
      if (bind_loop_target(stmt.target, value, range)) {
        execute_block(stmt.body, false);
      } else {
        abandon_loop(stmt.body, stmt.target, range);
      }
    };
    // `continue` ends with its iteration; `break` and `return` concern the following ones.
    state().exits.continued = Value{false};
    const Reach reached = reach(state().exits);
    if (reached == Reach::Never) {
      break;
    }
    if (reached == Reach::Sometimes) {
      execute_guarded(false, range, iteration);
    } else {
      iteration();
    }
  }
  state().exits.broke = Value{false};
  state().exits.continued = Value{false};
}

void Specializer::execute_compile_time_while(const ast::While& stmt, SourceRange range) {
  while (!is_stopped_ && count_step(range)) {
    const std::optional<Condition> condition = evaluate_condition(stmt.condition);
    if (!condition) {
      abandon_loop(stmt.body, {}, range);
      break;
    }
    if (!*condition->known) {
      break;
    }
    execute_block(stmt.body, false);
    state().exits.continued = Value{false};
    if (reach(state().exits) != Reach::Always) {
      break;
    }
  }
  state().exits.broke = Value{false};
}

}  // namespace tilery::sema
