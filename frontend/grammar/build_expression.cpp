// Atoms, displays, calls, subscripts and comprehensions; and the stack of operands.
#include "frontend/grammar/builder_inl.h"

#include <algorithm>
#include <utility>

namespace tilery::grammar {

namespace {

// A number's text without the underscores between its digits.
std::string without_underscores(std::string_view text) {
  std::string result(text);
  std::erase(result, '_');
  return result;
}

}  // namespace

// ---- the stack of operands ----

std::uint16_t Builder::checked_depth(std::uint32_t child_depth, std::uint32_t begin) {
  const std::uint32_t result = child_depth + 1;
  if (result <= kMaxTreeDepth) {
    return static_cast<std::uint16_t>(result);
  }
  if (!depth_reported_) {
    report(DiagId::TreeTooDeep, {file_, begin, begin}, kMaxTreeDepth)
        .helped("give parts of it names of their own");
    depth_reported_ = true;
  }
  return 1;
}

std::uint32_t Builder::depth(std::span<const Operand> operands) const {
  std::uint32_t result = 0;
  for (const Operand& operand : operands) {
    result = std::max(result, depth(operand.id));
  }
  return result;
}

Builder::Operand Builder::pop() {
  const Operand result = operands_.back();
  operands_.pop_back();
  return result;
}

std::vector<ast::ExprId> Builder::take_ids(std::size_t from) {
  std::vector<ast::ExprId> ids;
  ids.reserve(operands_.size() - from);
  for (std::size_t i = from; i < operands_.size(); ++i) {
    ids.push_back(operands_[i].id);
  }
  operands_.resize(from);
  return ids;
}

void Builder::push_token(const Token& at, ast::ExprData data) {
  push(std::move(data), at.begin, at.end);
}

// ---- atoms ----

void Builder::name(const Token& at) {
  push_token(at, ast::Name{std::string(text(at))});
}

void Builder::integer(const Token& at) {
  push_token(at, ast::IntLiteral{without_underscores(text(at))});
}

void Builder::floating(const Token& at) {
  push_token(at, ast::FloatLiteral{without_underscores(text(at))});
}

void Builder::true_literal(const Token& at) {
  push_token(at, ast::BoolLiteral{true});
}

void Builder::false_literal(const Token& at) {
  push_token(at, ast::BoolLiteral{false});
}

void Builder::none_literal(const Token& at) {
  push_token(at, ast::NoneLiteral{});
}

void Builder::ellipsis(const Token& at) {
  push_token(at, ast::EllipsisLiteral{});
}

void Builder::imaginary(const Token& at) {
  report(DiagId::ImaginaryNumber, range(at));
  push_token(at, ast::NoneLiteral{});
}

void Builder::bytes(const Token& at) {
  report(DiagId::BytesLiteral, range(at));
  push_token(at, ast::NoneLiteral{});
}

void Builder::nothing(const Token& at) {
  const std::uint32_t next = (&at + 1)->begin;
  operands_.push_back({{}, next, next});
}

// ---- tuples, lists, dicts ----

void Builder::begin_list(const Token& at) {
  OpenList list;
  list.operands = operands_.size();
  list.arguments = arguments_.size();
  list.begin = at.begin;
  lists_.push_back(list);
}

void Builder::comma(const Token& /*at*/) {
  lists_.back().has_comma = true;
}

void Builder::starred(const Token& at) {
  const Operand value = pop();
  push(ast::Starred{value.id}, heads_.back().begin, at.end, depth(value.id));
  heads_.pop_back();
}

// One in parentheses of its own has been reported where they close.
void Builder::check_starred_alone(std::span<const Operand> operands) {
  if (operands.size() != 1 || module_.as<ast::Starred>(operands[0].id) == nullptr) {
    return;
  }
  const SourceRange where = module_[operands[0].id].range;
  if (where.begin == operands[0].begin) {
    report(DiagId::StarredAlone, where);
  }
}

void Builder::end_bare_list(const Token& at) {
  const OpenList list = lists_.back();
  lists_.pop_back();
  const auto elements = std::span(operands_).subspan(list.operands);
  if (!list.has_comma) {
    check_starred_alone(elements);
    return;
  }
  const std::uint32_t begin = elements.front().begin;
  const std::uint32_t child_depth = depth(elements);
  push(ast::Tuple{take_ids(list.operands)}, begin, at.end, child_depth);
}

void Builder::end_paren(const Token& at) {
  const OpenList list = lists_.back();
  lists_.pop_back();
  const auto elements = std::span(operands_).subspan(list.operands);
  if (list.has_comma || elements.empty()) {
    const std::uint32_t child_depth = depth(elements);
    push(ast::Tuple{take_ids(list.operands)}, list.begin, at.end, child_depth);
    return;
  }
  check_starred_alone(elements);
  Operand& inner = operands_.back();
  inner.begin = list.begin;
  inner.end = at.end;
  if (list.is_comprehension) {
    ast::Expr& node = module_.exprs[inner.id.index];
    std::get<ast::Comprehension>(node.data).is_generator = true;
    node.range = {file_, list.begin, at.end};
  }
}

void Builder::end_bracket(const Token& at) {
  const OpenList list = lists_.back();
  lists_.pop_back();
  if (list.is_comprehension) {
    Operand& inner = operands_.back();
    inner.begin = list.begin;
    inner.end = at.end;
    module_.exprs[inner.id.index].range = {file_, list.begin, at.end};
    return;
  }
  const std::uint32_t child_depth = depth(std::span(operands_).subspan(list.operands));
  push(ast::List{take_ids(list.operands)}, list.begin, at.end, child_depth);
}

// In a dict the operands are pairs of key and value; `**x` has no key, an element of a set no
// value.
void Builder::dict_value(const Token& /*at*/) {
  lists_.back().is_dict = true;
}

void Builder::dict_spread(const Token& /*at*/) {
  lists_.back().is_dict = true;
  const Operand value = pop();
  operands_.push_back({{}, value.begin, value.end});
  operands_.push_back(value);
}

void Builder::dict_key_only(const Token& at) {
  nothing(at);
}

void Builder::end_brace(const Token& at) {
  const OpenList list = lists_.back();
  lists_.pop_back();
  const std::uint32_t child_depth = depth(std::span(operands_).subspan(list.operands));
  const std::vector<ast::ExprId> pairs = take_ids(list.operands);
  ast::Dict node;
  for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) {
    node.keys.push_back(pairs[i]);
    if (list.is_dict) {
      node.values.push_back(pairs[i + 1]);
    }
  }
  push(std::move(node), list.begin, at.end, child_depth);
}

void Builder::walrus_name(const Token& at) {
  heads_.push_back(at);
}

void Builder::end_walrus(const Token& at) {
  const Token name = heads_.back();
  heads_.pop_back();
  const Operand value = pop();
  push(ast::NamedExpr{std::string(text(name)), value.id}, name.begin, at.end, depth(value.id));
}

// ---- comprehensions ----

void Builder::begin_comprehension(const Token& at) {
  lists_.back().is_comprehension = true;
  clauses_.emplace_back();
  next_clause(at);
}

void Builder::next_clause(const Token& /*at*/) {
  clauses_.back().emplace_back();
}

void Builder::clause_target(const Token& /*at*/) {
  const ast::ExprId target = pop().id;
  check_target(target);
  clauses_.back().back().target = target;
}

void Builder::clause_iterable(const Token& /*at*/) {
  clauses_.back().back().iterable = pop().id;
}

void Builder::clause_condition(const Token& /*at*/) {
  clauses_.back().back().conditions.push_back(pop().id);
}

void Builder::end_comprehension(const Token& at) {
  ast::Comprehension node;
  node.clauses = std::move(clauses_.back());
  clauses_.pop_back();
  // `{x for …}`: a set has no values.
  const bool is_set = !operands_.back().id;
  if (is_set) {
    operands_.pop_back();
  }
  const Operand element = pop();
  node.element = element.id;
  std::uint32_t child_depth = depth(element.id);
  for (const ast::ComprehensionClause& clause : node.clauses) {
    child_depth = std::max({child_depth, depth(clause.target), depth(clause.iterable)});
    for (const ast::ExprId condition : clause.conditions) {
      child_depth = std::max(child_depth, depth(condition));
    }
  }
  push(std::move(node), element.begin, at.end, child_depth);
  if (is_set) {
    nothing(at);
  }
}

// ---- attributes, calls, subscripts ----

void Builder::attribute(const Token& at) {
  const Operand object = pop();
  push(ast::Attribute{object.id, std::string(text(at)), range(at)}, object.begin, at.end,
       depth(object.id));
}

void Builder::begin_call(const Token& at) {
  begin_list(at);
}

void Builder::keyword(const Token& at) {
  heads_.push_back(at);
}

void Builder::add_argument(ast::Argument::Kind kind) {
  ast::Argument argument;
  argument.kind = kind;
  argument.value = pop().id;
  arguments_.push_back(std::move(argument));
}

void Builder::positional_argument(const Token& /*at*/) {
  OpenList& call = lists_.back();
  if (call.is_comprehension) {
    std::get<ast::Comprehension>(module_.exprs[operands_.back().id.index].data).is_generator = true;
    call.is_comprehension = false;
    call.bare_generator = operands_.back().id;
  }
  add_argument(ast::Argument::Kind::Positional);
  const bool after_keyword =
      arguments_.size() - 1 > call.arguments &&
      (arguments_[arguments_.size() - 2].kind == ast::Argument::Kind::Keyword ||
       arguments_[arguments_.size() - 2].kind == ast::Argument::Kind::StarStar);
  if (after_keyword) {
    report(DiagId::PositionalAfterKeyword, module_[arguments_.back().value].range);
  }
}

void Builder::keyword_argument(const Token& /*at*/) {
  add_argument(ast::Argument::Kind::Keyword);
  arguments_.back().keyword = std::string(text(heads_.back()));
  arguments_.back().keyword_range = range(heads_.back());
  heads_.pop_back();
}

void Builder::star_argument(const Token& /*at*/) {
  add_argument(ast::Argument::Kind::Star);
}

void Builder::star_star_argument(const Token& /*at*/) {
  add_argument(ast::Argument::Kind::StarStar);
}

void Builder::end_call(const Token& at) {
  const std::size_t first = lists_.back().arguments;
  const ast::ExprId generator = lists_.back().bare_generator;
  if (generator && arguments_.size() - first > 1) {
    report(DiagId::GeneratorArgument, module_[generator].range)
        .helped("put parentheses around it: `f((… for …), …)`");
  }
  lists_.pop_back();
  const Operand callee = pop();
  ast::Call node;
  node.callee = callee.id;
  node.arguments.reserve(arguments_.size() - first);
  std::uint32_t child_depth = depth(callee.id);
  std::vector<SourceRange> keywords;
  for (std::size_t i = first; i < arguments_.size(); ++i) {
    child_depth = std::max(child_depth, depth(arguments_[i].value));
    if (arguments_[i].kind == ast::Argument::Kind::Keyword) {
      keywords.push_back(arguments_[i].keyword_range);
    }
    node.arguments.push_back(std::move(arguments_[i]));
  }
  arguments_.resize(first);
  check_unique(std::move(keywords), DiagId::KeywordArgumentTwice);
  push(std::move(node), callee.begin, at.end, child_depth);
}

void Builder::end_subscript(const Token& at) {
  const OpenList list = lists_.back();
  lists_.pop_back();
  const std::uint32_t child_depth = depth(std::span(operands_).subspan(list.operands - 1));
  ast::Subscript node;
  node.indices = take_ids(list.operands);
  node.is_tuple = list.has_comma;
  const Operand object = pop();
  node.object = object.id;
  push(std::move(node), object.begin, at.end, child_depth);
}

void Builder::end_slice(const Token& at) {
  const Operand step = pop();
  const Operand end = pop();
  const Operand begin = pop();
  const std::uint32_t child_depth = std::max({depth(step.id), depth(end.id), depth(begin.id)});
  push(ast::Slice{begin.id, end.id, step.id}, begin.begin, at.end, child_depth);
}

// ---- checks ----

void Builder::check_unique(std::vector<SourceRange> names, DiagId id) {
  if (names.size() < 2) {
    return;
  }
  const auto spelled = [&](const SourceRange& r) { return sources_.text(r); };
  std::ranges::stable_sort(names, {}, spelled);
  for (std::size_t i = 1; i < names.size(); ++i) {
    if (spelled(names[i]) == spelled(names[i - 1])) {
      report(id, names[i], spelled(names[i])).label(names[i - 1], "first here");
    }
  }
}

namespace {

/// How a message names an expression that is no target.
struct TargetName {
  std::string operator()(const ast::Name& node) const { return fmt::format("`{}`", node.id); }

  std::string operator()(const ast::IntLiteral&) const { return "a number"; }

  std::string operator()(const ast::FloatLiteral&) const { return "a number"; }

  std::string operator()(const ast::StringLiteral&) const { return "a string"; }

  std::string operator()(const ast::BoolLiteral& node) const {
    return node.value ? "`True`" : "`False`";
  }

  std::string operator()(const ast::NoneLiteral&) const { return "`None`"; }

  std::string operator()(const ast::EllipsisLiteral&) const { return "`...`"; }

  std::string operator()(const ast::FString&) const { return "an f-string"; }

  std::string operator()(const ast::Tuple&) const { return "a tuple"; }

  std::string operator()(const ast::List&) const { return "a list"; }

  std::string operator()(const ast::Dict&) const { return "a dict or set"; }

  std::string operator()(const ast::Unary&) const { return "an operation"; }

  std::string operator()(const ast::Binary&) const { return "an operation"; }

  std::string operator()(const ast::Logical&) const { return "an operation"; }

  std::string operator()(const ast::Compare&) const { return "a comparison"; }

  std::string operator()(const ast::Conditional&) const { return "a conditional expression"; }

  std::string operator()(const ast::Call&) const { return "a call"; }

  std::string operator()(const ast::Attribute&) const { return "an attribute"; }

  std::string operator()(const ast::Subscript&) const { return "a subscript"; }

  std::string operator()(const ast::Slice&) const { return "a slice"; }

  std::string operator()(const ast::Lambda&) const { return "a lambda"; }

  std::string operator()(const ast::Comprehension&) const { return "a comprehension"; }

  std::string operator()(const ast::Starred&) const { return "a starred expression"; }

  std::string operator()(const ast::NamedExpr&) const { return "an assignment expression"; }
};

}  // namespace

// A name, attribute or subscript; or a tuple or list of targets, one of which may be starred.
void Builder::check_target(ast::ExprId id) {
  const std::vector<ast::ExprId>* elements = nullptr;
  if (const auto* tuple = module_.as<ast::Tuple>(id)) {
    elements = &tuple->elements;
  } else if (const auto* list = module_.as<ast::List>(id)) {
    elements = &list->elements;
  } else {
    const auto* starred = module_.as<ast::Starred>(id);
    check_simple_target(starred != nullptr ? starred->value : id);
    return;
  }
  std::size_t num_starred = 0;
  for (const ast::ExprId element : *elements) {
    const auto* starred = module_.as<ast::Starred>(element);
    num_starred += starred != nullptr ? 1 : 0;
    check_target(starred != nullptr ? starred->value : element);
  }
  if (num_starred > 1) {
    report(DiagId::SeveralStarredTargets, module_[id].range);
  }
}

void Builder::check_simple_target(ast::ExprId id) {
  const ast::ExprData& data = module_[id].data;
  const bool fits = std::holds_alternative<ast::Name>(data) ||
                    std::holds_alternative<ast::Attribute>(data) ||
                    std::holds_alternative<ast::Subscript>(data);
  if (!fits) {
    Diagnostic& found =
        report(DiagId::InvalidTarget, module_[id].range, std::visit(TargetName{}, data));
    if (std::holds_alternative<ast::Compare>(data)) {
      found.helped("a comparison on the left of `=`: is one of them meant to be `==`?");
    }
  }
}

}  // namespace tilery::grammar
