#include "frontend/grammar/operators.h"

#include <array>

namespace tilery::grammar {

namespace {

constexpr std::size_t kNumTokens = static_cast<std::size_t>(TokenKind::CaretAssign) + 1;

using Table = std::array<OperatorInfo, kNumTokens>;

template <class Op>
constexpr void set(Table& table, TokenKind token, OperatorKind kind, Precedence precedence, Op op) {
  table[static_cast<std::size_t>(token)] = {kind, precedence, static_cast<std::uint8_t>(op)};
}

constexpr Table infix_table() {
  using ast::BinaryOp;
  using ast::BoolOp;
  using ast::CompareOp;
  constexpr OperatorKind kBinary = OperatorKind::Binary;
  constexpr OperatorKind kCompare = OperatorKind::Compare;
  Table t{};
  set(t, TokenKind::Or, OperatorKind::Logical, Precedence::Or, BoolOp::Or);
  set(t, TokenKind::And, OperatorKind::Logical, Precedence::And, BoolOp::And);
  set(t, TokenKind::EqEq, kCompare, Precedence::Compare, CompareOp::Eq);
  set(t, TokenKind::NotEq, kCompare, Precedence::Compare, CompareOp::Ne);
  set(t, TokenKind::Less, kCompare, Precedence::Compare, CompareOp::Lt);
  set(t, TokenKind::LessEq, kCompare, Precedence::Compare, CompareOp::Le);
  set(t, TokenKind::Greater, kCompare, Precedence::Compare, CompareOp::Gt);
  set(t, TokenKind::GreaterEq, kCompare, Precedence::Compare, CompareOp::Ge);
  set(t, TokenKind::Is, kCompare, Precedence::Compare, CompareOp::Is);
  set(t, TokenKind::In, kCompare, Precedence::Compare, CompareOp::In);
  set(t, TokenKind::Pipe, kBinary, Precedence::BitOr, BinaryOp::BitOr);
  set(t, TokenKind::Caret, kBinary, Precedence::BitXor, BinaryOp::BitXor);
  set(t, TokenKind::Amp, kBinary, Precedence::BitAnd, BinaryOp::BitAnd);
  set(t, TokenKind::Shl, kBinary, Precedence::Shift, BinaryOp::Shl);
  set(t, TokenKind::Shr, kBinary, Precedence::Shift, BinaryOp::Shr);
  set(t, TokenKind::Plus, kBinary, Precedence::Add, BinaryOp::Add);
  set(t, TokenKind::Minus, kBinary, Precedence::Add, BinaryOp::Sub);
  set(t, TokenKind::Star, kBinary, Precedence::Mul, BinaryOp::Mul);
  set(t, TokenKind::Slash, kBinary, Precedence::Mul, BinaryOp::Div);
  set(t, TokenKind::SlashSlash, kBinary, Precedence::Mul, BinaryOp::FloorDiv);
  set(t, TokenKind::Percent, kBinary, Precedence::Mul, BinaryOp::Mod);
  set(t, TokenKind::At, kBinary, Precedence::Mul, BinaryOp::MatMul);
  set(t, TokenKind::StarStar, kBinary, Precedence::Pow, BinaryOp::Pow);
  return t;
}

constexpr Table kInfix = infix_table();

}  // namespace

std::optional<OperatorInfo> infix_operator(TokenKind kind) {
  const OperatorInfo& info = kInfix[static_cast<std::size_t>(kind)];
  return info.precedence == Precedence::None ? std::nullopt : std::optional(info);
}

std::optional<OperatorInfo> prefix_operator(TokenKind kind) {
  const auto unary = [](Precedence precedence, ast::UnaryOp op) {
    return OperatorInfo{OperatorKind::Prefix, precedence, static_cast<std::uint8_t>(op)};
  };
  switch (kind) {
    case TokenKind::Plus:
      return unary(Precedence::Unary, ast::UnaryOp::Plus);
    case TokenKind::Minus:
      return unary(Precedence::Unary, ast::UnaryOp::Minus);
    case TokenKind::Tilde:
      return unary(Precedence::Unary, ast::UnaryOp::Invert);
    case TokenKind::Not:
      return unary(Precedence::Not, ast::UnaryOp::Not);
    default:
      return std::nullopt;
  }
}

std::optional<ast::BinaryOp> augmented_operator(TokenKind kind) {
  using ast::BinaryOp;
  switch (kind) {
    case TokenKind::PlusAssign:
      return BinaryOp::Add;
    case TokenKind::MinusAssign:
      return BinaryOp::Sub;
    case TokenKind::StarAssign:
      return BinaryOp::Mul;
    case TokenKind::SlashAssign:
      return BinaryOp::Div;
    case TokenKind::SlashSlashAssign:
      return BinaryOp::FloorDiv;
    case TokenKind::PercentAssign:
      return BinaryOp::Mod;
    case TokenKind::StarStarAssign:
      return BinaryOp::Pow;
    case TokenKind::AtAssign:
      return BinaryOp::MatMul;
    case TokenKind::ShlAssign:
      return BinaryOp::Shl;
    case TokenKind::ShrAssign:
      return BinaryOp::Shr;
    case TokenKind::AmpAssign:
      return BinaryOp::BitAnd;
    case TokenKind::PipeAssign:
      return BinaryOp::BitOr;
    case TokenKind::CaretAssign:
      return BinaryOp::BitXor;
    default:
      return std::nullopt;
  }
}

}  // namespace tilery::grammar
