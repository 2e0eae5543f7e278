// Statements and the frames that they are built in.
#include "frontend/grammar/builder_inl.h"
#include "frontend/grammar/lookahead.h"

#include <algorithm>
#include <utility>

namespace tilery::grammar {

Builder::Builder(const SourceMap& sources, ast::Module& module, bool has_yield,
                 Diagnostics& diagnostics)
    : sources_(sources),
      file_(module.file),
      source_(sources.file(module.file).text),
      module_(module),
      diagnostics_(&diagnostics),
      has_yield_(has_yield) {}

// ---- frames ----

Builder::Frame Builder::heights(bool is_line, const Token* first) const {
  Frame f;
  f.is_line = is_line;
  f.first = first;
  f.operands = operands_.size();
  f.operators = operators_.size();
  f.operator_marks = operator_marks_.size();
  f.compare_ops = compare_ops_.size();
  f.lists = lists_.size();
  f.arguments = arguments_.size();
  f.clauses = clauses_.size();
  f.strings = strings_.size();
  f.fields = fields_.size();
  f.parameters = parameters_.size();
  f.heads = heads_.size();
  f.statements = statements_.size();
  f.block_marks = block_marks_.size();
  f.blocks = blocks_.size();
  f.loops = loops_;
  f.functions = functions_;
  return f;
}

void Builder::restore(const Frame& f) {
  operands_.resize(f.operands);
  operators_.resize(f.operators);
  operator_marks_.resize(f.operator_marks);
  compare_ops_.resize(f.compare_ops);
  lists_.resize(f.lists);
  arguments_.resize(f.arguments);
  clauses_.resize(f.clauses);
  strings_.resize(f.strings);
  fields_.resize(f.fields);
  parameters_.resize(f.parameters);
  heads_.resize(f.heads);
  statements_.resize(f.statements);
  block_marks_.resize(f.block_marks);
  blocks_.resize(f.blocks);
  loops_ = f.loops;
  functions_ = f.functions;
}

void Builder::begin_line(const Token& at) {
  depth_reported_ = false;
  frames_.push_back(heights(true, &at + 1));
}

void Builder::end_line(const Token& /*at*/) {
  frames_.pop_back();
  previous_failed_ = false;
}

void Builder::begin_statement(const Token& at) {
  frames_.push_back(heights(false, &at + 1));
}

void Builder::end_statement(const Token& /*at*/) {
  frames_.pop_back();
}

const Token* Builder::line_begin() const {
  return std::ranges::find_if(frames_.rbegin(), frames_.rend(), &Frame::is_line)->first;
}

void Builder::recover() {
  while (!frames_.back().is_line) {
    frames_.pop_back();
  }
  restore(frames_.back());
  frames_.pop_back();
  previous_failed_ = true;
}

ast::Block Builder::take_statements() {
  return std::exchange(statements_, {});
}

void Builder::roll_back(Mark mark) {
  module_.exprs.resize(mark.exprs);
  module_.stmts.resize(mark.stmts);
  expr_depth_.resize(mark.exprs);
  stmt_depth_.resize(mark.stmts);
}

// ---- nodes ----

std::uint32_t Builder::depth(const ast::Block& block) const {
  std::uint32_t result = 0;
  for (const ast::StmtId id : block) {
    result = std::max<std::uint32_t>(result, stmt_depth_[id.index]);
  }
  return result;
}

std::uint32_t Builder::end_before(const Token& at) {
  const Token* last = &at;
  while (last->kind == TokenKind::Newline || last->kind == TokenKind::Indent ||
         last->kind == TokenKind::Dedent) {
    --last;
  }
  return last->end;
}

ast::StmtId Builder::add_stmt(ast::StmtData data, std::uint32_t begin, std::uint32_t end,
                              std::uint32_t child_depth) {
  const ast::StmtId id{static_cast<std::uint32_t>(module_.stmts.size())};
  module_.stmts.push_back({{file_, begin, end}, std::move(data)});
  stmt_depth_.push_back(checked_depth(child_depth, begin));
  return id;
}

void Builder::finish_stmt(ast::StmtData data, const Token& at, std::uint32_t child_depth) {
  const std::uint32_t begin = frame().first->begin;
  const ast::StmtId id = add_stmt(std::move(data), begin, end_before(at), child_depth);
  restore(frame());
  statements_.push_back(id);
}

void Builder::head(const Token& at) {
  heads_.push_back(at);
}

// ---- blocks ----

void Builder::begin_block(const Token& /*at*/) {
  block_marks_.push_back(statements_.size());
  previous_failed_ = false;
}

void Builder::end_block(const Token& /*at*/) {
  const auto first = statements_.begin() + static_cast<std::ptrdiff_t>(block_marks_.back());
  blocks_.emplace_back(first, statements_.end());
  statements_.erase(first, statements_.end());
  block_marks_.pop_back();
}

void Builder::begin_loop_body(const Token& /*at*/) {
  ++loops_;
}

void Builder::end_loop_body(const Token& /*at*/) {
  --loops_;
}

void Builder::unexpected_indent(const Token& at) {
  // After a header with an error in it, the block is its body.
  if (!previous_failed_) {
    report(DiagId::UnexpectedIndent, range(at));
  }
}

void Builder::end_stray_block(const Token& /*at*/) {
  previous_failed_ = true;
}

// ---- simple statements ----

void Builder::end_expression_statement(const Token& at) {
  const Operand value = operands().front();
  finish_stmt(ast::ExprStmt{value.id}, at, depth(value.id));
}

void Builder::end_assign(const Token& at) {
  const std::span<Operand> values = operands();
  ast::Assign node;
  for (const Operand& target : values.first(values.size() - 1)) {
    check_target(target.id);
    node.targets.push_back(target.id);
  }
  node.value = values.back().id;
  finish_stmt(std::move(node), at, depth(values));
}

void Builder::end_annotated(const Token& at) {
  const std::span<Operand> values = operands();
  check_simple_target(values[0].id);
  finish_stmt(ast::AnnotatedAssign{values[0].id, values[1].id, values[2].id}, at, depth(values));
}

void Builder::end_augmented(const Token& at) {
  const std::span<Operand> values = operands();
  check_simple_target(values[0].id);
  const ast::BinaryOp op = *augmented_operator(heads().front().kind);
  finish_stmt(ast::AugmentedAssign{values[0].id, op, values[1].id}, at, depth(values));
}

void Builder::end_break(const Token& at) {
  if (loops_ == 0) {
    report(DiagId::OutsideLoop, range(at), "break");
  }
  finish_stmt(ast::Break{}, at, 0);
}

void Builder::end_continue(const Token& at) {
  if (loops_ == 0) {
    report(DiagId::OutsideLoop, range(at), "continue");
  }
  finish_stmt(ast::Continue{}, at, 0);
}

void Builder::end_pass(const Token& at) {
  finish_stmt(ast::Pass{}, at, 0);
}

void Builder::end_return(const Token& at) {
  if (functions_ == 0) {
    report(DiagId::OutsideFunction, range(*frame().first));
  }
  const Operand value = operands().front();
  finish_stmt(ast::Return{value.id}, at, depth(value.id));
}

void Builder::end_assert(const Token& at) {
  const std::span<Operand> values = operands();
  finish_stmt(ast::Assert{values[0].id, values[1].id}, at, depth(values));
}

// `raise x from y`: the cause after `from` has no node.
void Builder::end_raise(const Token& at) {
  const Operand value = operands().front();
  finish_stmt(ast::Raise{value.id}, at, depth(value.id));
}

// ---- imports ----

void Builder::begin_import(const Token& at) {
  import_ = {};
  import_.is_from = at.kind == TokenKind::From;
}

void Builder::import_level(const Token& at) {
  import_.level += at.kind == TokenKind::Dot ? 1 : 3;
}

void Builder::import_module(const Token& at) {
  import_.module += import_.module.empty() ? "" : ".";
  import_.module += text(at);
}

void Builder::import_name(const Token& at) {
  import_.names.push_back({std::string(text(at)), {}});
}

void Builder::import_name_part(const Token& at) {
  import_.names.back().name += '.';
  import_.names.back().name += text(at);
}

void Builder::import_alias(const Token& at) {
  import_.names.back().alias = std::string(text(at));
}

void Builder::end_import(const Token& at) {
  finish_stmt(std::move(import_), at, 0);
}

// ---- compound statements ----

// Heads: `if`, `elif` …, perhaps `else`. Operands: the conditions. Blocks: one a head. An `elif` is
// an If in the else_body of the one before it, so the last is built first.
void Builder::end_if(const Token& at) {
  const std::span<const Token> tokens = heads();
  const std::span<Operand> conditions = operands();
  const std::span<ast::Block> bodies = blocks();
  const std::uint32_t end = end_before(at);
  ast::Block else_body;
  if (bodies.size() > conditions.size()) {
    else_body = std::move(bodies.back());
  }
  for (std::size_t i = conditions.size(); i-- > 0;) {
    ast::If node{conditions[i].id, std::move(bodies[i]), std::move(else_body)};
    const std::uint32_t child_depth =
        std::max({depth(node.condition), depth(node.body), depth(node.else_body)});
    else_body = {add_stmt(std::move(node), tokens[i].begin, end, child_depth)};
  }
  restore(frame());
  statements_.push_back(else_body.front());
}

// The blocks of a loop: its body and perhaps its `else`.
std::uint32_t Builder::take_loop_blocks(ast::Block& body, ast::Block& else_body) {
  const std::span<ast::Block> bodies = blocks();
  body = std::move(bodies[0]);
  if (bodies.size() > 1) {
    else_body = std::move(bodies[1]);
  }
  return std::max({depth(operands()), depth(body), depth(else_body)});
}

void Builder::end_for(const Token& at) {
  const std::span<Operand> values = operands();
  check_target(values[0].id);
  ast::For node;
  node.target = values[0].id;
  node.iterable = values[1].id;
  const std::uint32_t child_depth = take_loop_blocks(node.body, node.else_body);
  finish_stmt(std::move(node), at, child_depth);
}

void Builder::end_while(const Token& at) {
  ast::While node;
  node.condition = operands().front().id;
  const std::uint32_t child_depth = take_loop_blocks(node.body, node.else_body);
  finish_stmt(std::move(node), at, child_depth);
}

// Operands: a context and a target (or nothing) for each item.
void Builder::end_with(const Token& at) {
  const std::span<Operand> values = operands();
  ast::With node;
  for (std::size_t i = 0; i + 1 < values.size(); i += 2) {
    if (values[i + 1].id) {
      check_target(values[i + 1].id);
    }
    node.items.push_back({values[i].id, values[i + 1].id});
  }
  node.body = std::move(blocks().front());
  const std::uint32_t child_depth = std::max(depth(values), depth(node.body));
  finish_stmt(std::move(node), at, child_depth);
}

void Builder::end_unsupported(const Token& at) {
  finish_stmt(ast::Unsupported{unsupported_keyword(frame().first, source_)}, at, 0);
}

}  // namespace tilery::grammar
