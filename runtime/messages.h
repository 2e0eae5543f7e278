// The compiler's diagnostics and the interpreter's findings as the interface's messages.
#pragma once

#include "interpreter/check/finding.h"
#include "ir/function.h"
#include "ir/support/diagnostic.h"
#include "ir/support/source.h"
#include "tilery/message.h"
#include "tilery/result.h"

#include <span>
#include <vector>

namespace tilery {

[[nodiscard]] Place place_of(SourceRange range, const SourceMap& sources);

/// All of a list, in its order.
[[nodiscard]] std::vector<Message> messages_of(std::span<const Diagnostic> diagnostics,
                                               const SourceMap& sources, Phase phase);
[[nodiscard]] std::vector<Message> messages_of(const Diagnostics& diagnostics,
                                               const SourceMap& sources, Phase phase);
/// `function` is the one that ran.
[[nodiscard]] Message message_of(const Finding& finding, const Function& function,
                                 const SourceMap& sources);
/// An error whose text is all the messages' texts, one after the other.
[[nodiscard]] Error error_of(ErrorKind kind, std::vector<Message> messages);

}  // namespace tilery
