// Parameters, lambdas and function definitions.
#include "frontend/grammar/builder_inl.h"

#include <algorithm>
#include <utility>

namespace tilery::grammar {

using ast::Parameter;

// ---- parameters ----

void Builder::begin_parameters(const Token& at) {
  parameters_.emplace_back();
  parameters_.back().begin = at.begin;
}

void Builder::add_parameter(Parameter::Kind kind, const Token& at) {
  OpenParameters& open = parameters_.back();
  if (!open.list.empty() && open.list.back().kind == Parameter::Kind::StarStar) {
    report(DiagId::ParameterMarker, range(at), "nothing may follow the `**` parameter");
  }
  Parameter parameter;
  parameter.kind = kind;
  parameter.name = std::string(text(at));
  parameter.range = range(at);
  open.list.push_back(std::move(parameter));
  open.dangling_marker = false;
}

void Builder::parameter(const Token& at) {
  add_parameter(
      parameters_.back().keyword_only ? Parameter::Kind::KeywordOnly : Parameter::Kind::Normal, at);
}

void Builder::star_parameter(const Token& at) {
  if (std::exchange(parameters_.back().keyword_only, true)) {
    report(DiagId::ParameterMarker, range(at), "only one `*` may stand among the parameters");
  }
  add_parameter(Parameter::Kind::Star, at);
}

void Builder::star_star_parameter(const Token& at) {
  add_parameter(Parameter::Kind::StarStar, at);
}

void Builder::keyword_only_marker(const Token& at) {
  if (std::exchange(parameters_.back().keyword_only, true)) {
    report(DiagId::ParameterMarker, range(at), "only one `*` may stand among the parameters");
  }
  parameters_.back().dangling_marker = true;
}

void Builder::positional_only_marker(const Token& at) {
  OpenParameters& open = parameters_.back();
  if (open.list.empty() || open.keyword_only ||
      open.list.front().kind == Parameter::Kind::PositionalOnly) {
    report(DiagId::ParameterMarker, range(at),
           open.keyword_only   ? "`/` must stand before `*`"
           : open.list.empty() ? "a parameter must stand before `/`"
                               : "only one `/` may stand among the parameters");
    return;
  }
  for (Parameter& parameter : open.list) {
    parameter.kind = Parameter::Kind::PositionalOnly;
  }
}

void Builder::annotation(const Token& /*at*/) {
  parameters_.back().list.back().annotation = pop().id;
}

void Builder::default_value(const Token& /*at*/) {
  parameters_.back().list.back().default_value = pop().id;
}

void Builder::end_parameters(const Token& at) {
  const OpenParameters& open = parameters_.back();
  if (open.dangling_marker) {
    report(DiagId::ParameterMarker, range(at), "a parameter must follow the bare `*`");
  }
  check_parameters(open.list);
}

void Builder::check_parameters(const std::vector<Parameter>& list) {
  std::vector<SourceRange> names;
  bool has_default = false;
  for (const Parameter& parameter : list) {
    names.push_back(parameter.range);
    if (parameter.kind != Parameter::Kind::Normal &&
        parameter.kind != Parameter::Kind::PositionalOnly) {
      continue;
    }
    if (has_default && !parameter.default_value) {
      report(DiagId::ParameterOrder, parameter.range, parameter.name);
    }
    has_default |= static_cast<bool>(parameter.default_value);
  }
  check_unique(std::move(names), DiagId::ParameterTwice);
}

std::uint32_t Builder::depth(const std::vector<Parameter>& parameters) const {
  std::uint32_t result = 0;
  for (const Parameter& parameter : parameters) {
    result = std::max({result, depth(parameter.annotation), depth(parameter.default_value)});
  }
  return result;
}

// ---- lambdas ----

void Builder::end_lambda(const Token& at) {
  OpenParameters open = std::move(parameters_.back());
  parameters_.pop_back();
  const Operand body = pop();
  const std::uint32_t child_depth = std::max(depth(open.list), depth(body.id));
  push(ast::Lambda{std::move(open.list), body.id}, open.begin, at.end, child_depth);
}

// ---- functions ----

void Builder::begin_function_body(const Token& /*at*/) {
  loops_ = 0;
  ++functions_;
}

// Takes a leading string statement off the body. An empty one stays: FunctionDef cannot tell it
// from none.
std::string Builder::take_docstring(ast::Block& body) const {
  if (body.empty()) {
    return {};
  }
  const auto* first = module_.as<ast::ExprStmt>(body.front());
  const auto* text = first != nullptr ? module_.as<ast::StringLiteral>(first->value) : nullptr;
  if (text == nullptr || text->value.empty()) {
    return {};
  }
  body.erase(body.begin());
  return text->value;
}

// Heads: an `@` for each decorator, `def`, the name. Operands: the decorators, the return
// annotation.
void Builder::end_function(const Token& at) {
  const std::span<const Token> tokens = heads();
  const std::span<Operand> values = operands();
  ast::FunctionDef node;
  node.name = std::string(text(tokens.back()));
  node.name_range = range(tokens.back());
  for (std::size_t i = 0; i + 1 < values.size(); ++i) {
    node.decorators.push_back({{file_, tokens[i].begin, values[i].end}, values[i].id});
  }
  node.return_annotation = values.back().id;
  node.parameters = std::move(parameters_.back().list);
  node.body = std::move(blocks().front());
  node.docstring = take_docstring(node.body);
  const std::uint32_t child_depth =
      std::max({depth(values), depth(node.parameters), depth(node.body)});
  loops_ = frame().loops;
  functions_ = frame().functions;
  finish_stmt(std::move(node), at, child_depth);
}

}  // namespace tilery::grammar
