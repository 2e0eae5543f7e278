// Reading source files.
#pragma once

#include "tilery/result.h"

#include <string>

namespace tilery {

/// The text of a kernel file, byte by byte. Of a file larger than the parser's limit only a little
/// more than the limit is read (the parser then says so). The error names the path and what is
/// wrong with it.
[[nodiscard]] Result<std::string> read_source_file(const std::string& path);

}  // namespace tilery
