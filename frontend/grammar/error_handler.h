// What happens when the grammar meets a token that it did not expect.
#pragma once

#include "frontend/lexer.h"

#include <string_view>

namespace tilery::grammar {

class Builder;

/// Reports that `expected` was missing at `where`, in the line or header that the Builder is in,
/// unless the lexer has reported that place already. Drops what the Builder holds of the statement
/// and returns where to go on: at the beginning of the next line, always after that of this one.
const Token* handle_syntax_error(Builder& builder, const Token* where, std::string_view expected);

}  // namespace tilery::grammar
