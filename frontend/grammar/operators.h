// The table of binary operators: what each token means and how tightly it binds.
#pragma once

#include "frontend/ast.h"
#include "frontend/lexer.h"

#include <cstdint>
#include <optional>

namespace tilery::grammar {

/// How tightly an operator binds its operands; a higher one binds tighter.
enum class Precedence : std::uint8_t {
  None,
  Or,
  And,
  Not,
  Compare,
  BitOr,
  BitXor,
  BitAnd,
  Shift,
  Add,
  Mul,
  Unary,
  Pow,
};

enum class OperatorKind : std::uint8_t { Prefix, Binary, Logical, Compare };

/// `op` is the value of the ast:: enum that belongs to `kind`.
struct OperatorInfo {
  OperatorKind kind{};
  Precedence precedence = Precedence::None;
  std::uint8_t op = 0;
};

/// The meaning of a token between two operands; nothing if it does not stand there. (`is not` and
/// `not in` are two tokens and not in this table.)
[[nodiscard]] std::optional<OperatorInfo> infix_operator(TokenKind kind);
/// The meaning of a token before an operand.
[[nodiscard]] std::optional<OperatorInfo> prefix_operator(TokenKind kind);
/// The operator of an augmented assignment (`+=`).
[[nodiscard]] std::optional<ast::BinaryOp> augmented_operator(TokenKind kind);

}  // namespace tilery::grammar
