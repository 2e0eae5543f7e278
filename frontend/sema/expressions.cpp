// Expressions: dispatch on the node, literals, displays, subscripts, calls' arguments.
#include "frontend/sema/constexpr_ops.h"
#include "frontend/sema/python_number.h"
#include "frontend/sema/specializer.h"
#include "frontend/sema/tensor_ops.h"

#include <fmt/format.h>

namespace tilery::sema {
namespace {

/// Where the elements of a tuple or list display stand; nothing for other expressions.
std::vector<SourceRange> element_ranges(const ast::Module& module, ast::ExprId id) {
  std::span<const ast::ExprId> elements;
  if (const auto* tuple = module.as<ast::Tuple>(id)) {
    elements = tuple->elements;
  } else if (const auto* list = module.as<ast::List>(id)) {
    elements = list->elements;
  }
  std::vector<SourceRange> ranges;
  for (const ast::ExprId element : elements) {
    ranges.push_back(module[element].range);
  }
  return ranges;
}

}  // namespace

Specializer::DepthGuard::DepthGuard(Specializer& sema, SourceRange range) : sema_(sema) {
  constexpr int kMaxDepth = 1500;
  const bool is_too_deep = ++sema_.depth_ > kMaxDepth || sema_.stack_.is_exhausted();
  if (is_too_deep && !sema_.is_stopped_) {
    sema_.report(DiagId::EvaluationTooDeep, range)
        .helped("split the expression into several statements, or end the recursion earlier");
    sema_.is_stopped_ = true;
  }
}

MaybeValue Specializer::evaluate(ast::ExprId id) {
  const ast::Expr& expr = module()[id];
  const DepthGuard guard(*this, expr.range);
  if (is_stopped_) {
    return {};
  }
  current_ = id;
  return std::visit([&](const auto& node) { return evaluate_node(node, expr.range); }, expr.data);
}

// ---- names and literals ----

MaybeValue Specializer::evaluate_node(const ast::Name& node, SourceRange range) {
  return lookup(node.id, range);
}

MaybeValue Specializer::evaluate_node(const ast::IntLiteral& node, SourceRange range) {
  const std::optional<BigInt> value = parse_int(node.spelling);
  if (!value) {
    report(DiagId::IntegerTooLarge, range, node.spelling);
    return {};
  }
  return Value{*value};
}

MaybeValue Specializer::evaluate_node(const ast::FloatLiteral& node, SourceRange /*range*/) {
  return Value{parse_float(node.spelling)};
}

MaybeValue Specializer::evaluate_node(const ast::StringLiteral& node, SourceRange /*range*/) {
  return Value{node.value};
}

MaybeValue Specializer::evaluate_node(const ast::BoolLiteral& node, SourceRange /*range*/) {
  return Value{node.value};
}

MaybeValue Specializer::evaluate_node(const ast::NoneLiteral& /*node*/, SourceRange /*range*/) {
  return Value{NoneValue{}};
}

MaybeValue Specializer::evaluate_node(const ast::EllipsisLiteral& /*node*/, SourceRange /*range*/) {
  return Value{EllipsisValue{}};
}

MaybeValue Specializer::evaluate_node(const ast::FString& node, SourceRange /*range*/) {
  std::string text;
  for (const ast::FStringPart& part : node.parts) {
    if (!part.value) {
      text += part.text;
      continue;
    }
    const SourceRange range = module()[part.value].range;
    const MaybeValue value = evaluate(part.value);
    if (!value) {
      return {};
    }
    if (!value->is_compile_time()) {
      report(DiagId::RuntimeInFString, range, operand_text(*this, range), describe(*value))
          .helped("`tl.device_print` prints run-time values");
      return {};
    }
    const bool is_repr = part.conversion == 'r' || part.conversion == 'a';
    const Value converted = is_repr                  ? Value{python_repr(*value)}
                            : part.conversion == 's' ? Value{python_str(*value)}
                                                     : *value;
    const std::optional<std::string> formatted = python_format(*this, converted, part.spec, range);
    if (!formatted) {
      return {};
    }
    text += *formatted;
  }
  return Value{std::move(text)};
}

// ---- displays ----

MaybeValue Specializer::evaluate_elements(std::span<const ast::ExprId> elements,
                                          SourceRange range) {
  TupleValue tuple;
  bool is_complete = true;
  for (const ast::ExprId id : elements) {
    const auto* starred = module().as<ast::Starred>(id);
    MaybeValue value = evaluate(starred != nullptr ? starred->value : id);
    if (!value) {
      is_complete = false;
    } else if (starred == nullptr) {
      tuple.elements.push_back(std::move(*value));
    } else if (const auto* inner = value->as<TupleValue>()) {
      tuple.elements.insert(tuple.elements.end(), inner->elements.begin(), inner->elements.end());
    } else {
      report(DiagId::StarNeedsTuple, module()[id].range, describe(*value))
          .helped("leave the `*` out");
      is_complete = false;
    }
  }
  if (!is_complete) {
    return {};
  }
  Value result{std::move(tuple)};
  if (sequence_size(result) > kLongestSequence) {
    report(DiagId::SequenceTooLong, range, kLongestSequence)
        .helped("compute large tables outside the kernel");
    return {};
  }
  return result;
}

MaybeValue Specializer::evaluate_node(const ast::Tuple& node, SourceRange range) {
  return evaluate_elements(node.elements, range);
}

MaybeValue Specializer::evaluate_node(const ast::List& node, SourceRange range) {
  return evaluate_elements(node.elements, range);
}

MaybeValue Specializer::evaluate_node(const ast::Dict& node, SourceRange range) {
  const std::string_view what = node.values.empty() && !node.keys.empty() ? "a set" : "a dict";
  report(DiagId::UnsupportedExpression, range, what)
      .helped("use a tuple, or a namedtuple that the host defines");
  return {};
}

MaybeValue Specializer::evaluate_node(const ast::Slice& /*node*/, SourceRange range) {
  report(DiagId::UnsupportedExpression, range, "a slice outside of brackets");
  return {};
}

MaybeValue Specializer::evaluate_node(const ast::Starred& /*node*/, SourceRange range) {
  report(DiagId::UnsupportedExpression, range, "a starred expression here");
  return {};
}

// ---- operators ----

MaybeValue Specializer::evaluate_node(const ast::Unary& node, SourceRange range) {
  const MaybeValue x = evaluate(node.operand);
  if (!x) {
    return {};
  }
  set_range(range);
  return unary_operator(*this, node.op, *x, range, module()[node.operand].range);
}

MaybeValue Specializer::evaluate_node(const ast::Binary& node, SourceRange range) {
  const MaybeValue lhs = evaluate(node.lhs);
  const MaybeValue rhs = evaluate(node.rhs);
  if (!lhs || !rhs) {
    return {};
  }
  set_range(range);
  return binary_operator(*this, node.op, *lhs, *rhs,
                         {range, module()[node.lhs].range, module()[node.rhs].range});
}

MaybeValue Specializer::evaluate_node(const ast::NamedExpr& node, SourceRange range) {
  const MaybeValue value = evaluate(node.value);
  const SourceRange name_range{range.file, range.begin,
                               range.begin + static_cast<std::uint32_t>(node.name.size())};
  if (!value || !assign_name(node.name, *value, name_range, module()[node.value].range, range)) {
    poison(node.name, name_range);
    return {};
  }
  Variable& variable = *state().scope.find(node.name);
  variable.is_named_expression = true;
  return variable.value;
}

// ---- attributes and subscripts ----

MaybeValue Specializer::evaluate_node(const ast::Attribute& node, SourceRange range) {
  const MaybeValue object = evaluate(node.object);
  if (!object) {
    return {};
  }
  if (const auto* module = object->as<ModuleRef>()) {
    if (module->unit != nullptr) {
      return unit_attribute(*module->unit, node.name, node.name_range);
    }
    if (is_package(*frame_->unit, module->path)) {
      return module_value(*frame_->unit, module->path + "." + node.name, range);
    }
  }
  set_range(range);
  MaybeValue value = attribute(*this, *object, node.name, range, node.name_range);
  if (auto* method = value ? std::get_if<BuiltinRef>(&value->data) : nullptr) {
    method->self_range = module()[node.object].range;
  }
  return value;
}

std::optional<SubscriptIndex> Specializer::subscript_index(ast::ExprId id) {
  SubscriptIndex index;
  index.range = module()[id].range;
  if (const auto* slice = module().as<ast::Slice>(id)) {
    const bool is_full = !slice->begin && !slice->end && !slice->step;
    index.kind = is_full ? SubscriptIndex::Kind::FullSlice : SubscriptIndex::Kind::Slice;
    const std::pair<ast::ExprId, std::optional<Value>*> parts[] = {
        {slice->begin, &index.begin}, {slice->end, &index.end}, {slice->step, &index.step}};
    for (const auto& [expr, part] : parts) {
      if (expr && !(*part = evaluate(expr))) {
        return {};
      }
    }
    return index;
  }
  MaybeValue value = evaluate(id);
  if (!value) {
    return {};
  }
  if (value->is<NoneValue>()) {
    index.kind = SubscriptIndex::Kind::None;
  } else if (value->is<EllipsisValue>()) {
    index.kind = SubscriptIndex::Kind::Ellipsis;
  }
  index.value = std::move(*value);
  return index;
}

MaybeValue Specializer::evaluate_node(const ast::Subscript& node, SourceRange range) {
  const MaybeValue object = evaluate(node.object);
  std::vector<SubscriptIndex> indices;
  bool is_complete = object.has_value();
  for (const ast::ExprId id : node.indices) {
    std::optional<SubscriptIndex> index = subscript_index(id);
    is_complete = is_complete && index.has_value();
    if (index) {
      indices.push_back(std::move(*index));
    }
  }
  if (!is_complete) {
    return {};
  }
  set_range(range);
  return subscript(*this, *object, indices, range, module()[node.object].range);
}

// ---- calls ----

std::optional<std::vector<CallArgument>> Specializer::evaluate_arguments(
    std::span<const ast::Argument> arguments) {
  std::vector<CallArgument> result;
  bool is_complete = true;
  for (const ast::Argument& argument : arguments) {
    const SourceRange range = module()[argument.value].range;
    if (argument.kind == ast::Argument::Kind::StarStar) {
      report(DiagId::UnsupportedExpression, range, "`**` in a call")
          .helped("write the keyword arguments out");
      is_complete = false;
      continue;
    }
    MaybeValue value = evaluate(argument.value);
    if (!value) {
      is_complete = false;
      continue;
    }
    if (argument.kind != ast::Argument::Kind::Star) {
      result.push_back({argument.keyword, std::move(*value), range, argument.keyword_range,
                        element_ranges(module(), argument.value)});
      continue;
    }
    const auto* tuple = value->as<TupleValue>();
    if (tuple == nullptr) {
      report(DiagId::StarNeedsTuple, range, describe(*value)).helped("leave the `*` out");
      is_complete = false;
      continue;
    }
    for (const Value& element : tuple->elements) {
      result.push_back({{}, element, range});
    }
  }
  return is_complete ? std::optional(std::move(result)) : std::nullopt;
}

MaybeValue Specializer::evaluate_node(const ast::Call& node, SourceRange range) {
  const MaybeValue callee = evaluate(node.callee);
  const std::optional<std::vector<CallArgument>> arguments = evaluate_arguments(node.arguments);
  if (!callee || !arguments) {
    return {};
  }
  return call(*callee, *arguments, range);
}

MaybeValue Specializer::evaluate_node(const ast::Lambda& /*node*/, SourceRange range) {
  if (!allow("`lambda`", range, "define a function at the module level")) {
    return {};
  }
  return Value{FunctionRef{frame_->unit, {}, current_, std::make_shared<Scope>(state().scope)}};
}

}  // namespace tilery::sema
