// From the bytes of a fuzz input to a specialised kernel.
#pragma once

#include "frontend/sema/specialize.h"
#include "ir/support/diagnostic.h"
#include "ir/support/source.h"

#include <functional>
#include <string>

namespace tilery {

/// Gets each kernel of the text that could be specialised.
using OnSpecialized = std::function<void(const SourceMap& sources, Specialized specialized)>;

/// Parses the text and specialises its last kernels. The types of the arguments come from the
/// text's own lines where it is a file test
/// (`args: x=*f32 B=8` in the first line, or `arg: x = f32[8]: …`), else from the parameters' names
/// and annotations. Aborts if the front end breaks a promise: errors and a result at once, a place
/// outside the text, a message that cannot be shown, IR that does not verify.
void specialize_text(const std::string& text, bool optimise, const OnSpecialized& on_specialized);

}  // namespace tilery
