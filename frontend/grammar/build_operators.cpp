// Orders operands and operators by precedence.
//
// Operators wait on a stack. One that comes in first completes every waiting operator that binds
// tighter (or as tightly, for those that group to the left), whose operands are then all on the
// operand stack. Prefix operators complete nothing: `2 ** -x` keeps `**` waiting below `-`.
#include "frontend/grammar/builder_inl.h"

#include <algorithm>

namespace tilery::grammar {

void Builder::begin_operators(const Token& /*at*/) {
  operator_marks_.push_back(operators_.size());
}

void Builder::prefix(const Token& at) {
  const OperatorInfo info = *prefix_operator(at.kind);
  const bool below_tighter = operators_.size() > operator_marks_.back() &&
                             operators_.back().info.precedence > info.precedence;
  if (info.precedence == Precedence::Not && below_tighter) {
    report(DiagId::NotNeedsParentheses, range(at), token_spelling(operators_.back().token));
  }
  operators_.push_back({info, 0, at.begin, at.kind});
}

void Builder::infix(const Token& at) {
  const OperatorInfo info = *infix_operator(at.kind);
  if (info.kind == OperatorKind::Compare) {
    push_compare(static_cast<ast::CompareOp>(info.op), at);
    return;
  }
  push_infix(info, at);
}

void Builder::is_not(const Token& at) {
  push_compare(ast::CompareOp::IsNot, at);
}

void Builder::not_in(const Token& at) {
  push_compare(ast::CompareOp::NotIn, at);
}

void Builder::push_compare(ast::CompareOp op, const Token& at) {
  push_infix({OperatorKind::Compare, Precedence::Compare, 0}, at);
  compare_ops_.push_back(op);
}

void Builder::push_infix(OperatorInfo info, const Token& at) {
  const bool groups_left = info.kind == OperatorKind::Binary && info.precedence != Precedence::Pow;
  while (operators_.size() > operator_marks_.back()) {
    const Precedence waiting = operators_.back().info.precedence;
    if (waiting < info.precedence || (waiting == info.precedence && !groups_left)) {
      break;
    }
    reduce();
  }
  const bool continues = operators_.size() > operator_marks_.back() &&
                         operators_.back().info.precedence == info.precedence &&
                         info.kind != OperatorKind::Binary;
  if (continues) {
    // `a < b < c` and `a and b and c` are one node each.
    ++operators_.back().more_operands;
  } else {
    operators_.push_back({info, 1, at.begin, at.kind});
  }
}

void Builder::reduce() {
  const PendingOperator pending = operators_.back();
  operators_.pop_back();
  const std::size_t first = operands_.size() - 1 - pending.more_operands;
  const std::uint32_t end = operands_.back().end;
  const std::uint32_t child_depth = depth(std::span(operands_).subspan(first));
  const std::uint32_t begin =
      pending.info.kind == OperatorKind::Prefix ? pending.begin : operands_[first].begin;
  std::vector<ast::ExprId> ids = take_ids(first);
  switch (pending.info.kind) {
    case OperatorKind::Prefix:
      push(ast::Unary{static_cast<ast::UnaryOp>(pending.info.op), ids[0]}, begin, end, child_depth);
      break;
    case OperatorKind::Binary:
      push(ast::Binary{static_cast<ast::BinaryOp>(pending.info.op), ids[0], ids[1]}, begin, end,
           child_depth);
      break;
    case OperatorKind::Logical:
      push(ast::Logical{static_cast<ast::BoolOp>(pending.info.op), std::move(ids)}, begin, end,
           child_depth);
      break;
    case OperatorKind::Compare: {
      const auto ops = compare_ops_.end() - pending.more_operands;
      ast::Compare node{{ops, compare_ops_.end()}, std::move(ids)};
      compare_ops_.erase(ops, compare_ops_.end());
      push(std::move(node), begin, end, child_depth);
      break;
    }
  }
}

void Builder::end_operators(const Token& /*at*/) {
  while (operators_.size() > operator_marks_.back()) {
    reduce();
  }
  operator_marks_.pop_back();
}

// ---- conditional expressions ----

void Builder::begin_conditional(const Token& /*at*/) {
  OpenList list;
  list.operands = operands_.size() - 1;
  lists_.push_back(list);
}

// The operands are a, p, b, q, c of `a if p else b if q else c`, which groups to the right.
void Builder::end_conditional(const Token& /*at*/) {
  const std::size_t first = lists_.back().operands;
  lists_.pop_back();
  while (operands_.size() - first > 1) {
    const Operand if_false = pop();
    const Operand condition = pop();
    const Operand if_true = pop();
    const std::uint32_t child_depth =
        std::max({depth(if_false.id), depth(condition.id), depth(if_true.id)});
    push(ast::Conditional{condition.id, if_true.id, if_false.id}, if_true.begin, if_false.end,
         child_depth);
  }
}

}  // namespace tilery::grammar
