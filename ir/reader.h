// Text → function; the inverse of ir/printer.h.
#pragma once

#include "ir/function.h"
#include "ir/support/diagnostic.h"

#include <optional>

namespace tilery {

/// Reads the function in file `file` of `sources`; `//` starts a comment. Locations become the
/// text's own lines. Reports IrSyntax and IrInvalid; what it returns passes the verifier.
[[nodiscard]] std::optional<Function> read_function(const SourceMap& sources, FileId file,
                                                    Diagnostics& diagnostics);

}  // namespace tilery
