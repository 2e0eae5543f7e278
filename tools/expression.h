// Whole-number expressions over arguments, for grids and extents: `cdiv(N, BLOCK)`, `x.shape[0] *
// 2`.
#pragma once

#include "tilery/result.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilery::tools {

/// What names mean. Each returns nothing for a name that it does not know.
struct ExpressionNames {
  /// The value of a whole-number argument.
  std::function<std::optional<std::int64_t>(std::string_view name)> number;
  /// The extents of an array argument.
  std::function<std::optional<std::vector<std::int64_t>>(std::string_view name)> shape;
};

/// The value: + - * // % and unary -, parentheses, cdiv(a, b), min(a, …), max(a, …),
/// next_power_of_2(a), x.shape[i], x.numel(), decimal and 0x numbers; // and % floor as in Python.
/// `/` must come out even. The error says what is wrong in one sentence and quotes the expression.
[[nodiscard]] Result<std::int64_t> evaluate(std::string_view expression,
                                            const ExpressionNames& names);

/// Splits at commas that stand outside brackets and quotes; blanks around the parts are dropped.
[[nodiscard]] std::vector<std::string> split_top_level(std::string_view text);

}  // namespace tilery::tools
