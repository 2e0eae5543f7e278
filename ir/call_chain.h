// The calls that led to an instruction inside inlined helpers, for messages about it.
#pragma once

#include "ir/function.h"
#include "ir/support/diagnostic.h"

namespace tilery {

/// Adds them to the diagnostic, innermost first; none for a place in the kernel itself, or no
/// place.
void add_calls(Diagnostic& diagnostic, const Function& function, LocId loc);

}  // namespace tilery
